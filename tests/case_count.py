"""How many random cases a test tries."""

from __future__ import annotations

import os


def case_count(usual: int) -> int:
    """So many as `ESPALIER_CASES` says, or as are usual for the test where it says nothing."""
    return int(os.environ.get("ESPALIER_CASES", usual))
