"""What the screens need of a run besides its folder's own files, so that a restarted dashboard shows it as before.

screen.json     the choices about the table, and the design
table.parquet   the table as it was read, test rows and unused columns included; a sample is named instead
"""

from __future__ import annotations

import io
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pandas as pd

from components.session.work import DataChoices, Design, Prepared, Run, Source, prepare
from solvers.constraints import from_json as constraint_from_json
from solvers.errors import EspalierError, RunError
from solvers.problem import Choices, ShapeKind, Table, infer_columns, load_sample, sample, suggest_outcome
from solvers.run import FollowedJob
from solvers.run.folder import RunFolder
from solvers.run.inquiries import answered


def keep(folder: Path, prepared: Prepared, design: Design) -> None:
    """Write what the screens need beside a run.

    Raises
    ------
    RunError
        The folder cannot be written.
    """
    files, source = RunFolder(folder), prepared.source
    told = {
        "sample": None if source.sample is None else source.sample.key,
        "table": {field.name: getattr(source.table, field.name) for field in fields(Table) if field.name != "frame"},
        "choices": asdict(prepared.choices),
        "design": _design_to_json(design),
        "rows": prepared.whole.fingerprint,
    }
    try:
        if source.sample is None:
            files.write("table.parquet", _to_parquet(source.table.frame))
        files.write_json("screen.json", told)
    except OSError as error:
        raise RunError(
            f"What the screens need of this run cannot be kept ({error.strerror or error}). The run goes on, but it "
            "cannot be opened again after a restart. Free some space."
        ) from None


def is_kept(folder: Path) -> bool:
    """Whether all is written from which `reopen` shows a run as it is now."""
    return (folder / "screen.json").exists() and RunFolder(folder).has_outcome()


def reopen(folder: Path, number: int) -> Run:
    """A run as the screens show it, from its folder, with the questions about it that were answered.

    Parameters
    ----------
    folder : of the run.
    number : of the run in the session; its table has the same with a minus, so that it is none of the session's own.

    Raises
    ------
    RunError
        The folder is damaged, or was not written by a dashboard.
    """
    files = RunFolder(folder)
    told = files.read_json("screen.json")
    try:
        source = _source(files, told, -number)
        choices = dict(told["choices"])
        data_choices = DataChoices(**{**choices, "rows": Choices(**choices["rows"])})
        design = _design_from_json(told["design"])
        prepared, rows = prepare(source, data_choices), told["rows"]
        asked = design.problem(prepared)
    except RunError:
        raise
    except (EspalierError, KeyError, TypeError, ValueError, OSError) as error:
        raise RunError(f"What the screens need of the run '{folder.name}' is damaged ({error}). Solve again.") from None
    job = FollowedJob(folder, asked)
    if (job.problem.dataset.fingerprint, rows) != (prepared.train.fingerprint, prepared.whole.fingerprint):
        raise RunError(
            f"The rows of the run '{folder.name}' cannot be made again from its table: another version of the "
            "program, or of the sample, wrote it. Solve again."
        )
    return Run(number, prepared, design, job.problem, job, answered(folder, job.problem))


def _source(files: RunFolder, told: dict[str, Any], number: int) -> Source:
    if told["sample"] is not None:
        known = sample(told["sample"])
        table, outcome = load_sample(known.key), known.outcome
        return Source(number, table, infer_columns(table), outcome, known)
    about = {**told["table"], "notes": tuple(told["table"]["notes"])}
    frame = _from_parquet((files.path / "table.parquet").read_bytes())
    table = Table(frame=frame, **about)
    reports = infer_columns(table)
    return Source(number, table, reports, suggest_outcome(table, reports))


def _design_to_json(design: Design) -> dict[str, Any]:
    told = {field.name: getattr(design, field.name) for field in fields(Design)}
    return told | {"constraints": [constraint.to_json() for constraint in design.constraints]}


def _design_from_json(told: dict[str, Any]) -> Design:
    costs = told["class_costs"]
    return Design(
        **{
            **told,
            "kind": ShapeKind(told["kind"]),
            "widths": tuple(told["widths"]),
            "class_costs": None if costs is None else tuple(tuple(row) for row in costs),
            "constraints": tuple(constraint_from_json(one) for one in told["constraints"]),
        }
    )


def _to_parquet(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.astype(str).to_parquet(out, index=False, compression="zstd")
    return out.getvalue()


def _from_parquet(content: bytes) -> pd.DataFrame:
    return pd.read_parquet(io.BytesIO(content))
