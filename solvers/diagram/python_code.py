"""Export a model as a Python module that needs only the standard library, not this program.

The module reads a row as a dict of raw values, accepts and rejects the same values as `Diagram.predict`, and compares
the same floats, so its predictions are the same. Names from the data occur in it only as ASCII literals, and in
comments without line breaks, so that no name can become code.
"""

import math
from collections.abc import Iterable
from dataclasses import astuple

from ..problem import Column, Kind, MissingPolicy, Schema, Unknown
from ..problem.number_spellings import NUMBER_WITH_COMMA, NUMBER_WITH_POINT
from ..problem.texts import Spelling
from .diagram import Diagram, Split
from .dot import summary
from .labels import cut
from .program import Blocks, Language, refusable
from .spellings import NOTICE, missing_marks
from .step_lines import step_lines
from .words import plain


def to_python(diagram: Diagram, unknown: Unknown = Unknown.ERROR) -> str:
    """The model as the source text of a Python 3.11 module with `predict(case)`, `predict_proba(case)`, `leaf(case)`.

    Raises nothing: every diagram can be exported. The module's functions raise ValueError if `Diagram.predict` raises
    an error: an unknown level, text among numbers, an absent column, or a missing value that is required; and, by the
    rule `unknown`, if a split needs a value that no training row has.
    """
    used = [diagram.schema[name] for name in diagram.features]
    steps = step_lines(diagram, ascii, "#")

    def condition(split: Split) -> str:
        values = {name: f"v[{name!a}]" for name in split.predicate.columns}
        return LANGUAGE.condition(split.predicate, diagram.schema, values)

    def stop(split: Split) -> str:
        columns = refusable(split, diagram.schema, unknown)
        return "; ".join(f"_had(v, {c.name!a}, {not c.has_missing}, {list(c.unseen_levels)})" for c in columns)

    prepared = "\n".join(("def prepared(cells):", *(f"    {line}" for line in steps), "    return cells"))
    questions = BLOCKS.functions(diagram, condition, stop)
    parts = [_head(diagram), _tables(diagram, used), _ANSWERS, *[_STEPS] * bool(steps), prepared, _readers(used)]
    return "\n\n".join((*parts, *questions)) + "\n"


def _head(diagram: Diagram) -> str:
    title, about = summary(diagram)
    # names must not end the docstring or add escapes
    steps = "".join(f" First {words}." for words in diagram.preparation.words)
    description = f"{cut(title, 200)}. {cut(about, 600)}{cut(plain(steps), 600)}"
    description = description.replace("\\", "/").replace('"', "'")
    return f'''"""{description}

predict({{column: value, ...}}) returns the class, predict_proba the share of each class among the training rows that
ended in the same leaf, leaf the number of that leaf. Values may be numbers or texts; None, '' and the usual marks are
missing. Made with Espalier. {NOTICE}
"""

import datetime
import math
import re'''


def _spellings(schema: Schema, raw: tuple[str, ...]) -> dict[str, tuple[object, ...]]:
    """How the training rows spell the raw columns, as far as `Schema.as_trained` converts their texts."""
    whole = {column.name for column in schema.columns if column.kind is Kind.NUMERIC and column.integral}
    known = {name: schema.spellings.get(name, Spelling()) for name in raw}
    return {name: astuple(one) for name, one in known.items() if one or name in whole}


def _tables(diagram: Diagram, used: list[Column]) -> str:
    raw = tuple(diagram.preparation.raw(diagram.features))
    lines = [
        f"OUTCOME = {diagram.outcome!a}",
        f"CLASSES = {_tuple(f'{name!a}' for name in diagram.classes)}",
        f"COLUMNS = {_tuple(f'{name!a}' for name in raw)}",
        "# columns that the training rows spell otherwise: decimal mark, marks of thousands, day first, percent signs",
        f"SPELLINGS = {_spellings(diagram.schema, raw)!a}",
        f"_POINT, _COMMA = {NUMBER_WITH_POINT!a}, {NUMBER_WITH_COMMA!a}",
        f"MISSING_MARKS = frozenset({list(missing_marks())!a})",
        f"COMPLETE_ONLY = {diagram.schema.missing is MissingPolicy.COMPLETE}",
        "",
        "# leaf: (position of its class, share of each class)",
        "LEAVES = {",
        *(f"    {i}: ({leaf.label}, {_tuple(map(_number, leaf.shares))})," for i, leaf in diagram.leaves),
        "}",
        "",
        "# levels by their text, by their number, and in lower case",
        "LEVELS = {",
    ]
    for column in used:
        if column.kind.has_levels:
            found = column.spellings()
            numbers = ", ".join(f"{_number(number)}: {i}" for number, i in found.numbers.items())
            lines.append(f"    {column.name!a}: ({found.exact!a}, {{{numbers}}}, {found.letters!a}),")
    return "\n".join((*lines, "}"))


