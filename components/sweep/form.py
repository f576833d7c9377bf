"""What a sweep tries: methods, sizes, constraints, parts of the rows, and the limits of each model."""

import json
import os
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from components.session import state
from components.session.work import Run
from components.sweep.facts import Planned, plan_sentence, planned
from components.widgets import segments
from components.words.text import count, plain
from solvers.methods import registry
from solvers.problem import ShapeKind
from solvers.problem.skeleton import PRESETS
from solvers.run.json_types import to_json
from solvers.settings import Settings, settings
from solvers.sweeps.calibration import ALPHAS
from solvers.sweeps.folder import Constrained, RunSweep, StoredSweep
from solvers.words.division import fold_words

T = TypeVar("T", int, float)

_DEPTHS = tuple(range(1, 9))
_LEAVES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32)
_ALL, _FOLDS, _SAMPLES = "All rows", "Cross-validation", "Bootstrap"
_CLUSTER, _HERE = "The cluster", "This machine"


class SweepRequest(NamedTuple):
    """A sweep as the form holds it: the task, what becomes of the constraints, and what it will take, in a sentence."""

    task: RunSweep
    constrained: Constrained
    plan: Planned
    sentence: str

    def is_same(self, sweep: StoredSweep) -> bool:
        """Whether a sweep was asked for in the same way; where it is run makes no difference."""
        place = {name: getattr(sweep.task, name) for name in ("folder", "workers", "scheduler")}
        return replace(self.task, **place) == sweep.task and self.constrained is sweep.constrained


def show(run: Run) -> SweepRequest:
    """Draw the choices for a run."""
    chosen = settings()
    parts: dict[str, Any] = {}
    left, right = st.columns(2, gap="large")
    with left:
        parts |= _methods(run)
        kinds = {kind for name in parts["methods"] for kind in registry.get(name).kinds}
        parts |= _sizes(run, kinds)
        constrained = _constraints(run)
    with right:
        parts |= _rows(run)
        parts |= _limits(run, chosen)
    own = {run.design.method: dict(run.design.options)} if run.design.options else {}
    task = RunSweep(**parts, options=own, free=constrained is Constrained.BOTH, gap=run.design.gap)
    plan = _planned(run, task, constrained)
    return SweepRequest(task, constrained, plan, plan_sentence(plan, task, chosen))


def _planned(run: Run, task: RunSweep, constrained: Constrained) -> Planned:
    """What the sweep will take; worked out once, because that reads all rows."""
    spec = json.dumps([constrained, to_json(task)], sort_keys=True)
    known, plan = run.worked_out.get("sweep plan", (None, None))
    if known != spec:
        plan = planned(constrained.problem(run.problem), task)
        run.worked_out["sweep plan"] = (spec, plan)
    return plan


def _methods(run: Run) -> dict[str, Any]:
    names = [name for name in registry.names() if not registry.REGISTRY[name].missing]
    start = [name for name in dict.fromkeys((run.design.method, "contree", "cart")) if name in names]
    methods = st.multiselect(
        "Methods",
        names,
        key=state.first(f"sweep_methods_{run.number}", start),
        format_func=lambda name: registry.get(name).title,
        placeholder="Choose one or more",
        persist_state="session",
        help="Exact methods prove each model the best of its size; greedy ones show what the search gains. "
        "The method of the run has the options of the run.",
    )
    return {"methods": tuple(name for name in names if name in methods)}


