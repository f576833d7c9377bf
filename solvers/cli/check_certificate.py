"""`check-certificate`: check a certificate from its files alone."""

import argparse
from pathlib import Path

from solvers.certificates import Archive, check_certificate, check_optimum
from solvers.certificates.optimum_words import MAIN
from solvers.cli.certify import optimum_json, words_of, words_of_optimum
from solvers.errors import CertificateError
from solvers.run import wire


def run(options: argparse.Namespace) -> int:
    """Carry out `check-certificate`; 0 where every proof is accepted and leaves no gap, 1 elsewhere."""
    archive = Archive(options.certificate)
    if archive.has(MAIN):
        optimum = check_optimum(archive.read, table=_text(options.table))
        words = words_of_optimum(optimum, options.certificate, options.table)
        print(wire.dumps(optimum_json(optimum)) if options.json else words)
        return 0 if optimum.optimal else 1
    if options.table is not None:
        raise CertificateError("This certificate is about its own cases. Leave the table out.")
    report = check_certificate(archive.read)
    print(wire.dumps(report.to_json()) if options.json else words_of(report, options.certificate))
    return 0 if report.accepted else 1


def _text(path: Path | None) -> str | None:
    """The table that is named; `CertificateError` where it cannot be read."""
    try:
        return None if path is None else path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        raise CertificateError(f"'{path}' cannot be read. Name the table as a CSV file in UTF-8.") from None
