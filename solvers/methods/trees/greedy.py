"""What the greedy methods share: they grow one tree from the root down, in question orders, and prove nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solvers.methods.base import infeasible
from solvers.methods.search.clock import Clock
from solvers.methods.trees.tree_of_splits import grow
from solvers.problem import Limits, Orders, Problem, question_orders
from solvers.solution import Emit, Incumbent, Solution, Started, Status, Stop, TracePoint

Choices = dict[int, tuple[int, int]]
"""The splits of a tree: slot -> (order, highest rank of the first side); slots as in `tree_of_splits.grow`."""

Interrupted = Callable[[], bool]
"""Whether the user stopped the run or its time is up."""

Search = Callable[[Problem, Orders, Interrupted], tuple[Choices, dict[str, Any]]]
"""Finds the splits of a tree, and figures about the search; when interrupted it returns the splits until then."""


def run_greedy(method: str, search: Search, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
    """Grow a tree with `search` and report it as a solution without a bound.

    Returns
    -------
    Solution of status FEASIBLE, or CANCELLED where `stop` ended the search; the tree is valid in either case. It is
    INFEASIBLE, without a tree, where the table is smaller than a leaf must be.
    """
    clock = Clock()
    emit(Started(method))
    if none := infeasible(problem, method, clock):
        return none
    ended_early = False

    def interrupted() -> bool:
        nonlocal ended_early
        late = limits.seconds is not None and clock.elapsed >= limits.seconds
        ended_early = ended_early or late or stop.is_set()
        return ended_early

    orders = question_orders(problem.dataset)
    choices: Choices = {}
    stats: dict[str, Any] = {}
    if not interrupted() and len(orders) and problem.size.max_depth > 0 and problem.size.max_leaf_nodes != 1:
        choices, stats = search(problem, orders, interrupted)
    diagram = grow(problem, orders, lambda _, slot: choices.get(slot))
    cost = problem.cost(diagram.predict(problem.dataset), diagram.n_splits)
    emit(Incumbent(clock.elapsed, cost, diagram))
    cancelled = ended_early and stop.is_set()
    return Solution(
        problem_id=problem.id,
        method=method,
        status=Status.CANCELLED if cancelled else Status.FEASIBLE,
        diagram=diagram,
        cost=cost,
        bound=None,
        seconds=clock.elapsed,
        cpu_seconds=clock.cpu,
        trace=(TracePoint(clock.elapsed, cost, None),),
        stats=stats,
        message=_message(cancelled, ended_early),
    )


def _message(cancelled: bool, ended_early: bool) -> str:
    if cancelled:
        return "Stopped; the tree has the splits that were chosen until then."
    if ended_early:
        return "The time was up; the tree has the splits that were chosen until then."
    return "A heuristic: nothing is proved about how far it is from the optimum."
