"""What each constraint costs: how much better the best tree would be without it."""

from collections.abc import Callable

from solvers.explain.answers import Price, Prices
from solvers.explain.inquiry import STEP, Inquiry, Optimum, Solve
from solvers.explain.relaxable import relaxables_of
from solvers.problem import Limits, Problem
from solvers.solution import Solution, Status, Stop


def price(
    problem: Problem,
    solution: Solution | None,
    solve: Solve,
    limits: Limits | None = None,
    stop: Stop | None = None,
    tell: Callable[[Prices], None] | None = None,
    step: float = STEP,
) -> Prices:
    """The price of every constraint that can be dropped.

    Parameters
    ----------
    problem : what is asked.
    solution : the verified result under all constraints; `None` to have the problem solved first.
    solve : the solver.
    limits : for all prices together.
    stop : ends it; the prices known by then are the answer.
    tell : is called after each price with those that are known.
    step : seconds for each tree.

    Raises
    ------
    UnsupportedError
        The solver cannot take this problem.
    """
    inquiry = Inquiry(problem, solve, limits, stop, step)
    relaxables = relaxables_of(problem)
    if solution is not None:
        inquiry.learn(relaxables, solution)
    whole = _known(solution) or inquiry.optimum(relaxables)
    answer = Prices((), whole.cost, whole.bound, complete=False)
    # where the best tree without any constraint breaks few of them, it is the best tree without those, too
    inquiry.optimum([relaxable for relaxable in relaxables if relaxable.lasting])
    for relaxable in relaxables:
        if relaxable.lasting:
            continue
        others = [other for other in relaxables if other is not relaxable]
        without = inquiry.optimum(others)
        binds = None if whole.diagram is None else relaxable.constraint.binds(whole.diagram, problem.dataset)
        told = Price(relaxable, without.cost, without.bound, *_saved(whole, without), binds)
        answer = Prices((*answer.prices, told), whole.cost, whole.bound, False, inquiry.clock.elapsed)
        if tell is not None:
            tell(answer)
    return Prices(answer.prices, whole.cost, whole.bound, True, inquiry.clock.elapsed)


def _known(solution: Solution | None) -> Optimum | None:
    """What a solution says, if it may be believed."""
    if solution is None or not solution.verified or solution.diagram is None:
        return None
    proved = solution.status is Status.OPTIMAL
    return Optimum(Status.OPTIMAL if proved else Status.FEASIBLE, solution.diagram, solution.cost, solution.bound)


def _saved(whole: Optimum, without: Optimum) -> tuple[int | None, int | None]:
    """Between which figures the saved cost lies."""
    least = None if whole.bound is None or without.cost is None else max(0, whole.bound - without.cost)
    most = None if whole.cost is None or without.bound is None else max(0, whole.cost - without.bound)
    return least, most
