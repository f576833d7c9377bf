"""The commands, each as a record: its docstring is the help, its fields are the arguments and options.

`run` of the module with the command's name carries it out; the module is loaded only when needed. Nothing heavy is
imported here.
"""

import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from msgspec import Struct

from .. import COMMAND, __version__
from ..request import ReadingOptions, Request, asks
from .options import GroupedCommands, GroupedOptions, asked_by

SOURCES = "a file (CSV, Parquet, Feather, Excel, SQLite), or - for standard input"

_argument = partial(asks, argument=True)

Data = Annotated[str, _argument(f"The table: {SOURCES}.", "DATA")]
TableOfResult = Annotated[str | None, _argument("The training table; a run's folder has its own.", "DATA")]
Result = Annotated[Path, _argument("A run's folder, or the folder that 'fit --out' wrote.", "RUN_OR_SOLUTION")]
Json = Annotated[bool, asks("Print one JSON value as the last line.")]
Out = Annotated[Path | None, asks("File to write; by default stdout.", "FILE")]
Seconds = Annotated[float | None, asks("Seconds for each model, or 'none'.", "S")]
Suppress = Annotated[int | None, asks("Hide counts below K, and counts that would reveal them.", "K")]
Detail = Annotated[
    Literal["bare", "standard", "rich"],
    asks("Detail of the drawing: rich adds distributions to rows and risks, bare has neither."),
]
HandleUnknown = Annotated[
    Literal["error", "ignore"],
    asks("Values that no training row has: 'error' gives no prediction, 'ignore' follows the condition of the split."),
]
Scheduler = Annotated[str | None, asks("Address of a Dask cluster to use.", "ADDRESS")]


class Methods(Struct, frozen=True, kw_only=True):
    """List the methods."""

    method: Annotated[str | None, _argument("Show only this method, with its options.", "METHOD")] = None
    json: Json = False


class Constraints(Struct, frozen=True, kw_only=True):
    """List the kinds of constraints."""

    kind: Annotated[str | None, _argument("Show only this kind, with its fields and an example.", "KIND")] = None
    json: Json = False


class Prepare(Struct, frozen=True, kw_only=True):
    """List the steps that prepare a table, describe some, or apply them."""

    reading: ReadingOptions
    steps: Annotated[
        Path | None, _argument("Describe these steps; by default list all kinds of steps.", "STEPS.json")
    ] = None
    data: Annotated[str | None, _argument(f"Table to prepare: {SOURCES}.", "DATA")] = None
    out: Out = None


class Fit(Struct, frozen=True, kw_only=True):
    """Find the best model for a table."""

    data: Data
    request: Request
    out: Annotated[Path | None, asks("Folder for model, solution, drawing and rules.", "DIR")] = None
    scheduler: Scheduler = None
    json: Json = False


class Recommend(Struct, frozen=True, kw_only=True):
    """Choose the size of a tree on rows set apart."""

    data: Data
    request: Request
    repeats: Annotated[int, asks("Divisions of the rows.", "N")] = 2
    choice_time: Annotated[float | None, asks("Seconds for the comparison of sizes.", "S")] = 60.0
    folds: Annotated[int, asks("Folds.", "N")] = 5
    outer_folds: Annotated[int, asks("Folds that evaluate the choice itself; 0 for none.", "N")] = 5
    json: Json = False


class Sweep(Struct, frozen=True, kw_only=True):
    """Find many models, over sizes and parts of the rows."""

    data: Data
    request: Request
    out: Annotated[Path, asks("Folder of the sweep; an unfinished one is continued.", "DIR")]
    methods: Annotated[tuple[str, ...], asks("Methods.", "A,B")] = ("contree", "cart")
    depths: Annotated[tuple[int, ...], asks("Depths of trees, levels of BDDs.", "2,3")] = ()
    leaves: Annotated[tuple[int, ...], asks("Leaves of trees.", "2,4")] = ()
    alphas: Annotated[tuple[float, ...], asks("Split penalties of diagrams.", "0.1,1")] = ()
    skeletons: Annotated[
        tuple[tuple[int, ...], ...],
        asks("Skeletons of diagrams, each with every alpha.", "I;1,2,4"),
    ] = ()
    constraints_only: Annotated[bool, asks("Skip the models without constraints.")] = False
    folds: Annotated[int, asks("Folds of a cross-validation; 0 for none.", "K")] = 0
    repeats: Annotated[int, asks("Divisions into folds.", "N")] = 1
    bootstrap: Annotated[int, asks("Bootstrap samples, drawn with replacement.", "N")] = 0
    workers: Annotated[int, asks("Processes of this machine.", "N")] = 1
    scheduler: Scheduler = None
    retry_failed: Annotated[bool, asks("Repeat jobs that failed earlier.")] = False
    json: Json = False


class Explain(Struct, frozen=True, kw_only=True):
    """Explain why constraints conflict, or what they cost."""

    data: Data
    request: Request
    prices: Annotated[bool, asks("Show the price of each constraint.")] = False
    trade_off: Annotated[
        str | None,
        asks(
            "Show the cost of each limit of a constraint: its number in the file, from 1, or max-leaf-nodes, "
            "max-splits, min-samples-leaf, min-weight-leaf or max-depth.",
            "CONSTRAINT",
        ),
    ] = None
    price: Annotated[
        float | None,
        asks("With --trade-off: errors that a percentage point of the limit is worth, or a unit of it.", "P"),
    ] = None
    time_per_model: Seconds = 2.0
    json: Json = False


class Verify(Struct, frozen=True, kw_only=True):
    """Recompute what a solution claims."""

    solution: Result
    data: TableOfResult = None


