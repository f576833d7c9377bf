"""Formatting of names, numbers and times on the screen.

Names come from the user's table, and Streamlit reads most texts as Markdown; `plain` makes sure that a column called
`![x](http://...)` is shown as written and has no other effect.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import zip_longest
from typing import Any

from solvers.metrics import Estimate, Rate, words
from solvers.metrics.words import DASH as DASH
from solvers.metrics.words import MINUS as MINUS
from solvers.metrics.words import amount as amount
from solvers.metrics.words import count as count
from solvers.metrics.words import in_units as in_units
from solvers.metrics.words import seconds as seconds
from solvers.problem.tables import number_repeated
from solvers.report.blocks import points as points
from solvers.report.blocks import shorten as shorten
from solvers.report.blocks import span as span

NOTICE = "For research and teaching; not a medical device."
"""Shown beside every prediction."""

_LONGEST_PART = 60
"""Maximum characters of a part of a file name."""

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&=\"'/@^])")


TRAINING = " (training)"
"""Suffix of the name of a table if rows are held out."""
_LINK = re.compile(r"(?i)(https?|ftp|mailto|xmpp)(?=:)|(www)(?=\.)|(?<=\S)(?=@\S)")


def plain(text: object, longest: int = 120) -> str:
    """A text from the data as Markdown that shows exactly this text, on one line, cut after `longest` characters.

    Streamlit makes links of bare addresses, even of escaped ones; an invisible word joiner in them prevents it.
    """
    return _MARKDOWN.sub(r"\\\1", _LINK.sub(lambda found: found[0] + "\u2060", shorten(text, longest)))


def html(text: object, longest: int = 120) -> str:
    """A text from the data, safe inside HTML, on one line, cut after `longest` characters."""
    return escape(shorten(text, longest))


def file_name(table: str, *parts: object, ending: str, at: datetime | None = None) -> str:
    """The name of a downloaded file: the name of the table, date and time (now by default), and what it is about.

    It has letters and digits of any alphabet with hyphens between, so that no file replaces that of another session.
    No part can lead to another folder, hide the file, name a device, or reverse the text direction.
    """
    when = f"{(at or datetime.now()).astimezone():%Y-%m-%d-%H%M%S}"
    names = ("espalier", table, when, *parts)
    words = (re.sub(r"[^\w]+", "-", str(part)).strip("-_")[:_LONGEST_PART] for part in names)
    return "-".join(word or "table" for word in words) + f".{ending}"


def capitalise(text: str) -> str:
    """A text with its first letter capitalised; other letters are unchanged, as 'CRP' needs."""
    return f"{text[:1].upper()}{text[1:]}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share as a percentage, see `solvers.metrics.words.percent`; a dash for `None`."""
    return DASH if share is None else words.percent(share, digits)


def interval(found: Rate | Estimate) -> str:
    """The 95% interval of a share, for instance '91.2-96.8%'; a dash if there is none."""
    return DASH if found.low is None or found.high is None else words.percents(found.low, found.high)


def distinguish(names: Sequence[str]) -> list[str]:
    """The names of a list made unique, as browsers and tables need: a repeated one gets a number."""
    return number_repeated(names)[0]


def label_with(
    options: Iterable[Any], words: Callable[[Any], object] = str, longest: int = 120
) -> Callable[[Any], str]:
    """The `format_func` of a widget whose options are names or texts of the user: a different label for each option.

    If several options have the same label, a Streamlit widget returns the last of them. A label is one line of plain
    text, cut after `longest` characters; labels that would become equal show the place where they differ.
    """
    options = list(options)
    lines = [" ".join(str(words(option)).split()) for option in options]
    alike: dict[str, set[str]] = {}
    for line in lines:
        alike.setdefault(shorten(line, longest), set()).add(line)
    labels = distinguish([_label(line, alike[shorten(line, longest)], longest) for line in lines])
    shown = dict(zip(options, labels, strict=True))
    return lambda option: shown.get(option) or shorten(words(option), longest)


def _label(line: str, alike: Collection[str], longest: int) -> str:
    """A line cut so that it differs from others with the same beginning."""
    if len(alike) == 1:
        return shorten(line, longest)
    same = next(i for i, letters in enumerate(zip_longest(*alike)) if len(set(letters)) > 1)
    differs = line.rfind(" ", 0, same) + 1
    return f"{line[: longest // 3].rstrip()}\u2026 {shorten(line[differs:], longest // 2)}"


def storage(size: int) -> str:
    """A number of bytes in a suitable unit."""
    value = float(size)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def utc_now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def when(moment: datetime, now: datetime) -> str:
    """A time in relative form for a day (minutes or hours ago), then as date and time."""
    passed = (now - moment).total_seconds()
    if passed < 60:
        return "just now"
    if passed < 3600:
        return f"{int(passed // 60)} min ago"
    if passed < 24 * 3600:
        return f"{int(passed // 3600)} h ago"
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
