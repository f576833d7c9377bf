"""Solving in this process: check, compile, run within the limits, verify. Used by the worker and the command line.

>>> solution = solve(problem, "contree", Limits(seconds=10))  # doctest: +SKIP
>>> solution.status, solution.cost, solution.bound, solution.verified  # doctest: +SKIP
(<Status.OPTIMAL: 'optimal'>, 15, 15, True)
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import Any

from msgspec import structs

from ..compilation import COMPILATION, CompilationRefusedError
from ..errors import ProofError, UnsupportedError
from ..explain import Task, solver
from ..methods import REGISTRY, Method, get, parallel
from ..methods.capabilities import SupportsParallel
from ..methods.search.clock import Clock
from ..methods.search.deadline import Deadline
from ..methods.search.watch import Watch
from ..metrics.verify import verified
from ..problem import Limits, Problem
from ..solution import (
    Answered,
    Bound,
    Emit,
    End,
    EndReason,
    Event,
    Failed,
    Finished,
    Incumbent,
    Progress,
    Solution,
    Started,
    Status,
    Stop,
)
from .progress import notebook_progress
from .record import COMPILING, JobState, Record
from .second_proof import confirmed

_PAUSE: dict[type, float] = {Answered: 0.5, Bound: 0.05, Progress: 0.2}
"""The minimum time between two events of a kind, in seconds."""


class StopFlag:
    """The flag that a method polls; it keeps the first reason for which it was set. It is also set when `other` is."""

    def __init__(self, other: Stop | None = None) -> None:
        self._flag, self._other = threading.Event(), other
        self.reason: EndReason | None = None

    def set(self, reason: EndReason = EndReason.STOPPED) -> None:
        """Ask the method to stop."""
        if not self._flag.is_set():
            self.reason = reason
            self._flag.set()

    def is_set(self) -> bool:
        """Whether to stop now."""
        if self._other is not None and self._other.is_set():
            self.set()
        return self._flag.is_set()


class Channel:
    """Forwards a method's events in order, from any thread, without flooding the listener.

    Incumbents are forwarded at once. Of bounds and progress events in quick succession only the last is forwarded, at
    the latest with the next tick. Events without news (a cost or bound that is not better) are dropped.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._lock = threading.Lock()
        self._delayed: dict[type, Any] = {}
        self._passed_at: dict[type, float] = {}
        self.record = Record()

    def __call__(self, event: Event) -> None:
        """Process an event from the method."""
        with self._lock:
            if not self._is_news(event):
                return
            self.record.apply(event)
            if type(event) in _PAUSE:
                self._delayed[type(event)] = event
                self._pass_on(everything=False)
            else:
                self._pass_on(everything=True)
                self._emit(event)

    def tick(self) -> None:
        """Forward events that have been held back for long enough."""
        with self._lock:
            self._pass_on(everything=False)

    def flush(self) -> None:
        """Forward all events that are held back."""
        with self._lock:
            self._pass_on(everything=True)

    def _pass_on(self, everything: bool) -> None:
        now = time.monotonic()
        for kind, event in sorted(self._delayed.items(), key=lambda item: item[1].elapsed):
            if everything or now - self._passed_at.get(kind, -math.inf) >= _PAUSE[kind]:
                del self._delayed[kind]
                self._passed_at[kind] = now
                self._emit(event)

    def _is_news(self, event: Event) -> bool:
        if isinstance(event, Incumbent):
            return self.record.cost is None or event.cost < self.record.cost
        if isinstance(event, Bound):
            return self.record.bound is None or event.value > self.record.bound
        if isinstance(event, Answered):
            return bool(event.answer != self.record.answer)
        return not (isinstance(event, Started) and self.record.state is JobState.RUNNING)


_WARM = set[tuple[type[Method], bool]]()
"""The methods whose kernels are compiled or loaded in this process, without and with constraints."""


def check(method: Method, problem: Problem, limits: Limits) -> None:
    """Refuse a problem that a method does not support, and threads that it would leave idle.

    Raises `UnsupportedError` with every reason and its remedy, if there are any.
    """
    if unsupported := method.check(problem):
        raise UnsupportedError(" ".join(str(reason) for reason in unsupported))
    check_threads(method, problem, limits)


def check_threads(method: Method, problem: Problem, limits: Limits) -> None:
    """Refuse threads that a method would leave idle; `UnsupportedError` if the method is single-threaded."""
    if limits.threads > 1 and not parallel(method, problem):
        here = " under these constraints" if isinstance(method, SupportsParallel) and problem.constraints else ""
        raise UnsupportedError(
            f"{limits.threads} threads: {method.title} uses one thread{here}. Set the number of threads to one."
        )


def with_usable_threads(limits: Limits, method: Method, problem: Problem) -> Limits:
    """The limits, with one thread if the method would leave the others idle: for many models of several methods."""
    return limits if parallel(method, problem) else replace(limits, threads=1)


