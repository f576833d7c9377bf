"""The tables of the index. If they change here, each index is made again from the folders of the runs."""

import hashlib
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, DateTime, Float, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.schema import CreateIndex, CreateTable

METADATA = MetaData()

RUNS = Table(
    "runs",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("folder", String(255), nullable=False, unique=True),
    Column("owner", String(255), nullable=False),
    Column("created", DateTime, nullable=False),
    *(Column(name, Text, nullable=False) for name in ("name", "title", "outcome")),
    Column("method", String(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("size", Text, nullable=False),
    *(Column(name, Integer, nullable=False) for name in ("rows", "features", "constraints")),
    Column("state", String(16), nullable=False),
    Column("status", String(16)),
    *(Column(name, Float) for name in ("cost", "bound")),
    *(Column(name, Integer) for name in ("errors", "questions")),
    Column("seconds", Float, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("starred", Boolean, nullable=False),
    *(Column(name, Text, nullable=False) for name in ("comment", "error")),
    Column("task", String(64), nullable=False),
    Column("deleted", DateTime),
    Column("marked", Integer, nullable=False),
    Column("notes", Text, nullable=False),
    Column("interrupted", Boolean, nullable=False),
    Index("runs_by_owner", "owner", "deleted", "created"),
)
"""A row a run, with the fields of `Entry`; times are UTC without a zone."""

FORM = Table("form", METADATA, Column("form", String(64), primary_key=True))
"""One row: the `form` of the tables that were made."""


def form(dialect: Any) -> str:
    """A fingerprint of the statements that make the tables of the runs in a dialect of SQLAlchemy."""
    statements: list[Any] = [CreateTable(RUNS), *(CreateIndex(index) for index in sorted(RUNS.indexes, key=str))]
    made = "\n".join(str(statement.compile(dialect=dialect)) for statement in statements)
    return hashlib.sha256(made.encode()).hexdigest()
