"""Tables read in a worker: the same as here, within limits, and with a stop."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers.errors import DataError, EspalierError, RunError
from solvers.problem import ReadingOptions, samples
from solvers.problem.tables import Cells
from solvers.run import Reading, ReadingLimits, ReadTable, TableFile, TableReader, pool, table_reader, table_wire
from solvers.run.process import Warmth
from tests.case_count import case_count
from tests.faults.running import PATIENCE, until

WIDE = ",".join(f"c{j}" for j in range(40_000)).encode() + b"\n" + (b"1," * 39_999 + b"2\n") * 3
"""A table that takes a worker many seconds because of its columns."""
FILES = {
    "sample": samples()[0].path.read_bytes(),
    "decimal commas": "name;größe;ja\nA;1,5;x\nB;2,25;y\nC;;x\n".encode(),
    "packed": gzip.compress(b"a\tb\n1\t2024-01-31\n2\t2024-02-01\n"),
    "no header": b"1 2 3\n4 5 6\n",
    "two readings": b"id;dose;seen\na;1,125;03/04/2024\nb;2,250;05/04/2024\nc;n/a;25/04/2024\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Parent of the folders of readings."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def in_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every file as large."""
    monkeypatch.setattr(table_reader, "SMALL_COLUMNS", 0)


def at_work(content: bytes = WIDE, **options: object) -> Reading:
    """A reading whose worker has started."""
    found = TableReader().read(TableFile(content, "wide"), **options)
    until(lambda: found.pid is not None)
    return found


def gone(pid: int) -> bool:
    """Whether a process has ended."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def same(found: ReadTable, expected: ReadTable) -> bool:
    """Whether two tables are equal."""
    table, other = vars(found.table), vars(expected.table)
    rest = {name: value for name, value in table.items() if name != "columns"}
    return (
        found.table.frame.equals(expected.table.frame)
        and rest == {name: other[name] for name in rest}
        and found.reports == expected.reports
        and all(raw_cells(table["columns"][name]) == raw_cells(cells) for name, cells in other["columns"].items())
    )


def raw_cells(cells: Cells) -> list[str] | None:
    """The cells of a column as in the source, if they were converted to a plain spelling."""
    raw = getattr(cells, "raw", None)
    return None if raw is None else raw.cells(slice(None))


@pytest.mark.parametrize("content", FILES.values(), ids=list(FILES))
def test_a_worker_reads_the_same_table(in_worker: None, folder: Path, content: bytes) -> None:
    """Cells, names, notes and types are the same, and nothing remains in the temporary folder."""
    file = TableFile(content, "own")
    found = TableReader().read(file)
    assert not found.done and found.wait(PATIENCE)
    assert same(found.result(), file.read())
    assert not list(folder.iterdir())


@settings(max_examples=case_count(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(st.lists(st.text(max_size=6), min_size=3, max_size=3), max_size=8),
    separator=st.sampled_from(",;\t "),
    header=st.sampled_from([None, True, False]),
    types=st.booleans(),
)
def test_every_table_survives_its_folder(cells, separator: str, header: bool | None, types: bool) -> None:
    """Any table, or the sentence that refuses it, survives the round trip through the folder."""
    file = TableFile(
        "\n".join(map(separator.join, cells)).encode(errors="replace"), "own", ReadingOptions(header=header), types
    )
    with tempfile.TemporaryDirectory() as name:
        answer = table_reader.read_into(file, Path(name), emit=print)
        try:
            expected = file.read()
        except DataError as error:
            assert answer == {"refused": str(error), "choices": list(error.choices)}
        else:
            assert answer == {"read": table_wire.FILES} and same(
                table_wire.read_table_files(Path(name), "own"), expected
            )


@pytest.mark.parametrize("content", [FILES["sample"], FILES["packed"]], ids=["plain", "packed"])
def test_a_small_file_is_read_without_a_process(content: bytes) -> None:
    """A small file is read at once, in this process."""
    found = TableReader().read(TableFile(content, "own"))
    assert found.done and found.pid is None and not found.waiting
    assert same(found.result(), TableFile(content, "own").read())


def test_a_small_invalid_file_is_refused_at_once() -> None:
    """The sentence is the usual one."""
    found = TableReader().read(TableFile(b"a,b\n1,2\n3\n", "own"))
    with pytest.raises(DataError, match="Row 2 has 1 field"):
        found.result()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(bytes(250_000_000), 1), "unpacks to more than 200 MB"),
        (b"," * 1_000_000, "at most 50,000 columns"),
        (b'a,b\n"' + b"1,2\n" * 500_000, "a quote that is never closed"),
    ],
    ids=["bomb", "columns", "quote"],
)
def test_large_or_invalid_files_are_refused_by_the_worker(content: bytes, said: str) -> None:
    """The sentences are those of the reader."""
    found = TableReader().read(TableFile(content, "odd"))
    assert not found.done and found.wait(PATIENCE)
    with pytest.raises(DataError, match=said):
        found.result()


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (ReadingLimits(seconds=1.5), "takes more than 1.5 s.*ESPALIER_MAX_READING_SECONDS"),
        (ReadingLimits(memory_mb=60), "more than 60 MiB of memory.*ESPALIER_MAX_READING_MEMORY_MB"),
    ],
)
def test_exceeded_limits_end_the_worker(folder: Path, limits: ReadingLimits, said: str) -> None:
    """The sentence names limit and remedy; process and folder are removed."""
    found = at_work(limits=limits)
    assert found.wait(PATIENCE)
    with pytest.raises(RunError, match=said):
        found.result()
    until(lambda: gone(found.pid) and not list(folder.iterdir()))


class Exhausted:
    """A worker without memory."""

    pid = None
    warmth = Warmth.READY

    def __init__(self, *_: object) -> None:
        pass

    def serve(self, on_line: Callable, on_exit: Callable) -> None:
        """Report it, and end."""
        on_line(self, {"memory": "none left"})
        on_exit(self, 0)

    def send(self, command: dict) -> None:
        """Ignore: the worker has ended."""

    def close_commands(self) -> None:
        """Ignore it, too."""

    def exit_text(self, code: int) -> str:
        """How the worker ended."""
        return f"ended unexpectedly with the code {code}"


def test_exhausted_memory_is_reported_as_a_limit(in_worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """This also holds if the system gives a worker less memory than its limit."""
    monkeypatch.setattr(pool, "WorkerProcess", Exhausted)
    found = TableReader().read(TableFile(FILES["no header"], "own"))
    assert found.wait(PATIENCE)
    with pytest.raises(RunError, match="more than 4,096 MiB of memory"):
        found.result()


def test_a_worker_reports_exhausted_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The worker prints no traceback."""

    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(table_reader, "read_table", exhausted)
    assert "memory" in table_reader.read_into(TableFile(b"1", "own"), tmp_path, emit=print)


