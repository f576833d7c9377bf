"""Models in languages and databases: each is run in its target on nasty rows of every sample."""

from __future__ import annotations

import pytest

from solvers.diagram.sql_dialects import Dialect
from tests.diagram.targets import by_c, by_duckdb, by_node, by_postgresql, by_r
from tests.diagram.tasks import tasks, typed_cell
from tests.store.servers import running


def differences(tasks, answers):
    """The cases that a target answers in another way than the model: model, case, answer, expected answer."""
    return [
        (task.name, case, found, expected)
        for task, rows in zip(tasks, answers, strict=True)
        for case, found, expected in zip(task.cases, rows, task.expected, strict=True)
        if found != expected
    ]


def numbers_as_floats(task):
    """The same with numbers as floats: R reads long decimals inexactly."""

    def change(column, cell):
        number = None if column.kind.has_levels or column.kind == "date" else typed_cell(column, cell)
        return cell if number is None else number

    return task.with_cells(change)


@pytest.mark.parametrize("run", [by_node, by_c, by_r])
def test_every_language_answers_as_the_model(run, tmp_path):
    """JavaScript in Node, C as a compiled program, and R: leaves, classes and shares, to the last bit."""
    given = [numbers_as_floats(task) if run is by_r else task for task in tasks()]
    assert sum(len(task.cases) for task in given) > 14_000
    assert differences(given, run(given, tmp_path))[:5] == []


def typed(dialect):
    """The tasks as a database of a dialect holds their cells: of the shares it gives that of the positive class."""

    def change(column, cell):
        # SQL knows the number of a level as 1 and 1.0 only
        return "1.0" if cell == "1e0" else typed_cell(column, cell, infinite=dialect is Dialect.STANDARD)

    return [task.with_cells(change) for task in tasks()]


def of_positive(task, found):
    """An answer with the share of the positive class alone."""
    positive = task.diagram.positive
    return found._replace(shares=() if positive is None or found.leaf is None else (found.shares[positive],))


def sql_differences(given, answers):
    """As `differences`, for SQL."""
    return [
        (task.name, case, found, expected)
        for task, rows in zip(given, answers, strict=True)
        for case, found, expected in zip(task.cases, rows, task.expected, strict=True)
        if found != of_positive(task, expected)
    ]


@pytest.mark.parametrize("dialect", [Dialect.STANDARD, Dialect.TSQL])
def test_duckdb_answers_as_the_model(dialect):
    """Typed SQL as it is, and T-SQL as sqlglot translates it."""
    given = typed(dialect)
    assert sql_differences(given, by_duckdb(given, dialect))[:5] == []


def test_postgresql_answers_as_the_model():
    """Typed SQL in a server."""
    with running() as server:
        # a product below the smallest float stops PostgreSQL, and it cuts names after 63 bytes
        known = [task for task in typed(Dialect.STANDARD) if max(map(len, task.diagram.schema.names)) < 63]
        given = [task.with_cells(lambda c, cell: 0.0 if cell == 5e-324 else cell) for task in known]
        assert sql_differences(given, by_postgresql(given, server.url))[:5] == []
