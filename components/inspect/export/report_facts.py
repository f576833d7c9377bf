"""What a report can say about a model of a run: the run's question, rows, method and validation, gathered."""

from datetime import datetime

from components.session.work import FinishedModel, Run
from solvers.methods import registry
from solvers.problem import Dataset
from solvers.report.subject import Subject
from solvers.sweeps.cross_validation import CrossValidation, by_centre, validated


def subject_of(
    run: Run,
    model: FinishedModel,
    made: datetime,
    external: Dataset | None = None,
    validation: CrossValidation | None = None,
) -> Subject:
    """Everything that is known of a model; of a cross-validation of its method only what is finished counts."""
    prepared, own = run.prepared, model.key == run.design.method
    done = validation if validation is not None and validation.finished else None
    source = registry.get(model.key).source if model.key in registry.names() else "a model of a list"
    return Subject(
        model.problem,
        model.solution,
        model.title,
        source,
        model.exact,
        made,
        options=dict(run.design.options) if own else {},
        limits=run.design.limits if own else None,
        test=prepared.test,
        external=external,
        aside=prepared.test,
        test_share=prepared.choices.test_share,
        test_seed=prepared.choices.seed,
        notes=prepared.notes,
        rivals=run.rivals(model),
        cross_validation=done,
        refitted=() if done is None else validated(done, prepared.train, prepared.train.positive),
        centres=() if done is None else by_centre(done, prepared.train),
    )


def file_name(run: Run, model: FinishedModel, ending: str) -> str:
    """The name of a saved file."""
    return run.file_name(model.key, ending=ending)
