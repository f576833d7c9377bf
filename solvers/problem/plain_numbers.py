"""Columns of plain numbers, stored as float64 without a text per cell.

Such a column has one spelling. If all cells have the same number of decimals, or each is the shortest text of its
number, distinct texts are distinct numbers, and the text of every cell can be restored. Any other column is stored as
`Texts`, so that nothing in the file gets lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from .texts import Texts, format_number

SHORTEST, WITH_POINT = "shortest", "with point"
"""Spellings: as in `format_number` ('50', '1.5'), and with a point in integers, too ('50.0')."""

MOST_EXACT = 10**15
"""Numbers below this one have at most 15 digits before the point, which float64 keeps."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of plain numbers.

    Attributes
    ----------
    value : float64 (n_samples,), NaN if missing; no value is infinite or minus zero.
    spelling : the spelling of all cells: one of the two above, or with this number of decimals ('.2f').
    mark : the text of cells without a number, '' or another mark for a missing value.
    """

    value: np.ndarray
    spelling: str = SHORTEST
    mark: str = ""

    def __len__(self) -> int:
        return len(self.value)

    @cached_property
    def texts(self) -> Texts:
        """The same column as texts."""
        code, different = pd.factorize(self.value, use_na_sentinel=False)
        return Texts(code.astype(np.int32), tuple(self.spelled(different)))

    def cells(self, rows: slice | np.ndarray) -> list[str]:
        """The texts of some rows."""
        return self.spelled(self.value[rows])

    def spelled(self, values: np.ndarray) -> list[str]:
        """Some numbers as the column spells them."""
        named: dict[str, Callable[[float], str]] = {SHORTEST: format_number, WITH_POINT: repr}
        write = named.get(self.spelling, f"{{:{self.spelling}}}".format)
        return [self.mark if value != value else write(value) for value in values.tolist()]


Cells = Texts | Numbers
"""A column: texts, or only numbers."""


def numbers_of(value: np.ndarray) -> Numbers | None:
    """Typed numbers, int64 or float64, as a column; `None` if one is infinite, or has too many digits to be exact."""
    low, high = (value.min(), value.max()) if len(value) else (0, 0)
    if np.isnan(low):
        low, high = np.fmin.reduce(value), np.fmax.reduce(value)
    if high >= MOST_EXACT or low <= -MOST_EXACT:
        return None
    value = value.astype(np.float64, copy=False)
    # 0 and -0 are the same text
    return Numbers(value + 0.0 if np.signbit(value[value == 0]).any() else value)
