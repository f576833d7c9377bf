"""Which lesson, and how it is set: its table, its depth. The address of the page follows, and leads back to it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from components.session import state
from components.widgets import segments
from components.words.text import plain
from solvers.teaching import (
    MOST_DISTRACTORS,
    MOST_NOISE,
    MOST_ROWS,
    MOST_SEED,
    Greedy,
    Part,
    Recipe,
    Rule,
    Setting,
    lesson,
    lessons,
    params_of,
    setting_of,
)
from solvers.teaching.addresses import DEPTHS
from solvers.teaching.recipes import TRAITS, Traits

_ADDRESS = "_learn_address"
_TROUBLE = "_learn_trouble"
_LEAST_ROWS, _ROW_STEP = 8, 4
_WIDTH = 155
"""Pixels: three beside each other at 1366 pixels, two on a phone."""


def show() -> Setting:
    """Draw the choice of the lesson, its text and its table; returns the setting."""
    _read_address()
    keys = [one.key for one in lessons()]
    left, right = st.columns([1.15, 1], gap="large")
    with left:
        keys = [one.key for one in lessons()]
        st.selectbox(
            "Lesson",
            keys,
            format_func=lambda key: lesson(key).title,
            key=state.first("learn_lesson", keys[0]),
            on_change=_begin,
            persist_state="session",
        )
        chosen = lesson(state.get("learn_lesson"))
        st.markdown(chosen.text)
    _first_values(Setting.of(chosen))
    for note in state.get(_TROUBLE, ()):
        st.warning(plain(note, 300), icon=":material/link_off:")
    with right:
        recipe, depth = _table(chosen.rules)
    part = Part(segments.show("What to do", chosen.parts, key="learn_part", words=lambda part: Part(part).title))
    setting = Setting(chosen, recipe, depth, part, Greedy(state.get("learn_method")))
    return setting


def follow(setting: Setting) -> None:
    """Let the address lead to what is shown."""
    address = params_of(setting)
    if dict(st.query_params) != address:
        st.query_params.from_dict(address)
    state.put(_ADDRESS, address)


def show_method() -> None:
    """Draw the choice of the greedy method."""
    segments.show(
        "Greedy method",
        tuple(Greedy),
        key="learn_method",
        words=lambda name: Greedy(name).title,
        shown=True,
        help="Both take the question that looks best now. CART: the purest sides by the Gini index. C4.5: the best "
        "gain ratio, that is information gained for information asked.",
    )


def _read_address() -> None:
    """Set the lesson that the address asks for, where it is another one than that of the screen."""
    params = dict(st.query_params)
    if not params or params == state.get(_ADDRESS):
        return
    setting, notes = setting_of(params)
    _put(setting)
    state.put(_ADDRESS, params)
    state.put(_TROUBLE, notes)


def _begin() -> None:
    """Set a lesson that was chosen as it begins."""
    _put(Setting.of(lesson(state.get("learn_lesson"))))
    state.put(_TROUBLE, ())


def _begin_table() -> None:
    """Set a table that was chosen as it begins; distractors and seed stay."""
    rule = Rule(state.get("learn_table"))
    _put_recipe(Recipe(rule, distractors=state.get("learn_distractors"), seed=state.get("learn_seed")))


def _draw_again() -> None:
    """Other rows of the same rule."""
    state.put("learn_seed", (state.get("learn_seed") + 1) % (MOST_SEED + 1))


def _values(setting: Setting) -> dict[str, object]:
    recipe = setting.recipe
    return {
        "learn_lesson": setting.lesson.key,
        "learn_depth": setting.depth,
        "learn_part": setting.part,
        "learn_method": setting.method,
        **_recipe_values(recipe),
    }


def _recipe_values(recipe: Recipe) -> dict[str, object]:
    return {
        "learn_table": recipe.rule,
        "learn_rows": recipe.rows,
        "learn_noise": round(100 * recipe.noise),
        "learn_distractors": recipe.distractors,
        "learn_size": recipe.size,
        "learn_seed": recipe.seed,
    }


def _put(setting: Setting) -> None:
    for key, value in _values(setting).items():
        state.put(key, value)


def _put_recipe(recipe: Recipe) -> None:
    for key, value in _recipe_values(recipe).items():
        state.put(key, value)


def _first_values(setting: Setting) -> None:
    for key, value in _values(setting).items():
        state.first(key, value)


def _table(rules: tuple[Rule, ...]) -> tuple[Recipe, int]:
    """Draw the table of the lesson; returns its recipe, and the depth of the trees."""
    traits = TRAITS[Rule(state.get("learn_table"))]
    st.selectbox(
        "Table",
        rules,
        format_func=lambda rule: TRAITS[rule].title,
        key="learn_table",
        on_change=_begin_table,
        persist_state="session",
        disabled=len(rules) == 1,
        help=plain(traits.story, 300),
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        rows = _slider(
            "Rows",
            (_LEAST_ROWS, MOST_ROWS),
            "learn_rows",
            "How many rows there are to learn from. New rows, to see what was learned, are drawn besides.",
            step=_ROW_STEP if state.get("learn_rows") % _ROW_STEP == 0 else 1,
        )
        noise = _slider(
            "Noise",
            (0, round(100 * MOST_NOISE)),
            "learn_noise",
            "How many of the rows to learn from have their class flipped. New rows are never flipped: an error of 0 % "
            "on them means that the rule was found.",
            format="%d %%",
        )
        distractors = _slider(
            "Distractors",
            (0, MOST_DISTRACTORS),
            "learn_distractors",
            "Columns of pure chance (z1, z2, ...). They say nothing about the class, but may seem to.",
        )
        depth = _slider(
            "Depth of trees",
            DEPTHS,
            "learn_depth",
            "The most questions from the root to an answer, the same for you, the greedy method and the optimum.",
        )
        size = _size(traits)
        seed = st.number_input(
            "Seed",
            0,
            MOST_SEED,
            key="learn_seed",
            persist_state="session",
            width=_WIDTH,
            help="The same number gives the same rows, on every machine.",
        )
        st.button("Draw again", icon=":material/casino:", key="learn_again", on_click=_draw_again, width=_WIDTH)
    return Recipe(state.get("learn_table"), rows, noise / 100, distractors, size, seed), depth


def _size(traits: Traits) -> int | None:
    """Draw what only some rules have: the number of bits, fields or questions."""
    if traits.size is None:
        return None
    what, least, most, usual = traits.size
    if state.get("learn_size") is None:
        state.put("learn_size", usual)
    return _slider(what[0].upper() + what[1:], (least, most), "learn_size", "A larger number makes a harder rule.")


def _slider(label: str, ends: tuple[int, int], key: str, help: str, **more: Any) -> int:
    return st.slider(label, *ends, key=key, persist_state="session", help=help, width=_WIDTH, **more)
