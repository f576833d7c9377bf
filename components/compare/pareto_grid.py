"""The sweep that fills the front: which models are looked for in the background, and those that were found."""

import json
from typing import NamedTuple

import streamlit as st

from components.session import state
from components.session.work import FinishedModel, Run
from components.words.text import count, plain
from components.workers import inquiries, jobs
from components.workers.inquiries import WorkerInquiry
from solvers.errors import EspalierError
from solvers.methods import registry
from solvers.problem import ShapeKind
from solvers.run.json_types import to_json
from solvers.run.solver_run import rechecked
from solvers.solution import Status
from solvers.sweeps.calibration import ALPHAS
from solvers.sweeps.study import STEP, GridCell, Results, Study

_NAME = "front "
_MOST_LEAVES = 12
_MOST_DEPTH = 6


class FrontSettings(NamedTuple):
    """What the user may choose: methods, the largest depth, and whether to make models without the constraints, too."""

    methods: tuple[str, ...]
    depth: int
    free: bool


def offered_methods(run: Run) -> tuple[str, ...]:
    """The methods that can be asked for models of many sizes: that of the run, the best of each shape, greedy ones."""
    names = (run.design.method, "contree", "cart", "c45", registry.FIRST[ShapeKind.BDD])
    return tuple(name for name in dict.fromkeys(names) if name in registry.names())


def task(run: Run, settings: FrontSettings) -> Study:
    """The sweep for these settings."""
    kinds = {kind for name in settings.methods for kind in registry.get(name).kinds}
    leaves = tuple(range(2, min(2**settings.depth, _MOST_LEAVES + 1))) if ShapeKind.TREE in kinds else ()
    own = {run.design.method: dict(run.design.options)} if run.design.options else {}
    return Study(
        settings.methods,
        own,
        tuple(range(1, settings.depth + 1)),
        leaves,
        ALPHAS if ShapeKind.DIAGRAM in kinds else (),
        settings.free,
    )


def inquiry_of(run: Run, settings: FrontSettings) -> WorkerInquiry:
    """The sweep as an inquiry to a worker."""
    sweep = task(run, settings)
    name = f"{_NAME}{' '.join(settings.methods)} {settings.depth} {settings.free}"
    return WorkerInquiry(name, sweep, seconds=max(1, len(_cells(run, sweep))) * STEP)


def found(run: Run) -> tuple[FinishedModel, ...]:
    """The models that sweeps beside a run have found until now, without those that are known anyway.

    A proof is news: a model that is proved the best of its size is told, even where a greedy method made the same.
    """
    known = list(run.models())
    n_known = len(known)
    for name in _sweeps(run):
        for model in _models(run, name):
            if not any(_as_good(other, model) for other in known):
                known.append(model)
    return tuple(known[n_known:])


def _as_good(known: FinishedModel, model: FinishedModel) -> bool:
    """Whether another model gives the same answers in the same way, and is proved if this one is."""
    proved = known.solution.status is Status.OPTIMAL or model.solution.status is not Status.OPTIMAL
    return proved and known.diagram == model.diagram


def _models(run: Run, name: str) -> tuple[FinishedModel, ...]:
    """The models of a sweep that can be verified, here once more: its answer may come from a file."""
    job = run.inquiries[name]
    answer = job.snapshot().answer
    if not isinstance(answer, Results) or not isinstance(job.task, Study):
        return ()
    cells = {cell.job.key: cell for cell in _cells(run, job.task)}
    checked = run.worked_out.setdefault(("checked", name), {})
    made = []
    for row, outcome in zip(answer.rows, answer.outcomes, strict=True):
        key, solution = row["cell"], outcome.solution
        cell = cells.get(key)
        if cell is None or solution is None or solution.diagram is None:
            continue
        if key not in checked:
            checked[key] = rechecked(cell.job.problem, cell.job.method, solution)
        if (solution := checked[key]).verified:
            exact = registry.get(cell.job.method).exact
            made.append(FinishedModel(f"front {key}", cell.words, solution, exact, cell.job.problem))
    return tuple(made)


