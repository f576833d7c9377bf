"""How large should a tree be: computed for Design, and beside the first Solve if you chose no size."""

from typing import Any

from components.session import next_run, state
from components.session.work import DEFAULTS, AnyJob, Prepared, Run
from components.workers import jobs
from solvers.methods import registry
from solvers.metrics.recommended_size import Recommendation, SizeCandidate
from solvers.posing import constraints_in, costs_of, kind_of, method_of
from solvers.problem import Limits, Objective, Problem, Shape, ShapeKind
from solvers.request import Request
from solvers.settings import settings
from solvers.study.recommendation import RecommendSize

NAME = "size"
"""Name of this inquiry's place on a screen."""

PURPOSE = (
    "Larger trees fit the training data better, but can do worse on new data. Espalier compares all sizes by "
    "cross-validation and recommends the smallest size that is about as good as the best."
)


def question(request: Request, prepared: Prepared) -> Problem:
    """The problem without a size, for which a size is recommended."""
    costs = costs_of(request, prepared.train)
    return Problem(prepared.train, Shape(), Objective(costs), constraints_in(request))


def ask(problem: Problem, seconds: float) -> None:
    """Let a worker compare tree sizes with the default method."""
    task = RecommendSize(method_of(DEFAULTS))
    jobs.ask(NAME, problem.id, problem, DEFAULTS, Limits(seconds=seconds), task)


def found(job: AnyJob) -> Recommendation:
    """The results so far of a comparison."""
    answer = job.snapshot().answer
    return answer if isinstance(answer, Recommendation) else Recommendation()


def fields(choice: SizeCandidate) -> dict[str, Any]:
    """A size as fields of the request.

    An optimal size is defined by a split penalty, but its best tree is also the best with its number of leaves, which
    is easier to read. A greedy tree is pruned by the split penalty.
    """
    greedy = choice.greedy
    return {
        "max_depth": max(choice.depth, 1) if greedy else choice.max_depth,
        "min_samples_leaf": choice.min_samples_leaf,
        "split_penalty": choice.split_penalty if greedy else DEFAULTS.split_penalty,
        "max_leaf_nodes": None if greedy else choice.n_leaves,
        "min_weight_leaf": DEFAULTS.min_weight_leaf,
    }


def is_taken(choice: SizeCandidate, request: Request) -> bool:
    """Whether a request asks for a tree of this size, by an exact method or, for a greedy size, by the greedy one."""
    method = method_of(request)
    by = method == choice.method if choice.greedy else registry.get(method).exact
    same = all(getattr(request, name) == value for name, value in fields(choice).items())
    return kind_of(request) is ShapeKind.TREE and by and same


def take(choice: SizeCandidate) -> None:
    """Put a size into the request and the fields of its form, and the method if it is the greedy one."""
    chosen = registry.get(state.get(state.design_key("method"), method_of(state.asked())))
    method = choice.method if choice.greedy else chosen.name if chosen.exact else method_of(DEFAULTS)
    next_run.take_recommended(fields(choice) | {"method": method})


def of_run(run: Run) -> Problem:
    """The problem for which a size is recommended beside a run, made once per run."""
    made: Problem = run.worked_out.get("size") or question(run.request, run.prepared)
    return run.worked_out.setdefault("size", made)


def is_open(run: Run) -> bool:
    """Whether sizes for the rows of a run are still being compared."""
    return jobs.is_busy(of_run(run).id)


def known(run: Run) -> Recommendation:
    """The results so far of the comparison for the rows, costs and constraints of a run."""
    job = state.jobs().get(of_run(run).id)
    return Recommendation() if job is None else found(job)


def ask_beside(run: Run) -> None:
    """Compare sizes beside a run, if you chose no size: for a tree with default size and method, once per problem.

    Under constraints on predictions or with misclassification costs the errors of sizes are not those of the run, so
    sizes are compared only if you ask for it.
    """
    free = (run.request.shape, run.method, run.request.class_costs) == (DEFAULTS.shape, DEFAULTS.method, None)
    free = free and not next_run.size_is_chosen() and not any(one.sees_answers for one in run.problem.constraints)
    problem, seconds = of_run(run), settings().recommend_seconds
    if free and seconds > 0 and problem.id not in state.jobs():
        ask(problem, seconds)


def make_room() -> None:
    """Before a run, cancel comparisons for other settings without a choice, and all that would delay the run."""
    rows = state.prepared()
    current = None if rows is None else question(state.asked(), rows).id
    compared = {name: job for name, job in state.jobs().items() if isinstance(job.task, RecommendSize)}
    for name, job in compared.items():
        if settings().max_running == 1 or (name != current and found(job).choice is None):
            job.cancel()
