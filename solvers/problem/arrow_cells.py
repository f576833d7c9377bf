"""Columns of Arrow texts as the cells of a `Table`: numbers if all cells are plain numbers, else distinct texts.

A plain number is spelled as programs write it ('-12', '0.5'): no redundant zero or plus in front, no exponent, and at
most 15 digits, which float64 keeps. A column is stored as float64 if one spelling fits all cells (see `Numbers`).
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .plain_numbers import SHORTEST, WITH_POINT, Cells, Numbers
from .texts import Texts, as_met

_PLAIN = r"^-?(?:0|[1-9]\d*)(?:\.\d+)?$"
_MOST_DIGITS = 15
_LEAST = 1e-4
"""From this size on, numbers of at most 15 digits print without exponent: 0.00001 prints as 1e-05."""
_TOGETHER = 1 << 17
"""Approximate number of cells to process together: each call takes as long as hundreds of cells."""


def cells_of_texts(columns: list[pa.ChunkedArray]) -> list[Cells]:
    """The cells of text columns of equal length, with null for empty cells.

    The function empties the list, so that the memory of each column is free once its cells are made.
    """
    cells: list[Cells] = []
    step = max(_TOGETHER // max(len(columns[0]), 1), 1)
    while columns:
        some = [pa.concat_arrays(column.chunks) for column in columns[:step]]
        del columns[:step]
        for texts, numbers in zip(some, _numbers(some), strict=True):
            if numbers is None:
                encoded = texts.dictionary_encode()
                code = encoded.indices.fill_null(-1).to_numpy()
                cells.append(cells_of_codes(code, encoded.dictionary.to_pylist()))
            else:
                cells.append(numbers)
    return cells


def cells_of_codes(code: np.ndarray, texts: Sequence[str]) -> Cells:
    """The cells of a dictionary-encoded column.

    Parameters
    ----------
    code : int32 (n_samples,), the position in `texts` of each cell, -1 if it is empty.
    texts : the distinct texts.
    """
    distinct = as_met(code, [*texts, ""])
    return _numbers_among(distinct) or distinct


def _numbers_among(texts: Texts) -> Numbers | None:
    """A column of plain numbers and at most one mark for missing values; `None` if it has other texts."""
    marks = np.flatnonzero(texts.missing).tolist()
    if len(marks) > 1:
        return None
    (numbers,) = _numbers([pa.array([None if i in marks else text for i, text in enumerate(texts.text)], pa.string())])
    mark = texts.text[marks[0]] if marks else ""
    return numbers and Numbers(numbers.value[texts.code], numbers.spelling, mark)


def _numbers(columns: list[pa.Array]) -> list[Numbers | None]:
    """Columns of texts as numbers, null as NaN; `None` if a cell is no plain number, or the spellings differ."""
    numbers: list[Numbers | None] = [None] * len(columns)
    shape = (len(columns), -1)
    cells = pa.concat_arrays(columns)
    plain = pc.match_substring_regex(cells, _PLAIN).fill_null(True)
    length = pc.binary_length(cells).fill_null(0).to_numpy()
    if length.max(initial=0) > _MOST_DIGITS:
        plain = pc.and_(plain, pc.less_equal(pc.count_substring_regex(cells, r"\d").fill_null(0), _MOST_DIGITS))
    good = plain.to_numpy(zero_copy_only=False).reshape(shape).all(axis=1) & length.reshape(shape).any(axis=1)
    places = np.flatnonzero(good).tolist()
    if not places:
        return numbers
    if len(places) < len(columns):
        cells, length = pa.concat_arrays([columns[j] for j in places]), length.reshape(shape)[places].ravel()
    shape = (len(places), -1)
    values = cells.cast(pa.float64()).to_numpy(zero_copy_only=False).reshape(shape)
    point = pc.find_substring(cells, ".").fill_null(-1).to_numpy()
    decimals = np.where(point < 0, 0, length - point - 1).reshape(shape)
    zero_at_end = pc.ends_with(cells, "0").fill_null(False).to_numpy(zero_copy_only=False).reshape(shape)
    empty = np.isnan(values)
    fewest, most = np.where(empty, _MOST_DIGITS, decimals).min(axis=1), decimals.max(axis=1)
    tiny = ((np.abs(values) < _LEAST) & (values != 0)).any(axis=1)
    minus_zero = (np.signbit(values) & (values == 0)).any(axis=1)
    ends = (zero_at_end & (decimals > 0)).any(axis=1)
    needless = (zero_at_end & (decimals > 1)).any(axis=1) | (fewest == 0)
    for k, j in enumerate(places):
        if minus_zero[k] or (fewest[k] < most[k] and (tiny[k] or (ends[k] and needless[k]))):
            continue
        spelling = f".{most[k]}f" if fewest[k] == most[k] else WITH_POINT if ends[k] else SHORTEST
        numbers[j] = Numbers(values[k], spelling)
    return numbers
