"""Which method is asked, with which of its options, and for which shape."""

import argparse
from difflib import get_close_matches

from solvers.errors import EspalierError, ShapeError, UnknownMethodError
from solvers.methods import FIRST, Option, get, names
from solvers.problem import ShapeKind
from solvers.problem.skeleton import PRESETS, read_widths

_OPTION = "option:"


def method_of(options: argparse.Namespace) -> str:
    """The method that is asked: the one that is named, or the first one for the shape.

    Raises `UnknownMethodError` where there is no such method; it names the nearest.
    """
    name: str | None = options.method
    if name is None:
        return FIRST[ShapeKind(options.shape or ShapeKind.TREE)]
    if name not in names():
        near = get_close_matches(name, names(), n=1, cutoff=0.4)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise UnknownMethodError(f"There is no method '{name}'.{hint} Methods: {', '.join(names())}.")
    return name


def declared(method: str | None, shape: str | None) -> tuple[Option, ...]:
    """The options of the method that these words name; none where there is no such method, or it is not installed."""
    try:
        name = method or (None if shape is None else FIRST[ShapeKind(shape)])
        return () if name is None else get(name).options
    except (EspalierError, ValueError):
        return ()


def chosen(options: argparse.Namespace) -> dict[str, str]:
    """The values of the method's options, by name."""
    return {name.removeprefix(_OPTION): value for name, value in vars(options).items() if name.startswith(_OPTION)}


def kind_of(options: argparse.Namespace, method: str) -> ShapeKind:
    """The shape that is asked for: the one that is named, or what the method makes.

    Raises `MissingPackageError` where the method is not installed.
    """
    return get(method).kinds[0] if options.shape is None else ShapeKind(options.shape)


def widths_of(options: argparse.Namespace, kind: ShapeKind) -> tuple[int, ...] | None:
    """The skeleton; of a diagram without any word on its size the first preset.

    Raises `ShapeError` where it is no skeleton, or a depth is asked for besides.
    """
    if options.skeleton is None:
        return PRESETS["I"].widths if kind is ShapeKind.DIAGRAM and options.max_depth is None else None
    if options.max_depth is not None:
        raise ShapeError("A skeleton says how many layers there are. Leave --max-depth out.")
    return read_widths(options.skeleton)


def split_features_of(options: argparse.Namespace) -> int | None:
    """How many columns a question may combine; `None` for any number.

    Raises `ShapeError` where a number of columns is given for questions about one.
    """
    number: int | None = options.split_features
    if options.split == "univariate" and number not in (None, 1):
        raise ShapeError("A univariate question is about one column. Leave --split-features out, or ask for another.")
    if number is not None:
        return number
    return None if options.split == "multivariate" else 1
