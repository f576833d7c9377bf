"""Input widgets for each type of constraint field: column, class, group, share, cost, rows, splits."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from components.messages.text import label_with, plain
from components.session import state
from solvers.constraints import Field, FieldType, Who, round_thresholds
from solvers.constraints.fields import SharedCost
from solvers.constraints.questions import Questions
from solvers.constraints.values import exact, grouping
from solvers.problem import Column, Dataset, Kind, MissingPolicy, Op
from solvers.problem.groups import crossed_columns
from solvers.problem.texts import plural

_MOST_SHARED = 8
_COSTS_HEIGHT = 182
_LEVELS = 3
_SEX = ("sex", "gender")
"""Names of columns that a fairness constraint suggests."""
"""Maximum number of levels of a fixed top of the model."""


def describe_label(field: Field) -> str:
    """The label of a field with its unit, unless the label includes it."""
    stated = not field.unit or field.unit in field.label.lower().split()
    label = field.label
    return label if stated else f"{label} ({field.unit})"


class FieldWidget(NamedTuple):
    """A constraint field to fill in for the training rows, whose columns, classes and groups can be chosen.

    `start` is the initial value (`None`: nothing), `key` the prefix of all widget keys, and `others` the values of the
    fields above.
    """

    field: Field
    data: Dataset
    start: Any
    key: str
    others: Mapping[str, Any]

    @property
    def common(self) -> dict[str, Any]:
        """Label, help and key of the widget, if one widget is enough."""
        return {"label": self.label, "help": self.field.help or None, "key": self.key}

    def offering(self, names: Sequence[str]) -> dict[str, Any]:
        """The common arguments with the names to choose from."""
        return {**self.common, "options": names, "format_func": label_with(names, self.name)}

    def name(self, name: str) -> str:
        """A name for readers: the label of a feature, or a family with its size."""
        schema = self.data.schema
        n = len(schema.families.get(name, ()))
        return f"{name} ({plural(n, 'feature')})" if n else schema.titles([name])[0]

    @property
    def label(self) -> str:
        """The label with the unit, and whether the field may be empty."""
        open_end = self.field.optional and self.field.type in (FieldType.VALUE, FieldType.SHARED_COSTS)
        return describe_label(self.field) + (", if any" if open_end else "")


def ask(widget: FieldWidget) -> Any:
    """Draw the widgets of a field and return its value for `Field.clean`; `None` while nothing is chosen."""
    return _ASK[widget.field.type](widget)


def _one_of(widget: FieldWidget, names: tuple[str, ...], placeholder: str) -> str | None:
    """Ask for one of some names; a name that the changed table no longer has must be chosen again."""
    start = widget.start if widget.start in names else None
    state.first(widget.key, start)
    return st.selectbox(**widget.offering(names), index=None, placeholder=placeholder)


def _families(widget: FieldWidget) -> tuple[str, ...]:
    """The names of families, then those of features."""
    return (*widget.data.schema.families, *widget.data.schema.names)


def _columns(widget: FieldWidget) -> tuple[str, ...] | None:
    names = _families(widget)
    state.first(widget.key, [name for name in widget.start or () if name in names])
    return tuple(st.multiselect(**widget.offering(names), placeholder="Choose features")) or None


def _number(widget: FieldWidget, scale: int = 1) -> Any:
    """Ask for a number; the widget shows `scale` times the value."""
    low, high = (None if end is None else float(end) * scale for end in (widget.field.low, widget.field.high))
    start = None if widget.start is None else float(widget.start * scale)
    state.first(widget.key, start)
    value = st.number_input(
        **widget.common,
        min_value=low,
        max_value=high,
        value=None,
        step=1.0,
        format="%g",
        placeholder=("optional, " if widget.field.optional else "")
        + ("a number" if low is None or high is None else f"{low:g} to {high:g}"),
    )
    if start is not None and value == start:
        # a share such as 10/19 has more digits than the widget shows
        return widget.start
    return None if value is None else exact(Fraction(exact(value)) / scale)


def _count(widget: FieldWidget) -> int | None:
    low, high = (None if end is None else int(end) for end in (widget.field.low, widget.field.high))
    key = state.first(widget.key, widget.start)
    looks: dict[str, Any] = {**widget.common, "key": key, "placeholder": "a whole number"}
    value = st.number_input(min_value=low, max_value=high, value=None, step=1, **looks)
    return None if value is None else int(value)


def _choice(widget: FieldWidget) -> str | None:
    words = dict(widget.field.choices)
    state.first(widget.key, widget.start or next(iter(words)))
    return st.radio(**widget.common, options=list(words), format_func=lambda value: words[value])


def _class(widget: FieldWidget) -> str | None:
    names = widget.data.classes
    positive = None if widget.data.positive is None else names[widget.data.positive]
    start = widget.start if widget.start in names else positive
    if len(names) > 4:
        return _one_of(widget._replace(start=start), names, "Choose a class")
    state.first(widget.key, start)
    return st.segmented_control(**widget.common, options=names, format_func=lambda name: plain(label_with(names)(name)))


def _classes(widget: FieldWidget) -> tuple[str, ...] | None:
    """Ask for an order of all classes, chosen one after the other, lowest first."""
    names = widget.data.classes
    if widget.start and set(widget.start) == set(names):
        start = list(widget.start)
    elif widget.data.positive is not None and len(names) == 2:
        start = [names[1 - widget.data.positive], names[widget.data.positive]]
    else:
        start = list(names)
    state.first(widget.key, start)
    return tuple(st.multiselect(**widget.offering(names), placeholder="Choose all, lowest first")) or None


def _who(widget: FieldWidget) -> Who | None:
    """Ask for a column, and for one of its groups or a range of its values."""
    start = widget.start
    groups = {group.name: group for group in widget.data.groups}
    if start is not None and crossed_columns(start.column, [*groups, *widget.data.schema.names]):
        groups[start.column] = grouping(widget.data, start.column)
    names = tuple(dict.fromkeys([*groups, *widget.data.schema.names]))
    common = widget._replace(start=start and start.column)
    name = _one_of(common, names, "All rows" if widget.field.optional else "Choose a column")
    if name is None:
        return None
    former = start if start is not None and start.column == name else None
    key = f"{widget.key}_{name}"
    column = None if name in groups else widget.data.schema[name]
    if column is None or column.kind in (Kind.BINARY, Kind.CATEGORICAL):
        levels = groups[name].levels if column is None else column.levels
        state.first(key, former.level if former and former.level in levels else None)
        level = st.selectbox(
            "Group",
            levels,
            format_func=label_with(levels),
            index=None,
            key=key,
            placeholder="Choose a group",
        )
        return None if level is None else Who(name, level)
    ends = (None, None) if former is None else (former.low or former.level, former.high or former.level)
    places, names = st.columns(2), ("From", "To")
    low, high = (
        _ask_value(place, widget.data, column, name, end, f"{key}_{side}")
        for place, name, end, side in zip(places, names, ends, ("low", "high"), strict=True)
    )
    if low is None and high is None:
        return None
    return Who(name, low) if low == high and column.kind.has_levels else Who(name, low=low, high=high)


def _grouping(widget: FieldWidget) -> str | None:
    columns = sorted(widget.data.schema.columns, key=lambda column: not column.kind.has_levels)
    groups = [group.name for group in widget.data.groups]
    likely = [column.name for column in columns if column.kind.has_levels and column.name.casefold() in _SEX]
    start = widget.start or next(iter(groups if len(groups) == 1 else likely), None)
    # a constraint from a file may cross columns that the data does not cross
    crossed = [start] if start is not None and crossed_columns(start, [*groups, *widget.data.schema.names]) else []
    names = tuple(dict.fromkeys([*groups, *crossed, *(column.name for column in columns)]))
    return _one_of(widget._replace(start=start), names, "Choose a column such as sex or region")


def _costs(widget: FieldWidget) -> dict[str, Any] | None:
    """Ask for the cost of each column."""
    costs = _by_column(widget, widget.data.schema.names, "Cost", "0: free.")
    return costs if any(costs.values()) else None


def _units(widget: FieldWidget) -> dict[str, Any] | None:
    """Ask for the unit of each numeric column, initially those that `round_thresholds` proposes."""
    names = tuple(column.name for column in widget.data.schema.columns if column.kind is Kind.NUMERIC)
    if widget.start is None and (proposed := round_thresholds(widget.data)) is not None:
        widget = widget._replace(start=proposed.units)
    units = _by_column(widget, names, "Multiples of", "0: any threshold.")
    return {name: unit for name, unit in units.items() if unit} or None


def _by_column(widget: FieldWidget, names: tuple[str, ...], title: str, help: str) -> dict[str, Any]:
    """Ask for a number for each column, in a table that accepts a paste from a spreadsheet."""
    known = {name: float(number) for name, number in (widget.start or {}).items()}
    st.markdown(f":small[{plain(widget.label)}]", help=widget.field.help or None)
    edited = st.data_editor(
        pd.DataFrame({"column": names, "number": [known.get(name, 0.0) for name in names]}),
        key=widget.key,
        hide_index=True,
        height=min(36 * (len(names) + 1) + 2, _COSTS_HEIGHT),
        disabled=["column"],
        column_config={
            "column": st.column_config.TextColumn("Feature"),
            "number": st.column_config.NumberColumn(title, min_value=0.0, format="%g", help=help),
        },
    )
    numbers = edited["number"].fillna(0.0).tolist()
    return {name: exact(number) for name, number in zip(names, numbers, strict=True)}


def _shared(widget: FieldWidget) -> list[SharedCost] | None:
    """Ask for costs shared by several columns, one per line; an empty line follows the last filled one."""
    found: list[SharedCost] = []
    start = list(widget.start or ())
    st.markdown(f":small[{plain(widget.label)}]", help=widget.field.help or None)
    for i in range(_MOST_SHARED):
        known = start[i] if i < len(start) else None
        left, right = st.columns([3, 1])
        chosen = left.multiselect(
            f"Features with shared cost {i + 1}",
            _families(widget),
            format_func=label_with(_families(widget), widget.name),
            key=state.first(f"{widget.key}_{i}", [] if known is None else list(known.columns)),
            placeholder="Features with a shared cost, such as one blood sample",
            label_visibility="collapsed",
        )
        paid = right.number_input(
            f"Shared cost {i + 1}",
            0.0,
            value=None,
            format="%g",
            key=state.first(f"{widget.key}_{i}_cost", None if known is None else float(known.cost)),
            placeholder="cost",
            label_visibility="collapsed",
        )
        if not chosen or paid is None:
            break
        found.append(SharedCost(tuple(chosen), exact(paid)))
    return found or None


def _row_sets(widget: FieldWidget) -> tuple[tuple[int, ...], ...] | str | None:
    """Ask for sets of rows as text, one set per line; text that cannot be parsed is returned unchanged."""
    known = "\n".join(", ".join(map(str, rows)) for rows in widget.start or ())
    state.first(widget.key, known)
    text = st.text_area(**widget.common, placeholder="12, 47\n3, 8, 15", height=100)
    lines = [line.replace(",", " ").replace(";", " ").split() for line in text.splitlines() if line.strip()]
    if not all(word.isdecimal() for line in lines for word in line):
        return text
    return tuple(tuple(map(int, line)) for line in lines) or None


def _value(widget: FieldWidget) -> Any:
    """Ask for a value of the column chosen above."""
    name = widget.others.get(widget.field.of or "")
    if name not in widget.data.schema.names:
        st.caption(f"{widget.label}: choose the feature first.")
        return None
    column = widget.data.schema[name]
    key = f"{widget.key}_{name}"
    return _ask_value(st.container(), widget.data, column, widget.label, widget.start, key, widget.field.help)


def _ask_value(place: Any, data: Dataset, column: Column, label: str, start: Any, key: str, help: str = "") -> Any:
    """Ask for a value of a column in the units and levels of the table; `None` while nothing is entered."""
    if column.kind.has_levels:
        state.first(key, start if start in column.levels else None)
        words, levels = label_with(column.levels), column.levels
        looks = {"index": None, "key": key, "help": help or None, "placeholder": "Choose a level"}
        return place.selectbox(label, levels, format_func=words, **looks)
    values = data.X[:, data.schema.index(column.name)]
    known = values[~np.isnan(values)]
    span = f"{column.format(float(known.min()))} to {column.format(float(known.max()))}" if len(known) else ""
    hint = f"{help} Training data: {plain(span)}.".strip() if span else help or None
    if column.kind is Kind.DATE:
        state.first(key, None if start is None else dt.date.fromisoformat(str(start)[:10]))
        day = place.date_input(label, value=None, key=key, help=hint, min_value=dt.date(1800, 1, 1))
        return None if day is None else day.isoformat()
    try:
        number = None if start is None else float(exact(start))
    except ValueError:
        number = None
    state.first(key, number)
    value = place.number_input(label, value=None, format="%g", key=key, help=hint, placeholder=span or "a number")
    return None if value is None else exact(value)


def _questions(data: Dataset, start: Questions | None, key: str, answers: tuple[str, ...] = ()) -> Questions | None:
    """Ask for the split at the end of these branches, and for those below it; `None` while incomplete."""
    names = data.schema.names
    # no column names here: a label is read aloud as written, including the escapes for Markdown
    label = f"Question after {', '.join(answers)}" if answers else "First question"
    left, right = st.columns([1.2, 1])
    name = left.selectbox(
        label,
        names,
        format_func=label_with(names),
        index=None,
        key=state.first(f"{key}_column", start.column if start and start.column in names else None),
        placeholder="Chosen by the search" if answers else "Choose a feature",
    )
    if name is None:
        return None
    former = start if start is not None and start.column == name else None
    with right:
        question = _question(data, data.schema[name], former, f"{key}_{name}")
    if question is None or len(answers) == _LEVELS - 1:
        return question
    below = {
        side: _questions(data, getattr(former, side, None), f"{key}_{name}_{side}", (*answers, side))
        for side in ("yes", "no")
    }
    return Questions(question.column, question.op, question.value, question.missing, **below)


def _question(data: Dataset, column: Column, former: Questions | None, key: str) -> Questions | None:
    """Ask for a split on a column: whether it is missing, a level, or a threshold."""
    op = Op.IS if column.kind in (Kind.BINARY, Kind.CATEGORICAL) else Op.LE
    offers_missing = column.has_missing and data.schema.missing is not MissingPolicy.COMPLETE
    if offers_missing and st.checkbox(
        "Is missing", key=state.first(f"{key}_gone", former is not None and former.op is Op.MISSING)
    ):
        return Questions(column.name, Op.MISSING)
    label = "Is" if op is Op.IS else "Is at most"
    if column.kind is Kind.ORDERED:
        label = f"Is at most (in the order {plain(' < '.join(column.levels), 120)})"
    value = _ask_value(st.container(), data, column, label, former and former.value, f"{key}_value")
    if value is None:
        st.caption(f":orange[{'Choose a level' if column.kind.has_levels else 'Enter a threshold'}.]")
        return None
    missing = former is not None and former.missing
    if offers_missing and data.schema.missing is MissingPolicy.INFORMATION:
        missing = st.checkbox("Missing values answer yes", key=state.first(f"{key}_missing", missing))
    return Questions(column.name, op, value, missing)


_ASK: dict[FieldType, Callable[[FieldWidget], Any]] = {
    FieldType.COLUMN: lambda widget: _one_of(widget, widget.data.schema.names, "Choose a feature"),
    FieldType.FAMILY: lambda widget: _one_of(widget, _families(widget), "Choose a family or feature"),
    FieldType.COLUMNS: _columns,
    FieldType.COUNT: _count,
    FieldType.NUMBER: _number,
    FieldType.SHARE: lambda widget: _number(widget, scale=100),
    FieldType.CHOICE: _choice,
    FieldType.CLASS: _class,
    FieldType.CLASSES: _classes,
    FieldType.WHO: _who,
    FieldType.GROUPING: _grouping,
    FieldType.COSTS: _costs,
    FieldType.UNITS: _units,
    FieldType.SHARED_COSTS: _shared,
    FieldType.ROW_SETS: _row_sets,
    FieldType.VALUE: _value,
    FieldType.QUESTIONS: lambda widget: _questions(widget.data, widget.start, widget.key),
}
