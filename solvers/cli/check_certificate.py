"""`check-certificate`: check a certificate from its files alone."""

from pathlib import Path

from ..certificates import check_optimum, reader
from ..certificates.optimum_words import MAIN
from ..errors import CertificateError
from ..run import wire
from .app import CheckCertificate
from .certify import optimum_json, words_of_optimum


def run(asked: CheckCertificate) -> int:
    """Run `check-certificate`; returns 0 if every proof is accepted and leaves no gap, 1 if not."""
    read = reader(asked.certificate)
    read(MAIN)  # refuses files that are not certificates
    report = check_optimum(read, table=_text(asked.table))
    words = words_of_optimum(report, asked.certificate, asked.table)
    print(wire.dumps(optimum_json(report)) if asked.json else words)
    return 0 if report.optimal else 1


def _text(path: Path | None) -> str | None:
    """The text of the given table; `CertificateError` if it cannot be read."""
    try:
        return None if path is None else path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        raise CertificateError(f"'{path}' cannot be read. Name the table as a CSV file in UTF-8.") from None
