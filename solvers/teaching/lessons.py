"""The lessons: a short text, a table, a depth, and what the class can do with them.

The texts lie beside this file in `lessons/`, one Markdown file a lesson.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..errors import DataError
from .greedy import Greedy
from .recipes import Recipe, Rule

FOLDER = Path(__file__).parent / "lessons"


class LessonPart(StrEnum):
    """What a class can do with a table."""

    BUILD = "build"
    GREEDY = "greedy"
    COMPARE = "compare"
    SEARCH = "search"
    DEPTHS = "depths"
    SHARING = "sharing"
    SMALLEST = "smallest"

    @property
    def label(self) -> str:
        """The name on the screen."""
        return _PART_LABELS[self]


_PART_LABELS = {
    LessonPart.BUILD: "Build your own",
    LessonPart.GREEDY: "Greedy, step by step",
    LessonPart.COMPARE: "Side by side",
    LessonPart.SEARCH: "Replay the proof",
    LessonPart.DEPTHS: "Training and new rows",
    LessonPart.SHARING: "Tree and BDD",
    LessonPart.SMALLEST: "Smallest tree",
}
COMMON = (LessonPart.BUILD, LessonPart.GREEDY, LessonPart.COMPARE, LessonPart.SEARCH)


@dataclass(frozen=True)
class Lesson:
    """A lesson: the table, the depth and the greedy method that it begins with, and what it offers.

    Its `key` stands in the address, and is the name of its text; of the `parts` the first is what it is about; `others`
    are further rules that the class may choose.
    """

    key: str
    title: str
    recipe: Recipe
    depth: int
    parts: tuple[LessonPart, ...] = COMMON
    method: Greedy = Greedy.CART
    others: tuple[Rule, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that may be chosen, its own first."""
        return (self.recipe.rule, *self.others)

    @property
    def paragraphs(self) -> list[str]:
        """What is said at its beginning, as Markdown; each paragraph is a message."""
        return (FOLDER / f"{self.key}.md").read_text(encoding="utf-8").strip().split("\n\n")


_LESSONS = (
    Lesson("xor", "XOR: two features decide together", Recipe(Rule.XOR, distractors=2), 2, others=(Rule.NOISY_XOR,)),
    Lesson(
        "greedy-stops",
        "Why greedy stops",
        Recipe(Rule.PARITY, size=3),
        3,
        (LessonPart.GREEDY, LessonPart.BUILD, LessonPart.COMPARE, LessonPart.SEARCH),
        Greedy.C45,
    ),
    Lesson(
        "proof",
        "How a proof works",
        Recipe(Rule.BLOBS, rows=40, seed=2),
        2,
        (LessonPart.SEARCH, LessonPart.BUILD, LessonPart.GREEDY, LessonPart.COMPARE),
        others=(Rule.XOR, Rule.NOISY_XOR, Rule.CHECKERBOARD),
    ),
    Lesson(
        "sharing",
        "Replication and fragmentation: tree or BDD",
        Recipe(Rule.PARITY, size=4),
        4,
        (LessonPart.SHARING, LessonPart.BUILD, LessonPart.GREEDY, LessonPart.COMPARE),
    ),
    Lesson(
        "new-rows",
        "Best on training is not always best on new rows",
        Recipe(Rule.NOISY_XOR, rows=100, noise=0.15, distractors=2),
        2,
        (LessonPart.DEPTHS, *COMMON),
        others=(Rule.BLOBS, Rule.CHECKERBOARD),
    ),
    Lesson(
        "monks",
        "Monk's problems: the greedy tree and the smallest tree",
        Recipe(Rule.MONK1),
        3,
        (LessonPart.SMALLEST, *COMMON),
        others=(Rule.MONK2, Rule.MONK3),
    ),
    Lesson(
        "free",
        "Any table: explore",
        Recipe(Rule.NOISY_XOR),
        2,
        (*COMMON, LessonPart.DEPTHS),
        others=tuple(rule for rule in Rule if rule is not Rule.NOISY_XOR),
    ),
)


def lessons() -> tuple[Lesson, ...]:
    """All lessons, in the order in which they are offered."""
    return _LESSONS


def lesson(key: str) -> Lesson:
    """The lesson of this key.

    Raises
    ------
    DataError
        There is none.
    """
    for one in _LESSONS:
        if one.key == key:
            return one
    raise DataError(f"There is no lesson '{key}'. Lessons: {', '.join(one.key for one in _LESSONS)}.")
