"""Weighted sums of literals as clauses: a network of binary adders (Eén and Sörensson 2006, section 5.3).

The literals are sorted into the binary digits of their weights. A full adder takes three literals of a digit and gives
one of the same digit and a carry, until each digit has one literal left. That makes less than one adder for each 1 in
the weights, whatever their size, where a totalizer has an output for each value of the sum; but a solver sees less from
it. With the weights 5 and 6 of a and b the digits of the sum are a, b and 'both', and a carry.
"""

from itertools import combinations, product
from math import prod

import numpy as np

from solvers.methods.sat.formula import Formula


class BinarySum:
    """The weights of the true literals, int (n,), added up; the weights are int64 (n,), at least 1 each.

    The formula takes the variables and clauses.
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
                added, carry = _added(formula, terms[: 3 * n].reshape(3, n))
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


def _added(formula: Formula, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sums and carries of three literals each, int (3, n)."""
    added, carry = formula.variables(2, terms.shape[1])
    for signs in product((1, -1), repeat=3):
        formula.add(np.stack([*(sign * term for sign, term in zip(signs, terms, strict=True)), -prod(signs) * added]).T)
    for one, other in combinations(terms, 2):
        formula.add(np.stack([-one, -other, carry]).T)
        formula.add(np.stack([one, other, -carry]).T)
    return added, carry
