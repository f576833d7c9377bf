"""What if: reverse a split, change a value, or find the smallest change that changes the prediction."""

from collections.abc import Collection, Mapping

import numpy as np
import streamlit as st

from components.inspect.explorer import case_field
from components.messages.text import count, label_with, plain
from components.session import state
from solvers.diagram import Diagram, Step, Trace
from solvers.errors import EspalierError
from solvers.metrics import Counterfactual, Moved, counterfactual, crossing, spreads
from solvers.problem import Dataset, Predicate

_CAUTION = "Shows how the model decides, not what a treatment would do."


def changed(diagram: Diagram, values: np.ndarray, edits: Mapping[str, Moved]) -> np.ndarray:
    """The matrix values of a row with some columns changed, float64 (n_columns,)."""
    out = np.array(values, np.float64)
    for name, edit in edits.items():
        out[diagram.schema.index(name)] = edit.after
    return out


def reversal(diagram: Diagram, values: np.ndarray, step: Step, data: Dataset) -> Moved | None:
    """The smallest change of one column that reverses a step of the path; `None` for a weighted sum."""
    predicate = diagram.split(step.node).predicate
    if not isinstance(predicate, Predicate):
        return None
    j = diagram.schema.index(predicate.column)
    return crossing(diagram.schema, predicate, values[j], not step.answer, _unit(diagram, data)[j])


def with_edit(
    diagram: Diagram, values: np.ndarray, made: Mapping[str, Moved], name: str, edit: Moved | float
) -> dict[str, Moved]:
    """The changes of a row with one more, a move or a value; restoring the original value removes the change."""
    before = float(values[diagram.schema.index(name)])
    others = {column: one for column, one in made.items() if column != name}
    after = edit.after if isinstance(edit, Moved) else float(edit)
    if before == after or (np.isnan(before) and np.isnan(after)):
        return others
    ends = (edit.low, edit.high) if isinstance(edit, Moved) else ()
    return others | {name: Moved(name, before, after, 1.0, *ends)}


def describe_edit(diagram: Diagram, edit: Moved) -> str:
    """A change as text, for instance 'age 70 instead of 50'."""
    column = diagram.schema[edit.column]
    if np.isfinite(edit.low) or np.isfinite(edit.high):
        return edit.words(diagram.schema)
    before, after = (column.format(value) or "missing" for value in (edit.before, edit.after))
    return f"{column.title} {after} instead of {before}"


def nearest(
    diagram: Diagram, values: np.ndarray, data: Dataset, fixed: Collection[str] = ()
) -> tuple[str, Counterfactual | None]:
    """A sentence on the nearest row with another prediction, and this row if there is one.

    Raises `DiagramError` if the model splits on weighted sums, or has too many paths.
    """
    found = counterfactual(diagram, values, _unit(diagram, data), fixed=fixed)
    if found is None:
        kept = ", ".join(diagram.schema.titles(fixed))
        stay = f" while {kept} stay{'s' * (len(fixed) == 1)} the same" if fixed else ""
        return f"No change leads to another prediction{stay}.", None
    words = " and ".join(move.words(diagram.schema) for move in found.moved)
    return (
        f"The prediction would be {diagram.classes[found.label]} with {words}. "
        f"No smaller change does this ({count(len(found.moved), 'feature')} changed).",
        found,
    )


def _unit(diagram: Diagram, data: Dataset) -> np.ndarray:
    """The unit of change of each column of the diagram, in the order of its schema."""
    by_name = dict(zip(data.schema.names, spreads(data), strict=True))
    return np.array([by_name.get(name, 1.0) for name in diagram.schema.names])


def edits(values: np.ndarray, *, key: str) -> dict[str, Moved]:
    """The columns of a row that the user has changed; another row starts without changes."""
    about, found = state.get(f"edits_{key}", (b"", {}))
    return found if about == values.tobytes() else {}


def show(diagram: Diagram, values: np.ndarray, trace: Trace, train: Dataset, *, key: str) -> None:
    """Draw the steps of a path, each with a button that reverses it, and the changes made so far.

    `values` is the original row, float64 (n_columns,), and `trace` its path with the changes. The unit of change is the
    spread of the training rows.
    """
    made = edits(values, key=key)
    st.markdown("**What if?**", help=f"Reverse a split and see the new prediction. {_CAUTION}")
    now = changed(diagram, values, made)

    def keep(changes: dict[str, Moved]) -> None:
        state.put(f"edits_{key}", (values.tobytes(), changes))

    for step in trace.steps:
        change = reversal(diagram, now, step, train)
        after = made if change is None else with_edit(diagram, values, made, change.column, change)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(plain(step.words, 200), width="stretch")
            st.button(
                "Reverse",
                key=f"turn_{step.node}_{key}",
                icon=":material/swap_horiz:",
                disabled=change is None,
                help=None if change is None else f"What if: {plain(describe_edit(diagram, change), 200)}",
                on_click=keep,
                args=(after,),
            )
    with st.container(horizontal=True):
        _other_value(diagram, values, made, key)
        if made:
            st.button("Undo changes", key=f"undo_{key}", icon=":material/undo:", on_click=keep, args=({},))
    if made:
        st.caption(f"Changed: {plain('; '.join(describe_edit(diagram, edit) for edit in made.values()), 600)}.")
    if trace.label < 0:
        return
    with st.expander("Smallest change", key=f"smallest_{key}"):
        fixed = st.multiselect(
            "Features that stay fixed",
            diagram.features,
            format_func=label_with(diagram.features, lambda name: diagram.schema[name].title),
            key=f"fixed_{key}",
            placeholder="none",
            help="Features that cannot change, for instance age.",
            persist_state="session",
        )
        try:
            sentence, found = nearest(diagram, values, train, tuple(fixed))
        except EspalierError as error:
            st.caption(plain(error, 300))
            return
        st.markdown(plain(sentence, 1000))
        if found is not None:
            moves = {move.column: move for move in found.moved}
            st.button("Show this change", key=f"show_{key}", on_click=keep, args=(moves,))
        st.caption(
            _CAUTION,
            help="Fewest changed features first, then the smallest change in standard deviations of the training rows.",
        )


def _other_value(diagram: Diagram, values: np.ndarray, made: dict[str, Moved], key: str) -> None:
    if not diagram.features:
        return
    with st.popover("Change a value", key=f"change_{key}"):
        words = label_with(diagram.features, lambda name: diagram.schema[name].title)
        name = st.selectbox("Feature", diagram.features, format_func=words, key=f"column_{key}")
        now = changed(diagram, values, made)[diagram.schema.index(name)]
        # the key includes the current value, because a field starts with it
        field = f"value_{name}_{now}_{key}"
        case_field.show(diagram.schema[name], key=field, start=now, label="New value")
        st.button("Apply", key=f"apply_{key}", on_click=_apply, args=(diagram, values, made, name, field, key))
        trouble = state.get(f"trouble_{key}")
        if trouble:
            st.error(plain(trouble, 300))


def _apply(diagram: Diagram, values: np.ndarray, made: dict[str, Moved], name: str, field: str, key: str) -> None:
    """Apply the entered value, or show why it is not accepted."""
    try:
        value = case_field.encode_cell(diagram, name, case_field.read_entry(field))
    except EspalierError as error:
        state.put(f"trouble_{key}", str(error))
        return
    state.put(f"trouble_{key}", None)
    state.put(f"edits_{key}", (values.tobytes(), with_edit(diagram, values, made, name, value)))
