"""Programs that run exported models: Node, DuckDB, PostgreSQL; one process per language for all models."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from solvers.diagram.dialects import Dialect
from solvers.diagram.languages.javascript import to_javascript
from solvers.diagram.sql import to_sql
from solvers.problem import Column, Kind
from tests.diagram.exported import REFUSED, Found
from tests.diagram.tasks import Task

_NODE = """
const fs = require("fs");
const tasks = JSON.parse(fs.readFileSync(0, "utf8"));
const revive = (cell) => (Array.isArray(cell) ? Number(cell[0]) : cell);
process.stdout.write(JSON.stringify(tasks.map(([file, cases]) => {
  const model = require(file);
  return cases.map((row) => {
    for (const name of Object.keys(row)) row[name] = revive(row[name]);
    try {
      const leaf = model.leaf(row);
      return [leaf, model.predict(row), model.predictProba(row).map((pair) => pair[1])];
    } catch (error) {
      return null;
    }
  });
})));
"""


def _program(name: str, reason: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(reason)
    return found


def _called(command: Sequence[str], given: str = "") -> str:
    done = subprocess.run(command, input=given.encode(), capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return done.stdout.decode()


def by_node(tasks: Sequence[Task], folder: Path) -> list[list[Found]]:
    """The results of Node."""
    node = _program("node", "Node is not installed")
    given = []
    for i, task in enumerate(tasks):
        file = folder / f"model{i}.js"
        file.write_bytes(to_javascript(task.diagram, task.unknown).encode())
        # JSON has no infinity
        cases = [{n: [repr(c)] if isinstance(c, float) else c for n, c in case.items()} for case in task.cases]
        given.append([str(file), cases])
    text = json.dumps(given).replace('["inf"]', '["Infinity"]').replace('["-inf"]', '["-Infinity"]')
    (folder / "run.js").write_text(_NODE)
    answers = json.loads(_called([node, str(folder / "run.js")], text))
    return [[REFUSED if one is None else Found(one[0], one[1], tuple(one[2])) for one in rows] for rows in answers]


def by_duckdb(tasks: Sequence[Task], dialect: Dialect = Dialect.DUCKDB) -> list[list[Found]]:
    """The results of DuckDB for its own query, or for that of another dialect, translated by sqlglot."""
    import duckdb

    with duckdb.connect() as base:
        base.execute("SET threads TO 1")

        def select(query: str) -> list[tuple[Any, ...]]:
            return base.execute(query if dialect is Dialect.DUCKDB else read_back(query, dialect)).fetchall()

        def filled(table: str, rows: list[list[Any]]) -> None:
            # ten times as fast as inserting single rows
            frame = pd.DataFrame(rows, dtype=object)
            base.register("rows", frame)
            base.execute(f"INSERT INTO {table} SELECT * FROM rows")
            base.unregister("rows")

        return [_in_database(task, i, dialect, base.execute, filled, select) for i, task in enumerate(tasks)]


def read_back(query: str, dialect: Dialect) -> str:
    """The query of a database that is not available, translated to DuckDB.

    sqlglot translates the syntax; functions that it does not translate are replaced here.
    """
    import sqlglot
    from sqlglot import exp

    def plain(node: Any) -> Any:
        if isinstance(node, exp.Collate):
            # DuckDB compares texts by code point anyway
            return node.this
        if isinstance(node, exp.Anonymous) and node.name.upper() == "NCHAR":
            return exp.func("CHR", *node.expressions)
        if isinstance(node, exp.CodePointsToString):
            return exp.Literal.string("".join(chr(int(code.name)) for code in node.this.expressions))
        if isinstance(node, exp.RegexpReplace):
            # regular expressions have another syntax there, and only the first match is replaced
            pattern = re.sub(r"\\u([0-9a-f]{4})", r"\\x{\1}", node.expression.name)
            node.set("expression", exp.Literal.string(pattern))
            node.set("modifiers", exp.Literal.string("g"))
        if isinstance(node, exp.National):
            return exp.Literal.string(node.this)
        if isinstance(node, exp.DataType):
            # FLOAT has 64 bits there
            types = {exp.DataType.Type.NVARCHAR: "text", exp.DataType.Type.FLOAT: "double"}
            return exp.DataType.build(types[node.this]) if node.this in types else node
        return node

    tree = sqlglot.parse_one(query, read=dialect.value)
    return tree.transform(plain).sql(dialect="duckdb")


def by_postgresql(tasks: Sequence[Task], url: str) -> list[list[Found]]:
    """The results of PostgreSQL."""
    import psycopg

    with psycopg.connect(url) as base:
        cursor = base.cursor()

        def filled(table: str, rows: list[list[Any]]) -> None:
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)

        def select(query: str) -> list[tuple[Any, ...]]:
            return cursor.execute(query).fetchall()

        return [
            _in_database(task, i, Dialect.POSTGRESQL, cursor.execute, filled, select) for i, task in enumerate(tasks)
        ]


def _in_database(task: Task, i: int, dialect: Dialect, run: Any, filled: Any, select: Any) -> list[Found]:
    columns, table = task.columns, f"table {i}"
    heads = ", ".join(f'"{column.name.replace(chr(34), chr(34) * 2)}" {_sql_type(column)}' for column in columns)
    run(f'CREATE TABLE "{table}" ("row number" INTEGER, {heads})')
    rows = [[k, *(case[column.name] for column in columns)] for k, case in enumerate(task.cases)]
    filled(f'"{table}"', rows)
    query = to_sql(task.diagram, table=table, dialect=dialect, unknown=task.unknown)
    n_added = 2 if task.diagram.positive is None else 3
    found = [row[-n_added:] for row in sorted(select(query), key=lambda row: row[0])]
    assert len(found) == len(task.cases)
    return [REFUSED if row[-1] is None else Found(row[-1], row[0], tuple(row[1:-1])) for row in found]


def _sql_type(column: Column) -> str:
    return "TEXT" if column.kind.has_levels else "TIMESTAMP" if column.kind is Kind.DATE else "DOUBLE PRECISION"
