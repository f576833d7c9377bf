"""One problem of a sweep, and what became of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..errors import EspalierError
from ..methods import get
from ..methods.search.clock import Clock
from ..problem import Limits, Problem
from ..run.solver_run import LinkedFlag, solve, with_usable_threads
from ..solution import Emit, Solution, Status, Stop

LEAST_SECONDS = 0.05
"""A model is not begun with less time than this."""

TRIALS = 2
"""How often a job is begun whose process is lost."""


@dataclass(frozen=True)
class SweepJob:
    """A problem and how it is to be solved.

    Attributes
    ----------
    key : tells the jobs of a sweep apart; the same job has the same key whenever the sweep is run.
    problem : what is asked.
    method : a name of the registry.
    options : values of the method's options, by name; the others have their defaults.
    limits : what this job may use; methods that work on one thread leave the others to other jobs.
    """

    key: str
    problem: Problem
    method: str = "contree"
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class JobOutcome:
    """How a job ended: with the verified result, or why it failed, in a sentence; and after how many wall seconds."""

    key: str
    solution: Solution | None
    error: str = ""
    seconds: float = 0.0

    @property
    def proved(self) -> bool:
        """Whether more time would have changed nothing: the model is proved the best, or that there is none."""
        return self.solution is not None and self.solution.status in (Status.OPTIMAL, Status.INFEASIBLE)


def solve_job(job: SweepJob, stop: Stop | None = None, emit: Emit | None = None) -> JobOutcome:
    """Solve one job in this process; the outcome says what went wrong. `emit` takes the events of its search."""
    clock = Clock()
    try:
        # the limits of the job must not stop the whole sweep
        ends = None if stop is None else LinkedFlag(stop)
        limits = with_usable_threads(job.limits, get(job.method, **job.options), job.problem)
        solution = solve(job.problem, job.method, limits, emit, ends, job.options)
    except EspalierError as error:
        return JobOutcome(job.key, None, str(error), clock.elapsed)
    except MemoryError:
        return JobOutcome(job.key, None, "There was not enough memory. Run fewer jobs at once.", clock.elapsed)
    except Exception as error:  # a fault of one job must not end the sweep
        return JobOutcome(job.key, None, f"The method failed ({type(error).__name__}: {error}).", clock.elapsed)
    return JobOutcome(job.key, solution, "", clock.elapsed)


def timed(jobs: Iterable[SweepJob], limits: Limits, step: float) -> Iterator[SweepJob]:
    """The jobs with the limits that they share, each with `step` seconds at most, until the time for all is over."""
    clock = Clock()
    for job in jobs:
        left = step if limits.seconds is None else min(step, limits.seconds - clock.elapsed)
        if left < LEAST_SECONDS:
            return
        yield replace(job, limits=replace(limits, seconds=left))


def until_stopped(jobs: Iterable[SweepJob], stop: Stop) -> Iterator[SweepJob]:
    """The jobs, as long as `stop` is not set."""
    for job in jobs:
        if stop.is_set():
            return
        yield job
