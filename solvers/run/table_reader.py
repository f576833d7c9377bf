"""Reads a table in a separate process, within limits, while the caller continues.

    reading = TableReader().read(TableFile(content, "patients"), ReadingLimits(seconds=60, memory_mb=4096))
    reading.wait()
    reading.result().table

A small file is read at once, in the calling process: see `SMALL_MB`. Every other file goes to a worker process, which
finds the file in a folder that only this user may read, and writes its result there.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
import threading
import time
import zlib
from concurrent.futures import Future, InvalidStateError, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..errors import DataError, EspalierError, RunError, TableSizeError
from ..problem import ReadingOptions, infer_columns, read_table
from ..problem.sources import HEAD, Format, format_of
from ..problem.sources.file_text import GZIP
from .process import POLL_INTERVAL, ResourceUsage, WorkerProcess, watch
from .table_wire import FILES, ReadTable, read_table_files, write_table

SMALL_MB, SMALL_COLUMNS = 1.0, 200
"""A file of at most this many MB (10^6 bytes, packed and unpacked) and columns is read in the calling process:
starting a worker would take longer. Every step is linear in both, and larger files are detected before their cells
are parsed, so this takes two seconds at most.
"""

_REQUEST, _CONTENT = "request.json", "content"


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
        self._turns = threading.Semaphore(max_running)

    def read(
        self,
        source: TableFile,
        limits: ReadingLimits = ReadingLimits(),  # noqa: B008 - immutable
    ) -> Reading:
        """Begin to read a table; a small file has been read when this returns."""
        reading = Reading(source.name, limits)
        if not (source.is_text and reading._read_small(source)):
            threading.Thread(
                target=reading._carry, args=(source, self._turns), name=f"reading {id(reading)}", daemon=True
            ).start()
        return reading


class Reading:
    """A table that is being read. Made by `TableReader.read`; every method may be called from any thread."""

    def __init__(self, name: str, limits: ReadingLimits) -> None:
        self.name, self._limits = name, limits
        self._begun = time.monotonic()
        self._started: float | None = None
        self._worker: WorkerProcess | None = None
        self._gone, self._end = threading.Event(), Future[ReadTable]()
        self._message: dict[str, Any] = {}
        self._exit_text = ""

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
        return self._started is None and not self.done

    @property
    def pid(self) -> int | None:
        """The process that reads it; `None` if it has not started, or none is needed."""
        return None if self._worker is None else self._worker.pid

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

    def _finish(self, end: ReadTable | EspalierError) -> None:
        with contextlib.suppress(InvalidStateError):
            if isinstance(end, EspalierError):
                self._end.set_exception(end)
            else:
                self._end.set_result(end)

    def _read_small(self, file: TableFile) -> bool:
        """Read a file here, if it is small."""
        try:
            self._finish(file.read(max_mb=SMALL_MB, max_columns=SMALL_COLUMNS))
        except TableSizeError:
            return False
        except DataError as error:
            self._finish(error)
        return True

    def _carry(self, source: TableFile, turns: threading.Semaphore) -> None:
        """Wait for a turn, have a worker read the table, and always set the end. Runs in its own thread."""
        while not turns.acquire(timeout=POLL_INTERVAL):
            if self.done:
                return
        try:
            if not self.done:
                with tempfile.TemporaryDirectory(prefix="espalier-reading-") as folder:
                    end = self._through_worker(source, Path(folder))
                self._finish(end)
        except OSError as error:
            self._finish(RunError(f"'{self.name}' cannot be read: {error.strerror or error}. Free some disk space."))
        finally:
            turns.release()
            self._finish(RunError(f"Reading '{self.name}' failed. Try again."))

    def _through_worker(self, source: TableFile, folder: Path) -> ReadTable | EspalierError:
        _write_request(source, folder)
        self._started = time.monotonic()
        self._worker = worker = WorkerProcess((), lambda worker: None)
        worker.serve(self._receive, self._lost)
        worker.send({"do": "read", "folder": str(folder)})
        watch(worker, self._gone, self._overdue)
        self._gone.wait()
        if "refused" in self._message:
            return DataError(self._message["refused"], choices=self._message["choices"])
        if "memory" in self._message:
            return self._too_much_memory()
        if "read" not in self._message:
            return RunError(f"The process that read '{self.name}' {self._exit_text}. Nothing else is lost. Try again.")
        try:
            return read_table_files(folder, self.name)
        except RunError as error:
            return error

    def _receive(self, worker: WorkerProcess, message: dict[str, Any]) -> None:
        self._message |= message

    def _lost(self, worker: WorkerProcess, code: int) -> None:
        self._exit_text = worker.exit_text(code)
        self._gone.set()

    def _overdue(self, usage: ResourceUsage) -> bool:
        """Whether the worker must be ended; if so, this reading has ended."""
        if usage.memory_mb > self._limits.memory_mb:
            self._finish(self._too_much_memory())
        elif self._started is not None and time.monotonic() - self._started > self._limits.seconds:
            self._finish(self._beyond(f"takes more than {self._limits.seconds:g} s", "ESPALIER_MAX_READING_SECONDS"))
        return self.done

    def _too_much_memory(self) -> RunError:
        needs = f"needs more than {self._limits.memory_mb:,} MiB of memory"
        return self._beyond(needs, "ESPALIER_MAX_READING_MEMORY_MB")

    def _beyond(self, does: str, setting: str) -> RunError:
        return RunError(
            f"To read '{self.name}' {does}, which is the limit here. Leave out columns or rows that you do not need, "
            f"or ask the administrator to raise the setting {setting}."
        )


def _write_request(source: TableFile, folder: Path) -> None:
    (folder / _CONTENT).write_bytes(source.content)
    request = {"name": source.name, "types": source.types, "options": msgspec.to_builtins(source.options)}
    (folder / _REQUEST).write_text(json.dumps(request), "utf-8")


def carry_reading(folder: Path) -> dict[str, Any]:
    """Read the table of a folder, in a worker; returns the message 'read', 'refused' (with reason) or 'memory'.

    Parameters
    ----------
    folder : the input, as written by `TableReader`.
    """
    request = json.loads((folder / _REQUEST).read_text("utf-8"))
    options = ReadingOptions(**request.pop("options"))
    content = (folder / _CONTENT).read_bytes()
    (folder / _CONTENT).unlink()
    try:
        write_table(folder, TableFile(content, **request, options=options).read())
    except EspalierError as error:
        return {"refused": str(error), "choices": list(error.choices) if isinstance(error, DataError) else []}
    except MemoryError:
        return {"memory": "none left"}
    return {"read": FILES}
