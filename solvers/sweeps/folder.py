"""The folder of a sweep: what is planned, and a line for each job that has ended, so that it can go on where it ended.

plan.json       the plan's name, and the keys of its jobs in the order of the table
results.jsonl   a line of the table a job, in the order in which they ended; each is on the disk before the next
table.csv       the table in the order of the plan
table.parquet   the same with its types
models/         the models, a JSON file each
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..diagram import Diagram, from_json, to_json
from ..errors import RunError
from ..methods.search.clock import Clock
from ..problem.json_text import read_json
from ..run import json_types, wire
from ..run.documents import current, versioned
from ..solution import Stop
from ..spreadsheet import safe_cell
from .executors import Executor, InProcess, run_jobs
from .jobs import JobOutcome
from .plan import Row, SweepPlan, row_of


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is; its table is in its folder.

    Attributes
    ----------
    done, failed, running, of : jobs; those that failed are among those done.
    left : seconds until its end, from the jobs of this start; `None` before the first has ended.
    finished : whether this is the last word, which it also is where the sweep was stopped.
    seconds : since it began, or since it was gone on with.
    """

    done: int = 0
    failed: int = 0
    running: int = 0
    of: int = 0
    left: float | None = None
    finished: bool = False
    seconds: float = 0.0

    @property
    def words(self) -> str:
        """In a sentence."""
        text = f"{self.done} of {self.of} jobs are done"
        text += f", {self.failed} failed" if self.failed else ""
        text += f", {self.running} at work" if self.running else ""
        return text + (f"; about {self.left:.0f} s left." if self.left else ".")


@dataclass(frozen=True)
class _StoredPlan:
    """What `plan.json` holds."""

    id: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class SweepFolder:
    """The folder of a sweep."""

    path: Path

    def open(self, plan: SweepPlan) -> dict[str, Row]:
        """Make the folder, or go on with what is in it; the lines of the jobs that have ended, by their keys.

        Raises `RunError` where the folder holds another plan, is damaged, or cannot be written.
        """
        try:
            (self.path / "models").mkdir(parents=True, exist_ok=True)
            file = self.path / "plan.json"
            if not file.exists():
                stored = _StoredPlan(plan.id, tuple(cell.job.key for cell in plan.cells))
                write_file(file, wire.dumps(versioned(json_types.to_json(stored))))
            stored = self._plan()
        except OSError as error:
            raise RunError(f"The folder '{self.path}' cannot be used ({error.strerror}). Choose another one.") from None
        if stored.id != plan.id:
            raise RunError(
                f"The folder '{self.path}' holds another sweep (other rows, settings or version). Choose a new folder."
            )
        self._drop_partial_line()
        return self.rows()

    def _plan(self) -> _StoredPlan:
        file = self.path / "plan.json"
        what = f"The file '{file}'"
        data = current(wire.loads(file.read_text("utf-8"), what), what)
        with wire.refused_if_damaged(what, "Choose a new folder."):
            return json_types.from_json(_StoredPlan, data)

    def keys(self) -> tuple[str, ...]:
        """The keys of all jobs, in the order of the table; none before the sweep has begun.

        Raises `RunError` where the plan is damaged.
        """
        return self._plan().keys if (self.path / "plan.json").exists() else ()

    def _drop_partial_line(self) -> None:
        """Cut off what a power cut left of a line: it must not become the beginning of the next one."""
        content, whole = self._results()
        if len(whole) < len(content):
            write_file(self.path / "results.jsonl", whole.decode())

    def _results(self) -> tuple[bytes, bytes]:
        """What the results say, and their whole lines."""
        file = self.path / "results.jsonl"
        content = file.read_bytes() if file.exists() else b""
        return content, content[: content.rfind(b"\n") + 1]

    def rows(self) -> dict[str, Row]:
        """The lines of the jobs that have ended, by their keys; a last line without its end is left out.

        Of a job that was tried again the last line counts. Nothing is written, so it can be asked while the sweep is at
        work in another process. Raises `RunError` where a line is damaged, or of a
        version that is not known.
        """
        file = self.path / "results.jsonl"
        try:
            lines = (read_json(line) for line in self._results()[1].splitlines())
            rows = [current(line, f"A line of the file '{file}'") for line in lines]
            return {row["key"]: row for row in rows}
        except (AttributeError, ValueError, KeyError, TypeError):
            raise RunError(f"The file '{file}' is damaged. Delete its damaged lines, or choose a new folder.") from None

    def add(self, row: Row, outcome: JobOutcome) -> None:
        """Note a job that has ended, and keep its model."""
        try:
            if outcome.solution is not None and outcome.solution.diagram is not None:
                write_file(self._model(row["key"]), to_json(outcome.solution.diagram))
            with (self.path / "results.jsonl").open("a", encoding="utf-8") as out:
                out.write(wire.dumps(versioned(row)) + "\n")
                out.flush()
                os.fsync(out.fileno())
        except OSError as error:
            raise RunError(
                f"The result of '{row['key']}' cannot be written to '{self.path}' ({error.strerror}). "
                "What was written before is kept: free some space, and start the same sweep again."
            ) from None

    def _model(self, key: str) -> Path:
        name = "".join(c if c.isalnum() else "-" for c in key)
        return self.path / "models" / f"{name}.json"

    def diagram(self, key: str) -> Diagram:
        """The model of a job.

        Raises
        ------
        RunError
            There is none.
        EspalierError
            It is damaged.
        """
        try:
            return from_json(self._model(key).read_text("utf-8"))
        except OSError as error:
            raise RunError(f"The model of '{key}' cannot be read ({error.strerror}). Run the sweep again.") from None

    def table(self) -> pd.DataFrame:
        """A row a job that has ended, in the order of the plan."""
        rows = self.rows()
        return pd.DataFrame([rows[key] for key in self.keys() if key in rows])

    def write_tables(self) -> pd.DataFrame:
        """Write the table as CSV and Parquet, and return it."""
        frame = self.table()
        try:
            write_file(self.path / "table.csv", csv_of(frame))
            frame.to_parquet(self.path / "table.parquet", index=False)
        except OSError as error:
            raise RunError(f"The table cannot be written to '{self.path}' ({error.strerror}).") from None
        return frame


