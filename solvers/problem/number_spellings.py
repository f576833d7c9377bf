"""How a table spells numbers and dates, and the same in the plain spelling that a `Schema` reads.

Numbers become '1234.5' (from '1.234,5', '1 234,5', "1'234.5", '1,234.5', '1234.5 %'), also behind '<' and the like, and
dates become '2024-01-31' (from '31.01.2024', '31/1/2024', '1/31/2024', '2024/01/31', '31-Jan-2024'), whole columns at a
time. A date that could be read in two ways is left as it is, which the report on its column says: better not read at
all than read wrongly in silence.
"""

import re
from collections.abc import Mapping

from solvers.problem.plain_numbers import Cells, Numbers
from solvers.problem.texts import Texts, respelled

_GROUP = "'\u2019 \u00a0\u202f"
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_UNIT = r"\s?%?"
_LIMIT = r"(?:[<>]=?|[≤≥])?\s*"
_BLANK_GROUPS = rf"[1-9]\d{{0,2}}(?:[{_GROUP}]\d{{3}})+"
_POINT = re.compile(rf"{_LIMIT}[+\-−]?(?:{_BLANK_GROUPS}|[1-9]\d{{0,2}}(?:,\d{{3}})+|\d*)(?:\.\d*)?{_EXPONENT}{_UNIT}")
_COMMA = re.compile(rf"{_LIMIT}[+\-−]?(?:{_BLANK_GROUPS}|[1-9]\d{{0,2}}(?:\.\d{{3}})+|\d*)(?:,\d*)?{_EXPONENT}{_UNIT}")
_DECIMAL_COMMA = re.compile(rf"{_LIMIT}[+\-−]?\d+,(?:\d{{1,2}}|\d{{4,}}){_UNIT}")
"""A decimal comma whatever the others of a column have: a group of thousands has three digits."""

_THOUSANDS = re.compile(rf"{_LIMIT}[+\-−]?[1-9]\d{{0,2}}(?:\.\d{{3}})*")
_MARKS = ",%−" + _GROUP
_UNUSUAL = re.compile(rf"[%−]|,\d|\d,|\d[{_GROUP}]\d")
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


def plain_spelling(
    columns: Mapping[str, Cells], separator: str | None, day_first: bool | None = None
) -> tuple[dict[str, Cells], str, tuple[str, ...]]:
    """The columns with numbers and dates in plain spelling, the decimal mark ('.' or ',') of the table, and notes.

    Where the separator of the file is a comma, '1,234' is a thousand and not a decimal number. `day_first` decides
    about dates that could be read in two ways. The notes say what was converted. Plain numbers stay as they are.
    """
    notes: list[str] = []
    changed: dict[str, Cells] = {}
    suspects: dict[str, list[str]] = {}
    columns_of_texts = {name: cells for name, cells in columns.items() if isinstance(cells, Texts)}
    for name, texts in columns_of_texts.items():
        # one text a column: to search each takes ten times as long where there are thousands of columns
        cells = "\n".join(texts.text)
        if _DATE_LIKE.search(cells):
            spelled, note = _plain_dates(name, texts, day_first)
            notes += note
            if spelled is not None:
                changed[name] = spelled
                continue
        if any(mark in cells for mark in _MARKS) and _UNUSUAL.search(cells):
            suspects[name] = _present(texts)
    decimal, marks = _decimal_mark(suspects, separator)
    commas = []
    for name, mark in marks.items():
        plain = {text: found for text in suspects[name] if (found := _plain(text, mark)) is not None}
        changed[name] = _mapped(columns_of_texts[name], plain)
        if any("%" in text for text in suspects[name]):
            notes.append(f"The column '{name}' has percent signs; they are left out, so 12 % is the number 12.")
        if any("," in text and "." in found for text, found in plain.items() if mark == "," or "." not in text):
            commas.append(name)
    if commas:
        notes.append(f"Decimal commas are read in {_listed(commas)}.")
    is_of_commas = bool(commas) and decimal == ","
    for name in columns if is_of_commas else columns_of_texts:
        if name not in changed and (thousands := _of_thousands(columns[name], is_of_commas)) is not None:
            changed[name], example, number = thousands
            notes.append(f"Points in the column '{name}' part thousands: '{example}' is {number}.")
    return {**columns, **changed}, decimal, tuple(notes)


