"""The content of a report before layout: sections of text, tables, pictures and rules."""

import logging
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..errors import EspalierError
from ..metrics.words import DASH, percents

NOTHING = DASH

BLANK = "To be filled in by the author"
"""The text for facts that only the author knows."""


class Words(NamedTuple):
    """A paragraph; `strong` for important ones."""

    text: str
    strong: bool = False


class TableBlock(NamedTuple):
    """A table: its caption, headings, and rows with as many cells; the first column is text, the others are numbers.

    `wide` lists further text columns by position.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wide: tuple[int, ...] = ()


class Facts(NamedTuple):
    """Pairs of a name and its value."""

    rows: tuple[tuple[str, str], ...]


class Picture(NamedTuple):
    """The drawing of the model as SVG, and its text alternative."""

    svg: bytes
    words: str


class Preformatted(NamedTuple):
    """A text whose line breaks and indentation are kept."""

    text: str


Block = Words | TableBlock | Facts | Picture | Preformatted


class Section(NamedTuple):
    """A titled section of a report."""

    title: str
    blocks: tuple[Block, ...]


class Report(NamedTuple):
    """A report, ready for layout: its title, the lines below it, and its sections."""

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

    The text of an unexpected error may quote a row, so it goes to the log only.
    """
    if isinstance(error, EspalierError):
        return Words(f"This section could not be written. {error}", True)
    logging.getLogger(__name__).error("A section of a report could not be written.", exc_info=error)
    return Words(f"This section could not be written: internal error ({type(error).__name__}).", True)


def interval(low: float | None, high: float | None) -> str:
    """The limits of an interval of shares in per cent, '' if there is none."""
    return "" if low is None or high is None else percents(low, high)
