"""A clock that jumps forward and back by a day every quarter of a second, in each process that imports this module."""

from __future__ import annotations

import time

_now = time.time


def _jumping() -> float:
    return _now() + (86_400.0 if int(4 * _now()) % 2 else -86_400.0)


time.time = _jumping
