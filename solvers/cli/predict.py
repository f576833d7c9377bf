"""`predict`: class, probabilities, leaf and reasons for each row of a file."""

import argparse

from solvers.cli.model import read_model, write
from solvers.cli.table import dictionary_at, read, reading_options
from solvers.problem import Unknown
from solvers.report.predictions import table_predictions


def run(options: argparse.Namespace) -> int:
    """Carry out `predict`."""
    diagram = read_model(options.model)
    table = read(options.data, reading_options(options), options.max_mb, dictionary_at(options.dictionary))
    predictions = table_predictions(diagram, table, Unknown(options.unknown), options.keep or ())
    write(predictions.encode(), options.out)
    return 0
