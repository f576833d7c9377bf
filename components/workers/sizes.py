"""How large should a tree be: computed for Design, and before the first Solve if you chose no size."""

from typing import Any

from components.messages.text import plain
from components.session import next_run, state
from components.session.work import AnyJob, Design, Prepared, Run
from components.workers import jobs
from solvers.messages.recommendation import describe_honest
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
        "split_cost": choice.split_cost if greedy else Design().split_cost,
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


def is_open(run: Run) -> bool:
    """Whether the performance of the recommended size on new rows is still being estimated."""
    return jobs.is_busy(question(run.design, run.prepared).id)


def reason(run: Run) -> str:
    """The performance of a run's size on new rows, in Markdown; '' if it is not the recommended size."""
    job = state.jobs().get(question(run.design, run.prepared).id)
    known = Recommendation() if job is None else found(job)
    if known.choice is None or not is_taken(known.choice, run.design):
        return ""
    words = " ".join(describe_honest(known, question(run.design, run.prepared)))
    return plain(f"This is the recommended size. {words}", 500)


def wanted(design: Design) -> bool:
    """Whether a size must be recommended before the first Solve: for a tree with default size and method."""
    free = design.kind is ShapeKind.TREE and design.method == Design().method and not next_run.size_is_chosen()
    return free and settings().recommend_seconds > 0


def wait_for() -> AnyJob | None:
    """The comparison that the next run waits for; `None` if rows, size, method, costs or constraints have changed."""
    job, rows, design = waited_for(), state.prepared(), state.design()
    same = rows is not None and wanted(design) and state.jobs().get(question(design, rows).id) is job
    if job is not None and not same:
        stop_waiting()
        return None
    return job


def waited_for() -> AnyJob | None:
    """The comparison that the next run waits for, even if it is out of date."""
    return state.jobs().get(state.session().awaited_size or "")


def stop_waiting() -> None:
    """Stop waiting for a comparison. It is cancelled if it has no choice yet, or if it keeps the run from starting."""
    job = waited_for()
    if job is not None and (found(job).choice is None or settings().max_running == 1):
        job.cancel()
    state.session().awaited_size = None
