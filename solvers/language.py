"""The language in which texts are shown: translated messages, and numbers and dates as a language writes them.

Messages are the English texts themselves, so English needs no catalogue; every other language is one file,
`locale/<language>/LC_MESSAGES/espalier.po`, read by Babel where it is installed. Placeholders have names:

>>> tr("{rows} of {table}", rows="12 rows", table="heart")
'12 rows of heart'

The language belongs to the thread or task that shows something, never to the process: `use` sets it, and where it is
not set, a function given to `follow` says it (in the dashboard what the session has chosen). Else it is English, so
what workers, the command line and run folders write does not depend on who looks; `translation` shows such a text in
the language in use, by the message of which it was made. What writes a file for others does so within `use(ENGLISH)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from gettext import NullTranslations
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

ENGLISH = "en"
WRITTEN = "written in English"
"""The context of messages that are filled in before it is known who reads them, such as errors."""
CATALOGUES = Path(__file__).parent / "locale"

_PLACEHOLDER = re.compile(r"(\{\w+\})")
_NUMBER = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?|\d+\.\d+")

_used: ContextVar[str | None] = ContextVar("language", default=None)
_followed: list[Callable[[], str | None]] = []


class Language(NamedTuple):
    """How a language says things: its own name, its messages, and what separates thousands, decimals and dates.

    Of messages `written` in English there are patterns, the one with most letters first, and their translations; of
    nouns the `singular` by the plural.
    """

    name: str
    messages: NullTranslations
    group: str
    decimal: str
    day: str
    written: tuple[tuple[re.Pattern[str], str], ...] = ()
    singular: Mapping[str, str] = MappingProxyType({})


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
        catalogue = read_po(file, locale=code)
    write_mo(compiled, catalogue)
    compiled.seek(0)
    written = {str(message.id): str(message.string) for message in catalogue if message.context == WRITTEN}
    patterns = [(_pattern(text), written[text]) for text in sorted(written, key=len, reverse=True) if written[text]]
    singular = {message.id[1]: message.id[0] for message in catalogue if isinstance(message.id, tuple)}
    symbols = locale.number_symbols["latn"]
    day = locale.date_formats["medium"].pattern.replace("dd", "%d").replace("MM", "%m").replace("y", "%Y")
    name = locale.get_display_name() or code
    messages = Translations(compiled)
    return Language(name, messages, symbols["group"], symbols["decimal"], day, tuple(patterns), singular)


def _pattern(message: str) -> re.Pattern[str]:
    """What a message looks like, whatever its placeholders stand for."""
    parts = _PLACEHOLDER.split(message)
    return re.compile(
        "".join(f"(?P<{part[1:-1]}>.*?)" if i % 2 else re.escape(part) for i, part in enumerate(parts)), re.S
    )


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
    """A message that is translated where it is shown, by `tr` or `translation`; the text itself."""
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


def translation(text: str) -> str:
    """A text that was written in English, such as an error, in the language in use; as it stands where none is known.

    What was filled in is shown as the language writes it, unless it stands in quotation marks.
    """
    language = _loaded(current())
    if text and (known := language.messages.gettext(text)) != text:
        return known
    for pattern, translated in language.written:
        if found := pattern.fullmatch(text):
            quoted = {name for name, at in found.re.groupindex.items() if text[: found.start(at)].endswith("'")}
            values = found.groupdict().items()
            return translated.format(**{name: one if name in quoted else translation(one) for name, one in values})
    number, _, noun = text.partition(" ")
    if noun and (number == "1" or noun in language.singular):
        one = language.singular.get(noun, noun)
        return f"{translation(number)} {language.messages.ngettext(one, noun, 1 if number == '1' else 2)}"
    return _separated(text, language) if _NUMBER.fullmatch(text) else text


def numeral(value: Any, spec: str = "") -> str:
    """A number, formatted as Python does and written with the separators of the language in use."""
    return _separated(format(value, spec), _loaded(current()))


def _separated(text: str, language: Language) -> str:
    return text if language.decimal == "." else text.translate(str.maketrans(",.", language.group + language.decimal))


def separators() -> str:
    """What stands before decimals and between thousands, as figures of Plotly take it."""
    language = _loaded(current())
    return language.decimal + language.group


def day(text: str) -> str:
    """A date such as '2026-03-01', maybe with a time after it, as the language in use writes it: '01.03.2026'."""
    if not (found := re.match(r"[12]\d{3}-\d\d-\d\d", text)):
        return text
    return f"{datetime.fromisoformat(found[0]):{_loaded(current()).day}}{text[found.end() :]}"
