"""Weighted sums of literals as clauses: the generalized totalizer (Joshi, Martins and Manquinho 2015, section 3).

The literals are the leaves of a balanced binary tree. A node has an output for every value that the weights of the true
literals below it can add up to, and a clause lets the outputs of two children imply that of their sum. Values of at
least `cap` share one output, so a node has at most `cap` outputs. With weights of 1 it is the totalizer of Bailleux and
Boufkhad (2003). Only 'the sum is at least this' is implied, which suffices for upper limits.
"""

from typing import NamedTuple

import numpy as np

from .formula import Formula


class Counted(NamedTuple):
    """The outputs of a sum, by value: `sums`, int64 (n,), ascending; the last may include all larger values.

    `outputs`, int32 (n,), are literals that are true if (but not only if) the true inputs' weights add up to the value.
    """

    sums: np.ndarray
    outputs: np.ndarray

    def limit(self, formula: Formula, most: int) -> None:
        """Let the sum be at most this."""
        formula.add(-self.outputs[self.sums > most][:, None])


def totalizer(formula: Formula, literals: np.ndarray, weights: np.ndarray, cap: int) -> Counted:
    """Sum the weights, int (n,), all at least 1, of the true literals, int (n,); sums from `cap` on share an output."""
    order = np.argsort(weights, kind="stable")  # adjacent equal weights give few different sums
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
    for child in (first, second):
        formula.add(np.column_stack([-child.outputs, outputs[np.searchsorted(sums, child.sums)]]))
    a, b = np.meshgrid(first.outputs, second.outputs, indexing="ij")
    both = outputs[np.searchsorted(sums, together)]
    formula.add(np.column_stack([-a.ravel(), -b.ravel(), both.ravel()]))
    return Counted(sums, outputs)
