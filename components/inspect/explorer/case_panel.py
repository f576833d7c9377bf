"""The path of one row through a diagram: a row of the data, or values that the user enters."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from components.inspect.explorer import case_field
from components.messages.text import NOTICE, count, distinguish, plain
from components.session import state
from components.widgets import segments, shown_rows
from components.widgets.shown_rows import NamedRows
from solvers.diagram import Diagram, Trace, describe_refusal
from solvers.diagram.labels import answer
from solvers.metrics import describe_risk, describe_shared, labels_of, leaf_risks, missing_in_leaves
from solvers.metrics.risks import SMALL

_LISTED = 500
_LIST_HEIGHT = 180


class Case(NamedTuple):
    """A row: its matrix values, float64 (n_columns,), in the order of the diagram's schema, and its class if known."""

    values: np.ndarray
    truth: str | None


class CaseFacts(NamedTuple):
    """The path of a row, its prediction, the reason with observed shares, and whether few rows share the path.

    Without a prediction, the path ends at the split that met a value absent from training, with the label -1.
    """

    trace: Trace
    verdict: str
    sentence: str
    small: bool


def facts_of(diagram: Diagram, row: np.ndarray, rows: NamedRows) -> CaseFacts:
    """The path of a row, float64 (n_columns,), with its predicted risk and the observed shares in the rows shown."""
    trace, data = diagram.path(row), rows.data
    if (stop := int(diagram.stops(row.reshape(1, -1))[0])) >= 0:
        steps = trace.steps[: [step.node for step in trace.steps].index(stop)]
        return CaseFacts(Trace(steps, stop, -1), "No prediction", describe_refusal(diagram, stop, row), False)
    verdict = answer(diagram, trace.label)
    because = f"Because {' and '.join(step.words for step in trace.steps)}" if trace.steps else "For every row"
    leaf = next(one for one in leaf_risks(diagram, data) if one.node == trace.leaf)
    parts = [f"{because}, the prediction is {verdict}.", describe_risk(diagram, leaf, rows.name)]
    X, here = diagram.encode(data), np.ones(data.n_samples, bool)
    for step in trace.steps:
        here &= diagram.split(step.node).predicate.holds(diagram.schema, X) == step.answer
    if len(diagram.parents[trace.leaf]) > 1:
        k = int((labels_of(diagram, data)[here] == leaf.of_class).sum())
        parts.append(f"On this path alone: {count(k)} of {count(int(here.sum()), f'{rows.name} row')}.")
    columns = dict.fromkeys(name for step in trace.steps for name in diagram.split(step.node).predicate.columns)
    if gone := [name for name in columns if np.isnan(row[diagram.schema.index(name)])]:
        among = missing_in_leaves(diagram, data)[trace.leaf]
        n, titles = sum(leaf.counts), diagram.schema.titles(gone)
        parts += (describe_shared(title, among[name], n, rows.name) for title, name in zip(titles, gone, strict=True))
    return CaseFacts(trace, verdict, " ".join(parts), int(here.sum()) < SMALL)


def choose(diagram: Diagram, rows: NamedRows, *, key: str) -> Case | None:
    """Ask for a row; `None` until there is one."""
    source = segments.show("Row", ["A row", "Enter values"], key=f"way_{key}")
    return _row(diagram, rows, key) if source == "A row" else _entered(diagram, key)


def _row(diagram: Diagram, rows: NamedRows, key: str) -> Case | None:
    data = rows.data
    number = shown_rows.ask_number(data, key=f"row_{key}")
    found = np.flatnonzero(data.rows == number)
    if number is not None and len(found):
        with st.popover("Another row", icon=":material/table_rows:"):
            _list(diagram, rows, key)
        return Case(diagram.encode(data.take(found[:1]))[0], data.classes[data.y[found[0]]])
    if number is not None:
        st.caption(f"Row {number} is not one of the {rows.name} rows.")
    _list(diagram, rows, key)
    return None


def _list(diagram: Diagram, rows: NamedRows, key: str) -> None:
    """Draw the rows with the features of the model; a click chooses a row."""
    some = rows.data.take(np.arange(min(rows.data.n_samples, _LISTED)))
    frame = some.frame()[[some.outcome, *diagram.features]]
    predicted = np.array(diagram.classes, object)[diagram.predict(some)]
    frame.insert(0, "prediction", np.where(diagram.stops(some) < 0, predicted, "none"), allow_duplicates=True)
    name = f"list_{rows.name}_{key}"
    more = "" if rows.data.n_samples <= _LISTED else f" First {count(_LISTED)} rows."
    st.caption(f"Or click a row.{more}")

    def pick() -> None:
        chosen = state.get(name)["selection"]["rows"]
        if chosen:
            state.put(f"row_{key}", int(some.rows[chosen[0]]))

    # the outcome may have the same name as one of our columns
    frame.columns = distinguish(list(frame.columns))
    st.dataframe(frame.rename_axis("row"), key=name, height=_LIST_HEIGHT, on_select=pick, selection_mode="single-row")


def _entered(diagram: Diagram, key: str) -> Case | None:
    with st.form(f"case_{key}", border=False):
        nothing = f"This {diagram.kind.noun} has no splits."
        st.caption("Leave a field empty if the value is missing." if diagram.features else nothing)
        cells = {name: case_field.show(diagram.schema[name], key=f"{key}_{name}") for name in diagram.features}
        if st.form_submit_button("Trace"):
            values = diagram.encode(pd.DataFrame({name: [cell] for name, cell in cells.items()}, index=[0]))[0]
            state.put(f"entered_{key}", Case(values, None))
    return state.get(f"entered_{key}")


def show(facts: CaseFacts, truth: str | None, former: CaseFacts | None = None) -> None:
    """Draw the leaf of a row and the reason, its observed class, and its leaf before it was changed."""
    st.markdown(f"**{plain(facts.verdict)}**")
    if former is not None:
        same = former.trace.label == facts.trace.label
        st.caption("Same prediction as without the changes." if same else plain(f"Instead of {former.verdict}."))
    st.markdown(plain(facts.sentence, 2000))
    if facts.small:
        st.caption(f":material/warning: Fewer than {SMALL} rows on this path: observed shares are uncertain.")
    if truth is not None and former is None:
        st.caption(f"Observed class: {plain(truth)}.")
    st.caption(NOTICE)
