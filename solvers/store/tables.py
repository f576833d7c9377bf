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
    *(Column(name, Text, nullable=False) for name in ("name", "title", "outcome")),
    Column("method", String(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("size", Text, nullable=False),
    *(Column(name, Integer, nullable=False) for name in ("rows", "features")),
    # indexes of earlier versions know the column by this older word
    Column("wishes", Integer, key="constraints", nullable=False),
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
    Column("marked", Integer, nullable=False, server_default="0"),
    Column("notes", Text, nullable=False, server_default=""),
    Column("interrupted", Boolean, nullable=False, server_default="0"),
    Index("runs_by_owner", "owner", "deleted", "created"),
)
"""A row a run, with the fields of `Entry`; times are UTC without a zone."""
