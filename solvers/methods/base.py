"""What every method offers: a name, the shapes it makes, a check, and a run."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from solvers.problem import Limits, Problem, ShapeKind
from solvers.solution import Emit, Solution, Status, Stop


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Why a method cannot take a problem, and what to do about it, each in a sentence."""

    what: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}: {self.reason} {self.remedy}"


class Method(Protocol):
    """One way to solve a problem.

    Attributes
    ----------
    name : as in the registry.
    title : the name on the screen.
    kinds : the shapes it makes.
    exact : whether it proves optimality.
    summary : what it does, in one or two sentences for a user.
    source : the paper, with year and DOI or venue.
    """

    name: str
    title: str
    kinds: tuple[ShapeKind, ...]
    exact: bool
    summary: str
    source: str

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Why this problem cannot be taken; empty where it can."""
        ...

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Solve, telling incumbents and bounds through `emit`, and end soon after `stop` is set.

        The returned status is OPTIMAL, FEASIBLE, INFEASIBLE, NO_SOLUTION or, where `stop` ended it, CANCELLED.
        """
        ...

    def warm(self) -> None:
        """Import and compile what the method needs, so that the first run does not wait for it."""
        ...


def only_plain_trees(title: str, problem: Problem) -> tuple[Unsupported, ...]:
    """What keeps a method that makes trees, and posts no constraints, from taking this problem."""
    reasons = []
    if problem.shape.kind is not ShapeKind.TREE:
        reasons.append(
            Unsupported(
                f"The shape '{problem.shape.kind}'",
                f"{title} makes trees only.",
                "Choose the shape 'tree', or a method that makes this shape.",
            )
        )
    if problem.constraints:
        reasons.append(
            Unsupported(
                "Domain constraints",
                f"{title} cannot take constraints into account.",
                "Remove the constraints, or choose a method that supports them.",
            )
        )
    return tuple(reasons)


def infeasible(problem: Problem, method: str, clock: Clock) -> Solution | None:
    """The answer where all rows together are smaller than a leaf must be; `None` where they are not.

    Without domain constraints nothing else makes a problem infeasible: a single leaf is a tree.
    """
    dataset, shape = problem.dataset, problem.shape
    if dataset.n_samples < shape.min_leaf:
        found = f"the table has {dataset.n_samples} rows, and every leaf must have at least {shape.min_leaf}."
    elif int(problem.weights.sum()) < problem.min_leaf_weight:
        weight = float(problem.weights.sum()) / problem.scaled.weight_scale
        found = f"the rows weigh {weight:g} together, and every leaf must weigh at least {shape.min_leaf_weight:g}."
    else:
        return None
    return Solution(
        problem_id=problem.id,
        method=method,
        status=Status.INFEASIBLE,
        diagram=None,
        cost=None,
        bound=None,
        seconds=clock.elapsed,
        cpu_seconds=clock.cpu,
        message=f"No tree is possible: {found} Lower the minimum leaf size.",
    )


class Clock:
    """Wall and user CPU seconds since it was made."""

    def __init__(self) -> None:
        self._wall = time.perf_counter()
        self._cpu = _user_seconds()

    @property
    def elapsed(self) -> float:
        """Wall seconds."""
        return time.perf_counter() - self._wall

    @property
    def cpu(self) -> float:
        """User CPU seconds of this process, all threads."""
        return _user_seconds() - self._cpu


def _user_seconds() -> float:
    import os

    return os.times().user
