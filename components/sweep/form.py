"""The settings of a sweep: methods, sizes, constraints, partitions of the rows, and the limits of each model."""

import os
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from components.messages.text import count, plain
from components.session import state
from components.session.work import Run
from components.sweep.facts import Planned, plan_sentence, plan_sweep
from components.widgets import segments
from solvers.messages.division import describe_fold
from solvers.methods import registry
from solvers.problem import ShapeKind
from solvers.problem.skeleton import PRESETS
from solvers.settings import Settings, settings
from solvers.study.stored import StoredStudy
from solvers.study.study import Constrained, Study

T = TypeVar("T")

_ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
_LEAVES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32)
_ALL, _FOLDS, _SAMPLES = "All rows", "Cross-validation", "Bootstrap"
_CLUSTER, _HERE = "The cluster", "This machine"
_CONSTRAINED = {Constrained.BOTH: "Both", Constrained.KEPT: "With", Constrained.FREE: "Without"}


class SweepRequest(NamedTuple):
    """A sweep as set in the form: the task, its plan, and a sentence on the expected work."""

    task: Study
    plan: Planned
    sentence: str

    def is_same(self, sweep: StoredStudy) -> bool:
        """Whether a stored sweep has the same settings, wherever it runs."""
        return self.task.settings == sweep.task.settings


def show(run: Run) -> SweepRequest:
    """Draw the settings for a run."""
    chosen = settings()
    parts: dict[str, Any] = {}
    left, right = st.columns(2, gap="large")
    with left:
        parts["methods"] = _methods(run)
        parts |= _sizes(run, {kind for name in parts["methods"] for kind in registry.get(name).kinds})
        parts["constrained"] = _constraints(run)
    with right:
        parts |= _rows(run)
        parts |= _limits(run, chosen)
    own = {run.method: run.request.options} if run.request.options else {}
    task = Study(**parts, options=own, gap=run.request.gap)
    known, plan = run.worked_out.get("sweep plan", (None, None))
    # computed once, because this reads all rows
    if plan is None or known != task:
        plan = plan_sweep(run.problem, task)
        run.worked_out["sweep plan"] = task, plan
    return SweepRequest(task, plan, plan_sentence(plan, task, chosen))


def _methods(run: Run) -> tuple[str, ...]:
    names = [name for name in registry.names() if not registry.REGISTRY[name].missing]
    start = [name for name in dict.fromkeys((run.method, "contree", "cart")) if name in names]
    chosen = st.multiselect(
        "Methods",
        names,
        key=state.first(f"sweep_methods_{run.number}", start),
        format_func=lambda name: registry.get(name).title,
        placeholder="Choose one or more",
        persist_state="session",
        help="Exact methods prove each model optimal for its size. Greedy methods are the baseline.",
    )
    return tuple(name for name in names if name in chosen)


