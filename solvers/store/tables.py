"""The tables of the index. A change here needs a migration in `migrations/versions`; a test compares the two."""

from sqlalchemy import BigInteger, Boolean, Column, DateTime, Float, Index, Integer, MetaData, String, Table, Text

METADATA = MetaData()

RUNS = Table(
    "runs",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("folder", String(255), nullable=False, unique=True),
    Column("owner", String(255), nullable=False),
    Column("created", DateTime, nullable=False),
    Column("name", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("method", String(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("size", Text, nullable=False),
    Column("rows", Integer, nullable=False),
    Column("features", Integer, nullable=False),
    # indexes of earlier versions know the column by this older word
    Column("wishes", Integer, key="constraints", nullable=False),
    Column("state", String(16), nullable=False),
    Column("status", String(16)),
    Column("cost", Float),
    Column("bound", Float),
    Column("errors", Integer),
    Column("questions", Integer),
    Column("seconds", Float, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("starred", Boolean, nullable=False),
    Column("comment", Text, nullable=False),
    Column("error", Text, nullable=False),
    Column("task", String(64), nullable=False),
    Column("deleted", DateTime),
    Column("marked", Integer, nullable=False, server_default="0"),
    Column("notes", Text, nullable=False, server_default=""),
    Index("runs_by_owner", "owner", "deleted", "created"),
)
"""A row a run, with the fields of `Entry`; times are UTC without a zone."""
