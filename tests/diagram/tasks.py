"""Models with difficult rows, for which every export must give the results of the model."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd
from msgspec.structs import replace as changed

from solvers.diagram import Diagram, Leaf, Split
from solvers.errors import DataError
from solvers.problem import (
    Column,
    Kind,
    MissingPolicy,
    Op,
    Predicate,
    Preparation,
    Schema,
    ShapeKind,
    Unknown,
    build,
    table_of_frame,
)
from solvers.problem.columns import parse_dates
from solvers.problem.preparation import (
    Combine,
    Cut,
    Form,
    KeepRows,
    ReadAs,
    Rename,
    Replace,
    Step,
)
from solvers.problem.samples import load_sample, sample, samples
from solvers.problem.schema import fitted
from solvers.problem.tables import as_table
from solvers.problem.texts import format_number, is_missing_mark, parse_numbers
from tests.case_count import case_count
from tests.diagram.exported import REFUSED, Found, by_diagram, random_model, raw_cases
from tests.diagram.models import HOSTILE, ladder, tree

MARKS = (None, "", "?", " NA ", "n/a", "Unknown", "-")
ROWS = case_count(600, 100)
"""Rows of every sample."""
TEXTS = (
    Column("seen", Kind.CATEGORICAL, ("31/12/2020", "3.4.2021 07:30", "1-2-2021T12:00:00", "28/2/2021", "7.10.2021")),
    Column("turned", Kind.CATEGORICAL, ("2020-31-12", "2021-03-04 07:30", "2021-01-02T12:00:00", "2021-28-02")),
    Column("american", Kind.CATEGORICAL, ("12/31/2020", "4.3.2021 07:30", "2-1-2021T12:00:00", "2/28/2021")),
    Column("lab", Kind.CATEGORICAL, ("<0.5", "> 20", "1", "2.5", "3", "12.75", "-4", "18", "0.25")),
)
DATES = (Column("first day", Kind.DATE), Column("last day", Kind.DATE))
ODD_DAYS = (
    *("2024-02-29", "2024-02-29 12:30", "2024-02-29T12:30:00.1", "2024-02-29T12:30:00.100001", "2024-03-01", None),
    *("1969-12-31", "1970-01-01", "1899-03-01", "2000-12-31 23:59:59.999999", "?", "0001-01-01", "9999-12-31"),
    *("31.1.2024", "2023-02-29", "soon", "2024-13-01"),
)


@dataclass(frozen=True)
class Task:
    """A model, its rows, and its rule for values that no training row has."""

    name: str
    diagram: Diagram
    cases: list[dict[str, Any]]
    unknown: Unknown

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the rows."""
        return self.diagram.schema.columns

    @cached_property
    def expected(self) -> list[Found]:
        """The results of the model for each row."""
        diagram, features = self.diagram, frozenset(self.diagram.features)
        frame = pd.DataFrame(self.cases, columns=list(diagram.schema.names), dtype=object)
        X = diagram.schema.encode(frame, features, strict=False)
        features_X = X[:, [diagram.schema.index(name) for name in diagram.features]]
        refused = np.isinf(features_X).any(axis=1)
        if diagram.schema.missing is MissingPolicy.COMPLETE:
            refused |= np.isnan(features_X).any(axis=1)
            X = np.nan_to_num(X)
        X[np.isinf(X)] = 0.0
        return by_diagram(diagram, X, refused, self.unknown)

    def with_cells(self, change: Callable[[Column, Any], Any]) -> Task:
        """The same with other cells, for targets with typed columns."""
        return replace(self, cases=[{c.name: change(c, case[c.name]) for c in self.columns} for case in self.cases])


