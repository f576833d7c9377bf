"""The way of one case through a diagram: a row of the data, or values that the user enters."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from components.inspect.explorer import case_field
from components.model.facts import SMALL, CaseFacts
from components.session import state
from components.widgets import segments
from components.widgets.rows_choice import NamedRows
from components.words.text import NOTICE, capitalised, count, plain
from solvers.diagram import Diagram

_LISTED = 500
_LIST_HEIGHT = 180


class Case(NamedTuple):
    """A case: its matrix values, float64 (n_columns,), in the order of the diagram's schema, and its class if known."""

    values: np.ndarray
    truth: str | None


def choose(diagram: Diagram, rows: NamedRows, *, key: str) -> Case | None:
    """Ask for a case; `None` until there is one."""
    way = segments.show("Case", ["A row", "Enter values"], key=f"way_{key}")
    return _row(diagram, rows, key) if way == "A row" else _entered(diagram, key)


def _row(diagram: Diagram, rows: NamedRows, key: str) -> Case | None:
    data = rows.data
    number = st.number_input(
        "Row number in the file",
        1,
        value=None,
        placeholder=f"for instance {data.rows[0]}",
        key=f"row_{key}",
        persist_state="session",
    )
    if number is None:
        _list(diagram, rows, key)
        return None
    found = np.flatnonzero(data.rows == number)
    if not len(found):
        st.caption(f"Row {number} is not among the {rows.name} rows.")
        _list(diagram, rows, key)
        return None
    with st.popover("Another row", icon=":material/table_rows:"):
        _list(diagram, rows, key)
    return Case(diagram.encode(data.take(found[:1]))[0], data.classes[data.y[found[0]]])


def _list(diagram: Diagram, rows: NamedRows, key: str) -> None:
    """Draw the rows with what the model asks of them; the one that is clicked becomes the case."""
    some = rows.data.take(np.arange(min(rows.data.n_samples, _LISTED)))
    frame = some.frame()[[some.outcome, *diagram.features]]
    answers = np.where(diagram.stops(some) < 0, np.array(diagram.classes, object)[diagram.predict(some)], "no answer")
    frame.insert(0, "answer", answers, allow_duplicates=True)
    name = f"list_{rows.name}_{key}"
    more = (
        "" if rows.data.n_samples <= _LISTED else f" The first {count(_LISTED)} are listed; enter other numbers above."
    )
    st.caption(f"Or click a row.{more}")

    def pick() -> None:
        chosen = state.get(name)["selection"]["rows"]
        if chosen:
            state.put(f"row_{key}", int(some.rows[chosen[0]]))

    # an outcome may be called as a column of ours is
    frame.columns = _unique(list(frame.columns))
    st.dataframe(frame.rename_axis("row"), key=name, height=_LIST_HEIGHT, on_select=pick, selection_mode="single-row")


def _unique(names: list[str]) -> list[str]:
    """Names that differ, by invisible characters where they must."""
    return [name + "\u200b" * names[:i].count(name) for i, name in enumerate(names)]


def _entered(diagram: Diagram, key: str) -> Case | None:
    with st.form(f"case_{key}", border=False):
        nothing = f"This {diagram.kind.noun} asks nothing."
        st.caption("Leave a field empty where the value is missing." if diagram.features else nothing)
        cells = {name: case_field.show(diagram.schema[name], key=f"{key}_{name}") for name in diagram.features}
        if st.form_submit_button("Trace"):
            values = diagram.encode(pd.DataFrame({name: [cell] for name, cell in cells.items()}, index=[0]))[0]
            state.put(f"entered_{key}", Case(values, None))
    return state.get(f"entered_{key}")


def show(facts: CaseFacts, truth: str | None, former: CaseFacts | None = None) -> None:
    """Draw where a case ends and why, with its class in the data, and where it ended before it was changed."""
    st.markdown(f"**{plain(facts.verdict)}**")
    if former is not None:
        same = "as without the changes" if former.trace.label == facts.trace.label else f"instead of {former.verdict}"
        st.caption(plain(f"{capitalised(same)}."))
    st.markdown(plain(facts.sentence, 2000))
    if facts.small:
        st.caption(f":material/warning: Fewer than {SMALL} rows went this way: the share is uncertain.")
    if truth is not None and former is None:
        st.caption(f"In the data: {plain(truth)}.")
    st.caption(NOTICE)
