"""How the form of a constraint asks for each type of field: column, class, group, share, cost, rows, questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from components.design.constraints.question_fields import ask_questions
from components.design.constraints.value_fields import ask_range, ask_value
from components.session import state
from components.words.constraint_facts import label_words
from components.words.text import plain
from solvers.constraints import Field, FieldType, Who
from solvers.constraints.values import exact
from solvers.problem import Dataset, Kind

_MOST_SHARED = 8
_COSTS_HEIGHT = 182


class Ask(NamedTuple):
    """A field to ask for.

    Attributes
    ----------
    field : what is asked.
    data : the training rows, whose columns, classes and groups can be chosen.
    start : what the field begins with; `None` for nothing.
    key : of the widget, and the beginning of those of its parts.
    others : the values of the fields above.
    """

    field: Field
    data: Dataset
    start: Any
    key: str
    others: Mapping[str, Any]

    @property
    def common(self) -> dict[str, Any]:
        """Label, help and key of the widget, where one suffices."""
        return {"label": self.label, "help": self.field.help or None, "key": self.key}

    @property
    def label(self) -> str:
        """The label with the unit, and whether the field may stay empty."""
        open_end = self.field.optional and self.field.type in (FieldType.VALUE, FieldType.SHARED_COSTS)
        return label_words(self.field) + (", if any" if open_end else "")


def ask(asked: Ask) -> Any:
    """Draw the widgets of a field and return its value, as `Field.clean` takes it; `None` while nothing is chosen."""
    return _ASK[asked.field.type](asked)


def _column(asked: Ask) -> str | None:
    return _one_of(asked, asked.data.schema.names, "Choose a column")


def _one_of(asked: Ask, names: tuple[str, ...], placeholder: str) -> str | None:
    """Ask for one of some names; what the table does not have (after it changed) must be chosen anew."""
    start = asked.start if asked.start in names else None
    state.first(asked.key, start)
    return st.selectbox(**asked.common, options=names, index=None, placeholder=placeholder)


def _columns(asked: Ask) -> tuple[str, ...] | None:
    names = asked.data.schema.names
    state.first(asked.key, [name for name in asked.start or () if name in names])
    return tuple(st.multiselect(**asked.common, options=names, placeholder="Choose columns")) or None


def _count(asked: Ask) -> int | None:
    low, high = asked.field.low, asked.field.high
    state.first(asked.key, asked.start)
    value = st.number_input(
        **asked.common,
        min_value=None if low is None else int(low),
        max_value=None if high is None else int(high),
        value=None,
        step=1,
        placeholder="a whole number",
    )
    return None if value is None else int(value)


def _number(asked: Ask, scale: int = 1) -> Any:
    """Ask for a number; the widget shows `scale` times the value."""
    low, high = (None if end is None else float(end) * scale for end in (asked.field.low, asked.field.high))
    state.first(asked.key, None if asked.start is None else float(asked.start * scale))
    value = st.number_input(
        **asked.common,
        min_value=low,
        max_value=high,
        value=None,
        step=1.0,
        format="%g",
        placeholder="a number" if low is None or high is None else f"{low:g} to {high:g}",
    )
    if asked.start is not None and value == float(asked.start * scale):
        # a share such as 10/19 has more digits than the widget shows
        return asked.start
    return None if value is None else exact(Fraction(exact(value)) / scale)


def _share(asked: Ask) -> Any:
    return _number(asked, 100)


def _choice(asked: Ask) -> str | None:
    words = dict(asked.field.choices)
    state.first(asked.key, asked.start or next(iter(words)))
    return st.radio(**asked.common, options=list(words), format_func=words.__getitem__)


def _class(asked: Ask) -> str | None:
    names = asked.data.classes
    positive = None if asked.data.positive is None else names[asked.data.positive]
    start = asked.start if asked.start in names else positive
    if len(names) > 4:
        return _one_of(asked._replace(start=start), names, "Choose a class")
    state.first(asked.key, start)
    return st.segmented_control(**asked.common, options=names, format_func=plain)


def _classes(asked: Ask) -> tuple[str, ...] | None:
    """Ask for an order of all classes: they are chosen one after the other, the lowest first."""
    names = asked.data.classes
    if asked.start and set(asked.start) == set(names):
        start = list(asked.start)
    elif asked.data.positive is not None and len(names) == 2:
        start = [names[1 - asked.data.positive], names[asked.data.positive]]
    else:
        start = list(names)
    state.first(asked.key, start)
    return tuple(st.multiselect(**asked.common, options=names, placeholder="Choose them, the lowest first")) or None


def _who(asked: Ask) -> Who | None:
    """Ask for a column, and for one of its groups or a range of its values."""
    groups = {group.name: group for group in asked.data.groups}
    names = tuple(dict.fromkeys([*groups, *asked.data.schema.names]))
    start = asked.start
    common = asked._replace(start=start and start.column)
    name = _one_of(common, names, "Everyone" if asked.field.optional else "Choose a column")
    if name is None:
        return None
    former = start if start is not None and start.column == name else None
    column = asked.data.schema[name] if name in asked.data.schema.names else None
    key = f"{asked.key}_{name}"
    if name in groups or column.kind in (Kind.BINARY, Kind.CATEGORICAL):
        levels = groups[name].levels if name in groups else column.levels
        state.first(key, former.level if former and former.level in levels else None)
        level = st.selectbox("Which of them", levels, index=None, key=key, placeholder="Choose a group")
        return None if level is None else Who(name, level)
    ends = None if former is None else (former.low or former.level, former.high or former.level)
    low, high = ask_range(asked.data, column, ends, key)
    if low is None and high is None:
        return None
    return Who(name, low) if low == high and column.kind.has_levels else Who(name, low=low, high=high)


def _grouping(asked: Ask) -> str | None:
    columns = sorted(asked.data.schema.columns, key=lambda column: not column.kind.has_levels)
    names = tuple(dict.fromkeys([group.name for group in asked.data.groups] + [column.name for column in columns]))
    start = asked.start or (asked.data.groups[0].name if len(asked.data.groups) == 1 else None)
    return _one_of(asked._replace(start=start), names, "Choose a column such as sex or region")


def _costs(asked: Ask) -> tuple[tuple[str, Any], ...] | None:
    """Ask for the cost of each column in a table that can be filled from a spreadsheet."""
    known = {name: float(cost) for name, cost in asked.start or ()}
    names = asked.data.schema.names
    st.markdown(f":small[{plain(asked.label)}]", help=asked.field.help or None)
    edited = st.data_editor(
        pd.DataFrame({"column": names, "cost": [known.get(name, 0.0) for name in names]}),
        key=asked.key,
        hide_index=True,
        height=min(36 * (len(names) + 1) + 2, _COSTS_HEIGHT),
        disabled=["column"],
        column_config={
            "column": st.column_config.TextColumn("Column"),
            "cost": st.column_config.NumberColumn("Cost of asking", min_value=0.0, format="%g", help="0: free."),
        },
    )
    costs = edited["cost"].fillna(0.0).tolist()
    return tuple((name, exact(cost)) for name, cost in zip(names, costs, strict=True)) if any(costs) else None


def _shared(asked: Ask) -> tuple[tuple[tuple[str, ...], Any], ...] | None:
    """Ask for costs that columns share, a line each; a further empty line stands below the last that is filled."""
    found: list[tuple[tuple[str, ...], Any]] = []
    start = list(asked.start or ())
    st.markdown(f":small[{plain(asked.label)}]", help=asked.field.help or None)
    for i in range(_MOST_SHARED):
        columns, cost = start[i] if i < len(start) else ((), None)
        left, right = st.columns([3, 1])
        chosen = left.multiselect(
            f"Columns that share cost {i + 1}",
            asked.data.schema.names,
            key=state.first(f"{asked.key}_{i}", list(columns)),
            placeholder="Columns that are paid together, such as all from one blood sample",
            label_visibility="collapsed",
        )
        paid = right.number_input(
            f"Shared cost {i + 1}",
            0.0,
            value=None,
            format="%g",
            key=state.first(f"{asked.key}_{i}_cost", None if cost is None else float(cost)),
            placeholder="cost",
            label_visibility="collapsed",
        )
        if not chosen or paid is None:
            break
        found.append((tuple(chosen), exact(paid)))
    return tuple(found) or None


def _row_sets(asked: Ask) -> tuple[tuple[int, ...], ...] | str | None:
    """Ask for sets of rows as text, a set on each line; a text that is none is returned as it stands."""
    known = "\n".join(", ".join(map(str, rows)) for rows in asked.start or ())
    state.first(asked.key, known)
    text = st.text_area(**asked.common, placeholder="12, 47\n3, 8, 15", height=100)
    lines = [line.replace(",", " ").replace(";", " ").split() for line in text.splitlines() if line.strip()]
    if not all(word.isdecimal() for line in lines for word in line):
        return text
    return tuple(tuple(map(int, line)) for line in lines) or None


def _value(asked: Ask) -> Any:
    """Ask for a value of the column that was chosen above."""
    name = asked.others.get(asked.field.of)
    if name not in asked.data.schema.names:
        st.caption(f"{asked.label}: choose the column first.")
        return None
    column = asked.data.schema[name]
    return ask_value(asked.data, column, asked.label, asked.start, f"{asked.key}_{name}", asked.field.help)


def _questions(asked: Ask) -> Any:
    return ask_questions(asked.data, asked.start, asked.key)


_ASK: dict[FieldType, Callable[[Ask], Any]] = {
    FieldType.COLUMN: _column,
    FieldType.COLUMNS: _columns,
    FieldType.COUNT: _count,
    FieldType.NUMBER: _number,
    FieldType.SHARE: _share,
    FieldType.CHOICE: _choice,
    FieldType.CLASS: _class,
    FieldType.CLASSES: _classes,
    FieldType.WHO: _who,
    FieldType.GROUPING: _grouping,
    FieldType.COSTS: _costs,
    FieldType.SHARED_COSTS: _shared,
    FieldType.ROW_SETS: _row_sets,
    FieldType.VALUE: _value,
    FieldType.QUESTIONS: _questions,
}
