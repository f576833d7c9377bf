"""An index in SQLite whose file is damaged: put aside, and made anew from the folders, which hold the truth."""

import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

from ..errors import StoreError
from .index import LOCK_TIMEOUT, RunIndex

_DAMAGE = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def open_index(url: str) -> tuple[RunIndex, str]:
    """The index of runs, with its tables; where its file is damaged a new one takes its place.

    Nothing is lost by that: names, stars and comments rest in the folders, too. The damaged file is kept, and what was
    done is told in a sentence; '' where there was no damage. Raises `StoreError` as `RunIndex`.
    """
    index = RunIndex(url)
    path = index.file
    if path is None or not path.exists():
        index.ensure_tables()
        return index, ""
    index.close()
    try:
        # programs that start at once take turns, or one of them would put aside what another has just made
        with closing(sqlite3.connect(path.with_name(f".{path.name}.recovery"), timeout=LOCK_TIMEOUT)) as turn:
            turn.execute("BEGIN EXCLUSIVE")
            aside = _put_aside(path) if _is_damaged(path) else None
            index.ensure_tables()
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"The index of runs at '{path}' cannot be used ({error}). The runs themselves are safe in their folders; "
            "make its folder writable, or correct ESPALIER_DATABASE."
        ) from None
    if aside is None:
        return index, ""
    return index, (
        f"The index of runs was damaged and has been rebuilt from the folders of the runs; no run is lost. "
        f"The damaged file is kept as '{aside.name}'."
    )


def _is_damaged(path: Path) -> bool:
    """Whether a file is no database of SQLite, or one whose pages do not fit together."""
    try:
        with closing(sqlite3.connect(path, timeout=LOCK_TIMEOUT)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
    except sqlite3.DatabaseError as error:
        # the lowest byte is the kind of error, the others say more about it
        if error.sqlite_errorcode & 0xFF in _DAMAGE:
            return True
        raise


def _put_aside(path: Path) -> Path:
    """Rename a damaged file, and with it what SQLite keeps beside it."""
    aside = path.with_name(f"{path.name}.damaged-{secrets.token_hex(3)}")
    for ending in ("-wal", "-shm"):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.replace(aside.with_name(aside.name + ending))
    return path.replace(aside)
