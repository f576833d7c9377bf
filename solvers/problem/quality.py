"""What may be wrong with a table, found before it does harm: codes among numbers, levels that are one, columns that say
the same, and columns that tell the outcome.

Nothing is changed. Each suspicion names its column and the evidence, and whoever knows the table judges.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

import numpy as np

from .columns import Column, Kind, parse_dates
from .dataset import Dataset
from .division import Group
from .fill_values import median
from .identifiers import words_of
from .preparation import JoinLevels, Step, TreatAsMissing
from .texts import abbreviated, parse_numbers, plural

CODES = frozenset(sign * int(digit * times) for sign in (1, -1) for digit in "789" for times in range(2, 11)) | {
    *(-1, -7, -8, -9),
    *(98, 998, 9998, 97, 997, 9997),
}
"""Numbers that files hold where a value is not known."""

DATE_CODES = (
    *("1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01"),
    *("2099-12-31", "2999-12-31", "9999-12-31"),
)
"""The same for dates."""

_KNOWN_LATER = re.compile(
    r"\b(death|died|deceased|autopsy|post ?mortem|discharged?( (date|time|day|status|to|destination|disposition))|"
    r"length of stay|los|follow ?up|readmi\w+|cause of death|time to event|survival( (time|days|months))?|"
    r"entlass(ung|dat|art|tag)\w*|liegedauer|verweildauer|tod|todes\w*|verstorben\w*|sterbe\w+|exitus|überleb\w+|"
    r"nachbeobachtung\w*)\b|^discharged$"
)
"""Words in a name that say that the column is filled in after the outcome."""

FEW_MISTAKES = 0.05
"""A column tells the outcome if by itself it leaves at most this share of the mistakes of the constant answer."""

SAME = 0.01
"""Two columns are the same if at most this share of what can differ between them does."""

_MOST_ROWS, _MOST_COLUMNS, _MOST_LEVELS, _FEW = 5000, 500, 60, 20


class IssueKind(StrEnum):
    """What may be wrong."""

    CODE = "code"
    ALIKE_LEVELS = "alike levels"
    SAME_COLUMN = "same column"
    TELLS_OUTCOME = "tells outcome"
    KNOWN_LATER = "known later"


class Issue(NamedTuple):
    """Something that may be wrong with a table.

    Attributes
    ----------
    kind : what it is; column : where.
    words : what was found, with its evidence, and what to do.
    remedies : the steps of a preparation that would correct it, if there are any.
    """

    kind: IssueKind
    column: str
    words: str
    remedies: tuple[Step, ...] = ()


def issues(dataset: Dataset) -> tuple[Issue, ...]:
    """What may be wrong with the features and the outcome of a table, the worst first.

    Of large tables evenly spaced rows are looked at, and pairs of the first columns.
    """
    some = dataset.spread(_MOST_ROWS)
    columns = list(zip(dataset.schema.columns, some.X.T, strict=True))
    return (
        *(issue for column, values in columns for issue in _telling_outcome(some, column, values)),
        *(issue for column, values in columns for issue in _codes(column, values)),
        *alike_levels(dataset.outcome, dataset.classes, dataset.class_counts),
        *(issue for column, values in columns if column.levels for issue in _alike(column, values)),
        *(issue for column, values in columns if column.levels for issue in _odd_levels(column, values)),
        *(issue for group in _other_groups(dataset) for issue in _alike_groups(group)),
        *_same_columns(columns[:_MOST_COLUMNS]),
    )


def _other_groups(dataset: Dataset) -> Iterator[Group]:
    """The groups by which rows are compared or divided that are no features."""
    for group in (*dataset.groups, *filter(None, dataset.division.parts.values())):
        if group.levels and group.name not in dataset.schema.names:
            yield group


def _alike_groups(group: Group) -> Iterator[Issue]:
    counts = np.bincount(group.codes[group.codes >= 0], minlength=len(group.levels))
    return alike_levels(group.name, group.levels, counts)


def _telling_outcome(dataset: Dataset, column: Column, values: np.ndarray) -> Iterator[Issue]:
    """Whether one column alone predicts the outcome nearly without a mistake, or is called like what is known later.

    Compared are the errors of its best thresholds, at most two, or of the best prediction for each of its levels, plus
    one for each choice but the first, which chance may explain; a missing value counts as a level.
    """
    constant = dataset.n_samples - int(dataset.class_counts.max())
    if dataset.n_samples < _FEW or constant < _FEW // 4:
        return
    missing = np.isnan(values)
    of_missing = _mistakes(_counts(dataset, missing)[:, None])
    absent = _mistakes(np.column_stack([_counts(dataset, missing), _counts(dataset, ~missing)]))
    # penalised errors, errors, and how the column says it
    found = [(absent, absent, "whether it is filled in")]
    if column.kind.has_levels:
        levels = np.column_stack([_counts(dataset, values == k) for k in range(len(column.levels))])
        errors, n_levels = _mistakes(levels) + of_missing, int((levels.sum(0) > 0).sum())
        found.append((errors + max(n_levels - 2, 0), errors, "its levels"))
    else:
        wrong, limits = _cut(dataset, values)
        if limits:
            low, high = column.format(limits[0]), column.format(limits[-1])
            how = f"one question, whether it is at most {low}"
            if len(limits) > 1:
                how = f"two questions, whether it is more than {low} and at most {high}"
            errors = wrong + of_missing
            found.append((errors + len(limits) - 1, errors, how))
    penalised, errors, how = min(found, key=lambda one: one[0])
    if penalised <= FEW_MISTAKES * constant:
        yield Issue(
            IssueKind.TELLS_OUTCOME,
            column.name,
            f"'{column.name}' alone tells '{dataset.outcome}' in {dataset.n_samples - errors} of "
            f"{plural(dataset.n_samples, 'row')} (by {how}). If it is known only after the outcome, or says "
            "the same in other words, leave it out: a model that asks for it is worth nothing for new cases.",
        )
    elif _KNOWN_LATER.search(words_of(column.name)):
        yield Issue(
            IssueKind.KNOWN_LATER,
            column.name,
            f"'{column.name}' sounds as if it were known only after '{dataset.outcome}'. If so, leave it out.",
        )


def _counts(dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """The number of rows of each class among some, int64 (n_classes,)."""
    return np.bincount(dataset.y[rows], minlength=dataset.n_classes)


def _mistakes(counts: np.ndarray) -> int:
    """The mistakes of the best answers for groups of rows, int64 (n_classes, n_groups)."""
    return int((counts.sum(0) - counts.max(0)).sum())


def _cut(dataset: Dataset, values: np.ndarray) -> tuple[int, tuple[float, ...]]:
    """The least mistakes of the best answers for two ranges of numbers, and the limit between them; of three ranges,
    and both limits, where these make two mistakes less. No limits where the numbers are all the same.
    """
    known = ~np.isnan(values)
    present, at = np.unique(values[known], return_inverse=True)
    if len(present) < 2:
        return dataset.n_samples, ()
    counts = np.zeros((len(present), dataset.n_classes), np.int64)
    np.add.at(counts, (at, dataset.y[known]), 1)
    below = counts.cumsum(0)[:-1]
    first, last = below.max(1), (counts.sum(0) - below).max(1)
    two = first + last
    # what the best first range ahead of each limit wins over giving its rows the answer of the range between
    ahead = np.maximum.accumulate(first[:, None] - below, axis=0)
    three = (ahead + below).max(1) + last
    if three.max() < two.max() + 2:
        return int(known.sum() - two.max()), (present[two.argmax()],)
    high = int(three.argmax())
    won = first[: high + 1] + (below[high] - below[: high + 1]).max(1)
    return int(known.sum() - three.max()), (present[won.argmax()], present[high])


def _codes(column: Column, values: np.ndarray) -> Iterator[Issue]:
    """Numbers such as -99 or 999, or dates such as 9999-12-31, that lie farther from all others than these from each
    other.
    """
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
                f"{column.format(low)} and {column.format(high)} elsewhere. If it stands for 'not known', treat it "
                "as missing: as a value it is counted like any other.",
                (TreatAsMissing(column.name, (column.format(value),)),),
            )


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def _alike(column: Column, values: np.ndarray) -> Iterator[Issue]:
    counts = np.bincount(values[np.isfinite(values)].astype(np.int64), minlength=len(column.levels))
    return alike_levels(column.name, column.levels, counts)


def alike_levels(name: str, levels: tuple[str, ...], counts: np.ndarray) -> Iterator[Issue]:
    """Levels, classes or groups that differ in capitals, blanks or hyphens, and rare ones that do in a letter or two.

    Parameters
    ----------
    name : the column; levels : its levels; counts : int64 (n_levels,), how many rows have each.
    """
    spellings: dict[str, list[int]] = defaultdict(list)
    for i, level in enumerate(levels):
        plain = re.sub(r"[\W_]+", "", level.casefold().translate(_UMLAUTS))
        spellings[plain if level[:1].isalpha() else level].append(i)
    same = [one for one in spellings.values() if len(one) > 1]
    yield from _maybe_same(name, levels, counts, same, "capitals, blanks or hyphens")
    others = [one[0] for one in spellings.values()] if len(levels) <= _MOST_LEVELS else []
    typos = [list(pair) for pair in combinations(others, 2) if _typo(levels, counts, *pair)]
    yield from _maybe_same(name, levels, counts, typos, "a letter or two")


def _maybe_same(
    name: str, levels: tuple[str, ...], counts: np.ndarray, alike: list[list[int]], how: str
) -> Iterator[Issue]:
    """That these levels of a column may be the same, where there are any."""
    if alike:
        groups = [" and ".join(f"'{levels[i]}'" for i in same) for same in alike]
        yield Issue(
            IssueKind.ALIKE_LEVELS,
            name,
            f"Levels of '{name}' differ in {how} only: {abbreviated(groups, 3)}. If they are the same, join them: "
            "they count as different.",
            tuple(_joined(name, [levels[i] for i in same], counts[same]) for same in alike),
        )


def _joined(name: str, levels: list[str], counts: np.ndarray) -> JoinLevels:
    """The step that counts levels as the most frequent of them."""
    return JoinLevels(name, tuple(levels), levels[int(counts.argmax())])


def _typo(levels: tuple[str, ...], counts: np.ndarray, a: int, b: int) -> bool:
    one, two = levels[a], levels[b]
    rare = min(counts[a], counts[b]) <= FEW_MISTAKES * max(counts[a], counts[b])
    words = min(len(one), len(two)) >= 7 and not any(letter.isdigit() for letter in one + two)
    return bool(rare and words and SequenceMatcher(None, one, two).ratio() > 0.88)


def _odd_levels(column: Column, values: np.ndarray) -> Iterator[Issue]:
    """Words among numbers, such as 'not done', that make a category of a column, and codes such as -99 among words."""
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
            f"'{column.name}' holds {others}, but {abbreviated(texts, 3)} in {plural(n, 'row')}, so that it is a "
            "category. If that stands for 'not known', treat it as missing.",
            (TreatAsMissing(column.name, texts),),
        )


def _same_columns(columns: list[tuple[Column, np.ndarray]]) -> Iterator[Issue]:
    """Pairs of columns of which one is the other, but for the unit or the names of the levels."""
    alike: dict[tuple[bool, int], list[int]] = defaultdict(list)
    for j, (column, values) in enumerate(columns):
        if len(np.unique(values)) > 1:
            alike[column.kind is Kind.CATEGORICAL, len(column.levels)].append(j)
    pairs = [pair for members in alike.values() for pair in _same([columns[j] for j in members])]
    if pairs:
        named = abbreviated([f"'{one}' and '{two}'" for one, two in pairs], 3)
        yield Issue(
            IssueKind.SAME_COLUMN,
            pairs[0][1],
            f"{plural(len(pairs), 'pair')} of columns say nearly the same of each row: {named}. One of each is "
            "enough: a question about one may stand for the other.",
        )


def _same(columns: list[tuple[Column, np.ndarray]]) -> Iterator[tuple[str, str]]:
    """The pairs among columns with as many levels."""
    some = columns[0][0]
    X = np.array([values for _, values in columns])
    missing = np.isnan(X)
    if some.kind is Kind.CATEGORICAL:
        candidates = list(combinations(range(len(X)), 2)) if len(X) <= _MOST_LEVELS else []
    else:
        # in units of the largest value, so that no sum is infinite
        X = X / np.maximum(np.nanmax(np.abs(X), axis=1, keepdims=True), 1e-300)
        n = (~missing).sum(1, keepdims=True)
        centred = np.where(missing, 0, X - np.where(missing, 0, X).sum(1, keepdims=True) / n)
        centred /= np.maximum(np.abs(centred).max(1, keepdims=True), 1e-300)
        norm = np.linalg.norm(centred, axis=1)
        correlation = np.abs(centred @ centred.T) / np.maximum(np.outer(norm, norm), 1e-300)
        least = 1 - 10 * SAME if some.levels else 1 - SAME / 10
        candidates = [(int(a), int(b)) for a, b in np.argwhere(np.triu(correlation > least, 1))]
    for a, b in candidates:
        same_gaps = (missing[a] != missing[b]).mean() <= SAME
        if same_gaps and (not some.levels or _differences(X[a], X[b]) <= SAME):
            yield columns[a][0].name, columns[b][0].name


def _differences(one: np.ndarray, two: np.ndarray) -> float:
    """In how many rows two columns disagree, as a share of the rows in which either is not at its most frequent level.

    A level of one counts as the level of the other that most of its rows have.
    """
    first, second = np.unique(one, return_inverse=True)[1], np.unique(two, return_inverse=True)[1]
    table = np.zeros((first.max() + 1, second.max() + 1), np.int64)
    np.add.at(table, (first, second), 1)
    wrong = len(one) - min(table.max(0).sum(), table.max(1).sum())
    return float(wrong / (len(one) - max(table.sum(0).max(), table.sum(1).max())))


_SELDOM_APART, _SELDOM_SHARES = 1.949, 3.291
"""Beyond these chance alone leads more seldom than once in a thousand: the distance of two distribution functions times
the root of n m / (n + m) (Kolmogorov and Smirnov), and the difference of two shares over its standard error.
"""

_LARGE_SHIFT, _LARGE_CHANGE, _ANOTHER_UNIT = 0.4, 0.15, 3


def differences(train: Dataset, other: Dataset, names: Iterable[str]) -> Iterator[str]:
    """How rows of another file differ from the training rows, in sentences, the outcome first.

    Compared are the shares of levels (some share differs by 15 points or more), numbers and dates (the distribution
    functions differ by 0.4 or more), both by more than chance explains, and missing values.

    Parameters
    ----------
    train, other : rows in the same columns; names : the features that are compared.
    """
    yield from _other_shares(train.outcome, train.classes, train.y, other.y)
    for name in names:
        column, at = train.schema[name], train.schema.index(name)
        before, now = train.X[:, at], other.X[:, at]
        gone, known_before, known_now = np.isnan(now), before[~np.isnan(before)], now[~np.isnan(now)]
        if gone.any() and not column.has_missing:
            yield f"'{name}' is missing in {plural(int(gone.sum()), 'row')}; no training row lacks it."
        if min(len(known_before), len(known_now)) < _FEW:
            continue
        yield from (issue.words for issue in _codes(column, now))
        if column.kind.has_levels:
            yield from _other_shares(name, column.levels, known_before.astype(int), known_now.astype(int))
            continue
        both = np.concatenate((known_before, known_now))
        ranks = (np.searchsorted(np.sort(known), both, "right") / len(known) for known in (known_before, known_now))
        apart = float(np.abs(np.subtract(*ranks)).max())
        size = len(known_before) * len(known_now) / len(both)
        if apart >= _LARGE_SHIFT and apart * size**0.5 > _SELDOM_APART:
            middle_before, middle_now = median(known_before), median(known_now)
            ratio = abs(middle_now / middle_before) if middle_before else 0.0
            unit = column.kind is Kind.NUMERIC and not 1 / _ANOTHER_UNIT < ratio < _ANOTHER_UNIT
            yield (
                f"'{name}' is {_side(middle_before, middle_now)} here: half of its values are at most "
                f"{column.format(middle_now)}, and {column.format(middle_before)} in the training rows."
            ) + (" Is it in another unit?" if unit else "")


def _side(before: float, now: float) -> str:
    return "larger" if now > before else "smaller" if now < before else "spread otherwise"


def _other_shares(name: str, levels: tuple[str, ...], before: np.ndarray, now: np.ndarray) -> Iterator[str]:
    counts = np.array([np.bincount(codes, minlength=len(levels)) for codes in (before, now)])
    counts, seen = counts[:, counts.any(0)], np.flatnonzero(counts.any(0))
    shares = counts / counts.sum(1, keepdims=True)
    most = int(np.abs(shares[1] - shares[0]).argmax())
    large = counts.sum(1).min() >= _FEW and abs(shares[1, most] - shares[0, most]) >= _LARGE_CHANGE
    pooled = counts[:, most].sum() / counts.sum()
    deviation = (pooled * (1 - pooled) * (1 / counts.sum(1)).sum()) ** 0.5
    if large and abs(shares[1, most] - shares[0, most]) > _SELDOM_SHARES * deviation:
        here, there = (f"{100 * share:.0f} %" for share in shares[::-1, most])
        yield f"'{name}' is '{levels[seen[most]]}' in {here} of the rows, and in {there} of the training rows."
