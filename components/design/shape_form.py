"""The shape of the model, its maximum size, and the time limit of the search."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from components.design.method_form import METHOD
from components.design.size_fields import ask
from components.messages.text import capitalise, count, plain
from components.session import state
from components.session.next_run import ONE_FEATURE, SEVERAL_FEATURES
from components.session.work import Design, Prepared, depth_switch
from components.widgets import footer, segments
from solvers.errors import ShapeError
from solvers.methods import FIRST, registry
from solvers.problem import ShapeKind
from solvers.problem.skeleton import PRESETS, describe_alpha_in, read_widths

KIND = state.design_key("kind")
"""State key of the shape."""

SHAPES = {
    ShapeKind.TREE: ("Tree", "Each answer leads to its own next question. Easiest to read."),
    ShapeKind.BDD: ("BDD", "All rows get the same questions in the same order. Equivalent branches are merged."),
    ShapeKind.DIAGRAM: ("Decision diagram", "Branches can rejoin, so later splits rest on more rows."),
}
"""Title and sentence of each shape; BDD stands for binary decision diagram."""

_PICTURES = Path(__file__).parent
_DEEPEST = 8
"""The largest depth on the screen, unless a deeper greedy tree was recommended."""

_ALPHAS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
_ANY_DEPTH = {
    "any_depth": "Searches for the smallest tree without training errors. Switch off to limit the depth.",
    "priced_depth": "The split penalty limits the tree. Switch off to limit the depth.",
}
"""The help text if the depth needs no limit, by the field of the design."""


def choose(design: Design) -> Design:
    """Draw the three shapes side by side, each with a picture and a sentence."""
    chosen = ShapeKind(state.get(state.first(KIND, str(design.kind))))
    st.subheader("Model shape")
    for (kind, (title, sentence)), place in zip(SHAPES.items(), st.columns(len(SHAPES), gap="medium"), strict=True):
        with place, st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
            st.image(str(_PICTURES / f"{kind}.svg"), width=104, alt=sentence)
            with st.container(gap="xsmall"):
                st.button(
                    title,
                    key=f"{KIND}_{kind}",
                    type="primary" if kind is chosen else "secondary",
                    icon=":material/check:" if kind is chosen else None,
                    on_click=take,
                    args=(kind,),
                )
                st.caption(sentence)
    return replace(design, kind=chosen)


def take(kind: ShapeKind) -> None:
    """Choose another shape, with its default method."""
    state.put(KIND, str(kind))
    state.put(METHOD, FIRST[kind])


def size(design: Design, prepared: Prepared) -> tuple[Design, bool]:
    """Ask for the maximum size of the model; returns whether the layer widths are valid."""
    st.subheader(f"{SHAPES[design.kind][0]} size")
    match design.kind:
        case ShapeKind.TREE:
            return _tree(design, prepared), True
        case ShapeKind.BDD:
            left, right = st.columns(2)
            help = "Each level asks one question, in the same order for all rows. Rows can skip levels."
            depth = _depth(left, design, "Maximum levels", help)
            return replace(design, max_depth=depth, max_splits=_splits(right, design)), True
        case ShapeKind.DIAGRAM:
            return _diagram(design, prepared)


def _tree(design: Design, prepared: Prepared) -> Design:
    left, right = st.columns(2)
    method, split_penalty = (
        state.get(METHOD, design.method),
        state.get(state.design_key("split_penalty"), design.split_penalty),
    )
    if switch := depth_switch(method, split_penalty):
        key = state.first(state.design_key(switch), getattr(design, switch))
        unlimited = left.toggle("Any depth", key=key, help=_ANY_DEPTH[switch], persist_state="session")
        changed: dict[str, Any] = {switch: unlimited}
        design = replace(design, **changed)
    help = "The most questions from the first split to a leaf. A tree of depth 3 has at most 8 leaves."
    depth = _depth(left, design, "Maximum depth (questions)", help, disabled=switch is not None and unlimited)
    counted = registry.get(method).takes_min_samples_leaf
    help = "Each prediction rests on at least this many training rows. The default is 1% of the rows, at least 5."
    least = ask(right, design, "min_samples_leaf", "Minimum rows per leaf", help, disabled=not counted)
    if not counted:
        right.caption("This method ignores the number of rows per leaf.")
    n_rows = prepared.train.n_samples
    if least > n_rows:
        right.caption(
            f":material/warning: No tree is possible with {count(n_rows, 'training row')}. Lower the minimum."
        )
    return replace(design, max_depth=depth, min_samples_leaf=least)


def _depth(place: Any, design: Design, label: str, help: str, *, disabled: bool = False) -> int:
    key, most = state.first(state.design_key("max_depth"), design.max_depth), max(_DEEPEST, design.max_depth)
    return place.slider(label, 0, most, key=key, help=help, disabled=disabled, persist_state="session")


def _splits(place: Any, design: Design) -> int | None:
    help = "Limits the splits of the whole model, so that it stays readable."
    return ask(place, design, "max_splits", "Maximum splits", help, (0, None), optional=True)


def _diagram(design: Design, prepared: Prepared) -> tuple[Design, bool]:
    """Ask for the skeleton, the split penalty, and the features per split. Invalid widths change nothing."""
    key = state.first(state.design_key("widths"), _write_text(design.widths))
    try:
        widths, trouble = read_widths(state.get(key)), None
    except ShapeError as error:
        widths, trouble = design.widths, str(error)
    for preset, place in zip(PRESETS.values(), st.columns(len(PRESETS), gap="small"), strict=True):
        written = _write_text(preset.widths)
        place.button(
            f"{preset.name}: {written}",
            key=f"design_skeleton_{preset.name}",
            type="primary" if trouble is None and preset.widths == widths else "secondary",
            width="stretch",
            help=preset.summary,
            on_click=state.put,
            args=(key, written),
        )
    help = "Maximum splits in each layer, from the top. A layer can be at most twice as wide as the layer above."
    st.text_input("Layer widths", key=key, help=help, persist_state="session")
    if trouble:
        st.error(plain(trouble, 300), icon=":material/error:")
    alpha = st.select_slider(
        "Split penalty (alpha)",
        _ALPHAS,
        key=state.first(state.design_key("alpha"), design.alpha),
        format_func=lambda value: f"{value:g}",
        help="Higher values give smaller diagrams, which are easier to read.",
        persist_state="session",
    )
    weighted = prepared.train.weight is not None
    row, rows = ("unit of weight", "units of weight") if weighted else ("training row", "training rows")
    words = describe_alpha_in(alpha, prepared.train.total_weight, row=row, rows=rows)
    st.caption(f"{capitalise(words)}.")
    footer.link()
    left, right = st.columns(2)
    max_splits = _splits(left, design)
    help = "At least this many training rows must reach each split. Splits that few rows reach are unstable."
    min_rows = ask(right, design, "min_rows", "Minimum rows per split", help)
    features = _split_features(design, prepared)
    design = replace(design, widths=widths, alpha=alpha, max_splits=max_splits, min_rows=min_rows)
    return replace(design, split_features=features), trouble is None


def _write_text(widths: tuple[int, ...]) -> str:
    return " ".join(map(str, widths))


def _split_features(design: Design, prepared: Prepared) -> int | None:
    """How many features a split may combine; `None` for any number."""
    one = design.split_features == 1
    key = state.first(state.design_key("split"), ONE_FEATURE if one else SEVERAL_FEATURES)
    left, right = st.columns(2)
    with left:
        about = segments.show("Features per split", (ONE_FEATURE, SEVERAL_FEATURES), key=key, shown=True)
    if about == ONE_FEATURE:
        return 1
    help = "A split compares a weighted sum with a threshold, for instance 0.3 age + 0.7 bmi with 42."
    start, most = replace(design, split_features=None if one else design.split_features), prepared.train.n_columns
    return ask(right, start, "split_features", "Maximum features per split", help, (2, max(2, most)), optional=True)


def limits(design: Design, prepared: Prepared) -> Design:
    """Ask for the time limit, and for the limits that are rarely needed."""
    st.subheader("Search limits")
    left, right = st.columns(2)
    noun = design.kind.noun
    help = f"When the time is up, you get the best {noun} so far and a lower bound."
    seconds = ask(left, design, "seconds", "Time limit (s)", help, (1.0, 86400), step=10)
    help = f"0: search until the optimum is proved. 1: stop if no {noun} can save more than 1% of the rows."
    percent = replace(design, gap=100 * design.gap)
    gap = ask(right, percent, "gap", "Optimality tolerance (% of rows)", help, (0.0, 50), step=0.5)
    design = replace(design, seconds=seconds, gap=gap / 100, min_weight_leaf=0.0)
    if design.kind is ShapeKind.DIAGRAM:
        return design
    with st.expander("More limits", key="design_more"):
        left, right = st.columns(2)
        help = f"A split must save at least this many training errors. Higher values give a smaller {noun}."
        split_penalty = ask(right, design, "split_penalty", "Split penalty (errors)", help, (0.0, 1e6), step=0.5)
        design = replace(design, split_penalty=split_penalty)
        if design.kind is ShapeKind.TREE:
            help = "Without this limit, only the depth limits the number of leaves."
            leaves = ask(left, design, "max_leaf_nodes", "Maximum leaves", help, (1, 2**_DEEPEST), optional=True)
            design = replace(design, max_leaf_nodes=leaves)
        if design.kind is ShapeKind.TREE and prepared.train.weight is not None:
            help = f"The least sum of '{plain(prepared.choices.rows.weight, 40)}' in each leaf. 0: no minimum."
            weight = ask(right, design, "min_weight_leaf", "Minimum weight per leaf", help, (0.0, None))
            design = replace(design, min_weight_leaf=weight)
    return design
