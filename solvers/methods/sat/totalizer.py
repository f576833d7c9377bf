"""Weighted sums of literals as clauses: the generalized totalizer (Joshi, Martins and Manquinho 2015, section 3).

The literals are the leaves of a balanced binary tree. A node has an output for every value that the weights of the true
literals below it can add up to, and a clause lets the outputs of two children imply that of their sum. Values of at
least `cap` are one, so a node has at most `cap` outputs. With weights of 1 it is the totalizer of Bailleux and
Boufkhad (2003). Only 'the sum is at least this' is implied, which is what upper limits need.
"""

from typing import NamedTuple

import numpy as np

from solvers.methods.sat.formula import Formula


class Counted(NamedTuple):
    """The outputs of a sum, by value: `sums`, int64 (n,), ascending; the last may stand for itself and all above it.

    `outputs`, int32 (n,), are literals that are true at least where the weights of the true inputs add up to the value.
    """

    sums: np.ndarray
    outputs: np.ndarray

    def limit(self, formula: Formula, most: int) -> None:
        """Let the sum be at most this."""
        formula.add(-self.outputs[self.sums > most][:, None])


def totalizer(formula: Formula, literals: np.ndarray, weights: np.ndarray, cap: int) -> Counted:
    """Add up the weights, int (n,), at least 1 each, of the true literals, int (n,); sums from `cap` on are one."""
    order = np.argsort(weights, kind="stable")  # equal weights side by side make few different sums
    nodes = [
        Counted(np.array([min(weight, cap)], np.int64), np.array([literal], np.int32))
        for literal, weight in zip(literals[order].tolist(), weights[order].tolist(), strict=True)
    ]
    while len(nodes) > 1:
        pairs = zip(nodes[::2], nodes[1::2], strict=False)
        odd = nodes[-1:] if len(nodes) % 2 else []
        nodes = [_joined(formula, first, second, cap) for first, second in pairs] + odd
    return nodes[0] if nodes else Counted(np.zeros(0, np.int64), np.zeros(0, np.int32))


def _joined(formula: Formula, first: Counted, second: Counted, cap: int) -> Counted:
    together = np.minimum(np.add.outer(first.sums, second.sums), cap)
    sums = np.unique(np.concatenate([first.sums, second.sums, together.ravel()]))
    outputs = formula.variables(len(sums))
    for one in (first, second):
        formula.add(np.column_stack([-one.outputs, outputs[np.searchsorted(sums, one.sums)]]))
    a, b = np.meshgrid(first.outputs, second.outputs, indexing="ij")
    both = outputs[np.searchsorted(sums, together)]
    formula.add(np.column_stack([-a.ravel(), -b.ravel(), both.ravel()]))
    return Counted(sums, outputs)
