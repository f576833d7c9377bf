"""One problem of a sweep, and its outcome."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..diagram import Diagram
from ..errors import EspalierError
from ..methods import get
from ..methods.search.clock import Clock
from ..problem import Limits, Problem
from ..run.solver_run import StopFlag, solve, with_usable_threads
from ..solution import Emit, Solution, Status, Stop

LEAST_SECONDS = 0.05
"""The minimum time in seconds with which a model is begun."""

TRIALS = 2
"""The number of attempts at a job whose process is lost."""


@dataclass(frozen=True)
class SweepJob:
    """A problem and how to solve it.

    Attributes
    ----------
    key : identifies a job within a sweep; the same job has the same key whenever the sweep is run.
    problem : the problem.
    method : a name of the registry.
    options : values of the method's options, by name; the others keep their defaults.
    limits : of this job; single-threaded methods leave the other threads to other jobs.
    """

    key: str
    problem: Problem
    method: str = "contree"
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class JobOutcome:
    """How a job ended: the verified result, or an error message; and the wall time in seconds."""

    key: str
    solution: Solution | None
    error: str = ""
    seconds: float = 0.0

    @property
    def proved(self) -> bool:
        """Whether more time would change nothing: the model is proved optimal, or infeasibility is proved."""
        return self.solution is not None and self.solution.status in (Status.OPTIMAL, Status.INFEASIBLE)

    @property
    def diagram(self) -> Diagram | None:
        """The verified model; `None` if there is none."""
        return self.solution.diagram if self.solution is not None and self.solution.verified else None


def solve_job(job: SweepJob, stop: Stop | None = None, emit: Emit | None = None) -> JobOutcome:
    """Solve one job in this process; the outcome holds any error. `emit` receives the events of its search."""
    clock = Clock()
    try:
        # the limits of the job must not stop the whole sweep
        ends = None if stop is None else StopFlag(stop)
        limits = with_usable_threads(job.limits, get(job.method, **job.options), job.problem)
        solution = solve(job.problem, job.method, limits, emit, ends, job.options)
    except EspalierError as error:
        return JobOutcome(job.key, None, str(error), clock.elapsed)
    except MemoryError:
        return JobOutcome(job.key, None, "There was not enough memory. Run fewer jobs at once.", clock.elapsed)
    except Exception as error:  # an error in one job must not end the sweep
        return JobOutcome(job.key, None, f"The method failed ({type(error).__name__}: {error}).", clock.elapsed)
    return JobOutcome(job.key, solution, "", clock.elapsed)


def timed(jobs: Iterable[SweepJob], seconds: float | None) -> Iterator[SweepJob]:
    """The jobs, until the seconds for all of them are over; `None` for no limit."""
    clock = Clock()
    for job in jobs:
        if seconds is None:
            yield job
            continue
        left = seconds - clock.elapsed
        if left < LEAST_SECONDS:
            return
        least = left if job.limits.seconds is None else min(left, job.limits.seconds)
        yield replace(job, limits=replace(job.limits, seconds=least))


def until_stopped(jobs: Iterable[SweepJob], stop: Stop) -> Iterator[SweepJob]:
    """The jobs, as long as `stop` is not set; the next is made only then, because it may need the last outcome."""
    jobs = iter(jobs)
    while not stop.is_set() and (job := next(jobs, None)) is not None and not stop.is_set():
        yield job
