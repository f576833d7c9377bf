"""First trees from other methods, so that the solver has an incumbent from the start."""

from collections.abc import Callable, Iterator

from ....diagram import Diagram
from ....errors import UnsupportedError
from ....problem import Limits, Problem
from ...search.deadline import Deadline
from ..contree import ConTree
from ..coupled.greedy_start import constant_trees

SHARE, MOST_SECONDS = 0.1, 5.0
"""Limits of the exact search for a first tree: this share of the remaining time, and at most this many seconds."""

Starts = Callable[[Problem, Limits, Deadline], Iterator[Diagram]]


def first_trees(problem: Problem, limits: Limits, deadline: Deadline) -> Iterator[Diagram]:
    """Single leaves, and a tree of the exact search if it supports the constraints.

    They need not satisfy the constraints. The bound of the exact search is not used, so all proofs come from the model
    alone.
    """
    yield from constant_trees(problem)
    left = deadline.seconds_left
    seconds = MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left)
    if deadline.due() or ConTree().check(problem):
        return
    brief = Limits(seconds, memory_mb=limits.memory_mb)
    try:
        diagram = ConTree().run(problem, brief, lambda event: None, deadline).diagram
    except UnsupportedError:  # it needs more memory than the limit
        return
    if diagram is not None:
        yield diagram