class Certify(Struct, frozen=True, kw_only=True):
    """Write a proof that no tree costs less, and no smaller one as little."""

    solution: Result
    out: Annotated[Path, asks("Folder or zip file to write.", "DIR_OR_ZIP")]
    data: TableOfResult = None
    smallest: Annotated[
        Literal["depth", "depth-then-nodes", "nodes-at-any-depth"] | None,
        asks("The size that is claimed to be smallest; by default, that of the run."),
    ] = None
    time_limit: Annotated[float | None, asks("Seconds for the proof.", "S")] = 120.0
    json: Json = False


class CheckCertificate(Struct, frozen=True, kw_only=True):
    """Check what 'certify' wrote."""

    certificate: Annotated[Path, _argument("Folder or zip file of a certificate.", "CERTIFICATE")]
    table: Annotated[Path | None, _argument("CSV file from which to compute the cases.", "TABLE")] = None
    json: Json = False


class Predict(Struct, frozen=True, kw_only=True):
    """Apply a model to new rows."""

    model: Annotated[Path, _argument("The model, or the folder that 'fit --out' wrote.", "MODEL.json")]
    data: Data
    reading: ReadingOptions
    out: Out = None
    keep: Annotated[tuple[str, ...], asks("Columns to copy next to the predictions.", "A,B")] = ()
    strict: Annotated[bool, asks("Write nothing and fail if a row has no prediction.")] = False
    handle_unknown: HandleUnknown = "error"


class Export(Struct, frozen=True, kw_only=True):
    """Draw or write a model."""

    model: Annotated[Path, _argument("A run's folder, or a model.", "RUN_OR_MODEL")]
    format: Annotated[
        Literal[
            "svg",
            "png",
            "pdf",
            "rules",
            "json",
            "python",
            "sql",
            "javascript",
            "onnx",
            "pmml",
            "redcap",
            "bedside",
            "dot",
        ],
        asks("Format."),
    ]
    out: Out = None
    table: Annotated[str, asks("Table that the SQL query reads.", "NAME")] = "patients"
    dialect: Annotated[
        Literal["sqlite", "postgres", "duckdb", "tsql", "bigquery", "snowflake", "mysql"],
        asks("Database that runs the query."),
    ] = "sqlite"
    handle_unknown: HandleUnknown = "error"
    suppress: Suppress = None
    detail: Detail = "standard"


class Report(Struct, frozen=True, kw_only=True):
    """Report on a run, as HTML or PDF."""

    solution: Result
    out: Annotated[Path, asks("report.html or report.pdf.", "FILE")]
    data: TableOfResult = None
    title: Annotated[str, asks("Title.", "TEXT")] = ""
    author: Annotated[str, asks("Author.", "TEXT")] = ""
    purpose: Annotated[str, asks("Purpose of the model.", "TEXT")] = ""
    suppress: Suppress = None
    detail: Detail = "standard"


class Dashboard(Struct, frozen=True, kw_only=True):
    """Open the dashboard in the browser."""

    port: Annotated[int, asks("Port.", "N")] = 8501
    no_browser: Annotated[bool, asks("Do not open a browser.")] = False


COMMANDS: dict[str, tuple[type[Struct], ...]] = {
    "What there is": (Methods, Constraints, Prepare),
    "Find a model": (Fit, Recommend, Sweep, Explain),
    "Check it": (Verify, Certify, CheckCertificate),
    "Use it": (Predict, Export, Report),
    "Dashboard": (Dashboard,),
}
"""The commands by the headings under which the help lists them."""


def parse(argv: Sequence[str]) -> int | Callable[[], int]:
    """The function that carries out a command, or the exit status if nothing remains to be done, as for '--help'.

    Raises
    ------
    TyperException
        An argument is wrong or missing.
    """
    words = list(argv)
    app = typer.Typer(cls=GroupedCommands, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback()(_program)
    for panel, records in COMMANDS.items():
        for record in records:
            name = re.sub("(?<!^)(?=[A-Z])", "-", record.__name__).lower()
            # only the named command needs its options
            asked = asked_by(record, name, _method_options(words), _carry_out) if name in words[:1] else _named_only
            app.command(name, help=record.__doc__, cls=GroupedOptions, rich_help_panel=panel)(asked)
    program = "espalier" if Path(sys.argv[0]).stem == "espalier" else COMMAND
    result: int | Callable[[], int] = app(args=list(argv), prog_name=program, standalone_mode=False)
    return result


def _carry_out(name: str, asked: Struct) -> Callable[[], int]:
    return partial(import_module(f".{name.replace('-', '_')}", __package__).run, asked)


def _show_version(shown: bool) -> None:
    if shown:
        print(f"Espalier {__version__}")
        raise typer.Exit()


def _program(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Optimal decision trees, BDDs and decision diagrams with a proof."""


def _named_only() -> None:
    """A command in the list of commands."""


def _method_options(words: Sequence[str]) -> Sequence[Any]:
    """The options that the named method declares; without one nothing is loaded, so that the help is fast.

    A method that does not exist, or is not installed, is refused later, when it is asked to solve.
    """
    asked = dict(pairwise(words)) | dict(word.split("=", 1) for word in words if word.startswith("--") and "=" in word)
    method, shape = asked.get("--method"), asked.get("--shape")
    if method is None and shape is None:
        return ()
    from ..errors import EspalierError
    from ..methods import FIRST, get

    try:
        return get(method or FIRST[shape]).options  # type: ignore[index]
    except (EspalierError, KeyError):
        return ()