_ANSWERS = '''
def predict(case):
    """The predicted class of a row, given as a dict of its raw values by column."""
    return CLASSES[LEAVES[leaf(case)][0]]


def predict_proba(case):
    """The share of each class among the training rows of the same leaf, by class."""
    return dict(zip(CLASSES, LEAVES[leaf(case)][1], strict=True))


def leaf(case):
    """The number of the leaf that a row reaches. ValueError if the model makes no prediction."""
    return _node_0(encoded(case))


def encoded(case):
    """The values that the splits use, as numbers, by column: levels as positions, dates as days, NaN where missing."""
    absent = [name for name in COLUMNS if name not in case]
    if absent:
        raise ValueError(f"The row lacks {absent}, which the model uses.")
    cells = prepared({name: _plain(name, case[name]) for name in COLUMNS})
    values = {name: read(name, cells[name]) for name, read in _READERS.items()}
    unknown = [name for name, value in values.items() if math.isnan(value)]
    if COMPLETE_ONLY and unknown:
        raise ValueError(f"{unknown} must be known: the model was trained on complete rows only.")
    return values


def _plain(name, value):
    """A text in plain spelling, if the training rows spell the column otherwise: '49,6' is '49.6'."""
    if not isinstance(value, str) or name not in SPELLINGS:
        return value
    decimal, thousands, day_first, percent = SPELLINGS[name]
    text = value.strip()
    found = re.fullmatch(r"(\\d{1,2})[./-](\\d{1,2})[./-](\\d{4})(?:[ T](\\d{1,2})(:\\d{2}.*))?", text)
    if found and day_first is not None:
        day, month = (found[1], found[2]) if day_first else (found[2], found[1])
        return f"{found[3]}-{month:0>2}-{day:0>2}" + (f" {found[4]:0>2}{found[5]}" if found[4] else "")
    if text.lower() in MISSING_MARKS:
        return value
    fits = [mark for mark, pattern in ((".", _POINT), (",", _COMMA)) if re.fullmatch(pattern, text)]
    if len(fits) == 2 and ("," in text or "." in text):
        sign, other = (",", ".") if "," in text else (".", ",")
        if sign == "," and sign not in decimal + thousands:
            raise ValueError(f"{name!r} has {value!r}, where the comma may be a decimal mark. Write a number.")
        fits = [other if sign in thousands else sign]
    if not fits and not re.fullmatch(r"[+-]?\\d+,(?:\\d{1,2}|\\d{4,})\\s*%?", text):
        return value
    has_sign = "%" in text
    if percent not in (None, has_sign) and re.search("[1-9]", text):
        raise ValueError(f"{name!r} has {value!r}, but the training rows have {'' if percent else 'no '}percent signs.")
    mark = fits[0] if fits else ","
    text = re.sub(f"['\\u2019\\\\s%{'.' if mark == ',' else ','}]", "", text)
    text = re.sub("[\\u2212\\u2013\\u2012\\u2011\\uff0d]", "-", text).replace(mark, ".")
    return f"{text}e-2" if has_sign else text


def _had(v, name, refuses_missing, levels):
    if v[name] in levels or refuses_missing and math.isnan(v[name]):
        raise ValueError(f"No prediction: the value of {name!r} is in no training row.")


def _text(value):
    if isinstance(value, str):
        return value.strip()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        whole = abs(value) < 1e15 and value == math.floor(value)
        return str(int(value)) if whole else repr(float(value))
    return str(value)


def _float(text):
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


def _read_number(name, value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
    else:
        text = _text(value)
        if text.lower() in MISSING_MARKS:
            return math.nan
        number = _float(text)
        if math.isnan(number):
            raise ValueError(f"{name!r} holds numbers, but is {value!r}.")
    if math.isinf(number):
        raise ValueError(f"{name!r} must be finite, but is {value!r}.")
    return number


def _read_level(name, value):
    text = _text(value)
    exact, numbers, letters = LEVELS[name]
    if text in exact:
        return float(exact[text])
    if text.lower() in MISSING_MARKS:
        return math.nan
    found = numbers.get(_float(text), letters.get(text.casefold()))
    if found is None:
        raise ValueError(f"{name!r} has the level {value!r}, which was not in the training data.")
    return float(found)


def _read_date(name, value):
    text = _text(value)
    if text.lower() in MISSING_MARKS:
        return math.nan
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{name!r} holds dates such as 2024-01-31, but is {value!r}.") from None
    if moment.tzinfo is not None:
        moment = moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    passed = moment - datetime.datetime(1970, 1, 1)
    return float(passed // datetime.timedelta(microseconds=1)) / 86400000000.0


def _has(value, level):
    return value if math.isnan(value) else float(value == level)


def _filled(value, standing_for):
    return standing_for if math.isnan(value) else value


def _at_most(total, limit, missing):
    return missing if math.isnan(total) else total <= limit'''


