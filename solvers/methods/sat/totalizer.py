"""Weighted sums of literals as clauses: the generalized totalizer (Joshi, Martins and Manquinho 2015, section 3).

The literals are the leaves of a balanced binary tree. A node has an output for every value that the weights of the true
literals below it can add up to, and a clause lets the outputs of two children imply that of their sum. Values of at
least `cap` share one output, so a node has at most `cap` outputs. With weights of 1 it is the totalizer of Bailleux and
Boufkhad (2003). Only 'the sum is at least this' is implied, which suffices for upper limits.
"""

from itertools import combinations, product
from math import prod
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


class BinarySum:
    """A weighted sum by a network of binary adders (Eén and Sörensson 2006, section 5.3), exact and with few clauses.

    The literals, int (n,), are sorted into the binary digits of their weights, int64 (n,), at least 1 each. A full
    adder takes three literals of a digit and gives one of the same digit and a carry, until each digit has one literal
    left. That needs less than one adder per 1 bit in the weights, whatever their size. A totalizer has an output for
    each value of the sum, but propagates more. With the weights 5 and 6 of a and b, the digits of the sum are, lowest
    first, a, b, 'a xor b', and the carry 'a and b'.
    """

    def __init__(self, formula: Formula, literals: np.ndarray, weights: np.ndarray) -> None:
        nothing = formula.variables(1)
        formula.add(-nothing)
        self._digits: list[int] = []
        carries: list[np.ndarray] = []
        while weights.any() or carries:
            digit, carries = np.concatenate([literals[weights % 2 == 1], *carries]), []
            while len(digit) > 1:
                terms = digit if len(digit) > 2 else np.concatenate([digit, nothing])
                n = len(terms) // 3
                added, carry = _full_adders(formula, terms[: 3 * n].reshape(3, n))
                digit = np.concatenate([terms[3 * n :], added])
                carries.append(carry)
            self._digits.append(int(digit[0] if len(digit) else nothing[0]))
            weights = weights // 2

    def limit(self, formula: Formula, most: int) -> None:
        """Let the sum be at most this, which is at least 0."""
        if most.bit_length() > len(self._digits):
            return
        above: list[int] = []
        for place, digit in reversed(list(enumerate(self._digits))):
            if most >> place & 1:
                above.append(-digit)
            else:
                formula.add(np.array([[*above, -digit]]))


def _full_adders(formula: Formula, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sums and carries of three literals each, int (3, n)."""
    added, carry = formula.variables(2, terms.shape[1])
    for signs in product((1, -1), repeat=3):
        formula.add(np.stack([*(sign * term for sign, term in zip(signs, terms, strict=True)), -prod(signs) * added]).T)
    for one, other in combinations(terms, 2):
        formula.add(np.stack([-one, -other, carry]).T)
        formula.add(np.stack([one, other, -carry]).T)
    return added, carry
