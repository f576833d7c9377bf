"""Cross-validation and bootstrap by a worker, with progress; started once, shown in several tabs."""

from collections.abc import Collection

import streamlit as st

from components.messages.text import count, plain, seconds
from components.model.once import once
from components.session import state
from components.session.work import FinishedModel, Run
from components.workers import inquiries, jobs
from components.workers.inquiries import WorkerInquiry
from solvers.messages.division import describe_fold
from solvers.methods import registry
from solvers.problem import DivisionRule
from solvers.problem.division import FoldPlan
from solvers.report import rivals
from solvers.sweeps.bootstrap import Bootstrap
from solvers.sweeps.cross_validation import CrossValidation, UnseenPredictions
from solvers.sweeps.study import Results, Study

PLANS = {"10 folds": (10, 1), "5 folds": (5, 1), "10 folds, 5 repeats": (10, 5)}
CENTRES = {"Leave one centre out": (2, 1)}
TIMES = {"5 time blocks": (5, 1), "10 time blocks": (10, 1)}
SAMPLES = {"100 samples": 100, "30 samples": 30, "300 samples": 300}

_SPARE_SECONDS = 60.0
"""Seconds that the models may take together beyond their own limits, for verification and startup."""


def can_refit(model: FinishedModel) -> bool:
    """Whether a method makes the model; alternatives of a list cannot be trained again."""
    return model.key in registry.names()


def validation_of(run: Run, model: FinishedModel) -> tuple[WorkerInquiry, int]:
    """The cross-validation of the chosen plan, and its number of models."""
    n_folds, repeats = _folds(run)
    step, options = _made_with(run, model)
    task = Study((model.key,), {model.key: options}, own=True, folds=n_folds, repeats=repeats, step=step)
    return _refits(run, model, f"folds_{model.key}_{n_folds}_{repeats}", task, n_folds * repeats, step)


def _plans(run: Run) -> dict[str, tuple[int, int]]:
    """The available folds and repeats for these rows."""
    return {DivisionRule.CENTRES: CENTRES, DivisionRule.TIME: TIMES}.get(run.problem.dataset.division.rule, PLANS)


def _folds(run: Run) -> FoldPlan:
    """The folds of the chosen plan, or the largest possible number."""
    plans = _plans(run)
    return run.problem.dataset.division.plan(*plans[_chosen(f"folds_{run.number}", plans)])


def bootstrap_of(run: Run, model: FinishedModel) -> tuple[WorkerInquiry, int]:
    """The bootstrap with the chosen number of samples, and its number of models."""
    n_samples = SAMPLES[_chosen(f"samples_{run.number}", SAMPLES)]
    step, options = _made_with(run, model)
    task = Study((model.key,), {model.key: options}, own=True, samples=n_samples, step=step)
    return _refits(run, model, f"bootstrap_{model.key}_{n_samples}", task, n_samples, step)


def _chosen(key: str, offered: Collection[str]) -> str:
    chosen = state.get(key)
    return chosen if chosen in offered else next(iter(offered))


def _made_with(run: Run, model: FinishedModel) -> tuple[float, dict[str, str]]:
    """The time limit in seconds and the options with which the model was made."""
    own = model.key == run.design.method
    return (run.design.seconds, dict(run.design.options)) if own else (rivals.SECONDS, {})


def _refits(
    run: Run, model: FinishedModel, name: str, task: Study, models: int, step: float
) -> tuple[WorkerInquiry, int]:
    problem = None if model.problem is run.problem else model.problem
    return WorkerInquiry(name, task, problem, model.key, models * step + _SPARE_SECONDS), models


def validation(run: Run, model: FinishedModel) -> CrossValidation | None:
    """The results so far of the cross-validation of the chosen plan."""
    if not can_refit(model):
        return None
    inquiry = validation_of(run, model)[0]
    found, study = inquiries.answer(run, inquiry), inquiry.task
    if isinstance(found, Results) and isinstance(study, Study):
        # the same object until there are more results, so that what is computed from it is kept
        key = ("validation", run.inquiries[inquiry.name].id)
        return once(run, key, (found,), lambda: CrossValidation(study, found, model.problem))
    return None


