"""The language in which texts are shown: translated messages, and numbers and dates as a language writes them.

Messages are the English texts themselves, so English needs no catalogue; every other language is one file,
`locale/<language>/LC_MESSAGES/espalier.po`, read by Babel where it is installed. Placeholders have names:

>>> tr("{rows} of {table}", rows="12 rows", table="heart")
'12 rows of heart'

The language belongs to the thread or task that shows something, never to the process: `use` sets it, and where it is
not set, a function given to `follow` says it (in the dashboard what the session has chosen). Else it is English, so
what workers, the command line and run folders write does not depend on who looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from gettext import NullTranslations
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

ENGLISH = "en"
CATALOGUES = Path(__file__).parent / "locale"

_used: ContextVar[str | None] = ContextVar("language", default=None)
_followed: list[Callable[[], str | None]] = []


class Language(NamedTuple):
    """How a language says things: its own name, its messages, and what separates thousands, decimals and dates."""

    name: str
    messages: NullTranslations
    group: str
    decimal: str
    day: str


def catalogue_path(code: str) -> Path:
    """Where the catalogue of a language lies."""
    return CATALOGUES / code / "LC_MESSAGES" / "espalier.po"


@cache
def languages() -> dict[str, str]:
    """The languages there are, by code, each by its own name; English alone where Babel is not installed."""
    codes = [ENGLISH]
    if find_spec("babel") is not None:
        codes += sorted(path.parents[1].name for path in CATALOGUES.glob("*/LC_MESSAGES/espalier.po"))
    return {code: _loaded(code).name for code in codes}


@cache
def _loaded(code: str) -> Language:
    """A language with its catalogue, which is compiled in memory once."""
    if code == ENGLISH:
        return Language("English", NullTranslations(), ",", ".", "%Y-%m-%d")
    from babel import Locale
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po
    from babel.support import Translations

    locale = Locale.parse(code)
    compiled = BytesIO()
    with catalogue_path(code).open("rb") as file:
        write_mo(compiled, read_po(file, locale=code))
    compiled.seek(0)
    symbols = locale.number_symbols["latn"]
    day = locale.date_formats["medium"].pattern.replace("dd", "%d").replace("MM", "%m").replace("y", "%Y")
    name = locale.get_display_name() or code
    return Language(name, Translations(compiled), symbols["group"], symbols["decimal"], day)


def follow(chosen: Callable[[], str | None]) -> None:
    """Let a function say the language wherever it is not set; `None` and languages that there are not mean English."""
    _followed[:] = [chosen]


@contextmanager
def use(code: str) -> Iterator[None]:
    """Set the language for what is done within, in this thread or task."""
    token = _used.set(code)
    try:
        yield
    finally:
        _used.reset(token)


def current() -> str:
    """The code of the language in use."""
    code = _used.get() or next((chosen() for chosen in _followed), None)
    return code if code in languages() else ENGLISH


def msgid(message: str) -> str:
    """A message that is translated where it is used, such as a constant; the text itself."""
    return message


def tr(message: str, /, **values: Any) -> str:
    """A message in the language in use, with its placeholders filled in."""
    text = _loaded(current()).messages.gettext(message) if message else ""
    return text.format(**values) if values else text


def tr_plural(one: str, many: str, n: float, /, **values: Any) -> str:
    """A message in the form that a number asks for; numbers that are not whole take the plural."""
    index = int(n) if float(n).is_integer() else 2
    text = _loaded(current()).messages.ngettext(one, many, index)
    return text.format(**values) if values else text


def numeral(value: Any, spec: str = "") -> str:
    """A number, formatted as Python does and written with the separators of the language in use."""
    text, language = format(value, spec), _loaded(current())
    return text if language.decimal == "." else text.translate(str.maketrans(",.", language.group + language.decimal))


def separators() -> str:
    """What stands before decimals and between thousands, as figures of Plotly take it."""
    language = _loaded(current())
    return language.decimal + language.group


def day(moment: datetime) -> str:
    """A date, such as '2026-03-01' or '01.03.2026'."""
    return moment.strftime(_loaded(current()).day)