def test_a_stop_ends_the_worker_at_once(folder: Path) -> None:
    """The reading has ended when `cancel` returns, and its process and folder are removed a moment later."""
    found = at_work()
    found.cancel()
    assert found.done
    with pytest.raises(RunError, match="was stopped"):
        found.result()
    until(lambda: gone(found.pid) and not list(folder.iterdir()))


def test_a_killed_worker_is_reported() -> None:
    """After kill -9 the reading has ended, with a sentence."""
    found = at_work()
    os.kill(found.pid, signal.SIGKILL)
    assert found.wait(PATIENCE)
    with pytest.raises(RunError, match=r"The process that read 'wide' was killed \(signal 9\)"):
        found.result()


def test_readings_are_queued() -> None:
    """At most `max_running` workers read; one that is stopped while it waits never starts."""
    reader = TableReader(max_running=1)
    first, second, third = (reader.read(TableFile(WIDE, name)) for name in ("first", "second", "third"))
    until(lambda: first.pid is not None)
    assert second.waiting and third.waiting
    second.cancel()
    first.cancel()
    until(lambda: third.pid is not None)
    assert second.done and second.pid is None
    third.cancel()


def test_an_unusable_table_is_released(in_worker: None) -> None:
    """Its fault is reported from then on."""
    found = TableReader().read(TableFile(FILES["no header"], "own"))
    assert found.wait(PATIENCE) and found.result()
    found.refuse(DataError("It does not fit."))
    with pytest.raises(EspalierError, match="It does not fit"):
        found.result()


