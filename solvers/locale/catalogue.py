"""Gathers the messages of the code and brings the catalogue of a language in step with them.

Messages are what stands in `tr`, `msgid` and `tr_plural`, the nouns of `count`, and the texts of declarations. The
catalogue is sorted and names no lines, so it changes only where a message does.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from solvers.language import catalogue_path
from solvers.locale.declared import declared_texts

if TYPE_CHECKING:
    from babel.messages import Catalog

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("app.py", "pages", "components", "solvers")

Message = str | tuple[str, str]
"""A text, or singular and plural."""


def source_files() -> list[Path]:
    """The Python files in which messages stand."""
    paths = (ROOT / name for name in SOURCES)
    return [file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*.py")))]


def messages() -> set[Message]:
    """All messages; what is there as a plural is not there as a text besides."""
    found: set[Message] = {message for file in source_files() for message in messages_of(file.read_text("utf-8"))}
    found |= declared_texts()
    plurals: dict[str, Message] = {}
    for one in sorted(message for message in found if isinstance(message, tuple)):
        plurals.setdefault(one[0], one)
    texts = {text for text in found if isinstance(text, str) and text not in plurals}
    return texts | set(plurals.values())


def messages_of(source: str) -> Iterator[Message]:
    """The messages in the source of a module."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call):
            yield from _of_call(call)


def _of_call(call: ast.Call) -> Iterator[Message]:
    name = (
        call.func.id
        if isinstance(call.func, ast.Name)
        else call.func.attr
        if isinstance(call.func, ast.Attribute)
        else ""
    )
    match name, call.args:
        case (("tr" | "msgid"), [first, *_]):
            yield from _texts(first)
        case "tr_plural", [one, many, *_]:
            yield from zip(_texts(one), _texts(many), strict=False)
        case "count", [_, noun, *more]:
            several = _texts(more[0]) if more else [f"{text}s" for text in _texts(noun)]
            yield from zip(_texts(noun), several, strict=False)


def _texts(node: ast.expr) -> Iterable[str]:
    """The texts that an expression may be, such as both of a conditional one."""
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body), *_texts(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value else []


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
        known = former.get(message)
        entry = catalogue.add(message, known.string if known is not None else None)
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
