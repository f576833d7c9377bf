"""Write all measurements into benchmarks/results/trees.md: `python -m benchmarks.report FOLDER`.

Each section of the page is between two marks and is replaced as soon as it is measured, so an interrupted run loses
nothing. A section that needs tables uses those of its list that the folder contains.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks import anytime, data, limit, scaling, startup, threads, trees
from benchmarks.cli import Findings, Parser, names, tell
from benchmarks.data import Task
from solvers.errors import DataError, EspalierError, MissingPackageError

PAGE = Path(__file__).resolve().parent / "results" / "trees.md"

FOURTH = ("wilt", "bidding", "room", "segment", "raisin")
"""Tables of depth four that end within seconds."""
LONG = ("rice", "page", "occupancy", "fault")
"""Tables of depth four that take minutes."""


def of(folder: Path, wanted: Sequence[str]) -> tuple[Task, ...]:
    """The wanted tables that the folder contains; all of it if it has none of them."""
    return data.read(folder, [name for name in wanted if name in data.available(folder)] or None)


def _long(folder: Path) -> Findings:
    return trees.measure(of(folder, LONG), 4, [], repeats=1, limit=600.0)


PARTS: dict[str, Callable[[Path], Findings]] = {
    "long": _long,
    "anytime": lambda folder: anytime.measure(data.read(folder)),
    "threads": lambda folder: threads.measure(of(folder, (*FOURTH, "page"))),
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


def write(
    command: str, page: Path, parts: Mapping[str, Callable[[Path], Findings]], usual: Sequence[str], argv: Sequence[str]
) -> int:
    """Measure the chosen sections of a page and write them; returns the exit status.

    Parameters
    ----------
    command : the module; page : the file; parts : its sections and their measurements on a folder of tables.
    usual : the sections to measure if none are chosen; argv : the arguments of the command.
    """
    made = Parser(prog=f"python -m benchmarks.{command}", description=f"Measure all and write results/{page.name}.")
    made.add_argument("folder", type=Path, metavar="FOLDER", help="holds tables, *.txt: the class, then the values")
    made.add_argument("--parts", type=names, default=usual, metavar="A,B", help=f"of {', '.join(parts)}")
    made.add_argument("--page", type=Path, default=page, metavar="FILE", help=argparse.SUPPRESS)
    options = made.parse_args(argv)
    unknown = [part for part in options.parts if part not in parts]
    if unknown:
        made.error(f"there is no part '{unknown[0]}'; parts: {', '.join(parts)}")
    faults: list[str] = []
    try:
        data.available(options.folder)
        for part in options.parts:
            begun = time.monotonic()
            try:
                findings = parts[part](options.folder)
            except MissingPackageError as error:
                findings = Findings((), (f"{part} was not measured. {error}",))
            text = replaced(options.page.read_text("utf-8"), part, findings.markdown)
            options.page.write_text(text, "utf-8")
            faults += findings.faults
            tell(f"{part}: written after {time.monotonic() - begun:.0f} s")
    except EspalierError as error:
        tell(str(error))
        return 2
    for fault in faults:
        tell(fault.upper())
    return 1 if faults else 0


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the chosen sections of results/trees.md and write them; returns the exit status."""
    return write("report", PAGE, PARTS, USUAL, sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
