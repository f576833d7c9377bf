"""What a model written in another language must know besides `Column.spellings`, to answer raw cells as it does."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

from solvers.diagram.diagram import Diagram, NodeId
from solvers.problem.texts import MISSING_MARKS

REFUSED = -1
"""The leaf of a case that the model must not answer: a level that it has never seen, or a value that must be known."""

NOTICE = "For research and teaching; not a medical device."


def missing_marks() -> tuple[str, ...]:
    """The texts that stand for a missing value, in small letters, sorted."""
    return tuple(sorted(MISSING_MARKS))


@cache
def missing_spellings() -> tuple[str, ...]:
    """The same in every mixture of small letters and capitals, sorted: for readers that cannot fold them."""
    # the sign for kelvin, U+212A, is the last whose small letter is of ASCII
    drawn = {
        mark: [[c for c in map(chr, range(0x212B)) if c.lower() == small] for small in mark] for mark in MISSING_MARKS
    }
    return tuple(sorted("".join(text) for letters in drawn.values() for text in product(*letters)))


class LeafAnswer(NamedTuple):
    """What a leaf answers: its number, and the index of its class.

    `counts` and `shares` are the weight of each class among its training rows, and the share of it.
    """

    leaf: NodeId
    label: int
    counts: tuple[float, ...]
    shares: tuple[float, ...]


def answers(diagram: Diagram) -> tuple[LeafAnswer, ...]:
    """The answers of the leaves, to the last bit those of `Diagram.predict_proba`."""
    out = []
    for i, leaf in diagram.leaves:
        total = sum(leaf.counts)
        sure = tuple(float(k == leaf.label) for k in range(len(diagram.classes)))
        shares = tuple(float(count) / total for count in leaf.counts) if total > 0 else sure
        out.append(LeafAnswer(i, int(leaf.label), leaf.counts, shares))
    return tuple(out)


def is_plain(value: float) -> bool:
    """Whether every way of reading decimals finds this float: few digits, and not near the middle of two floats."""
    written = Decimal(repr(float(value)))
    _, digits, exponent = written.as_tuple()
    if len(digits) > 15 or not isinstance(exponent, int) or not -22 <= exponent <= 0:
        return False
    off = abs(Fraction(written) - Fraction(value))
    return off <= Fraction(math.ulp(value)) * Fraction(99, 200)
