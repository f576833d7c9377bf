"""How a table spells numbers and dates, and the same in the plain spelling that a `Schema` reads.

Numbers become '1234.5' (from '1.234,5', '1 234,5', "1'234.5", '1,234.5', '123450%'), also behind '<' and the like, and
dates become '2024-01-31' (from '31.01.2024', '31/1/2024', '1/31/2024', '2024/01/31', '31-Jan-2024'), whole columns at a
time. A date that could be read in two ways is left as it is, which the report on its column says: better not read at
all than read wrongly in silence. New rows of a model are read as its training rows were (`read_as_trained`).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from ..errors import DataError
from .plain_numbers import SHORTEST, TYPED, Cells, Numbers
from .texts import Spelling, Texts, respelled

_DASHES = "−–‒‑－"
"""What stands for a minus sign: the sign itself, and dashes and hyphens that word processors put in its place."""

_GROUP = "'\u2019 \u00a0\u202f"
_EXPONENT = rf"(?:[eE][+\-{_DASHES}]?\d+)?"
_SIGN = rf"[+\-{_DASHES}]?"
_UNIT = r"\s?%?"
_LIMIT = r"(?:[<>]=?|[≤≥])?\s*"
_BLANK_GROUPS = rf"[1-9]\d{{0,2}}(?:[{_GROUP}]\d{{3}})+"
_POINT = re.compile(rf"{_LIMIT}{_SIGN}(?:{_BLANK_GROUPS}|[1-9]\d{{0,2}}(?:,\d{{3}})+|\d*)(?:\.\d*)?{_EXPONENT}{_UNIT}")
_COMMA = re.compile(rf"{_LIMIT}{_SIGN}(?:{_BLANK_GROUPS}|[1-9]\d{{0,2}}(?:\.\d{{3}})+|\d*)(?:,\d*)?{_EXPONENT}{_UNIT}")
_DECIMAL_COMMA = re.compile(rf"{_LIMIT}{_SIGN}\d+,(?:\d{{1,2}}|\d{{4,}}){_UNIT}")
"""A decimal comma whatever the others of a column have: a group of thousands has three digits."""

_THOUSANDS = re.compile(rf"{_LIMIT}{_SIGN}[1-9]\d{{0,2}}(?:\.\d{{3}})*")
_MARKS = ",%" + _DASHES + _GROUP
_UNUSUAL = re.compile(rf"[%{_DASHES}]|,\d|\d,|\d[{_GROUP}]\d")
"""What makes a closer look at a column worth while: a comma, a grouping mark, a percent sign or a typographic minus."""

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

# blanks but no line ends: else every empty cell would be looked at once more for each one before it
_DATE_LIKE = re.compile(
    r"^[^\S\n]*\d{1,4}(?:[./-]\d{1,2}[./-]\d{1,4}|[-. ]{0,2}[^\W\d_]{3,9}[-. ]{0,2}\d{4})", re.MULTILINE
)

ENOUGH = 0.5
"""The share of the different texts of a column that must fit a spelling before the column is read so. Half will do: the
others keep their text and are told by it when the column is typed."""


class _PlainNumber(NamedTuple):
    """A number in plain spelling, and the decimal mark with which it was read."""

    text: str
    mark: str


class PlainColumns(NamedTuple):
    """What `plain_spelling` makes of the columns of a table.

    Attributes
    ----------
    columns : all columns, with numbers and dates in plain spelling.
    decimal : the decimal mark of the table, '.' or ','.
    spellings : how columns were read whose cells allow two readings, by name.
    notes : what was converted, in sentences.
    """

    columns: dict[str, Cells]
    decimal: str
    spellings: dict[str, Spelling]
    notes: tuple[str, ...]


def plain_spelling(
    columns: Mapping[str, Cells],
    separator: str | None,
    chosen: Spelling = Spelling(),  # noqa: B008 - immutable
) -> PlainColumns:
    """The columns with numbers and dates in plain spelling; plain numbers stay as they are.

    A column that shows its decimal mark, or the order of day and month, is read by it. If it does not, `chosen` decides
    about both; then other columns and the separator of the file decide about the decimal mark: in a file with commas
    between its fields, '1,234' is a thousand.
    """
    notes: list[str] = []
    changed: dict[str, Cells] = {}
    spellings: dict[str, Spelling] = {}
    suspects: dict[str, list[str]] = {}
    columns_of_texts = {name: cells for name, cells in columns.items() if isinstance(cells, Texts)}
    for name, texts in columns_of_texts.items():
        # one text a column: to search each takes ten times as long where there are thousands of columns
        cells = "\n".join(texts.text)
        if _DATE_LIKE.search(cells) and (dates := _dates_in(texts)) is not None:
            day_first = chosen.day_first if dates.day_first is None else dates.day_first
            if not dates.has_order or day_first is not None:
                changed[name], date_notes = _plain_dates(name, texts, dates, day_first)
                notes += date_notes
                spellings[name] = Spelling(day_first=day_first if dates.has_slashes else None)
                continue
        if any(mark in cells for mark in _MARKS) and _UNUSUAL.search(cells):
            suspects[name] = texts.present
    decimal, marks = _decimal_mark(suspects, separator, chosen.decimal)
    commas = []
    for name, mark in marks.items():
        numbers = {text: found for text in suspects[name] if (found := _plain(text, mark)) is not None}
        changed[name] = _mapped(columns_of_texts[name], {text: found.text for text, found in numbers.items()})
        spellings[name] = spelling = _spelling_of(numbers)
        notes += _percent_notes(name, numbers)
        if spelling.decimal:
            commas.append(name)
        if "," in spelling.thousands:
            text, found = next((text, found) for text, found in numbers.items() if "," in text and found.mark == ".")
            notes.append(f"Commas in the column '{name}' separate thousands: '{text}' is {found.text}.")
    if commas:
        notes.append(f"Decimal commas are read in {_listed(commas)}.")
    is_of_commas = decimal == "," and bool(commas or chosen.decimal)
    for name in columns if is_of_commas else columns_of_texts:
        if name not in changed and (thousands := _of_thousands(columns[name], is_of_commas, chosen)) is not None:
            changed[name], example, number = thousands
            spellings[name] = Spelling(thousands=".")
            notes.append(f"Points in the column '{name}' separate thousands: '{example}' is {number}.")
    for name, column in columns.items():
        if name in changed or not isinstance(column, Numbers) or column.spelling in (SHORTEST, TYPED, ".0f"):
            continue
        if _are_whole(column):
            spellings[name] = Spelling(".")
    spellings = {name: spelling for name, spelling in spellings.items() if spelling}
    return PlainColumns({**columns, **changed}, decimal, spellings, tuple(notes))


def read_as_trained(
    columns: Mapping[str, Cells],
    trained: Mapping[str, Spelling],
    names: Collection[str],
    chosen: Spelling = Spelling(),  # noqa: B008 - immutable
    whole: Collection[str] = (),
    typed: bool = False,
) -> dict[str, Cells]:
    """Columns of new rows, read in the way in which the training rows of a model were read.

    Parameters
    ----------
    columns : the columns of the new rows, as `plain_spelling` gave them.
    trained : how the training rows were read, by column.
    names : the columns that the model needs; the others stay as they are.
    chosen : what the user chose for the new rows, which goes before.
    whole : the columns of numbers that are whole in all training rows.
    typed : whether the source of the new rows holds numbers as such, which are read as they are.

    Raises
    ------
    DataError
        A cell allows two readings, and the training rows show none of them, or the new rows show another one; or only
        the training rows, or only the new rows, have percent signs.
    """
    present = {
        name: cells.raw.present for name, cells in columns.items() if isinstance(cells, Texts) and cells.raw is not None
    }
    clear = _clear_marks(present.values())
    file_mark = clear.most_common(1)[0][0] if clear else ""
    changed: dict[str, Cells] = {}
    for name in names:
        cells = columns.get(name)
        spelling, is_whole = trained.get(name, Spelling()), name in whole
        if typed and not (isinstance(cells, Texts) and cells.raw is not None):
            spelling, is_whole = replace(spelling, percent=None), False
        if isinstance(cells, Numbers):
            has_points = cells.spelling not in (TYPED, ".0f") and not (cells.spelling == SHORTEST and _are_whole(cells))
            if not (spelling.percent or (has_points and ("." in spelling.thousands or is_whole))):
                continue
            cells = cells.texts
        if isinstance(cells, Texts) and (spelling or is_whole or cells.raw is not None):
            raw = cells if cells.raw is None else cells.raw
            changed[name] = _column_as_trained(name, raw, spelling, chosen, file_mark, is_whole) or cells
    return {**columns, **changed}


def _are_whole(cells: Numbers) -> bool:
    known = cells.value[~np.isnan(cells.value)]
    return bool((known == np.floor(known)).all())


def _column_as_trained(
    name: str, raw: Texts, trained: Spelling, chosen: Spelling, file_mark: str, whole: bool
) -> Texts | None:
    """A column in plain spelling; `None` if it holds neither numbers nor dates that can be read."""
    dates = _dates_in(raw) if _DATE_LIKE.search("\n".join(raw.text)) else None
    if dates is not None:
        shown, day_first = dates.day_first, chosen.day_first
        conflict = None not in (shown, trained.day_first) and shown != trained.day_first
        if day_first is None and conflict and (cell := dates.of_two_orders) is not None:
            raise _two_orders(name, raw, cell, trained.day_first)
        if day_first is None or (shown is not None and not conflict):
            day_first = trained.day_first if shown is None else shown
        if dates.has_order and day_first is None:
            return None
        return _plain_dates(name, raw, dates, day_first)[0]
    texts = raw.present
    signs = _signs_shown(texts)
    if signs.get(",") is None and file_mark:
        signs[","] = file_mark == ","
    if signs.get(".") is None and file_mark == "," and _of_thousands(raw, True, Spelling()) is not None:
        signs["."] = False
    # a point in numbers that were whole, if all groups behind it have three digits
    either = whole and "." not in trained.decimal + trained.thousands and all(map(_THOUSANDS.fullmatch, texts))
    plain = {}
    for text in texts:
        sign = "," if "," in text else "."
        mark = "."
        if sign in text and _fits(_POINT, text) and _fits(_COMMA, text):
            is_decimal = _is_decimal(sign, trained, chosen, signs.get(sign), either)
            if is_decimal is None:
                raise _two_marks(name, raw, text, trained, either)
            mark = sign if is_decimal else "," if sign == "." else "."
        found = _plain(text, mark) or _plain(text, ",")
        if found is not None:
            plain[text] = found.text
    for text in plain if trained.percent is not None else ():
        if ("%" in text) != trained.percent and any(digit in text for digit in "123456789"):
            raise _other_unit(name, raw, text, plain[text])
    return _mapped(raw, plain)


def _is_decimal(sign: str, trained: Spelling, chosen: Spelling, shown: bool | None, either: bool) -> bool | None:
    """Whether a sign separates decimals where it may also separate thousands; `None` if that is not known."""
    if chosen.decimal:
        return sign == chosen.decimal
    known = set() if shown is None else {shown}
    if sign in trained.thousands:
        known.add(False)
    if sign in trained.decimal or (sign == "." and sign not in trained.thousands and not either):
        known.add(True)
    return known.pop() if len(known) == 1 else None


def _clear_marks(columns: Iterable[list[str]]) -> Counter[str]:
    """How many columns of texts show each decimal mark."""
    fits = ((_share(_POINT, texts), _share(_COMMA, texts)) for texts in columns)
    return Counter("," if comma > point else "." for point, comma in fits if point != comma)


def _signs_shown(texts: list[str]) -> dict[str, bool | None]:
    """Whether ',' and '.' separate decimals (or thousands) by the cells that allow one reading; `None` if unclear."""
    met: dict[str, set[bool]] = {",": set(), ".": set()}
    for text in texts:
        point = _fits(_POINT, text)
        if point != _fits(_COMMA, text):
            for sign in met:
                if sign in text:
                    met[sign].add((sign == ".") == point)
    return {sign: next(iter(found)) if len(found) == 1 else None for sign, found in met.items()}


def _two_marks(name: str, raw: Texts, text: str, trained: Spelling, either: bool) -> DataError:
    row = raw.first_row(raw.text.index(text))
    readings = " or ".join(found.text for mark in ".," if (found := _plain(text, mark)))
    sign = "," if "," in text else "."
    if either:
        why = "The training rows hold whole numbers, so that the point may separate thousands"
    elif sign in trained.decimal or sign in trained.thousands or sign == ".":
        role = "thousands" if sign in trained.thousands else "decimals"
        why = f"In the training rows '{sign}' separates {role}, but these rows seem to use another decimal mark"
    else:
        why = "Neither the training rows nor these rows show which"
    return DataError(
        f"The column '{name}' has '{text}' in row {row}, which may be {readings}. {why}. Choose the decimal mark of "
        "these rows with --decimal , or --decimal . on the command line, or 'Decimal mark' on the Data screen.",
        choices=[{"decimal": mark} for mark in ",."],
    )


def _two_orders(name: str, raw: Texts, text: str, day_first: bool | None) -> DataError:
    row = raw.first_row(raw.text.index(text))
    order, other = ("day", "month") if day_first else ("month", "day")
    return DataError(
        f"The column '{name}' has '{text}' in row {row}. In the training rows the {order} comes first, but in these "
        f"rows the {other} does. Choose the order of these rows with --day-first or --month-first on the command line, "
        "or 'Dates such as 03/04/2024' on the Data screen.",
        choices=[{"day_first": one} for one in (True, False)],
    )


def _other_unit(name: str, raw: Texts, text: str, plain: str) -> DataError:
    cell = f"The column '{name}' has '{text}' in row {raw.first_row(raw.text.index(text))}"
    if "%" in text:
        return DataError(
            f"{cell}, but the training rows have no percent signs there, and '{text}' would be {plain}. Write the "
            "numbers as in the training rows, without the sign."
        )
    return DataError(
        f"{cell}, but all training rows have percent signs there, as 12% for 0.12. Write the sign behind the numbers."
    )


def possible_shares(columns: Mapping[str, Cells]) -> dict[str, Spelling]:
    """How columns of plain numbers up to 1 are read, which may be shares: new rows may write 0.12 as 12%."""
    return {name: Spelling(percent=None) for name, cells in columns.items() if _may_be_shares(cells)}


def _may_be_shares(cells: Cells) -> bool:
    if isinstance(cells, Numbers):
        values = cells.value[~np.isnan(cells.value)]
    elif cells.raw is None and len(cells.text) and not cells.missing.all():
        values = cells.number[~cells.missing]
    else:
        return False
    # a text that is no number is NaN, and is not at most 1
    return bool((np.abs(values) <= 1).all() and (values != np.floor(values)).any())


def _decimal_mark(suspects: dict[str, list[str]], separator: str | None, chosen: str) -> tuple[str, dict[str, str]]:
    """The decimal mark of the table, and of each suspect column that is numeric under one of the two."""
    fits = {name: (_share(_POINT, texts), _share(_COMMA, texts)) for name, texts in suspects.items()}
    fits = {name: fit for name, fit in fits.items() if max(fit) >= ENOUGH}
    clear = [comma > point for point, comma in fits.values() if comma != point]
    if chosen:
        table = chosen
    elif clear:
        table = "," if sum(clear) * 2 > len(clear) else "."
    else:
        has_comma = any("," in text for name in fits for text in suspects[name])
        table = "," if has_comma and separator != "," else "."
    marks = {name: table if point == comma else "," if comma > point else "." for name, (point, comma) in fits.items()}
    return table, marks


def _share(pattern: re.Pattern[str], texts: list[str]) -> float:
    return sum(_fits(pattern, text) for text in texts) / max(len(texts), 1)


def _fits(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None and any(c.isdigit() for c in text)


def _plain(text: str, mark: str) -> _PlainNumber | None:
    """A number in plain spelling; `None` where a text is none with this decimal mark."""
    if not _fits(_POINT if mark == "." else _COMMA, text):
        if not _DECIMAL_COMMA.fullmatch(text):
            return None
        mark = ","
    signs = {**dict.fromkeys("." if mark == "," else ","), **dict.fromkeys(_GROUP + "%"), **dict.fromkeys(_DASHES, "-")}
    plain = text.translate(str.maketrans(signs | {mark: "."}))
    return _PlainNumber(_hundredth(plain) if "%" in text else plain, mark)


def _hundredth(text: str) -> str:
    """A hundredth of a number in plain spelling, which may have a limit before it."""
    number = text.strip().lstrip("<>=≤≥ ")
    limit = text.strip().removesuffix(number)
    plain = f"{Decimal(number).scaleb(-2):f}"
    return limit + (plain.rstrip("0").rstrip(".") if "." in plain else plain)


def _spelling_of(numbers: Mapping[str, _PlainNumber]) -> Spelling:
    """Which signs separate decimals, other than a point, and which separate thousands."""
    decimal = any(found.mark == "," and "," in text for text, found in numbers.items())
    thousands = (sign for sign in ",." if any(found.mark != sign and sign in text for text, found in numbers.items()))
    signs = {"%" in text for text in numbers if any(digit in text for digit in "123456789")}
    percent = None if len(signs) > 1 else any("%" in text for text in numbers)
    return Spelling("," if decimal else "", "".join(thousands), percent=percent)


def _percent_notes(name: str, numbers: Mapping[str, _PlainNumber]) -> list[str]:
    """How percent signs are read, if a column has some."""
    example = next((text for text in numbers if "%" in text), None)
    if example is None:
        return []
    note = f"The column '{name}' has percent signs: '{example}' is {numbers[example].text}."
    if (bare := next((text for text in numbers if "%" not in text), None)) is not None:
        note += f" Cells without one stay as they are: '{bare}' is {numbers[bare].text}."
    return [note]


def _of_thousands(cells: Cells, decimal_commas: bool, chosen: Spelling) -> tuple[Cells, str, str] | None:
    """A column of which all points separate thousands, without them, and an example; `None` where one may not."""
    texts = cells.texts if isinstance(cells, Numbers) and cells.spelling == ".3f" else cells
    if isinstance(texts, Numbers) or chosen.decimal == ".":
        return None
    present = texts.present
    # beside decimal commas; a decimal number that a program wrote seldom ends with 0
    example = next((text for text in present if text.count(".") > 1), None) or next(
        (text for text in present if decimal_commas and "." in text and (chosen.decimal or text.endswith("0"))), None
    )
    if example is None or not all(map(_THOUSANDS.fullmatch, present)):
        return None
    plain = {text: text.replace(".", "") for text in present}
    return _mapped(texts, plain), example, plain[example]


def _mapped(column: Texts, plain: Mapping[str, str]) -> Texts:
    """The column in plain spelling; its raw cells stay beside it."""
    spelled = respelled(column.code, [plain.get(text, text).strip() for text in column.text])
    return replace(spelled, raw=column)


class _Dates(NamedTuple):
    """The dates in a column.

    Attributes
    ----------
    found : what was found in each text that is a date.
    has_order : whether day and month are numbers ahead of the year, so that their order must be known.
    has_slashes : whether that is so of dates without points, which always begin with the day.
    day_first : whether the cells show that the day comes first, or the month; `None` if they do not.
    """

    found: dict[str, re.Match[str]]
    has_order: bool = False
    has_slashes: bool = False
    day_first: bool | None = None

    def iso(self, day_first: bool | None) -> dict[str, str]:
        """Each date as year-month-day."""
        order = ("b", "a") if self.has_order and day_first else ("a", "b")
        return {text: _iso(match, *order) for text, match in self.found.items()}

    @property
    def of_two_orders(self) -> str | None:
        """A date that is another one if day and month are swapped."""
        if not self.has_slashes:
            return None
        return next((text for text, m in self.found.items() if int(m["a"]) != int(m["b"]) and int(m["b"]) <= 12), None)


def _dates_in(column: Texts) -> _Dates | None:
    """The dates in a column; `None` where it holds none."""
    texts = column.present
    for pattern in (_YEAR_FIRST, _MONTH_NAME, _DAY_MONTH):
        found = {text: match for text in texts if (match := pattern.fullmatch(text))}
        if found and len(found) >= ENOUGH * len(texts):
            break
    else:
        return None
    if pattern is not _DAY_MONTH:
        return _Dates(found)
    slashes = any(m["sep"] != "." for m in found.values())
    day_first = any(int(m["a"]) > 12 or m["sep"] == "." for m in found.values())
    month_first = any(int(m["b"]) > 12 for m in found.values())
    return _Dates(found, True, slashes, None if day_first == month_first else day_first)


def _plain_dates(name: str, column: Texts, dates: _Dates, day_first: bool | None) -> tuple[Texts, list[str]]:
    """The column with ISO dates and what to say about it."""
    plain = dates.iso(day_first)
    if all(text == iso for text, iso in plain.items()):
        return column, []
    example, iso = next(item for item in plain.items() if item[0] != item[1])
    note = f"The column '{name}' holds dates, converted to year-month-day: '{example}' is {iso}."
    return _mapped(column, plain), [note]


def are_dates_of_either_order(column: Texts) -> bool:
    """Whether a column holds dates that may be day/month or month/day, so that they are not read as dates."""
    if not _DATE_LIKE.search("\n".join(column.text)):
        return False
    dates = _dates_in(column)
    return dates is not None and dates.has_order and dates.day_first is None


def have_short_years(column: Texts) -> bool:
    """Whether a column holds dates of which the years have two digits, so that they are not read as dates."""
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


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:5])
    return f"the columns {shown}{' and others' if len(names) > 5 else ''}" if len(names) > 1 else f"the column {shown}"