def csv_of(table: pd.DataFrame) -> str:
    """A table of a sweep as CSV, in which no spreadsheet finds a formula."""
    texts = table.select_dtypes(["object", "string"]).columns
    safe = {name: table[name].map(lambda v: safe_cell(v) if isinstance(v, str) else v) for name in texts}
    text: str = table.assign(**safe).to_csv(index=False)
    return text


def run_sweep(
    plan: SweepPlan,
    folder: Path,
    executor: Executor | None = None,
    stop: Stop | None = None,
    tell: Callable[[SweepProgress], None] | None = None,
    workers: int = 1,
    retry: bool = False,
) -> pd.DataFrame:
    """Run a sweep, or what is left of it, and write its tables.

    Raises `RunError` where the folder cannot be used, or the place where jobs are solved is out of reach.

    Parameters
    ----------
    plan : what is tried.
    folder : of the sweep; one that holds the same plan is gone on with.
    executor : where the jobs are solved; by default here.
    stop : ends it; jobs that have ended are kept.
    tell : called before the first job and after each.
    workers : how many jobs are at work at once, for what the progress says of it.
    retry : whether jobs that have failed are tried again; each keeps its line in the table until it has ended anew.

    Returns
    -------
    The table, a row a job that has ended, in the order of the plan.
    """
    files, executor = SweepFolder(folder), executor or InProcess()
    executor.prepare(plan.grid.methods)
    ended, clock, fresh = files.open(plan), Clock(), 0
    if retry:
        ended = {key: row for key, row in ended.items() if row["error"] is None}
    cells = {cell.job.key: cell for cell in plan.cells}
    left = [cell.job for cell in plan.cells if cell.job.key not in ended]

    def progress() -> SweepProgress:
        todo = len(cells) - len(ended)
        rest = clock.elapsed / fresh * todo if fresh and todo else None
        failed = sum(row["error"] is not None for row in ended.values())
        running = min(todo, workers)
        return SweepProgress(len(ended), failed, running, len(cells), rest, seconds=clock.elapsed)

    tell = tell or (lambda progress: None)
    tell(progress())
    try:
        for outcome in run_jobs(left, executor, stop):
            if stop is not None and stop.is_set() and not outcome.proved:
                # a model that was not given its time is looked for again when the sweep goes on
                continue
            row = row_of(cells[outcome.key], outcome)
            files.add(row, outcome)
            ended[outcome.key], fresh = row, fresh + 1
            tell(progress())
    except BaseException:
        # what ended the sweep says more than a table that cannot be written
        with suppress(RunError):
            files.write_tables()
        raise
    return files.write_tables()


def write_file(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w", encoding="utf-8", newline="") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(temporary, path)
