"""The smallest tree that makes no mistake, by exact search.

'Smallest' is the least depth and then the fewest nodes, or the fewest nodes at any depth that the shape allows. The
search is over subsets of the distinct rows, or over boxes of values where columns have few of them.

Example
-------
>>> SmallestTree().run(Problem(dataset, Shape(max_depth=8)), Limits(), print, threading.Event())  # doctest: +SKIP
"""

import threading
from collections.abc import Callable

from solvers.methods.base import Option
from solvers.methods.trees.contree import ConTree, small_tables
from solvers.methods.trees.exact_search import Splits
from solvers.methods.trees.smallest.cases import NOISE, PREDICATES, DistinctCases
from solvers.methods.trees.smallest.consistent_trees import ConsistentTrees
from solvers.methods.trees.smallest.progression import ConsistentSearch, SearchKind, search_for
from solvers.problem import Limits, Problem, Shape
from solvers.solution import Criterion

QUESTION = Option.among(
    "question",
    "Smallest",
    "The least depth and then the fewest nodes, or the fewest nodes at any depth that is allowed.",
    {Criterion.DEPTH: "Depth, then nodes", Criterion.NODES: "Nodes at any depth"},
)

SEARCH = Option.among(
    "search",
    "Search",
    "Over boxes of values, which suits columns with few values; over subsets of rows; or whichever suits the table.",
    {SearchKind.AUTO: "Automatic", SearchKind.BOXES: "Boxes of values", SearchKind.SUBSETS: "Subsets of rows"},
)


class SmallestTree(ConsistentTrees):
    """Smallest trees without avoidable mistakes; `options` tells its parameters."""

    name = "smallest-tree"
    title = "Smallest tree without mistakes (exact search)"
    summary = (
        "Finds the least depth at which a tree gets every row right, and the fewest nodes at that depth or at any, and "
        "proves both. Names rows that contradict each other. Where the depth does not suffice, it finds the fewest "
        "errors."
    )
    source = (
        "Own method, for the problem of Avellaneda: Efficient Inference of Optimal Decision Trees. AAAI 2020, "
        "10.1609/aaai.v34i04.5711."
    )
    options = (PREDICATES, QUESTION, NOISE, SEARCH)

    def __init__(
        self,
        predicates: str = PREDICATES.default,
        question: str = QUESTION.default,
        noise: str = NOISE.default,
        search: str = SEARCH.default,
    ) -> None:
        super().__init__(predicates, noise, Criterion(question))
        self._search = SearchKind(search)

    def warm(self, constraints: bool = False) -> None:
        """Compile both searches, and what finds the fewest mistakes."""
        ConTree().warm(constraints)
        *_, table = small_tables()
        for search in (SearchKind.BOXES, SearchKind.SUBSETS):
            method = SmallestTree(search=search)
            method.run(Problem(table, Shape(max_depth=4)), Limits(), lambda event: None, threading.Event())

    def _search_for(self, distinct: DistinctCases, limits: Limits, hear: Callable[[Splits], None]) -> ConsistentSearch:
        return search_for(distinct, limits, self._search)
