"""JSON that others wrote, read to a limited depth, so that no nesting exhausts the stack."""

import json
from collections.abc import Callable
from typing import Any

_NESTING = (dict, list)
MOST_NESTED = 100
"""Lists and objects inside each other. What this program writes needs ten, and a question a level."""


def read_json(
    text: str | bytes,
    *,
    parse_constant: Callable[[str], Any] | None = None,
    parse_float: Callable[[str], Any] | None = None,
) -> Any:
    """The value of a JSON text; `ValueError` where it is no JSON, or nested more than 100 levels deep.

    Bytes are UTF-8, UTF-16 or UTF-32. `parse_constant` is called with 'NaN', 'Infinity' or '-Infinity' where one stands
    in the text, `parse_float` with the digits of each number that is not whole.
    """
    try:
        value = json.loads(text, parse_constant=parse_constant, parse_float=parse_float)
    except RecursionError:
        raise _too_deep() from None
    level: list[Any] = [[value]]
    for _ in range(MOST_NESTED + 1):
        items = (outer.values() if isinstance(outer, dict) else outer for outer in level)
        level = [item for inside in items for item in inside if isinstance(item, _NESTING)]
        if not level:
            return value
    raise _too_deep()


def _too_deep() -> ValueError:
    return ValueError(f"lists and objects must not be nested more than {MOST_NESTED} levels deep")
