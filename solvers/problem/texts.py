"""The cells of a column as texts, with their missing values and numbers.

A column of a million cells has far fewer distinct texts, so all functions process each distinct text once.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

import numpy as np
import pandas as pd

from ..errors import CellTypeError, DataError

E = TypeVar("E", bound=StrEnum)

MISSING_MARKS = frozenset(
    {"", "?", "na", "n/a", "#n/a", "#div/0!", "#value!", "nan", "null", "none", "missing", ".", "-", "--", "unknown"}
)
"""Texts that mark a missing value, in lower case and without surrounding blanks."""


@dataclass(frozen=True)
class Spelling:
    """How the ambiguous cells of a column were read: '1,125' and 03/04/2024.

    A decimal point is recorded only if all numbers are integers, since any other number may have one.

    Attributes
    ----------
    decimal : ',' for a decimal comma; '.' if integers are written as 5.0 or 5.000, or if the user chose it; else ''.
    thousands : the signs among ',' and '.' that separate thousands.
    day_first : whether 03/04/2024 is the third of April; `None` if the column has no such dates.
    percent : whether all numbers but 0 have a percent sign; `None` if some have it.
    """

    decimal: str = ""
    thousands: str = ""
    day_first: bool | None = None
    percent: bool | None = False

    def __bool__(self) -> bool:
        return self != Spelling()


@dataclass(frozen=True)
class Texts:
    """A column of texts, with each distinct text once.

    Attributes
    ----------
    code : int32 or int64 (n_samples,), the position in `text` of each cell.
    text : the distinct texts, without surrounding blanks, in order of first appearance, in Unicode NFC, so that texts
        that look the same are equal.
    raw : the cells as the source spells them, if numbers or dates were converted to plain spelling.
    """

    code: np.ndarray
    text: tuple[str, ...]
    raw: "Texts | None" = field(default=None, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.code)

    @property
    def texts(self) -> "Texts":
        """The same column, as `Numbers.texts` gives it."""
        return self

    def cells(self, rows: slice | np.ndarray) -> list[str]:
        """The texts of some rows."""
        return [self.text[i] for i in self.code[rows].tolist()]

    def take(self, rows: np.ndarray) -> "Texts":
        """Some rows, with only the texts that occur in them."""
        return as_met(self.code[rows], self.text)

    @cached_property
    def missing(self) -> np.ndarray:
        """Which of the distinct texts are missing marks, bool (n_texts,)."""
        return np.array([is_missing_mark(text) for text in self.text], bool)

    @property
    def present(self) -> list[str]:
        """The distinct texts that are not missing marks."""
        return [text for text, missing in zip(self.text, self.missing.tolist(), strict=True) if not missing]

    @cached_property
    def count(self) -> np.ndarray:
        """The number of cells of each text, int64 (n_texts,)."""
        return np.bincount(self.code, minlength=len(self.text))

    @cached_property
    def number(self) -> np.ndarray:
        """Each distinct text as a number, float64 (n_texts,), NaN if it is no number or a missing mark."""
        out = np.full(len(self.text), np.nan)
        out[~self.missing] = parse_numbers(self.present)
        return out

    @property
    def numbers(self) -> np.ndarray:
        """Each cell as a number, float64 (n_samples,), NaN if it is no number or a missing mark."""
        numbers: np.ndarray = self.number[self.code]
        return numbers

    def first_row(self, which: int) -> int:
        """The first row, counted from 1, with the text at position `which`."""
        return int(np.argmax(self.code == which)) + 1


def distinct_texts(raw: pd.Series) -> Texts:
    """The cells of a column (texts, numbers, dates, ...) as texts; raises `CellTypeError` for a list, dict or array."""
    try:
        code, cells = pd.factorize(raw.array, use_na_sentinel=False)
    except TypeError:
        row, cell = next(one for one in enumerate(raw.array, 1) if not pd.api.types.is_scalar(one[1]))
        raise strange_cell(raw.name, row, cell) from None
    text = [cell.strip() if type(cell) is str else cell_text(cell) for cell in np.asarray(cells, object)]
    return respelled(np.asarray(code, np.int64), text)


def strange_cell(column: object, row: int, cell: object) -> CellTypeError:
    """The error for a cell that cannot be read; rows count from 1."""
    # scikit-learn looks for "argument must be a string or a number"
    return CellTypeError(
        f"The column '{column}' holds a {type(cell).__name__} in row {row}, but each argument must be a string or a "
        "number (missing values aside). Correct the cell or leave the column out."
    )


def respelled(code: np.ndarray, spelled: Sequence[str]) -> Texts:
    """A column with new texts at each position of the old ones, in Unicode NFC; equal new texts are merged."""
    spelled = tuple(map(composed, spelled))
    different = tuple(dict.fromkeys(spelled))
    if len(different) < len(spelled):
        position = {one: i for i, one in enumerate(different)}
        code = np.array([position[one] for one in spelled], code.dtype)[code]
    return Texts(code, different)


def as_met(code: np.ndarray, spelled: Sequence[str]) -> Texts:
    """A column with only the texts that occur, in order of first appearance.

    `code`, integers (n_samples,), are positions in `spelled`; -1 is the last one.
    """
    code, met = pd.factorize(code)
    return respelled(code.astype(np.int32), [spelled[i].strip() for i in met.tolist()])


def composed(text: str) -> str:
    """A text in the Unicode spelling NFC, in which equal words are equal texts."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def parse_numbers(texts: Sequence[str]) -> np.ndarray:
    """Texts as the nearest float64 (n_texts,), NaN if a text is no number.

    Python's notation is accepted (1, -2.5, +5, .5, 1e-3), but not its underscores: 2_1 is a code, not 21.
    """
    if not any("_" in text for text in texts):
        try:
            return np.array(texts, object).astype(np.float64)
        except ValueError:
            pass
    return np.fromiter((_number(text) for text in texts), np.float64, len(texts))