@dataclass(frozen=True)
class PreparedTask(Task):
    """The same with preparation steps: the rows are raw."""

    raw: tuple[Column, ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the raw table."""
        return self.raw

    @cached_property
    def expected(self) -> list[Found]:
        """The results of the model; a raw cell that a step cannot read refuses its row."""
        found, left = [REFUSED] * len(self.cases), np.arange(len(self.cases))
        frame = pd.DataFrame(self.cases, dtype=object)
        while True:
            try:
                prepared = self.diagram.prepared(as_table(frame.iloc[left].reset_index(drop=True)))
            except DataError as error:
                if "No row is left" in str(error):
                    return found
                (row,) = re.findall(r"in row (\d+)\)", str(error))
                left = np.delete(left, int(row) - 1)
            else:
                break
        bare = replace(self.diagram, schema=replace(self.diagram.schema, preparation=None))
        cells = prepared.table.frame.reindex(columns=list(bare.schema.names)).to_dict("records")
        for row, one in zip(left[prepared.rows], Task(self.name, bare, cells, self.unknown).expected, strict=True):
            found[row] = one
        return found


def typed_cell(column: Column, cell: Any, infinite: bool = True) -> Any:
    """A cell in a typed database: a number, a timestamp or `None`; texts of levels stay."""
    if column in TEXTS[:3]:
        # if a text is read as a date, an invalid date would stop the query
        return cell if cell is None or is_missing_mark(cell.strip()) or cell.strip() in column.levels else None
    if column.kind.has_levels:
        return cell
    if column.kind is Kind.DATE:
        known = isinstance(cell, str) and not is_missing_mark(cell.strip()) and "+" not in cell
        return cell.strip() if known and not math.isnan(parse_dates([cell.strip()])[0]) else None
    number = parse_numbers([str(cell).strip()])[0]
    return None if math.isnan(number) or (math.isinf(number) and not infinite) else float(number)


@cache
def tasks() -> tuple[Task, ...]:
    """Rows of every sample for a tree, a BDD and a diagram; hostile names; dates; a deep model."""
    out = []
    for position, one in enumerate(samples()):
        for k, kind in enumerate(ShapeKind):
            rng = np.random.default_rng(zlib.crc32(f"nasty {one.key} {kind}".encode()))
            policy = list(MissingPolicy)[(position + k) % 3]
            data = build(load_sample(one.key), changed(sample(one.key).request, missing=policy)).dataset
            data = replace(data, schema=fitted(data.schema, data.X[::2]))
            diagram = random_model(data, kind, rng)
            n = ROWS // 3 + (k == 0)
            unknown = list(Unknown)[(position // 3 + k) % 2]
            out.append(Task(f"{one.key} {kind}", diagram, nasty_cases(diagram, data.X, n, rng), unknown))
    return (*out, *hostile_tasks(), _dates(), _deep())


@cache
def prepared_tasks(*keys: str) -> tuple[PreparedTask, ...]:
    """Raw rows of some or all samples, with dates added, for models with preparation steps of every kind."""
    out = []
    for position, one in enumerate(samples()):
        if keys and one.key not in keys:
            continue
        choices = sample(one.key).request
        table = build(load_sample(one.key), choices).dataset
        for k, kind in enumerate(ShapeKind):
            rng = np.random.default_rng(zlib.crc32(f"steps {one.key} {kind}".encode()))
            cases, raw = raw_cases(table.schema, table.X), table.schema.columns + DATES + TEXTS
            for case, days in zip(cases, rng.integers(0, 900, (len(cases), 2)).tolist(), strict=True):
                case |= {c.name: str(np.datetime64("2020-01-01") + day) for c, day in zip(DATES, days, strict=True)}
                case |= {c.name: str(rng.choice(c.levels)) for c in TEXTS}
            steps, made = some_steps(table.schema, cases, rng)
            frame = pd.DataFrame(cases, dtype=object).assign(
                **{choices.target: np.array(table.classes, object)[table.y]}
            )
            features = (*made, *rng.permutation([c.name for c in raw if c.name not in steps.raw(made)])[:3].tolist())
            policy = list(MissingPolicy)[(position + k) % 3]
            settings = changed(choices, groups=(), features=features, missing=policy, prepare=tuple(steps.to_json()))
            data = build(table_of_frame(frame, one.key), settings).dataset
            diagram = random_model(data, kind, rng)
            rows = [dict(cases[i]) for i in rng.integers(len(cases), size=ROWS // 3 + (k == 0))]
            _disturb(rows, raw, {}, rng)
            unknown = list(Unknown)[(position // 3 + k) % 2]
            out.append(PreparedTask(f"{one.key} {kind} after steps", diagram, rows, unknown, raw))
    return tuple(out)


def some_steps(
    schema: Schema, cases: list[dict[str, Any]], rng: np.random.Generator
) -> tuple[Preparation, tuple[str, ...]]:
    """Steps for a table, and the columns that they create."""
    first, last = (column.name for column in DATES)
    steps: list[Step] = [Combine(first, "days to", last, "days"), KeepRows(first, "is at least", ("2020-02-01",))]
    numbers = [c.name for c in schema.columns if c.kind is Kind.NUMERIC]
    levels = [c for c in schema.columns if c.kind.has_levels]
    steps += [ReadAs("seen", Form.DAY_FIRST), ReadAs("turned", Form.EXCHANGED), ReadAs("american", Form.MONTH_FIRST)]
    steps += [ReadAs("lab", (Form.HALF, Form.LIMIT)[rng.integers(2)], ("<0.5", "> 20"))]
    made = ["days", "seen", "turned", "american", "lab"]

    def some_value(name: str) -> str:
        return format_number(float(rng.choice([case[name] for case in cases if case[name] is not None])))

    if numbers:
        one, two = rng.choice(numbers, 2).tolist()
        steps += [Replace(one, (some_value(one), "-99", "1e1")), Replace(two, (some_value(two),), "0.25")]
        steps += [
            Combine(one, "minus", two, "more"),
            Combine(one, "divided by", two, "per"),
            KeepRows(two, "is not", (some_value(two),)),
        ]
        steps += [Cut(two, (float(some_value(two)), float(some_value(two))))]
        steps += [KeepRows("days", "is less than", ("700",))]
        made += ["more", "per", two]
    if levels:
        column = levels[rng.integers(len(levels))]
        joined = rng.permutation(list(column.levels))[:2].tolist()
        if len(column.levels) > 2:
            steps += [Replace(column.name, joined, 'the "two"')]
        steps += [
            Rename(column.name, "named"),
            KeepRows("named", *(("is known",), ("is not", ("x",)))[rng.integers(2)]),
        ]
        made += ["named"]
    return Preparation(tuple(steps)), tuple(made)


def nasty_cases(diagram: Diagram, X: np.ndarray, n: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Rows of a table, with some cells missing, unknown, infinite, long, or at a threshold."""
    cases = raw_cases(diagram.schema, X[rng.integers(len(X), size=n)])
    limits = {
        s.predicate.column: s.predicate.operand
        for _, s in diagram.splits
        if isinstance(s.predicate, Predicate) and s.predicate.op is Op.LE
    }
    _disturb(cases, diagram.schema.columns, limits, rng)
    return cases


def _disturb(
    cases: list[dict[str, Any]], columns: tuple[Column, ...], limits: dict[str, float], rng: np.random.Generator
) -> None:
    for case in cases:
        for column in columns:
            if rng.random() < 0.15:
                odd = _odd_levels(column) if column.kind.has_levels else _odd_numbers(limits.get(column.name, 1.5))
                odd = ODD_DAYS if column.kind is Kind.DATE else odd
                case[column.name] = odd[rng.integers(len(odd))]


def _odd_levels(column: Column) -> tuple[Any, ...]:
    level = column.levels[-1]
    spelled = (level.upper(), level.lower(), f"\t{level} \u3000", f"{level}\n", column.levels[0])
    return (*MARKS, *spelled, "nobody's", "<script>", "true", "1e0", "1.0", 'quote"s', "naïve 漢字")


def _odd_numbers(limit: float) -> tuple[Any, ...]:
    near = (limit, math.nextafter(limit, math.inf), math.nextafter(limit, -math.inf), f"{limit!r}", f" +{abs(limit)!r}")
    long = ("0.1000000000000000055511151231257827021181583404541015625", 1 / 3, 123456789012345.67, 5e-324)
    return (*MARKS, *near, *long, *near, -0.0, 0.0, math.inf, -math.inf, "inf", "1e400", "ten", "1_0", "0x1", "1e1")


def hostile_tasks() -> list[Task]:
    """Models with names that break out of quotes and lines."""
    out = []
    for i, name in enumerate(HOSTILE):
        if name.strip() and not {"\x00", "\ud800"} & set(name):
            model = tree((name, f"{name}2"), ("female", name), ("healthy", name), name)
            first, second = model.schema.names
            cells = ("female", "FEMALE", *model.schema.columns[1].levels, name.upper(), name.lower(), None, "?", "x")
            cases = [{first: age, second: sex} for age in (20.0, 40.5, 50.0, "70", None) for sex in cells]
            out.append(Task(f"name {i}", model, cases, Unknown.IGNORE))
    return out


def _dates() -> Task:
    limit = float((np.datetime64("2024-02-29T12:30:00.1", "us") - np.datetime64(0, "us")) / np.timedelta64(1, "D"))
    schema = Schema((Column("seen", Kind.DATE, has_missing=True), Column("born", Kind.DATE, has_missing=True)))
    nodes = (
        Split(Predicate("seen", Op.LE, limit, True), 1, 2),
        Split(Predicate("born", Op.LE, -1.0, False), 3, 4),
        *(Leaf(i % 2, (1.0 + i, 2.0)) for i in range(3)),
    )
    cases = [{"seen": seen, "born": born} for seen in ODD_DAYS for born in ODD_DAYS]
    return Task("dates", Diagram(ShapeKind.TREE, schema, ("early", "late"), "when", 1, nodes), cases, Unknown.ERROR)


def _deep() -> Task:
    model, rng = ladder(40), np.random.default_rng(5)
    cases = [{name: float(rng.integers(-1, 4)) for name in model.schema.names} for _ in range(50)]
    return Task("deep", model, cases, Unknown.ERROR)
