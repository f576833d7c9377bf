"""What the texts of options mean. A text that means nothing is refused with a `ValueError` or an `EspalierError`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_origin


def by_type(kind: Any) -> Callable[[str], Any] | None:
    """How a text becomes a value of a type with several parts; `None` for types that the parser knows."""
    found: dict[Any, Callable[[str], Any]] = {str: names, int: whole_numbers, float: numbers}
    kinds = [kind, *get_args(kind)]
    if dict[str, str] in kinds:
        return pairs
    return next((found[get_args(one)[0]] for one in kinds if get_origin(one) is tuple), None)


def names(text: str) -> tuple[str, ...]:
    """Names such as 'A,B'."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        raise ValueError("names must be separated by single commas.")
    return found


def numbers(text: str) -> tuple[float, ...]:
    """Numbers such as '0.1,1', each at least 0."""
    return tuple(_number(part, float) for part in names(text))


def whole_numbers(text: str) -> tuple[int, ...]:
    """Whole numbers such as '2,3,4', each at least 1."""
    return tuple(_number(part, int, 1) for part in names(text))


def pairs(text: str) -> dict[str, str]:
    """Names with values, such as 'ward=categorical,stage=ordered'."""
    parts = [part.rpartition("=") for part in text.split(",")]
    if not all(name.strip() and value.strip() for name, _, value in parts):
        raise ValueError(f"must be columns with types, such as ward=categorical,stage=ordered, but is '{text}'.")
    return {name.strip(): value.strip() for name, _, value in parts}


def number_or(word: str) -> Callable[[str], int | str]:
    """How a whole number or a word is read."""

    def read(text: str) -> int | str:
        try:
            return text if text == word else int(text)
        except ValueError:
            raise ValueError(f"must be a whole number or '{word}', but is '{text}'.") from None

    return read


def seconds(text: str) -> float | None:
    """Seconds; 'none' for no limit."""
    return None if text == "none" else _number(text, float, what="a number of seconds or 'none'")


def skeletons(text: str) -> tuple[tuple[int, ...], ...]:
    """Skeletons, separated by semicolons."""
    return tuple(skeleton(part) for part in text.split(";"))


def skeleton(text: str) -> tuple[int, ...]:
    """The widths of a skeleton, or those of a preset."""
    from ..problem.skeleton import read_widths

    return read_widths(text)


def constraints(text: str) -> tuple[dict[str, Any], ...]:
    """The constraints in a text of JSON, or in a file; 'FILE#TITLE' chooses one of several lists."""
    from ..constraints import listed
    from ..constraints.files import constraints_file

    if text.lstrip().startswith(("{", "[")):
        return tuple(listed(text, "The list of constraints"))
    file, _, title = text.rpartition("#") if "#" in text and not Path(text).exists() else (text, "", "")
    return tuple(listed(constraints_file(file), f"The file '{file}'", title or None))


def class_costs(text: str) -> dict[str, dict[str, float]]:
    """The costs in a text of JSON, or in a file; `class_costs_by_name` checks what they say."""
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


def query(text: str) -> str:
    """A query in a text of SQL, or in a file."""
    try:
        return Path(text).read_text("utf-8") if Path(text).is_file() else text
    except (OSError, ValueError):
        # too long for the name of a file
        return text


def _number(text: str, kind: type[Any], least: float = 0, what: str = "") -> Any:
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or value != value or value < least:
        wanted = what or f"{'whole ' if kind is int else ''}numbers of at least {least:g}"
        raise ValueError(f"must be {wanted}, but is '{text}'.")
    return value
