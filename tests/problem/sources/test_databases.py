"""Databases are only read: no other file, no change, no secret in a message; limits hold, and errors say what to do."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from solvers.errors import DataError, TableSizeError
from solvers.problem import build, read_table, sample
from solvers.problem.sources import Address, parse_address, typed_address
from tests.problem.sources.files import as_duckdb, as_sqlite, typed_sample
from tests.problem.sources.test_contract import ODD, same
from tests.store.servers import PostgreSQL, running

psycopg = pytest.importorskip("psycopg")
SECRET = "s3cr3t/pass word"
ROWS = pd.DataFrame({"age": range(30), "ill": ["yes", "no", "no"] * 10})


@pytest.fixture(params=["sqlite", "duckdb"])
def file(request, tmp_path: Path) -> Path:
    """A database in a file, in a folder of its own."""
    folder = tmp_path / "database"
    folder.mkdir()
    path = folder / f"ward.{request.param}"
    path.write_bytes((as_sqlite if request.param == "sqlite" else as_duckdb)(ROWS, tmp_path))
    return path


@pytest.fixture(scope="module")
def server():
    """A PostgreSQL server with a password, a table that may be read, and a role that owns it."""
    with running() as found:
        yield prepared(found)


def prepared(server: PostgreSQL) -> PostgreSQL:
    """A server on which the role 'reader' owns the tables 'patients' and 'odd' and must bring a password."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE reader LOGIN PASSWORD '{SECRET}'")
        connection.execute("CREATE DATABASE ward OWNER reader")
        (found,) = connection.execute("SHOW hba_file").fetchone()
        rules = Path(found).read_text()
        Path(found).write_text(f"host all reader 127.0.0.1/32 scram-sha-256\n{rules}")
        connection.execute("SELECT pg_reload_conf()")
    with psycopg.connect(
        f"host=127.0.0.1 port={server.port} user=reader password='{SECRET}' dbname=ward"
    ) as connection:
        connection.execute("CREATE TABLE patients (age integer, ill text)")
        connection.cursor().executemany("INSERT INTO patients VALUES (%s, %s)", ROWS.to_numpy().tolist())
        connection.execute(
            "CREATE TABLE odd (age numeric, crp double precision, sex text, smoker boolean, seen date, price text, "
            "ill text, visits integer[])"
        )
        cells = ODD.astype(object).where(ODD.notna(), None).to_numpy().tolist()
        connection.cursor().executemany("INSERT INTO odd VALUES (%s, %s, %s, %s, %s, %s, %s, '{1}')", cells)
        for key in ("iris", "triage"):
            frame = typed_sample(key)
            kinds = {"i": "integer", "f": "double precision"}
            names = [f'"{name}" {kinds.get(frame[name].dtype.kind, "text")}' for name in frame]
            connection.execute(f'CREATE TABLE "{key}" ({", ".join(names)}, place serial)')
            rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
            holders = ", ".join(["%s"] * len(names))
            connection.cursor().executemany(f'INSERT INTO "{key}" VALUES ({holders})', rows)
    return server


def ward(server: PostgreSQL, password: str = SECRET) -> Address:
    """The address of the database."""
    return parse_address(f"postgresql://reader@127.0.0.1:{server.port}/ward", password)


@pytest.mark.parametrize("key", ["iris", "triage"])
def test_a_sample_is_the_same_from_a_server(server, key):
    """As from every other source."""
    table = read_table(ward(server), query=f'SELECT * FROM "{key}" ORDER BY place', name=key)
    one = sample(key)
    known = read_table(one.path, header=True)
    choices = replace(one.choices, features=tuple(name for name in known.names if name != one.outcome))
    assert same(build(table, choices).dataset, build(known, choices).dataset)


def test_types_of_a_server(server):
    """Numbers, truth values, dates and texts as from a CSV file; lists are left out, and that is said."""
    table = read_table(ward(server), query="SELECT * FROM odd")
    assert table.names == tuple(ODD.columns) and any("visits" in note for note in table.notes)
    assert table.frame["smoker"].tolist() == ["true", "false", "true", "false", "true", "true"]
    assert table.frame["seen"].iloc[0] == "2024-01-31" and table.frame["price"].iloc[0] == "1.5"
    assert table.frame["age"].tolist() == ["50", "61", "", "70", "44", "39"]


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


@pytest.mark.parametrize("query", [*WRITES, "SELECT set_config('transaction_read_only', 'off', false) AS a"])
def test_a_server_is_only_read(server, query):
    """Whatever is asked, the tables are the same afterwards, although the role may change them."""
    with pytest.raises(DataError):
        read_table(ward(server), query=query)
    assert read_table(ward(server), query="SELECT * FROM patients").n_rows == len(ROWS)
    tables = read_table(ward(server), query="SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    assert set(tables.frame["tablename"]) == {"patients", "odd", "iris", "triage"}


@pytest.mark.parametrize("query", [*WRITES, "PRAGMA user_version", "VACUUM", "BEGIN"])
def test_a_file_is_only_read(file, query):
    """The file is the same afterwards, and nothing lies beside it."""
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
        f"SELECT * FROM '{secret}'",
        f"SELECT * FROM read_csv('{secret}')",
        f"SELECT * FROM read_text('{secret}')",
        f"SELECT readfile('{secret}') AS a",
        f"SELECT writefile('{target}', 'a') AS a",
        f"SELECT load_extension('{other}') AS a",
        f"SELECT * FROM glob('{tmp_path}/*')",
        f"ATTACH '{other}' AS other",
        f"VACUUM INTO '{target}'",
        f"COPY patients TO '{target}'",
        f"EXPORT DATABASE '{target}'",
        f"SELECT * FROM sqlite_scan('{other}', 'patients')",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "PRAGMA enable_external_access = true",
    ]
    for content in (file, file.read_bytes()):
        for query in attempts:
            with pytest.raises(DataError) as refused:
                read_table(content, query=query)
            assert "very secret" not in str(refused.value)
    assert not target.exists()


