"""The BDD that costs least, by the pairs of rows that must be told apart (own formulation; see `points`).

Nothing here speaks of cells or truth tables: which questions are asked decides which pairs are told apart, and the rest
follows. That makes the formulation much smaller than one with 2^H cells, and strong: its linear relaxation is often
within a few errors of the optimum.

Example
-------
>>> bdd = Problem(dataset, Shape(ShapeKind.BDD, max_depth=3))
>>> BddPairs(backend="mip").run(bdd, limits, print, stop)  # doctest: +SKIP
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from solvers.constraints import rules_of
from solvers.constraints.rules import Allowed, FewColumns, NeverBoth, ThresholdRange
from solvers.errors import UnsupportedError
from solvers.methods.base import Option, Unsupported
from solvers.methods.bdds.options import PAPER, THRESHOLDS, UNSEEN_OF_CHOSEN
from solvers.methods.bdds.pairs.maxsat import by_maxsat
from solvers.methods.bdds.pairs.mip import by_mip
from solvers.methods.bdds.pairs.points import Pairs, points_of
from solvers.methods.bdds.pairs.search import PairSearch, first_sets
from solvers.methods.bdds.ruled.rules import post
from solvers.methods.bdds.table import Unseen
from solvers.methods.bdds.unsupported import leaf_limits, only_bdds
from solvers.methods.features import add_facts, features_of
from solvers.methods.search.context import SearchContext
from solvers.methods.search.driver import SearchMethod
from solvers.problem import Problem, ShapeKind, Thresholds
from solvers.solution import EndReason

BACKENDS: dict[str, Callable[[PairSearch], None]] = {"maxsat": by_maxsat, "mip": by_mip}

BACKEND = Option.among(
    "backend",
    "Solver",
    "What solves the formulation. Both prove the same optimum; which is faster depends on the table.",
    {"maxsat": "MaxSAT (RC2)", "mip": "linear program (HiGHS)"},
)

MOST_POINTS = 12_000
"""More points have pairs by the hundred million, of which no solver gets anywhere."""

OF_SETS = (Allowed, ThresholdRange, NeverBoth, FewColumns)
"""The classes of rule about which questions are asked together; where a set keeps one, so do all of its parts."""


class BddPairs(SearchMethod):
    """The pair formulation; `options` tells its parameters."""

    name = "bdd-pairs"
    title = "BDD by pairs (MaxSAT or MIP)"
    kinds = (ShapeKind.BDD,)
    exact = True
    imports = ("highspy", "pysat.examples.rc2")
    summary = (
        "Finds the BDD of the chosen depth with the fewest errors by telling apart pairs of rows of different classes, "
        "as MaxSAT or as a linear program. Proves the optimum of tables of some hundred rows; a check of 'bdd-search'."
    )
    source = f"Own formulation, for the problem of {PAPER}"
    options = (BACKEND, UNSEEN_OF_CHOSEN, THRESHOLDS)

    def __init__(
        self,
        backend: str = BACKEND.default,
        unseen: str = UNSEEN_OF_CHOSEN.default,
        thresholds: str = THRESHOLDS.default,
    ) -> None:
        self._solve, self._unseen, self._thresholds = BACKENDS[backend], Unseen(unseen), Thresholds(thresholds)

    def refusals(self, problem: Problem) -> Iterator[Unsupported]:
        """BDDs that are not charged for their nodes, of so many different rows that pairs can be looked at."""
        reasons = [*only_bdds(self.title, problem, nodes=False, posts=OF_SETS), *leaf_limits(problem)]
        if not reasons and any(rule.at_root for rule in rules_of(problem).of(Allowed)):
            reason = f"{self.title} chooses which questions are asked, not their order."
            reasons.append(Unsupported("A first question", reason, "Choose the method 'bdd-search' or 'bdd-maxsat'."))
        yield from reasons
        if reasons or problem.dataset.n_samples <= MOST_POINTS:
            return
        # some of the rows say so in no more time where there are more; what they do not show, the search refuses
        some = replace(problem, dataset=problem.dataset.spread(4 * MOST_POINTS), constraints=())
        yield from self._too_many(len(points_of(features_of(some, self._thresholds))))

    def _too_many(self, n_points: int) -> Iterator[Unsupported]:
        if n_points > MOST_POINTS:
            yield Unsupported(
                f"More than {MOST_POINTS:,} different rows",
                f"{self.title} compares pairs of rows.",
                "Choose the method 'bdd-search', or leave out columns that hardly matter.",
            )

    def search(self, context: SearchContext) -> None:
        """Begin with the best set that exchanges lead to, then let the backend raise the bound to it."""
        problem = context.problem
        context.deadline.memory = True
        posted = post(problem, self._thresholds)
        features = posted.features
        points = points_of(features)
        for reason in self._too_many(len(points)):
            raise UnsupportedError(str(reason))
        depth = min(problem.size.max_depth, len(features))
        search = PairSearch(posted, points, Pairs(points), depth, context, self._unseen)
        everything = np.arange(len(features) if depth else 0)
        search.raise_bound(points.cover(points.cells(everything)))
        if problem.constraints:
            search.offer(everything[:0])
        if depth == len(features):
            search.offer(everything)
        for first in first_sets(points, depth, context.limits.seed, lambda: context.over):
            search.offer(first)
        if not context.over:
            self._solve(search)
            context.end(EndReason.IMPRECISE)
        figures = {"points": len(points), "pairs": points.n_pairs, "encoding": search.pairs.size}
        context.stats = {"features": len(features), **figures, **context.stats}
        add_facts(context, features)

    def parallel(self, problem: Problem) -> bool:
        """HiGHS shares its work, RC2 does not."""
        return self._solve is by_mip
