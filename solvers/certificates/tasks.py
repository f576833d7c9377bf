"""The worker task that makes a certificate, and its files: a folder or a zip file of text files."""

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from msgspec.structs import replace

from ..diagram import Diagram
from ..errors import CertificateError
from ..explain.inquiry import Solve
from ..explain.tasks import TaskRecord, Tell
from ..methods.search.clock import Clock
from ..methods.search.deadline import Deadline
from ..problem import Limits, Problem
from ..solution import Criterion, Stop
from .optimum import OptimumReport, check_optimum, make_optimum_certificate
from .optimum_bounds import RejectedError
from .optimum_checker import files_of

_MOMENT = (1980, 1, 1, 0, 0, 0)


class CertifyOptimum(TaskRecord, frozen=True):
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


def write_folder(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files into a folder, which is created if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Pack the files into one zip file; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def reader(path: Path) -> Callable[[str], bytes]:
    """Return a function that reads a file of a certificate (a folder or a zip file) by its name.

    The function raises `CertificateError` if a file is missing, unreadable or too large.
    """

    def read(name: str) -> bytes:
        try:
            return files_of(path)(name)
        except RejectedError as error:
            raise CertificateError(f"The certificate '{path.name}': {error}") from None
        # unpacking a damaged file may raise any exception
        except Exception:
            raise CertificateError(
                f"The certificate '{path.name}' has no file '{name}' that can be read. "
                "Choose the folder or zip file of a certificate."
            ) from None

    return read
