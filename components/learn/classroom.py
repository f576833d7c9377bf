"""What a class has in hands: a lesson as it is set, its rows, and what is computed of them at once. No Streamlit."""

from dataclasses import dataclass
from functools import lru_cache

from solvers.diagram import Diagram
from solvers.errors import UnsupportedError
from solvers.problem import Dataset, Problem, Shape, ShapeKind
from solvers.teaching import (
    Greedy,
    GreedyReplay,
    LessonPart,
    PrunedTree,
    Recipe,
    Recording,
    Setting,
    ShapeRequest,
    greedy_replay,
    grow_fully,
    make,
    pruning_path,
    record_search,
)

OPTIMAL, BDD, SMALLEST = "optimal", "bdd", "smallest"
"""The keys of what a worker solves for a lesson."""

DEEPEST = 4
"""The curve over depths ends here: deeper trees are not for a class."""

ANY_DEPTH = 16
"""Trees without an error on the tables of the classroom are less deep than this."""


@dataclass(frozen=True)
class Classroom:
    """A lesson as it is set, with its rows.

    `problem` asks for the fewest errors within its depth on the training rows; `test` are the new rows.
    """

    setting: Setting
    problem: Problem
    test: Dataset

    @property
    def train(self) -> Dataset:
        """The rows to learn from."""
        return self.problem.dataset

    @property
    def table_key(self) -> str:
        """Tells its table apart, for the keys of widgets."""
        return "_".join(map(str, vars(self.setting.recipe).values())).replace(".", "-")

    @property
    def greedy(self) -> GreedyReplay:
        """The greedy method's way at this depth."""
        return greedy_way(self.setting.recipe, self.setting.depth, self.setting.method)

    @property
    def asks(self) -> tuple[ShapeRequest, ...]:
        """What a worker has to solve for the part that is looked at."""
        depth, recipe = self.setting.depth, self.setting.recipe
        match self.setting.part:
            case LessonPart.DEPTHS:
                return tuple(ShapeRequest(f"{OPTIMAL} {d}", depth=d) for d in range(1, DEEPEST + 1))
            case LessonPart.SHARING:
                bits = recipe.size or depth
                return ShapeRequest(OPTIMAL, depth=bits), ShapeRequest(BDD, "bdd-search", ShapeKind.BDD, bits)
            case LessonPart.SMALLEST:
                return (ShapeRequest(SMALLEST, "smallest-tree", depth=ANY_DEPTH),)
            case LessonPart.BUILD | LessonPart.COMPARE:
                return (ShapeRequest(OPTIMAL, depth=depth),)
        return ()


def classroom(setting: Setting) -> Classroom:
    """The rows of a lesson as it is set."""
    made = make(setting.recipe)
    return Classroom(setting, Problem(made.train, Shape(max_depth=setting.depth)), made.test)


@lru_cache(maxsize=128)
def greedy_way(recipe: Recipe, depth: int, method: Greedy) -> GreedyReplay:
    """The way of a greedy method on the table of a recipe."""
    return greedy_replay(Problem(make(recipe).train, Shape(max_depth=depth)), method)


@lru_cache(maxsize=32)
def recorded(recipe: Recipe, depth: int) -> Recording | str:
    """The search for the optimum, step by step; where it cannot be followed, why."""
    try:
        return record_search(Problem(make(recipe).train, Shape(max_depth=depth)))
    except UnsupportedError as error:
        return str(error)


@lru_cache(maxsize=32)
def fully_grown(recipe: Recipe) -> Diagram:
    """C4.5's tree for a table, grown as far as it goes."""
    return grow_fully(Problem(make(recipe).train, Shape(max_depth=ANY_DEPTH)))


@lru_cache(maxsize=32)
def pruned(recipe: Recipe) -> tuple[PrunedTree, ...]:
    """CART's tree for a table, grown as far as it goes, and pruned step by step."""
    return pruning_path(greedy_way(recipe, ANY_DEPTH, Greedy.CART).result)
