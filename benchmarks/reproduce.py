"""The tables of the five papers compared with ours, with a verdict: `python -m benchmarks.reproduce DATA --table T`.

DATA is a folder with the published tables; results/reproduction.md lists them and where to find them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.cli import names, number, numbers, parser, seconds, tell
from benchmarks.reproduction.page import extent_of, markdown, whole_page
from benchmarks.reproduction.papers import PAPERS, TABLES
from benchmarks.reproduction.process import Runner
from benchmarks.reproduction.registry import Case, PaperTable, Result, Results, Verdict
from benchmarks.reproduction.state import State
from benchmarks.tables import digits
from solvers.errors import DataError, EspalierError


def measure(
    tables: Sequence[PaperTable], setting: str, folder: Path, state: State, stop_after: float | None = None
) -> list[str]:
    """Measure the cases that are not in the state, one after the other; returns the failures.

    `stop_after` is the time limit of all of them together in seconds, `None` for no limit.
    """
    begun, failures = time.monotonic(), []
    cases = {case.key: case for table in tables for case in table.cases(table.settings[setting])}
    left = [case for case in cases.values() if state.find(case) is None]
    with Runner(folder) as runner:
        for i, case in enumerate(left, start=1):
            if stop_after is not None and time.monotonic() - begun > stop_after:
                tell(f"{len(left) - i + 1} cases are left: the time is up. Go on with the same --state.")
                break
            result = runner.run(case)
            state.add(case, result)
            tell(f"{i} of {len(left)}: {_words(case)}: {_outcome(result)}")
            if result.get("failure"):
                failures.append(f"{_words(case)}: {result['failure']}")
    return failures


def _words(case: Case) -> str:
    return f"{case.measure} {' '.join(map(str, case.arguments.values()))}"


def _outcome(result: Result) -> str:
    if result.get("failure"):
        return f"failed: {result['failure']}"
    cpu = result.get("cpu")
    return f"{result.get('status', 'done')}{f' after {digits(cpu)} CPU s' if cpu else ''}"


def list_tables(results: Results) -> str:
    """The tables, their maximum times, and the number of lines with each verdict."""
    lines = []
    for table in TABLES.values():
        full, medium = (table.hours(extent) for extent in table.settings.values())
        extent, setting = extent_of(table, results)
        counted = Counter(line.verdict for line in table.compare(extent, results).lines)
        verdicts = ", ".join(f"{counted[verdict]} {verdict}" for verdict in Verdict if counted[verdict])
        lines.append(
            f"{table.key:18} {table.place:18} full {full:7.1f} h, medium {60 * medium:4.0f} min  {table.shows}\n"
            f"{'':18} {setting}: {verdicts}"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what is missing, print the tables, write the page; returns the exit status."""
    options = _parser().parse_args(argv)
    if options.list:
        print(list_tables(State(options.state).find))
        return 0
    try:
        chosen = [_limited(_table(key), options) for key in options.table or TABLES]
        state = State(options.state)
        failures = []
        if options.data is not None:
            if not options.data.is_dir():
                raise DataError(f"The folder '{options.data}' must exist and hold the papers' tables.")
            failures = measure(chosen, options.setting, options.data, state, options.stop_after)
        elif options.state is None:
            raise DataError("A folder with the papers' tables is needed, or a state of earlier runs with --state.")
        for table in chosen:
            print(markdown(table, state.find, options.setting))
        if options.page is not None:
            before = options.page.read_text("utf-8") if options.page.exists() else ""
            options.page.write_text(whole_page(PAPERS, state.find, before), "utf-8")
    except EspalierError as error:
        tell(str(error))
        return 2
    for failure in failures:
        tell(failure)
    return 1 if failures else 0


def _table(key: str) -> PaperTable:
    if key not in TABLES:
        raise DataError(f"There is no table '{key}'. Tables: {', '.join(TABLES)}.")
    return TABLES[key]


def _limited(table: PaperTable, options: argparse.Namespace) -> PaperTable:
    """The table with the seconds, seeds, sets and depths of the command."""
    changed = {
        name: value
        for name, value in (
            ("seconds", options.seconds),
            ("seeds", options.seeds),
            ("sets", options.sets),
            ("depths", options.depths),
        )
        if value is not None
    }
    return replace(table, full=replace(table.full, **changed), medium=replace(table.medium, **changed))


def _parser() -> argparse.ArgumentParser:
    made = parser("reproduce", "The tables of the five papers beside ours, with a verdict.", folder=False)
    add = made.add_argument
    add("data", type=Path, nargs="?", metavar="DATA", help="the folder of the papers' tables; without it only --state")
    add("--table", type=names, metavar="T,T", help="the tables to take (default: all); see --list")
    add("--list", action="store_true", help="list the tables with their hours and verdicts")
    made.set_defaults(setting="full")
    medium = "fewer and shorter cases: about an hour a table"
    add("--medium", dest="setting", action="store_const", const="medium", help=medium)
    add("--state", type=Path, metavar="FILE", help="write every case down, and go on from there")
    add("--page", type=Path, metavar="FILE", help="write the page of all tables from what is known")
    add("--seconds", type=seconds, metavar="S", help="the limit of a case (default: that of the table)")
    add("--seeds", type=number, metavar="N", help="how often rows are divided anew (default: that of the table)")
    add("--sets", type=names, metavar="A,B", help="the data sets to take (default: all)")
    add("--depths", type=numbers, metavar="D,D", help="the depths to take (default: those of the table)")
    add("--stop-after", type=seconds, metavar="S", help="begin no further case after so many seconds")
    return made


if __name__ == "__main__":
    sys.exit(main())
