"""Reads a table in a separate process, within limits, while the caller continues.

    reading = TableReader().read(TableFile(content, "patients"), ReadingLimits(seconds=60, memory_mb=4096))
    reading.wait()
    reading.result().table

A small file is read at once, in the calling process: see `SMALL_MB`. Every other file goes to a worker process, which
writes its result to a folder that only this user may read.
"""

from __future__ import annotations

import contextlib
import gc
import time
import zlib
from concurrent.futures import Future, InvalidStateError, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DataError, EspalierError, RunError, TableSizeError
from ..problem import ReadingOptions, infer_columns, read_table
from ..problem.sources import HEAD, Format, format_of
from ..problem.sources.file_text import GZIP
from ..solution import Emit, EndReason
from .pool import WorkerPool
from .table_wire import FILES, ReadTable, read_table_files, write_table
from .work import Call, HangTimer, Message

SMALL_MB, SMALL_COLUMNS = 1.0, 200
"""A file of at most this many MB (10^6 bytes, packed and unpacked) and columns is read in the calling process:
starting a worker would take longer. Every step is linear in both, and larger files are detected before their cells
are parsed, so this takes two seconds at most.
"""


class ReadingLimits(NamedTuple):
    """The limits for reading one table: seconds, and MiB of memory."""

    seconds: float = 120.0
    memory_mb: int = 4096


@dataclass(frozen=True)
class TableFile:
    """A file to be read by `read_table`.

    With `types`, the types of the columns are detected, too.
    """

    content: bytes
    name: str
    options: ReadingOptions = ReadingOptions()  # noqa: RUF009 - immutable
    types: bool = True

    def read(self, **limits: Any) -> ReadTable:
        """Read it in this process; `limits` are those of `read_table`."""
        table = read_table(self.content, name=self.name, options=self.options, **limits)
        return ReadTable(table, infer_columns(table) if self.types else ())

    @property
    def is_text(self) -> bool:
        """Whether it is parsed by our own code, which no content can crash."""
        head = self.content[:HEAD]
        if head.startswith(GZIP):
            with contextlib.suppress(zlib.error):
                head = zlib.decompressobj(wbits=31).decompress(head, HEAD)
        return format_of(head) is Format.TEXT


class ReadingStoppedError(RunError):
    """The caller ended the reading."""


class TableReader:
    """Reads tables, at most `max_running` of them in workers at the same time; further ones are queued."""

    def __init__(self, max_running: int = 2) -> None:
        self.pool = WorkerPool(spares=0, max_running=max_running, warm=())

    def read(
        self,
        source: TableFile,
        limits: ReadingLimits = ReadingLimits(),  # noqa: B008 - immutable
    ) -> Reading:
        """Begin to read a table; a small file has been read when this returns."""
        reading = Reading(source, limits)
        if not (source.is_text and reading.read_small(source)):
            self.pool.enqueue(reading)
        return reading


class Reading(Call):
    """A table that is being read. Made by `TableReader.read`; every method may be called from any thread."""

    def __init__(self, source: TableFile, limits: ReadingLimits) -> None:
        super().__init__(read_into, source, HangTimer(limits.seconds), limits.memory_mb)
        self.name, self._limits = source.name, limits
        self._begun = time.monotonic()
        self._end, self._message = Future[ReadTable](), dict[str, Any]()

    @property
    def done(self) -> bool:
        """Whether the reading has ended."""
        return self._end.done()

    @property
    def cancelled(self) -> bool:
        """Whether the caller has ended it."""
        return self.done and isinstance(self._end.exception(), ReadingStoppedError)

    @property
    def waiting(self) -> bool:
        """Whether it is queued."""
        return self.pid is None and not self.done

    @property
    def elapsed(self) -> float:
        """Seconds since the request."""
        return time.monotonic() - self._begun

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end, at most `timeout` seconds; returns whether it has ended."""
        return bool(wait([self._end], timeout).done)

    def cancel(self) -> None:
        """Stop the reading."""
        self._finish(ReadingStoppedError(f"Reading '{self.name}' was stopped."))
        super().cancel()

    def result(self) -> ReadTable:
        """The table; waits for the end of the reading.

        Raises
        ------
        DataError
            It cannot be read; see `read_table`.
        RunError
            The reading was stopped, exceeded its limits, or its process crashed.
        """
        return self._end.result()

    def refuse(self, error: EspalierError) -> None:
        """Record why the table cannot be used, and release it."""
        self._end = Future()
        self._finish(error)

    def read_small(self, file: TableFile) -> bool:
        """Read a file here, if it is small."""
        try:
            self._finish(file.read(max_mb=SMALL_MB, max_columns=SMALL_COLUMNS))
        except TableSizeError:
            return False
        except DataError as error:
            self._finish(error)
        self.end()
        return True

    def receive(self, message: Message) -> None:
        """Keep the answer, and let the worker go: it has parsed a file that may be hostile."""
        if self.worker is not None and "worker" not in message:
            self._message = message
            self.worker.close_commands()

    def lost(self, how: str) -> None:
        """Take the result of the worker."""
        end: ReadTable | EspalierError = RunError(f"Reading '{self.name}' failed. Try again.")
        try:
            end = self._taken(how)
        except EspalierError as error:
            end = error
        finally:
            self.end()
            self._finish(end)

    def _finish(self, end: ReadTable | EspalierError) -> None:
        with contextlib.suppress(InvalidStateError):
            if isinstance(end, EspalierError):
                self._end.set_exception(end)
            else:
                self._end.set_result(end)

    def _taken(self, how: str) -> ReadTable:
        """The table from the worker's files; raises why there is none."""
        if self.fault is not None:
            raise self.fault
        if "refused" in self._message:
            raise DataError(self._message["refused"], choices=self._message["choices"])
        if "memory" in self._message or self._ended_for is EndReason.MEMORY_LIMIT:
            needs = f"needs more than {self._limits.memory_mb:,} MiB of memory"
            raise self._exceeds(needs, "ESPALIER_MAX_READING_MEMORY_MB")
        if self._ended_for is EndReason.TIME_LIMIT:
            raise self._exceeds(f"takes more than {self._limits.seconds:g} s", "ESPALIER_MAX_READING_SECONDS")
        if "read" not in self._message or self.folder is None:
            raise RunError(f"The process that read '{self.name}' {how}. Nothing else is lost. Try again.")
        return read_table_files(self.folder, self.name)

    def _exceeds(self, does: str, setting: str) -> RunError:
        return RunError(
            f"To read '{self.name}' {does}, which is the limit here. Leave out columns or rows that you do not need, "
            f"or ask the administrator to raise the setting {setting}."
        )


def read_into(source: TableFile, folder: Path, emit: Emit) -> Message:
    """Read a table into a folder, in a worker; returns the message 'read', 'refused' (with reason) or 'memory'."""
    # everything is kept until the end, so there is no garbage to collect
    gc.disable()
    try:
        write_table(folder, source.read())
    except EspalierError as error:
        return {"refused": str(error), "choices": list(error.choices) if isinstance(error, DataError) else []}
    except MemoryError:
        return {"memory": "none left"}
    finally:
        gc.enable()
    return {"read": FILES}
