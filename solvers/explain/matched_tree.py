"""The smallest tree that costs no more than a model of another shape: what a tree would need for the same accuracy."""

from collections.abc import Callable
from dataclasses import replace

from ..methods.base import StopAtIncumbent
from ..methods.search.clock import Clock
from ..problem import Limits, Problem
from ..solution import Stop
from .answers import TreeMatch
from .inquiry import LEAST_SECONDS, STEP, Solve


def match_tree(
    problem: Problem,
    target: int,
    most_leaves: int,
    solve: Solve,
    limits: Limits,
    stop: Stop,
    tell: Callable[[TreeMatch], None] | None = None,
    step: float = STEP,
) -> TreeMatch:
    """Look for the tree with the fewest leaves that costs at most `target`, a number of leaves after the other.

    Parameters
    ----------
    problem : for trees, with the largest depth that is looked at.
    target : in the cost units of the problem.
    most_leaves : where to end.
    step : seconds for each number of leaves; where they do not suffice, the answer is not called proved.
    """
    clock, tell = Clock(), tell or (lambda answer: None)
    answer = TreeMatch(target=target, finished=False, proved=True)
    for leaves in range(1, most_leaves + 1):
        left = step if limits.seconds is None else min(step, limits.seconds - clock.elapsed)
        if stop.is_set() or left < LEAST_SECONDS:
            answer = replace(answer, proved=False)
            break
        answer = replace(answer, leaves=leaves, seconds=clock.elapsed)
        tell(answer)
        shape = replace(problem.shape, max_leaf_nodes=leaves, max_depth=min(problem.shape.max_depth, leaves - 1))
        decided = StopAtIncumbent(stop, target)
        solution = solve(replace(problem, shape=shape), replace(limits, seconds=left), decided.on_event, decided)
        best = solution if solution.diagram is not None else decided.incumbent
        if best is not None and best.cost is not None and best.cost <= target:
            answer = replace(answer, diagram=best.diagram, cost=best.cost)
            break
        if not decided.ruled_out and (solution.bound is None or solution.bound <= target):
            answer = replace(answer, proved=False)
    return replace(answer, finished=True, seconds=clock.elapsed)
