"""`check-certificate`: check a certificate from its files alone."""

import argparse

from solvers.certificates import Archive, check_certificate
from solvers.cli.certify import words_of
from solvers.run import wire


def run(options: argparse.Namespace) -> int:
    """Carry out `check-certificate`; 0 where every proof is accepted, 1 elsewhere."""
    report = check_certificate(Archive(options.certificate).read)
    print(wire.dumps(report.to_json()) if options.json else words_of(report, options.certificate))
    return 0 if report.accepted else 1
