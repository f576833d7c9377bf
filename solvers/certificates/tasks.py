"""A certificate as a task of a worker."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from solvers.certificates.archive import zipped
from solvers.certificates.certificate import TECHNIQUES, Wanted, make_certificate
from solvers.certificates.reports import CertificateReport, Technique
from solvers.diagram import Diagram
from solvers.errors import CertificateError
from solvers.explain.inquiry import Solve
from solvers.explain.tasks import Tell
from solvers.methods.search.clock import Clock
from solvers.methods.trees.smallest.cases import Predicates
from solvers.methods.trees.smallest.progression import Criterion
from solvers.problem import Limits, Problem
from solvers.solution import Stop

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
        content = zipped(files)
        try:
            Path(self.out).write_bytes(content)
        except OSError as error:
            raise CertificateError(
                f"The certificate cannot be written to '{self.out}' ({error.strerror or error}). Free some space."
            ) from None
        return replace(report, path=self.out, n_bytes=len(content), seconds=clock.elapsed)
