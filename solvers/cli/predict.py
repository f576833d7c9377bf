"""`predict`: class, probabilities, leaf and reasons for each row of a file."""

import argparse
import sys

from solvers.cli.model import read_model, write
from solvers.cli.table import dictionary_at, read, reading_options
from solvers.problem import Unknown
from solvers.problem.texts import plural
from solvers.report.predictions import table_predictions


def run(options: argparse.Namespace) -> int:
    """Carry out `predict`; with `--strict` 1, and nothing is written, where a row has no answer."""
    diagram = read_model(options.model)
    dictionary = dictionary_at(options.dictionary)
    table = read(options.data, reading_options(options), options.max_mb, dictionary)
    keep = options.keep or ()
    if dictionary is not None:
        keep = tuple(map(dictionary.name_of, keep))
    found = table_predictions(diagram, table, Unknown(options.unknown), keep)
    if found.refused:
        row = min(found.refused)
        few = f"{len(found.refused)} of {plural(table.n_rows, 'row')} {'has' if len(found.refused) == 1 else 'have'}"
        print(f"{few} no answer, first row {row + 1} ({found.refused[row]})", file=sys.stderr)
        if options.strict:
            print("Nothing was written. Correct these rows, or leave --strict out.", file=sys.stderr)
            return 1
    write(found.text.encode(), options.out)
    return 0
