"""The smallest tree without errors: the method by exact search, and the common part of all methods for such trees.

'Smallest' means minimum depth and then fewest nodes, or fewest nodes at any permitted depth. The depth is increased
until there is a tree; then the tree is made smaller. If rows contradict each other, the tree makes only the errors that
no tree avoids. If it is proved that no such tree has the required shape, ConTree minimises the errors.

Example
-------
>>> SmallestTree().run(Problem(dataset, Shape(max_depth=8)), Limits(), print, threading.Event())  # doctest: +SKIP
"""

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ....problem import MAX_DEPTH, Limits, Problem, Shape, ShapeKind
from ....solution import ConsistentTree, Criterion, EndReason
from ...base import Method, Option, Unsupported, only_trees
from ...search.context import SearchContext
from ..contree import ConTree, small_tables
from ..tree_of_splits import Splits
from .cases import DistinctCases, distinct_cases, unaskable
from .search import ConsistentProgress, ConsistentSearch
from .subsets import subset_search

QUESTION = Option.among(
    "minimize",
    "Minimize",
    "Minimize depth first and then nodes, or nodes at any allowed depth.",
    {Criterion.DEPTH: "Depth, then nodes", Criterion.NODES: "Nodes at any depth"},
)


class ConsistentTrees(Method):
    """The common part of methods for trees without avoidable errors; see `Criterion`."""

    kinds = (ShapeKind.TREE,)
    exact = True
    default_depth = MAX_DEPTH
    takes_min_samples_leaf = False

    criterion = Criterion.DEPTH

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Supports trees without requirements that compete with having no errors."""
        return (*only_trees(self.title, problem), *unaskable(self.title, problem))

    def search(self, context: SearchContext) -> None:
        """Increase the depth until there is a tree, then make it smaller; if none fits, minimise the errors."""
        distinct = distinct_cases(context.problem)
        finding = ConsistentProgress(
            distinct, context, self._search_for(distinct, context.limits, lambda s: finding.adopt_fitting(s))
        )
        finding.adopt({})
        context.raise_bound(distinct.cases.base)
        context.detail(contradictory=tuple(distinct.cases.contradictory(context.problem.dataset.rows).tolist()))
        finding.find(self.criterion)
        context.stats = _stats(finding)
        if finding.none_fits:
            context.raise_bound(min(context.incumbent_cost, distinct.cases.base + distinct.least_mistake))
            _hand_over(context)
        if finding.splits is not None:
            context.prefer(finding.diagram(finding.splits))
        if finding.search.out_of_memory:
            context.end(EndReason.MEMORY_LIMIT)
        # if none fits, the problem goes to ConTree: only the number of errors is then left to prove
        answered = finding.none_fits or context.incumbent_cost > distinct.cases.base or finding.answered(self.criterion)
        context.size_open = not answered
        context.detail(
            consistent=ConsistentTree(
                least=self.criterion,
                least_depth=finding.minimum_depth,
                refuted=max(finding.refuted, default=None),
                none_fits=finding.none_fits,
                depth_with_leaves=finding.least_deep,
                nodes=None if finding.splits is None else 2 * len(finding.splits) + 1,
                fewest_nodes=finding.smallest,
                tied=distinct.tied,
                unavoidable=distinct.n_mistaken,
            )
        )

    @abstractmethod
    def _search_for(self, distinct: DistinctCases, limits: Limits, hear: Callable[[Splits], None]) -> ConsistentSearch:
        """The search for trees over the cases; it may report trees with errors as it runs."""


def _hand_over(context: SearchContext) -> None:
    """Let ConTree minimise the errors in the remaining time."""
    if context.due():
        return
    context.log("Searching for the fewest errors instead.")
    solution = ConTree().run(context.problem, context.deadline.limits_left, context.follow, context.deadline)
    if solution.diagram is not None:
        # a smaller tree of the same cost is not reported as an event
        context.offer(solution.diagram)
    context.detail(fewest_splits=solution.details.fewest_splits)


def _stats(finding: ConsistentProgress) -> dict[str, Any]:
    """Statistics of the work done."""
    distinct, search = finding.distinct, finding.search
    stats: dict[str, Any] = {"search": search.name, "refuted": finding.refuted, **search.stats}
    stats["examples_used"] = distinct.n_cases if search.examples is None else len(search.examples)
    if search.examples is not None:
        stats["examples"] = np.sort(distinct.problem.dataset.rows[distinct.cases.first[search.examples]]).tolist()
    return stats


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
