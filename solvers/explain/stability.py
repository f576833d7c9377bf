"""What stability costs: the best diagram where ever more rows must come to each of its questions.

Florio et al. (2023), equation (20) and table 2: with a minimum of 5, 10, 15 and 20 % of the rows at each question, the
accuracy on new rows hardly falls.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from solvers.constraints import MinQuestionRows
from solvers.explain.answers import Growth, GrowthPoint
from solvers.explain.inquiry import LEAST_SECONDS, STEP, Solve
from solvers.methods.search.clock import Clock
from solvers.problem import Limits, Problem
from solvers.solution import Stop

SHARES = (0.0, 0.05, 0.1, 0.15, 0.2)
"""The minimum at each question as a share of the rows, from none to that of table 2."""


def grow_minimum(
    problem: Problem,
    solve: Solve,
    limits: Limits,
    stop: Stop,
    tell: Callable[[Growth], None] | None = None,
    step: float = STEP,
    shares: Sequence[float] = SHARES,
) -> Growth:
    """Solve a problem again with a growing minimum of rows at each question; other constraints stay as they are.

    Parameters
    ----------
    problem : for diagrams; a minimum that it asks for itself gives way to those of the sweep.
    step : seconds for each minimum.
    shares : of the rows, rounded up.
    """
    clock, tell = Clock(), tell or (lambda answer: None)
    others = tuple(c for c in problem.constraints if not isinstance(c, MinQuestionRows))
    answer = Growth(shares=tuple(shares), finished=False)
    for share in shares:
        left = step if limits.seconds is None else min(step, limits.seconds - clock.elapsed)
        if stop.is_set() or left < LEAST_SECONDS:
            break
        tell(replace(answer, seconds=clock.elapsed))
        rows = math.ceil(share * problem.dataset.n_samples)
        posed = replace(problem, constraints=(*others, MinQuestionRows(rows)) if rows else others)
        solution = solve(posed, replace(limits, seconds=left), lambda event: None, stop)
        if solution.diagram is not None and solution.cost is not None:
            point = GrowthPoint(share, rows, solution.cost, solution.bound, solution.diagram)
            answer = replace(answer, points=(*answer.points, point))
    return replace(answer, finished=True, seconds=clock.elapsed)
