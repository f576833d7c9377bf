"""The texts of a drawing: splits that fit their boxes, tooltips, and Graphviz's HTML-like labels.

All texts from the user's data pass through `plain` and are escaped for their place; long ones are abbreviated in the
drawing and complete in the tooltip.
"""

import html
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..problem import LinearPredicate, Op, Predicate, Schema
from .diagram import Diagram
from .words import plain

BLACK_SQUARE = "\N{BLACK SQUARE}"
NO_BREAK = "\N{NO-BREAK SPACE}"
LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"
"""Invisible: the following line runs from left to right, whatever its first letter is."""

QUESTION_WIDTH = 20
QUESTION_LINES = 4
CLAIM_LENGTH = 40
OUTCOME_LENGTH = 24
COMMENT_LENGTH = 90
TOOLTIP_LENGTH = 2000
BAR_WIDTH, BARS_HEIGHT = 8, 30
SCALE_WIDTH, SCALE_HEIGHT = 120, 8
SHARES_WIDTH = 84
"""Width in points."""


class Bars(NamedTuple):
    """A histogram of the rows of a node by the value of its split, with classes.

    Attributes
    ----------
    weights : the weight of each class in each bar, float64 (n_bars, n_classes); bars of the yes side come first.
    cut : the number of bars of the yes side.
    words : the range of the bars, and the number of rows with missing values.
    at : the value at the end of the yes side; bars of levels are at 0, 1, ...
    width : of each bar, in units of the value.
    names : the names of the bars if they are levels.
    """

    weights: np.ndarray
    cut: int
    words: str
    at: float = 0.0
    width: float = 1.0
    names: tuple[str, ...] = ()


class Scale(NamedTuple):
    """A proportion with its 95% interval, each 0 to 1."""

    low: float
    value: float
    high: float


def question(predicate: Predicate | LinearPredicate, schema: Schema, *, missing: bool = True) -> str:
    """The text of a split. Long column names are abbreviated in the middle, so that the threshold stays visible.

    A weighted sum that is too long for its box is replaced with the number of its columns. Thresholds are not broken.
    `missing` as for `spoken`.
    """
    room = QUESTION_WIDTH * QUESTION_LINES - 2 * QUESTION_LINES
    name, claim = (
        plain(predicate.subject(schema)),
        plain(_asked(predicate.claim(schema, True, None if missing else False))),
    )
    if isinstance(predicate, LinearPredicate) or predicate.op is Op.LE:
        limit = plain(_asked(predicate.claim(schema, True, False)))
        verb, _, rest = limit.partition(" ")
        if len(limit) < QUESTION_WIDTH:
            claim = f"{verb}{NO_BREAK if verb == 'at' else ' '}{rest.replace(' ', NO_BREAK)}{claim.removeprefix(limit)}"
    claim = cut(claim.replace("or missing", f"or{NO_BREAK}missing"), CLAIM_LENGTH)
    if isinstance(predicate, LinearPredicate) and len(name) + len(claim) > room:
        name = f"a sum of {len(set(predicate.columns))} columns"
    return f"{cut(name, room - len(claim))} {claim}?"


def asked(predicate: Predicate | LinearPredicate, schema: Schema, *, missing: bool = True) -> str:
    """The whole question of a split, such as 'Lactate at most 1.5 mmol/L?'; `missing` as for `spoken`."""
    claim = predicate.claim(schema, True, None if missing else False)
    return f"{plain(predicate.subject(schema))} {plain(_asked(claim))}?"


def _asked(claim: str) -> str:
    return claim.removeprefix("is ") if claim.startswith("is at most ") else claim


def spoken(
    predicate: Predicate | LinearPredicate, schema: Schema, answer: bool | None = None, *, missing: bool = True
) -> str:
    """The condition of a split, or of one of its sides: 'age is at most 62', 'age is more than 62'.

    `missing` includes 'or missing' if it applies.
    """
    claim = predicate.claim(schema, answer is not False, None if missing else False)
    return f"{plain(predicate.subject(schema))} {plain(claim)}"


def answer(diagram: Diagram, label: int) -> str:
    """The prediction of a leaf with the outcome: 'died: yes', and for outcomes of 0 and 1 'died: yes (1)'."""
    name = plain(diagram.classes[label])
    if set(diagram.classes) == {"0", "1"}:
        name = f"{'yes' if name == '1' else 'no'} ({name})"
    return f"{cut(plain(diagram.outcome), OUTCOME_LENGTH)}: {name}"


def wrapped(text: str) -> list[str]:
    """Wrap a text to the lines of a box; longer texts are abbreviated."""
    lines = _Wrapper(QUESTION_WIDTH, break_on_hyphens=False).wrap(cut(text, QUESTION_WIDTH * QUESTION_LINES))
    return lines or ["(no name)"]


class _Wrapper(textwrap.TextWrapper):
    """Breaks lines at blanks and, for column names, after '_', '.', '/' and '-'."""

    wordsep_simple_re = re.compile(r"([ ]+|(?<=[_./-])(?=[^\W\d_]))")


def cut(text: str, length: int) -> str:
    """Abbreviate a text longer than `length` in the middle."""
    if len(text) <= length:
        return text
    keep = length - 1
    return f"{text[: keep - keep // 3]}…{text[len(text) - keep // 3 :]}"


def comment(text: str) -> str:
    """A text as a comment in code: on one line, and abbreviated."""
    return cut(plain(text), COMMENT_LENGTH)


