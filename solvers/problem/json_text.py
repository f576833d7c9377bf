"""Reading of untrusted JSON with limited depth, so that no nesting exhausts the stack."""

import json
import math
from typing import Any

_NESTING = (dict, list)
MOST_NESTED = 100
"""The maximum nesting of lists and objects. The program's own files need ten, plus one per level of splits."""


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text; bytes are UTF-8, UTF-16 or UTF-32.

    Raises `ValueError` if the text is not JSON, has a number that is not finite, or is nested more than 100 levels
    deep.
    """
    try:
        value = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise _too_deep() from None
    level: list[Any] = [[value]]
    for _ in range(MOST_NESTED + 1):
        items = (outer.values() if isinstance(outer, dict) else outer for outer in level)
        level = [item for inside in items for item in inside if isinstance(item, _NESTING)]
        if not level:
            return value
    raise _too_deep()


def _finite(number: str) -> float:
    if math.isfinite(value := float(number)):
        return value
    raise ValueError(f"{number[:20]} is not allowed as a number")


def _too_deep() -> ValueError:
    return ValueError(f"lists and objects must not be nested more than {MOST_NESTED} levels deep")