def test_options_reach_the_worker(tmp_path: Path) -> None:
    """This also holds in a separate process."""
    content = b"Ward\n\nsex;crp;crp\n1;<0.5;2\n2;7;3\n1;8;4\nTotal;15,5;9\n"
    options = ReadingOptions(header_line=3, skip_last=1, parse_censored=True)
    file = TableFile(content, "own", options)
    assert file.read().table.names == ("sex", "crp", "crp (2)")
    answer = table_reader.read_into(pickle.loads(pickle.dumps(file)), tmp_path, emit=print)
    assert answer == {"read": table_wire.FILES} and same(table_wire.read_table_files(tmp_path, "own"), file.read())
    assert {path.name for path in tmp_path.iterdir()} == {*table_wire.FILES}


class Touching:
    """An object whose pickle creates a file when it is read."""

    def __init__(self, witness: Path) -> None:
        self.witness = witness

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.witness,)


def changed(file: Path, change: Callable[[dict], object]) -> None:
    """Change the JSON description of a table."""
    described = json.loads(file.read_text())
    change(described)
    file.write_text(json.dumps(described))


def cells(folder: Path, *columns: object) -> None:
    """Replace the numbers and codes of a table with other columns."""
    batch = pa.RecordBatch.from_arrays([pa.array(column) for column in columns], [str(j) for j in range(len(columns))])
    with pa.ipc.new_file(folder / "cells.arrow", batch.schema) as out:
        out.write_batch(batch)


def column_codes(folder: Path, *codes: int) -> None:
    """Replace the codes of the second column."""
    cells(folder, [1.5, 2.5, 3.5], np.array(codes, np.int32))


def damaged_in_the_middle(folder: Path) -> None:
    """Change the bytes of a file that locate its arrays."""
    content = bytearray((folder / "cells.arrow").read_bytes())
    content[100:200] = b"\xff" * 100
    (folder / "cells.arrow").write_bytes(content)


HOSTILE = {
    "pickle": lambda f: [(f / name).write_bytes(pickle.dumps(Touching(f / "witness"))) for name in table_wire.FILES],
    "objects": lambda f: np.array([Touching(f / "witness")]).dump(f / "cells.arrow"),
    "no file": lambda f: (f / "cells.arrow").unlink(),
    "cut short": lambda f: os.truncate(f / "cells.arrow", (f / "cells.arrow").stat().st_size - 1),
    "other bytes": damaged_in_the_middle,
    "other type": lambda f: cells(f, np.zeros(3, np.float32), np.array([0, 1, 1], np.int32)),
    "no number": lambda f: cells(f, [1.5, None, 2.5], np.array([0, 1, 1], np.int32)),
    "code of no text": lambda f: column_codes(f, 0, 1, 2),
    "negative code": lambda f: column_codes(f, 0, 1, -1),
    "infinite": lambda f: cells(f, [0.0, 1.0, np.inf], np.array([0, 1, 1], np.int32)),
    "more columns": lambda f: cells(f, [0.0] * 3, np.array([0, 1, 1], np.int32), [0.0] * 3),
    "fewer columns": lambda f: cells(f, [0.0] * 3),
    "spelling": lambda f: changed(f / "table.json", lambda d: d["columns"][0].update(spelling="nonsense")),
    "two of one name": lambda f: changed(f / "table.json", lambda d: d["columns"][0].update(name="b")),
    "text is no text": lambda f: changed(f / "table.json", lambda d: d["columns"][1].update(text=[1, 2])),
    "no report": lambda f: changed(f / "table.json", lambda d: d["reports"][0].pop("kind")),
}


@pytest.mark.parametrize("damage", HOSTILE.values(), ids=list(HOSTILE))
def test_files_of_a_compromised_worker_are_refused(damage: Callable[[Path], object], folder: Path) -> None:
    """Regression: the result of a worker was unpickled; now it is data, and each part is checked."""
    read = TableFile(b"a,b\n1.5,x\n2.5,y\n3.5,y\n", "own").read()
    table_wire.write_table(folder, read)
    assert same(table_wire.read_table_files(folder, "own"), read)
    damage(folder)
    with pytest.raises(RunError, match="The result of the process that read 'own' is damaged"):
        table_wire.read_table_files(folder, "own")
    assert not (folder / "witness").exists()
