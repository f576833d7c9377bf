"""What may be written on the command line. Nothing heavy is imported here."""

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from solvers import __version__
from solvers.cli import sweep_arguments
from solvers.cli.command_parser import CommandParser, WithoutCommands
from solvers.cli.model_arguments import add_model
from solvers.cli.table_arguments import SOURCES, add_reading, add_table, source

_PROG = "python -m solvers"
_SOLVING = ("fit", "explain", "recommend", "calibrate", "sweep")


def parser(argv: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser; `command` of its result names the module that carries the command out.

    Parameters
    ----------
    argv : what is going to be parsed: the options of the method that it names can be written, too.
    """
    groups: dict[str, dict[str, tuple[Callable[[argparse.ArgumentParser], None], str]]] = {
        "what there is": {
            "methods": (_methods, "list the methods"),
            "constraints": (_constraints, "list the kinds of constraints"),
            "prepare": (_prepare, "list the steps that prepare a table, say them in words, or apply them"),
        },
        "find a model": {
            "fit": (_fit, "find the best model for a table"),
            "recommend": (_recommend, "choose how large a tree should be by cross-validation"),
            "calibrate": (_calibrate, "choose skeleton and alpha of a decision diagram by validation"),
            "sweep": (sweep_arguments.add_arguments, "find many models, over sizes and parts of the rows"),
            "explain": (_explain, "say why constraints conflict, or what they cost"),
        },
        "check it": {
            "verify": (_verify, "recompute what a solution claims"),
            "certify": (_certify, "write a proof that no tree costs less, and no smaller one as little"),
            "check-certificate": (_check, "check what 'certify' wrote"),
        },
        "use it": {
            "predict": (_predict, "apply a model to new rows"),
            "export": (_export, "draw or write a model"),
            "report": (_report, "tell all about a run, as HTML or PDF"),
        },
        "the rest": {
            "dashboard": (_dashboard, "open the dashboard in the browser"),
            "completion": (_completion, "print a script by which a shell completes commands and options"),
        },
    }
    listed = [
        f"{title}:\n" + "".join(f"  {name:<20}{purpose}\n" for name, (_, purpose) in group.items())
        for title, group in groups.items()
    ]
    top = CommandParser(
        prog=_PROG,
        description="Optimal decision trees, BDDs and decision diagrams with a proof.",
        epilog="\n".join(listed),
        allow_abbrev=False,
        formatter_class=WithoutCommands,
    )
    top.add_argument("--version", action="version", version=f"Espalier {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    named = {name: command for group in groups.values() for name, command in group.items()}
    for name, (add_arguments, purpose) in named.items():
        about = f"{purpose[:1].upper()}{purpose[1:]}."
        command = commands.add_parser(name, help=purpose, description=about, allow_abbrev=False)
        if name in _SOLVING:
            add_table(command)
            add_model(command)
            _limits(command)
        add_arguments(command)
        if name in _SOLVING:
            command.add_argument("--json", action="store_true", help="print one JSON object as the last line")
            if name != "sweep":
                _method_options(command, argv)
    return top


def _methods(command: argparse.ArgumentParser) -> None:
    command.add_argument("method", metavar="METHOD", nargs="?", help="tell this one in full, with its options")
    command.add_argument("--json", action="store_true", help="print one JSON array")


def _constraints(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "kind", metavar="KIND", nargs="?", help="tell this one in full, with its fields and an example"
    )
    command.add_argument("--json", action="store_true", help="print one JSON array")


def _fit(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--out", type=Path, metavar="DIR", help="write model, solution, drawing and rules into this folder")
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="of a Dask cluster, whose workers share one proof; with --out an unfinished one is gone on with",
    )
    add(
        "--certificate",
        type=Path,
        metavar="DIR_OR_ZIP",
        help="write a proof that no tree costs less, and no smaller one as little, and check it; see 'certify'",
    )
    add(
        "--confirm-share",
        type=float,
        metavar="S",
        help="keep this share of the training rows aside, and find the best model whose constraints with confidence "
        "they confirm",
    )


def _explain(command: argparse.ArgumentParser) -> None:
    question = command.add_argument_group("the question (default: why can the constraints not hold together?)")
    what = question.add_mutually_exclusive_group()
    what.add_argument("--prices", action="store_true", help="what is saved without each constraint")
    what.add_argument(
        "--trade-off",
        metavar="CONSTRAINT",
        help="what each limit of a constraint costs: its number in the file, from 1 on, or "
        "max-leaf-nodes, max-splits, min-samples-leaf, min-weight-leaf or max-depth",
    )
    question.add_argument(
        "--step", type=_seconds, default=2.0, metavar="S", help="seconds for each model that is sought (default: 2)"
    )


def _recommend(command: argparse.ArgumentParser) -> None:
    plan = command.add_argument_group("how sizes are compared")
    plan.add_argument("--choice-time", type=_seconds, default=60.0, metavar="S", help="seconds for it (default: 60)")
    plan.add_argument("--folds", type=int, default=5, metavar="N", help="folds (default: 5)")
    plan.add_argument("--repeats", type=int, default=2, metavar="N", help="divisions (default: 2)")
    plan.add_argument(
        "--outer-folds",
        type=int,
        default=5,
        metavar="N",
        help="folds that judge the choice itself; 0 for none (default: 5)",
    )


def _calibrate(command: argparse.ArgumentParser) -> None:
    sweep = command.add_argument_group("what is tried")
    sweep.add_argument(
        "--skeletons", type=_skeletons, default=None, metavar="W;W", help="presets or widths (default: I;II;III;IV)"
    )
    sweep.add_argument(
        "--alphas", type=_numbers, default=None, metavar="A,B", help="prices of questions (default: 0.01,0.1,0.2,0.5,1)"
    )
    sweep.add_argument(
        "--validation", type=float, default=1 / 3, metavar="S", help="the share of the rows to judge on (default: 1/3)"
    )
    sweep.add_argument("--repeats", type=int, default=1, metavar="N", help="divisions of the rows (default: 1)")
    sweep.add_argument("--step", type=_seconds, default=10.0, metavar="S", help="seconds for each model (default: 10)")
    # the sweep as a whole takes as long as its models
    command.set_defaults(shape="diagram", time_limit=None)


def _method_options(command: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """What the method that is named declares; nothing is loaded where none is named, so that the help answers at once.

    A method that there is not, or that is not installed, is refused when it is asked to solve.
    """
    names = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    names.add_argument("--method")
    names.add_argument("--shape")
    try:
        named = names.parse_known_args(list(argv))[0]
    except argparse.ArgumentError:  # a word is missing, which the real parser says
        return
    if named.method is None and named.shape is None:
        return
    from solvers.cli.shapes import declared

    options = declared(named.method, named.shape)
    if not options:
        return
    group = command.add_argument_group("options of the method")
    for option in options:
        values: dict[str, Any] = {"choices": option.values} if option.values else {"metavar": "N"}
        values["dest"] = f"option:{option.name}"
        group.add_argument(
            f"--{option.name.replace('_', '-')}",
            default=option.default,
            help=f"{option.label}: {option.help} (default: {option.default})".replace("%", "%%"),
            **values,
        )


def _limits(command: argparse.ArgumentParser) -> None:
    limits = command.add_argument_group("the limits")
    limits.add_argument(
        "--time-limit", type=_seconds, default=60.0, metavar="S", help="seconds of solving, or 'none' (default: 60)"
    )
    limits.add_argument(
        "--gap",
        type=float,
        default=0.0,
        metavar="G",
        help="how far from the optimum the result may be: below 1 a share of all rows, else in errors (default: 0)",
    )
    limits.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="processor threads, where the method shares its work (default: 1)",
    )
    limits.add_argument("--memory-mb", type=int, default=4096, metavar="MB", help="MiB of memory (default: 4096)")
    limits.add_argument("--seed", type=int, default=0, metavar="N", help="for whatever is drawn at random (default: 0)")


def _prepare(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("steps", metavar="STEPS.json", type=Path, nargs="?", help="say these in words (default: what steps there are)")
    add("data", metavar="DATA", type=source, nargs="?", help=f"a table to which they are applied: {SOURCES}")
    add_reading(command)
    add("--out", type=Path, metavar="FILE", help="where the prepared table goes (default: stdout)")


def _predict(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("model", metavar="MODEL.json", type=Path, help="the model, or the folder that 'fit --out' wrote")
    add(
        "data",
        metavar="DATA",
        type=source,
        help=f"the new rows, with the columns that the model asks about: {SOURCES}",
    )
    add_reading(command)
    add("--out", type=Path, metavar="FILE", help="where the predictions go (default: stdout)")
    add("--keep", action="append", metavar="COL", help="a column to put beside the predictions; may be repeated")
    add("--strict", action="store_true", help="write nothing and fail where a row has no answer")
    _unknown(command)


def _verify(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("solution", metavar="RUN_OR_SOLUTION", type=Path, help="a run's folder, or what 'fit --out' wrote")
    add(
        "data",
        metavar="DATA",
        type=source,
        nargs="?",
        help="the table of the fit; a run's folder has its own",
    )


def _certify(command: argparse.ArgumentParser) -> None:
    _verify(command)
    add = command.add_argument
    add("--out", type=Path, required=True, metavar="DIR_OR_ZIP", help="the folder or zip file to write")
    smallest = ("depth", "depth-then-nodes", "nodes-at-any-depth")
    add("--smallest", choices=smallest, help="what is claimed to be smallest (default: what the run asked for)")
    add("--time-limit", type=_seconds, default=120.0, metavar="S", help="seconds for the proof (default: 120)")
    add("--json", action="store_true", help="print one JSON object")


def _check(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("certificate", metavar="CERTIFICATE", type=Path, help="the folder or zip file of a certificate")
    add("table", metavar="TABLE", type=Path, nargs="?", help="the CSV file to make the cases from")
    add("--json", action="store_true", help="print one JSON object")


def _dashboard(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--port", metavar="N", type=int, default=8501, help="where it is served (default: 8501)")
    add("--no-browser", action="store_true", help="open no browser")


def _completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")


def _export(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("model", metavar="MODEL.json", type=Path, help="the model, or the folder of a run or that 'fit --out' wrote")
    written = ("python", "sql", "javascript", "onnx", "pmml", "redcap", "bedside")
    formats = ("svg", "png", "pdf", "rules", "json", *written, "dot")
    add("--format", required=True, choices=formats)
    add("--out", type=Path, metavar="FILE", help="where it goes (default: stdout)")
    add("--table", default="patients", metavar="NAME", help="the table that SQL asks (default: patients)")
    dialects = ("sqlite", "postgres", "duckdb", "tsql", "bigquery", "snowflake", "mysql")
    add("--dialect", default="sqlite", choices=dialects, help="the database that runs the SQL (default: sqlite)")
    _unknown(command)
    _suppress(command)
    _detail(command)


def _report(command: argparse.ArgumentParser) -> None:
    _verify(command)
    add = command.add_argument
    add("--out", type=Path, required=True, metavar="FILE", help="report.html or report.pdf")
    for name, help in (("title", "its title"), ("author", "who wrote it"), ("purpose", "what the model is for")):
        add(f"--{name}", default="", metavar="TEXT", help=help)
    _suppress(command)
    _detail(command)


def _unknown(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--unknown",
        choices=("refuse", "follow"),
        default="refuse",
        help="what becomes of a case that is asked for a value that no training row has: no answer (default), or "
        "follow, to go where the question sends it",
    )


def _detail(command: argparse.ArgumentParser) -> None:
    help = "how much the drawing says: rich adds distributions to rows and risks, bare has neither (default: standard)"
    command.add_argument("--detail", choices=("bare", "standard", "rich"), default="standard", help=help)


def _suppress(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--suppress", type=int, metavar="K", help="hide counts below K, and others from which they would follow"
    )


def _seconds(text: str) -> float | None:
    if text == "none":
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if math.isnan(seconds):
        raise argparse.ArgumentTypeError(f"a number of seconds or 'none' is needed, not '{text}'")
    return seconds


def _skeletons(text: str) -> tuple[str, ...]:
    skeletons = tuple(part.strip() for part in text.split(";"))
    if not all(skeletons):
        raise argparse.ArgumentTypeError(f"skeletons must be separated by single semicolons, not '{text}'")
    return skeletons


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"numbers with commas between are needed, not '{text}'") from None
