"""What may be written after `sweep`. Nothing heavy is imported here."""

import argparse
from pathlib import Path
from typing import TypeVar

N = TypeVar("N", int, float)


def add_arguments(command: argparse.ArgumentParser) -> None:
    """What may be written after `sweep`, besides what describes the table, the model and the limits."""
    tried = command.add_argument_group("what is tried")
    tried.add_argument("--methods", type=_words, default=("contree", "cart"), metavar="A,B", help="by their names")
    tried.add_argument("--depths", type=_whole, default=(), metavar="2,3,4", help="depths of trees, levels of BDDs")
    tried.add_argument("--leaves", type=_whole, default=(), metavar="2,4,8", help="leaves of trees as deep as allowed")
    tried.add_argument("--alphas", type=_reals, default=(), metavar="0.1,1", help="prices of a diagram's questions")
    tried.add_argument(
        "--skeletons", type=_words, default=(), metavar="I,II", help="of diagrams, each with every price; or 1.2.4"
    )
    tried.add_argument(
        "--constraints-only", action="store_true", help="do not try each size without the constraints, too"
    )
    tried.add_argument("--folds", type=int, default=0, metavar="K", help="cross-validate with K folds (default: none)")
    tried.add_argument("--repeats", type=int, default=1, metavar="N", help="divisions into folds (default: 1)")
    tried.add_argument(
        "--bootstrap", type=int, default=0, metavar="N", help="learn on N samples drawn with replacement"
    )
    where = command.add_argument_group("where")
    where.add_argument("--workers", type=int, default=1, metavar="N", help="processes of this machine (default: 1)")
    where.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, instead of processes here")
    command.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the folder; an unfinished sweep in it is gone on with"
    )
    command.add_argument(
        "--retry-failed", action="store_true", help="try those again that have failed in an earlier start"
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _whole(text: str) -> tuple[int, ...]:
    return tuple(_number(part, int) for part in _words(text))


def _reals(text: str) -> tuple[float, ...]:
    return tuple(_number(part, float) for part in _words(text))


def _number(part: str, kind: type[N]) -> N:
    try:
        value = kind(part)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{part}' is no {'whole ' if kind is int else ''}number") from None
    if value <= 0:
        raise argparse.ArgumentTypeError(f"'{part}' must be more than 0")
    return value
