"""What solvers have done for a problem, and the solution that comes of it, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from solvers.methods.base import no_tree
from solvers.methods.diagrams.odd.live import Best, Listener
from solvers.methods.mip.backend import Backend, End, Outcome
from solvers.methods.search.ending import Ending
from solvers.problem import Limits
from solvers.solution import Solution, Status


class Work:
    """What solvers have done: how the last one ended, the figures of all, and those that may be tried.

    Attributes
    ----------
    refused : why no solver takes the next model; '' where one does.
    coarse : whether a solver ended with a diagram that cannot be relied on.
    """

    def __init__(self, backends: Sequence[Backend] = ()) -> None:
        self.backends = list(backends)
        # the end is that of a model of the whole skeleton; one of a smaller model says nothing of the problem
        self.end, self.by, self.refused, self.coarse = End.CUT_SHORT, "", "", False
        self.stats: dict[str, Any] = {"models": 0, "nodes": 0, "iterations": 0}

    def count(self, listener: Listener) -> None:
        """A model that was built."""
        program, net = listener.program, listener.net
        self.end = End.CUT_SHORT
        self.stats["models"] += 1
        self.stats |= {"variables": program.n_variables, "whole_variables": int(program.whole.sum())}
        self.stats |= {"rows": program.n_rows, "cells": net.n_cells, "questions": type(net.questions).__name__}

    def add(self, outcome: Outcome, by: str) -> None:
        """What a solver did with it."""
        self.end, self.by = outcome.end, by
        self.stats["solver"] = by
        self.stats["nodes"] += outcome.nodes
        self.stats["iterations"] += outcome.iterations


def solution_of(method: str, best: Best, work: Work, ending: Ending, limits: Limits) -> Solution:
    """Status and words for how it ended."""
    stats = {**work.stats, "turned_down": best.turned_down}
    if work.end is End.INFEASIBLE and best.cost is None:
        message = f"No diagram within this skeleton keeps all constraints: proved by {work.by}."
        return replace(no_tree(best.problem, method, best.clock, message), stats=stats)
    status = ending.status(best)
    return best.solution(method, status, _message(best, status, work, ending, limits), stats=stats)


def _message(best: Best, status: Status, work: Work, ending: Ending, limits: Limits) -> str:
    sums = best.problem.size.split_features != 1
    among = " whose questions keep a margin of 0.0001" if sums else ""
    bound = f"no diagram{among} can cost less than {best.bound}"
    if status is Status.OPTIMAL:
        return f"No diagram within this skeleton{among} has a lower cost: proved{f' by {work.by}' if work.by else ''}."
    if ending.why == "stop":
        return f"Stopped; {bound}."
    if ending.why == "memory":
        return f"The memory limit of {limits.memory_mb} MiB was reached; {bound}."
    if best.close(limits.gap_cost(best.problem)):
        return f"Within the gap that was asked for: {bound}."
    if work.coarse:
        return f"{work.by} ended, but its numbers are too coarse for a proof; {bound}."
    if work.refused:
        return f"{work.refused} Until then: {bound}."
    if limits.seconds is None:
        return f"The search ended before the proof; {bound}."
    return f"The time limit of {limits.seconds:g} s was reached; {bound}."
