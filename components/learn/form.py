"""The lesson and its settings; the page address follows them."""

from typing import Any

import streamlit as st

from components.learn import builder
from components.learn.classroom import Classroom, classroom
from components.messages.text import capitalise, plain
from components.session import state
from components.widgets import copy_link, footer, segments
from solvers.errors import DataError
from solvers.teaching import (
    MOST_DISTRACTORS,
    MOST_NOISE,
    MOST_ROWS,
    MOST_SEED,
    Greedy,
    LessonPart,
    Recipe,
    Rule,
    Setting,
    lesson,
    lessons,
    params_of,
    setting_of,
    tree_of,
    tree_param,
)
from solvers.teaching.addresses import DEPTHS
from solvers.teaching.recipes import TRAITS, Traits

_LESSON, _PART, _METHOD, _DEPTH = "learn_lesson", "learn_part", "learn_method", "learn_depth"
_TABLE, _ROWS, _NOISE, _DISTRACTORS = "learn_table", "learn_rows", "learn_noise", "learn_distractors"
_SIZE, _SEED = "learn_size", "learn_seed"
_ADDRESS = "_learn_address"
_TROUBLE = "_learn_trouble"
_LEAST_ROWS, _ROW_STEP = 8, 4
_WIDTH = 155
"""Pixels of a field: three fit side by side at 1366 pixels, two on a phone."""


def show() -> Setting:
    """Draw the choice of the lesson, its text and its table; returns the setting."""
    _read_address()
    for note in state.get(_TROUBLE, ()):
        st.warning(plain(note, 300), icon=":material/link_off:")
    left, right = st.columns([1.15, 1], gap="large")
    with left:
        keys = [one.key for one in lessons()]
        st.selectbox(
            "Lesson",
            keys,
            format_func=lambda key: lesson(key).title,
            key=state.first(_LESSON, keys[0]),
            on_change=_begin,
            persist_state="session",
        )
        chosen = lesson(state.get(_LESSON))
        st.markdown("\n\n".join(chosen.paragraphs))
    for key, value in _values(Setting.of(chosen)).items():
        state.first(key, value)
    with right:
        recipe, depth = _table(chosen.rules)
    footer.link()
    part = LessonPart(segments.show("What to do", chosen.parts, key=_PART, words=lambda part: LessonPart(part).label))
    return Setting(chosen, recipe, depth, part, Greedy(state.get(_METHOD)))


def follow(room: Classroom) -> None:
    """Update the page address to match the setting and the student's tree."""
    address = params_of(room.setting)
    if tree := tree_param(builder.own_history(room).now):
        address["tree"] = tree
    if dict(st.query_params) != address:
        st.query_params.from_dict(address)
    state.put(_ADDRESS, address)


def show_method() -> None:
    """Draw the choice of the greedy method."""
    segments.show(
        "Greedy method",
        tuple(Greedy),
        key=_METHOD,
        words=lambda name: Greedy(name).label,
        shown=True,
        help="Both choose the best split now. CART: by the Gini index. C4.5: by the gain ratio.",
    )


def _read_address() -> None:
    """Apply the lesson of the address, if it differs from that of the screen."""
    params = dict(st.query_params)
    if not params or params == state.get(_ADDRESS):
        return
    setting, notes = setting_of(params)
    _put(setting)
    if "tree" in params:
        room = classroom(setting)
        try:
            builder.take(room, tree_of(params["tree"], room.problem))
        except DataError as error:
            notes += (str(error),)
    state.put(_ADDRESS, params)
    state.put(_TROUBLE, notes)


def _begin() -> None:
    """Reset a newly chosen lesson to its initial setting."""
    _put(Setting.of(lesson(state.get(_LESSON))))
    state.put(_TROUBLE, ())


def _begin_table() -> None:
    """Reset a newly chosen table to its initial setting; distractors and seed stay."""
    recipe = Recipe(Rule(state.get(_TABLE)), distractors=state.get(_DISTRACTORS), seed=state.get(_SEED))
    for key, value in _recipe_values(recipe).items():
        state.put(key, value)


def _values(setting: Setting) -> dict[str, object]:
    return {
        _LESSON: setting.lesson.key,
        _DEPTH: setting.depth,
        _PART: setting.part,
        _METHOD: setting.method,
        **_recipe_values(setting.recipe),
    }


def _recipe_values(recipe: Recipe) -> dict[str, object]:
    return {
        _TABLE: recipe.rule,
        _ROWS: recipe.rows,
        _NOISE: round(100 * (recipe.noise or 0)),
        _DISTRACTORS: recipe.distractors,
        _SIZE: recipe.size,
        _SEED: recipe.seed,
    }


def _put(setting: Setting) -> None:
    for key, value in _values(setting).items():
        state.put(key, value)


def _table(rules: tuple[Rule, ...]) -> tuple[Recipe, int]:
    traits = TRAITS[Rule(state.get(_TABLE))]
    st.selectbox(
        "Table",
        rules,
        format_func=lambda rule: TRAITS[rule].title,
        key=_TABLE,
        on_change=_begin_table,
        persist_state="session",
        disabled=len(rules) == 1,
        help=plain(traits.story, 300),
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        rows = _slider(
            "Rows",
            (_LEAST_ROWS, MOST_ROWS),
            _ROWS,
            "Training rows. New rows are drawn separately.",
            step=_ROW_STEP if state.get(_ROWS) % _ROW_STEP == 0 else 1,
        )
        noise = _slider(
            "Noise",
            (0, round(100 * MOST_NOISE)),
            _NOISE,
            "Training rows with a flipped class. New rows have no noise.",
            format="%d%%",
        )
        distractors = _slider(
            "Distractors",
            (0, MOST_DISTRACTORS),
            _DISTRACTORS,
            "Random features (z1, z2, ...) unrelated to the class.",
        )
        depth = _slider(
            "Maximum depth",
            DEPTHS,
            _DEPTH,
            "The same for you, the greedy method and the optimum.",
        )
        size = _size(traits)
        seed = st.number_input(
            "Seed",
            0,
            MOST_SEED,
            key=_SEED,
            persist_state="session",
            width=_WIDTH,
            help="The same seed gives the same rows.",
        )
        st.button(
            "New table",
            icon=":material/casino:",
            key="learn_again",
            on_click=lambda: state.put(_SEED, (state.get(_SEED) + 1) % (MOST_SEED + 1)),
            width=_WIDTH,
        )
        copy_link.show(width=_WIDTH)
    return Recipe(state.get(_TABLE), rows, noise / 100, distractors, size, seed), depth


def _size(traits: Traits) -> int | None:
    """Draw the size field that only some rules have: the number of bits, fields or questions."""
    if traits.size is None:
        return None
    label, least, most, usual = traits.size
    if state.get(_SIZE) is None:
        state.put(_SIZE, usual)
    return _slider(capitalise(label), (least, most), _SIZE, "Larger is harder.")


def _slider(label: str, ends: tuple[int, int], key: str, help: str, **more: Any) -> int:
    return st.slider(label, *ends, key=key, persist_state="session", help=help, width=_WIDTH, **more)
