"""Additional files of a run from which a restarted dashboard shows it as before.

screen.json     the choices about the table, and the design
table.parquet   the table as read, including test rows and unused columns; for a sample, only its name is stored
"""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_type_hints

import pandas as pd

from components.session.work import AnyJob, DataChoices, Design, Prepared, Run, Source, prepare
from solvers.errors import EspalierError, RunError
from solvers.problem import Table, infer_columns, load_sample, sample, suggest_outcome, table_of_frame
from solvers.run import StoredRun
from solvers.run.folder import RunFolder
from solvers.run.json_types import from_json, to_json
from solvers.run.stored_run import answered

SCREEN = "screen.json"


def keep(folder: Path, prepared: Prepared, design: Design) -> None:
    """Write the dashboard's files of a run; `RunError` if the folder cannot be written."""
    files, source = RunFolder(folder), prepared.source
    payload = {
        "sample": None if source.sample is None else source.sample.key,
        "table": {
            field.name: to_json(getattr(source.raw, field.name)) for field in fields(Table) if field.name != "columns"
        },
        "choices": to_json(prepared.choices),
        "design": to_json(design),
        "rows": prepared.whole.fingerprint,
    }
    try:
        if source.sample is None:
            files.write("table.parquet", source.raw.frame.to_parquet(index=False, compression="zstd"))
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
        source = _source(files, payload, -number)
        design = from_json(Design, payload["design"])
        choices = from_json(DataChoices, payload["choices"])
        if choices.rows.preparation:
            source = source.prepared_by(choices.rows.preparation)
        prepared = prepare(source, choices)
        rows, problem = payload["rows"], design.problem(prepared)
    except RunError:
        raise
    except (EspalierError, KeyError, TypeError, ValueError, OSError) as error:
        raise RunError(f"The saved run '{folder.name}' is damaged ({error}). Solve again.") from None
    job = carried or StoredRun(folder, problem)
    if (job.problem.dataset.fingerprint, rows) != (prepared.train.fingerprint, prepared.whole.fingerprint):
        raise RunError(
            f"The data of the run '{folder.name}' changed: another version of the program or of the sample saved the "
            "run. Solve again."
        )
    return Run(number, prepared, design, job.problem, job, {**answered(folder, job.problem)})


def _source(files: RunFolder, payload: dict[str, Any], number: int) -> Source:
    if payload["sample"] is not None:
        known = sample(payload["sample"])
        table, outcome = load_sample(known.key), known.outcome
        return Source(number, table, infer_columns(table), outcome, known)
    types = get_type_hints(Table)
    about = {name: from_json(types[name], value) for name, value in payload["table"].items()}
    table = replace(table_of_frame(pd.read_parquet(files.path / "table.parquet"), payload["table"]["name"]), **about)
    reports = infer_columns(table)
    return Source(number, table, reports, suggest_outcome(reports))
