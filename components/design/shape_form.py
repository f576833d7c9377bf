"""The shape of the model, its maximum size, and the time limit of the search."""

from pathlib import Path
from typing import Any, Literal

import streamlit as st
from msgspec.structs import replace

from components.design.method_form import METHOD
from components.design.size_fields import ask
from components.messages.text import capitalise, count, plain
from components.session import state
from components.session.next_run import ONE_FEATURE, SEVERAL_FEATURES
from components.session.work import DEFAULT_ALPHA, DEFAULTS, Prepared, depth_switch
from components.widgets import footer, segments
from solvers.errors import ShapeError
from solvers.methods import FIRST, registry
from solvers.posing import kind_of, method_of
from solvers.problem import ShapeKind
from solvers.problem.skeleton import PRESETS, describe_alpha_in, read_widths
from solvers.request import Request

KIND = state.design_key("shape")
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
"""The help text if the depth needs no limit, by the switch, see `depth_switch`."""


def choose(request: Request) -> Request:
    """Draw the three shapes side by side, each with a picture and a sentence."""
    chosen = ShapeKind(state.get(state.first(KIND, str(kind_of(request)))))
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
    return replace(request, shape=chosen.value)


def take(kind: ShapeKind) -> None:
    """Choose another shape, with its default method."""
    state.put(KIND, str(kind))
    state.put(METHOD, FIRST[kind])


def size(request: Request, prepared: Prepared) -> tuple[Request, bool]:
    """Ask for the maximum size of the model; returns whether the layer widths are valid."""
    kind = kind_of(request)
    st.subheader(f"{SHAPES[kind][0]} size")
    match kind:
        case ShapeKind.TREE:
            return _tree(request, prepared), True
        case ShapeKind.BDD:
            left, right = st.columns(2)
            help = "Each level asks one question, in the same order for all rows. Rows can skip levels."
            depth = _depth(left, request, "Maximum levels", help)
            return replace(request, max_depth=depth, max_splits=_splits(right, request)), True
        case ShapeKind.DIAGRAM:
            return _diagram(request, prepared)


def _tree(request: Request, prepared: Prepared) -> Request:
    left, right = st.columns(2)
    method = state.get(METHOD, method_of(request))
    split_penalty = state.get(state.design_key("split_penalty"), request.split_penalty)
    unlimited = False
    if switch := depth_switch(replace(request, method=method, split_penalty=split_penalty)):
        key = state.first(state.design_key(switch), switch == "any_depth" or request.max_depth == "any")
        unlimited = left.toggle("Any depth", key=key, help=_ANY_DEPTH[switch], persist_state="session")
    help = "The most questions from the first split to a leaf. A tree of depth 3 has at most 8 leaves."
    depth = _depth(left, request, "Maximum depth (questions)", help, disabled=unlimited)
    counted = registry.get(method).takes_min_samples_leaf
    help = "Each prediction rests on at least this many training rows. The default is 1% of the rows, at least 5."
    least = ask(right, request, "min_samples_leaf", "Minimum rows per leaf", help, disabled=not counted)
    if not counted:
        right.caption("This method ignores the number of rows per leaf.")
    n_rows = prepared.train.n_samples
    if least > n_rows:
        right.caption(
            f":material/warning: No tree is possible with {count(n_rows, 'training row')}. Lower the minimum."
        )
    return replace(request, max_depth="any" if unlimited else depth, min_samples_leaf=least)


def _depth(place: Any, request: Request, label: str, help: str, *, disabled: bool = False) -> int:
    start = request.max_depth if isinstance(request.max_depth, int) else DEFAULTS.max_depth
    key = state.first(state.design_key("max_depth"), start)
    return place.slider(
        label, 0, max(_DEEPEST, state.get(key)), key=key, help=help, disabled=disabled, persist_state="session"
    )