def _sizes(run: Run, kinds: set[ShapeKind]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if kinds & {ShapeKind.TREE, ShapeKind.BDD}:
        start = range(1, max(2, min(run.problem.shape.max_depth, 4)) + 1)
        help = "Maximum depths of trees, and numbers of levels of BDDs."
        found["depths"] = _pills("Depths", range(1, 9), f"sweep_depths_{run.number}", start, help)
    if ShapeKind.TREE in kinds:
        help = "Optional. Also makes trees of the largest depth with at most this number of leaves."
        found["leaves"] = _pills("Maximum leaves", _LEAVES, f"sweep_leaves_{run.number}", [], help)
    if ShapeKind.DIAGRAM in kinds:
        help = "A higher penalty gives a smaller diagram."
        found["alphas"] = _pills("Split penalties (alpha)", _ALPHAS, f"sweep_alphas_{run.number}", _ALPHAS, help)
        skeletons = {one.widths: f"{name}: {' '.join(map(str, one.widths))}" for name, one in PRESETS.items()}
        shape = run.problem.shape
        own = shape.layer_widths if shape.kind is ShapeKind.DIAGRAM else PRESETS["I"].widths
        skeletons.setdefault(own, f"of the run: {' '.join(map(str, own))}")
        help, key = "Maximum splits in each layer. Each skeleton is tried with each penalty.", "sweep_skeletons"
        found["widths"] = _pills("Diagram skeletons", skeletons, f"{key}_{run.number}", [own], help, skeletons.get)
    return found


def _pills(
    label: str, offered: Iterable[T], key: str, start: Iterable[T], help: str, words: Callable[[T], Any] = "{:g}".format
) -> tuple[T, ...]:
    chosen = st.pills(
        label,
        list(offered),
        selection_mode="multi",
        key=state.first(key, list(start)),
        format_func=words,
        persist_state="session",
        help=help,
    )
    return tuple(value for value in offered if value in chosen)


def _constraints(run: Run) -> Constrained:
    """Ask whether the models must satisfy the constraints of the run; without constraints nothing is asked."""
    if not run.problem.constraints:
        return Constrained.KEPT
    chosen = segments.show(
        "Constraints",
        [constrained.value for constrained in _CONSTRAINED],
        key=f"sweep_constraints_{run.number}",
        words=lambda value: _CONSTRAINED[Constrained(value)],
        shown=True,
        help="Choose 'Both' to see the price of the constraints. Methods that cannot take them ignore them.",
    )
    return Constrained(chosen)


def _rows(run: Run) -> dict[str, Any]:
    number = run.number
    which = segments.show("Rows", [_ALL, _FOLDS, _SAMPLES], key=f"sweep_rows_{number}", shown=True, width="stretch")
    found: dict[str, Any] = {}
    first, second, third = st.columns(3)
    train, test = count(run.problem.dataset.n_samples, "training row"), run.prepared.test
    if which == _ALL:
        judged = "No rows are held out." if test is None else f"Errors are counted on {test.n_samples:,} held-out rows."
        st.caption(f"Models are learned from all {train}. {judged}")
    elif which == _FOLDS:
        folds = int(_number(first, "Folds", 2, 50, 5, f"sweep_folds_{number}"))
        repeats = int(_number(second, "Repetitions", 1, 50, 1, f"sweep_repeats_{number}"))
        division = run.problem.dataset.division
        found["folds"], found["repeats"] = plan = division.plan(folds, repeats)
        how = f" into {plain(describe_fold(division, *plan), 300)}" if division else ""
        st.caption(f"The {train} are divided{how}. Errors are counted on the held-out fold.")
    else:
        found["samples"] = int(_number(first, "Samples", 1, 1000, 30, f"sweep_samples_{number}"))
        st.caption(f"Samples are drawn from {train}. Errors are counted on the rows that were not drawn.")
    found["seed"] = int(_number(third, "Seed", 0, 2**31 - 1, 0, f"sweep_seed_{number}"))
    return found


def _limits(run: Run, chosen: Settings) -> dict[str, Any]:
    number, longest = run.number, chosen.max_seconds or 86400.0
    first, second, third = st.columns(3)
    start = min(run.seconds, longest)
    help = "If the time runs out, the best model so far is kept."
    seconds = _number(first, "Time per model (s)", 1.0, longest, start, f"sweep_seconds_{number}", help)
    cores = os.cpu_count() or 1
    most = min(chosen.max_threads or cores, cores)
    help = f"Processes on this machine, at most {most}."
    workers = int(_number(second, "Parallel models", 1, most, min(2, most), f"sweep_workers_{number}", help))
    share = None if chosen.max_memory_mb is None else max(1, chosen.max_memory_mb // workers)
    memory = third.number_input(
        "Memory per model (MiB)",
        256 if share is None or share >= 256 else share,
        share,
        value=None,
        step=256,
        key=state.first(f"sweep_memory_{number}", None),
        placeholder="no limit" if share is None else f"{share}",
        persist_state="session",
        help="If a search needs more, the best model so far is kept.",
    )
    scheduler = chosen.scheduler
    if scheduler:
        if segments.show("Where", [_CLUSTER, _HERE], key=f"sweep_where_{number}", shown=True) == _HERE:
            scheduler = None
        else:
            st.caption(f"Dask scheduler {plain(scheduler)}: each of its workers makes one model at a time.")
    memory_mb = share if memory is None else int(memory)
    return {"step": float(seconds), "workers": workers, "memory_mb": memory_mb, "scheduler": scheduler or None}


def _number(
    place: Any, label: str, least: float, most: float, start: float, key: str, help: str | None = None
) -> float:
    value = place.number_input(
        label,
        least,
        most,
        key=state.first(key, start),
        format="%d" if isinstance(least, int) else "%.0f",
        persist_state="session",
        help=help,
    )
    return start if value is None else value
