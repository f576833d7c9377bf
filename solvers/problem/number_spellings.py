"""How a table spells numbers and dates, and their conversion to the plain spelling that a `Schema` reads.

Numbers become '1234.5' (from '1.234,5', '1 234,5', "1'234.5", '1,234.5', '123450%'), also after '<' and the like, and
dates become '2024-01-31' (from '31.01.2024', '31/1/2024', '1/31/2024', '2024/01/31', '31-Jan-2024'), whole columns at a
time. Ambiguous dates are unchanged, and the report on the column says so: no reading is better than a silent wrong one.
New rows of a model are read like its training rows (`read_as_trained`).
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from ..errors import DataError
from .tables import SHORTEST, Cells, Numbers, Table
from .texts import Spelling, Texts, abbreviate, quoted, respelled

_DASHES = "−–‒‑－"
"""The minus sign, and the dashes and hyphens that word processors use for it."""

_GROUP = "'\u2019 \u00a0\u202f"
_EXPONENT = rf"(?:[eE][+\-{_DASHES}]?\d+)?"
_SIGN = rf"[+\-{_DASHES}]?"
_UNIT = r"\s?%?"
_LIMIT = r"(?:[<>]=?|[≤≥])?\s*"
_BLANK_GROUPS = rf"[1-9]\d{{0,2}}(?:[{_GROUP}]\d{{3}})+"
NUMBER_WITH_POINT = rf"{_LIMIT}{_SIGN}(?:{_BLANK_GROUPS}|[1-9]\d{{0,2}}(?:,\d{{3}})+|\d*)(?:\.\d*)?{_EXPONENT}{_UNIT}"
NUMBER_WITH_COMMA = rf"{_LIMIT}{_SIGN}(?:{_BLANK_GROUPS}|[1-9]\d{{0,2}}(?:\.\d{{3}})+|\d*)(?:,\d*)?{_EXPONENT}{_UNIT}"
_POINT, _COMMA = re.compile(NUMBER_WITH_POINT), re.compile(NUMBER_WITH_COMMA)
_DECIMAL_COMMA = re.compile(rf"{_LIMIT}{_SIGN}\d+,(?:\d{{1,2}}|\d{{4,}}){_UNIT}")
"""A decimal comma, whatever the other cells of a column have: a group of thousands has three digits."""

_THOUSANDS = re.compile(rf"{_LIMIT}{_SIGN}[1-9]\d{{0,2}}(?:\.\d{{3}})*")
_MARKS = ",.%" + _DASHES + _GROUP
_UNUSUAL = re.compile(rf"[%{_DASHES}]|,\d|\d,|\d[{_GROUP}]\d|\d\.\d{{3}}\.\d")
"""The signs of a column to parse: a comma, a grouping mark, two points, a percent sign or a typographic dash."""

_TIME = r"(?P<time>[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?: ?(?P<half>[AaPp])[Mm]| Uhr)?"
_DAY_MONTH = re.compile(rf"(?P<a>\d{{1,2}})(?P<sep>[./-])(?P<b>\d{{1,2}})(?P=sep)(?P<year>\d{{4}}){_TIME}")
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})(?P<sep>[./-])(?P<a>\d{{1,2}})(?P=sep)(?P<b>\d{{1,2}}){_TIME}")
_MONTH = (
    "jan(?:uary?)?|feb(?:ruary?)?|mar(?:ch)?|märz?|mrz|apr(?:il)?|ma[yi]|jun[ei]?|jul[yi]?|aug(?:ust)?|"
    "sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?"
)
_MONTH_NAME = re.compile(
    rf"(?P<b>\d{{1,2}})[-. ]{{0,2}}(?P<a>{_MONTH})[-. ]{{0,2}}(?P<year>\d{{4}}){_TIME}", re.IGNORECASE
)
_SHORT_YEAR = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{2}")
_MONTHS = {
    name: month
    for month, names in enumerate(
        ("jan", "feb", "mar mär mrz", "apr", "may mai", "jun", "jul", "aug", "sep", "oct okt", "nov", "dec dez"),
        start=1,
    )
    for name in names.split()
}
"""The months by the first three letters of their names."""

# blanks but no line ends: with these, the search would visit each run of empty cells repeatedly
_DATE_LIKE = re.compile(
    r"^[^\S\n]*\d{1,4}(?:[./-]\d{1,2}[./-]\d{1,4}|[-. ]{0,2}[^\W\d_]{3,9}[-. ]{0,2}\d{4})", re.MULTILINE
)

# a comma before three digits may separate thousands
_AT_LIMIT = re.compile(r"(?:<=?|>=?|≤|≥)\s*([+-]?(?:\d+(?:\.\d+)?|\d+,(?!\d{3}$)\d+|[.,]\d+))")
_COMPARATOR = re.compile(r"^(?:<=?|>=?|≤|≥)\s*")
ENOUGH = 0.5
"""The share of the distinct texts of a column that must fit a spelling for the column to be read so. Half is enough:
the others keep their text, by which type inference recognises them, and '<20' < '20-29' < '30+' stays a scale.
"""


class _PlainNumber(NamedTuple):
    """A number in plain spelling, and the decimal mark with which it was read."""

    text: str
    mark: str


def plain_spelling(table: Table, names: Collection[str] | None = None) -> Table:
    """Convert the numbers and dates of a table to plain spelling; plain numbers are unchanged.

    A column that shows its decimal mark, or the order of day and month, is read accordingly. If it does not, the user's
    choice decides about both. Without a choice, other columns and the separator of the file decide about the decimal
    mark: in a file with commas between its fields, '1,234' is a thousand.

    Parameters
    ----------
    table : the raw table; the result has its `spellings`, and notes on them.
    names : the columns to read; by default all.
    """
    columns = {name: cells for name, cells in table.columns.items() if names is None or name in names}
    chosen = table.chosen
    notes: list[str] = []
    changed: dict[str, Cells] = {}
    spellings: dict[str, Spelling] = {}
    suspects: dict[str, list[str]] = {}
    for name, texts in ((name, cells) for name, cells in columns.items() if isinstance(cells, Texts)):
        # one text per column: searching each cell takes ten times as long with thousands of columns
        cells = "\n".join(texts.text)
        if _DATE_LIKE.search(cells) and (dates := _dates_in(texts)) is not None:
            day_first = chosen.day_first if dates.day_first is None else dates.day_first
            if not dates.has_order or day_first is not None:
                changed[name], date_notes = _plain_dates(name, texts, dates, day_first)
                notes += date_notes
                spellings[name] = Spelling(day_first=day_first if dates.has_order else None)
                continue
        if any(mark in cells for mark in _MARKS) and _UNUSUAL.search(cells):
            suspects[name] = texts.present
    shown = _shown_marks(suspects)
    has_comma = any("," in text for name in shown for text in suspects[name])
    likely = "," if has_comma and table.separator != "," else "."
    decimal = chosen.decimal or _most_shown(shown) or likely
    read = {name: _plain_numbers(suspects[name], mark or decimal) for name, mark in shown.items()}
    if commas := [name for name, numbers in read.items() if _spelling_of(numbers).decimal]:
        notes.append(f"Decimal commas are read in {quoted(commas, 5)}.")
    if decimal == "," and (commas or chosen.decimal):
        others = [name for name in columns if name not in changed and name not in read]
        read |= {name: found for name in others if (found := _thousands_in(columns[name], bool(chosen.decimal)))}
    for name, numbers in read.items():
        changed[name] = _map_values(columns[name].texts, {text: found.text for text, found in numbers.items()})
        spellings[name] = _spelling_of(numbers)
        notes += _notes_on(name, numbers, spellings[name])
    for name, column in columns.items():
        if name in changed or not isinstance(column, Numbers) or column.spelling in (SHORTEST, ".0f"):
            continue
        if _are_whole(column):
            spellings[name] = Spelling(".")
    spellings = {name: spelling for name, spelling in spellings.items() if spelling}
    return replace(table, columns={**table.columns, **changed}, spellings=spellings, notes=(*table.notes, *notes))


def read_as_trained(
    table: Table, trained: Mapping[str, Spelling], names: Collection[str], whole: Collection[str] = ()
) -> Table:
    """Read a table of new rows like the training rows of a model.

    A column that shows its decimal mark, or the order of day and month, is read accordingly. Then the user's choice for
    the new rows decides, then the training rows and the other columns. Typed numbers are unchanged.

    Parameters
    ----------
    table : the new rows, as `plain_spelling` returned them.
    trained : how the training rows were read, by column.
    names : the columns that the model needs; the others are unchanged.
    whole : the numeric columns that have only integers in the training rows.

    Raises
    ------
    DataError
        A number is ambiguous, and nothing decides; or only the training rows, or only the new rows, have percent signs.
    """
    columns, chosen = table.columns, table.chosen
    raw = {name: one.raw for name, one in columns.items() if isinstance(one, Texts) and one.raw is not None}
    file_mark = _most_shown(_shown_marks({name: texts.present for name, texts in raw.items()}))
    changed: dict[str, Cells] = {}
    for name in names:
        cells, spelling = columns.get(name), trained.get(name, Spelling())
        if isinstance(cells, Numbers):
            has_points = cells.spelling != ".0f" and not (cells.spelling == SHORTEST and _are_whole(cells))
            differs = spelling.percent or (has_points and ("." in spelling.thousands or name in whole))
            if table.separator is None or not differs:
                continue
            cells = cells.texts
        if isinstance(cells, Texts) and (spelling or name in whole or cells.raw is not None):
            changed[name] = _column_as_trained(name, raw.get(name, cells), spelling, chosen, file_mark, name in whole)
    return replace(table, columns={**columns, **changed})


def _are_whole(cells: Numbers) -> bool:
    known = cells.value[~np.isnan(cells.value)]
    return bool((known == np.floor(known)).all())


def _column_as_trained(
    name: str, raw: Texts, trained: Spelling, chosen: Spelling, file_mark: str, whole: bool
) -> Texts:
    """A column in plain spelling."""
    dates = _dates_in(raw) if _DATE_LIKE.search("\n".join(raw.text)) else None
    if dates is not None:
        orders = (dates.day_first, chosen.day_first, trained.day_first)
        day_first = next((one for one in orders if one is not None), None)
        return raw if dates.has_order and day_first is None else _plain_dates(name, raw, dates, day_first)[0]
    mark = _shown_marks({name: raw.present}).get(name) or chosen.decimal
    plain = {}
    for text in raw.present:
        found = _plain(text, mark or _trained_mark(name, raw, text, trained, file_mark, whole)) or _plain(text, ",")
        if found is None:
            continue
        plain[text] = found.text
        if trained.percent not in (None, "%" in text) and any(digit in text for digit in "123456789"):
            raise _other_unit(name, raw, text, found.text)
    return _map_values(raw, plain)


def _trained_mark(name: str, raw: Texts, text: str, trained: Spelling, file_mark: str, whole: bool) -> str:
    """The decimal mark of a number; raises `DataError` if it is ambiguous and nothing decides."""
    sign, other = (",", ".") if "," in text else (".", ",")
    if sign not in text or not (_fits(_POINT, text) and _fits(_COMMA, text)):
        return "."
    marks = set()
    if sign in trained.thousands:
        marks.add(other)
    if sign in trained.decimal or (sign == "." and sign not in trained.thousands and not whole):
        marks.add(sign)
    if file_mark and (sign == "," or not marks):
        marks.add(file_mark)
    if len(marks) != 1:
        raise _two_marks(name, raw, text)
    return marks.pop()


def _shown_marks(columns: Mapping[str, list[str]]) -> dict[str, str]:
    """The decimal mark that the cells of each column of numbers show; '' if they show none."""
    marks = {}
    for name, texts in columns.items():
        point, comma = (sum(_fits(one, text) for text in texts) for one in (_POINT, _COMMA))
        if texts and max(point, comma) >= ENOUGH * len(texts):
            marks[name] = "" if point == comma else "," if comma > point else "."
    return marks


def _most_shown(marks: Mapping[str, str]) -> str:
    """The decimal mark that most columns show; '' if none does."""
    count = Counter(filter(None, marks.values()))
    return max(".,", key=count.__getitem__) if count else ""


def _two_marks(name: str, raw: Texts, text: str) -> DataError:
    row = raw.first_row(raw.text.index(text))
    readings = " or ".join(found.text for mark in ".," if (found := _plain(text, mark)))
    return DataError(
        f"The column '{name}' has '{text}' in row {row}, which may be {readings}. Neither the training rows nor these "
        "rows show which. Choose the decimal mark of the new rows with --decimal , or --decimal . on the command line, "
        "or 'Decimal mark' on the Data screen.",
        choices=[{"decimal": mark} for mark in ",."],
    )


def _other_unit(name: str, raw: Texts, text: str, plain: str) -> DataError:
    cell = f"The column '{name}' has '{text}' in row {raw.first_row(raw.text.index(text))}"
    if "%" in text:
        return DataError(
            f"{cell}, but the training rows have no percent signs there, and '{text}' would be {plain}. Write the "
            "numbers as in the training rows, without the sign."
        )
    return DataError(
        f"{cell}, but all training rows have percent signs there, such as 12% for 0.12. Write the sign after the "
        f"numbers."
    )


def _fits(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None and any(c.isdigit() for c in text)


def _plain(text: str, mark: str) -> _PlainNumber | None:
    """A number in plain spelling; `None` if the text is no number with this decimal mark."""
    if not _fits(_POINT if mark == "." else _COMMA, text):
        if not _DECIMAL_COMMA.fullmatch(text):
            return None
        mark = ","
    signs = {**dict.fromkeys("." if mark == "," else ","), **dict.fromkeys(_GROUP + "%"), **dict.fromkeys(_DASHES, "-")}
    plain = text.translate(str.maketrans(signs | {mark: "."}))
    return _PlainNumber(_hundredth(plain) if "%" in text else plain, mark)


def _plain_numbers(texts: list[str], mark: str) -> dict[str, _PlainNumber]:
    """The numbers among some texts."""
    return {text: found for text in texts if (found := _plain(text, mark)) is not None}


def _hundredth(text: str) -> str:
    """A hundredth of a number in plain spelling, which may have a comparator before it."""
    number = text.strip().lstrip("<>=≤≥ ")
    limit = text.strip().removesuffix(number)
    plain = f"{Decimal(number).scaleb(-2):f}"
    return limit + (plain.rstrip("0").rstrip(".") if "." in plain else plain)


def _spelling_of(numbers: Mapping[str, _PlainNumber]) -> Spelling:
    """The decimal mark, unless it is a point, the separators of thousands, and the use of percent signs."""
    decimal = any(found.mark == "," and "," in text for text, found in numbers.items())
    thousands = (sign for sign in ",." if any(found.mark != sign and sign in text for text, found in numbers.items()))
    signs = {"%" in text for text in numbers if any(digit in text for digit in "123456789")}
    percent = None if len(signs) > 1 else any("%" in text for text in numbers)
    return Spelling("," if decimal else "", "".join(thousands), percent=percent)


def _notes_on(name: str, numbers: Mapping[str, _PlainNumber], spelling: Spelling) -> list[str]:
    """Notes on how percent signs and separators of thousands are read, if a column has some."""
    notes = []
    if (example := next((text for text in numbers if "%" in text), None)) is not None:
        note = f"The column '{name}' has percent signs: '{example}' is {numbers[example].text}."
        if (bare := next((text for text in numbers if "%" not in text), None)) is not None:
            note += f" Cells without one stay as they are: '{bare}' is {numbers[bare].text}."
        notes.append(note)
    for sign, signs in ((",", "Commas"), (".", "Points")):
        if sign in spelling.thousands and not spelling.decimal:
            text, found = next((text, found) for text, found in numbers.items() if sign in text and found.mark != sign)
            notes.append(f"{signs} in the column '{name}' separate thousands: '{text}' is {found.text}.")
    return notes


def _thousands_in(cells: Cells, is_chosen: bool) -> dict[str, _PlainNumber]:
    """The numbers of a column whose points all separate thousands, in a table with decimal commas; else empty."""
    if isinstance(cells, Numbers) and cells.spelling != ".3f":
        return {}
    present = cells.texts.present
    # a decimal number that a program wrote seldom ends with 0
    some = any("." in text and (is_chosen or text.endswith("0")) for text in present)
    return _plain_numbers(present, ",") if some and all(map(_THOUSANDS.fullmatch, present)) else {}


def _map_values(column: Texts, plain: Mapping[str, str]) -> Texts:
    """The column in plain spelling, with its raw cells in `raw`."""
    spelled = respelled(column.code, [plain.get(text, text).strip() for text in column.text])
    return replace(spelled, raw=column)


class _Dates(NamedTuple):
    """The dates in a column.

    Attributes
    ----------
    found : the match of each text that is a date.
    has_order : whether day and month are numbers before the year, so that their order must be known.
    day_first : whether the cells show that the day comes first, or the month; `None` if they do not.
    """

    found: dict[str, re.Match[str]]
    has_order: bool = False
    day_first: bool | None = None

    def iso(self, day_first: bool | None) -> dict[str, str]:
        """Each date as year-month-day."""
        order = ("b", "a") if self.has_order and day_first else ("a", "b")
        return {text: _iso(match, *order) for text, match in self.found.items()}


def _dates_in(column: Texts) -> _Dates | None:
    """The dates in a column; `None` if it has none."""
    texts = column.present
    for pattern in (_YEAR_FIRST, _MONTH_NAME, _DAY_MONTH):
        found = {text: match for text in texts if (match := pattern.fullmatch(text))}
        if found and len(found) >= ENOUGH * len(texts):
            break
    else:
        return None
    if pattern is not _DAY_MONTH:
        return _Dates(found)
    day_first = any(int(m["a"]) > 12 or m["sep"] == "." for m in found.values())
    month_first = any(int(m["b"]) > 12 for m in found.values())
    return _Dates(found, True, None if day_first == month_first else day_first)


def _plain_dates(name: str, column: Texts, dates: _Dates, day_first: bool | None) -> tuple[Texts, list[str]]:
    """The column with ISO dates, and notes on it."""
    plain = dates.iso(day_first)
    if all(text == iso for text, iso in plain.items()):
        return column, []
    example, iso = next(item for item in plain.items() if item[0] != item[1])
    note = f"The column '{name}' holds dates, converted to year-month-day: '{example}' is {iso}."
    return _map_values(column, plain), [note]


def are_dates_of_either_order(column: Texts) -> bool:
    """Whether a column has dates that may be day/month or month/day and so are not read as dates."""
    if not _DATE_LIKE.search("\n".join(column.text)):
        return False
    dates = _dates_in(column)
    return dates is not None and dates.has_order and dates.day_first is None


def have_short_years(column: Texts) -> bool:
    """Whether a column has dates with two-digit years, which are not read as dates."""
    texts = column.present
    return bool(texts) and all(map(_SHORT_YEAR.fullmatch, texts))


def _iso(match: re.Match[str], month: str, day: str) -> str:
    time = (match["time"] or "").replace("T", " ").strip()
    hour, _, rest = time.partition(":")
    if match["half"] and time:
        hour = f"{int(hour) % 12 + 12 * (match['half'] in 'Pp')}"
    clock = f" {int(hour):02}:{rest}" if time else ""
    number = _MONTHS.get(match[month][:3].lower()) or match[month]
    return f"{match['year']}-{number:0>2}-{int(match[day]):02}{clock}"


def without_comparators(table: Table) -> Table:
    """The table with cells such as '<0.5' read as the numbers at their limits, in columns of numbers."""
    columns: dict[str, Cells] = {}
    n_cells = 0
    for name, cells in table.columns.items():
        if isinstance(cells, Numbers) or not (limits := limits_among(cells)):
            continue
        n_cells += int(cells.count[[text in limits for text in cells.text]].sum())
        plain = respelled(cells.code, [at_limit(text) or text for text in cells.text])
        if (raw := cells.raw) is not None:
            plain = replace(plain, raw=respelled(raw.code, [_COMPARATOR.sub("", text) for text in raw.text]))
        columns[name] = plain
    if not columns:
        return table
    note = f"{n_cells} cells such as '<0.5' are read as the limit, in {abbreviate(list(columns))}."
    return replace(table, columns={**table.columns, **columns}, notes=(*table.notes, note))


def at_limit(text: str) -> str | None:
    """The number at the limit that a text such as '<0.5' names, in plain spelling; `None` if it names none."""
    found = _AT_LIMIT.fullmatch(text)
    return found[1].replace(",", ".") if found else None


def limits_among(cells: Texts) -> tuple[str, ...]:
    """The texts that name limits, if the others of the column are numbers."""
    found = tuple(text for text in cells.text if at_limit(text) is not None)
    n_numbers, n_present = int((~np.isnan(cells.number)).sum()), int((~cells.missing).sum())
    is_of_numbers = n_numbers + len(found) == n_present and n_numbers >= ENOUGH * n_present
    return found if is_of_numbers else ()
