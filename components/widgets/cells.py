"""Cells of the tables of facts: a share with its interval and its counts."""

from __future__ import annotations

from components.words.text import count, interval, percent
from solvers.metrics import Estimate, Rate

NOTHING = "\u2013"
"""What stands where there is nothing to say."""


def rate_cell(found: Rate | Estimate | None) -> str:
    """A share with interval and counts as HTML; a dash where there is nothing to measure it on."""
    if found is None or found.value is None:
        return NOTHING
    counts = f" &middot; {count(found.k)}/{count(found.n)}" if isinstance(found, Rate) else ""
    return f"{percent(found.value)} <small>{interval(found)}{counts}</small>"
