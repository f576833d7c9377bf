"""A certificate as a task of a worker."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from solvers.certificates.archive import zipped
from solvers.certificates.certificate import TECHNIQUES, Wanted, make_certificate
from solvers.certificates.optimum import OptimumReport, check_optimum, make_optimum_certificate
from solvers.certificates.reports import CertificateReport, Technique
from solvers.diagram import Diagram
from solvers.errors import CertificateError
from solvers.explain.inquiry import Solve
from solvers.explain.tasks import Tell
from solvers.methods.search.clock import Clock
from solvers.methods.search.deadline import Deadline
from solvers.problem import Limits, Problem
from solvers.solution import Criterion, Predicates, Stop

SHARE = 0.6
"""Of the time for proofs; their check takes about as long as half of them."""


@dataclass(frozen=True)
class Certify:
    """Prove that there is no smaller tree than the one that was found, if one was, and write the proofs down.

    `out` is the zip file to write, in a folder that is there; for the other fields see `Wanted`.
    """

    doing: ClassVar[str] = "Looking for proofs that there is no smaller tree."
    out: str
    diagram: Diagram | None = None
    predicates: str = str(Predicates.THRESHOLDS)
    question: str = str(Criterion.DEPTH)
    techniques: tuple[str, ...] = tuple(map(str, TECHNIQUES))
    rows: bool = True
    words: bool = True

    @property
    def wanted(self) -> Wanted:
        """How the certificate is to be made."""
        techniques = tuple(map(Technique, self.techniques))
        return Wanted(Predicates(self.predicates), Criterion(self.question), techniques, self.rows, self.words)

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> CertificateReport:
        """Make the certificate and write it as a zip file.

        Raises `CertificateError` where there is nothing to prove, or the file cannot be written.
        """
        clock = Clock()

        def say(text: str) -> None:
            tell(CertificateReport((), (), None, problem.dataset.n_samples, 0, seconds=clock.elapsed, doing=text))

        seconds = None if limits.seconds is None else SHARE * limits.seconds
        files, report = make_certificate(problem, self.diagram, self.wanted, seconds, stop, say)
        return replace(report, path=self.out, n_bytes=_written(files, self.out), seconds=clock.elapsed)


@dataclass(frozen=True)
class CertifyOptimum:
    """Prove that no tree costs less than the one that was found, and write the proof as a zip file `out`."""

    doing: ClassVar[str] = "Computing the bound anew, by the checker that is part of the certificate."
    out: str
    diagram: Diagram | None = None

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> OptimumReport:
        """Make the certificate, check it, and write it where its check proves it.

        Raises `CertificateError` where there can be none, or the file cannot be written.
        """
        return write_optimum_certificate(problem, self.diagram, self.out, limits, stop)


def write_optimum_certificate(
    problem: Problem, diagram: Diagram | None, out: str, limits: Limits, stop: Stop
) -> OptimumReport:
    """Make the certificate that no tree costs less, check it, and write it where its check proves it.

    Parameters
    ----------
    problem, diagram : what was asked, and the model that was found.
    out : the path of the zip file.
    limits, stop : for the making and the check together. Where they end it, nothing is written.

    Raises
    ------
    CertificateError
        There can be no certificate, or the file cannot be written.
    """
    clock = Clock()
    files = make_optimum_certificate(problem, diagram, limits, stop)
    report = replace(check_optimum(files.__getitem__, Deadline(limits, clock, stop).due), seconds=clock.elapsed)
    return replace(report, path=out, n_bytes=_written(files, out)) if report.accepted else report


def _written(files: Mapping[str, bytes], out: str) -> int:
    """Write a zip file; its size."""
    content = zipped(files)
    try:
        Path(out).write_bytes(content)
    except OSError as error:
        raise CertificateError(
            f"The certificate cannot be written to '{out}' ({error.strerror or error}). Free some space."
        ) from None
    return len(content)
