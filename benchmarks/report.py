"""Write all measurements into benchmarks/results/trees.md: `python -m benchmarks.report FOLDER`.

Each section of the page is between two marks and is replaced as soon as it is measured, so an interrupted run loses
nothing. A section that needs tables uses those of its list that the folder contains.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import anytime, data, limit, scaling, startup, threads, trees
from benchmarks.cli import Findings, Parser, names, tell
from benchmarks.data import Task
from solvers.errors import DataError, EspalierError, MissingPackageError

PAGE = Path(__file__).resolve().parent / "results" / "trees.md"

FOURTH = ("wilt", "bidding", "room", "segment", "raisin")
"""Tables on which peers prove depth four in minutes."""
LONG = ("rice", "page", "occupancy", "fault")
"""Tables on which peers do not prove depth four; only our search runs."""


def _of(folder: Path, wanted: Sequence[str]) -> tuple[Task, ...]:
    return data.read(folder, [name for name in wanted if name in data.available(folder)] or None)


def _trees3(folder: Path) -> Findings:
    peers = [peer for peer in trees.installed() if peer != "pystreed"]
    return trees.measure(data.read(folder), 3, peers)


def _trees4(folder: Path) -> Findings:
    peers = [peer for peer in trees.installed() if peer != "pystreed"]
    return trees.measure(_of(folder, FOURTH), 4, peers)


def _binary(folder: Path) -> Findings:
    return trees.measure(data.read(folder), 3, ["pystreed"], limit=30.0)


def _long(folder: Path) -> Findings:
    return trees.measure(_of(folder, LONG), 4, [], repeats=1, limit=600.0)


PARTS: dict[str, Callable[[Path], Findings]] = {
    "trees3": _trees3,
    "trees4": _trees4,
    "binary": _binary,
    "long": _long,
    "anytime": lambda folder: anytime.measure(data.read(folder)),
    "threads": lambda folder: threads.measure(_of(folder, (*FOURTH, "page"))),
    "scaling": lambda folder: scaling.measure(dict.fromkeys(scaling.AXES)),
    "startup": lambda folder: startup.measure(),
    "limit": lambda folder: limit.measure(),
    "noisy": lambda folder: scaling.measure_noisy(),
}
"""The sections of the page and their measurements; `noisy` takes up to half an hour and runs only on request."""

USUAL = tuple(part for part in PARTS if part != "noisy")


def replaced(page: str, part: str, text: str) -> str:
    """Replace the text between the marks of a section.

    Raises
    ------
    DataError
        The page lacks a mark.
    """
    begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise DataError(f"'{PAGE.name}' must hold '{begin.strip()}' and '{end}'. Put them where the tables should go.")
    return f"{before}{begin}{text}{end}{after}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the chosen sections and write them; returns the exit status."""
    made = Parser(prog="python -m benchmarks.report", description="Measure all and write benchmarks/results/trees.md.")
    made.add_argument("folder", type=Path, metavar="FOLDER", help="holds tables, *.txt: the class, then the values")
    made.add_argument("--parts", type=names, default=USUAL, metavar="A,B", help=f"of {', '.join(PARTS)}")
    made.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help=argparse.SUPPRESS)
    options = made.parse_args(argv)
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        made.error(f"there is no part '{unknown[0]}'; parts: {', '.join(PARTS)}")
    faults: list[str] = []
    try:
        data.available(options.folder)
        for part in options.parts:
            begun = time.monotonic()
            try:
                findings = PARTS[part](options.folder)
            except MissingPackageError as error:
                faults.append(f"{part} was not measured. {error}")
                continue
            page = replaced(options.page.read_text("utf-8"), part, findings.markdown)
            options.page.write_text(page, "utf-8")
            faults += findings.faults
            tell(f"{part}: written after {time.monotonic() - begun:.0f} s")
    except EspalierError as error:
        tell(str(error))
        return 2
    for fault in faults:
        tell(fault.upper())
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