_STEPS = '''
def rename(cells, column, to):
    cells[to] = cells[column]


def replace(cells, column, choices):
    """Replace a value that is one of these texts or numbers."""
    value = cells[column]
    for texts, numbers, new in choices:
        if _is_one_of(value, texts, numbers):
            cells[column] = new
            return


def redate(cells, column, pattern, places):
    """Write a date as year-month-day."""
    found = re.fullmatch(pattern, _text(cells[column]), re.DOTALL)
    if found:
        year, month, day = (found[place] for place in places)
        cells[column] = f"{year}-{month:0>2}-{day:0>2}{found[4]}"


def divide(cells, column, limits, names):
    number = _read_number(column, cells[column])
    cells[column] = None if math.isnan(number) else names[sum(number > limit for limit in limits)]


def combine(cells, to, are_dates, one, sign, two):
    read = _read_date if are_dates else _read_number
    first, second = read(one, cells[one]), read(two, cells[two])
    try:
        result = first / second if sign == "/" else first - second
    except (OverflowError, ZeroDivisionError):
        result = math.nan
    cells[to] = result if math.isfinite(result) else None


def compare(cells, column, is_date, sign, limit, words):
    value = (_read_date if is_date else _read_number)(column, cells[column])
    _require({"<=": value <= limit, ">=": value >= limit, "<": value < limit, ">": value > limit}[sign], words)


def keep_known(cells, column, words):
    _require(_text(cells[column]).lower() not in MISSING_MARKS, words)


def keep(cells, column, texts, numbers, wanted, words):
    _require(_is_one_of(cells[column], texts, numbers) == wanted, words)


def _is_one_of(value, texts, numbers):
    text = _text(value)
    return text in texts or _float(text) in numbers


def _require(holds, words):
    if not holds:
        raise ValueError(f"No prediction: the model does not apply to such rows ({words}).")'''


def _readers(used: list[Column]) -> str:
    def reader(column: Column) -> str:
        return "_read_level" if column.kind.has_levels else "_read_date" if column.kind is Kind.DATE else "_read_number"

    return "\n".join(("_READERS = {", *(f"    {column.name!a}: {reader(column)}," for column in used), "}"))


LANGUAGE = Language(
    number=lambda value: _number(value),
    level=lambda position: _number(position),
    missing="math.isnan({})",
    either="{} or {}",
    filled="_filled({}, {})",
    has="_has({}, {})",
    total=lambda total, limit, missing: f"_at_most({total}, {limit}, {missing})",
)

BLOCKS = Blocks(
    start="\ndef _node_{node}(v):",
    branch="if {condition}:  # {words}",
    other="else:",
    close="",
    end="",
    answer="return {leaf}  # {words}",
    call="return _node_{node}(v)",
)


def _number(value: float) -> str:
    """A float as the shortest literal that reads back as the same."""
    value = float(value)
    return repr(value) if math.isfinite(value) else "math.inf" if value > 0 else "-math.inf"


def _tuple(items: Iterable[str]) -> str:
    written = list(items)
    return f"({', '.join(written)}{',' if len(written) == 1 else ''})"
