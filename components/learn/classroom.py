"""The state of a lesson: its setting, its rows, and quick computations on them. Does not import Streamlit."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from solvers.diagram import Diagram
from solvers.errors import UnsupportedError
from solvers.problem import Dataset, Problem, Shape
from solvers.solution import Status
from solvers.study.folder import Results
from solvers.study.study import Study
from solvers.teaching import (
    Greedy,
    GreedyReplay,
    LessonPart,
    Recipe,
    Recording,
    Setting,
    greedy_replay,
    grow_fully,
    make,
    record_search,
)

SMALLEST = "smallest-tree"
"""The key of the smallest tree among the results of the worker for a lesson."""

STEP = 20.0
"""Seconds for each model of a lesson."""

DEEPEST = 4
"""The largest depth of the curve over depths: deeper trees are too large for a class."""

ANY_DEPTH = 16
"""Trees without errors on the tables of the classroom have less than this depth."""


class Optimum(NamedTuple):
    """The best model of a shape so far, its errors, and whether it is proved; `message` is the error, if any."""

    cost: int | None
    diagram: Diagram | None
    proved: bool
    message: str = ""


def tree_key(depth: int) -> str:
    """The key of the optimal tree of a depth."""
    return f"contree d{depth}"


def bdd_key(levels: int) -> str:
    """The key of the optimal BDD with this number of levels."""
    return f"bdd-search levels{levels}"


def optimum_in(results: Results, key: str) -> Optimum | None:
    """The best model of a shape so far, by its key; `None` if there is no result yet."""
    for row, diagram in zip(results.rows, results.models, strict=True):
        if row["cell"] == key:
            cost = None if diagram is None else row["train_errors"]
            return Optimum(cost, diagram, row["status"] == Status.OPTIMAL, row["error"] or "")
    return None


@dataclass(frozen=True)
class Classroom:
    """A lesson as set, with its rows.

    `problem` asks for the fewest errors within its depth on the training rows; `test` has the new rows.
    """

    setting: Setting
    problem: Problem
    test: Dataset

    @property
    def train(self) -> Dataset:
        """The training rows."""
        return self.problem.dataset

    @property
    def table_key(self) -> str:
        """Identifies the table in the keys of widgets."""
        return "_".join(map(str, vars(self.setting.recipe).values())).replace(".", "-")

    @property
    def greedy(self) -> GreedyReplay:
        """The steps of the greedy method at this depth."""
        return greedy_way(self.setting.recipe, self.setting.depth, self.setting.method)

    @property
    def study(self) -> Study | None:
        """The models that a worker must compute for the current part of the lesson."""
        depth = self.setting.depth
        match self.setting.part:
            case LessonPart.DEPTHS:
                return Study(("contree",), depths=tuple(range(1, DEEPEST + 1)), step=STEP)
            case LessonPart.SHARING:
                return Study(("contree", "bdd-search"), depths=(self.bits,), step=STEP)
            case LessonPart.SMALLEST:
                return Study((SMALLEST,), own=True, step=STEP)
            case LessonPart.BUILD | LessonPart.COMPARE:
                return Study(("contree",), depths=(depth,), step=STEP)
        return None

    @property
    def studied(self) -> Problem:
        """The problem of `study`: the smallest tree may have any depth."""
        any_depth = self.setting.part is LessonPart.SMALLEST
        return replace(self.problem, shape=Shape(max_depth=ANY_DEPTH)) if any_depth else self.problem

    @property
    def bits(self) -> int:
        """The bits of the table, or the depth if it has none."""
        return self.setting.recipe.size or self.setting.depth


def classroom(setting: Setting) -> Classroom:
    """The lesson of a setting, with its rows."""
    made = make(setting.recipe)
    return Classroom(setting, Problem(made.train, Shape(max_depth=setting.depth)), made.test)


@lru_cache(maxsize=128)
def greedy_way(recipe: Recipe, depth: int, method: Greedy) -> GreedyReplay:
    """The steps of a greedy method on the table of a recipe."""
    return greedy_replay(Problem(make(recipe).train, Shape(max_depth=depth)), method)


@lru_cache(maxsize=32)
def record(recipe: Recipe, depth: int) -> Recording | str:
    """The recorded search for the optimum, step by step; if it cannot be recorded, the reason."""
    try:
        return record_search(Problem(make(recipe).train, Shape(max_depth=depth)))
    except UnsupportedError as error:
        return str(error)


@lru_cache(maxsize=32)
def fully_grown(recipe: Recipe) -> Diagram:
    """C4.5's tree for a table, fully grown."""
    return grow_fully(Problem(make(recipe).train, Shape(max_depth=ANY_DEPTH)))
