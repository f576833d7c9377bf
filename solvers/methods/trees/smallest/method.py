"""The smallest tree without errors, by exact search over subsets of the distinct rows.

'Smallest' means minimum depth and then fewest nodes, or fewest nodes at any permitted depth.

Example
-------
>>> SmallestTree().run(Problem(dataset, Shape(max_depth=8)), Limits(), print, threading.Event())  # doctest: +SKIP
"""

import threading
from collections.abc import Callable

from ....problem import Limits, Problem, Shape
from ....solution import Criterion
from ...base import Option
from ..contree import ConTree, small_tables
from ..exact_search import Splits
from .cases import DistinctCases
from .consistent_trees import ConsistentTrees
from .progression import ConsistentSearch
from .subsets import subset_search

QUESTION = Option.among(
    "minimize",
    "Minimize",
    "Minimize depth first and then nodes, or nodes at any allowed depth.",
    {Criterion.DEPTH: "Depth, then nodes", Criterion.NODES: "Nodes at any depth"},
)


class SmallestTree(ConsistentTrees):
    """Smallest trees without avoidable errors. The parameters are in `options`."""

    name = "smallest-tree"
    title = "Smallest tree without errors (exact)"
    summary = (
        "Finds the minimum depth of a tree without training errors, and the fewest nodes, and proves both. Lists "
        "contradictory rows. If the depth is too small, finds the fewest errors."
    )
    source = (
        "Own method, for the problem of Avellaneda: Efficient Inference of Optimal Decision Trees. AAAI 2020, "
        "10.1609/aaai.v34i04.5711."
    )
    options = (QUESTION,)

    def __init__(self, minimize: str = QUESTION.default) -> None:
        self.criterion = Criterion(minimize)

    def precompile(self, constraints: bool = False) -> None:
        """Compile the search, and the method that minimises errors."""
        ConTree().precompile(constraints)
        *_, table = small_tables()
        self.run(Problem(table, Shape(max_depth=4)), Limits(), lambda event: None, threading.Event())

    def _search_for(self, distinct: DistinctCases, limits: Limits, hear: Callable[[Splits], None]) -> ConsistentSearch:
        return subset_search(distinct, limits.memory_mb)