def solve(
    problem: Problem,
    method: str | Method = "contree",
    limits: Limits | None = None,
    emit: Emit | None = None,
    stop: Stop | None = None,
    options: Mapping[str, str] | None = None,
) -> Solution:
    """Solve a problem in this process and verify the result.

    Imports and compilation happen before the clock of the solution starts.

    Parameters
    ----------
    problem : the problem.
    method : a name of the registry, or a method object, for which `options` are ignored.
    limits : the limits of the run; by default `Limits()`.
    emit : receives the events of the search, possibly from several threads, but one at a time; without it a notebook
        shows cost and bound during the search.
    stop : set it to end the search; the result is the best model so far.
    options : values of the method's options, by name; the others keep their defaults.

    Returns
    -------
    Solution with `verified` set. If a limit ended the search its status is FEASIBLE, or NO_SOLUTION without a model.

    Raises
    ------
    UnknownMethodError, MissingPackageError, OptionError, UnsupportedError
        There is no such method, it is not installed, has no such option, or does not support the problem.
    ProofError
        A second method contradicts the proof, see `run.second_proof`.
    """
    limits = Limits() if limits is None else limits
    shown = notebook_progress(problem) if emit is None else None
    channel = Channel(emit or shown or (lambda event: None))
    flag = stop if isinstance(stop, StopFlag) else StopFlag(stop)
    solution = carry(problem, method, limits, channel, flag, options)
    if shown is not None:
        shown.close(solution)
    return solution


def carry(
    problem: Problem,
    name: str | Method,
    limits: Limits,
    channel: Channel,
    stop: StopFlag,
    options: Mapping[str, str] | None = None,
) -> Solution:
    """`solve` with a channel and a stop flag of the caller, so that the best model survives an exception."""
    method = get(name, **(options or {})) if isinstance(name, str) else name
    check(method, problem, limits)
    with at_work(method, problem, limits, channel, stop):
        solution = method.run(problem, limits, channel, stop)
    solution = verified(problem, _complete(solution, channel.record, stop.reason))
    try:
        return confirmed(problem, method, solution, limits, stop, channel)
    except ProofError:
        channel.record.withdraw()
        raise
    finally:
        channel.flush()


def carry_task(
    task: Task,
    problem: Problem,
    name: str,
    limits: Limits,
    channel: Channel,
    stop: StopFlag,
    options: Mapping[str, str] | None = None,
) -> Any:
    """Carry out a task in this process; partial answers go to the channel, also if it is stopped or its time is up.

    Returns the answer, which is the last one in the channel.

    Raises `UnknownMethodError`, `MissingPackageError`, `OptionError`, `UnsupportedError` or `ConstraintError` if there
    is no such method, it is not installed, has no such option or does not support the problem, or there is no such
    constraint.
    """
    method = get(name, **(options or {}))
    check_threads(method, problem, limits)
    with at_work(method, problem, limits, channel, stop):
        channel(Progress(0.0, task.doing))
        solve = solver(name, options)
        answer = task.answer(problem, solve, limits, stop, lambda known: channel(Answered(known.seconds, known)))
        channel(Answered(answer.seconds, answer))
    return answer


@contextmanager
def at_work(method: Method, problem: Problem, limits: Limits, channel: Channel, stop: StopFlag) -> Iterator[None]:
    """Warm up a method as far as its kernels are compiled, and watch the limits while it works.

    Kernels compiled later take no time of the run, and do not delay its first models.
    """
    compiles, kernels = "numba" in REGISTRY[method.name].requires, (type(method), bool(problem.constraints))
    if kernels not in _WARM:
        with (
            COMPILATION.reported_to(lambda _: channel(Progress(0.0, COMPILING))),
            suppress(CompilationRefusedError),
            COMPILATION.refused() if compiles else nullcontext(),
        ):
            method.precompile(constraints=bool(problem.constraints))
            _WARM.add(kernels)
    ends = Deadline(limits, Clock(), stop)
    ends.memory = True

    def look() -> bool:
        if ends.due() and ends.reason is not None:
            stop.set(ends.reason)
        channel.tick()
        return False

    with Watch(lambda: None, look):
        channel(Started(method.name))
        yield
    channel.flush()


def _complete(solution: Solution, record: Record, reason: EndReason | None) -> Solution:
    """The solution with its end reason and a trace."""
    if not solution.trace:
        solution = replace(solution, trace=record.trace)
    if solution.status is not Status.CANCELLED or reason in (None, EndReason.STOPPED):
        return solution
    status = Status.NO_SOLUTION if solution.diagram is None else Status.FEASIBLE
    return replace(solution, status=status, ended=reason)


def failure(problem: Problem, method: str, record: Record, reason: str, cpu_seconds: float) -> Failed:
    """The outcome of a run that failed, with the best model so far, verified."""
    best = record.result(problem, method, cpu_seconds, ended=None, message=reason)
    if best.diagram is None:
        return Failed(record.elapsed, reason)
    noun = problem.shape.kind.noun
    return Failed(record.elapsed, f"{reason} The best {noun} so far is kept.", verified(problem, best))


def judge_end(problem: Problem, method: str, end: End) -> End:
    """The outcome of a run from a file, with its result verified again: the file's own verification is no proof.

    Diagram, cost, counts and constraints are recomputed. A lower bound cannot be recomputed; a bound that contradicts
    known facts, or that a heuristic claims to have proved, is detected.
    """
    if isinstance(end, Finished):
        return end if end.solution is None else structs.replace(end, solution=rechecked(problem, method, end.solution))
    return end if end.best is None else structs.replace(end, best=rechecked(problem, method, end.best))


def rechecked(problem: Problem, method: str, solution: Solution) -> Solution:
    """A solution read from a file, with `verified` recomputed; if the file says False it stays False."""
    if solution.verified is False:
        return solution
    if solution.method != method:
        fault = f"it names the method '{solution.method}' instead of '{method}'."
    elif (
        method in REGISTRY
        and not get(method).exact
        and (solution.status is Status.OPTIMAL or solution.bound is not None)
    ):
        fault = f"'{method}' proves nothing, but a lower bound is claimed."
    else:
        return verified(problem, solution)
    return replace(solution, verified=False, message=f"{solution.message} Not verified: {fault}".strip())