def _sizes(run: Run, kinds: set[ShapeKind]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if kinds & {ShapeKind.TREE, ShapeKind.BDD}:
        start = list(range(1, max(2, min(run.problem.shape.max_depth, 4)) + 1))
        found["depths"] = _several(
            "Depths", _DEPTHS, f"sweep_depths_{run.number}", start, "Depths of trees, and levels of BDDs."
        )
    if ShapeKind.TREE in kinds:
        found["leaves"] = _several(
            "Leaves of trees",
            _LEAVES,
            f"sweep_leaves_{run.number}",
            [],
            "Trees of the largest depth with at most so many answers, besides those of each depth. None is needed.",
        )
    if ShapeKind.DIAGRAM in kinds:
        found["alphas"] = _several(
            "Prices of a diagram's questions (alpha)",
            ALPHAS,
            f"sweep_alphas_{run.number}",
            list(ALPHAS),
            "The higher the price, the fewer questions a decision diagram asks.",
        )
        found["widths"] = _skeletons(run)
    return found


def _several(label: str, offered: tuple[T, ...], key: str, start: list[T], help: str) -> tuple[T, ...]:
    chosen = st.pills(
        label,
        offered,
        selection_mode="multi",
        key=state.first(key, start),
        format_func=lambda value: f"{value:g}",
        persist_state="session",
        help=help,
    )
    return tuple(value for value in offered if value in chosen)


def _skeletons(run: Run) -> tuple[tuple[int, ...], ...]:
    """Ask for the layers of diagrams; those of the run are offered, too."""
    offered = {skeleton.widths: f"{name}: {' '.join(map(str, skeleton.widths))}" for name, skeleton in PRESETS.items()}
    own = run.problem.shape.layer_widths if run.problem.shape.kind is ShapeKind.DIAGRAM else PRESETS["I"].widths
    offered.setdefault(own, f"of the run: {' '.join(map(str, own))}")
    chosen = st.pills(
        "Skeletons of diagrams",
        list(offered),
        selection_mode="multi",
        key=state.first(f"sweep_skeletons_{run.number}", [own]),
        format_func=offered.__getitem__,
        persist_state="session",
        help="The most questions of each layer; each skeleton is tried with each price.",
    )
    return tuple(widths for widths in offered if widths in chosen)


def _constraints(run: Run) -> Constrained:
    """Ask whether the models keep the constraints of the run; without any there is nothing to ask."""
    if not run.problem.constraints:
        return Constrained.KEPT
    words = {Constrained.BOTH: "Both", Constrained.KEPT: "With", Constrained.FREE: "Without"}
    chosen = segments.show(
        "Constraints",
        [constrained.value for constrained in words],
        key=f"sweep_constraints_{run.number}",
        words=lambda value: words[Constrained(value)],
        shown=True,
        help="With and without: the distance between the two is what the constraints cost. A method that "
        "cannot take them makes its models without.",
    )
    return Constrained(chosen)


def _rows(run: Run) -> dict[str, Any]:
    number = run.number
    which = segments.show("Rows", [_ALL, _FOLDS, _SAMPLES], key=f"sweep_rows_{number}", shown=True, width="stretch")
    found: dict[str, Any] = {}
    first, second, third = st.columns(3)
    train, test = run.problem.dataset.n_samples, run.prepared.test
    if which == _ALL:
        if test is None:
            held = "no rows are held out, so there are training errors only"
        else:
            held = f"judged on the {count(test.n_samples)} held-out rows, which they have not seen"
        st.caption(f"Models are learned from all {count(train)} training rows and {held}.")
    elif which == _FOLDS:
        folds = int(_number(first, "Folds", 2, 50, 5, f"sweep_folds_{number}"))
        repeats = int(_number(second, "Times", 1, 50, 1, f"sweep_repeats_{number}"))
        division = run.problem.dataset.division
        found["folds"], found["repeats"] = plan = division.plan(folds, repeats)
        how = f" into {plain(fold_words(division, *plan), 300)}" if division else ""
        st.caption(
            f"The {count(train)} training rows are divided{how}; each model is judged on the fold that it has not seen."
        )
    else:
        found["samples"] = int(_number(first, "Samples", 1, 1000, 30, f"sweep_samples_{number}"))
        st.caption(f"Samples are drawn from the {count(train)} training rows; models are judged on the rows not drawn.")
    found["seed"] = int(_number(third, "Seed", 0, 2**31 - 1, 0, f"sweep_seed_{number}"))
    return found


def _limits(run: Run, chosen: Settings) -> dict[str, Any]:
    number = run.number
    first, second, third = st.columns(3)
    longest = chosen.max_seconds or 86400.0
    seconds = _number(
        first, "Seconds per model", 1.0, longest, min(run.design.seconds, longest), f"sweep_seconds_{number}",
        help="The best model until then is kept; the table says that it is not proved.",
    )  # fmt: skip
    cores = os.cpu_count() or 1
    most = min(chosen.max_threads or cores, cores)
    workers = int(
        _number(
            second, "At once", 1, most, min(2, most), f"sweep_workers_{number}",
            help=f"Processes of this machine, at most {most}. A model that brings its process down costs itself only.",
        )
    )  # fmt: skip
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
        help="A search that needs more is stopped with the best model until then.",
    )
    return {
        "step": float(seconds),
        "workers": workers,
        "memory_mb": share if memory is None else int(memory),
        "scheduler": _place(run, chosen),
    }


def _place(run: Run, chosen: Settings) -> str | None:
    """Ask whether the cluster works, where an administrator has named one."""
    if not chosen.scheduler:
        return None
    where = segments.show("Where", [_CLUSTER, _HERE], key=f"sweep_where_{run.number}", shown=True)
    if where == _HERE:
        return None
    st.caption(f"Dask scheduler {plain(chosen.scheduler)}: as many models at once as it has workers.")
    return chosen.scheduler


def _number(
    place: Any, label: str, least: float, most: float, start: float, key: str, help: str | None = None
) -> float:
    whole = isinstance(least, int)
    value = place.number_input(
        label,
        least,
        most,
        key=state.first(key, start),
        format="%d" if whole else "%.0f",
        persist_state="session",
        help=help,
    )
    return start if value is None else value
