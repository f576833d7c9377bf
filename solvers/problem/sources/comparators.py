"""Cells of a laboratory that say only below or above what a value lies: '<0.5', '> 1000', '≤ 3'."""

import re
from dataclasses import replace

import pandas as pd

from solvers.language import msgid
from solvers.problem.sources.cells import column, with_columns
from solvers.problem.text_tables import Table
from solvers.problem.texts import abbreviated, is_missing_mark, parse_numbers

_LIMIT = re.compile(r"(?:<=?|>=?|≤|≥)\s*([+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+))")
_ENOUGH = 0.5
"""The share of the different texts of a column that must be numbers, so that '<20' < '20-29' < '30+' stays a scale."""


def without_comparators(table: Table) -> Table:
    """The table with such cells read as the numbers at their limits, in columns of numbers."""
    columns = {name: found for name in table.names if (found := _at_limits(column(table, name)))}
    if not columns:
        return table
    changed = {name: columns[name][0] if name in columns else column(table, name) for name in table.names}
    n_cells = sum(count for _, count in columns.values())
    note = msgid(
        f"{n_cells} cells such as '<0.5' are read as the number at the limit, in {abbreviated(list(columns))}."
    )
    return replace(with_columns(table, changed), notes=(*table.notes, note))


def _at_limits(cells: pd.Series) -> tuple[pd.Series, int] | None:
    """The cells of a column and how many were changed; `None` where none is to be."""
    texts = [text for text in cells.unique() if not is_missing_mark(text.strip())]
    limits = {text: match.group(1) for text in texts if (match := _LIMIT.fullmatch(text.strip()))}
    if not limits:
        return None
    n_numbers = int((parse_numbers(texts) == parse_numbers(texts)).sum())
    if n_numbers + len(limits) < len(texts) or n_numbers < _ENOUGH * len(texts):
        return None
    plain = {text: limit.replace(",", ".") for text, limit in limits.items()}
    found = cells.map(lambda text: plain.get(text, text)).astype(cells.dtype)
    return found, int(cells.isin(list(limits)).sum())
