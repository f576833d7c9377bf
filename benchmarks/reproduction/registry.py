"""A table of a paper: the cases measured for it, and its lines compared with ours, with a verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from benchmarks.tables import NOTHING

Result = Mapping[str, Any]
"""The result of a case as JSON values; `failure` is the reason for a missing result."""


class Verdict(StrEnum):
    """How our value compares with that of the paper."""

    REPRODUCED = "reproduced"
    BETTER = "better"
    DIFFERS = "differs"
    CITED = "cited only"
    OPEN = "not measured yet"
    OWN = "ours only"


@dataclass(frozen=True)
class Case:
    """One measurement.

    Attributes
    ----------
    measure : the function that carries it out, as 'paper.function'; see `measures`.
    arguments : its arguments in addition to the data folder and the limit, as JSON values.
    seconds : the limit.
    """

    measure: str
    arguments: Mapping[str, Any]
    seconds: float

    @property
    def key(self) -> str:
        """Identifies the measurement: two cases with one key are the same."""
        seconds = int(self.seconds) if self.seconds == int(self.seconds) else self.seconds
        return json.dumps([self.measure, dict(self.arguments), seconds], sort_keys=True)


@dataclass(frozen=True)
class Extent:
    """How much of a table is measured.

    Attributes
    ----------
    seconds : the limit of a case.
    seeds : how often rows are drawn or divided again.
    sets : the data sets; `None` for all that exist.
    depths : the depths, if the table has several.
    parts : the number of test parts of each division of the rows; `None` for all.
    """

    seconds: float
    seeds: int = 1
    sets: tuple[str, ...] | None = None
    depths: tuple[int, ...] = ()
    parts: int | None = None

    def first(self, count: int) -> range:
        """The first test parts, of a total number."""
        return range(count if self.parts is None else min(count, self.parts))


@dataclass(frozen=True)
class Line:
    """A line of the comparison: its cells, the verdict, and a short reason if the values differ."""

    cells: tuple[str, ...]
    verdict: Verdict
    cause: str = ""

    @property
    def told(self) -> str:
        """The verdict with its cause."""
        return f"{self.verdict}: {self.cause}" if self.cause else str(self.verdict)


@dataclass(frozen=True)
class Comparison:
    """The lines of a table under their headers, and sentences that the figures support."""

    headers: tuple[str, ...]
    lines: tuple[Line, ...]
    remarks: tuple[str, ...] = ()


Results = Callable[[Case], Result | None]
"""The known result of a case; `None` if it was not measured."""


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper.

    Attributes
    ----------
    key : its name on the command line, as 'contree-3'.
    place : as in the paper: 'Table 3'.
    shows : what it shows, in a phrase.
    setting : how the paper measured.
    full, medium : how much we measure at the full setting, and within about an hour.
    cases : the cases at an extent.
    compare : the comparison at an extent, from the known results.
    causes : why figures differ, in whole sentences.
    """

    key: str
    place: str
    shows: str
    setting: str
    full: Extent
    medium: Extent
    cases: Callable[[Extent], Sequence[Case]]
    compare: Callable[[Extent, Results], Comparison]
    causes: str = ""

    @property
    def settings(self) -> dict[str, Extent]:
        """The extent at each setting, the largest first."""
        return {"full": self.full, "medium": self.medium}

    @property
    def paper(self) -> str:
        """The paper that contains it."""
        return self.key.rsplit("-", 1)[0]

    def hours(self, extent: Extent) -> float:
        """The maximum hours of its cases, one after the other."""
        return sum({case.key: case.seconds for case in self.cases(extent)}.values()) / 3600


@dataclass(frozen=True)
class Paper:
    """A paper: its tables, its name in texts, and the public source of its data."""

    key: str
    citation: str
    data: str
    tables: tuple[PaperTable, ...]
    measures: Mapping[str, Callable[..., Result]] = field(default_factory=dict)


def higher(paper: float | None, ours: float | None, within: float, cause: str) -> tuple[Verdict, str]:
    """The verdict if more is better: reproduced within a distance, else better, or different for a cause."""
    if ours is None:
        return Verdict.OPEN, ""
    if paper is None:
        return Verdict.OWN, ""
    if abs(ours - paper) <= within:
        return Verdict.REPRODUCED, ""
    return (Verdict.BETTER, "") if ours > paper else (Verdict.DIFFERS, cause)


def lower(paper: float | None, ours: float | None, within: float, cause: str) -> tuple[Verdict, str]:
    """The verdict if less is better."""
    return higher(None if paper is None else -paper, None if ours is None else -ours, within, cause)


def shown(value: float | None, places: int = 1) -> str:
    """A number with this many decimals; a dash for none."""
    return NOTHING if value is None else f"{value:,.{places}f}"


def mean_of(results: Sequence[Result | None], key: str, factor: float = 1.0) -> float | None:
    """The mean of a value over the results that have it; `None` if none has."""
    known = [float(result[key]) for result in results if result is not None and result.get(key) is not None]
    return factor * sum(known) / len(known) if known else None


def clean(result: Result | None) -> Result:
    """A result without failures: empty if the case was not measured, or failed."""
    return {} if result is None or result.get("failure") else result


def known(results: Sequence[Result | None]) -> list[Result]:
    """Results of cases that were measured and did not fail."""
    return [result for result in map(clean, results) if result]
