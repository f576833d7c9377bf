"""Preparation steps in SQL: columns added to those of the raw table, before they are converted to the model's numbers.

The steps are written in the SQL of DuckDB, for translation by `dialects`. SQLite has no column types: there,
expressions on numbers test the type of each cell.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..problem.preparation import (
    Combine,
    Condition,
    Cut,
    KeepRows,
    Operation,
    Preparation,
    ReadAs,
    Rename,
    Replace,
    Step,
)
from ..problem.texts import format_number, parse_numbers
from .dialects import Dialect, exact_number, quoted_name, quoted_text
from .spellings import missing_marks


@dataclass
class SqlPreparation:
    """Preparation steps under construction.

    Attributes
    ----------
    steps : the steps to write.
    dialect : the SQL dialect.
    prefix : the prefix of new column names.
    made : the columns that steps made or renamed, each with its name in SQL.
    kept : the columns that are 1 in rows that a step keeps.
    queries : the columns of each query, in order; each query reads the previous one as 't'.
    """

    steps: Preparation
    dialect: Dialect
    prefix: str
    made: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    queries: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number, step in enumerate(self.steps.steps):
            self._write(step, f"{self.prefix}{number}")

    @property
    def is_typed(self) -> bool:
        """Whether the columns of the table have types."""
        return self.dialect is not Dialect.SQLITE

    def cell(self, name: str) -> str:
        """A column of the model in the last of the queries."""
        return f"t.{quoted_name(self.made.get(name, name))}"

    def _write(self, step: Step, new: str) -> None:
        if isinstance(step, KeepRows):
            self.kept.append(new)
            self._add(self._holds(step, new), new)
            return
        if isinstance(step, Rename):
            self.made[step.to] = self.made.get(step.column, step.column)
            return
        expression = self._expression(step, new)
        self._add(expression, new)
        assert step.makes is not None
        self.made[step.makes] = new

    def _add(self, expression: str, new: str) -> None:
        self.queries.append([f"{expression} AS {new}"])

    def _expression(self, step: Step, new: str) -> str:
        if isinstance(step, Replace):
            return self._replaced(step.column, {step.to: step.values})
        if isinstance(step, ReadAs):
            return self._dated(step, new) if step.form.is_date else self._at_limits(step)
        if isinstance(step, Cut):
            return self._cut(step, new)
        assert isinstance(step, Combine)
        first, sign, second = step.formula
        one, two = self._numbers(new, first, second, dates=step.operation is Operation.DAYS)
        result = f"({one} / NULLIF({two}, 0))" if sign == "/" else f"({one} - {two})"
        # a non-finite result is missing
        return f"CASE WHEN NOT IS_INFINITE({result}) THEN {result} END"

    def _numbers(self, new: str, *names: str, dates: bool = False) -> list[str]:
        """Columns as numbers, in a separate query, since later expressions use them more than once."""
        read = "CELL_DAYS" if dates else "CELL_NUMBER"
        columns = [f"{new}_{place}" for place in range(len(names))]
        self.queries.append([f"{read}({self.cell(name)}) AS {one}" for name, one in zip(names, columns, strict=True)])
        refused = " OR ".join(f"IS_INFINITE(t.{one})" for one in columns)
        self.kept.append(f"{new}_finite")
        self._add(f"CASE WHEN {refused} THEN 0 ELSE 1 END", f"{new}_finite")
        return [f"t.{one}" for one in columns]

    def _is_missing(self, cell: str) -> str:
        """Whether a cell is missing or a missing-value mark."""
        marks = ", ".join(map(quoted_text, missing_marks()))
        return f"{cell} IS NULL OR LOWER(CELL_TEXT({cell})) IN ({marks})"

    def _replaced(self, column: str, new: Mapping[str, tuple[str, ...]], others: str | None = None) -> str:
        """Replace values of a column, '' for missing; `others` is the expression for its other cells."""
        cell, typed = self.cell(column), self.is_typed and any(new)
        cases = (
            f"WHEN {self._met(cell, values)} THEN {quoted_text(to) if typed else self._literal(to)}"
            for to, values in new.items()
        )
        return f"CASE {' '.join(cases)} ELSE {others or (f'CAST({cell} AS VARCHAR)' if typed else cell)} END"

    def _at_limits(self, step: ReadAs) -> str:
        """Replace texts that stand for limits with numbers; convert the other cells of the column."""
        limits: dict[str, tuple[str, ...]] = {}
        for limit, number in step.numbers.items():
            limits[number] = (*limits.get(number, ()), limit)
        return self._replaced(step.column, limits, self._of_texts(self.cell(step.column)))

    def _of_texts(self, cell: str) -> str:
        """A cell of a numeric column with limits, which is text: rejected if it is not a plain number."""
        text = f"CELL_TEXT({cell})"
        missing = f"WHEN {self._is_missing(cell)} THEN NULL"
        if self.is_typed:
            plain = f"TRANSLATE({text}, '0123456789', '') IN ('', '.', '-', '-.') AND {text} NOT LIKE '_%-%'"
            return f"CASE {missing} WHEN {plain} AND {text} <> '-.' THEN {text} ELSE 'Infinity' END"
        plain = f"LTRIM({text}, '-') GLOB '[0-9]*' AND SUBSTR({text}, 2) NOT GLOB '*[^0-9.]*'"
        short = f"LENGTH({text}) <= 15 AND {text} NOT GLOB '*.*.*'"
        number = f"WHEN {short} AND {plain} THEN CAST({text} AS REAL)"
        return f"CASE WHEN TYPEOF({cell}) <> 'text' THEN {cell} {missing} {number} ELSE {cell} END"

    def _dated(self, step: ReadAs, new: str) -> str:
        """A date as year-month-day: split at its first two separators."""
        cell, find = self.cell(step.column), "STRPOS({}, '/')"
        written, marked, first, second = (f"{new}_{place}" for place in range(4))
        text = f"CELL_TEXT({cell})"
        self.queries.append([f"{text} AS {written}", f"REPLACE(REPLACE({text}, '.', '/'), '-', '/') AS {marked}"])
        self.queries.append([f"{find.format(f't.{marked}')} AS {first}"])
        self.queries.append([f"{find.format(f'SUBSTR(t.{marked}, t.{first} + 1, 3)')} AS {second}"])
        ahead, month, day = (place - 1 for place in step.date[1])
        width, fits = ("4", "IN (2, 3)") if ahead else ("2", "= 5")
        places = (
            ("1", f"t.{first} - 1"),
            (f"t.{first} + 1", f"t.{second} - 1"),
            (f"t.{first} + t.{second} + 1", width),
        )
        parts = [f"SUBSTR(t.{written}, {start}, {size})" for start, size in places]
        padded = [f"SUBSTR('0' || {one}, LENGTH({one}), 2)" for one in parts]
        good = f"t.{first} {fits} AND t.{second} IN (2, 3) AND LENGTH({parts[2]}) = {width}"
        time = f"SUBSTR(t.{written}, {places[2][0]} + {width}, 40)"
        made = f"{parts[ahead]} || '-' || {padded[month]} || '-' || {padded[day]} || {time}"
        # in typed columns, an invalid date then stops the query
        return f"CASE WHEN {self._is_missing(cell)} THEN NULL WHEN {good} THEN {made} ELSE {text} END"

    def _literal(self, text: str) -> str:
        """A text as SQLite stores it: a number if spelled as one, so that a numeric column stays numeric."""
        value = float(parse_numbers([text])[0])
        if not text:
            return "NULL"
        return self._float(value) if math.isfinite(value) and format_number(value) == text else quoted_text(text)

    def _met(self, cell: str, values: Iterable[str]) -> str:
        """Whether a cell is one of some values, as the same text or the same number."""
        values = list(values)
        numbers = [float(x) for x in parse_numbers(values) if math.isfinite(x)]
        spelled = dict.fromkeys([*values, *(form for x in numbers for form in (format_number(x), repr(x)))])
        spelled |= dict.fromkeys(("-0", "-0.0") if 0 in numbers else ())
        found = f"CELL_TEXT({cell}) IN ({', '.join(map(quoted_text, spelled))})"
        if not numbers or self.is_typed:
            return found
        # SQLite cuts numbers to 15 digits when it converts them to text
        listed = ", ".join(self._float(x) for x in numbers)
        return f"CASE WHEN TYPEOF({cell}) IN ('integer', 'real') THEN {cell} IN ({listed}) ELSE {found} END"

    def _cut(self, step: Cut, new: str) -> str:
        value = self._numbers(new, step.column)[0]
        names = [quoted_text(name) for name in step.ranges]
        limits = [self._float(limit) for limit in step.thresholds]
        cases = [f"WHEN {value} <= {limit} THEN {name}" for limit, name in zip(limits, names, strict=False)]
        return f"CASE {' '.join(cases)} WHEN {value} > {limits[-1]} THEN {names[-1]} END"

    def _holds(self, step: KeepRows, new: str) -> str:
        condition = step.condition
        if condition.compares:
            value = self._numbers(new, step.column, dates=step.is_date)[0]
            limit = self._float(step.limit)
            return f"CASE WHEN {value} {condition.sign} {limit} THEN 1 ELSE 0 END"
        cell = self.cell(step.column)
        if condition is Condition.KNOWN:
            return f"CASE WHEN {self._is_missing(cell)} THEN 0 ELSE 1 END"
        yes, no = (1, 0) if condition is Condition.IS else (0, 1)
        return f"CASE WHEN {self._met(cell, step.values)} THEN {yes} ELSE {no} END"

    def _float(self, value: float) -> str:
        return exact_number(value, self.dialect)
