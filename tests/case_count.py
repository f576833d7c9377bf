"""The number of random cases of a test."""

from __future__ import annotations

import os

FEWEST = 6
"""The minimum number of cases, if a test has as many."""


def case_count(many: int, fewest: int = FEWEST) -> int:
    """`ESPALIER_CASES` if set; by default a sixth of `many`, but at least `fewest` (or `many`, if that is fewer)."""
    return int(os.environ.get("ESPALIER_CASES", max(min(many, fewest), many // 6)))
