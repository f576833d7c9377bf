"""Shared by the commands: options, error messages and the files of result tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from benchmarks.tables import Table, machine
from solvers.errors import EspalierError

SUFFIXES = (".md", ".csv")
"""File formats of the tables."""


@dataclass(frozen=True)
class Findings:
    """What a command measured.

    Attributes
    ----------
    tables : to be printed.
    faults : violated expectations: different optima, failed runs, an incumbent worse than the greedy tree.
    """

    tables: tuple[Table, ...]
    faults: tuple[str, ...] = ()

    @property
    def markdown(self) -> str:
        """Tables and faults as Markdown, with the machine."""
        parts = [table.markdown for table in self.tables]
        parts += [f"**{fault}**\n" for fault in self.faults]
        return "\n".join([*parts, f"Measured on {machine()}.\n"])


class Parser(argparse.ArgumentParser):
    """Parser that reports an error in one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Print the message and exit with status 2."""
        self.exit(2, f"{message[:1].upper()}{message[1:]}. See '{self.prog} --help'.\n")


def parser(command: str, description: str, folder: bool) -> Parser:
    """A parser with the options of every command."""
    made = Parser(prog=f"python -m benchmarks.{command}", description=description, allow_abbrev=False)
    if folder:
        made.add_argument("folder", type=Path, metavar="FOLDER", help="holds tables, *.txt: the class, then the values")
        made.add_argument("--sets", type=names, metavar="A,B", help="the tables to take (default: all)")
    made.add_argument("--out", type=_out, metavar="FILE", help="write the tables into FILE.md or FILE.csv")
    return made


def names(text: str) -> tuple[str, ...]:
    """Comma-separated names; empty for 'none'."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        raise argparse.ArgumentTypeError("names must be separated by single commas")
    return () if found == ("none",) else found


def numbers(text: str) -> tuple[int, ...]:
    """Comma-separated positive whole numbers; '1e6' is valid."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or any(number < 1 or number != int(number) for number in found):
        raise argparse.ArgumentTypeError(f"must be positive whole numbers with commas between. Got '{text}'")
    return tuple(int(number) for number in found)


def number(text: str) -> int:
    """A positive whole number."""
    found = numbers(text)
    if len(found) > 1:
        raise argparse.ArgumentTypeError(f"must be one number. Got '{text}'")
    return found[0]


def seconds(text: str) -> float:
    """A positive number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"must be a positive number of seconds. Got '{text}'")
    return value


def _out(text: str) -> Path:
    path = Path(text)
    if path.suffix not in SUFFIXES:
        raise argparse.ArgumentTypeError(f"must end with {' or '.join(SUFFIXES)}. Got '{text}'")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"the folder '{path.parent}' must exist")
    return path


def tell(line: str) -> None:
    """Print a line on the progress of a command."""
    print(line, file=sys.stderr, flush=True)


def conclude(measured: Callable[[], Findings], out: Path | None) -> int:
    """Measure, then print and write the tables.

    Returns
    -------
    The exit status: 0; 1 if there are faults, which are printed in capitals; 2 for invalid input.
    """
    try:
        findings = measured()
        print(findings.markdown)
        if out is not None and out.suffix == ".csv":
            out.write_text("\n".join(table.csv for table in findings.tables), "utf-8")
        elif out is not None:
            out.write_text(findings.markdown, "utf-8")
    except EspalierError as error:
        tell(str(error))
        return 2
    except OSError as error:
        tell(f"'{error.filename}' cannot be used: {error.strerror}.")
        return 2
    for fault in findings.faults:
        tell(fault.upper())
    return 1 if findings.faults else 0
