"""The folder of a sweep: what is planned, and a line for each job that has ended, so that it can go on where it ended.

plan.json       the plan's name, and how many jobs it has
results.jsonl   a line of the table a job, in the order in which they ended; each is on the disk before the next
table.csv       the table in the order of the plan
table.parquet   the same with its types
models/         the models, a JSON file each
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from solvers.diagram import to_json
from solvers.errors import RunError
from solvers.methods.base import Clock
from solvers.problem.json_text import read_json
from solvers.run import wire
from solvers.solution import Stop
from solvers.spreadsheet import safe_cell
from solvers.sweeps.jobs import Outcome
from solvers.sweeps.plan import Row, SweepPlan, row_of
from solvers.sweeps.spreading import Spread, run_jobs


class Progress(NamedTuple):
    """How far a sweep is.

    Attributes
    ----------
    done, failed, running, of : jobs; those that failed are among those done.
    seconds : since this start.
    left : seconds until its end, from the jobs of this start; `None` before the first has ended.
    """

    done: int
    failed: int
    running: int
    of: int
    seconds: float
    left: float | None

    @property
    def words(self) -> str:
        """In a sentence."""
        told = f"{self.done} of {self.of} jobs are done"
        told += f", {self.failed} failed" if self.failed else ""
        told += f", {self.running} at work" if self.running else ""
        return told + (f"; about {self.left:.0f} s left." if self.left else ".")


@dataclass(frozen=True)
class SweepBook:
    """The folder of a sweep."""

    path: Path

    def open(self, plan: SweepPlan) -> dict[str, Row]:
        """Make the folder, or go on with what is in it; the lines of the jobs that have ended, by their keys.

        Raises
        ------
        RunError
            The folder holds another plan, is damaged, or cannot be written.
        """
        try:
            (self.path / "models").mkdir(parents=True, exist_ok=True)
            file = self.path / "plan.json"
            if not file.exists():
                _write(file, wire.dumps({"version": wire.VERSION, "id": plan.id, "jobs": len(plan.cells)}))
            told = wire.loads(file.read_text("utf-8"), f"The file '{file}'")
        except OSError as error:
            raise RunError(f"The folder '{self.path}' cannot be used ({error.strerror}). Choose another one.") from None
        if told.get("id") != plan.id:
            raise RunError(
                f"The folder '{self.path}' holds another sweep (other rows, settings or version). Choose a new folder."
            )
        return self.rows()

    def rows(self) -> dict[str, Row]:
        """The lines of the jobs that have ended, by their keys; a last line that was cut is left out."""
        file = self.path / "results.jsonl"
        if not file.exists():
            return {}
        content = file.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            # what a power cut left of a line must not become the beginning of the next one
            _write(file, whole.decode())
        try:
            rows = [read_json(line) for line in whole.splitlines()]
            return {row["key"]: row for row in rows}
        except (ValueError, KeyError, TypeError):
            raise RunError(f"The file '{file}' is damaged. Delete its damaged lines, or choose a new folder.") from None

    def add(self, row: Row, outcome: Outcome) -> None:
        """Note a job that has ended, and keep its model."""
        try:
            if outcome.solution is not None and outcome.solution.diagram is not None:
                name = "".join(c if c.isalnum() else "-" for c in row["key"])
                _write(self.path / "models" / f"{name}.json", to_json(outcome.solution.diagram))
            with (self.path / "results.jsonl").open("a", encoding="utf-8") as out:
                out.write(wire.dumps(row) + "\n")
                out.flush()
                os.fsync(out.fileno())
        except OSError as error:
            raise RunError(
                f"The result of '{row['key']}' cannot be written to '{self.path}' ({error.strerror}). "
                "What was written before is kept: free some space, and start the same sweep again."
            ) from None

    def write_tables(self, plan: SweepPlan) -> pd.DataFrame:
        """Write the table as CSV and Parquet, in the order of the plan, and return it."""
        rows = self.rows()
        frame = pd.DataFrame([rows[cell.job.key] for cell in plan.cells if cell.job.key in rows])
        texts = frame.select_dtypes(["object", "string"]).columns
        safe = frame.assign(**{c: frame[c].map(lambda v: safe_cell(v) if isinstance(v, str) else v) for c in texts})
        try:
            _write(self.path / "table.csv", safe.to_csv(index=False))
            frame.to_parquet(self.path / "table.parquet", index=False)
        except OSError as error:
            raise RunError(f"The table cannot be written to '{self.path}' ({error.strerror}).") from None
        return frame


def run_sweep(
    plan: SweepPlan,
    folder: Path,
    spread: Spread | None = None,
    stop: Stop | None = None,
    tell: Callable[[Progress], None] | None = None,
    workers: int = 1,
) -> pd.DataFrame:
    """Run a sweep, or what is left of it, and write its tables.

    Parameters
    ----------
    plan : what is tried.
    folder : of the sweep; one that holds the same plan is gone on with.
    spread : where the jobs are solved; by default here.
    stop : ends it; jobs that have ended are kept.
    tell : called before the first job and after each.
    workers : how many jobs are at work at once, for the words of the progress.

    Returns
    -------
    The table, a row a job that has ended, in the order of the plan.

    Raises
    ------
    RunError
        The folder cannot be used, or the place where jobs are solved is out of reach.
    """
    book = SweepBook(folder)
    ended, clock, fresh = book.open(plan), Clock(), 0
    cells = {cell.job.key: cell for cell in plan.cells}
    left = [cell.job for cell in plan.cells if cell.job.key not in ended]

    def progress() -> Progress:
        todo = len(cells) - len(ended)
        rest = clock.elapsed / fresh * todo if fresh and todo else None
        failed = sum(row["error"] is not None for row in ended.values())
        return Progress(len(ended), failed, min(todo, workers), len(cells), clock.elapsed, rest)

    tell = tell or (lambda progress: None)
    tell(progress())
    try:
        for outcome in run_jobs(left, spread, stop):
            if stop is not None and stop.is_set() and not _is_proved(outcome):
                # a model that was not given its time is looked for again when the sweep goes on
                continue
            row = row_of(cells[outcome.key], outcome)
            book.add(row, outcome)
            ended[outcome.key], fresh = row, fresh + 1
            tell(progress())
    finally:
        table = book.write_tables(plan)
    return table


def _is_proved(outcome: Outcome) -> bool:
    return outcome.solution is not None and outcome.solution.status.value in ("optimal", "infeasible")


def _write(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w", encoding="utf-8", newline="") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(temporary, path)
