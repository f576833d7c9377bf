"""The table of columns: recognised types, with type and use editable."""

from dataclasses import asdict

import pandas as pd
import streamlit as st
from msgspec.structs import replace

from components.messages.text import plain
from components.session import column_choices, state, steps
from components.session.work import Source
from components.workers import pending_table
from solvers.errors import DataError
from solvers.problem import ColumnReport, Description, Kind, dictionary_of
from solvers.problem.column_types import levels_in_order
from solvers.problem.preparation import Rename
from solvers.problem.texts import abbreviate
from solvers.request import Request
from solvers.run import ReadTable

_PLACE = "dictionary"


def show(source: Source, request: Request | None) -> Request | None:
    """Draw the table of columns; returns the request with the features and the changed types and levels.

    Columns with another role (outcome, weight, division of the rows) are not features.
    """
    roles = (request.target, request.weight, request.group_rows, request.centres, request.time) if request else ()
    taken = frozenset(filter(None, roles))
    # The editor keeps its edits relative to its initial table, which must not change: it is built once per visit
    # of the screen, from the earlier choices.
    edit = (source.number, state.visit(), column_choices.edition(), taken)
    made_for, base = state.get("_columns_base", (None, None))
    if made_for != edit:
        base = _rows(source, taken)
        state.put("_columns_base", (edit, base))
    key = f"columns_{source.number}_{state.visit()}_{column_choices.edition()}_{'_'.join(sorted(taken))}"
    edited = st.data_editor(
        base,
        key=key,
        on_change=_rename,
        args=(source, base["name"].tolist(), key),
        hide_index=True,
        width="stretch",
        disabled=["missing", "distinct", "distribution", "examples", "note"],
        column_config={
            "name": st.column_config.TextColumn(
                "Column", pinned=True, width="medium", required=True, help="Click a name to rename the column."
            ),
            "use": st.column_config.CheckboxColumn("Use", width="small", help="Whether the model may use this column."),
            "kind": st.column_config.SelectboxColumn(
                "Type",
                options=[kind.value for kind in Kind],
                width="small",
                help="Click a type to change it.",
            ),
            "family": st.column_config.TextColumn(
                "Family", width="small", max_chars=80, help="Such as history or laboratory. Constraints can name it."
            ),
            "label": st.column_config.TextColumn(
                "Label", width="small", max_chars=80, help="The name in questions, such as Lactate."
            ),
            "unit": st.column_config.TextColumn("Unit", width="small", max_chars=80, help="Such as mmol/L."),
            "missing": st.column_config.NumberColumn("Missing", width="small", format="percent"),
            "distinct": st.column_config.NumberColumn("Distinct", width="small", format="localized"),
            "distribution": st.column_config.BarChartColumn(
                "Distribution",
                width="small",
                y_min=0,
                help="Rows in each tenth of the range, or per level (at most ten).",
            ),
            "examples": st.column_config.TextColumn("Examples", width="medium"),
            "note": st.column_config.TextColumn("Note", width="large"),
        },
    )
    names, used, kinds = base["name"].tolist(), edited["use"].tolist(), edited["kind"].tolist()
    # A column without any value has no type, which the table holds as NaN.
    by_name = {kind.value: kind for kind in Kind}
    types = [by_name[kind] if isinstance(kind, str) else None for kind in kinds]
    chosen = dict(zip(names, zip(map(bool, used), types, strict=True), strict=True))
    column_choices.remember(source.number, {**column_choices.chosen(source), **chosen})
    about = zip(names, edited["label"], edited["unit"], edited["family"], strict=True)
    entered = {name: Description(*("" if text is None else text for text in texts)) for name, *texts in about}
    dictionary = column_choices.dictionary(source) | entered
    column_choices.describe(source.number, dictionary)
    recognised = {report.name: report for report in source.reports}
    changed = {name: kind.value for name, (_, kind) in chosen.items() if kind and kind is not recognised[name].kind}
    features = tuple(name for name, (use, _) in chosen.items() if use)
    levels = _levels(source, [recognised[name] for name in features if chosen[name][1] is Kind.ORDERED])
    if request is None:
        return None
    described = {name: asdict(one) for name, one in dictionary.items() if one}
    return replace(request, features=features, types=changed, levels=levels, dictionary=described)


def offer_dictionary(source: Source) -> bool:
    """Offer to read labels, units and families from a file; True if the screen must be redrawn because of it."""

    def take(read: ReadTable) -> None:
        found = dictionary_of(read.table)
        known = {name: one for name, one in found.items() if name in source.table.columns}
        if not known:
            raise DataError(f"'{read.table.name}' describes no column of the table, but {abbreviate(list(found), 6)}.")
        column_choices.describe(source.number, column_choices.dictionary(source) | known)
        column_choices.draw_anew()

    fields = f"dictionary_{source.number}_{state.visit()}"
    with st.expander("Labels, units, families", icon=":material/menu_book:"):
        st.caption("Enter them in the table above (scroll right), or read a data dictionary.")
        help = "A table with the columns column, label, unit and family, or a data dictionary of REDCap."
        pending_table.upload(_PLACE, fields, "Data dictionary", help, types=False)
        return pending_table.show(_PLACE, take, fields=fields)


def _rename(source: Source, names: list[str], key: str) -> None:
    """Turn edited names into steps, as the `on_change` of the table."""
    rows = state.get(key)["edited_rows"].items()
    edited = {names[row]: str(cells["name"]).strip() for row, cells in rows if cells.get("name")}
    changed = [Rename(name, now) for name, now in edited.items() if now not in ("", name)]
    if changed:
        steps.add(source, *changed)
        column_choices.draw_anew()


def _levels(source: Source, ordered: list[ColumnReport]) -> dict[str, tuple[str, ...]]:
    """Ask for the order of the levels of ordered columns; unchanged orders are left out."""
    if not ordered:
        return {}
    changed = {}
    with st.expander("Order of levels"):
        for report in ordered:
            levels = report.levels or levels_in_order(source.table.texts(report.name))
            text = st.text_input(
                f"Levels of {plain(report.name)}, lowest first",
                key=state.first(
                    column_choices.data_key(source.number, "levels", report.name), column_choices.BETWEEN.join(levels)
                ),
                persist_state="session",
            )
            own = tuple(part.strip() for part in text.split(column_choices.BETWEEN.strip()) if part.strip())
            if own != report.levels:
                changed[report.name] = own
    return changed


def _rows(source: Source, taken: frozenset[str]) -> pd.DataFrame:
    chosen, dictionary = column_choices.chosen(source), column_choices.dictionary(source)
    rows = []
    for report in source.reports:
        if report.name not in taken:
            used, kind = chosen.get(report.name, (column_choices.suggest(report), report.kind))
            described = dictionary.get(report.name, Description())
            notes = (report.problem, "Constant." if report.constant else None, report.why)
            rows.append(
                {
                    "name": report.name,
                    "use": used,
                    "kind": kind and kind.value,
                    "family": described.family,
                    "label": described.label,
                    "unit": described.unit,
                    "missing": report.n_missing / source.table.n_rows,
                    "distinct": report.n_distinct,
                    "distribution": list(report.distribution),
                    "note": " ".join(filter(None, notes)),
                    "examples": ", ".join(map(str, report.examples)),
                }
            )
    about, found = ("family", "label", "unit"), ("missing", "distinct", "distribution", "note", "examples")
    columns = (*about, *found) if dictionary else (*found, *about)
    return pd.DataFrame(rows, columns=["name", "use", "kind", *columns])
