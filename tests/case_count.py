"""How many random cases a test tries."""

from __future__ import annotations

import os

FEWEST = 6
"""So many cases are always tried where a test has them."""


def case_count(many: int, fewest: int = FEWEST) -> int:
    """So many as `ESPALIER_CASES` says; where it says nothing a sixth of what is many for the test, but not too few."""
    return int(os.environ.get("ESPALIER_CASES", max(min(many, fewest), many // 6)))
