"""A clock that jumps by a day forwards and back every quarter of a second, in whatever process imports this module."""

from __future__ import annotations

import time

_now = time.time


def _jumping() -> float:
    return _now() + (86_400.0 if int(4 * _now()) % 2 else -86_400.0)


time.time = _jumping
