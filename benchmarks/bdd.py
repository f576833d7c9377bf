"""Measurements of binary decision diagrams: `python -m benchmarks.bdd PART FOLDER`.

The folder holds tables of zeros and ones (*.csv or *.txt: the class, then the columns, separated by blanks). With
`--write` the tables of a part are also written into benchmarks/results/bdd.md, between the marks of the part.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.bdds import data, proofs, sizes
from benchmarks.bdds.process import Runner
from benchmarks.cli import Findings, conclude, names, numbers, parser, seconds, tell
from benchmarks.report import replaced

PAGE = Path(__file__).resolve().parent / "results" / "bdd.md"


def _tables(options: argparse.Namespace) -> tuple[data.Bits, ...]:
    return data.read(options.folder, options.sets)


Measure = Callable[[Runner, argparse.Namespace], Findings]

PARTS: dict[str, tuple[str, float, Measure]] = {
    "proofs": (
        "time to the proof for each depth and method",
        60.0,
        lambda runner, o: proofs.measure(runner, _tables(o), o.depths, o.seconds),
    ),
    "smallest": (
        "the smallest BDD of the largest depth",
        60.0,
        lambda runner, o: sizes.smallest(_tables(o), max(o.depths), o.seconds),
    ),
    "mushroom": ("a table of 8,124 x 119", 120.0, lambda runner, o: sizes.large(runner, o.depths, o.seconds)),
    "tall": ("a table of 100,000 x 50", 300.0, lambda runner, o: sizes.tall(runner, o.depths, o.seconds)),
}
"""The parts: title, limit of a run in seconds, and the measurement."""

GENERATED = {"mushroom": (2, 3, 4, 5), "tall": (2, 3, 4)}
"""Parts that generate their own table, and their depths."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure one part; returns the exit status."""
    made = parser("bdd", "Binary decision diagrams: proofs and sizes.", folder=False)
    told = "; ".join(f"{part}: {text}" for part, (text, _, _) in PARTS.items())
    made.add_argument("part", choices=PARTS, metavar="PART", help=told)
    made.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="holds tables of zeros and ones")
    made.add_argument("--sets", type=names, metavar="A,B", help="the tables to take (default: all)")
    made.add_argument("--depths", type=numbers, metavar="H,H", help="questions on a path (default: 2,3,4,5,6)")
    made.add_argument("--seconds", type=seconds, metavar="S", help="limit of a run (default: that of the part)")
    made.add_argument("--state", type=Path, metavar="FILE", help="keep answers here, and take those that are there")
    made.add_argument("--write", action="store_true", help="also write the tables into benchmarks/results/bdd.md")
    made.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help=argparse.SUPPRESS)
    options = made.parse_args(argv)
    part = options.part
    if options.folder is None and part not in GENERATED:
        made.error(f"the part '{part}' needs a folder of tables")
    options.depths = options.depths or GENERATED.get(part, (2, 3, 4, 5, 6))
    options.seconds = options.seconds or PARTS[part][1]

    def measured() -> Findings:
        with Runner(tell, options.state) as runner:
            findings = PARTS[part][2](runner, options)
        if options.write:
            page = replaced(options.page.read_text("utf-8"), part, findings.markdown)
            options.page.write_text(page, "utf-8")
        return findings

    return conclude(measured, options.out)


if __name__ == "__main__":
    sys.exit(main())
