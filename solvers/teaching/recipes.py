"""Specification of a classroom table: rule, number of rows, noise, number of distractors, seed."""

from dataclasses import dataclass
from enum import StrEnum

from ..errors import DataError

MOST_ROWS = 600
MOST_NOISE = 0.4
MOST_DISTRACTORS = 6
MOST_SEED = 9999


class Rule(StrEnum):
    """The rule behind a table."""

    XOR = "xor"
    NOISY_XOR = "noisy-xor"
    PARITY = "parity"
    CHECKERBOARD = "checkerboard"
    BLOBS = "blobs"
    MONK1 = "monk1"
    MONK2 = "monk2"
    MONK3 = "monk3"


@dataclass(frozen=True)
class Traits:
    """Traits of a rule: its name on the screen, its meaning in a sentence, and the defaults of its table.

    `size` is the meaning of `Recipe.size`, with its minimum, maximum and default, if the rule has a size; with `plane`,
    the rule uses two measurements, so that the regions of a model can be drawn.
    """

    title: str
    story: str
    rows: int
    noise: float = 0.0
    size: tuple[str, int, int, int] | None = None
    plane: bool = False


TRAITS: dict[Rule, Traits] = {
    Rule.XOR: Traits(
        "XOR",
        "The class is yes where exactly one of x and y is in its upper half. The points are mirrored at both middle "
        "lines, so no single split on x or y is informative.",
        64,
        plane=True,
    ),
    Rule.NOISY_XOR: Traits(
        "Noisy XOR",
        "XOR of the halves of x and y, with points anywhere and some classes flipped.",
        200,
        noise=0.1,
        plane=True,
    ),
    Rule.PARITY: Traits(
        "Parity of bits",
        "The class is yes where an odd number of the bits is 1.",
        64,
        size=("bits", 2, 6, 3),
    ),
    Rule.CHECKERBOARD: Traits(
        "Checkerboard",
        "Dark and light fields alternate, as on a chess board.",
        200,
        size=("fields a side", 2, 5, 3),
        plane=True,
    ),
    Rule.BLOBS: Traits(
        "Two clouds that overlap",
        "Each class is a round cloud of points. The clouds overlap, so no rule is correct everywhere.",
        120,
        plane=True,
    ),
    Rule.MONK1: Traits(
        "Monk's problem 1",
        "A robot is a monk if head and body have one shape, or if its jacket is red.",
        124,
    ),
    Rule.MONK2: Traits(
        "Monk's problem 2",
        "A robot is a monk if exactly two of its six attributes have their first value.",
        169,
    ),
    Rule.MONK3: Traits(
        "Monk's problem 3",
        "A robot is a monk if it wears green and holds a sword, or if its jacket is not blue and its body is not an "
        "octagon.",
        122,
        noise=0.05,
    ),
}

MIRRORS = 4
"""Rows of XOR come in fours: a point and its mirror images."""


@dataclass(frozen=True)
class Recipe:
    """Everything that determines a classroom table: the same recipe gives the same table.

    Attributes
    ----------
    rule : the rule behind the classes.
    rows : the number of training rows, 8 to 600; XOR rounds it to a multiple of 4, Monk's problems have at most 432.
    noise : the share of training rows whose class is flipped, 0 to 0.4.
    distractors : the number of added uninformative columns, 0 to 6.
    size : bits, fields or depth, for rules that have a size; `None` for their default.
    seed : of all random draws.

    Raises
    ------
    DataError
        A number is out of its range.
    """

    rule: Rule
    rows: int | None = None
    noise: float | None = None
    distractors: int = 0
    size: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        traits = TRAITS[Rule(self.rule)]
        object.__setattr__(self, "rule", Rule(self.rule))
        object.__setattr__(self, "rows", traits.rows if self.rows is None else self.rows)
        object.__setattr__(self, "noise", traits.noise if self.noise is None else float(self.noise))
        if traits.size is None:
            object.__setattr__(self, "size", None)
        elif self.size is None:
            object.__setattr__(self, "size", traits.size[3])
        _within("rows", self.rows, 8, MOST_ROWS)
        _within("share of flipped classes", self.noise, 0, MOST_NOISE)
        _within("number of distractors", self.distractors, 0, MOST_DISTRACTORS)
        _within("seed", self.seed, 0, MOST_SEED)
        if traits.size is not None:
            _within(f"number of {traits.size[0]}", self.size, *traits.size[1:3])

    @property
    def traits(self) -> Traits:
        """The traits of the rule."""
        return TRAITS[self.rule]


def _within(what: str, value: object, low: float, high: float) -> None:
    # a text, or not a number at all, fails here as well
    if not isinstance(value, int | float) or not low <= value <= high:
        raise DataError(f"The {what} must be between {low:g} and {high:g}, but is {value}.")