def _cells(run: Run, sweep: Study) -> tuple[GridCell, ...]:
    """The models that a sweep looks for, the same as in the worker."""
    key = ("cells", json.dumps(to_json(sweep), sort_keys=True))
    if key not in run.worked_out:
        # making them reads all rows, and they never change
        run.worked_out[key] = sweep.cells(run.problem)
    return run.worked_out[key]


def offer(run: Run) -> None:
    """Draw the button that starts a sweep, and what can be chosen about it."""
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        settings = _settings(run)
        try:
            inquiry = inquiry_of(run, settings)
            n = len(_cells(run, task(run, settings)))
        except EspalierError as error:
            st.caption(plain(error, 300))
            return
        busy = any(not run.inquiries[name].done for name in _sweeps(run))
        if st.button(
            "Fill the front",
            key=f"fill_{run.number}",
            help=f"Looks for {count(n, 'model')} of other sizes in the background, each in at most {STEP:g} s."
            if inquiry.name not in run.inquiries
            else "These models were looked for already; choose others under 'What is tried'.",
            disabled=busy or n == 0 or inquiry.name in run.inquiries,
        ):
            inquiries.begin(run, inquiry)
            st.rerun()


def show_progress(run: Run) -> None:
    """Draw how far each sweep is, and what those that have ended did not come to."""
    for name in _sweeps(run):
        _progress(run, name)


def _sweeps(run: Run) -> list[str]:
    return [name for name in run.inquiries if name.startswith(_NAME)]


def _progress(run: Run, name: str) -> None:
    """How far a sweep is; a finished one says only what could not be made."""
    job = run.inquiries[name]
    shot = job.snapshot()
    answer = shot.answer
    done, of = (answer.done, answer.of) if isinstance(answer, Results) else (0, 1)
    words = f"{done} of {count(of, 'model')}. The points appear as they are found."
    jobs.show(job, words, key=f"halt_{run.number}_{name}", share=done / max(1, of))
    if job.done and not shot.error and isinstance(answer, Results):
        st.caption(plain(_remainder(answer), 400))


def _remainder(answer: Results) -> str:
    impossible = sum(o.solution is not None and o.solution.status is Status.INFEASIBLE for o in answer.outcomes)
    failed = [o for o in answer.outcomes if o.solution is None]
    parts = [f"Looked for {len(answer.outcomes)} of {count(answer.of, 'model')}."]
    if impossible:
        parts.append(f"{count(impossible, 'size has', 'sizes have')} no model that keeps all constraints: proved.")
    if failed:
        parts.append(f"{count(len(failed), 'model')} could not be made: {failed[0].error}")
    return " ".join(parts)


def _settings(run: Run) -> FrontSettings:
    names = offered_methods(run)
    own = run.design.method
    with st.popover("What is tried", help="Which methods and sizes the sweep goes through."):
        methods = st.pills(
            "Methods",
            names,
            selection_mode="multi",
            key=state.first(f"front_methods_{run.number}", list(dict.fromkeys((own, "contree", "cart")))),
            format_func=lambda name: plain(registry.get(name).title),
            persist_state="session",
            help="Exact methods prove each model the best of its size; greedy ones show what the search gains.",
        )
        depth = st.slider(
            "Questions to an answer, at most",
            1,
            _MOST_DEPTH,
            key=state.first(f"front_depth_{run.number}", max(1, min(run.problem.shape.max_depth, 4))),
            persist_state="session",
            help=f"Trees of every depth up to it, and of 2 to {_MOST_LEAVES} leaves; BDDs of as many levels.",
        )
        free = False
        if run.problem.constraints:
            free = st.toggle(
                "Also without the constraints",
                key=state.first(f"front_free_{run.number}", True),
                persist_state="session",
                help="Each exact model is made twice; the distance between the two is what the constraints cost.",
            )
    return FrontSettings(tuple(name for name in names if name in methods), depth, free)
