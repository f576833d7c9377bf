"""`check-certificate`: check a certificate from its files alone."""

import argparse

from solvers.certificates import Archive, check_certificate, check_optimum
from solvers.certificates.optimum_checker import MAIN
from solvers.cli.certify import optimum_json, words_of, words_of_optimum
from solvers.run import wire


def run(options: argparse.Namespace) -> int:
    """Carry out `check-certificate`; 0 where every proof is accepted, 1 elsewhere."""
    archive = Archive(options.certificate)
    if archive.has(MAIN):
        table = None if options.table is None else options.table.read_text("utf-8")
        optimum = check_optimum(archive.read, table=table)
        print(wire.dumps(optimum_json(optimum)) if options.json else words_of_optimum(optimum, options.certificate))
        return 0 if optimum.accepted else 1
    report = check_certificate(archive.read)
    print(wire.dumps(report.to_json()) if options.json else words_of(report, options.certificate))
    return 0 if report.accepted else 1
