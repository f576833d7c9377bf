"""Where a table is, how it is read, and what its columns are, on the command line. Nothing heavy is imported here."""

import argparse
from pathlib import Path

SOURCES = "a file (CSV, Parquet, Feather, Excel, SQLite, DuckDB), - for standard input, or the address of a database"


def add_reading(group: argparse._ActionsContainer) -> None:
    """How a table is read from its file."""
    add = group.add_argument
    header = group.add_mutually_exclusive_group()
    header.add_argument(
        "--no-header",
        dest="header",
        action="store_false",
        help="the file has no header: columns are named 0, 1, ...",
    )
    header.add_argument(
        "--header-line", type=int, metavar="N", help="the line (of a sheet: the row) with the names, counted from 1"
    )
    add("--skip-first", type=int, metavar="N", help="leave out rows below the names, such as units; 0 for none")
    add("--skip-last", type=int, metavar="N", help="leave out rows at the end, such as totals; 0 for none")
    add("--number-names", action="store_true", help="number names that come twice: crp, crp (2)")
    add("--decimal", choices=(".", ","), help="the decimal mark, where '1,125' may be 1.125 or 1125")
    dates = group.add_mutually_exclusive_group()
    add_dates = dates.add_argument
    add_dates("--day-first", action="store_true", default=None, help="03/04/2024 is the third of April")
    add_dates("--month-first", dest="day_first", action="store_false", default=None, help="it is the fourth of March")
    add("--limits-as-numbers", action="store_true", help="in columns of numbers, read '<0.5' as 0.5")
    add("--file-encoding", metavar="NAME", help="its characters, such as cp1252 (default: recognised)")
    add("--max-mb", type=float, default=200.0, metavar="MB", help="the largest file, also unpacked (default: 200)")
    add("--sheet", metavar="NAME", help="of a workbook, by name or number (default: the first with more than a title)")
    add("--query", metavar="FILE_OR_SQL", help="what a database is asked (default: all of its only table)")
    add("--max-rows", type=int, default=1_000_000, metavar="N", help="the most rows of a query (default: 1000000)")
    add("--query-time", type=float, default=60.0, metavar="S", help="the most seconds of a query (default: 60)")
    add("--dictionary", type=Path, metavar="FILE", help="a REDCap data dictionary, which names columns and levels")


def source(text: str) -> Path | str:
    """Where a table is: a path, or the address of a database, in which no slash may be lost."""
    return text if "://" in text else Path(text)


def add_table(command: argparse.ArgumentParser) -> None:
    """The table of a command that solves, and what its columns are."""
    command.add_argument("data", metavar="DATA", type=source, help=f"the table: {SOURCES}")
    data = command.add_argument_group("the table")
    data.add_argument("--target", required=True, metavar="COL", help="the column to predict")
    add_reading(data)
    data.add_argument(
        "--prepare",
        type=Path,
        metavar="STEPS.json",
        help="steps that are applied to the table first; names are those after them, and the model carries them",
    )
    data.add_argument("--positive", metavar="CLASS", help="the class that counts as positive")
    data.add_argument("--features", type=names, metavar="A,B", help="the columns that may be asked about")
    data.add_argument("--drop", type=names, default=(), metavar="A,B", help="columns that may not be asked about")
    data.add_argument(
        "--types",
        dest="kinds",
        type=types,
        default={},
        metavar="A=TYPE,B=TYPE",
        help="types that differ from the recognised ones: numeric, ordered, categorical (codes without an order), date",
    )
    data.add_argument("--weight", metavar="COL", help="the column of sample weights")
    data.add_argument(
        "--group",
        action="append",
        default=[],
        metavar="COL",
        help="a column of groups, for fairness, or two of them crossed: 'sex x region'; may be repeated",
    )
    data.add_argument(
        "--missing",
        choices=("information", "complete", "impute"),
        default="information",
        help="what a missing value means (default: information)",
    )
    data.add_argument("--test-share", type=float, metavar="S", help="hold out this share of the rows, by class")
    data.add_argument(
        "--group-rows", metavar="COL", help="rows with the same value belong together: a patient is never on both sides"
    )
    apart = data.add_mutually_exclusive_group()
    apart.add_argument("--centres", metavar="COL", help="hold out whole centres; folds leave out a centre each")
    apart.add_argument(
        "--time", metavar="COL", help="a date or number: learn from the earlier rows, judge on the later"
    )


def types(text: str) -> dict[str, str]:
    """Types by column, from a list such as 'A=categorical,B=ordered'; `ArgumentTypeError` where one is not of it."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    if not all(name.strip() and kind.strip() for name, _, kind in pairs):
        raise argparse.ArgumentTypeError(
            f"must be columns with types, such as ward=categorical,stage=ordered. Got '{text}'"
        )
    return {name.strip(): kind.strip() for name, _, kind in pairs}


def names(text: str) -> tuple[str, ...]:
    """The names in a list such as 'A,B'; `ArgumentTypeError` where one is empty."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        raise argparse.ArgumentTypeError("names must be separated by single commas")
    return found
