"""Describe a diagram in words: the conditions on the path to a node, merged per column, and formatted numbers.

A path may have several splits on one column. 'age is more than 40' and later 'age is at most 60' are one fact for a
reader, 'age is 41 to 60'; `conditions` merges them exactly, including how each split treats missing values.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..problem import Column, Kind, LinearPredicate, Schema
from ..problem.predicate import COMPARED, Terms, ascends, levels_claim, limit_text
from ..problem.texts import abbreviate
from .column_domain import ColumnDomain
from .diagram import Diagram, NodeId

MAX_WAYS = 32
"""Maximum number of paths to a node that are written out; a diagram may have exponentially many."""

MAX_TRIED = 1024
"""Maximum number of paths examined: some are contradictory or duplicates."""

_DIRECTION_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")


def plain(text: str) -> str:
    """A text from the user's data as one printable line.

    Line breaks and tabs become blanks. Control characters, lone surrogates and marks that change the writing direction
    become U+FFFD, so that a name can neither break a file format nor disguise itself.
    """
    return "".join(
        " " if char in "\t\n\r\v\f\x85\u2028\u2029" else "\ufffd" if _is_unprintable(char) else char for char in text
    )


def _is_unprintable(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs") or char in _DIRECTION_MARKS or ord(char) & 0xFFFE == 0xFFFE


def quantity(value: float) -> str:
    """Format a number of rows or a weight: integers without decimals, others with at most two."""
    return f"{value:.0f}" if value == round(value) else f"{value:.2f}".rstrip("0").rstrip(".")


def percent(part: float, whole: float) -> str:
    """Format a proportion in whole per cent; 0% means none and 100% means all; 'no rows' if there are none."""
    if not whole > 0:
        return "no rows"
    share = 100 * part / whole
    if 0 < share < 0.5:
        return "<1%"
    if 99.5 <= share < 100:
        return ">99%"
    return f"{share:.0f}%"


class _SumDomain(NamedTuple):
    """The splits whose thresholds bound a weighted sum, and whether the sum may be missing."""

    low: LinearPredicate | None = None
    high: LinearPredicate | None = None
    missing: bool = True

    def within(self, predicate: LinearPredicate, answer: bool) -> _SumDomain:
        """The part of this domain for which a split has this result."""
        missing = self.missing and predicate.missing == answer
        if answer:
            high = predicate if self.high is None else min(self.high, predicate, key=lambda p: p.threshold)
            return _SumDomain(self.low, high, missing)
        low = predicate if self.low is None else max(self.low, predicate, key=lambda p: p.threshold)
        return _SumDomain(low, self.high, missing)


def never_had(schema: Schema, columns: Iterable[str]) -> tuple[str, ...]:
    """Values that no training row has, one text per column: 'age missing', or 'ward missing, or none of A, B, C'."""
    out = []
    for column in (schema[name] for name in dict.fromkeys(columns)):
        had = [plain(level) for i, level in enumerate(column.levels) if i not in column.unseen_levels]
        none = f"none of {abbreviate(had, 8)}"
        if not column.has_missing:
            out.append(f"{plain(column.title)} missing" + (f", or {none}" if had else ""))
        elif had:
            out.append(f"{plain(column.title)} {none}")
    return tuple(out)


def _column_condition(column: Column, domain: ColumnDomain) -> str | None:
    """The condition on a column, or `None` if it is contradictory."""
    if not domain.has_known:
        return "is missing" if domain.missing else None
    if domain.levels is None:
        claim = _limits_claim(column, domain.low, domain.high)
    else:
        claim = _levels_claim(column, domain.levels)
    claim = claim or "is known"
    return f"{claim}, or missing" if domain.missing and column.has_missing else claim


def _limits_claim(column: Column, low: float, high: float) -> str:
    """The range of a value; integers by their minimum and maximum; '' if unrestricted."""
    if column.integral and column.kind is Kind.NUMERIC and math.isfinite(high - low):
        first, last = math.floor(low) + 1, math.floor(high)
        if first <= last:
            level = str(first) if first == last else f"{first} to {last}"
            return plain(f"is {column.with_unit(level)}")
        return _between(plain(column.format(low)), plain(column.with_unit(column.format(high))), column.kind)
    low_text, high_text = (plain(limit_text(column, end)) if math.isfinite(end) else None for end in (low, high))
    if low_text is not None and high_text is not None:
        low_text = low_text.removesuffix(plain(column.with_unit("")))
    return _between(low_text, high_text, column.kind)


def _sum_condition(schema: Schema, domain: _SumDomain) -> str | None:
    """The condition on a weighted sum, or `None` if it is contradictory."""
    ends = [end for end in (domain.low, domain.high) if end is not None]
    if len(ends) == 2 and ends[0].threshold >= ends[1].threshold:
        return "is missing" if domain.missing else None
    low, high = (None if end is None else end.limit for end in (domain.low, domain.high))
    claim = _between(low, high)
    may_miss = any(schema[column].has_missing for column in ends[0].columns)
    return f"{claim}, or missing" if domain.missing and may_miss else claim


def _between(low: str | None, high: str | None, kind: Kind = Kind.NUMERIC) -> str:
    """The condition on a value in the interval (low, high]; '' if it has no ends."""
    below, beyond = COMPARED[kind]
    if low is None:
        return "" if high is None else below.format(limit=high)
    claim = beyond.format(limit=low)
    return claim if high is None else f"{claim}, up to {high}"


def _levels_claim(column: Column, fitting: frozenset[int]) -> str:
    """The possible levels of a column; '' if all are possible."""
    if len(fitting) == len(column.levels):
        return ""
    first, last = min(fitting), max(fitting)
    is_range = last - first == len(fitting) - 1 > 0
    if column.kind is Kind.ORDERED and is_range and ascends(column.levels):
        ends = (None if first == 0 else first - 1, None if last == len(column.levels) - 1 else last)
        low, high = (None if end is None else plain(column.levels[end]) for end in ends)
        return _between(low, high, column.kind)
    return plain(levels_claim(column, fitting))


def merge_paths(diagram: Diagram, answers: Iterable[tuple[NodeId, bool]]) -> tuple[str, ...] | None:
    """The conditions that follow from these results of splits, one per column or sum; see `merged_by_subject`."""
    found = merged_by_subject(diagram, answers)
    return None if found is None else tuple(f"{name} {claim}" for name, claim in found.items())


def merged_by_subject(diagram: Diagram, answers: Iterable[tuple[NodeId, bool]]) -> dict[str, str] | None:
    """The condition on each column or sum, in the order of the first split: 'is 41 to 60' for 'age'.

    The results are (split, result) pairs on a path. `None` if two results for the same column, or the same weighted
    sum, contradict each other.
    """
    schema = diagram.schema
    columns: dict[str, ColumnDomain] = {}
    sums: dict[Terms, _SumDomain] = {}
    order: dict[str | Terms, None] = {}
    for number, answer in answers:
        predicate = diagram.split(number).predicate
        if isinstance(predicate, LinearPredicate):
            sums[predicate.terms] = sums.get(predicate.terms, _SumDomain()).within(predicate, answer)
            order[predicate.terms] = None
        else:
            before = columns.get(predicate.column) or ColumnDomain.whole(schema[predicate.column], integral=False)
            columns[predicate.column] = before.within(predicate, answer)
            order[predicate.column] = None
    found: dict[str, str] = {}
    for subject in order:
        if isinstance(subject, str):
            name, claim = plain(schema[subject].title), _column_condition(schema[subject], columns[subject])
        else:
            ends = (sums[subject].low, sums[subject].high)
            name = next(plain(end.subject(schema)) for end in ends if end is not None)
            claim = _sum_condition(schema, sums[subject])
        if claim is None:
            return None
        found[name] = claim
    return found


def ways(diagram: Diagram, node: NodeId) -> Iterator[tuple[tuple[NodeId, bool], ...]]:
    """The paths from the root to a node, each as (split, result) steps; a tree has exactly one."""
    stack: list[tuple[NodeId, tuple[tuple[NodeId, bool], ...]]] = [(node, ())]
    while stack:
        at, below = stack.pop()
        if at == 0:
            yield below
        for parent, answer in reversed(diagram.parents[at]):
            stack.append((parent, ((parent, answer), *below)))


def conditions(diagram: Diagram, node: NodeId) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """The conditions that lead to a node, one tuple per path, at most `MAX_WAYS`, and whether these are all.

    A tree has one path; the root has one without conditions. Contradictory paths are omitted.
    """
    out: dict[tuple[str, ...], None] = {}
    for tried, way in enumerate(ways(diagram, node)):
        if len(out) == MAX_WAYS or tried == MAX_TRIED:
            return tuple(out), False
        words = merge_paths(diagram, way)
        if words is not None:
            out[words] = None
    return tuple(out), True


def describe(diagram: Diagram, node: NodeId) -> str:
    """The rows that reach a node, for instance 'age is 41 to 60 and sex is female'."""
    found, complete = conditions(diagram, node)
    both = " and "
    if not found:
        return "no row can reach this node" if complete else "many kinds of rows"
    if found[0] == ():
        return "all rows"
    if len(found) == 1 and complete:
        return both.join(found[0])
    text = " or ".join(f"({both.join(way)})" for way in found)
    return text if complete else f"{text} or another value"
