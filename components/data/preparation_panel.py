"""The list of steps that prepare the table, in words: one is added, taken back, all are saved, or others loaded."""

from typing import Any

import streamlit as st

from components.data import steps
from components.session import state
from components.session.work import Source
from components.words.text import count, plain
from solvers.errors import DataError
from solvers.language import tr
from solvers.problem import STEPS, Step
from solvers.problem.preparation import Entry, EntryType

_MOST_VALUES = 200
"""So many values of a column are offered; others can be typed."""


def show(source: Source) -> None:
    """Draw the list with its buttons, and the form for a further step."""
    preparation = source.preparation
    title = (
        tr("Preparation: {steps}", steps=count(len(preparation), "step"))
        if preparation
        else tr("Prepare this table in steps")
    )
    with st.expander(title, expanded=bool(preparation), icon=":material/rule_settings:", key=f"steps_{source.number}"):
        if preparation:
            st.markdown("\n".join(f"{i}. {plain(words, 300)}" for i, words in enumerate(preparation.words, start=1)))
        else:
            st.caption(
                tr(
                    "Rename, join levels, treat codes as missing, cut numbers, make columns of others. The "
                    "model carries the steps, so that it takes the table as it came."
                )
            )
        if problem := steps.trouble(source):
            st.error(plain(problem, 600), icon=":material/error:")
        with st.container(horizontal=True):
            _buttons(source)
        _add(source)


def _buttons(source: Source) -> None:
    preparation = source.preparation
    st.button(
        tr("Undo the last step"),
        key="undo_step",
        icon=":material/undo:",
        disabled=not preparation,
        on_click=steps.undo,
        args=(source,),
    )
    st.download_button(
        tr("Save the steps"),
        preparation.text(),
        file_name=f"{source.table.name}.steps.json",
        mime="application/json",
        key="save_steps",
        icon=":material/download:",
        disabled=not preparation,
        on_click="ignore",
    )
    with st.popover(tr("Load steps"), icon=":material/upload:"):
        key = f"load_steps_{source.number}_{state.visit()}"
        st.file_uploader(tr("Steps that were saved"), type=["json"], key=key, on_change=steps.load, args=(source, key))


def _add(source: Source) -> None:
    st.markdown(tr("**Add a step**"))
    kind = st.selectbox(
        tr("Step"),
        list(STEPS),
        format_func=lambda name: tr(STEPS[name].title),
        key=f"step_kind_{source.number}",
        persist_state="session",
    )
    cls = STEPS[kind]
    st.caption(tr(cls.summary))
    # the fields of a step that was added start afresh
    place = f"step_{source.number}_{len(source.preparation)}_{kind}"
    filled: dict[str, Any] = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for entry in cls.form():
            filled[entry.name] = _field(source, entry, f"{place}_{entry.name}", filled.get("column"))
    st.button(tr("Add this step"), key="add_step", type="secondary", icon=":material/add:", on_click=_added,
              args=(source, cls, filled))  # fmt: skip


def _field(source: Source, entry: Entry, key: str, column: str | None) -> Any:
    """The widget of a field, with what it holds."""
    label, help = tr(entry.label), tr(entry.help) or None
    match entry.type:
        case EntryType.COLUMN:
            return st.selectbox(label, source.table.names, key=key, help=help, format_func=plain, width=220)
        case EntryType.CHOICE:
            return st.selectbox(label, entry.choices, key=key, help=help, width=170)
        case EntryType.VALUES:
            offered = _values(source, column) if column and entry.name != "names" else []
            return st.multiselect(
                label,
                offered,
                key=f"{key}_{column}",
                help=help,
                format_func=plain,
                accept_new_options=True,
                placeholder=tr("Choose or type"),
                width=280,
            )
        case EntryType.NUMBER:
            return st.number_input(label, value=entry.default, key=key, help=help, format="%g", width=140)
        case EntryType.NUMBERS:
            text = st.text_input(label, key=key, help=help, placeholder=tr("such as 7; 14"), width=170)
            return [part for part in text.replace(";", " ").split() if part]
        case EntryType.NAME:
            return st.text_input(label, key=key, help=help, width=200)


def _values(source: Source, column: str) -> list[str]:
    texts = source.table.texts(column)
    often = sorted(range(len(texts.text)), key=lambda i: -int(texts.count[i]))
    return [texts.text[i] for i in often if texts.text[i]][:_MOST_VALUES]


def _added(source: Source, cls: type[Step], filled: dict[str, Any]) -> None:
    """Add what was filled in, as the `on_click` of the button."""
    given = {name: value for name, value in filled.items() if value not in ("", [], None)}
    try:
        step = cls.from_json(given)
    except DataError as error:
        steps.refuse(source, error)
        return
    steps.add(source, step)
