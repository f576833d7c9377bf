"""The type of each column of a table, with the reason, so that the user can accept or correct it.

Levels may have a commonly known order: low/medium/high, grade I to IV, Monday to Sunday, 20-29 to 60+. The outcome has
classes in their order, and which of two is the positive one.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError
from .columns import Column, Kind, parse_dates
from .identifiers import identifier_reason
from .number_spellings import are_dates_of_either_order, have_short_years, limits_among
from .tables import Cells, Numbers, Table
from .texts import Texts, format_number, is_code, parse_numbers

MOSTLY = 0.9
"""The share of cells that must be numbers (or dates) for the other cells to count as mistakes."""

MAX_OUTCOME_CLASSES = 20
"""A column with more distinct values is not suggested as the outcome."""

_PARTS = 10

_BINARY_NUMBERS = ({0.0, 1.0}, {1.0, 2.0}, {-1.0, 1.0})
_ISO = re.compile(r"\d{4}-\d{2}(-\d{2}([ T]\d{2}(:\d{2}(:\d{2}(\.\d+)?)?)?( ?UTC|Z|[+-]\d{2}(:?\d{2})?)?)?)?")
_OUTCOME_NAMES = re.compile(
    r"(outcome|target|class|label|diagnosis|y|response|result|status|survival|survived|died|death|dead|mortality|disease|"
    r"default|churn|readmitted|relapse|recurrence|event|decision|granted|critical|approved|species|cultivar|monk)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """The findings on a column.

    Attributes
    ----------
    name : the header.
    kind : its type; `None` if it has no value at all.
    levels : the levels in their order, for types that have them.
    n_missing : the number of missing cells.
    n_distinct : the number of distinct values, without the missing.
    identifier : whether it likely identifies a person or record, so that it should not be a feature.
    constant : whether all cells are equal.
    distribution : the number of cells in each tenth of the range of numbers, or of each level, at most ten of them.
    examples : a few values, the most frequent first; ties between numbers in ascending order.
    why : a sentence on the type.
    problem : what is wrong and what to do, to follow 'The column ...'; `None` if all cells fit.
    """

    name: str
    kind: Kind | None
    levels: tuple[str, ...]
    n_missing: int
    n_distinct: int
    identifier: bool
    constant: bool
    distribution: tuple[int, ...]
    examples: tuple[str, ...]
    why: str
    problem: str | None


@dataclass(frozen=True, slots=True)
class _Finding:
    kind: Kind | None
    why: str
    levels: tuple[str, ...] = ()
    problem: str | None = None


def infer_columns(table: Table) -> tuple[ColumnReport, ...]:
    """The type of every column of a table, one report per column, in order."""
    return tuple(infer_column(name, cells, table.levels.get(name)) for name, cells in table.columns.items())


def infer_column(name: str, cells: Cells, declared: tuple[str, ...] | None = None) -> ColumnReport:
    """The type of one column, from its header, its cells, and the order of levels that its source declares."""
    if declared:
        texts = cells.texts
        present = set(texts.present)
        if present and present <= set(declared):
            found = as_read(_report_on_texts(name, texts), Kind.ORDERED, declared)
            return replace(found, why="The source declares the order of its levels.")
    if isinstance(cells, Texts):
        return _report_on_texts(name, cells)
    known = cells.value[~np.isnan(cells.value)]
    value, count = np.unique(known, return_counts=True)
    # two distinct numbers may be two levels
    return _report_on_numbers(name, cells, value, count) if len(value) > 2 else _report_on_texts(name, cells.texts)


def _report_on_numbers(name: str, cells: Numbers, value: np.ndarray, count: np.ndarray) -> ColumnReport:
    """The report of a column from its distinct numbers, float64 (n_distinct,), ascending, and their counts."""
    n_present = int(count.sum())
    reason = identifier_reason(name, cells, value, n_present)
    low, high = format_number(float(value[0])), format_number(float(value[-1]))
    return ColumnReport(
        name=name,
        kind=Kind.NUMERIC,
        levels=(),
        n_missing=len(cells) - n_present,
        n_distinct=len(value),
        identifier=reason is not None,
        constant=False,
        distribution=_tenths(value, count),
        examples=tuple(cells.spelled(value[np.argsort(-count, kind="stable")[:4]])),
        why=f"Likely an identifier: {reason}." if reason else f"Numbers from {low} to {high}.",
        problem=None,
    )


def _report_on_texts(name: str, texts: Texts) -> ColumnReport:
    found = _finding(texts)
    reason = None
    if found.kind is not None:
        reason = identifier_reason(name, texts, texts.number[~texts.missing], int(texts.count[~texts.missing].sum()))
    levels = set(found.levels)
    # 'none' may be a level
    missing = texts.missing & np.array([text not in levels for text in texts.text], bool)
    present = np.flatnonzero(~missing)
    if found.kind is Kind.NUMERIC:
        present = present[np.argsort(texts.number[present], kind="stable")]
    often = present[np.argsort(-texts.count[present], kind="stable")]
    why = f"Likely an identifier: {reason}." if reason else found.why
    if are_dates_of_either_order(texts):
        why = (
            f"The dates may be day/month or month/day (for instance '{texts.text[often[0]]}'), so they are not read as "
            f"dates. Choose the order with the step 'Read as date or number', or with --day-first or --month-first on "
            f"the command line."
        )
    elif have_short_years(texts):
        why = (
            f"The years have two digits (for instance '{texts.text[often[0]]}'), so the cells are not read as dates. "
            "Export the table with four digits."
        )
    return ColumnReport(
        name=name,
        kind=found.kind,
        levels=found.levels,
        n_missing=int(texts.count[missing].sum()),
        n_distinct=len(present),
        identifier=reason is not None,
        constant=len(present) + bool(missing.any()) <= 1,
        distribution=_distribution(texts, present if found.levels else often, found.kind),
        examples=tuple(texts.text[i] for i in often[:4]),
        why=why,
        problem=found.problem,
    )


def as_read(report: ColumnReport, kind: Kind | None, levels: Sequence[str] | None) -> ColumnReport:
    """The report with the type or levels that a preparation step sets; `None` for what it does not set."""
    if kind is None and levels is None:
        return report
    kind = kind or report.kind
    found = tuple(levels or report.levels) if kind is not None and kind.has_levels else ()
    return replace(
        report, kind=kind, levels=found, why="A preparation step sets the type.", identifier=False, problem=None
    )


def suggest_outcome(reports: Sequence[ColumnReport]) -> str | None:
    """The column that is most likely the outcome; `None` if no column could be.

    A name such as 'diagnosis' has priority, preferably with two classes; then the last column, then the first.
    """
    fit = [r for r in reports if r.kind and 2 <= r.n_distinct <= MAX_OUTCOME_CLASSES and not r.identifier]
    named = [r for r in fit if _OUTCOME_NAMES.fullmatch(r.name.strip())]
    if named:
        return ([r for r in named if r.n_distinct == 2] or named)[-1].name
    ends = [r for r in (reports[-1], reports[0]) if r in fit and _are_labels(r)]
    if ends:
        return ends[0].name
    return next((r.name for r in reversed(fit) if r.kind is Kind.BINARY), None)


def _are_labels(report: ColumnReport) -> bool:
    """Whether the values could be the names of classes: texts or integers."""
    numbers = parse_numbers(report.examples)
    return report.kind is not Kind.NUMERIC or np.array_equal(numbers, np.floor(numbers))


def levels_in_order(texts: Texts) -> tuple[str, ...]:
    """The levels of a category: in a known order, by number, or alphabetically."""
    present = texts.present
    numbers = texts.number[~texts.missing]
    if not np.isnan(numbers).any() and not any(map(is_code, present)):
        ordered = [present[i] for i in np.argsort(numbers, kind="stable")]
        plain = [format_number(number) for number in np.sort(numbers)]
        spelled_long = all(
            re.fullmatch(rf"\+?{re.escape(p)}(\.0*)?", text) for p, text in zip(plain, ordered, strict=True)
        )
        return tuple(plain if spelled_long and len(set(plain)) == len(plain) else ordered)
    return known_order(present) or tuple(sorted(present, key=lambda text: (text.casefold(), text)))


def check_levels(name: str, texts: Texts, levels: Sequence[str]) -> None:
    """Check that the user's levels cover a column.

    Raises `DataError` if a cell is neither missing nor one of the levels.
    """
    known = set(levels)
    for text in texts.present:
        if text not in known:
            row = texts.first_row(texts.text.index(text))
            raise DataError(
                f"The column '{name}' has '{text}' in row {row}, which is not among its levels ({', '.join(levels)}). "
                "Add it to the levels or correct the cell."
            )


def _finding(texts: Texts) -> _Finding:
    present = np.flatnonzero(~texts.missing)
    if not len(present):
        return _Finding(None, "It holds no values.", problem="holds no values. Leave the column out.")
    for look in (_as_codes, _as_scale, _as_number, _as_date):
        found = look(texts, present)
        if found is not None:
            return found
    if len(present) == 2:
        levels = levels_in_order(texts)
        return _Finding(Kind.BINARY, f"Two levels: {levels[0]} and {levels[1]}.", levels)
    many = f"It has {len(present)} levels without a known order."
    why = "It has one level." if len(present) == 1 else many
    return _Finding(Kind.CATEGORICAL, why, levels_in_order(texts))


def _as_codes(texts: Texts, present: np.ndarray) -> _Finding | None:
    """A category of codes that look like numbers, if most cells have leading zeros or letters: '01067', '1E1'."""
    codes = [i for i in present.tolist() if is_code(texts.text[i])]
    if not codes or 2 * texts.count[codes].sum() <= texts.count[present].sum():
        return None
    why = (
        f"Most cells are codes such as '{texts.text[codes[0]]}', with leading zeros or letters, so they are read as "
        "texts. If they are numbers, choose the type 'numeric' (--types on the command line)."
    )
    kind = Kind.BINARY if len(present) == 2 else Kind.CATEGORICAL
    return _Finding(kind, why, levels_in_order(texts))


def _as_number(texts: Texts, present: np.ndarray) -> _Finding | None:
    numbers, count = texts.number[present], texts.count[present]
    bad = present[np.isnan(numbers)]
    limits = limits_among(texts)
    if not limits and count[~np.isnan(numbers)].sum() < MOSTLY * count.sum():
        return None
    if len(bad):
        remedy = "Treat them as missing in a preparation step, correct them, or make the column a category."
        if limits:
            remedy = (
                "Convert them to numbers in a preparation step (the limit, half the limit or missing), use "
                "--parse-censored on the command line, or make the column a category."
            )
        problem = _problem(texts, bad, "text", remedy)
        why = "All cells are numbers or limits of numbers." if limits else "Nearly all cells are numbers."
        return _Finding(Kind.NUMERIC, why, problem=problem)
    infinite = present[np.isinf(numbers)]
    if len(infinite):
        problem = _problem(
            texts,
            infinite,
            "an infinite value",
            "Treat the value as missing in a preparation step, or enter a number.",
        )
        return _Finding(Kind.NUMERIC, "All cells are numbers.", problem=problem)
    if len(present) == 2 and set(numbers) in _BINARY_NUMBERS:
        levels = levels_in_order(texts)
        return _Finding(Kind.BINARY, f"It has only the numbers {levels[0]} and {levels[1]}.", levels)
    low, high = format_number(float(numbers.min())), format_number(float(numbers.max()))
    return _Finding(Kind.NUMERIC, f"Numbers from {low} to {high}.")


def _as_date(texts: Texts, present: np.ndarray) -> _Finding | None:
    if not _ISO.fullmatch(texts.text[present[0]]) and not _ISO.fullmatch(texts.text[present[-1]]):
        return None
    looks = np.array([bool(_ISO.fullmatch(texts.text[i])) for i in present])
    days = np.full(len(present), np.nan)
    days[looks] = parse_dates([texts.text[i] for i in present[looks]])
    bad, count = present[np.isnan(days)], texts.count[present]
    # a month without a day among dates is a mistake, not a level
    if count[~np.isnan(days) | looks].sum() < MOSTLY * count.sum() or np.isnan(days).all():
        return None
    remedy = (
        "Write it as year-month-day or leave the cell empty. For dates such as 03/04/2024, use --day-first or "
        "--month-first on the command line."
    )
    problem = _problem(texts, bad, "no date", remedy) if len(bad) else None
    return _Finding(Kind.DATE, "The cells are dates.", problem=problem)


def _as_scale(texts: Texts, present: np.ndarray) -> _Finding | None:
    """An ordered category; 'none' or '-' is its lowest level, not missing, if the other levels imply it."""
    if not np.isnan(texts.number[present]).any():
        return None
    marks = [i for i in np.flatnonzero(texts.missing) if texts.text[i].lower() in ("none", "-")]
    if [texts.text[i] for i in (*present, *marks)] == ["+", "-"]:
        return _Finding(Kind.BINARY, "Two levels: - and +.", ("-", "+"))
    for candidates in ([*present, *marks], list(present)):
        order = known_order(texts.text[i] for i in candidates)
        if order is not None:
            return _Finding(Kind.ORDERED, f"Its levels have an order: {' < '.join(order[:6])}.", order)
    return None


def _problem(texts: Texts, bad: np.ndarray, what: str, remedy: str) -> str:
    first = min(bad, key=texts.first_row)
    return (
        f"holds {what} in {int(texts.count[bad].sum())} of {len(texts.code)} rows "
        f"(first: '{texts.text[first]}' in row {texts.first_row(first)}). {remedy}"
    )


def _distribution(texts: Texts, present: np.ndarray, kind: Kind | None) -> tuple[int, ...]:
    """The cells in each tenth of the range of numbers, or of each of the first ten distinct values `present`."""
    if kind is not Kind.NUMERIC:
        return tuple(texts.count[present[:_PARTS]].tolist())
    known = present[np.isfinite(texts.number[present])]
    known = known[np.argsort(texts.number[known])]
    return _tenths(texts.number[known], texts.count[known])


def _tenths(numbers: np.ndarray, count: np.ndarray) -> tuple[int, ...]:
    """The cells in each tenth of the range of finite ascending numbers, with `count` cells each."""
    if not len(numbers) or numbers[0] == numbers[-1]:
        return (int(count.sum()),)
    inner = np.arange(1, _PARTS) / _PARTS
    # weighted ends, so that no difference overflows
    below = np.searchsorted(numbers, numbers[0] * (1 - inner) + numbers[-1] * inner)
    reached = np.concatenate(([0], count.cumsum()))
    return tuple(np.diff(reached[below], prepend=0, append=reached[-1]).tolist())


_SCALES = (
    "none < very low|vlow < low < medium|med|moderate|mid|middle|intermediate|normal|average < high < very high|vhigh",
    "none|absent < trace|minimal|slight < mild|light < moderate < severe|strong|marked < critical|extreme|very severe",
    "xxs < xs|tiny < s|small < m|medium|med < l|large|big < xl|huge|very large < xxl",
    "never < rarely|seldom|rare < sometimes|occasionally < often|frequently|usually < very often < always",
    "strongly disagree < disagree < neutral|undecided|neither < agree < strongly agree",
    "very poor|very bad < poor|bad < fair|acceptable|acc|average|ok|satisfactory < good < very good|vgood < excellent",
    "unacc|unacceptable < acc|acceptable < good < vgood|very good",
    "dry < damp|moist < wet",
    "cold < cool < mild|lukewarm < warm < hot",
    "slow < medium|normal|moderate < fast",
    "decreased|decreasing|falling < unchanged|stable|same|constant < increased|increasing|rising",
    "infant|baby < child < adolescent|teenager < adult < elderly|senior",
    "january|jan < february|feb < march|mar < april|apr < may < june|jun < july|jul < august|aug < september|sep|sept"
    " < october|oct < november|nov < december|dec",
    "monday|mon < tuesday|tue < wednesday|wed < thursday|thu < friday|fri < saturday|sat < sunday|sun",
    "first|1st < second|2nd < third|3rd < fourth|4th < fifth|5th < sixth|6th",
    "benign < uncertain|borderline < malignant",
    "alert < voice|verbal < pain < unresponsive",
    "-|neg|negative < (+)|+/-|±|trace < +|1+ < ++|2+ < +++|3+ < ++++|4+",
)
"""From low to high, with synonyms at the same step. Medical and survey words as they occur in tables."""

_STEP = re.compile(
    r"(?P<head>|grade|stage|level|class|tier|score|step|phase|asa|nyha|ccs|ecog|killip|bi-?rads|child-pugh|"
    r"quartile|quintile|tercile|decile|p?t|p?n|g|q)[ _-]?(?P<number>\d+|[ivx]+)(?P<letter>[a-d]?)"
)
"""'grade 2', 'stage IIIb', 'NYHA II', 'T1', 'IV'."""

_ROMAN = {"i": 1, "v": 5, "x": 10}
_NUMBER = r"-?\d+(?:\.\d+)?"
_INTERVAL = re.compile(
    rf"(?:<|<=|≤|under|below|less than|up to) ?(?P<most>{_NUMBER})"
    rf"|[\[(]?(?P<low>{_NUMBER}) ?(?:-|–|to|\.\.|,) ?(?P<high>{_NUMBER})[\])]?"
    rf"|(?:>|>=|≥|over|above|more than) ?(?P<least>{_NUMBER})|(?P<least_>{_NUMBER}) ?(?:\+|or more|and over)"
    rf"|(?P<alone>{_NUMBER})"
)
_MOST_ALONE = 8
"""A scale such as '0', '1', '2', '3+' has at most this count of numbers; more, or decimals, are measurements."""


def known_order(levels: Iterable[str]) -> tuple[str, ...] | None:
    """The levels in their order, low first, if it is commonly known; else `None`.

    The levels are the distinct texts of a column; fewer than three have no relevant order.
    """
    levels = tuple(levels)
    if not 3 <= len(levels) <= 40:
        return None
    words = [re.sub(r"\s+", " ", level.strip().lower().replace("_", " ")) for level in levels]
    for scale in _SCALES:
        rank = {word: i for i, step in enumerate(scale.split(" < ")) for word in step.split("|")}
        if all(word in rank for word in words):
            return _sort(levels, [rank[word] for word in words])
    for reading in (_steps, _intervals):
        keys = reading(words)
        if keys is not None:
            return _sort(levels, keys)
    return None


def _sort(levels: Sequence[str], keys: Sequence[Any]) -> tuple[str, ...] | None:
    """The levels sorted by their keys; `None` if two levels have the same key, so that their order is unknown."""
    if len(set(keys)) < len(keys):
        return None
    return tuple(level for _, level in sorted(zip(keys, levels, strict=True)))


def _steps(words: Sequence[str]) -> list[tuple[int, str]] | None:
    """(number, letter) of each step, if all are steps of one kind and not plain numbers."""
    found = [match for word in words if (match := _STEP.fullmatch(word))]
    if len(found) < len(words):
        return None
    styles = {(match["head"], match["number"].isdigit()) for match in found}
    if len(styles) > 1 or ("", True) in styles:
        return None
    return [(_whole(match["number"]), match["letter"]) for match in found]


def _whole(text: str) -> int:
    if text.isdigit():
        return int(text)
    values = [_ROMAN[letter] for letter in text]
    return sum(-v if v < after else v for v, after in zip(values, [*values[1:], 0], strict=True))


def _intervals(words: Sequence[str]) -> list[tuple[float, float]] | None:
    """(low, high) of each interval; at least one must be a proper interval, and none may overlap the next."""
    found = [bounds for word in words if (bounds := _interval(word))]
    alone = [low for low, high in found if low == high]
    if len(found) < len(words) or len(alone) == len(found):
        return None
    if all(low == high or math.isinf(high - low) for low, high in found) and (
        len(alone) > _MOST_ALONE or not all(map(float.is_integer, alone))
    ):
        return None
    overlap = any(high > low for (_, high), (low, _) in pairwise(sorted(found)))
    return None if overlap else found


def _interval(word: str) -> tuple[float, float] | None:
    """(low, high) of an interval, or a number twice."""
    match = _INTERVAL.fullmatch(word)
    if match is None:
        return None
    low = match["low"] or match["least"] or match["least_"] or match["alone"] or -math.inf
    high = match["high"] or match["most"] or match["alone"] or math.inf
    return (float(low), float(high)) if float(low) <= float(high) else None


MAX_CLASSES = 50
"""An outcome with more classes is a measurement or an identifier."""

MAX_DECIMAL_CLASSES = 10
"""The same for numbers that are not integers."""

_POSITIVE = frozenset(
    {"1", "yes", "y", "true", "t", "positive", "pos", "+", "malignant", "cancer", "ill", "sick", "disease", "diseased"}
    | {"died", "dead", "death", "deceased", "case", "abnormal", "present", "bad", "fail", "failed", "failure", "fraud"}
    | {"default", "defaulted", "relapse", "relapsed", "recurrence", "recurred", "readmitted", "admitted", "event"}
    | {"critical", "severe", "high", "spam", "churned", "infected"}
)
_NEGATIVE = frozenset(
    {"0", "-1", "no", "n", "false", "f", "negative", "neg", "-", "benign", "healthy", "well", "alive", "survived"}
    | {"control", "normal", "absent", "good", "ok", "pass", "passed", "none", "stable", "low", "ham", "discharged"}
)
_DENIED = re.compile(r"(no|not|non|without)[ _-].+")


class Outcome(NamedTuple):
    """The classes of a table, and the index of the positive one, or `None`.

    `y` is int32 (n_samples,), the class of each row, -1 if it is missing.
    """

    classes: tuple[str, ...]
    positive: int | None
    y: np.ndarray


def read_outcome(name: str, texts: Texts, levels: Sequence[str] | None, positive: str | None) -> Outcome:
    """The classes of the outcome column.

    Raises `DataError` if there are fewer than two classes or far too many, or `positive` is none of them.

    Parameters
    ----------
    name : the header.
    texts : the cells.
    levels : the classes in the user's order; by default they are inferred.
    positive : the name of the positive class; by default, of two classes, the one with a positive name ('yes',
        'malignant', 1 against 0, ...), else the rarer one.
    """
    if levels is not None:
        check_levels(name, texts, levels)
        classes = tuple(levels)
    else:
        report = infer_column(name, texts)
        classes = report.levels if report.kind in (Kind.ORDERED, Kind.BINARY) else levels_in_order(texts)
        _check_classes(name, texts, classes)
    values = Column(name, Kind.CATEGORICAL, classes).encode(texts)
    y = np.where(np.isnan(values), -1, values).astype(np.int32)
    if len(np.unique(y[y >= 0])) < 2:
        raise _one_class(name, texts, classes)
    return Outcome(classes, _positive(name, classes, y, positive), y)


def _check_classes(name: str, texts: Texts, classes: tuple[str, ...]) -> None:
    if len(classes) < 2:
        raise _one_class(name, texts, classes)
    numbers = texts.number[~texts.missing]
    if np.isnan(numbers).any():
        if len(classes) > MAX_CLASSES:
            raise DataError(
                f"The outcome '{name}' has {len(classes)} different texts and looks like an identifier or free text, "
                f"not classes. Choose another outcome."
            )
    elif len(classes) > (MAX_CLASSES if np.array_equal(numbers, np.floor(numbers)) else MAX_DECIMAL_CLASSES):
        raise DataError(
            f"The outcome '{name}' has {len(classes)} different numbers and looks like a measurement. Divide the "
            f"numbers at a threshold in a preparation step ('Cut numbers at thresholds'; --prepare on the command "
            f"line), or choose another outcome."
        )


def _one_class(name: str, texts: Texts, classes: tuple[str, ...]) -> DataError:
    marks = [texts.text[i] for i in np.flatnonzero(texts.missing) if texts.text[i] and texts.text[i] not in classes]
    hint = ""
    if marks:
        hint = f" ({', '.join(map(repr, marks))} count as missing; name them among its levels to make them a class)"
    found = f"only one class, '{classes[0]}'" if classes else "no value"
    return DataError(
        f"The outcome '{name}' has {found}{hint}. A model needs at least two classes. Choose another outcome."
    )


def _positive(name: str, classes: tuple[str, ...], y: np.ndarray, wanted: str | None) -> int | None:
    if wanted is not None:
        cell = Texts(np.zeros(1, np.int64), (str(wanted).strip(),))
        try:
            return int(Column(name, Kind.CATEGORICAL, classes).encode(cell)[0])
        except ValueError:
            raise DataError(
                f"'{wanted}' is not a class of the outcome '{name}'. Its classes are: {', '.join(classes)}."
            ) from None
    if len(classes) != 2:
        return None
    verdicts = [_verdict(one) for one in classes]
    says_yes = [i for i in (0, 1) if verdicts[i] == 1 or verdicts[1 - i] == -1]
    if len(says_yes) == 1 and set(classes) != {"1", "2"}:
        return says_yes[0]
    counts = np.bincount(y[y >= 0], minlength=2)
    return int(counts[1] <= counts[0])


def _verdict(label: str) -> int:
    """1 for a class with a positive name, -1 for a negative one, 0 for any other."""
    word = label.strip().lower()
    if word in _NEGATIVE or _DENIED.match(word):
        return -1
    return int(word in _POSITIVE)
