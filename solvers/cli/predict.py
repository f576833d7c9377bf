"""`predict`: class, probabilities, leaf and path for each row of a file."""

import sys

from ..problem import Unknown
from ..problem.texts import plural
from ..report.predictions import table_predictions
from .app import Predict
from .inputs import read, read_model, write


def run(asked: Predict) -> int:
    """Run `predict`; with `--strict`, if a row has no prediction, nothing is written and 1 is returned."""
    diagram = read_model(asked.model)
    table = read(asked.data, asked.reading)
    found = table_predictions(diagram, table, Unknown(asked.handle_unknown), asked.keep)
    if found.refused:
        row = min(found.refused)
        few = f"{len(found.refused)} of {plural(table.n_rows, 'row')} {'has' if len(found.refused) == 1 else 'have'}"
        print(f"{few} no prediction, first row {row + 1} ({found.refused[row]})", file=sys.stderr)
        if asked.strict:
            print("Nothing was written. Correct these rows, or leave --strict out.", file=sys.stderr)
            return 1
    write(found.text.encode(), asked.out)
    return 0
