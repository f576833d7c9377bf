"""Models exported to languages and databases, each run in its target on difficult rows of every sample."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd
import pytest

from solvers.diagram.dialects import WITH_INFINITY, WITH_STEPS, Dialect
from solvers.diagram.languages.pmml import to_pmml
from solvers.diagram.languages.redcap import to_redcap
from solvers.diagram.sql import to_sql
from solvers.errors import DiagramError
from solvers.problem.columns import parse_dates
from solvers.problem.texts import is_missing_mark
from tests.diagram.evaluators import by_pmml, by_redcap
from tests.diagram.exported import by_onnx, by_python, by_sqlite
from tests.diagram.models import ladder
from tests.diagram.postgresql import running
from tests.diagram.targets import by_duckdb, by_node, by_postgresql
from tests.diagram.tasks import ROWS, prepared_tasks, tasks, typed_cell

ELSEWHERE = sorted(set(Dialect) - WITH_STEPS)
"""Databases that no test can start."""


def differences(tasks, answers):
    """The rows with another result than the model's: model, row, result, expected result."""
    return [
        (task.name, case, found, expected)
        for task, rows in zip(tasks, answers, strict=True)
        for case, found, expected in zip(task.cases, rows, task.expected, strict=True)
        if found != expected
    ]


@pytest.mark.parametrize("posed", [tasks, prepared_tasks])
def test_javascript_agrees_with_the_model(posed, tmp_path):
    """Node gives the model's leaves, classes and shares to the last bit, on raw rows too if there are steps."""
    assert sum(len(task.cases) for task in posed()) >= 14 * ROWS
    assert differences(posed(), by_node(posed(), tmp_path))[:5] == []


def test_python_includes_the_steps_of_every_sample():
    """Python agrees with the model on the same raw rows."""
    answers = [by_python(task.diagram, task.cases, task.unknown) for task in prepared_tasks()]
    assert differences(prepared_tasks(), answers)[:5] == []


def as_sqlite_keeps(task):
    """The same with cells as SQLite stores them: numbers as numbers, timestamps to the millisecond."""

    def change(column, cell):
        if column.kind == "date":
            return cell if cell is None else cell.replace(".100001", ".1").replace(".999999", ".999")
        if column.kind.has_levels:
            return "1.0" if cell == "1e0" else cell
        number = typed_cell(column, cell)
        return (
            None if number is None and is_missing_mark(str(cell or "").strip()) else cell if number is None else number
        )

    return task.with_cells(change)


@pytest.mark.parametrize("given", [tasks, prepared_tasks])
def test_sqlite_agrees_with_the_model(given):
    """Difficult rows of every sample, without and with steps."""
    posed = [as_sqlite_keeps(task) for task in given()]
    answers = [by_sqlite(task.diagram, task.cases, unknown=task.unknown) for task in posed]
    assert sql_differences(posed, answers)[:5] == []


@pytest.mark.parametrize("write", [to_pmml, *(partial(to_sql, dialect=one) for one in ELSEWHERE)])
def test_formats_without_steps_refuse_them(write):
    """The message names the steps, the formats that support them, and the workaround."""
    with pytest.raises(
        DiagramError, match=r"cannot represent these preparation steps: .*days from.*Choose JavaScript.*'prepare'"
    ):
        write(prepared_tasks()[0].diagram)


def test_python_and_onnx_agree_with_the_model():
    """The same rows without steps, for onnxruntime with the exact spelling of levels."""
    answers = [by_python(task.diagram, task.cases, task.unknown) for task in tasks()]
    assert differences(tasks(), answers)[:5] == []
    posed = [task.with_cells(exact_cell) for task in tasks()]
    assert differences(posed, [by_onnx(task.diagram, task.cases, task.unknown) for task in posed])[:5] == []


def typed(dialect, given=tasks):
    """The tasks with cells as a database of a dialect stores them."""

    def change(column, cell):
        # SQL accepts a numeric level as 1 and 1.0 only
        return typed_cell(column, "1.0" if cell == "1e0" else cell, infinite=dialect in WITH_INFINITY)

    return [task.with_cells(change) for task in given()]