def test_a_password_is_in_no_message(server):
    """Neither as it is typed nor as it stands in an address, whatever goes wrong; nor is it shown of the address."""
    quoted = SECRET.replace("/", "%2F").replace(" ", "%20")
    port = server.port
    wrong = [
        lambda: read_table(ward(server, SECRET + "x"), query="SELECT 1 AS a"),
        lambda: read_table(f"postgresql://nobody:{quoted}@127.0.0.1:{port}/ward", query="SELECT 1 AS a"),
        lambda: read_table(f"postgresql://reader:{quoted}@127.0.0.1:{port}/none", query="SELECT 1 AS a"),
        lambda: read_table(f"postgresql://reader:{quoted}@127.0.0.1:{port}/ward?odd=1", query="SELECT 1 AS a"),
        lambda: read_table(f"postgresql://reader:{quoted}@127.0.0.1:{port}/ward", query="SELECT * FROM none"),
        lambda: read_table(f"postgresql://reader:{quoted}@127.0.0.1:1/ward", query="SELECT 1 AS a"),
        lambda: read_table(f"postgresql://reader:{quoted}@127.0.0.1:odd/ward", query="SELECT 1 AS a"),
        lambda: read_table(f"postgresql://reader:{quoted}@127.0.0.1:{port}/ward"),
    ]
    for attempt in wrong:
        with pytest.raises(DataError) as refused:
            attempt()
        assert SECRET not in str(refused.value) and quoted not in str(refused.value)
        assert refused.value.__cause__ is None
    assert SECRET not in repr(ward(server))
    table = read_table(ward(server), query="SELECT * FROM patients")
    assert SECRET not in repr(table) and "127.0.0.1" not in " ".join(table.notes)


def test_limits_of_rows_and_time(server, file):
    """What is beyond them is refused, with the way to raise them."""
    for source in (ward(server), file):
        with pytest.raises(TableSizeError, match=r"more than 29 rows.*--max-rows"):
            read_table(source, query="SELECT * FROM patients", max_rows=29)
        assert read_table(source, query="SELECT * FROM patients", max_rows=30).n_rows == 30
    slow = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT max(i) AS a FROM n"
    )
    for source in (ward(server), file):
        with pytest.raises(DataError, match=r"takes more than 0.2 s.*--query-time"):
            read_table(source, query=slow, seconds=0.2)


def test_which_table_is_meant(tmp_path):
    """All of the only table; where there are several their names are said, with a query."""
    one = as_sqlite(ROWS, tmp_path, 'odd "name"')
    assert read_table(one).n_rows == len(ROWS)
    path = tmp_path / "two.sqlite"
    path.write_bytes(one)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE more (a)")
    with pytest.raises(DataError, match=re.escape('the tables "more", "odd ""name""".')):
        read_table(path)
    with pytest.raises(DataError, match="gives no rows"):
        read_table(path, query="SELECT * FROM more")


def test_a_text_among_numbers_stays(tmp_path):
    """SQLite takes anything in any column; numbers beside it stay as they are."""
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


@pytest.mark.parametrize(
    "text",
    [
        "sqlite:////etc/passwd",
        "duckdb:////tmp/a.duckdb",
        "postgresql://reader:a@/ward",
        "postgresql:///ward",
        "postgresql://reader:a@%2Fvar%2Frun/ward",
        "postgresql://reader:a@db/ward?host=/var/run",
        "postgresql://reader:a@db/ward?passfile=/etc/passwd",
        "postgresql://reader:a@db/ward?sslcert=/etc/key",
        "postgresql://reader:a@db/ward?service=a",
        "postgresql://reader@db/ward",
        "postgresql://db/ward",
        "http://db/ward",
        "ward",
    ],
)
def test_a_typed_address_reaches_no_file_of_the_server(text):
    """Nor anything else that the server's machine knows; on one's own machine a socket is one's own."""
    with pytest.raises(DataError):
        typed_address(text, "", own_machine=False)


def test_what_may_be_typed():
    """A server with user and password; on one's own machine also what it knows, but no file."""
    known = typed_address("postgresql://reader@db:5433/ward?sslmode=require", "a", own_machine=False)
    assert known.parts | {"sslmode": "require", "sslcertmode": "disable"} == known.parts
    assert typed_address("postgresql:///ward", "", own_machine=True).parts == {"dbname": "ward"}
    with pytest.raises(DataError, match="Upload the database"):
        typed_address("sqlite:////etc/passwd", "", own_machine=True)


def test_a_database_of_another_version_is_refused(tmp_path):
    """DuckDB's own complaint, without the path of the server."""
    path = tmp_path / "ward.duckdb"
    content = bytearray(as_duckdb(ROWS, tmp_path))
    content[12] = 255
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be opened") as refused:
        read_table(bytes(content))
    assert "/tmp" not in str(refused.value) and duckdb.__version__
