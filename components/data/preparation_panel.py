"""The list of preparation steps: add and undo steps, save the list, or load another."""

from typing import Any

import streamlit as st

from components.messages.text import count, file_name, label_with, plain
from components.session import state, steps
from components.session.work import Source
from solvers.errors import DataError
from solvers.problem import STEPS
from solvers.problem.preparation import Entry, EntryType, step_from_json

_MOST_VALUES = 200
"""Maximum number of values of a column that are offered; others can be typed."""


def show(source: Source) -> None:
    """Draw the list with its buttons, and the form for another step."""
    preparation = source.preparation
    title = f"Preparation: {count(len(preparation), 'step')}" if preparation else "Prepare the table"
    with st.expander(
        title,
        expanded=bool(preparation),
        icon=":material/rule_settings:",
        key=f"steps_{source.number}_{bool(preparation)}",
    ):
        if preparation:
            st.markdown("\n".join(f"{i}. {plain(words, 300)}" for i, words in enumerate(preparation.words, start=1)))
        else:
            st.caption(
                "Rename columns, merge levels, mark codes as missing, cut numbers, combine columns. The model "
                "applies the same steps to new data."
            )
        if problem := steps.trouble(source):
            st.error(plain(problem, 600), icon=":material/error:")
        with st.container(horizontal=True):
            _buttons(source)
        _add(source)


def _buttons(source: Source) -> None:
    preparation = source.preparation
    st.button(
        "Undo last step",
        key="undo_step",
        icon=":material/undo:",
        disabled=not preparation,
        on_click=steps.undo,
        args=(source,),
    )
    st.download_button(
        "Save steps",
        preparation.text(),
        file_name=file_name(source.table.name, ending="steps.json"),
        mime="application/json",
        key="save_steps",
        icon=":material/download:",
        disabled=not preparation,
        on_click="ignore",
    )
    with st.popover("Load steps", icon=":material/upload:"):
        key = f"load_steps_{source.number}_{state.visit()}"
        st.file_uploader("Steps file (JSON)", type=["json"], key=key, on_change=steps.load, args=(source, key))


def _add(source: Source) -> None:
    st.markdown("**New step**")
    kind = st.selectbox(
        "Kind of step",
        list(STEPS),
        format_func=lambda name: STEPS[name].title,
        key=f"step_kind_{source.number}",
        persist_state="session",
    )
    cls = STEPS[kind]
    st.caption(cls.summary)
    # after a step is added, the fields are reset
    place = f"step_{source.number}_{len(source.preparation)}_{kind}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for entry in cls.entries():
            if _applies(entry, kind, place):
                _field(source, entry, place)
    st.button("Add step", key="add_step", type="secondary", icon=":material/add:", on_click=_added,
              args=(source, kind, place))  # fmt: skip


def _applies(entry: Entry, kind: str, place: str) -> bool:
    """Whether a field applies to the choices above it."""
    choices = [one for one in STEPS[kind].entries() if one.type is EntryType.CHOICE]
    return not any(state.get(_key(one, place)) in entry.unless for one in choices)


def _key(entry: Entry, place: str) -> str:
    """The key of a field; a field for values has one key per column."""
    key = f"{place}_{entry.name}"
    return f"{key}_{state.get(f'{place}_column')}" if entry.type is EntryType.VALUES else key


def _field(source: Source, entry: Entry, place: str) -> None:
    """Draw the widget of a field."""
    label, help, key = entry.label, entry.help or None, _key(entry, place)
    match entry.type:
        case EntryType.COLUMN:
            st.selectbox(
                label,
                source.table.names,
                index=1 if entry.name == "second" and len(source.table.names) > 1 else 0,
                key=key,
                help=help,
                format_func=label_with(source.table.names),
                width=220,
            )
        case EntryType.CHOICE:
            st.selectbox(label, entry.choices, key=key, help=help, width=190)
        case EntryType.VALUES:
            column = state.get(f"{place}_column")
            values = _values(source, column) if column and entry.name != "names" else []
            st.multiselect(
                label,
                values,
                key=key,
                help=help,
                format_func=label_with(values),
                accept_new_options=True,
                placeholder="Choose or type",
                width=280,
            )
        case EntryType.NUMBERS:
            st.text_input(label, key=key, help=help, placeholder="7; 14", width=170)
        case EntryType.NAME:
            st.text_input(label, key=key, help=help, width=200)


def _entered(entry: Entry, place: str) -> Any:
    """The current input of a field."""
    value = state.get(_key(entry, place))
    return value.replace(";", " ").split() if entry.type is EntryType.NUMBERS and value else value


def _values(source: Source, column: str) -> list[str]:
    texts = source.table.texts(column)
    often = sorted(range(len(texts.text)), key=lambda i: -int(texts.count[i]))
    return [texts.text[i] for i in often if texts.text[i]][:_MOST_VALUES]


def _added(source: Source, kind: str, place: str) -> None:
    """Add a step from the current fields, as the `on_click` of the button: the last drawing may be older than those."""
    entries = STEPS[kind].entries()
    fields = {entry.name: _entered(entry, place) for entry in entries if _applies(entry, kind, place)}
    try:
        step = step_from_json({"kind": kind, **{name: value for name, value in fields.items() if value}})
    except DataError as error:
        steps.refuse(source, error)
        return
    steps.add(source, step)
