"""Gathers the messages of the code and brings the catalogue of a language in step with them.

Messages are what stands in `tr`, `msgid` and `tr_plural`, the nouns of `count`, the errors that a screen may show, and
the texts of declarations. The catalogue is sorted and names no lines, so it changes only where a message does.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from solvers.language import WRITTEN, catalogue_path
from solvers.locale.declared import declared_texts

if TYPE_CHECKING:
    from babel.messages import Catalog

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("app.py", "pages", "components", "solvers")

UNSEEN = ("solvers/certificates", "solvers/cli", "solvers/estimators", "solvers/kernels", "solvers/settings.py")
"""Where errors are raised that no screen shows."""
LETTERS = 5
"""Fewer do not tell a message that was written in English from others."""


class Written(NamedTuple):
    """A message that is filled in as an f-string, with the names of what is filled in."""

    text: str


Message = str | tuple[str, str] | Written
"""A text, singular and plural, or what is written in English first."""


def source_files() -> list[Path]:
    """The Python files in which messages stand."""
    paths = (ROOT / name for name in SOURCES)
    return [file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*.py")))]


def messages() -> set[Message]:
    """All messages; what is there as a plural is not there as a text besides."""
    found: set[Message] = set(declared_texts())
    for file in source_files():
        shown = not file.relative_to(ROOT).as_posix().startswith(UNSEEN)
        found.update(messages_of(file.read_text("utf-8"), errors=shown))
    plurals: dict[str, Message] = {}
    for one in sorted(message for message in found if not isinstance(message, str | Written)):
        plurals.setdefault(one[0], one)
    texts = {text for text in found if isinstance(text, Written) or (isinstance(text, str) and text not in plurals)}
    return texts | set(plurals.values())


def messages_of(source: str, errors: bool = True) -> Iterator[Message]:
    """The messages in the source of a module, those of errors where they are wanted."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call):
            yield from _of_call(call, errors)


def _of_call(call: ast.Call, errors: bool) -> Iterator[Message]:
    name = (
        call.func.id
        if isinstance(call.func, ast.Name)
        else call.func.attr
        if isinstance(call.func, ast.Attribute)
        else ""
    )
    match name, call.args:
        case "tr", [first, *_]:
            yield from _constants(first)
        case "msgid", [first]:
            yield from _texts(first)
        case "tr_plural", [one, many, *_]:
            yield from zip(_constants(one), _constants(many), strict=False)
        case "log", [first]:
            yield from _texts(first, LETTERS)
        case "Unsupported", parts if errors:
            yield from (text for part in parts for text in _texts(part, LETTERS))
        case _, [first, *_] if errors and name.endswith("Error"):
            yield from _texts(first, LETTERS)
        case (("count" | "plural"), [_, noun, *more]):
            several = _constants(more[0]) if more else [f"{text}s" for text in _constants(noun)]
            yield from zip(_constants(noun), several, strict=False)


def _constants(node: ast.expr) -> list[str]:
    return [text for text in _texts(node) if isinstance(text, str)]


def _texts(node: ast.expr, letters: int = 1) -> Iterable[Any]:
    """The texts that an expression may be, such as both of a conditional one; f-strings of so many letters at least."""
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            return [*_texts(body, letters), *_texts(orelse, letters)]
        case ast.JoinedStr(values=values):
            text = _template(values)
            return [Written(text)] if sum(map(str.isalpha, re.sub(r"\{\w+\}", "", text))) >= letters else []
        case ast.Constant(value=str(value)) if value:
            return [value]
    return []


def _template(values: Sequence[ast.expr]) -> str:
    """An f-string as a message, in which what is filled in is called after the variable or attribute."""
    text, names = "", []
    for value in values:
        if isinstance(value, ast.Constant):
            text += str(value.value)
        elif isinstance(value, ast.FormattedValue):
            inner = value.value
            name = getattr(inner, "id", getattr(inner, "attr", "value"))
            names.append(name)
            text += f"{{{name}_{names.count(name)}}}" if names.count(name) > 1 else f"{{{name}}}"
    return text


def updated(code: str) -> "Catalog":
    """The catalogue of a language with all messages of the code: translations stay, new messages have none yet."""
    from babel.messages import Catalog
    from babel.messages.pofile import read_po

    path = catalogue_path(code)
    former = Catalog(locale=code)
    if path.is_file():
        with path.open("rb") as file:
            former = read_po(file, locale=code)
    catalogue = Catalog(locale=code, project="Espalier", header_comment=former.header_comment, fuzzy=False)
    for message in messages():
        text, context = (message.text, WRITTEN) if isinstance(message, Written) else (message, None)
        known = former.get(text, context)
        entry = catalogue.add(text, known.string if known is not None else None, context=context)
        entry.flags.discard("python-format")
    return catalogue


def written(catalogue: "Catalog") -> bytes:
    """A catalogue as it stands in its file."""
    from io import BytesIO

    from babel.messages.pofile import write_po

    out = BytesIO()
    write_po(out, catalogue, width=120, no_location=True, sort_output=True)
    kept = (line for line in out.getvalue().split(b"\n") if b"-Date: " not in line and b"Generated-By" not in line)
    return b"\n".join(kept)


def update(code: str) -> tuple[int, int]:
    """Write the catalogue of a language, a new one where there is none; how many messages it has, and translations."""
    catalogue = updated(code)
    path = catalogue_path(code)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(written(catalogue))
    found = [message for message in catalogue if message.id]
    return len(found), sum(is_translated(message.string) for message in found)


def is_translated(string: str | tuple[str, ...] | list[str] | None) -> bool:
    """Whether a message has its translation, and a plural all its forms."""
    return bool(string) if isinstance(string, str) else bool(string and all(string))