def _number(text: str) -> float:
    if "_" in text:
        return math.nan
    try:
        return float(text)
    except ValueError:
        return math.nan


def cell_text(cell: object) -> str:
    """The text of a cell: no surrounding blanks, integral floats without '.0', '' for a missing value."""
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or cell is pd.NaT or cell is pd.NA:
        return ""
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, float | np.floating):
        return "" if math.isnan(cell) else format_number(float(cell))
    return str(cell)


_CODE = re.compile(r"[+-]?0\d+|\d+[eE]\d+")


def is_code(text: str) -> bool:
    """Whether a text is likely a code, although it parses as a number: '01067', '1E1'."""
    return _CODE.fullmatch(text) is not None


def is_missing_mark(text: str) -> bool:
    """Whether a stripped text is one of the usual marks for a missing value."""
    return len(text) <= 7 and text.lower() in MISSING_MARKS


def reason(error: BaseException) -> str:
    """The message of an error of another program, in one line."""
    return re.sub(r"[\x00-\x20\x7f]+", " ", str(error)).strip()[:200] or type(error).__name__


def plural(n: int, noun: str) -> str:
    """A number with its noun: '1 row', '3 rows'."""
    return f"{n} {noun if n == 1 else noun + 's'}"


def left_out_note(n: int, which: str) -> list[str]:
    """A sentence on rows that are left out, such as '3 rows without an outcome are left out.'; empty for no rows."""
    if n == 1:
        return [f"1 row {which} is left out."]
    return [f"{n} rows {which} are left out."] if n else []


def format_list(items: Sequence[str], word: str) -> str:
    """The items as a phrase: 'a', 'a or b', 'a, b or c'."""
    return f"{', '.join(items[:-1])} {word} {items[-1]}" if len(items) > 1 else "".join(items)


def abbreviate(names: Sequence[str], most: int = 12) -> str:
    """The first of some names, with dots if there are more: 'age, sex, ...'."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def quoted(names: Iterable[str], most: int = 12) -> str:
    """The first of some names in quotes, with dots if there are more: 'age', 'sex', ..."""
    return abbreviate([f"'{name}'" for name in names], most)


def suggestion(name: object, known: Iterable[str], what: str = "There are") -> str:
    """A hint for an unknown name: the nearest known one, or all of them, introduced by `what`."""
    names = list(known)
    near = nearest(str(name), names)
    return f"Did you mean '{near[0]}'?" if near else f"{what}: {abbreviate(names)}."


def nearest(name: str, known: Sequence[str], cutoff: float = 0.6) -> list[str]:
    """The known name that is equal up to capitals and blanks, or the nearest one; empty if none is near."""
    same = [one for one in known if one.strip().casefold() == name.strip().casefold()]
    return same[:1] or get_close_matches(name, known, 1, cutoff)


def one_of(enum: type[E], value: str, what: str) -> E:
    """The member of an enumeration; raises `DataError`, in which `what` names the value, if there is none."""
    try:
        return enum(value)
    except ValueError:
        raise DataError(f"{what} must be one of {', '.join(enum)}, but is {value!r}.") from None


def format_number(value: float) -> str:
    """The shortest text that reads back as the same number, integers without a decimal point."""
    if abs(value) < 1e15 and value == math.floor(value):
        return str(int(value))
    return repr(float(value))
