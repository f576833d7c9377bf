"""`certify`: write a proof that no tree costs less, and no smaller one as little, which others can check."""

import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..certificates import (
    OptimumReport,
    check_optimum,
    make_optimum_certificate,
    smallest_of,
    write_folder,
    zipped,
)
from ..methods.search.clock import Clock
from ..methods.search.deadline import Deadline
from ..problem import Limits, Problem
from ..run import wire
from ..solution import Criterion, Solution, Stop
from .app import Certify
from .fit import stopped_by_interrupt
from .solved import solved, verification_fault


def run(asked: Certify) -> int:
    """Carry out `certify`; 0 if all is proved without a gap, 1 otherwise, also if the result is not of this table."""
    problem, found, *_ = solved(asked.solution, asked.data)
    if fault := verification_fault(problem, found):
        print(f"Not certified. {fault}", file=sys.stderr)
        return 1
    claimed = Criterion(asked.smallest) if asked.smallest else smallest_of(found)
    with stopped_by_interrupt() as stop:
        report = _write(problem, found, claimed, asked.out, asked.time_limit, stop)
    print(wire.dumps(optimum_json(report)) if asked.json else words_of_optimum(report, asked.out))
    return 0 if report.optimal else 1


def certify(problem: Problem, solution: Solution, out: Path, seconds: float | None, stop: Stop) -> dict[str, Any]:
    """Write the certificate of a solution that was just found; where it is, what it proves, and whether it holds.

    Parameters
    ----------
    out : the folder or zip file to write.
    seconds : for the proof; `None` for no limit.
    """
    report = _write(problem, solution, smallest_of(solution), out, seconds, stop)
    return {**optimum_json(report), "path": str(out)}


def _write(
    problem: Problem, solution: Solution, smallest: Criterion | None, out: Path, seconds: float | None, stop: Stop
) -> OptimumReport:
    """Make a certificate, check it, and write it where its check proves it."""
    limits, clock = Limits(seconds=seconds), Clock()
    files = make_optimum_certificate(problem, solution.diagram, limits, stop, smallest)
    print("Computing the bound with the checker that is part of the certificate.", file=sys.stderr)
    report = check_optimum(files.__getitem__, Deadline(limits, clock, stop).due)
    if report.accepted:
        _write_files(files, out)
    return report


def _write_files(files: Mapping[str, bytes], out: Path) -> None:
    if out.suffix == ".zip":
        out.write_bytes(zipped(files))
    else:
        write_folder(files, out)


def optimum_json(report: OptimumReport) -> dict[str, Any]:
    """What came of a certificate that no tree costs less, as plain values."""
    return {**asdict(report), "accepted": report.accepted, "optimal": report.optimal}


def words_of_optimum(report: OptimumReport, where: Path, table: Path | None = None) -> str:
    """The same in lines; `table` is what the cases were made from, `None` for the certificate's own."""
    source = "as the certificate tells them" if table is None else f"made from '{table}'"
    summary = f"{report.n_cases:,} cases of {report.n_rows:,} rows, {source}."
    if report.accepted:
        proved = f"The tree costs {report.cost:g}, and no tree that is allowed costs less"
        proved += f" than {report.bound:g}: it is optimal up to a gap of {report.gap:g}." if report.gap else "."
        proved += f" The proof leaves out: {'; '.join(report.left_out)}." if report.left_out else ""
        claimed = f"What is claimed: {report.statement}"
        return f"{summary} {proved}\n{claimed}\nAccepted: '{where}', checked in {report.seconds:.1f} s."
    return f"{summary} Not certified: {report.fault}"
