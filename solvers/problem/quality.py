"""Possible errors of a table: codes among numbers, levels in two spellings, and columns that should not be features.

Nothing is changed. Each issue names its column, the evidence and a remedy, and the user decides.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

import numpy as np

from .columns import Column, Kind, median, parse_dates
from .dataset import Dataset, single_errors
from .identifiers import names_person, names_place, words_of
from .preparation import Replace, Step
from .texts import abbreviate, parse_numbers, plural

CODES = frozenset(sign * int(digit * times) for sign in (1, -1) for digit in "789" for times in range(2, 11)) | {
    *(-1, -7, -8, -9),
    *(98, 998, 9998, 97, 997, 9997),
}
"""Numbers that files use for unknown values."""

DATE_CODES = (
    *("1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01"),
    *("2099-12-31", "2999-12-31", "9999-12-31"),
)
"""Dates that files use for unknown values."""

_KNOWN_LATER = re.compile(
    r"\b(death|died|deceased|autopsy|post ?mortem|discharged?( (date|time|day|status|to|destination|disposition))|"
    r"length of stay|los|follow ?up|readmi\w+|cause of death|time to event|survival( (time|days|months))?|"
    r"entlass(ung|dat|art|tag)\w*|liegedauer|verweildauer|tod|todes\w*|verstorben\w*|sterbe\w+|exitus|überleb\w+|"
    r"nachbeobachtung\w*)\b|^discharged$"
)
"""Words in a name that suggest that the column is known only after the outcome."""

FEW_ERRORS = 0.05
"""A column leaks the outcome if alone it leaves at most this share of the errors of the constant prediction."""

_MOST_ROWS, _MOST_LEVELS, _FEW = 5000, 60, 20


class IssueKind(StrEnum):
    """The kind of possible error."""

    CODE = "code"
    ALIKE_LEVELS = "alike levels"
    TYPING_ERROR = "typing error"
    LEAK = "leak"
    KNOWN_LATER = "known later"
    PERSON = "person"
    PLACE = "place"
    DATE = "date"


class Issue(NamedTuple):
    """A possible error of a table.

    Attributes
    ----------
    kind : the kind; column : the name of the column.
    found, advice : the finding with its evidence, and what to do.
    remedies : the preparation steps that would correct it; without any, the column should be left out.
    """

    kind: IssueKind
    column: str
    found: str
    advice: str
    remedies: tuple[Step, ...] = ()

    @property
    def words(self) -> str:
        """The finding and what to do."""
        return f"{self.found} {self.advice}"

    @property
    def leaves_out(self) -> bool:
        """Whether the column should be left out."""
        return not self.remedies

    @property
    def likely(self) -> bool:
        """Whether the remedy is a good guess: two similar words may well be two levels."""
        return self.kind is not IssueKind.TYPING_ERROR

    @property
    def remedy(self) -> str:
        """What would be done, in words."""
        return abbreviate([step.words() for step in self.remedies], 3) or f"leave out '{self.column}'"


def issues(dataset: Dataset) -> tuple[Issue, ...]:
    """The possible errors in the features and the outcome of a table, the worst first.

    For large tables, evenly spaced rows are checked.
    """
    some = dataset.spread(_MOST_ROWS)
    columns = list(zip(dataset.schema.columns, some.X.T, strict=True))
    others = (*dataset.groups, *filter(None, dataset.division.parts.values()))
    groups = [group for group in others if group.name not in dataset.schema.names]
    leaks = tuple(_leaks(some))
    leaking = {issue.column for issue in leaks}
    return (
        *alike_levels(dataset.outcome, dataset.classes, dataset.class_counts),
        *leaks,
        *(issue for column, values in columns if column.name not in leaking for issue in _no_feature(column, values)),
        *(issue for column, values in columns for issue in _codes(column, values)),
        *(issue for column, values in columns for issue in _alike(column.name, column.levels, values)),
        *(issue for column, values in columns if column.levels for issue in _odd_levels(column, values)),
        *(issue for group in groups for issue in _alike(group.name, group.levels, group.codes)),
    )


def _leaks(dataset: Dataset) -> Iterator[Issue]:
    """Columns that predict the outcome nearly without errors, or whose names suggest that they are known later.

    A column is judged by the errors of its best single split, or of the best prediction for each of its levels, plus
    one error for each level beyond two, which chance may explain. A missing value counts as a level.
    """
    # the levels that the outcome has once its spellings are joined
    same = np.arange(dataset.n_classes)
    for classes in _spellings(dataset.classes):
        same[classes] = classes[0]
    y = np.unique(same[dataset.y], return_inverse=True)[1]
    n_classes = int(y.max(initial=0)) + 1
    constant = dataset.n_samples - int(np.bincount(y, minlength=1).max())
    if dataset.n_samples < _FEW or constant < _FEW // 4:
        return
    unordered = np.array([column.kind is Kind.CATEGORICAL for column in dataset.schema.columns], bool)
    by_question = single_errors(dataset.X, y, np.ones(dataset.n_samples), unordered)
    for column, values, wrong in zip(dataset.schema.columns, dataset.X.T, by_question.tolist(), strict=True):
        # penalised errors, errors, and method
        found = [(wrong, wrong, "one question")]
        if column.levels:
            present, level = np.unique(values, return_inverse=True)
            counts = np.zeros((len(present), n_classes), np.int64)
            np.add.at(counts, (level, y), 1)
            errors = int((counts.sum(1) - counts.max(1)).sum())
            found.append((errors + max(int((~np.isnan(present)).sum()) - 2, 0), errors, "its levels"))
        penalised, errors, how = min(found)
        if penalised <= FEW_ERRORS * constant:
            yield Issue(
                IssueKind.LEAK,
                column.name,
                f"'{column.name}' alone predicts '{dataset.outcome}' in {dataset.n_samples - int(errors):,} of "
                f"{dataset.n_samples:,} rows (by {how}).",
                "If this column is known only after the outcome, or repeats the outcome in other words, leave the "
                "column out. New rows will not have it.",
            )
        elif _KNOWN_LATER.search(words_of(column.name)):
            yield Issue(
                IssueKind.KNOWN_LATER,
                column.name,
                f"The name '{column.name}' suggests a value that is known only after '{dataset.outcome}'.",
                "If so, leave the column out.",
            )


def _no_feature(column: Column, values: np.ndarray) -> Iterator[Issue]:
    """A feature that identifies persons or places, or is a date: new rows have other values."""
    if names_person(column.name):
        found = f"The name '{column.name}' suggests that it identifies a person."
        yield Issue(IssueKind.PERSON, column.name, found, "If so, leave the column out. New rows are other people.")
    elif names_place(column.name):
        found = f"The name '{column.name}' suggests the code of a place."
        advice = "It has no order and may identify a person. Leave it out, or merge its values to regions."
        yield Issue(IssueKind.PLACE, column.name, found, advice)
    elif column.kind is Kind.DATE and not np.isnan(values).all():
        first, last = (column.format(float(end)) for end in (np.nanmin(values), np.nanmax(values)))
        found = f"'{column.name}' is a date between {first} and {last}."
        advice = "New rows have later dates. Leave it out, or combine two dates to the days between them."
        yield Issue(IssueKind.DATE, column.name, found, advice)


def _codes(column: Column, values: np.ndarray) -> Iterator[Issue]:
    """Codes such as -99, 999 or 9999-12-31 that are farther from all other values than these are from each other."""
    if column.kind.has_levels:
        return
    known = parse_dates(DATE_CODES) if column.kind is Kind.DATE else [*CODES]
    present, count = np.unique(values[~np.isnan(values)], return_counts=True)
    is_code = np.isin(present, known)
    others = present[~is_code]
    if len(others) < 2:
        return
    low, high = float(others.min()), float(others.max())
    spread = high - low  # infinite for the largest numbers, from which no code is far
    for value, n in zip(present[is_code].tolist(), count[is_code].tolist(), strict=True):
        negative = value < 0 <= low and (value <= -10 or high >= _FEW or low >= 1)
        far = negative or value - high > spread or low - value > spread
        if far and (len(others) >= _FEW // 4 or abs(value) > _FEW):
            yield Issue(
                IssueKind.CODE,
                column.name,
                f"'{column.name}' is {column.format(value)} in {plural(n, 'row')}, and between "
                f"{column.format(low)} and {column.format(high)} elsewhere.",
                "If this value means 'not known', treat it as missing. Now it counts like any other value.",
                (Replace(column.name, (column.format(value),)),),
            )


_ABBREVIATED = ("female", "male", "yes", "no", "true", "false", "positive", "negative", "weiblich", "ja", "nein")
"""Words that tables abbreviate by their first letter."""

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def _alike(name: str, levels: tuple[str, ...], codes: np.ndarray) -> Iterator[Issue]:
    """The levels of a column or group that may be the same; `codes` is the level of each row, NaN or -1 for none."""
    if levels:
        counts = np.bincount(codes[codes >= 0].astype(np.int64), minlength=len(levels))
        yield from alike_levels(name, levels, counts)


def alike_levels(name: str, levels: tuple[str, ...], counts: np.ndarray) -> Iterator[Issue]:
    """Levels, classes or groups that may be the same.

    They differ only in capitals, blanks or hyphens, or are an initial and its word, or, if one is rare, differ in a
    letter or two.

    Parameters
    ----------
    name : the column; levels : its levels; counts : int64 (n_levels,), the number of rows with each.
    """
    same = _spellings(levels)
    yield from _maybe_same(IssueKind.ALIKE_LEVELS, name, levels, counts, same)
    others = [i for i in range(len(levels)) if not any(i in one[1:] for one in same)]
    pairs = combinations(others if len(levels) <= _MOST_LEVELS else [], 2)
    typos = [list(pair) for pair in pairs if _typo(levels, counts, *pair)]
    yield from _maybe_same(IssueKind.TYPING_ERROR, name, levels, counts, typos)


def _spellings(levels: Sequence[str]) -> list[list[int]]:
    """The positions of levels that are one word in several spellings, in lists of two or more."""
    words = [re.sub(r"[\W_]+", "", level.casefold().translate(_UMLAUTS)) for level in levels]
    # a single letter stands for the word that begins with it, if the column has this word, too
    letters = {word[0]: word for word in _ABBREVIATED if word in words}
    spellings: dict[str, list[int]] = defaultdict(list)
    for i, (level, word) in enumerate(zip(levels, words, strict=True)):
        spellings[letters.get(word, word) if level[:1].isalpha() else level].append(i)
    return [one for one in spellings.values() if len(one) > 1]


def _maybe_same(
    kind: IssueKind, name: str, levels: tuple[str, ...], counts: np.ndarray, alike: list[list[int]]
) -> Iterator[Issue]:
    """An issue that these levels of a column may be the same, if there are any."""
    if alike:
        groups = [" and ".join(f"'{levels[i]}'" for i in same) for same in alike]
        how = "a letter or two" if kind is IssueKind.TYPING_ERROR else "spelling"
        yield Issue(
            kind,
            name,
            f"Levels of '{name}' differ in {how} only: {abbreviate(groups, 3)}.",
            "If they mean the same, merge them. Now they count as different levels.",
            tuple(_joined(name, [levels[i] for i in same], counts[same]) for same in alike),
        )


def _joined(name: str, levels: list[str], counts: np.ndarray) -> Replace:
    """The step that merges levels into the most frequent of them that is more than an initial."""
    to = max(range(len(levels)), key=lambda i: (len(levels[i]) > 1, counts[i]))
    return Replace(name, tuple(levels), levels[to])


def _typo(levels: tuple[str, ...], counts: np.ndarray, a: int, b: int) -> bool:
    one, two = levels[a], levels[b]
    rare = min(counts[a], counts[b]) <= FEW_ERRORS * max(counts[a], counts[b])
    words = min(len(one), len(two)) >= 7 and not any(letter.isdigit() for letter in one + two)
    return bool(rare and words and SequenceMatcher(None, one, two).ratio() > 0.88)


def _odd_levels(column: Column, values: np.ndarray) -> Iterator[Issue]:
    """Words among numbers, such as 'not done', that make a column categorical, and codes such as -99 among words."""
    levels = column.levels
    numbers = parse_numbers(levels)
    of_words = np.isnan(numbers)
    n_words, n_numbers = int(of_words.sum()), int((~of_words).sum())
    if n_words and n_numbers >= _FEW // 2 and n_words <= n_numbers:
        odd, others = of_words, "numbers"
    elif n_words > 1 and n_numbers and np.isin(numbers[~of_words], [*CODES]).all():
        odd, others = ~of_words, "words"
    else:
        return
    texts = tuple(levels[i] for i in np.flatnonzero(odd))
    n = int(np.isin(values, np.flatnonzero(odd)).sum())
    if n and not (odd is of_words and any(letter.isdigit() for text in texts for letter in text)):
        yield Issue(
            IssueKind.CODE,
            column.name,
            f"'{column.name}' holds {others}, but {abbreviate(texts, 3)} in {plural(n, 'row')}, so the column is a "
            "category.",
            "If that means 'not known', treat it as missing.",
            (Replace(column.name, texts),),
        )


_SELDOM = 0.001
"""Differences with a smaller p-value are not explained by chance."""

_LARGE_SHIFT, _LARGE_CHANGE, _ANOTHER_UNIT = 0.4, 0.15, 3


def differences(train: Dataset, other: Dataset, names: Iterable[str]) -> Iterator[str]:
    """How rows of another file differ from the training rows, in sentences, the outcome first.

    The comparison covers the shares of levels (some share differs by 15 points or more), numbers and dates (the
    distribution functions differ by 0.4 or more), both by more than chance explains, and missing values.

    Parameters
    ----------
    train, other : rows in the same columns; names : the features to compare.
    """
    from scipy.stats import ks_2samp

    yield from _other_shares(train.outcome, train.classes, train.y, other.y)
    for name in names:
        column, at = train.schema[name], train.schema.index(name)
        before, now = train.X[:, at], other.X[:, at]
        gone, known_before, known_now = np.isnan(now), before[~np.isnan(before)], now[~np.isnan(now)]
        if gone.any() and not column.has_missing:
            yield f"'{name}' is missing in {plural(int(gone.sum()), 'row')}, but in no training row."
        if min(len(known_before), len(known_now)) < _FEW:
            continue
        yield from (issue.words for issue in _codes(column, now))
        if column.kind.has_levels:
            yield from _other_shares(name, column.levels, known_before.astype(int), known_now.astype(int))
            continue
        test = ks_2samp(known_before, known_now)
        if test.statistic >= _LARGE_SHIFT and test.pvalue < _SELDOM:
            middle_before, middle_now = median(known_before), median(known_now)
            ratio = abs(middle_now / middle_before) if middle_before else 0.0
            unit = column.kind is Kind.NUMERIC and not 1 / _ANOTHER_UNIT < ratio < _ANOTHER_UNIT
            yield (
                f"'{name}' is {_side(middle_before, middle_now)} here: half of its values are at most "
                f"{column.format(middle_now)}, and {column.format(middle_before)} in the training rows."
            ) + (" Check its unit." if unit else "")


def _side(before: float, now: float) -> str:
    return "larger" if now > before else "smaller" if now < before else "spread differently"


def _other_shares(name: str, levels: tuple[str, ...], before: np.ndarray, now: np.ndarray) -> Iterator[str]:
    from statsmodels.stats.proportion import proportions_ztest

    counts = np.array([np.bincount(codes, minlength=len(levels)) for codes in (before, now)])
    counts, seen = counts[:, counts.any(0)], np.flatnonzero(counts.any(0))
    shares = counts / counts.sum(1, keepdims=True)
    most = int(np.abs(shares[1] - shares[0]).argmax())
    large = counts.sum(1).min() >= _FEW and abs(shares[1, most] - shares[0, most]) >= _LARGE_CHANGE
    if large and proportions_ztest(counts[:, most], counts.sum(1))[1] < _SELDOM:
        here, there = (f"{100 * share:.0f}%" for share in shares[::-1, most])
        yield f"'{name}' is '{levels[seen[most]]}' in {here} of the rows, and in {there} of the training rows."
