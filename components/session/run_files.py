"""Files from which a restarted dashboard shows a run, or a draft of one, as before.

screen.json     the choices about the table, and the design
table.parquet   the table as read, including test rows and unused columns; for a sample, only its name is stored
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import pandas as pd

from components.session.work import AnyJob, DataChoices, Design, Prepared, Run, Source, prepare
from solvers.errors import EspalierError, RunError
from solvers.problem import Table, infer_columns, load_sample, sample, suggest_outcome, table_of_frame
from solvers.run import StoredRun
from solvers.run.folder import Folder, RunFolder
from solvers.run.json_types import from_json, to_json
from solvers.run.stored_run import answered

SCREEN = "screen.json"

DAMAGE = (EspalierError, AttributeError, KeyError, TypeError, ValueError, OSError)
"""Exceptions raised by files that were damaged or changed."""

_TABLE_TYPES = {name: hint for name, hint in get_type_hints(Table).items() if name != "columns"}
"""The fields of a table apart from its cells."""


def record(source: Source, choices: DataChoices, design: Design) -> dict[str, Any]:
    """The content of `screen.json`: what is asked of a table."""
    raw = {name: to_json(getattr(source.raw, name)) for name in _TABLE_TYPES}
    key = None if source.sample is None else source.sample.key
    return {"sample": key, "table": raw, "choices": to_json(choices), "design": to_json(design)}


def write_table(files: Folder, source: Source) -> None:
    """Write the table as read, unless it is a sample; `OSError` if the folder cannot be written."""
    if source.sample is None:
        files.write("table.parquet", source.raw.frame.to_parquet(index=False, compression="zstd"))


def restore(files: Folder, payload: dict[str, Any], number: int) -> tuple[Source, DataChoices, Design]:
    """The prepared table, with this number in the session, and what is asked of it.

    Raises an error of `DAMAGE` if an item is missing or damaged.
    """
    choices, design = from_json(DataChoices, payload["choices"]), from_json(Design, payload["design"])
    if payload["sample"] is not None:
        known = sample(payload["sample"])
        table, outcome = load_sample(known.key), known.outcome
        source = Source(number, table, infer_columns(table), outcome, known)
    else:
        about = {name: from_json(_TABLE_TYPES[name], value) for name, value in payload["table"].items()}
        frame = pd.read_parquet(files.path / "table.parquet")
        table = replace(table_of_frame(frame, payload["table"]["name"]), **about)
        reports = infer_columns(table)
        source = Source(number, table, reports, suggest_outcome(reports))
    steps = choices.rows.preparation
    return source.prepared_by(steps) if steps else source, choices, design


def keep(folder: Path, prepared: Prepared, design: Design) -> None:
    """Write the dashboard's files of a run; `RunError` if the folder cannot be written."""
    files = RunFolder(folder)
    payload = record(prepared.source, prepared.choices, design) | {"rows": prepared.whole.fingerprint}
    try:
        write_table(files, prepared.source)
        files.write_json(SCREEN, payload)
    except OSError as error:
        raise RunError(
            f"The run cannot be saved ({error.strerror or error}). It continues, but you cannot open it after a "
            "restart. Free some disk space."
        ) from None


def is_kept(folder: Path) -> bool:
    """Whether the folder has all that `reopen` needs to show the run as it is now."""
    return (folder / SCREEN).exists() and RunFolder(folder).has_outcome()


def reopen(folder: Path, number: int, carried: AnyJob | None = None) -> Run:
    """A run from its folder as the screens show it, with its answered inquiries.

    `number` is the number of the run in the session; its table gets the negative number, which no table of the session
    has. `carried` is its job if this process runs it. Raises `RunError` if the folder is damaged, or was not written by
    a dashboard.
    """
    files = RunFolder(folder)
    payload = files.read_json(SCREEN)
    try:
        source, choices, design = restore(files, payload, -number)
        prepared = prepare(source, choices)
        rows, problem = payload["rows"], design.problem(prepared)
    except RunError:
        raise
    except DAMAGE as error:
        raise RunError(f"The saved run '{folder.name}' is damaged ({error}). Solve again.") from None
    job = carried or StoredRun(folder, problem)
    if (job.problem.dataset.fingerprint, rows) != (prepared.train.fingerprint, prepared.whole.fingerprint):
        raise RunError(
            f"The data of the run '{folder.name}' changed: another version of the program or of the sample saved the "
            "run. Solve again."
        )
    return Run(number, prepared, design, job.problem, job, {**answered(folder, job.problem)})
