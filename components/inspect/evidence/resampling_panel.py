"""Cross-validation and bootstrap by a worker, with progress; started once, shown in several tabs.

Their tables are in the folder of the run: what is interrupted continues there, also in a later session.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import streamlit as st
from msgspec import structs

from components.messages.text import count, plain, seconds
from components.model.once import once
from components.session import state
from components.session.work import FinishedModel, Run
from components.workers import jobs, studies
from solvers.errors import EspalierError
from solvers.messages.division import describe_fold
from solvers.methods import registry
from solvers.problem import DivisionRule
from solvers.problem.division import FoldPlan
from solvers.report import rivals
from solvers.settings import settings
from solvers.study.bootstrap import Bootstrap
from solvers.study.cross_validation import CrossValidation, UnseenPredictions
from solvers.study.folder import Results, StudyFolder
from solvers.study.stored import create_sweep, place_of
from solvers.study.study import Study, of_each

PLANS = {"10 folds": (10, 1), "5 folds": (5, 1), "10 folds, 5 repeats": (10, 5)}
CENTRES = {"Leave one centre out": (2, 1)}
TIMES = {"5 time blocks": (5, 1), "10 time blocks": (10, 1)}
SAMPLES = {"100 samples": 100, "30 samples": 30, "300 samples": 300}

_TROUBLE = "_study_trouble"
_SPARE_SECONDS = 60.0
"""Seconds that the models may take together beyond their own limits, for verification and startup."""


def can_refit(model: FinishedModel) -> bool:
    """Whether a method makes the model; alternatives of a list cannot be trained again."""
    return model.key in registry.names()


class _Refits(NamedTuple):
    """A study of the model's own method, the name of its fields on the screen, and its number of models."""

    name: str
    task: Study
    models: int


def validation_of(run: Run, model: FinishedModel) -> _Refits:
    """The cross-validation of the chosen plan."""
    n_folds, repeats = _folds(run)
    task = structs.replace(_made_with(run, model), folds=n_folds, repeats=repeats)
    return _Refits(f"folds_{model.key}_{n_folds}_{repeats}", task, n_folds * repeats)


def _plans(run: Run) -> dict[str, tuple[int, int]]:
    """The available folds and repeats for these rows."""
    return {DivisionRule.CENTRES: CENTRES, DivisionRule.TIME: TIMES}.get(run.problem.dataset.division.rule, PLANS)


def _folds(run: Run) -> FoldPlan:
    """The folds of the chosen plan, or the largest possible number."""
    plans = _plans(run)
    return run.problem.dataset.division.plan(*plans[_chosen(f"folds_{run.number}", plans)])


def bootstrap_of(run: Run, model: FinishedModel) -> _Refits:
    """The bootstrap with the chosen number of samples."""
    n_samples = SAMPLES[_chosen(f"samples_{run.number}", SAMPLES)]
    task = structs.replace(_made_with(run, model), samples=n_samples)
    return _Refits(f"bootstrap_{model.key}_{n_samples}", task, n_samples)


def _chosen(key: str, offered: Collection[str]) -> str:
    chosen = state.get(key)
    return chosen if chosen in offered else next(iter(offered))


def _made_with(run: Run, model: FinishedModel) -> Study:
    """A study of the method, with the limits and the options with which the model was made."""
    own = model.key == run.method
    seconds, options = (run.limits.seconds, run.request.options) if own else (rivals.SECONDS, {})
    limits = settings().within(replace(run.limits, seconds=seconds))
    return Study((model.key,), {model.key: options}, own=True, **of_each(limits))


def _place(run: Run, model: FinishedModel, task: Study) -> StudyFolder:
    """The folder of the table of a study."""
    return place_of(run.job.folder, task, problem_id=_problem_id(run, model))


def _problem_id(run: Run, model: FinishedModel) -> str:
    return "" if model.problem is run.problem else model.problem.id


def _found(run: Run, model: FinishedModel, task: Study) -> Results | None:
    """The results so far of a study; `None` if it has not begun."""
    place = _place(run, model, task)

    def read(known: Results | None) -> Results | None:
        try:
            return place.results(task.seed, known) if place.exists() else None
        except EspalierError as error:
            state.put(_TROUBLE, str(error))
            return known

    return studies.latest(run, place, read)


def validation(run: Run, model: FinishedModel) -> CrossValidation | None:
    """The results so far of the cross-validation of the chosen plan."""
    if not can_refit(model):
        return None
    study = validation_of(run, model).task
    place, found = _place(run, model, study), _found(run, model, study)
    if found is None:
        return None
    # the same object until there are more results, so that what is computed from it is kept
    return once(run, ("validation", place.path.name), (found,), lambda: CrossValidation(study, found, model.problem))


def unseen_answers(run: Run, model: FinishedModel) -> UnseenPredictions | None:
    """The out-of-fold predictions of the cross-validation, in its first repeat."""
    found = validation(run, model)
    return None if found is None else next(iter(found.unseen), None)


def resample(run: Run, model: FinishedModel) -> Bootstrap | None:
    """The results so far of the bootstrap with the chosen number of samples."""
    if not can_refit(model):
        return None
    study = bootstrap_of(run, model).task
    found = _found(run, model, study)
    if found is None:
        return None
    # adds only the models that are new
    key = ("bootstrap", _place(run, model, study).path.name)
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


def _offer(run: Run, model: FinishedModel, refits: _Refits, label: str, place: str) -> None:
    models, found = count(refits.models, "model"), _found(run, model, refits.task)
    job = studies.job_of(run, _place(run, model, refits.task))
    key, done = f"{refits.name}_{run.number}_{place}", 0 if found is None else found.done
    progress = f"{count(done)} of {models}"
    if job is not None and not job.done:
        words = progress if done else plain(job.snapshot().text, 200)
        jobs.show(job, words, key=f"halt_{key}", share=done / refits.models)
    elif done == refits.models:
        st.caption(f"{progress}, done.")
    else:
        took = model.solution.seconds
        label, key = ("Continue", f"again_{key}") if done else (label, f"ask_{key}")
        if st.button(label, key=key, help=f"{models}; this model took {seconds(took)}."):
            _begin(run, model, refits)
            st.rerun()
        about = f"{models}, about {seconds(refits.models * max(took, 0.05))}."
        st.caption(f"{progress}, stopped; finished models are kept." if done else about)
    if job is not None and (error := job.snapshot().error):
        st.error(plain(error, 500), icon=":material/error:")
    if trouble := state.get(_TROUBLE):
        st.error(plain(trouble, 500), icon=":material/error:")
        state.put(_TROUBLE, "")
    if found is not None and (faults := found.faults):
        st.caption(plain(f"Failed models: {' '.join(faults[:2])}", 400))


def _begin(run: Run, model: FinishedModel, refits: _Refits) -> None:
    """Let a worker begin a study, or continue it in its folder."""
    try:
        stored = create_sweep(run.job.folder, refits.task, problem_id=_problem_id(run, model))
    except EspalierError as error:
        state.put(_TROUBLE, str(error))
        return
    problem = None if model.problem is run.problem else model.problem
    studies.begin(run, stored, refits.models * refits.task.longest + _SPARE_SECONDS, problem, model.key)


_FOLDS_HELP = (
    "For each fold a model is trained on the other folds and tested on this one. Repeats average over divisions."
)
_SAMPLES_HELP = (
    "Trains a model on each sample of rows drawn with replacement. Shows the optimism of training metrics and the "
    "stability of the model."
)
