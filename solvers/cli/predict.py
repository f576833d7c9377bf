"""`predict`: class, probabilities, leaf and reasons for each row of a file."""

import argparse

from solvers.cli.model import read_model, write
from solvers.problem import Unknown, read_table
from solvers.report.predictions import table_predictions


def run(options: argparse.Namespace) -> int:
    """Carry out `predict`."""
    diagram = read_model(options.model)
    table = read_table(
        options.data, header=not options.no_header, encoding=options.file_encoding, max_mb=options.max_mb
    )
    told = table_predictions(diagram, table.frame, Unknown(options.unknown), options.keep or ())
    write(told.encode(), options.out)
    return 0
