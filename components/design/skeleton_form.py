"""How large a decision diagram may be: its skeleton, the price of a question, and what a question may be about."""

from dataclasses import replace

import streamlit as st

from components.design.shape_pictures import skeleton
from components.design.size_fields import ask_questions, ask_whole
from components.session import state
from components.session.work import Design, Prepared
from components.widgets import footer, segments
from components.words.shape_facts import ONE_COLUMN, SEVERAL_COLUMNS
from components.words.text import capitalised, plain
from solvers.errors import ShapeError
from solvers.problem.skeleton import PRESETS, alpha_in_words, read_widths

WIDTHS, COLUMNS = state.design_key("widths"), state.design_key("split_features")
QUESTIONS_ABOUT = state.design_key("split")
"""The keys under which the session has the skeleton, the most columns of a question, and whether they are several."""

ALPHAS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


def show(design: Design, prepared: Prepared) -> tuple[Design, bool]:
    """Draw the form; returns whether the widths can be read. Where they cannot, the former ones stay."""
    st.subheader("Size of the diagram")
    widths, sound = _widths(design)
    design = replace(design, widths=widths)
    alpha = _alpha(design, prepared)
    footer.link()
    left, right = st.columns(2)
    max_splits = ask_questions(left, design)
    min_rows = ask_whole(
        right,
        design,
        "min_rows",
        "Rows per question, at least",
        "So many training rows (patients, customers, ...) must come to every question. A question that "
        "few rows come to may look different with the next table.",
    )
    split_features = _split_features(design, prepared)
    design = replace(design, alpha=alpha, max_splits=max_splits, min_rows=min_rows, split_features=split_features)
    return design, sound


def _widths(design: Design) -> tuple[tuple[int, ...], bool]:
    """The skeleton: a preset, or widths that are written down; and whether these can be read."""
    key = state.first(WIDTHS, _written(design.widths))
    try:
        widths, trouble = read_widths(state.get(key)), None
    except ShapeError as error:
        widths, trouble = design.widths, str(error)
    for preset, place in zip(PRESETS.values(), st.columns(len(PRESETS), gap="small"), strict=True):
        chosen = trouble is None and preset.widths == widths
        with place, st.container(horizontal_alignment="center", gap="xsmall"):
            picture = skeleton(preset.widths, dark=state.dark(), chosen=chosen)
            st.image(picture, width=112, alt=f"Skeleton {preset.name}: {preset.summary}")
            st.button(
                preset.name,
                key=f"design_skeleton_{preset.name}",
                type="primary" if chosen else "secondary",
                width="stretch",
                help=f"{_written(preset.widths)}: {preset.summary}",
                on_click=state.put,
                args=(key, _written(preset.widths)),
            )
    st.text_input(
        "Skeleton: the most questions in each layer, from the top",
        key=key,
        help="The first layer is the one first question. Each layer has at most twice the questions of the "
        "one above. Ways lead from a layer to the next, or to an answer.",
        persist_state="session",
    )
    if trouble:
        st.error(plain(trouble, 300), icon=":material/error:")
    return widths, trouble is None


def _written(widths: tuple[int, ...]) -> str:
    return " ".join(map(str, widths))


def _alpha(design: Design, prepared: Prepared) -> float:
    alpha = st.select_slider(
        "Alpha: the price of a question",
        ALPHAS,
        key=state.first(state.design_key("alpha"), design.alpha),
        format_func=lambda value: f"{value:g}",
        help="A larger alpha gives a smaller diagram, which is easier to read and often as good on new "
        "cases. With 1, fifteen questions cost as much as an error in every row.",
        persist_state="session",
    )
    weighted = prepared.train.weight is not None
    row, rows = ("unit of weight", "units of weight") if weighted else ("training row", "training rows")
    words = alpha_in_words(alpha, prepared.train.total_weight, row=row, rows=rows)
    st.caption(f"{capitalised(words)}.")
    return alpha


def _split_features(design: Design, prepared: Prepared) -> int | None:
    """How many columns a question may combine; `None` for any number."""
    start = ONE_COLUMN if design.split_features == 1 else SEVERAL_COLUMNS
    state.first(QUESTIONS_ABOUT, start)
    left, right = st.columns(2)
    with left:
        about = segments.show("A question is about", (ONE_COLUMN, SEVERAL_COLUMNS), key=QUESTIONS_ABOUT, shown=True)
    if about == ONE_COLUMN:
        return 1
    most = right.number_input(
        "Columns per question, at most",
        2,
        max(2, prepared.train.n_columns),
        value=None,
        placeholder="no limit",
        key=state.first(COLUMNS, None if design.split_features == 1 else design.split_features),
        help="How many columns a question may combine. It compares a weighted sum with a limit, for "
        "instance 0.3 age + 0.7 bmi is 42 or less. The fewer columns, the easier it is to work out.",
        persist_state="session",
    )
    return None if most is None else int(most)
