"""What a report is made of, before it is a page: sections of words, tables, pictures and rules."""

import logging
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..errors import EspalierError
from ..metrics.words import DASH, percents

NOTHING = DASH

BLANK = "To be filled in by the author"
"""What only the author knows."""


class Words(NamedTuple):
    """A paragraph; `strong` for what must not be overlooked."""

    text: str
    strong: bool = False


class TableBlock(NamedTuple):
    """A table: its caption, heads, and rows of as many cells; the first column is of words, the others of numbers.

    `wide` columns hold words, too, by their positions.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wide: tuple[int, ...] = ()


class Facts(NamedTuple):
    """Pairs of a name and its value."""

    rows: tuple[tuple[str, str], ...]


class Picture(NamedTuple):
    """The drawing of the model as SVG, and what it shows for those who cannot see it."""

    svg: bytes
    words: str


class Preformatted(NamedTuple):
    """A text whose lines and indentation matter."""

    text: str


Block = Words | TableBlock | Facts | Picture | Preformatted


class Section(NamedTuple):
    """A titled part of a report."""

    title: str
    blocks: tuple[Block, ...]


class Report(NamedTuple):
    """A report, ready to be set: its title, the lines below it, and its sections."""

    title: str
    byline: tuple[str, ...]
    sections: tuple[Section, ...]


def blocks_or_reason(make: Callable[[], Iterable[Block]]) -> tuple[Block, ...]:
    """The blocks that `make` returns; if it fails, a paragraph that says why, so that the rest can be written."""
    try:
        return tuple(make())
    except Exception as error:
        return (reason(error),)


def reason(error: Exception) -> Words:
    """The replacement of a section that could not be written.

    The text of an error that was not foreseen may quote a row, so it goes to the log only.
    """
    if isinstance(error, EspalierError):
        return Words(f"This section could not be written. {error}", True)
    logging.getLogger(__name__).error("A section of a report could not be written.", exc_info=error)
    return Words(f"This section could not be written: internal error ({type(error).__name__}).", True)


def interval(low: float | None, high: float | None) -> str:
    """The ends of an interval of shares in per cent, '' where there is none."""
    return "" if low is None or high is None else percents(low, high)