def of_positive(task, found):
    """A result with only the share of the positive class."""
    positive = task.diagram.positive
    return found._replace(shares=() if positive is None or found.leaf is None else (found.shares[positive],))


def sql_differences(posed, answers):
    """As `differences`, for SQL."""
    return [
        (task.name, case, found, expected)
        for task, rows in zip(posed, answers, strict=True)
        for case, found, expected in zip(task.cases, rows, task.expected, strict=True)
        if found != of_positive(task, expected)
    ]


@pytest.mark.parametrize("given", [tasks, prepared_tasks])
def test_duckdb_agrees_with_the_model(given):
    """Difficult rows of every sample, without and with steps."""
    posed = typed(Dialect.DUCKDB, given)
    assert sql_differences(posed, by_duckdb(posed))[:5] == []


@pytest.mark.parametrize("dialect", ELSEWHERE)
def test_queries_for_unavailable_databases_agree_with_the_model(dialect):
    """Translated and run in DuckDB, the query for SQL Server, BigQuery, Snowflake and MySQL agrees with the model."""
    # BigQuery does not allow a point in column names
    posed = [one for one in typed(dialect) if dialect is not Dialect.BIGQUERY or "." not in str(one.diagram.features)]
    assert sql_differences(posed, by_duckdb(posed, dialect))[:5] == []


@pytest.mark.parametrize("given", [tasks, prepared_tasks])
def test_postgresql_agrees_with_the_model(given):
    """A server runs the query, without and with steps."""
    with running() as server:
        # a product below the smallest float stops PostgreSQL, and it shortens names to 63 bytes
        known = [task for task in typed(Dialect.POSTGRESQL, given) if max(map(len, task.diagram.schema.names)) < 63]
        posed = [task.with_cells(lambda c, cell: 0.0 if cell == 5e-324 else cell) for task in known]
        assert sql_differences(posed, by_postgresql(posed, server.url))[:5] == []


def exact_cell(column, cell):
    """A cell for targets that need the exact spelling of levels, and no text in numeric columns."""
    if not column.kind.has_levels:
        return typed_cell(column, cell)
    text = None if cell is None else cell.strip()
    value = column.encode(pd.Series([text], dtype=object), strict=False)[0]
    return text if math.isnan(value) or math.isinf(value) else column.levels[int(value)]


def in_days(column, cell):
    """The same with dates in days since 1970-01-01."""
    return cell if column.kind != "date" or cell is None else float(parse_dates([cell])[0])


def typed_in(column, cell):
    """A cell that can be typed into a form: known levels, finite numbers, days; otherwise `None`."""
    found = exact_cell(column, cell)
    if column.kind == "date":
        return None if found is None else found[:10]
    return None if found in (math.inf, -math.inf) or (column.kind.has_levels and found not in column.levels) else found


def test_pmml_agrees_with_the_model():
    """PMML, by its specification: derived sums, missing marks, invalid values, joined paths written separately."""
    posed = [task.with_cells(exact_cell) for task in tasks() if task.name != "deep"]
    assert differences(posed, [by_pmml(task.with_cells(in_days)) for task in posed])[:5] == []


def test_redcap_calculates_the_leaf_of_the_model():
    """The calculated field is correct for records with empty, coded, date and summed fields."""
    posed = [task.with_cells(typed_in) for task in tasks() if task.name != "deep"]
    answers = [by_redcap(task) for task in posed]
    found = [[one.leaf for one in rows] for rows in answers]
    assert found == [[one.leaf for one in task.expected] for task in posed]


@pytest.mark.parametrize("write", [to_pmml, to_redcap])
def test_too_many_joined_paths_are_refused(write):
    """A diagram of 2^40 paths is not written as a tree; the error lists the formats that support joined paths."""
    with pytest.raises(DiagramError, match=r"cannot represent shared nodes.*Choose JavaScript, Python or SQL"):
        write(ladder(40))
