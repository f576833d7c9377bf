"""The worker task that makes a certificate."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from ..diagram import Diagram
from ..errors import CertificateError
from ..explain.inquiry import Solve
from ..explain.tasks import Tell
from ..methods.search.clock import Clock
from ..methods.search.deadline import Deadline
from ..problem import Limits, Problem
from ..solution import Criterion, Stop
from .archive import write_folder, zip_files
from .optimum import OptimumReport, check_optimum, make_optimum_certificate


@dataclass(frozen=True)
class CertifyOptimum:
    """Prove that no tree costs less than the one found, and write the proof as a zip file `out`.

    `smallest` is the text of the criterion in `make_optimum_certificate`.
    """

    doing: ClassVar[str] = "Computing the bound with the checker in the certificate."
    out: str
    diagram: Diagram | None = None
    smallest: str | None = None

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> OptimumReport:
        """Make the certificate, check it, and write it if the check proves the claim.

        Raises `CertificateError` if there can be no certificate, or the file cannot be written.
        """
        smallest = None if self.smallest is None else Criterion(self.smallest)
        return write_optimum_certificate(problem, self.diagram, self.out, limits, stop, smallest)


def write_optimum_certificate(
    problem: Problem,
    diagram: Diagram | None,
    out: str,
    limits: Limits,
    stop: Stop,
    smallest: Criterion | None = None,
) -> OptimumReport:
    """Make the certificate that no tree costs less, check it, and write it if the check proves the claim.

    Parameters
    ----------
    problem, diagram : the problem, and the model that was found.
    out : the path of a zip file, or of a folder if it does not end in .zip.
    limits, stop : for making and checking together. If they end it, nothing is written.
    smallest : as in `make_optimum_certificate`.

    Raises
    ------
    CertificateError
        There can be no certificate, or the file cannot be written.
    """
    clock = Clock()
    files = make_optimum_certificate(problem, diagram, limits, stop, smallest)
    report = replace(check_optimum(files.__getitem__, Deadline(limits, clock, stop).due), seconds=clock.elapsed)
    return replace(report, path=out, n_bytes=_write_text(files, out)) if report.accepted else report


def _write_text(files: Mapping[str, bytes], out: str) -> int:
    """Write a zip file or a folder; return its size in bytes."""
    try:
        if not out.endswith(".zip"):
            write_folder(files, Path(out))
            return sum(map(len, files.values()))
        content = zip_files(files)
        Path(out).write_bytes(content)
    except OSError as error:
        raise CertificateError(
            f"The certificate cannot be written to '{out}' ({error.strerror or error}). Free some space."
        ) from None
    return len(content)
