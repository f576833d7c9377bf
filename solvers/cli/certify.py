"""`certify`: write a proof that no tree costs less, and no smaller one as little, which others can check."""

import sys
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from ..certificates import OptimumReport, smallest_of, write_optimum_certificate
from ..messages.certificates import describe_certificate
from ..problem import Limits
from ..run import wire
from ..solution import Criterion
from .app import Certify
from .inputs import solved, verification_fault
from .terminal import stopped_by_interrupt


def run(asked: Certify) -> int:
    """Run `certify`; returns 0 if all is proved without a gap, 1 if not, or if the result is not of this table."""
    problem, solution, *_ = solved(asked.solution, asked.data)
    if fault := verification_fault(problem, solution):
        print(f"Not certified. {fault}", file=sys.stderr)
        return 1
    smallest = Criterion(asked.smallest) if asked.smallest else smallest_of(solution)
    limits = Limits(seconds=asked.time_limit)
    print("Computing the bound with the checker in the certificate.", file=sys.stderr)
    with stopped_by_interrupt() as stop:
        report = write_optimum_certificate(problem, solution.diagram, str(asked.out), limits, stop, smallest)
    print(wire.dumps(optimum_json(report)) if asked.json else words_of_optimum(report, asked.out))
    return 0 if report.optimal else 1


def optimum_json(report: OptimumReport) -> dict[str, Any]:
    """The result of a check as plain values."""
    return {**asdict(report), "accepted": report.accepted, "optimal": report.optimal}


def words_of_optimum(report: OptimumReport, where: Path, table: Path | None = None) -> str:
    """The result of a check as text; `table` is the source of the rows, `None` for the certificate's own."""
    source = "Rows as in the certificate." if table is None else f"Rows from '{table}'."
    claimed = f"\nClaim: {report.statement}\nAccepted: '{where}'." if report.accepted else ""
    return f"{source} {describe_certificate(report)}{claimed}"
