"""Levels with a commonly known order: low/medium/high, grade I to IV, Monday to Sunday, 20-29 to 60+."""

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

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
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BELOW = re.compile(rf"(?:<|<=|≤|under|below|less than|up to) ?{_NUMBER}")
_FROM_TO = re.compile(rf"[\[(]?{_NUMBER} ?(?:-|–|to|\.\.|,) ?{_NUMBER}[\])]?")
_ABOVE = re.compile(rf"(?:(?:>|>=|≥|over|above|more than) ?{_NUMBER}|{_NUMBER} ?(?:\+|or more|and over))")
_ALONE = re.compile(_NUMBER)
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
    if match := _BELOW.fullmatch(word):
        return -math.inf, float(match[1])
    if match := _FROM_TO.fullmatch(word):
        low, high = float(match[1]), float(match[2])
        return (low, high) if low <= high else None
    if match := _ABOVE.fullmatch(word):
        return float(match[1] or match[2]), math.inf
    if match := _ALONE.fullmatch(word):
        return float(match[1]), float(match[1])
    return None
