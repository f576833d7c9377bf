"""What the session knows that answers questions about a run: what its runs on the same rows came to."""

from collections.abc import Iterator

from components.session import state
from components.session.work import FinishedModel, Run
from solvers.explain import Evidence, same_question


def known_of(run: Run) -> tuple[Evidence, ...]:
    """All that was found and proved on the rows of a run, with its objective, each model once.

    That are the incumbents and results of the session's runs, the models that were opened or trained beside them, and
    what answers to questions about them rest on.
    """
    found: dict[object, Evidence] = {}
    for other in state.runs():
        if same_question(other.problem, run.problem):
            for one in _known_from(other):
                found.setdefault((id(one.diagram), one.bound, one.impossible, one.constraints, one.shape), one)
    return tuple(found.values())


def _known_from(run: Run) -> Iterator[Evidence]:
    problem, snapshot = run.problem, run.job.snapshot()
    if snapshot.solution is not None and (proved := Evidence.of(problem, snapshot.solution)):
        yield proved
    models = [incumbent.diagram for incumbent in snapshot.incumbents]
    beside = [*run.opened.values(), *(model for model in run.trained if isinstance(model, FinishedModel))]
    for diagram in (*models, *(model.diagram for model in beside)):
        if diagram.kind is problem.shape.kind:
            yield Evidence(problem.shape, diagram=diagram)
    for job in run.inquiries.values():
        yield from getattr(job.snapshot().answer, "evidence", ())
