"""A language in which every message stands in brackets, and what a screen shows outside of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from solvers.locale.catalogue import updated, written

CODE = "is"
"""A real language, since Babel must know it, for which there is no catalogue."""
OPENS, CLOSES = "\u27e6", "\u27e7"

_PLACEHOLDER = re.compile(r"(?<!\{)(\{\w[^{}]*\})(?!\})")
_MARKUP = re.compile(r"%\{[^}]*\}|:material/\w*:?|:\w[\w-]*\[|<[^>]*>|&#?\w+;|https?://\S+")
_UNSEEN = frozenset(
    [
        *("id", "key", "form_id", "element_id", "icon", "url", "mark", "name", "data_testid", "mimetype", "path"),
        *("language", "type", "raw_value", "raw_values", "theme", "page", "page_script_hash", "deferred_file_id"),
        *("component_name", "js_content", "css_content", "divider", "autocomplete", "shortcut"),
    ]
)
"""Fields of the messages to the browser that are not read by a person."""
_UNREAD = frozenset(
    [
        *("template", "type_config", "width", "alignment", "mode", "type", "hoverinfo", "line", "marker", "shape"),
        *("textposition", "gridcolor", "xanchor", "yanchor", "bdata", "dtype", "symbol", "layer", "paper_bgcolor"),
        *("plot_bgcolor", "uirevision", "hovermode", "clickmode", "rangemode", "name", "font", "color", "format"),
        *("colorscale", "tickmode", "tickformat", "side", "ticks", "orientation", "barmode", "dragmode", "fill"),
        *("hoverlabel", "autorange", "separators", "fillcolor", "xref", "yref", "branchvalues"),
    ]
)
"""Fields of the figures of Plotly, and of others given as JSON, that are not read."""


def pseudo(text: str) -> str:
    """A message with brackets around all that is not filled in."""
    parts = _PLACEHOLDER.split(text)
    return "".join(part if i % 2 or not part.strip() else _wrapped(part) for i, part in enumerate(parts))


def _wrapped(part: str) -> str:
    inner = part.strip()
    start = part.index(inner)
    return f"{part[:start]}{OPENS}{inner}{CLOSES}{part[start + len(inner) :]}"


def write_catalogue(folder: Path) -> None:
    """The catalogue of this language, below a folder of catalogues."""
    catalogue = updated(CODE)
    for message in catalogue:
        if message.id:
            message.string = pseudo(message.id) if isinstance(message.id, str) else tuple(map(pseudo, message.id))
    path = folder / CODE / "LC_MESSAGES" / "espalier.po"
    path.parent.mkdir(parents=True)
    path.write_bytes(written(catalogue))


def outside(text: str) -> str:
    """What of a text stands in no message, without markup."""
    text = text.replace("\\", "")
    while (fewer := re.sub(f"{OPENS}[^{OPENS}{CLOSES}]*{CLOSES}", " ", text)) != text:
        text = fewer
    return " ".join(_MARKUP.sub(" ", text).split())


def shown(app: AppTest) -> Iterator[tuple[str, str]]:
    """All texts of a screen that a person may read but those of files, with where they stand."""
    for node in _nodes(app._tree):
        kind = node.type or ""
        proto = node.proto
        if isinstance(proto, Message) and kind != "code":
            yield from _texts(proto, kind)


def _nodes(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if isinstance(child, Block):
            yield from _nodes(child)


def _texts(proto: Message, where: str) -> Iterator[tuple[str, str]]:
    """The texts of a message to the browser, and of the JSON and the tables within it."""
    named: dict[str, str] = {}
    for field, value in proto.ListFields():
        if field.name in _UNSEEN or (field.message_type is not None and field.message_type.GetOptions().map_entry):
            continue
        place = f"{where}.{field.name}"
        if field.name == "columns" and isinstance(value, str):
            columns = json.loads(value)
            named = {name: form["label"] for name, form in columns.items() if form and form.get("label")}
            yield from _within(columns, place)
            continue
        for one in value if field.is_repeated else [value]:
            if isinstance(one, Message):
                if field.name == "arrow_data":
                    yield from _cells(one.data, place, named or _labels(proto))
                else:
                    yield from _texts(one, place)
            elif isinstance(one, str):
                yield from _within(_read(one), place)


def _labels(proto: Message) -> dict[str, str]:
    columns = json.loads(getattr(proto, "columns", "") or "{}")
    return {name: form["label"] for name, form in columns.items() if form and form.get("label")}


def _read(text: str) -> Any:
    """What a text holds where it is JSON; else itself."""
    try:
        return json.loads(text) if text[:1] in "{[" else text
    except ValueError:
        return text


def _within(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """The texts of a specification that are read, by the names of their fields."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        for one in value:
            yield from _within(one, place)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key not in _UNREAD:
                yield from _within(one, f"{place}.{key}")


def _cells(data: bytes, place: str, named: dict[str, str]) -> Iterator[tuple[str, str]]:
    frame = pa.ipc.open_stream(data).read_pandas()
    yield f"{place}:index", str(frame.index.name or "")
    for name in frame.columns:
        yield f"{place}:column", named.get(name, str(name))
        for cell in frame[name]:
            if isinstance(cell, str):
                yield f"{place}:{name}", cell
