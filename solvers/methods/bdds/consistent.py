"""The fewest questions with which a BDD makes no mistake that it could avoid, by hitting sets.

Which rows a diagram can tell apart depends on its set of questions alone, so the least depth without avoidable mistakes
is a minimum hitting set (`hitting_set`). If more questions would be needed than the shape allows, the set with fewest
errors is sought instead, as `bdd-search` does.

Example
-------
>>> BddConsistent().run(Problem(dataset, Shape(ShapeKind.BDD, max_depth=8)), Limits(), print, stop)  # doctest: +SKIP
"""

from __future__ import annotations

from solvers.methods.base import Unsupported, infeasible
from solvers.methods.bdds.hitting_set import minimum_features
from solvers.methods.bdds.options import THRESHOLDS
from solvers.methods.bdds.sizes import STEPS_OF_ALL, candidate_of
from solvers.methods.bdds.subsets.method import SOLVED_UNSEEN, BddSearch
from solvers.methods.bdds.subsets.run import SearchRun
from solvers.methods.bdds.table import Unseen
from solvers.methods.bdds.unsupported import only_bdds
from solvers.methods.features import features_of, note_on
from solvers.methods.search.clock import Clock
from solvers.methods.search.live import Live
from solvers.problem import Limits, Problem, ShapeKind, Thresholds
from solvers.solution import Emit, Log, Solution, Started, Stop

MAX_LEVELS = 12


class BddConsistent:
    """BDDs without avoidable mistakes, of minimum depth.

    Parameters
    ----------
    thresholds, unseen : see `options`.
    """

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

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """BDDs of at most `MAX_LEVELS` levels."""
        reasons = only_bdds(self.title, problem, nodes=False)
        if reasons or problem.size.max_depth <= MAX_LEVELS:
            return reasons
        return (
            Unsupported(
                f"{problem.size.max_depth} levels",
                f"{self.title} takes at most {MAX_LEVELS}.",
                "Lower the depth: a table of that many questions has thousands of cells.",
            ),
        )

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Look for the fewest questions, and where they are more than the depth for the fewest errors."""
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        live = Live(problem, clock, emit)
        run = SearchRun(problem, features_of(problem, self._thresholds), limits, live, stop)
        run.start()
        message = ""
        if run.search is not None:
            message = self._fewest_questions(run)
        return run.solution(self.name, self._unseen, message or run.message)

    def warm(self, constraints: bool = False) -> None:
        """Import the solver, and compile what looks for the fewest errors."""
        import pysat.examples.rc2  # noqa: F401

        BddSearch().warm(constraints)

    def _fewest_questions(self, run: SearchRun) -> str:
        """Raise the number of questions until one diagram makes no avoidable mistake; the message."""
        live, features = run.live, run.features
        most, least = run.search.size, 0
        for step in minimum_features(features, run.due, run.limits.seed):
            if step.least > least:
                least = step.least
                live.emit(Log(live.clock.elapsed, f"At least {_questions(least)} needed to avoid all mistakes."))
            if least > most:
                break
            run.take(candidate_of(features, step.chosen)[0])
            if step.done:
                run.complete = True
                live.raise_bound(live.cost)
                smaller, _, _ = candidate_of(features, step.chosen, run.best.n_splits - 1, STEPS_OF_ALL, run.due)
                if smaller is not None:
                    run.take(smaller)
        run.stats |= {"at least": least, "contradictory rows": len(features.contradictory)}
        if run.complete:
            run.stats["fewest questions"] = least
            mistake = "avoidable mistake" if features.base else "mistake"
            told = f"A BDD of {_questions(least)} makes no {mistake}, and none of fewer does: proved."
            return " ".join(filter(None, (told, note_on(features))))
        if least <= most:
            return f"At least {_questions(least)} needed to avoid all mistakes. {run.message}"
        live.raise_bound(features.base + int(features.regret[features.regret > 0].min()))
        run.climb()
        run.proceed(0)
        run.finish(0)
        depth = _questions(run.problem.size.max_depth)
        return f"Every BDD of at most {depth} makes avoidable mistakes: proved. {run.message}"


def _questions(n: int) -> str:
    return "1 question" if n == 1 else f"{n} questions"
