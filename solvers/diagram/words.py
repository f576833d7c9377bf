"""A diagram in words: the conditions that lead to a node, merged per column, and numbers as they are shown.

On the way to a node a column may be asked about more than once. 'age > 40' and later 'age <= 60' are one fact for a
reader, '40 < age <= 60'; `conditions` merges them exactly, with what each question does to missing values.
"""

import math
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from solvers.diagram.diagram import Diagram, NodeId
from solvers.problem import Column, Kind, LinearPredicate, Op, Predicate, Schema

MAX_WAYS = 32
"""How many ways to a node of a diagram are written out; a node may be reached in exponentially many."""

MAX_TRIED = 1024
"""How many ways are looked at: some contradict themselves or say what another one says."""

_DIRECTION_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")


def plain(text: str) -> str:
    """A text from the user's data as one printable line.

    Line breaks and tabs become blanks. Control characters, lone surrogates and marks that turn the writing direction
    become U+FFFD, so that a name can neither break a file format nor show itself as something else.
    """
    return "".join(
        " " if char in "\t\n\r\v\f\x85\u2028\u2029" else "\ufffd" if _is_unprintable(char) else char for char in text
    )


def _is_unprintable(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs") or char in _DIRECTION_MARKS or ord(char) & 0xFFFE == 0xFFFE


def quantity(value: float) -> str:
    """A number of rows or a weight: whole numbers without decimals, others with at most two."""
    return f"{value:.0f}" if value == round(value) else f"{value:.2f}".rstrip("0").rstrip(".")


def percent(part: float, whole: float) -> str:
    """A share in whole per cent, where 0 % means none and 100 % means all; 'no rows' where there are none."""
    if not whole > 0:
        return "no rows"
    share = 100 * part / whole
    if 0 < share < 0.5:
        return "<1 %"
    if 99.5 <= share < 100:
        return ">99 %"
    return f"{share:.0f} %"


@dataclass
class _Allowed:
    """The values of one column that can still come here, while questions are added."""

    column: Column
    low: float = -math.inf
    high: float = math.inf
    levels: set[int] = field(default_factory=set)
    known: bool = True
    missing: bool = True

    def __post_init__(self) -> None:
        self.levels = set(range(len(self.column.levels)))

    def add(self, predicate: Predicate, answer: bool) -> None:
        """Keep what answers the question so."""
        if predicate.missing != answer:
            self.missing = False
        if predicate.op is Op.MISSING:
            self.known &= not answer
        elif predicate.op is Op.IS:
            self.levels = {level for level in self.levels if (level == predicate.value) == answer}
        elif self.column.kind.has_levels:
            self.levels = {level for level in self.levels if (level <= predicate.value) == answer}
        elif answer:
            self.high = min(self.high, predicate.value)
        else:
            self.low = max(self.low, predicate.value)

    @property
    def values(self) -> bool:
        """Whether any known value can come here."""
        return self.known and self.low < self.high and (not self.column.kind.has_levels or bool(self.levels))

    def words(self) -> str | None:
        """What holds here, or `None` where nothing can."""
        name = plain(self.column.name)
        if not self.values:
            return f"{name} is missing" if self.missing else None
        claim = self._levels_claim(name) if self.column.kind.has_levels else self._interval_claim(name)
        claim = claim or f"{name} is known"
        return f"{claim} or missing" if self.missing and self.column.has_missing else claim

    def _interval_claim(self, name: str) -> str | None:
        low, high = (plain(self.column.format(end)) if math.isfinite(end) else None for end in (self.low, self.high))
        if low is not None and high is not None:
            return f"{low} < {name} <= {high}"
        if low is not None:
            return f"{name} > {low}"
        return f"{name} <= {high}" if high is not None else None

    def _levels_claim(self, name: str) -> str | None:
        texts = [plain(level) for level in self.column.levels]
        kept, gone = sorted(self.levels), sorted(set(range(len(texts))) - self.levels)
        if not gone:
            return None
        if len(kept) == 1:
            return f"{name} is {texts[kept[0]]}"
        if self.column.kind is Kind.ORDERED and kept == list(range(kept[0], kept[-1] + 1)):
            if kept[0] == 0:
                return f"{name} <= {texts[kept[-1]]}"
            if kept[-1] == len(texts) - 1:
                return f"{name} > {texts[kept[0] - 1]}"
            return f"{texts[kept[0] - 1]} < {name} <= {texts[kept[-1]]}"
        if len(gone) <= len(kept):
            return f"{name} is not {_listed([texts[i] for i in gone], 'or')}"
        return f"{name} is {_listed([texts[i] for i in kept], 'or')}"


@dataclass
class _AllowedSum:
    """The values of one weighted sum of columns that can still come here."""

    schema: Schema
    asked: LinearPredicate
    low: LinearPredicate | None = None
    high: LinearPredicate | None = None
    missing: bool = True

    def add(self, predicate: LinearPredicate, answer: bool) -> None:
        """Keep what answers the question so."""
        if predicate.missing != answer:
            self.missing = False
        if answer:
            self.high = predicate if self.high is None else min(self.high, predicate, key=lambda p: p.threshold)
        else:
            self.low = predicate if self.low is None else max(self.low, predicate, key=lambda p: p.threshold)

    def words(self) -> str | None:
        """What holds here, or `None` where nothing can."""
        if self.low is not None and self.high is not None and self.low.threshold >= self.high.threshold:
            return f"{self._told(self.asked)[0]} is missing" if self.missing else None
        if self.low is None or self.high is None:
            name, limit = self._told(self.low or self.high)
            claim = f"{name} {'<=' if self.low is None else '>'} {limit}"
        else:
            name, limit = self._told(self.high)
            claim = f"{self._told(self.low)[1]} < {name} <= {limit}"
        may_miss = any(self.schema[name].has_missing for name in self.asked.columns)
        return f"{claim} or missing" if self.missing and may_miss else claim

    def _told(self, asked: LinearPredicate) -> tuple[str, str]:
        """The sum and the threshold of a question as they are shown."""
        name, _, limit = plain(asked.words(self.schema, mention_missing=False)).rpartition(" <= ")
        return name, limit


def _listed(items: list[str], word: str) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"


def merged(diagram: Diagram, answers: Iterable[tuple[NodeId, bool]]) -> tuple[str, ...] | None:
    """What holds for a case that gave these answers, one condition a column or sum, in the order of the first question.

    Parameters
    ----------
    diagram : the model.
    answers : (split, answer) on the way.

    Returns
    -------
    The conditions in words, or `None` where two answers about the same column, or the same weighted sum, contradict
    each other.
    """
    allowed: dict[object, _Allowed | _AllowedSum] = {}
    for node, answer in answers:
        predicate = diagram.nodes[node].predicate
        if isinstance(predicate, LinearPredicate):
            state = allowed.setdefault(predicate.terms, _AllowedSum(diagram.schema, predicate))
        else:
            state = allowed.setdefault(predicate.column, _Allowed(diagram.schema[predicate.column]))
        state.add(predicate, answer)
    words = [state.words() for state in allowed.values()]
    return None if None in words else tuple(words)


def ways(diagram: Diagram, node: NodeId) -> Iterator[tuple[tuple[NodeId, bool], ...]]:
    """The ways from the root to a node, each as its (split, answer) steps; a tree has exactly one."""
    stack: list[tuple[NodeId, tuple[tuple[NodeId, bool], ...]]] = [(node, ())]
    while stack:
        at, below = stack.pop()
        if at == 0:
            yield below
        for parent, answer in reversed(diagram.parents[at]):
            stack.append((parent, ((parent, answer), *below)))


def conditions(diagram: Diagram, node: NodeId) -> tuple[tuple[str, ...], ...]:
    """The conditions that lead to a node: one tuple a way that a case can go, at most `MAX_WAYS`.

    A tree has one way; the root has one without conditions. Ways whose answers contradict each other are left out.
    """
    return told_ways(diagram, node)[0]


def told_ways(diagram: Diagram, node: NodeId) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """The conditions of the ways to a node, as `conditions` gives them, and whether these are all."""
    out: dict[tuple[str, ...], None] = {}
    for tried, way in enumerate(ways(diagram, node)):
        if len(out) == MAX_WAYS or tried == MAX_TRIED:
            return tuple(out), False
        words = merged(diagram, way)
        if words is not None:
            out[words] = None
    return tuple(out), True


def describe(diagram: Diagram, node: NodeId) -> str:
    """Which cases come to a node, for instance '40 < age <= 60 and sex is female'."""
    found, complete = told_ways(diagram, node)
    if not found:
        return "no case can come here" if complete else "many kinds of cases"
    if found[0] == ():
        return "all cases"
    if len(found) == 1 and complete:
        return " and ".join(found[0])
    text = " or ".join(f"({' and '.join(way)})" for way in found)
    return text if complete else f"{text} or another way"
