"""Files from which a restarted dashboard shows a run, or a draft of one, as before.

screen.json               the request
table.json, cells.arrow   the table as read, including test rows and unused columns; a sample has only its key
"""

from pathlib import Path
from typing import Any

from components.session.work import AnyJob, Prepared, Run, Source, prepare
from solvers.errors import RunError
from solvers.posing import problem_on
from solvers.problem import infer_columns, load_sample, sample, steps_of, suggest_outcome
from solvers.request import Request
from solvers.run import ReadTable, StoredRun, table_wire
from solvers.run.folder import RunFolder
from solvers.run.stored_run import answered
from solvers.run.wire import refuse_damaged

SCREEN = "screen.json"


def record(source: Source, request: Request) -> dict[str, Any]:
    """The content of `screen.json`: the request for a table."""
    key = None if source.sample is None else source.sample.key
    return {"sample": key, "name": source.raw.name, "request": request.to_json()}


def write_table(folder: Path, source: Source) -> None:
    """Write the table as read, unless it is a sample; `OSError` if the folder cannot be written."""
    if source.sample is None:
        raw = source.unprepared or (source.table, source.reports)
        table_wire.write_table(folder, ReadTable(*raw), packed=True)


def restore(folder: Path, payload: dict[str, Any], number: int) -> tuple[Source, Request]:
    """The prepared table, with this number in the session, and its request.

    Raises an error that `refuse_damaged` converts if an item is missing or damaged.
    """
    request = Request.from_json(payload["request"])
    if payload["sample"] is not None:
        known = sample(payload["sample"])
        table = load_sample(known.key)
        source = Source(number, table, infer_columns(table), known.outcome, known)
    else:
        table, reports = table_wire.table_in(folder)
        source = Source(number, table, reports, suggest_outcome(reports))
    steps = steps_of(request)
    return source.prepared_by(steps) if steps else source, request


def keep(folder: Path, prepared: Prepared, request: Request) -> None:
    """Write the dashboard's files of a run; `RunError` if the folder cannot be written."""
    files = RunFolder(folder)
    payload = record(prepared.source, request) | {"rows": prepared.whole.fingerprint}
    try:
        write_table(folder, prepared.source)
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
    with refuse_damaged(f"The saved run '{folder.name}'", "Solve again."):
        source, request = restore(folder, payload, -number)
        prepared = prepare(source, request)
        rows, problem = payload["rows"], problem_on(request, prepared.train)
    job = carried or StoredRun(folder, problem)
    if (job.problem.dataset.fingerprint, rows) != (prepared.train.fingerprint, prepared.whole.fingerprint):
        raise RunError(
            f"The data of the run '{folder.name}' changed: another version of the program or of the sample saved the "
            "run. Solve again."
        )
    return Run(number, prepared, request, job.problem, job, {**answered(folder, job.problem)})
