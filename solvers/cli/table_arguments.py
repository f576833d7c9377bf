"""What may be written of the table on the command line. Nothing heavy is imported here."""

import argparse
from pathlib import Path


def file_arguments(group: argparse._ActionsContainer) -> None:
    """How a table is read from its file."""
    add = group.add_argument
    add("--no-header", action="store_true", help="the file has no header: columns are named 0, 1, ...")
    add("--file-encoding", metavar="NAME", help="its characters, such as cp1252 (default: recognised)")
    add("--max-mb", type=float, default=200.0, metavar="MB", help="the largest file, also unpacked (default: 200)")


def table_arguments(command: argparse.ArgumentParser) -> None:
    """The table, how it is prepared, and what its columns are."""
    command.add_argument("data", metavar="DATA.csv", type=Path, help="the table, packed with gzip or not")
    data = command.add_argument_group("the table")
    data.add_argument("--target", required=True, metavar="COL", help="the column to predict")
    file_arguments(data)
    data.add_argument(
        "--prepare",
        type=Path,
        metavar="STEPS.json",
        help="steps that are applied to the table first; names are those after them, and the model carries them",
    )
    data.add_argument("--positive", metavar="CLASS", help="the class that counts as positive")
    data.add_argument("--features", type=names, metavar="A,B", help="the columns that may be asked about")
    data.add_argument("--drop", type=names, default=(), metavar="A,B", help="columns that may not be asked about")
    data.add_argument("--weight", metavar="COL", help="the column of sample weights")
    data.add_argument(
        "--group", action="append", default=[], metavar="COL", help="a column of groups, for fairness; may be repeated"
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


def names(text: str) -> tuple[str, ...]:
    """The names in a list such as 'A,B'; `ArgumentTypeError` where one is empty."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        raise argparse.ArgumentTypeError("names must be separated by single commas")
    return found
