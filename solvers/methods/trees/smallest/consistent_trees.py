"""How a search for a tree without mistakes is run, whichever search it is.

The depth is raised until there is a tree, and then the tree is made small. Where rows contradict each other, the tree
makes the mistakes that no tree avoids and no others; where no such tree has the asked shape, which is proved, ConTree
finds the fewest mistakes.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from ....problem import MAX_DEPTH, Limits, Problem, ShapeKind
from ....solution import ConsistentTree, Criterion, EndReason, Noise, Predicates
from ...base import Unsupported, only_trees
from ...search.context import SearchContext
from ...search.driver import SearchMethod
from ..contree import ConTree
from ..exact_search import Splits
from .cases import DistinctCases, distinct_cases, unaskable
from .progression import ConsistentProgress, ConsistentSearch


class ConsistentTrees(SearchMethod):
    """What the methods for trees without avoidable mistakes share; see `PREDICATES`, `NOISE` and `Criterion`."""

    kinds = (ShapeKind.TREE,)
    exact = True
    default_depth = MAX_DEPTH
    takes_min_samples_leaf = False

    def __init__(self, predicates: str, contradictions: str, criterion: Criterion) -> None:
        self._predicates, self._contradictions = Predicates(predicates), Noise(contradictions)
        self._criterion = criterion

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Trees without demands that compete with making no mistake."""
        return (*only_trees(self.title, problem), *unaskable(self.title, problem, self._predicates))

    def search(self, context: SearchContext) -> None:
        """Raise the depth until there is a tree, then make it small; where none fits, find the fewest mistakes."""
        distinct = distinct_cases(context.problem, self._predicates)
        finding = ConsistentProgress(
            distinct, context, self._search_for(distinct, context.limits, lambda s: finding.adopt_fitting(s))
        )
        finding.adopt({})
        context.raise_bound(distinct.cases.base)
        context.detail(contradictory=tuple(distinct.contradictory.tolist()))
        if self._contradictions is Noise.REFUSE and len(distinct.contradictory):
            finding.adopt_greedy()
        else:
            finding.find(self._criterion)
            context.stats = _stats(finding)
            if finding.none_fits:
                context.raise_bound(min(context.incumbent_cost, distinct.cases.base + distinct.least_mistake))
                _hand_over(finding)
        if finding.splits is not None:
            context.prefer(finding.diagram(finding.splits))
        if finding.search.out_of_memory:
            context.end(EndReason.MEMORY_LIMIT)
        # where none fits the problem is handed over: what is left to prove is the number of mistakes
        answered = (
            finding.none_fits or context.incumbent_cost > distinct.cases.base or finding.answered(self._criterion)
        )
        context.size_open = not answered
        context.detail(
            consistent=ConsistentTree(
                least=self._criterion,
                least_depth=finding.minimum_depth,
                refuted=max(finding.refuted, default=None),
                none_fits=finding.none_fits,
                depth_with_leaves=finding.least_deep,
                nodes=None if finding.splits is None else 2 * len(finding.splits) + 1,
                fewest_nodes=finding.smallest,
                tied=distinct.tied,
                predicates=self._predicates,
                noise=self._contradictions,
                unavoidable=len(distinct.mistaken),
            )
        )

    @abstractmethod
    def _search_for(self, distinct: DistinctCases, limits: Limits, hear: Callable[[Splits], None]) -> ConsistentSearch:
        """What searches among trees over the cases; it may tell trees with mistakes that it meets."""


def _hand_over(finding: ConsistentProgress) -> None:
    """Let ConTree find the fewest mistakes in the time that is left."""
    distinct, context = finding.distinct, finding.context
    if context.due():
        return
    context.log("Looking for the fewest mistakes instead.")
    hear = partial(context.follow, restore=distinct.restore)
    solution = ConTree().run(distinct.problem, context.deadline.limits_left, hear, context.deadline)
    if solution.diagram is not None:
        # a smaller tree of the same cost is no event
        context.offer(distinct.restore(solution.diagram))
    context.detail(fewest_splits=solution.details.fewest_splits)


def _stats(finding: ConsistentProgress) -> dict[str, Any]:
    """By how much work it was found out."""
    distinct, search = finding.distinct, finding.search
    stats: dict[str, Any] = {"search": search.name, "refuted": finding.refuted, **search.stats}
    stats["examples_used"] = distinct.n_cases if search.examples is None else len(search.examples)
    if search.examples is not None:
        stats["examples"] = np.sort(distinct.problem.dataset.rows[distinct.cases.first[search.examples]]).tolist()
    return stats
