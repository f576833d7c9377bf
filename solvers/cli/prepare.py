"""`prepare`: describe the steps of a preparation, or apply them to a table."""

import sys

from ..problem import STEPS, read_preparation
from ..problem.preparation import Entry
from ..spreadsheet import safe_cell
from .app import Prepare
from .inputs import read, write


def run(asked: Prepare) -> int:
    """Run `prepare`."""
    if asked.steps is None:
        print("\n\n".join(_page(kind) for kind in STEPS))
        return 0
    preparation = read_preparation(asked.steps)
    words = "\n".join(f"{number}. {step}" for number, step in enumerate(preparation.words, start=1)) or "No steps."
    print(words, file=sys.stdout if asked.data is None else sys.stderr)
    if asked.data is not None:
        prepared = preparation.apply(read(asked.data, asked.reading))
        if prepared.n_left_out:
            print(f"{prepared.n_left_out:,} rows are left out.", file=sys.stderr)
        frame = prepared.table.frame.map(safe_cell).rename(columns=safe_cell)
        write(frame.to_csv(index=False, lineterminator="\n").encode(), asked.out)
    return 0


def _page(kind: str) -> str:
    step = STEPS[kind]
    return "\n".join([f"{kind}: {step.title}. {step.summary}", *(_field(entry) for entry in step.entries())])


def _field(entry: Entry) -> str:
    about = [entry.type.value, *(["optional"] if entry.optional else [])]
    about += [f"one of {', '.join(entry.choices)}"] if entry.choices else []
    return f"  {entry.name} ({'; '.join(about)}): {entry.label}. {entry.help}".rstrip()