def _present(texts: Texts) -> list[str]:
    return [text for text, missing in zip(texts.text, texts.missing.tolist(), strict=True) if not missing]


def _decimal_mark(suspects: dict[str, list[str]], separator: str | None) -> tuple[str, dict[str, str]]:
    """The decimal mark of the table, and of each suspect column that is numeric under one of the two."""
    fits = {name: (_share(_POINT, texts), _share(_COMMA, texts)) for name, texts in suspects.items()}
    fits = {name: fit for name, fit in fits.items() if max(fit) >= ENOUGH}
    clear = [comma > point for point, comma in fits.values() if comma != point]
    if clear:
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


def _plain(text: str, mark: str) -> str | None:
    """A number in plain spelling; `None` where a text is none with this decimal mark."""
    if _fits(_POINT if mark == "." else _COMMA, text):
        decimal, group = mark, "," if mark == "." else "."
    elif _DECIMAL_COMMA.fullmatch(text):
        decimal, group = ",", "."
    else:
        return None
    return text.translate(str.maketrans({**dict.fromkeys(group + _GROUP + "%"), "−": "-"} | {decimal: "."}))


def _of_thousands(cells: Cells, decimal_commas: bool) -> tuple[Cells, str, str] | None:
    """A column of which all points part thousands, without them, and an example; `None` where one may not."""
    texts = cells.texts if isinstance(cells, Numbers) and cells.spelling == ".3f" else cells
    if isinstance(texts, Numbers):
        return None
    present = _present(texts)
    # beside decimal commas; a decimal number that a program wrote seldom ends with 0
    example = next((text for text in present if text.count(".") > 1), None) or next(
        (text for text in present if decimal_commas and "." in text and text.endswith("0")), None
    )
    if example is None or not all(map(_THOUSANDS.fullmatch, present)):
        return None
    plain = {text: text.replace(".", "") for text in present}
    return _mapped(texts, plain), example, plain[example]


def _mapped(column: Texts, plain: Mapping[str, str]) -> Texts:
    return respelled(column.code, [plain.get(text, text).strip() for text in column.text])


def _plain_dates(name: str, column: Texts, chosen: bool | None) -> tuple[Texts | None, list[str]]:
    """The column with ISO dates and what to say about it; `None` where it holds no dates or they are ambiguous."""
    texts = _present(column)
    order = ("a", "b")
    for pattern in (_YEAR_FIRST, _MONTH_NAME, _DAY_MONTH):
        found = {text: match for text in texts if (match := pattern.fullmatch(text))}
        if len(found) >= ENOUGH * len(texts):
            break
    else:
        return None, []
    if pattern is _DAY_MONTH:
        day_first = any(int(m["a"]) > 12 or m["sep"] == "." for m in found.values())
        month_first = any(int(m["b"]) > 12 for m in found.values())
        if day_first == month_first and chosen is not None:
            day_first = chosen
        elif day_first == month_first:
            return None, []
        order = ("b", "a") if day_first else ("a", "b")
    plain = {text: _iso(match, *order) for text, match in found.items()}
    if all(text == iso for text, iso in plain.items()):
        return column, []
    example, iso = next(item for item in plain.items() if item[0] != item[1])
    note = f"The column '{name}' holds dates, converted to year-month-day: '{example}' is {iso}."
    return _mapped(column, plain), [note]


def are_dates_of_either_order(column: Texts) -> bool:
    """Whether a column holds dates that may be day/month or month/day, so that they are not read as dates."""
    if not _DATE_LIKE.search("\n".join(column.text)):
        return False
    as_found, as_chosen = (_plain_dates("", column, day_first)[0] for day_first in (None, True))
    return as_found is None and as_chosen is not None


def have_short_years(column: Texts) -> bool:
    """Whether a column holds dates of which the years have two digits, so that they are not read as dates."""
    texts = _present(column)
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