def tooltip(text: str) -> str:
    """A text as the value of a tooltip: abbreviated, escaped, and marked so that it is never read as HTML."""
    import graphviz

    short = text if len(text) <= TOOLTIP_LENGTH else text[: TOOLTIP_LENGTH - 1] + "…"
    # Graphviz resolves backslashes twice in a tooltip, but once in a label
    marked: str = graphviz.nohtml(short.replace("&", "&amp;").replace("\\", 4 * "\\").replace("\n", "\\n"))
    return marked


def runs_leftwards(text: str) -> bool:
    """Whether a text has letters of a right-to-left script."""
    return any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)


def font(lines: Iterable[str], colour: str, size: int = 13, bold: bool = False) -> str:
    """Lines of text as an HTML-like label, all from left to right; right-to-left names in them keep their direction."""
    marked = (LEFT_TO_RIGHT + line if runs_leftwards(line) else line for line in lines)
    text = "<BR/>".join(html.escape(line).replace("\\", "\\\\") for line in marked)
    text = f"<B>{text}</B>" if bold else text
    return f'<FONT COLOR="{colour}" POINT-SIZE="{size}">{text}</FONT>'


def table(rows: Iterable[str], left: bool = False) -> str:
    """Stack HTML-like labels vertically."""
    align = ' ALIGN="LEFT"' if left else ""
    cells = "".join(f"<TR><TD{align}>{row}</TD></TR>" for row in rows)
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">{cells}</TABLE>>'


def lift(height: float) -> str:
    """Space below a line of text, as an HTML-like label."""
    return f'<BR/><FONT POINT-SIZE="{max(1, round(height))}"> </FONT>'


def bar(parts: Iterable[tuple[float, str]]) -> str:
    """A thin bar divided into (proportion, colour)."""
    cells = "".join(
        f'<TD FIXEDSIZE="TRUE" WIDTH="{max(1, round(SHARES_WIDTH * share))}" HEIGHT="5" BGCOLOR="{colour}"></TD>'
        for share, colour in parts
    )
    size = f'FIXEDSIZE="TRUE" WIDTH="{SHARES_WIDTH}" HEIGHT="5"'
    return f'<TABLE {size} BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>{cells}</TR></TABLE>'


def histogram(bars: Bars, order: Sequence[int], colours: Sequence[str], ground: str, ink: str) -> str:
    """A stacked histogram of classes, in this order, with a line at the threshold, as an HTML-like label."""
    columns = [_column(heights, order, colours, ground) for heights in bar_heights(bars)]
    line = _block(2, BARS_HEIGHT, ink)
    cells = "".join(f'<TD VALIGN="BOTTOM">{column}</TD>' for column in columns[: bars.cut])
    cells += f"<TD>{line}</TD>"
    cells += "".join(f'<TD VALIGN="BOTTOM">{column}</TD>' for column in columns[bars.cut :])
    return f"<TABLE {_TIGHT} {_size(BAR_WIDTH * len(columns) + 2, BARS_HEIGHT)}><TR>{cells}</TR></TABLE>"


def bar_heights(bars: Bars, height: int = BARS_HEIGHT) -> np.ndarray:
    """The height of each class in each bar, int64 (n_bars, n_classes); a bar with rows is at least 1 high."""
    most = max(float(bars.weights.sum(axis=1).max(initial=0.0)), np.finfo(np.float64).tiny)
    ends = np.ceil(height * np.cumsum(bars.weights, axis=1) / most).astype(np.int64)
    return np.diff(ends, axis=1, prepend=0)


def _column(heights: np.ndarray, order: Sequence[int], colours: Sequence[str], ground: str) -> str:
    """One bar with the space above it, the first class at the bottom."""
    rows = [(BARS_HEIGHT - int(heights.sum()), ground)]
    rows += [(int(heights[k]), colours[k]) for k in reversed(order)]
    lines = "".join(f'<TR><TD {_size(BAR_WIDTH, high)} BGCOLOR="{fill}"></TD></TR>' for high, fill in rows if high > 0)
    return f"<TABLE {_TIGHT}>{lines}</TABLE>"


def scale(share: Scale, ink: str, ground: str) -> str:
    """A proportion and its interval on a line from 0 to 100%, as an HTML-like label."""
    at = round((SCALE_WIDTH - 3) * share.value)
    low, high = min(round(SCALE_WIDTH * share.low), at), max(round(SCALE_WIDTH * share.high), at + 3)
    line, interval = 1, 3
    parts = (
        *((low, ground, line), (at - low, ink, interval), (3, ink, SCALE_HEIGHT)),
        *((high - at - 3, ink, interval), (SCALE_WIDTH - high, ground, line)),
    )
    cells = "".join(f"<TD>{_block(wide, tall, fill)}</TD>" for wide, fill, tall in parts if wide > 0)
    return f"<TABLE {_TIGHT} {_size(SCALE_WIDTH, SCALE_HEIGHT)}><TR>{cells}</TR></TABLE>"


_TIGHT = 'BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"'


def _size(width: int, height: int) -> str:
    return f'FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{height}"'


def _block(width: int, height: int, colour: str) -> str:
    """A rectangle of one colour."""
    return (
        f'<TABLE {_TIGHT} {_size(width, height)}><TR><TD {_size(width, height)} BGCOLOR="{colour}"></TD></TR></TABLE>'
    )


def swatches(parts: Iterable[tuple[str, str]], colour: str, size: int) -> str:
    """Small squares of some colours, each with its name, side by side, as an HTML-like label."""
    return "   ".join(f"{font([BLACK_SQUARE], fill, size + 4)} {font([name], colour, size)}" for fill, name in parts)
