"""The method: what it is, what it takes, and what it says of its result. See the package for how it works."""

from __future__ import annotations

from solvers.constraints import rules_of
from solvers.magnitude import EXACT_FLOAT
from solvers.methods.base import Unsupported, infeasible, only_trees, uncounted
from solvers.methods.search.clock import Clock
from solvers.methods.trees.cptree.live import Live
from solvers.methods.trees.cptree.questions import MOST_QUESTIONS, choose_questions
from solvers.methods.trees.cptree.rules import POST
from solvers.methods.trees.cptree.run import Solving, levels_of
from solvers.problem import Limits, Problem, ShapeKind
from solvers.solution import Emit, Solution, Started, Status, Stop

MOST_LEVELS = 6
"""A tree of more levels has more slots than the solver can handle."""


class CPTree:
    """Trees under domain constraints as a constraint model.

    Parameters
    ----------
    most_questions : up to how many questions all thresholds are asked, see `choose_questions`; `None` for any number.
    bins : instead, a number of quantile bins of every column; the paper takes 3.
    cuts : whether the bounds of the enumeration are used; without them little is proved.
    """

    name = "cptree"
    title = "CPTree (constraints)"
    kinds = (ShapeKind.TREE,)
    exact = True
    summary = (
        "Finds the tree with the fewest errors under domain constraints by constraint programming (CP-SAT). Takes "
        "every kind of constraint; asks all thresholds where there are few, else those at quantiles."
    )
    source = (
        "Nanfack, Temple, Frénay: Learning Customised Decision Trees for Domain-knowledge Constraints. Pattern "
        "Recognition 142, 2023, doi:10.1016/j.patcog.2023.109610."
    )

    def __init__(self, most_questions: int | None = MOST_QUESTIONS, bins: int | None = None, cuts: bool = True) -> None:
        self.most_questions, self.bins, self.cuts = most_questions, bins, cuts

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Trees of at most six levels, under every rule that is posted."""
        reasons = list(only_trees(self.title, problem, POST))
        levels = levels_of(problem)
        if not reasons:
            reasons += uncounted(self.title, problem, rules_of(problem), EXACT_FLOAT >> max(levels, 0))
        if levels > MOST_LEVELS:
            reasons.append(
                Unsupported(
                    f"A tree of {levels} levels",
                    f"{self.title} takes at most {MOST_LEVELS}.",
                    f"Lower the depth, or limit the leaves to {MOST_LEVELS + 1}.",
                )
            )
        return tuple(reasons)

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Enumerate what bounds the search, and search until incumbent and bound meet or time is up.

        Raises
        ------
        UnsupportedError
            The model would need more memory than the limit allows.
        """
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        rules = rules_of(problem)
        questions = choose_questions(problem.dataset, rules, self.most_questions, self.bins)
        live = Live(problem, questions, limits, clock, emit, stop)
        live.raise_bound_of_all(problem.unavoidable_cost)
        solving = Solving(problem, rules, questions, live, self.cuts)
        impossible = solving.run()
        return Solution(
            problem_id=problem.id,
            method=self.name,
            status=_status(live, impossible, stop),
            diagram=live.diagram,
            cost=live.cost,
            bound=None if impossible and questions.complete else live.bound,
            seconds=clock.elapsed,
            cpu_seconds=clock.cpu,
            trace=tuple(live.trace),
            stats=solving.stats,
            message=_message(live, impossible, solving.smallest, stop),
        )

    def parallel(self, problem: Problem) -> bool:
        """CP-SAT shares its work."""
        return True

    def warm(self, constraints: bool = False) -> None:
        """Import the solver and what the start needs."""
        import ortools.sat.python.cp_model  # noqa: F401
        import scipy.optimize  # noqa: F401
        import sklearn.tree  # noqa: F401


def _status(live: Live, impossible: bool, stop: Stop) -> Status:
    if live.cost is not None:
        if live.cost == live.bound:
            return Status.OPTIMAL
        return Status.CANCELLED if stop.is_set() and not live.proved else Status.FEASIBLE
    if impossible and live.questions.complete:
        return Status.INFEASIBLE
    return Status.CANCELLED if stop.is_set() and not impossible else Status.NO_SOLUTION


def _message(live: Live, impossible: bool, smallest: bool, stop: Stop) -> str:
    n, complete = len(live.questions.predicates), live.questions.complete
    among = "" if complete else f" among {n} question{'s' * (n != 1)} (thresholds at quantiles)"
    if impossible:
        remedy = (
            "Ease a constraint"
            if complete
            else "Ease a constraint, or choose a method that asks all thresholds, such as 'contree'"
        )
        return f"No tree of this size{among} keeps all constraints: proved. {remedy}."
    if live.proved:
        size = ", and none of the same cost has fewer splits" if smallest else ""
        if live.cost == live.bound or live.questions.complete:
            return f"No tree of this size has a lower cost{size}: proved."
        other = f"With other thresholds, which 'contree' asks, a tree may cost less, but not less than {live.bound}."
        return f"Optimal{among}{size}: proved. {other}"
    least = f"no tree{among} can cost less than {live.among}."
    if live.cost is not None and live.cost - live.among <= live.limits.gap_cost(live.problem):
        return f"Within the gap that was asked for: {least}"
    if stop.is_set():
        return f"Stopped; {least}"
    found = "" if live.cost is not None else " before any tree was found that keeps all constraints"
    why = f"The time limit of {live.limits.seconds:g} s was reached" if live.due() else "The solver gave up"
    return f"{why}{found}; {least}"
