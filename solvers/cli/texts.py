"""Parsers of option texts. An invalid text raises a `ValueError` or an `EspalierError`."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec


def by_type(kind: Any) -> Callable[[str], Any] | None:
    """The parser for a type with several items; `None` for types that the argument parser supports."""
    kinds = [kind, *get_args(kind)]
    if dict[str, str] in kinds:
        return pairs
    parts = next((one for one in kinds if get_origin(one) is tuple), None)
    return None if parts is None else lambda text: _format_list(text, parts)


def _format_list(text: str, kind: Any) -> Any:
    """Values such as 'A,B' or '0.1,1'."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise ValueError("values must be separated by single commas.")
    return _convert(parts, kind, f"must be values such as 2,3, but is '{text}'.")


def _convert(value: Any, kind: Any, otherwise: str) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError:
        raise ValueError(otherwise) from None


def pairs(text: str) -> dict[str, str]:
    """Names with values, such as 'ward=categorical,stage=ordered'."""
    parts = [part.rpartition("=") for part in text.split(",")]
    if not all(name.strip() and value.strip() for name, _, value in parts):
        raise ValueError(f"must be columns with types, such as ward=categorical,stage=ordered, but is '{text}'.")
    return {name.strip(): value.strip() for name, _, value in parts}


def size(text: str) -> int | str:
    """An integer, or 'any'."""
    return text if text == "any" else _convert(text, int, f"must be a whole number or 'any', but is '{text}'.")


def seconds(text: str) -> float | None:
    """Seconds; 'none' for no limit."""
    return None if text == "none" else _convert(text, float, f"must be a number of seconds or 'none', but is '{text}'.")


def skeletons(text: str) -> tuple[tuple[int, ...], ...]:
    """Skeletons, separated by semicolons."""
    return tuple(skeleton(part) for part in text.split(";"))


def skeleton(text: str) -> tuple[int, ...]:
    """The widths of a skeleton, or those of a preset."""
    from ..problem.skeleton import read_widths

    return read_widths(text)


def constraints(text: str) -> tuple[dict[str, Any], ...]:
    """The constraints in a JSON text, or in a file; 'FILE#TITLE' chooses one of several lists."""
    from ..constraints import listed
    from ..constraints.files import constraints_file

    if text.lstrip().startswith(("{", "[")):
        return tuple(listed(text, "The list of constraints"))
    file, _, title = text.rpartition("#") if "#" in text and not Path(text).exists() else (text, "", "")
    return tuple(listed(constraints_file(file), f"The file '{file}'", title or None))


def class_costs(text: str) -> dict[str, dict[str, float]]:
    """The costs in a JSON text, or in a file; `class_costs_by_name` checks them."""
    from ..errors import DataError
    from ..problem.json_text import read_json

    inline = text.lstrip().startswith(("{", "["))
    try:
        costs: dict[str, dict[str, float]] = read_json(text if inline else Path(text).read_text("utf-8"))
    except ValueError as error:
        what = "The class costs" if inline else f"The class costs in '{text}'"
        raise DataError(
            f'{what} must be JSON such as {{"ill": {{"well": 5}}}} (true class, predicted class, cost): {error}.'
        ) from None
    return costs


def preparation(text: str) -> tuple[dict[str, Any], ...]:
    """The steps in a file."""
    from ..problem import read_preparation

    return tuple(read_preparation(Path(text)).to_json())


def dictionary(text: str) -> dict[str, dict[str, str]]:
    """The data dictionary in a file."""
    from ..problem import read_dictionary

    return {name: asdict(one) for name, one in read_dictionary(Path(text)).items()}


def query(text: str) -> str:
    """A query as SQL, or the content of a file."""
    try:
        return Path(text).read_text("utf-8") if Path(text).is_file() else text
    except (OSError, ValueError):
        # too long for a file name
        return text
