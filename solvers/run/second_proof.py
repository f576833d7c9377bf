"""A second proof if the first one relies on a third-party solver.

CP-SAT, HiGHS, Gurobi and SAT solvers have had bugs by which a wrong optimum was 'proved'. So a result that such a run
reports as optimal or infeasible is solved again by one of our own methods, if one solves the same task and ends within
`SECONDS`. The same result is reported as confirmed; a different one is an error that names both. Without a second
result nothing is reported.

>>> confirmed(problem, solution, limits, stop, emit).details.confirmed_by  # doctest: +SKIP
'contree'
"""

from dataclasses import replace

from ..compilation import COMPILATION, CompilationRefusedError
from ..errors import EspalierError, ProofError
from ..methods import FIRST, REGISTRY, Method, get
from ..methods.capabilities import HasCounterpart
from ..methods.search.clock import Clock
from ..methods.search.deadline import Deadline
from ..metrics.verify import verified
from ..problem import Limits, Problem, ShapeKind
from ..solution import Emit, Log, Progress, Solution, Status, Stop

SECONDS = 1.0
"""The time limit of the second proof."""

MOST_CELLS = 100_000
"""Rows times columns of the largest table that is solved again: preparing a larger one alone takes too long."""

ROOM_MB = 400
"""MiB below the memory limit that must be left for the second proof: the compiled kernels alone take 150."""

PROOFS = (Status.OPTIMAL, Status.INFEASIBLE)
"""The statuses that are solved again."""


def confirmed(problem: Problem, method: Method, solution: Solution, limits: Limits, stop: Stop, emit: Emit) -> Solution:
    """The solution, marked as confirmed if one of our own methods has the same result.

    Raises `ProofError` if the two methods contradict each other.

    Parameters
    ----------
    method, solution : any method, and its verified result.
    limits : those of the run; its memory limit and seed also apply here.
    stop : ends the second proof, which then reports nothing.
    emit : receives progress events.
    """
    second_method = second_for(problem, method)
    if second_method is None or solution.status not in PROOFS or not solution.verified or solution.scope:
        return solution
    name = second_method.name
    emit(Progress(solution.seconds, f"Proved; solving it again by '{name}'."))
    try:
        second = _solve(second_method, problem, limits, stop)
    except (CompilationRefusedError, EspalierError, MemoryError):
        return solution
    except Exception as error:  # a bug of the second method must not lose the first result
        emit(Log(solution.seconds, f"The second proof by '{name}' failed: {type(error).__name__}: {error}"))
        return solution
    if second is None or not second.verified:
        return solution
    if difference := _difference(problem, solution, second):
        raise ProofError(f"{difference} One of the two methods is wrong. Do not rely on this result. Report the error.")
    if second.status is not solution.status or second.scope:
        return solution
    return replace(solution, details=replace(solution.details, confirmed_by=name))


def second_for(problem: Problem, method: Method) -> Method | None:
    """Our own method for the same task as a method with a third-party solver; `None` if there is none."""
    if not REGISTRY[method.name].foreign or problem.dataset.X.size > MOST_CELLS:
        return None
    if problem.shape.kind is ShapeKind.DIAGRAM and problem.shape.split_features != 1:
        # all proofs for diagrams with multi-column splits rest on the same linear program
        return None
    counterpart = method.counterpart() if isinstance(method, HasCounterpart) else get(FIRST[problem.shape.kind])
    return None if counterpart is None or counterpart.name == method.name else counterpart


def _solve(method: Method, problem: Problem, limits: Limits, stop: Stop) -> Solution | None:
    """The result of another method within the time limit; `None` if it does not support the problem."""
    if stop.is_set() or _nearly_full(limits) or method.check(problem):
        return None
    with COMPILATION.refused():
        method.precompile(constraints=bool(problem.constraints))
        brief = Limits(seconds=SECONDS, memory_mb=limits.memory_mb, seed=limits.seed)
        ending = Deadline(brief, Clock(), stop)
        return verified(problem, method.run(problem, brief, lambda event: None, ending))


def _proved_sizes(solution: Solution) -> dict[str, int]:
    """What a method that minimises the size proved in addition to the cost."""
    known = solution.details.consistent
    if known is None:
        return {}
    sizes = {"depth": known.least_depth, "number of nodes": known.nodes if known.fewest_nodes else None}
    return {what: size for what, size in sizes.items() if size is not None}


def _nearly_full(limits: Limits) -> bool:
    """Whether the second method might exceed this process's memory limit, and so lose the first result."""
    import psutil

    return limits.memory_mb is not None and psutil.Process().memory_info().rss / 2**20 + ROOM_MB > limits.memory_mb


def _difference(problem: Problem, first: Solution, second: Solution) -> str:
    """How the second solution contradicts the first, in a sentence; '' if they agree or the second is undecided."""
    noun = problem.shape.kind.noun
    none = f"'{first.method}' found that no {noun} satisfies all constraints"
    if first.cost is not None:
        none = f"'{first.method}' found a {noun} of cost {first.cost} and that none costs less"
    if second.cost is not None and (first.cost is None or second.cost < first.cost):
        return f"{none}, but '{second.method}' found one of cost {second.cost}."
    if first.cost is None or second.scope:
        return ""
    if second.status is Status.INFEASIBLE:
        return f"{none}, but '{second.method}' found that no {noun} satisfies all constraints."
    if first.status is second.status is Status.OPTIMAL:
        proved_by_second = _proved_sizes(second)
        for what, size in _proved_sizes(first).items():
            if (other := proved_by_second.get(what, size)) != size:
                return f"'{first.method}' found that the minimum {what} is {size}, but '{second.method}' found {other}."
    if second.bound is not None and second.bound > first.cost:
        return f"{none}, but '{second.method}' found that none costs less than {second.bound}."
    return ""
