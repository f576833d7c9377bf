"""The table of a study in its folder.

sweep.json      when it was first requested, the task, the plan's id, and the keys of its jobs in the order of the table
results.jsonl   one line of the table per job, in the order in which they ended; each is on disk before the next
table.csv       the table in the order of the plan
table.parquet   the same with its types
models/         the models, one JSON file each
unseen.*        the held-out rows
worker.json     the process that works on it
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

import msgspec
import pandas as pd
from msgspec import structs

from ..diagram import Diagram, from_json, to_json
from ..errors import RunError
from ..explain import Task
from ..problem import Dataset, Problem, Shape
from ..run import wire
from ..run.folder import Folder, Moment
from ..solution import Status
from ..spreadsheet import safe_cell
from .jobs import JobOutcome

Row = dict[str, Any]
"""A row of the table of a study."""

_FILE, _RESULTS, _ROWS = "sweep.json", "results.jsonl", "unseen"


_WITHOUT_MODEL = {
    Status.INFEASIBLE: "No model satisfies the constraints on some of the rows.",
    Status.NO_SOLUTION: "No model was found within the time limit.",
}
_UNVERIFIED = "The model was not verified by recomputation."


@dataclass(frozen=True)
class Results:
    """The table of a study with its models, possibly partial.

    Attributes
    ----------
    of : the number of jobs.
    rows : a row for each job that has ended, in the order of their ends, see `row_of`.
    models : the verified model of each row; `None` if there is none.
    seed : divided the rows.
    """

    of: int = 0
    rows: tuple[Row, ...] = ()
    models: tuple[Diagram | None, ...] = ()
    seed: int = 0

    @property
    def done(self) -> int:
        """The number of jobs that have ended."""
        return len(self.rows)

    @property
    def complete(self) -> bool:
        """Whether all jobs have ended."""
        return 0 < self.of <= self.done

    @property
    def faults(self) -> tuple[str, ...]:
        """Why models are missing, each reason once."""
        missing = (row for row, model in zip(self.rows, self.models, strict=True) if model is None)
        return tuple(dict.fromkeys(row["error"] or _WITHOUT_MODEL.get(row["status"], _UNVERIFIED) for row in missing))

    def found(self) -> Iterator[tuple[Row, Diagram]]:
        """The jobs that found a verified model."""
        return ((row, model) for row, model in zip(self.rows, self.models, strict=True) if model is not None)


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `sweep.json`: `task` for a study of a run; `id` and `keys` of its plan once it has begun."""

    created: Moment
    task: Task | None = None
    id: str = ""
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class StudyFolder(Folder):
    """The folder of a study."""

    noun: ClassVar[str] = "sweep"
    remedy: ClassVar[str] = "Delete its folder, or choose a new one, and start the sweep again."

    @contextmanager
    def working(self) -> Iterator[None]:
        """Make the folder, and reserve it for this process.

        Raises `RunError` if another process works in it, or if it cannot be used.
        """
        if self.has_worker():
            raise RunError(
                "This sweep is already running in another window. Wait until the sweep ends, or stop it there."
            )
        with self.usable():
            (self.path / "models").mkdir(parents=True, exist_ok=True)
            self.write_worker()
        try:
            yield
        finally:
            # the process still lives for a moment, and the study may be resumed at once
            (self.path / "worker.json").unlink(missing_ok=True)

    def open(self, plan_id: str, keys: tuple[str, ...]) -> dict[str, Row]:
        """Begin a plan in the reserved folder, or resume it; returns the lines of the jobs that have ended, by keys.

        Raises `RunError` if the folder holds another plan, is damaged, or cannot be written.
        """
        with self.usable():
            stored = self.manifest() if self.exists() else Manifest(datetime.now(UTC))
            if not stored.id:
                stored = structs.replace(stored, id=plan_id, keys=keys)
                self.write_manifest(stored)
            # a line truncated by a power failure must not become the beginning of the next one
            self.drop_partial_line(_RESULTS)
        if stored.id != plan_id:
            raise RunError(
                f"The folder '{self.path}' holds another sweep (other rows, settings or version). Choose a new folder."
            )
        return self.rows()

    def exists(self) -> bool:
        """Whether the study was requested or begun."""
        return (self.path / _FILE).exists()

    def manifest(self) -> Manifest:
        """The settings; `RunError` if they are missing or damaged."""
        return self.read(_FILE, Manifest)

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the settings; `OSError` if they cannot be written."""
        self.write_json(_FILE, manifest)

    def keys(self) -> tuple[str, ...]:
        """The keys of all jobs in the order of the table, empty before the study has begun; `RunError` if damaged."""
        return self.manifest().keys if self.exists() else ()

    def stamp(self) -> tuple[int, ...]:
        """The times and sizes of settings and results: they change once it has begun, and with every job that ends."""
        found: list[int] = []
        for name in (_FILE, _RESULTS):
            with suppress(FileNotFoundError):
                status = (self.path / name).stat()
                found += (status.st_mtime_ns, status.st_size)
        return tuple(found)

    def rows(self) -> dict[str, Row]:
        """The lines of the jobs that have ended, by their keys; an incomplete last line is skipped.

        If a job was retried, its last line counts. Nothing is written, so this is safe while another process runs the
        study. Raises `RunError` if a line is damaged.
        """
        rows = {}
        for what, row in self.lines(_RESULTS):
            with wire.refuse_damaged(what, self.remedy):
                rows[row["key"]] = row
        return rows

    def add(self, row: Row, outcome: JobOutcome) -> None:
        """Record a job that has ended, and store its model."""
        try:
            if outcome.solution is not None and outcome.solution.diagram is not None:
                self.write(self._model(row["key"]), to_json(outcome.solution.diagram).encode())
            with (self.path / _RESULTS).open("a", encoding="utf-8") as out:
                out.write(wire.dumps(wire.add_version(row)) + "\n")
                out.flush()
                os.fsync(out.fileno())
        except OSError as error:
            raise RunError(
                f"The result of '{row['key']}' cannot be written to '{self.path}' ({error.strerror}). "
                "Earlier results are kept. Free some space, and start the same sweep again."
            ) from None

    def _model(self, key: str) -> str:
        return f"models/{''.join(c if c.isalnum() else '-' for c in key)}.json"

    def diagram(self, key: str) -> Diagram:
        """The model of a job; `RunError` if there is none, another `EspalierError` if it is damaged."""
        try:
            return from_json((self.path / self._model(key)).read_text("utf-8"))
        except OSError as error:
            raise RunError(f"The model of '{key}' cannot be read ({error.strerror}). Run the sweep again.") from None

    def table(self) -> pd.DataFrame:
        """One row per job that has ended, in the order of the plan, or of their ends if the plan does not know it."""
        rows = self.rows()
        return pd.DataFrame([rows[key] for key in self.keys() or rows if key in rows])

    def results(self, seed: int = 0, known: Results | None = None) -> Results:
        """The table with its models, of which those that are `known` are not read again; `seed` divided the rows."""
        rows = tuple(self.rows().values())
        held = {} if known is None else {row["key"]: model for row, model in known.found()}
        models = [
            None
            if not row["verified"] or row["train_errors"] is None
            else held.get(row["key"]) or self.diagram(row["key"])
            for row in rows
        ]
        return Results(len(self.keys()), rows, tuple(models), seed)

    def write_tables(self) -> pd.DataFrame:
        """Write the table as CSV and Parquet, and return it."""
        frame = self.table()
        try:
            self.write("table.csv", csv_of(frame).encode())
            frame.to_parquet(self.path / "table.parquet", index=False)
        except OSError as error:
            raise RunError(f"The table cannot be written to '{self.path}' ({error.strerror}).") from None
        return frame

    def write_unseen(self, unseen: Dataset | None) -> None:
        """Write the held-out rows, if there are any; `OSError` if they cannot be written."""
        if unseen is not None:
            self.write(f"{_ROWS}.npz", wire.arrays_to_bytes(unseen))
            self.write_json(f"{_ROWS}.json", wire.problem_to_json(Problem(unseen, Shape(max_depth=1))))

    def unseen(self) -> Dataset | None:
        """The held-out rows; `None` if there are none; `RunError` if they are damaged."""
        if not (self.path / f"{_ROWS}.json").exists():
            return None
        what = f"The held-out rows of the sweep '{self.path.name}'"
        return wire.problem_from_json(self.read_json(f"{_ROWS}.json"), self._read(f"{_ROWS}.npz"), what).dataset


class MemoryTable:
    """The table of a study that is not kept; it has the methods of a `StudyFolder` that a study needs."""

    def __init__(self) -> None:
        self._of, self._rows, self._models = 0, dict[str, Row](), dict[str, Diagram | None]()

    def working(self) -> AbstractContextManager[None]:
        """Nothing has to be reserved."""
        return nullcontext()

    def open(self, plan_id: str, keys: tuple[str, ...]) -> dict[str, Row]:
        """Begin a plan."""
        self._of = len(keys)
        return {}

    def add(self, row: Row, outcome: JobOutcome) -> None:
        """Store a job that has ended, and its model."""
        self._rows[row["key"]], self._models[row["key"]] = row, outcome.diagram

    def diagram(self, key: str) -> Diagram:
        """The model of a job that has one."""
        model = self._models[key]
        assert model is not None, "it has a model"
        return model

    def results(self, seed: int = 0) -> Results:
        """The table with its models; `seed` divided the rows."""
        return Results(self._of, tuple(self._rows.values()), tuple(self._models.values()), seed)

    def write_tables(self) -> pd.DataFrame:
        """The table, in the order in which the jobs ended."""
        return pd.DataFrame(list(self._rows.values()))


def csv_of(table: pd.DataFrame) -> str:
    """A table of a study as CSV, without cells that a spreadsheet would read as formulas."""
    texts = table.select_dtypes(["object", "string"]).columns
    safe = {name: table[name].map(lambda v: safe_cell(v) if isinstance(v, str) else v) for name in texts}
    text: str = table.assign(**safe).to_csv(index=False)
    return text
