"""The index of runs in a database: SQLite by default, PostgreSQL by its URL."""

import hashlib
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, fields
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, get_args

from ..errors import StoreError
from . import timeouts
from .entries import Entry, Query

_DAMAGE = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)

LOCK_TIMEOUT = 15.0
"""Seconds to wait for another program that has locked the SQLite file."""

_SEARCHED = ("name", "title", "comment", "method", "outcome", "size")
_MARKS = ("title", "starred", "comment", "deleted")
"""The user's marks on a run, see `solvers.store.marks`; all other columns are refreshed from the folders."""

_ADVISORY_LOCK = 0x45535041
"""The number of the advisory lock under which tables are created in PostgreSQL."""
_TABLES_TIMEOUT = 60.0
"""Seconds within which PostgreSQL must answer while this or another program creates tables."""


class RunIndex:
    """Runs that can be searched, marked and moved to the trash. Every method may be called from any thread.

    Parameters
    ----------
    url : of the database, as in SQLAlchemy: 'sqlite:///runs/index.sqlite', 'postgresql://user@host/espalier'.

    Attributes
    ----------
    file : of the database; `None` if it is on a server.

    Raises
    ------
    StoreError
        The URL is invalid, or its database cannot be used; every method raises it if the database cannot be reached.
    """

    def __init__(self, url: str) -> None:
        from sqlalchemy import create_engine, event
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import SQLAlchemyError

        self._runs, self._form = _tables()
        try:
            address = make_url(url)
            if address.drivername == "postgresql":
                address = address.set(drivername="postgresql+psycopg")
            self._shown = address.render_as_string(hide_password=True)
            lite = address.get_backend_name() == "sqlite"
            self.file = Path(address.database) if lite and address.database not in (None, "", ":memory:") else None
            if self.file is not None:
                self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            waits = {"timeout": LOCK_TIMEOUT} if lite else {"connect_timeout": round(timeouts.SERVER_TIMEOUT)}
            self._engine = create_engine(address, connect_args=waits, pool_pre_ping=True)
        except (SQLAlchemyError, ImportError, OSError, ValueError, TypeError) as error:
            raise StoreError(f"The index of runs at '{_without_password(url)}' cannot be used ({_first_line(error)}). "
                             "Correct the setting ESPALIER_DATABASE.") from None  # fmt: skip
        if address.drivername == "postgresql+psycopg":
            event.listen(self._engine, "do_connect", _connect_with_timeout)
        if lite:
            event.listen(self._engine, "connect", _set_lock_timeout)
            event.listen(self._engine, "begin", _begin)

    def ensure_tables(self) -> None:
        """Create the tables; if existing ones have another layout, drop them and create empty ones.

        `synchronize` then fills them from the folders of the runs. Several programs may call this at once.
        """
        from sqlalchemy import inspect
        from sqlalchemy.schema import CreateTable

        made = str(CreateTable(self._runs).compile(dialect=self._engine.dialect))
        current, metadata = hashlib.sha256(made.encode()).hexdigest(), self._runs.metadata
        with self._writing() as connection, _long_timeout(connection):
            if self._engine.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
            there = set(inspect(connection).get_table_names())
            if there >= set(metadata.tables) and connection.execute(self._form.select()).scalars().all() == [current]:
                return
            metadata.drop_all(connection)
            metadata.create_all(connection)
            connection.execute(self._form.insert().values(form=current))

    def put(self, entry: Entry) -> None:
        """Insert or update a run; the user's marks are unchanged."""
        from sqlalchemy.exc import IntegrityError

        values = _row(entry)
        unmarked = {name: value for name, value in values.items() if name not in _MARKS}
        update = self._runs.update().where(self._runs.c.id == entry.id).values(unmarked)
        with self._writing() as connection:
            if connection.execute(update).rowcount:
                return
            try:
                with connection.begin_nested():
                    connection.execute(self._runs.insert().values(values))
            except IntegrityError:
                # another program inserted it first
                connection.execute(update)

    def find(self, query: Query) -> list[Entry]:
        """The runs that match a query, newest first."""
        matching = self._matching(query).order_by(self._runs.c.created.desc(), self._runs.c.id)
        with self._reading() as connection:
            rows = connection.execute(matching.offset(query.offset).limit(query.limit)).mappings()
            return [_entry(row) for row in rows]

    def count(self, query: Query) -> int:
        """The number of runs that match a query, over all pages."""
        from sqlalchemy import func

        with self._reading() as connection:
            return int(connection.execute(self._matching(query).with_only_columns(func.count())).scalar_one())

    def get(self, run_id: str, owner: str | None = None) -> Entry | None:
        """The run with this id, if it belongs to the owner; `None` in other cases."""
        with self._reading() as connection:
            row = connection.execute(self._runs.select().where(self._runs.c.id == run_id)).mappings().first()
        entry = None if row is None else _entry(row)
        return entry if entry is not None and owner in (None, entry.owner) else None

    def mark(self, run_id: str, owner: str | None, **marks: Any) -> None:
        """Store a user's marks on a run: title, starred, comment, deleted (a time in UTC, or `None` to restore it).

        Raises
        ------
        StoreError
            This owner has no such run.
        """
        unknown = set(marks) - set(_MARKS)
        if unknown:
            raise TypeError(f"no mark of a run: {sorted(unknown)}")
        where = [self._runs.c.id == run_id, *self._owned(owner)]
        if isinstance(marks.get("deleted"), datetime):
            marks["deleted"] = _naive(marks["deleted"])
        with self._writing() as connection:
            if connection.execute(self._runs.update().where(*where).values(marks)).rowcount != 1:
                raise StoreError("There is no such run, or it is another user's. Choose one of your runs.")

    def forget(self, run_ids: Sequence[str]) -> None:
        """Remove runs from the index; the caller removes their folders."""
        with self._writing() as connection:
            connection.execute(self._runs.delete().where(self._runs.c.id.in_(list(run_ids))))

    def bytes_used(self, owner: str | None = None) -> int:
        """The bytes of the folders of an owner's runs, including the trash."""
        from sqlalchemy import func

        total = self._runs.select().with_only_columns(func.coalesce(func.sum(self._runs.c.bytes), 0))
        with self._reading() as connection:
            return int(connection.execute(total.where(*self._owned(owner))).scalar_one())

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _owned(self, owner: str | None) -> list[Any]:
        """The condition that a run belongs to an owner; no condition for `None`."""
        return [] if owner is None else [self._runs.c.owner == owner]

    def _matching(self, query: Query) -> Any:
        """The statement that selects the matching runs."""
        from sqlalchemy import or_

        columns = self._runs.c
        conditions: list[Any] = [columns.deleted.is_not(None) if query.deleted else columns.deleted.is_(None)]
        conditions += self._owned(query.owner)
        for name in ("kind", "state"):
            if wanted := getattr(query, f"{name}s"):
                conditions.append(columns[name].in_(wanted))
        if query.proved:
            conditions.append(columns.status.in_(("optimal", "infeasible")))
        if query.starred:
            conditions.append(columns.starred.is_(True))
        if not query.tasks:
            conditions.append(columns.task == "")
        for word in query.text.split():
            conditions.append(or_(*(columns[name].icontains(word, autoescape=True) for name in _SEARCHED)))
        return self._runs.select().where(*conditions)

    @contextmanager
    def _reading(self) -> Iterator[Any]:
        with self._translated_errors(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        with self._translated_errors(), self._engine.connect() as connection:
            connection = connection.execution_options(espalier_writes=True)
            with connection.begin():
                yield connection

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Convert database errors to a `StoreError` with a message."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except SQLAlchemyError as error:
            raise StoreError(
                f"The index of runs at '{self._shown}' cannot be used ({_first_line(error)}). "
                "The runs themselves are safe in their folders. Start the database, or correct ESPALIER_DATABASE."
            ) from None


@cache
def _tables() -> tuple[Any, Any]:
    """The table of the runs, with the fields of `Entry` as columns, and a one-row table with the layout of the first.

    Times are UTC without a time zone.
    """
    from sqlalchemy import BigInteger, Boolean, Column, DateTime, Float, Index, MetaData, String, Table, Text

    kinds = {str: Text, int: BigInteger, float: Float, bool: Boolean, datetime: DateTime}
    metadata, columns = MetaData(), list[Any]()
    for field in fields(Entry):
        kind, *none = get_args(field.type) or (field.type,)
        columns.append(Column(field.name, kinds[kind], primary_key=field.name == "id", nullable=bool(none)))
    runs = Table("runs", metadata, *columns, Index("runs_by_owner", "owner", "deleted", "created"))
    return runs, Table("form", metadata, Column("form", String(64), primary_key=True))


def _row(entry: Entry) -> dict[str, Any]:
    row = asdict(entry)
    for name in ("created", "deleted"):
        row[name] = None if row[name] is None else _naive(row[name])
    return row


def _entry(row: Any) -> Entry:
    parts = {field.name: row[field.name] for field in fields(Entry)}
    for name in ("created", "deleted"):
        parts[name] = None if parts[name] is None else parts[name].replace(tzinfo=UTC)
    return Entry(**parts)


def _naive(moment: datetime) -> datetime:
    """A time as stored in the database: in UTC, without a time zone."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def _connect_with_timeout(_dialect: Any, _record: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Connect to PostgreSQL with a timeout for servers that hang."""
    return timeouts.connect(*args, **kwargs)


@contextmanager
def _long_timeout(connection: Any) -> Iterator[None]:
    """Extend the timeout of a connection's server until the block ends."""
    plain = connection.connection.dbapi_connection
    if not hasattr(plain, "server_timeout"):
        yield
        return
    plain.server_timeout = _TABLES_TIMEOUT
    try:
        yield
    finally:
        plain.server_timeout = timeouts.SERVER_TIMEOUT


def _set_lock_timeout(connection: Any, _: object) -> None:
    """Let several programs use one SQLite file: writers wait for each other, readers do not wait."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute(f"PRAGMA busy_timeout={round(1000 * LOCK_TIMEOUT)}")
    cursor.close()


def _begin(connection: Any) -> None:
    """Begin an SQLite transaction; a write transaction takes the lock first, since it may be unavailable later."""
    writes = connection.get_execution_options().get("espalier_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _without_password(url: str) -> str:
    """An unreadable URL without the part before '@'."""
    head, _, tail = url.rpartition("@")
    return f"{head.split('://')[0]}://...@{tail}" if head else url


def _first_line(error: BaseException) -> str:
    cause = getattr(error, "orig", None) or error
    lines = str(cause).strip().splitlines()
    return lines[0].rstrip(".")[:200] if lines else type(error).__name__


def open_index(url: str) -> tuple[RunIndex, str]:
    """The index of runs, with its tables; a damaged file is replaced by a new one.

    Nothing is lost by that: names, stars and comments are in the folders, too. The damaged file is kept, and the
    returned note describes the replacement; '' if there was no damage. Raises `StoreError` like `RunIndex`.
    """
    index = RunIndex(url)
    path = index.file
    if path is None or not path.exists():
        index.ensure_tables()
        return index, ""
    index.close()
    try:
        # programs that start at once take turns, so that none puts aside the new file of another
        with closing(sqlite3.connect(path.with_name(f".{path.name}.recovery"), timeout=LOCK_TIMEOUT)) as turn:
            turn.execute("BEGIN EXCLUSIVE")
            aside = _put_aside(path) if _is_damaged(path) else None
            index.ensure_tables()
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"The index of runs at '{path}' cannot be used ({error}). The runs themselves are safe in their folders. "
            f"Make the folder of the index writable, or correct ESPALIER_DATABASE."
        ) from None
    if aside is None:
        return index, ""
    return index, (
        f"The index of runs was damaged and has been rebuilt from the folders of the runs; no run is lost. "
        f"The damaged file is kept as '{aside.name}'."
    )


def _is_damaged(path: Path) -> bool:
    """Whether a file is not an SQLite database, or one with inconsistent pages."""
    try:
        with closing(sqlite3.connect(path, timeout=LOCK_TIMEOUT)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
    except sqlite3.DatabaseError as error:
        # the lowest byte is the primary error code, the others are details
        if error.sqlite_errorcode & 0xFF in _DAMAGE:
            return True
        raise


def _put_aside(path: Path) -> Path:
    """Rename a damaged file, and the auxiliary files of SQLite with it."""
    aside = path.with_name(f"{path.name}.damaged-{secrets.token_hex(3)}")
    for ending in ("-wal", "-shm"):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.replace(aside.with_name(aside.name + ending))
    return path.replace(aside)