def unseen_answers(run: Run, model: FinishedModel) -> UnseenPredictions | None:
    """The out-of-fold predictions of the cross-validation, in its first repeat."""
    found = validation(run, model)
    return None if found is None else next(iter(found.unseen), None)


def resample(run: Run, model: FinishedModel) -> Bootstrap | None:
    """The results so far of the bootstrap with the chosen number of samples."""
    if not can_refit(model):
        return None
    inquiry = bootstrap_of(run, model)[0]
    found = inquiries.answer(run, inquiry)
    if not isinstance(found, Results):
        return None
    # adds only the models that are new
    key = ("bootstrap", run.inquiries[inquiry.name].id)
    if key not in run.worked_out:
        run.worked_out[key] = Bootstrap(model.problem, model.diagram)
    added: Bootstrap = run.worked_out[key].of(found)
    return added


def offer_validation(run: Run, model: FinishedModel, place: str) -> None:
    """Draw the choice of a plan, the button, and the progress."""
    division = run.problem.dataset.division
    _plan(f"folds_{run.number}", _plans(run), place, "Folds", _FOLDS_HELP)
    if division:
        st.caption(plain(f"{describe_fold(division, *_folds(run))}.", 300))
    _offer(run, model, validation_of(run, model), "Cross-validate", place)


def offer_bootstrap(run: Run, model: FinishedModel, place: str) -> None:
    """Draw the choice of a number, the button, and the progress."""
    _plan(f"samples_{run.number}", SAMPLES, place, "Samples", _SAMPLES_HELP)
    _offer(run, model, bootstrap_of(run, model), "Run bootstrap", place)


def _plan(key: str, offered: Collection[str], place: str, label: str, help: str) -> None:
    """Let the user choose a plan; the same choice is shown in several tabs."""
    chosen = _chosen(key, offered)
    picked = st.selectbox(
        label,
        list(offered),
        index=list(offered).index(chosen),
        key=f"{key}_{place}_{chosen}",
        help=help,
    )
    if picked != chosen:
        state.put(key, picked)
        st.rerun()


def _offer(run: Run, model: FinishedModel, refits: tuple[WorkerInquiry, int], label: str, place: str) -> None:
    inquiry, n_models = refits
    models = count(n_models, "model")
    job, found = run.inquiries.get(inquiry.name), inquiries.answer(run, inquiry)
    key = f"{inquiry.name}_{run.number}_{place}"
    if job is None:
        took = model.solution.seconds
        if st.button(label, key=f"ask_{key}", help=f"{models}; this model took {seconds(took)}."):
            inquiries.begin(run, inquiry)
            st.rerun()
        st.caption(f"{models}, about {seconds(n_models * max(took, 0.05))}.")
        return
    done = 0 if found is None else found.done
    progress = f"{count(done)} of {models}"
    words = progress if done else plain(job.snapshot().text, 200)
    jobs.show(job, words, key=f"halt_{key}", share=done / n_models)
    if job.snapshot().error:
        return
    if job.done:
        st.caption(f"{progress}, {'done' if done == n_models else 'stopped; finished models are kept'}.")
        if done < n_models and st.button("Start again", key=f"again_{key}"):
            del run.inquiries[inquiry.name]
            inquiries.begin(run, inquiry)
            st.rerun()
    if found is not None and (faults := found.faults):
        st.caption(plain(f"Failed models: {' '.join(faults[:2])}", 400))


_FOLDS_HELP = (
    "For each fold a model is trained on the other folds and tested on this one. Repeats average over divisions."
)
_SAMPLES_HELP = (
    "Trains a model on each sample of rows drawn with replacement. Shows the optimism of training metrics and the "
    "stability of the model."
)
