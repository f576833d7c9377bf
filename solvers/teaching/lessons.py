"""The lessons: a short text, a table, a depth, and activities for the class.

The texts are in `lessons/`, one Markdown file per lesson.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..errors import DataError
from .greedy import Greedy
from .recipes import Recipe, Rule

FOLDER = Path(__file__).parent / "lessons"


class LessonPart(StrEnum):
    """A class activity with a table."""

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
    """A lesson: its table, initial depth and greedy method, and its activities.

    Its `key` is used in the address and as the name of its text; the first of the `parts` is its subject; `others` are
    further rules that the class may choose.
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
        """The available rules, its own first."""
        return (self.recipe.rule, *self.others)

    @property
    def paragraphs(self) -> list[str]:
        """Its introduction, as Markdown; each paragraph is a message."""
        return (FOLDER / f"{self.key}.md").read_text(encoding="utf-8").strip().split("\n\n")


_LESSONS = (
    Lesson(
        "xor",
        "Why greedy fails: features that decide together",
        Recipe(Rule.XOR, distractors=2),
        2,
        others=(Rule.NOISY_XOR, Rule.PARITY),
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
        others=tuple(rule for rule in Rule if rule is not Rule.NOISY_XOR),
    ),
    Lesson(
        "monks",
        "Monk's problems: the greedy tree and the smallest tree",
        Recipe(Rule.MONK1),
        3,
        (LessonPart.SMALLEST, *COMMON),
        others=(Rule.MONK2, Rule.MONK3),
    ),
)


def lessons() -> tuple[Lesson, ...]:
    """All lessons, in their order on the screen."""
    return _LESSONS


def lesson(key: str) -> Lesson:
    """The lesson with this key.

    Raises
    ------
    DataError
        There is none.
    """
    for one in _LESSONS:
        if one.key == key:
            return one
    raise DataError(f"There is no lesson '{key}'. Lessons: {', '.join(one.key for one in _LESSONS)}.")
