"""Databases are read only: no other file is opened, nothing changes, limits hold, and errors have a remedy."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from solvers.errors import DataError, TableSizeError
from solvers.problem import read_table
from tests.problem.sources.files import as_sqlite

ROWS = pd.DataFrame({"age": range(30), "ill": ["yes", "no", "no"] * 10})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database in a file, in a separate folder."""
    folder = tmp_path / "database"
    folder.mkdir()
    path = folder / "ward.sqlite"
    path.write_bytes(as_sqlite(ROWS, tmp_path))
    return path


WRITES = (
    "DELETE FROM patients",
    "INSERT INTO patients VALUES (1, 'yes')",
    "DROP TABLE patients",
    "CREATE TABLE more AS SELECT 1 AS a",
    "UPDATE patients SET age = 1",
    "SELECT 1 AS a; DROP TABLE patients",
    "SELECT 1 AS a; COMMIT; DROP TABLE patients",
    "WITH gone AS (DELETE FROM patients RETURNING *) SELECT * FROM gone",
    "COMMIT",
)


@pytest.mark.parametrize("query", [*WRITES, "PRAGMA user_version", "VACUUM", "BEGIN"])
def test_reading_a_file_does_not_change_it(file, query):
    """The file is unchanged afterwards, and no file is created beside it."""
    before = file.read_bytes()
    with pytest.raises(DataError, match="refuses the query"):
        read_table(file, query=query)
    assert file.read_bytes() == before and list(file.parent.iterdir()) == [file]


def test_no_other_file_is_reached(file, tmp_path):
    """A query can neither read nor write another file, nor load a library."""
    secret = tmp_path / "secret.csv"
    secret.write_text("a\nvery secret\n")
    other = tmp_path / "other.sqlite"
    other.write_bytes(as_sqlite(ROWS, tmp_path))
    target = tmp_path / "written"
    attempts = [
        f"SELECT readfile('{secret}') AS a",
        f"SELECT writefile('{target}', 'a') AS a",
        f"SELECT load_extension('{other}') AS a",
        f"ATTACH '{other}' AS other",
        f"VACUUM INTO '{target}'",
    ]
    for content in (file, file.read_bytes()):
        for query in attempts:
            with pytest.raises(DataError) as refused:
                read_table(content, query=query)
            assert "very secret" not in str(refused.value)
    assert not target.exists()


def test_a_query_with_too_many_rows_is_refused(file):
    """Before the memory is full; the error says how to raise the limit."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    with pytest.raises(TableSizeError, match=r"too many rows.*--max-mb"):
        read_table(file, query=endless, max_mb=0.1)


def test_several_tables_need_a_query(tmp_path):
    """A single table is read as a whole; if there are several, the error lists their names and suggests a query."""
    one = as_sqlite(ROWS, tmp_path, 'odd "name"')
    assert read_table(one).n_rows == len(ROWS)
    path = tmp_path / "two.sqlite"
    path.write_bytes(one)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE more (a)")
    with pytest.raises(DataError, match=re.escape('the tables "more", "odd ""name""".')):
        read_table(path)
    with pytest.raises(DataError, match="returns no rows"):
        read_table(path, query="SELECT * FROM more")


def test_texts_among_numbers_are_kept(tmp_path):
    """SQLite accepts any value in any column; the numbers are unchanged."""
    path = tmp_path / "mixed.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE a (x, y)")
        connection.executemany("INSERT INTO a VALUES (?, ?)", [(1, 1.5), ("<5", 2), (None, b"\x00")])
    assert read_table(path).frame["x"].tolist() == ["1", "<5", ""]


def test_damaged_databases_are_refused(file):
    """In a sentence, from a path and from memory."""
    content = file.read_bytes()
    for broken in (content[:600], content[:40] + bytes(len(content) - 40)):
        with pytest.raises(DataError):
            read_table(broken, query="SELECT * FROM patients")
        file.write_bytes(broken)
        with pytest.raises(DataError):
            read_table(file, query="SELECT * FROM patients")