def _splits(place: Any, request: Request) -> int | None:
    help = "Limits the splits of the whole model, so that it stays readable."
    return ask(place, request, "max_splits", "Maximum splits", help, (0, None), optional=True)


def _diagram(request: Request, prepared: Prepared) -> tuple[Request, bool]:
    """Ask for the skeleton, the split penalty, and the features per split. Invalid widths change nothing."""
    former = request.skeleton or PRESETS["I"].widths
    key = state.first(state.design_key("skeleton"), _write_text(former))
    try:
        widths, trouble = read_widths(state.get(key)), None
    except ShapeError as error:
        widths, trouble = former, str(error)
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
        key=state.first(state.design_key("alpha"), DEFAULT_ALPHA if request.alpha is None else request.alpha),
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
    max_splits = _splits(left, request)
    help = "At least this many training rows must reach each split. Splits that few rows reach are unstable."
    min_rows = ask(right, request, "min_samples_split", "Minimum rows per split", help)
    features = _split_features(request, prepared)
    request = replace(request, skeleton=widths, alpha=alpha, max_splits=max_splits, min_samples_split=min_rows)
    return replace(request, split_features=features), trouble is None


def _write_text(widths: tuple[int, ...]) -> str:
    return " ".join(map(str, widths))


def _split_features(request: Request, prepared: Prepared) -> int | Literal["any"]:
    """How many features a split may combine."""
    one = request.split_features == 1
    key = state.first(state.design_key("split"), ONE_FEATURE if one else SEVERAL_FEATURES)
    left, right = st.columns(2)
    with left:
        about = segments.show("Features per split", (ONE_FEATURE, SEVERAL_FEATURES), key=key, shown=True)
    if about == ONE_FEATURE:
        return 1
    help = "A split compares a weighted sum with a threshold, for instance 0.3 age + 0.7 bmi with 42."
    most = max(2, prepared.train.n_columns)
    start = replace(request, split_features=None) if one or request.split_features == "any" else request
    return ask(right, start, "split_features", "Maximum features per split", help, (2, most), optional=True) or "any"


def limits(request: Request, prepared: Prepared) -> Request:
    """Ask for the time limit, and for the limits that are rarely needed."""
    st.subheader("Search limits")
    left, right = st.columns(2)
    kind = kind_of(request)
    noun = kind.noun
    help = f"When the time is up, you get the best {noun} so far and a lower bound."
    seconds = ask(left, request, "time_limit", "Time limit (s)", help, (1.0, 86400), step=10)
    help = f"0: search until the optimum is proved. 1: stop if no {noun} can save more than 1% of the rows."
    percent = replace(request, gap=100 * request.gap)
    gap = ask(right, percent, "gap", "Optimality tolerance (% of rows)", help, (0.0, 50), step=0.5)
    request = replace(request, time_limit=seconds, gap=gap / 100, min_weight_leaf=0.0)
    if kind is ShapeKind.DIAGRAM:
        return request
    with st.expander("More limits", key="design_more"):
        left, right = st.columns(2)
        help = f"A split must save at least this many training errors. Higher values give a smaller {noun}."
        split_penalty = ask(right, request, "split_penalty", "Split penalty (errors)", help, (0.0, 1e6), step=0.5)
        request = replace(request, split_penalty=split_penalty)
        if kind is ShapeKind.TREE:
            help = "Without this limit, only the depth limits the number of leaves."
            leaves = ask(left, request, "max_leaf_nodes", "Maximum leaves", help, (1, 2**_DEEPEST), optional=True)
            request = replace(request, max_leaf_nodes=leaves)
        if kind is ShapeKind.TREE and prepared.train.weight is not None:
            help = f"The least sum of '{plain(prepared.request.weight or '', 40)}' in each leaf. 0: no minimum."
            weight = ask(right, request, "min_weight_leaf", "Minimum weight per leaf", help, (0.0, None))
            request = replace(request, min_weight_leaf=weight)
    return request
