"""Wishes saved and loaded as JSON, and ready-made ones for the samples."""

from __future__ import annotations

import streamlit as st

from components import state
from components.text import count, plain
from solvers.constraints.files import constraints_of, constraints_text
from solvers.errors import ConstraintError
from solvers.problem import Problem


def show(problem: Problem) -> None:
    """Draw the buttons beside 'Add a wish'."""
    with st.popover("Save or load", icon=":material/save:"):
        _save()
        _load()


def _save() -> None:
    on = state.wishes().on
    st.download_button(
        f"Save {count(len(on), 'wish', 'wishes')} (JSON)" if on else "Save (JSON)",
        constraints_text(on),
        file_name="wishes.json",
        mime="application/json",
        key="wishes_save",
        disabled=not on,
        help="Those that are switched on. The command line reads the same file.",
        on_click="ignore",
    )


def _load() -> None:
    st.file_uploader(
        "Load wishes from a JSON file",
        type=["json"],
        key="wishes_file",
        on_change=_take,
        help="They are added to the list; those that are there already are switched on.",
    )
    trouble = state.get("_wishes_trouble")
    if trouble:
        st.error(plain(trouble, 500), icon=":material/error:")


def _take() -> None:
    """Add the wishes of the file that was given, or note why it cannot be read."""
    file, trouble = state.get("wishes_file"), None
    if file is not None:
        try:
            text = file.getvalue().decode("utf-8-sig")
            state.set_wishes(state.wishes().with_added(constraints_of(text, f"The file '{file.name}'")))
        except UnicodeDecodeError:
            trouble = f"The file '{file.name}' is not text in UTF-8. Save some wishes to see such a file."
        except ConstraintError as error:
            trouble = str(error)
    state.put("_wishes_trouble", trouble)
