"""What a model written in another language must know to read raw cells as `Column` does: spellings and answers.

A text stands for a level if it is the level; failing that if it is the same number, or the same but for capitals, where
only one level fits. Marks for missing values come in between: a level that is called 'unknown' stays a level.
"""

from collections import Counter
from functools import cache
from itertools import product
from typing import NamedTuple

from solvers.diagram.diagram import Diagram, Leaf, NodeId
from solvers.problem import Column
from solvers.problem.texts import MISSING_MARKS, parse_numbers

REFUSED = -1
"""The leaf of a case that the model must not answer: a level that it has never seen, or a value that must be known."""

NOTICE = "For research and teaching; not a medical device."


class Spellings(NamedTuple):
    """The level of a text: looked up in `exact`, then, unless it is a missing mark, by its number or in small letters.

    Attributes
    ----------
    exact : by text, without blanks around.
    numbers : by number.
    letters : by casefolded text.
    """

    exact: dict[str, int]
    numbers: dict[float, int]
    letters: dict[str, int]


def spellings(column: Column) -> Spellings:
    """The texts that stand for the levels of a column."""
    numbers = [float(number) for number in parse_numbers(column.levels)]
    letters = [level.casefold() for level in column.levels]
    return Spellings(
        {level: i for i, level in enumerate(column.levels)},
        {number: i for i, number in enumerate(numbers) if number == number and Counter(numbers)[number] == 1},
        {text: i for i, text in enumerate(letters) if Counter(letters)[text] == 1},
    )


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
    """What a leaf answers: its number, the index of its class, and the share of each class among its training rows."""

    leaf: NodeId
    label: int
    shares: tuple[float, ...]


def answers(diagram: Diagram) -> tuple[LeafAnswer, ...]:
    """The answers of the leaves, to the last bit those of `Diagram.predict_proba`."""
    out = []
    for i, node in enumerate(diagram.nodes):
        if isinstance(node, Leaf):
            total = sum(node.counts)
            sure = tuple(float(k == node.label) for k in range(len(diagram.classes)))
            shares = tuple(float(count) / total for count in node.counts) if total > 0 else sure
            out.append(LeafAnswer(i, int(node.label), shares))
    return tuple(out)
