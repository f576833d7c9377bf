"""The figures of Hu, Huguet and Siala (AAAI 2022), Tables 4 to 6, for comparison."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from benchmarks.bdds.ways import PAPER_NAMES

FOLDER = Path(__file__).with_name("paper")

Row = dict[str, str]


@cache
def _rows(file: str) -> tuple[Row, ...]:
    with (FOLDER / file).open(encoding="utf-8", newline="") as lines:
        return tuple(csv.DictReader(lines))


def on_folds(table: str, depth: int, method: str) -> Row | None:
    """The line of Tables 5 and 6 for a table, a depth and a method, as printed; `None` if there is none.

    Its keys are train, test (percent), nodes, questions, literals (in ten thousands), proved (percent) and seconds;
    empty if the paper has no value.
    """
    wanted = (PAPER_NAMES.get(table, table), str(depth), method)
    found = (row for row in _rows("tables_5_6.csv") if (row["set"], row["depth"], row["method"]) == wanted)
    return next(found, None)


def on_samples(table: str, share: float, method: str) -> Row | None:
    """The line of Table 4: test (percent), depth, literals, seconds."""
    wanted = (PAPER_NAMES.get(table, table), f"{share:.2f}", method)
    found = (row for row in _rows("table_4.csv") if (row["set"], row["share"], row["method"]) == wanted)
    return next(found, None)
