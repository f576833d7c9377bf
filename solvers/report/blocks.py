"""The content of a report before layout: sections of text, tables, pictures and rules."""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ..errors import EspalierError
from ..metrics import Estimate
from ..metrics.catalogue import Figure, Unit, describe_counts, format_interval, format_metric
from ..metrics.words import DASH, MINUS

BLANK = "To be filled in by the author"
"""The text for facts that only the author knows."""


class Words(NamedTuple):
    """A paragraph; `strong` for important ones."""

    text: str
    strong: bool = False


class TableBlock(NamedTuple):
    """A table: its caption, headings, and rows with as many cells; the first column is text, the others are numbers.

    `wide` lists further text columns by position, and `meanings` has those of headings and of names of rows.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wide: tuple[int, ...] = ()
    meanings: Mapping[str, str] = {}

    @property
    def transposed(self) -> "TableBlock":
        """The table with rows and columns exchanged."""
        head, *rows = zip(self.head, *self.rows, strict=True)
        return self._replace(head=head, rows=tuple(rows))


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


def shorten(text: object, longest: int) -> str:
    """A text on one line of at most `longest` characters, with an ellipsis where it was cut."""
    line = " ".join(str(text).split())
    return line if len(line) <= longest else line[: longest - 1] + "\u2026"


def figure_cell(found: Figure, unit: Unit = Unit.SHARE, *, counts: bool = True) -> str:
    """A metric with its interval and counts, for instance '94.1% (91.2-96.3%; 320/340)'; a dash if undefined."""
    more = "; ".join(filter(None, (format_interval(found, unit), describe_counts(found) if counts else "")))
    return format_metric(found, unit) + (f" ({more})" if more else "")


def rate_cell(found: Figure) -> str:
    """A share with its interval."""
    return figure_cell(found, counts=False)


def points(difference: float | None) -> str:
    """A difference of two shares in percentage points, with a true minus sign; a dash for `None`."""
    return DASH if difference is None else f"{100 * difference:.1f}".replace("-", MINUS)


def span(found: Estimate) -> str:
    """The 95% interval of a difference in percentage points; its ends may be negative."""
    return f"{points(found.low)} to {points(found.high)}"


def points_cell(found: Estimate | None) -> str:
    """A difference or a net benefit in percentage points, with its interval."""
    if found is None or found.low is None:
        return points(None if found is None else found.value)
    return f"{points(found.value)} ({span(found)})"
