"""The texts of a drawing: questions that fit their boxes, tooltips, and what Graphviz takes for HTML.

All texts from the user's data pass through `plain` and are escaped for the place where they stand; long ones are cut on
the drawing and whole in the tooltip.
"""

import html
import re
import textwrap
from collections.abc import Iterable

from solvers.diagram.words import plain
from solvers.problem import LinearPredicate, Predicate, Schema

QUESTION_WIDTH = 20
QUESTION_LINES = 4
CLAIM_LENGTH = 40
COMMENT_LENGTH = 90
TOOLTIP_LENGTH = 2000


def question(predicate: Predicate | LinearPredicate, schema: Schema) -> str:
    """The question of a split. A long column name is cut in its middle, so that the threshold stays.

    A weighted sum that is too long for its box is told by the number of its columns.
    """
    room = QUESTION_WIDTH * QUESTION_LINES - 2 * QUESTION_LINES
    words = predicate.words(schema)
    if isinstance(predicate, LinearPredicate):
        name, _, claim = (plain(part) for part in words.rpartition(" <= "))
        claim = _sign(f"<= {claim}")
        if len(name) + len(claim) > room:
            name = f"a sum of {len(set(predicate.columns))} columns"
        return f"{name} {claim}?"
    claim = cut(_sign(plain(words[len(predicate.column) + 1 :])), CLAIM_LENGTH)
    return f"{cut(plain(predicate.column), room - len(claim))} {claim}?"


def _sign(claim: str) -> str:
    return "≤\N{NO-BREAK SPACE}" + claim[3:] if claim.startswith("<= ") else claim


def wrapped(text: str) -> list[str]:
    """A text on as many lines as a box has, cut where it is longer."""
    lines = _Wrapper(QUESTION_WIDTH, break_on_hyphens=False).wrap(cut(text, QUESTION_WIDTH * QUESTION_LINES))
    return lines or ["(no name)"]


class _Wrapper(textwrap.TextWrapper):
    """Breaks lines at blanks and, as column names need it, after '_', '.', '/' and '-'."""

    wordsep_simple_re = re.compile(r"([ ]+|(?<=[_./-])(?=[^\W\d_]))")


def cut(text: str, length: int) -> str:
    """A text that is longer than `length` without its middle."""
    if len(text) <= length:
        return text
    keep = length - 1
    return f"{text[: keep - keep // 3]}…{text[len(text) - keep // 3 :]}"


def comment(text: str) -> str:
    """A text as a comment in code: on one line, and cut."""
    return cut(plain(text), COMMENT_LENGTH)


def tooltip(text: str) -> str:
    """A text as the value of a tooltip: cut, escaped, and marked so that it is never read as HTML."""
    import graphviz

    short = text if len(text) <= TOOLTIP_LENGTH else text[: TOOLTIP_LENGTH - 1] + "…"
    # Graphviz resolves the backslashes of a tooltip twice, those of a label once
    marked: str = graphviz.nohtml(short.replace("&", "&amp;").replace("\\", 4 * "\\").replace("\n", "\\n"))
    return marked


def font(lines: Iterable[str], colour: str, size: int = 13, bold: bool = False) -> str:
    """Lines of text as an HTML-like label."""
    text = "<BR/>".join(html.escape(line).replace("\\", "\\\\") for line in lines)
    text = f"<B>{text}</B>" if bold else text
    return f'<FONT COLOR="{colour}" POINT-SIZE="{size}">{text}</FONT>'


def table(rows: Iterable[str]) -> str:
    """HTML-like labels, one below the other."""
    cells = "".join(f"<TR><TD>{row}</TD></TR>" for row in rows)
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">{cells}</TABLE>>'


def bar(parts: Iterable[tuple[float, str]], width: int = 84) -> str:
    """A thin bar that is divided into (share, colour)."""
    cells = "".join(
        f'<TD FIXEDSIZE="TRUE" WIDTH="{max(1, round(width * share))}" HEIGHT="5" BGCOLOR="{colour}"></TD>'
        for share, colour in parts
    )
    size = f'FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="5"'
    return f'<TABLE {size} BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>{cells}</TR></TABLE>'
