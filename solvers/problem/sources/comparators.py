"""Cells of a laboratory that say only below or above what a value lies: '<0.5', '> 1000', '≤ 3'."""

import re
from dataclasses import replace

import numpy as np

from ..plain_numbers import Cells, Numbers
from ..tables import Table
from ..texts import Texts, abbreviated, respelled

# a comma ahead of three digits may part thousands
_LIMIT = re.compile(r"(?:<=?|>=?|≤|≥)\s*([+-]?(?:\d+(?:\.\d+)?|\d+,(?!\d{3}$)\d+|[.,]\d+))")
_COMPARATOR = re.compile(r"^(?:<=?|>=?|≤|≥)\s*")
_ENOUGH = 0.5
"""The share of the different texts of a column that must be numbers, so that '<20' < '20-29' < '30+' stays a scale."""


def without_comparators(table: Table) -> Table:
    """The table with such cells read as the numbers at their limits, in columns of numbers."""
    found = {name: read for name, cells in table.columns.items() if (read := _at_limits(cells))}
    if not found:
        return table
    columns = {name: found[name][0] if name in found else cells for name, cells in table.columns.items()}
    n_cells = sum(count for _, count in found.values())
    note = f"{n_cells} cells such as '<0.5' are read as the number at the limit, in {abbreviated(list(found))}."
    return replace(table, columns=columns, notes=(*table.notes, note))


def at_limit(text: str) -> str | None:
    """The number at the limit that a text names, in plain spelling; `None` where it names none."""
    found = _LIMIT.fullmatch(text)
    return found[1].replace(",", ".") if found else None


def limits_among(cells: Texts) -> tuple[str, ...]:
    """The texts that name limits, in a column of which the others are numbers."""
    found = tuple(text for text in cells.text if at_limit(text) is not None)
    n_numbers, n_present = int((~np.isnan(cells.number)).sum()), int((~cells.missing).sum())
    is_of_numbers = n_numbers + len(found) == n_present and n_numbers >= _ENOUGH * n_present
    return found if is_of_numbers else ()


def _at_limits(cells: Cells) -> tuple[Texts, int] | None:
    """The cells of a column and how many were changed; `None` where none is to be."""
    if isinstance(cells, Numbers) or not (found := limits_among(cells)):
        return None
    limits = {text: at_limit(text) or text for text in found}
    changed = sum(int(count) for text, count in zip(cells.text, cells.count, strict=True) if text in limits)
    plain = respelled(cells.code, [limits.get(text, text) for text in cells.text])
    if cells.raw is not None:
        raw = cells.raw
        plain = replace(plain, raw=respelled(raw.code, [_COMPARATOR.sub("", text) for text in raw.text]))
    return plain, changed
