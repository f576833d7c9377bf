"""How large should a tree be: computed for Design, and beside the first Solve if you chose no size."""

from typing import Any

from components.session import next_run, state
from components.session.work import AnyJob, Design, Prepared, Run
from components.workers import jobs
from solvers.methods import registry
from solvers.metrics.recommended_size import Recommendation, SizeCandidate
from solvers.problem import Limits, Objective, Problem, Shape, ShapeKind
from solvers.settings import settings
from solvers.sweeps.recommendation import RecommendSize

NAME = "size"
"""Name of this inquiry's place on a screen."""

PURPOSE = (
    "Larger trees fit the training data better, but can do worse on new data. Espalier compares all sizes by "
    "cross-validation and recommends the smallest size that is about as good as the best."
)


def question(design: Design, prepared: Prepared) -> Problem:
    """The problem without a size, for which a size is recommended."""
    return Problem(prepared.train, Shape(), Objective(design.class_costs), design.constraints)


def ask(problem: Problem, seconds: float) -> None:
    """Let a worker compare tree sizes with the default method."""
    design = Design()
    jobs.ask(NAME, problem.id, problem, design, Limits(seconds=seconds), RecommendSize(design.method))


def found(job: AnyJob) -> Recommendation:
    """The results so far of a comparison."""
    answer = job.snapshot().answer
    return answer if isinstance(answer, Recommendation) else Recommendation()


def fields(choice: SizeCandidate) -> dict[str, Any]:
    """A size as fields of the design.

    An optimal size is defined by a split penalty, but its best tree is also the best with its number of leaves, which
    is easier to read. A greedy tree is pruned by the split penalty.
    """
    greedy = choice.greedy
    return {
        "max_depth": max(choice.depth, 1) if greedy else choice.max_depth,
        "min_samples_leaf": choice.min_samples_leaf,
        "split_penalty": choice.split_penalty if greedy else Design().split_penalty,
        "max_leaf_nodes": None if greedy else choice.n_leaves,
        "min_weight_leaf": Design().min_weight_leaf,
    }


def is_taken(choice: SizeCandidate, design: Design) -> bool:
    """Whether a design asks for a tree of this size, by an exact method or, for a greedy size, by the greedy one."""
    by = design.method == choice.method if choice.greedy else registry.get(design.method).exact
    same = all(getattr(design, name) == value for name, value in fields(choice).items())
    return design.kind is ShapeKind.TREE and by and same


def take(choice: SizeCandidate) -> None:
    """Put a size into the design and the fields of its form, and the method if it is the greedy one."""
    chosen, fresh = registry.get(state.get(state.design_key("method"), state.design().method)), Design()
    method = choice.method if choice.greedy else chosen.name if chosen.exact else fresh.method
    next_run.take_recommended(fields(choice) | {"method": method})


def of_run(run: Run) -> Problem:
    """The problem for which a size is recommended beside a run, made once per run."""
    made: Problem = run.worked_out.get("size") or question(run.design, run.prepared)
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
    design, fresh = run.design, Design()
    free = (design.kind, design.method, design.class_costs) == (fresh.kind, fresh.method, fresh.class_costs)
    free = free and not next_run.size_is_chosen() and not any(one.sees_answers for one in design.constraints)
    problem, seconds = of_run(run), settings().recommend_seconds
    if free and seconds > 0 and problem.id not in state.jobs():
        ask(problem, seconds)


def make_room() -> None:
    """Before a run, cancel comparisons for other settings without a choice, and all that would delay the run."""
    rows = state.prepared()
    current = None if rows is None else question(state.design(), rows).id
    compared = {name: job for name, job in state.jobs().items() if isinstance(job.task, RecommendSize)}
    for name, job in compared.items():
        if settings().max_running == 1 or (name != current and found(job).choice is None):
            job.cancel()
