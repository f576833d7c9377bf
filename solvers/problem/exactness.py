"""Values that differ in a table and would be one as float64: whole numbers above 2^53, long decimals, near times.

A model reads every column as float64, which tells numbers apart up to 15 digits, and days since 1970 to about a
microsecond. Rows that differ only beyond that would count as contradictory.
"""

from collections.abc import Callable, Hashable
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pandas as pd

from .columns import Kind, parse_dates
from .texts import Texts


class Merged(NamedTuple):
    """Two cells of a column that differ and have the same float64: their texts and their rows, counted from 1."""

    first: str
    first_row: int
    second: str
    second_row: int

    def describe(self) -> str:
        """Both cells with their rows."""
        return f"'{self.first}' in row {self.first_row} and '{self.second}' in row {self.second_row}"


def merged_cells(kind: Kind, texts: Texts) -> Merged | None:
    """The first two cells of a column of numbers or dates that differ and have the same float64; `None` if none do."""
    if kind is Kind.NUMERIC:
        return _merged(texts, texts.number, Decimal)
    if kind is Kind.DATE:
        day = np.full(len(texts.text), np.nan)
        day[~texts.missing] = parse_dates(texts.present)
        return _merged(texts, day, lambda text: pd.Timestamp(text) if _has_zone(text) else pd.Timestamp(text, tz="UTC"))
    return None


def _has_zone(text: str) -> bool:
    return pd.Timestamp(text).tz is not None


def _merged(texts: Texts, value: np.ndarray, exact: Callable[[str], Hashable]) -> Merged | None:
    """See `merged_cells`; `value`, float64 (n_texts,), is each different text as float64, `exact` what it says."""
    known = np.flatnonzero(np.isfinite(value))
    present, place, count = np.unique(value[known], return_inverse=True, return_counts=True)
    if len(present) == len(known):
        return None
    met: dict[int, tuple[Hashable, int]] = {}
    for i, at in zip(known.tolist(), place.tolist(), strict=True):
        if count[at] < 2:
            continue
        meant = exact(texts.text[i])
        other, j = met.setdefault(at, (meant, i))
        if other != meant:
            return Merged(texts.text[j], texts.first_row(j), texts.text[i], texts.first_row(i))
    return None


def merged_note(name: str, merged: Merged) -> str:
    """The warning that a model cannot tell two numbers of a column apart."""
    return (
        f"The column '{name}' holds numbers that a model cannot tell apart ({merged.describe()}): it keeps about 15 "
        "digits. Leave the column out if it names records; otherwise subtract a common number first, or make it a "
        "category."
    )


def merged_times(merged: Merged) -> str:
    """Why a column of times is refused, to be read after 'The column ...'."""
    return (
        f"holds times that a model cannot tell apart ({merged.describe()}). Round them to microseconds, or replace "
        "them by the time since the first one as a number."
    )
