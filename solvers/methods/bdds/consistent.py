"""The fewest questions with which a BDD makes no mistake that it could avoid, by hitting sets.

Which rows a diagram can tell apart depends on its set of questions alone, so the least depth without avoidable mistakes
is a minimum hitting set (`hitting_set`). If more questions would be needed than the shape allows, the set with fewest
errors is sought instead, as `bdd-search` does.

Example
-------
>>> BddConsistent().run(Problem(dataset, Shape(ShapeKind.BDD, max_depth=8)), Limits(), print, stop)  # doctest: +SKIP
"""

from collections.abc import Iterable

from solvers.methods.base import Unsupported
from solvers.methods.bdds.hitting_set import minimum_features
from solvers.methods.bdds.options import THRESHOLDS
from solvers.methods.bdds.sizes import STEPS_OF_ALL, candidate_of
from solvers.methods.bdds.subsets.method import SOLVED_UNSEEN, BddSearch
from solvers.methods.bdds.subsets.run import SearchRun
from solvers.methods.bdds.subsets.search import SetSearch
from solvers.methods.bdds.table import Unseen
from solvers.methods.bdds.unsupported import only_bdds, too_many_levels
from solvers.methods.features import features_of
from solvers.methods.search.context import SearchContext
from solvers.methods.search.driver import SearchMethod
from solvers.metrics.words import count
from solvers.problem import Problem, ShapeKind, Thresholds
from solvers.solution import FewestQuestions


class BddConsistent(SearchMethod):
    """BDDs without avoidable mistakes, of minimum depth; `options` tells its parameters."""

    name = "bdd-consistent"
    title = "BDD without mistakes (fewest questions)"
    kinds = (ShapeKind.BDD,)
    exact = True
    summary = (
        "Finds the fewest questions with which a BDD gets every row right, and proves that fewer will not do. "
        "Names rows that contradict each other. Where the depth does not suffice, it finds the fewest errors."
    )
    source = (
        "Own method, for the problem of Hu, Huguet, Siala: Optimizing Binary Decision Diagrams with MaxSAT for "
        "Classification. AAAI 2022; implicit hitting sets: Chandrasekaran et al., SODA 2011."
    )
    options = (THRESHOLDS, SOLVED_UNSEEN)

    def __init__(self, thresholds: str = THRESHOLDS.default, unseen: str = SOLVED_UNSEEN.default) -> None:
        self._thresholds, self._unseen = Thresholds(thresholds), Unseen(unseen)

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """BDDs of at most 12 levels."""
        return only_bdds(self.title, problem, nodes=False) or too_many_levels(self.title, problem)

    def search(self, context: SearchContext) -> None:
        """Look for the fewest questions, and where they are more than the depth for the fewest errors."""
        run = SearchRun(context, features_of(context.problem, self._thresholds))
        search = run.start()
        if search is not None:
            self._fewest_questions(run, search)
        elif run.cost == run.features.base:
            context.detail(fewest_questions=FewestQuestions(0, 0))
        run.finish(self._unseen)

    def warm(self, constraints: bool = False) -> None:
        """Import the solver, and compile what looks for the fewest errors."""
        import pysat.examples.rc2  # noqa: F401

        BddSearch().warm(constraints)

    def _fewest_questions(self, run: SearchRun, search: SetSearch) -> None:
        """Raise the number of questions until one diagram makes no avoidable mistake."""
        context, features = run.context, run.features
        least, fewest = 0, None
        for step in minimum_features(features, context.due, context.limits.seed):
            if step.least > least:
                least = step.least
                context.log(f"At least {count(least, 'question')} needed to avoid all mistakes.")
            if least > search.size:
                break
            run.take_set(step.chosen)
            if step.done:
                fewest = context.stats["fewest questions"] = least
                context.raise_bound(run.cost)
                smaller, _, _ = candidate_of(features, step.chosen, run.best.n_splits - 1, STEPS_OF_ALL, context.due)
                run.take(smaller)
        too_few = least > search.size
        context.stats |= {"at least": least, "contradictory rows": len(features.contradictory)}
        context.detail(fewest_questions=FewestQuestions(least, fewest, too_few))
        if too_few:
            context.raise_bound(features.base + int(features.regret[features.regret > 0].min()))
            run.solve(search, 0)
