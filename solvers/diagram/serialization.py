"""A diagram as text: rules for a reader, and versioned JSON that reads back as exactly the same diagram.

Numbers are written with the shortest digits that read back as the same float, so a model predicts the same after a
round trip. Reading trusts nothing: every field is checked before a `Diagram` is made.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from typing import Any, TypeVar

from ..errors import DiagramError, EspalierError
from ..problem import (
    Column,
    Kind,
    LinearPredicate,
    MissingPolicy,
    Op,
    Predicate,
    Preparation,
    Schema,
    ShapeKind,
    Unknown,
)
from ..problem.json_text import read_json
from ..problem.texts import Spelling
from .diagram import Diagram, Leaf, Node, NodeId, Split
from .words import conditions, never_had, percent, plain, quantity

FORMAT = "espalier-diagram"
VERSION = 1

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


def to_rules(diagram: Diagram, *, support: Mapping[NodeId, str] | None = None, unknown: Unknown = Unknown.ERROR) -> str:
    """The diagram as nested if/else text, one line a leaf with all its conditions, and what becomes of unknown values.

    A tree with an exit at every question is written as a list of rules: if ..., then ..., else if ... Of a graph, a
    question with several parents is written once, as a block '[node 5]' to which the others point, and a leaf with
    several parents knows how many rows end there but not by which way, so that the line above its ways says it.

    Parameters
    ----------
    diagram : what is written.
    support : what stands behind a leaf, for instance because counts must be hidden; by default its rows and the share
        of its class.
    unknown : what becomes of a case of which a question asks a value that no training row has.
    """
    supports = {i: _support(leaf) for i, leaf in diagram.leaves} | dict(support or {})
    shared = [i for i, _ in diagram.splits if _is_shared(diagram, i)]
    lines = [f"FIRST {plain(words)}" for words in diagram.preparation.words]
    block = _rule_list(diagram, supports) if _is_rule_list(diagram) else _block(diagram, 0, shared, supports)
    lines += [*([""] if lines else []), *block]
    for i in shared:
        lines += ["", f"[node {i}]", *_block(diagram, i, shared, supports)]
    lines.append("")
    for i, leaf in diagram.leaves:
        lines += _leaf_rules(diagram, i, leaf, supports[i])
    if unheard := never_had(diagram.schema, diagram.features):
        rule = "NO ANSWER" if unknown is Unknown.ERROR else "SENT ON ALL THE SAME"
        lines += ["", f"{rule} where a question asks for what no training row has:", *(f"    {one}" for one in unheard)]
    return "\n".join(lines) + "\n"


def _is_rule_list(diagram: Diagram) -> bool:
    """Whether there are two questions or more, one asked after the other."""
    exits = all(any(isinstance(diagram.nodes[child], Leaf) for child in (s.yes, s.no)) for _, s in diagram.splits)
    return diagram.kind is ShapeKind.TREE and diagram.n_splits > 1 and exits


def _rule_list(diagram: Diagram, support: Mapping[NodeId, str]) -> list[str]:
    """One line an exit, from the first question on; the last line is what remains."""
    lines: list[str] = []
    at = 0

    def then(i: NodeId) -> str:
        leaf = diagram.nodes[i]
        assert isinstance(leaf, Leaf)
        return f"{_verdict(diagram, leaf)}  {support[i]}"

    while isinstance(node := diagram.nodes[at], Split):
        ends = isinstance(diagram.nodes[node.yes], Leaf)
        way_out, at = (node.yes, node.no) if ends else (node.no, node.yes)
        condition = plain(node.predicate.words_for(diagram.schema, ends))
        lines.append(f"{'else ' if lines else ''}if {condition}, then {then(way_out)}")
    return [*lines, f"else {then(at)}"]


def _block(diagram: Diagram, start: NodeId, shared: list[NodeId], support: Mapping[NodeId, str]) -> list[str]:
    lines: list[str] = []
    stack: list[tuple[str, NodeId | str]] = [("", start)]
    while stack:
        indent, at = stack.pop()
        if isinstance(at, str):
            lines.append(f"{indent}{at}")
        elif at != start and at in shared:
            lines.append(f"{indent}go to [node {at}]")
        elif isinstance(node := diagram.nodes[at], Leaf):
            behind = "" if _is_shared(diagram, at) else f"  {support[at]}"
            lines.append(f"{indent}{_verdict(diagram, node)}{behind}")
        else:
            lines.append(f"{indent}if {plain(node.predicate.words(diagram.schema))}:")
            stack += [(indent + "    ", node.no), (indent, "else:"), (indent + "    ", node.yes)]
    return lines


def _leaf_rules(diagram: Diagram, i: NodeId, leaf: Leaf, support: str) -> list[str]:
    found, complete = conditions(diagram, i)
    ways = [" AND ".join(way) or "always" for way in found]
    if not complete:
        ways.append("another of many ways leads here")
    verdict = _verdict(diagram, leaf)
    if not _is_shared(diagram, i):
        return [f"IF {way} THEN {verdict} {support}" for way in ways or ["never"]]
    return [f"{verdict} {support}, by any of these ways:", *(f"IF {way} THEN {verdict}" for way in ways or ["never"])]


def _is_shared(diagram: Diagram, i: NodeId) -> bool:
    return len(diagram.parents[i]) > 1


def _verdict(diagram: Diagram, leaf: Leaf) -> str:
    return f"{plain(diagram.outcome)} = {plain(diagram.classes[leaf.label])}"


def _support(leaf: Leaf) -> str:
    n = sum(leaf.counts)
    return f"(n = {quantity(n)}, share {percent(leaf.counts[leaf.label], n)})" if n > 0 else "(no rows)"


def to_dict(diagram: Diagram) -> dict[str, Any]:
    """The diagram as plain dicts, lists, texts and numbers, as `to_json` writes them."""
    steps = diagram.schema.preparation
    spellings = {name: asdict(spelling) for name, spelling in diagram.schema.spellings.items()}
    return (
        {
            "format": FORMAT,
            "version": VERSION,
            "kind": diagram.kind.value,
            "outcome": diagram.outcome,
            "classes": list(diagram.classes),
            "positive": None if diagram.positive is None else int(diagram.positive),
            "missing": diagram.schema.missing.value,
            "columns": [
                {
                    "name": column.name,
                    "kind": column.kind.value,
                    "levels": list(column.levels),
                    "fill": column.fill,
                    "has_missing": bool(column.has_missing),
                    "integral": bool(column.integral),
                    "unseen_levels": [int(level) for level in column.unseen_levels],
                }
                | ({"clock": column.clock} if column.clock else {})
                for column in diagram.schema.columns
            ],
            "nodes": [_node_dict(node) for node in diagram.nodes],
        }
        | ({"preparation": steps.to_json()} if steps else {})
        | ({"spellings": spellings} if spellings else {})
    )


def _node_dict(node: Node) -> dict[str, Any]:
    if isinstance(node, Leaf):
        return {"label": int(node.label), "counts": [float(count) for count in node.counts]}
    p = node.predicate
    arcs = {"yes": int(node.yes), "no": int(node.no)}
    if isinstance(p, LinearPredicate):
        terms = [{"column": name, "level": level, "weight": float(weight)} for name, level, weight in p.terms]
        return {"terms": terms, "threshold": float(p.threshold), "missing": bool(p.missing), **arcs}
    value = None if p.value is None else float(p.value)
    return {"column": p.column, "op": p.op.value, "value": value, "missing": bool(p.missing), **arcs}


def to_json(diagram: Diagram, *, indent: int | None = 1) -> str:
    """The diagram as JSON text in ASCII, the same text for equal diagrams."""
    return json.dumps(to_dict(diagram), indent=indent, allow_nan=False)


def from_json(text: str | bytes) -> Diagram:
    """The diagram that `to_json` wrote.

    Raises
    ------
    DiagramError
        The text is not JSON, not a diagram, of a version that this program does not know, or damaged.
    """
    try:
        content = read_json(text, parse_constant=_no_constant)
    except ValueError as error:
        raise DiagramError(f"The file is not a model: it is not readable JSON ({error}).") from None
    return from_dict(content)


def from_dict(content: Any) -> Diagram:
    """The diagram that `to_dict` wrote.

    Raises
    ------
    DiagramError
        It is no diagram, of a version that this program does not know, or damaged.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DiagramError(f"The file is not a model: it must be a JSON object with the format '{FORMAT}'.")
    if content.get("version") != VERSION:
        raise DiagramError(
            f"The model has version {content.get('version')!r}, but this program reads version {VERSION}. "
            "Write it again with this program, or use the program that wrote it."
        )
    try:
        return _diagram(_Reader(content, "the model"))
    except DiagramError:
        raise
    except EspalierError as error:
        raise DiagramError(f"The model is damaged: {error}") from None


def _diagram(model: _Reader) -> Diagram:
    classes = tuple(model.list_of("classes", str))
    positive = model.optional("positive", int)
    if not classes or len(set(classes)) != len(classes):
        raise model.damaged("classes", "must name different classes")
    if positive is not None and not 0 <= positive < len(classes):
        raise model.damaged("positive", "must be one of the classes")
    columns = tuple(_column(reader) for reader in model.readers("columns", "column"))
    steps = Preparation.from_json(model.get("preparation", list)) if "preparation" in model.content else None
    schema = Schema(columns, model.enum("missing", MissingPolicy), steps or None, _spellings(model))
    nodes = tuple(_node(reader, schema) for reader in model.readers("nodes", "node"))
    return Diagram(model.enum("kind", ShapeKind), schema, classes, model.get("outcome", str), positive, nodes)


def _spellings(model: _Reader) -> dict[str, Spelling]:
    """How columns of the raw table were read."""
    found = model.get("spellings", dict) if "spellings" in model.content else {}
    readers = {name: _Reader(one, f"the spelling of '{name}'") for name, one in found.items()}
    return {
        name: Spelling(
            one.get("decimal", str),
            one.get("thousands", str),
            one.optional("day_first", bool),
            one.optional("percent", bool),
        )
        for name, one in readers.items()
    }


def _column(reader: _Reader) -> Column:
    column = Column(
        reader.get("name", str),
        reader.enum("kind", Kind),
        tuple(reader.list_of("levels", str)),
        reader.optional("fill", float),
        reader.get("has_missing", bool),
        reader.get("integral", bool),
        tuple(reader.list_of("unseen_levels", int)),
        reader.get("clock", str) if "clock" in reader.content else "",
    )
    if not all(_is_level(column, level) for level in column.unseen_levels):
        raise reader.damaged("unseen_levels", "must be levels of the column")
    if column.fill is not None and column.kind.has_levels and not _is_level(column, column.fill):
        raise reader.damaged("fill", "must be one of the levels")
    return column


def _node(reader: _Reader, schema: Schema) -> Node:
    if "label" in reader.content:
        counts = tuple(reader.list_of("counts", float))
        if any(count < 0 for count in counts):
            raise reader.damaged("counts", "must not be negative")
        return Leaf(reader.get("label", int), counts)
    yes, no = reader.get("yes", int), reader.get("no", int)
    if "terms" in reader.content:
        return Split(_sum(reader, schema), yes, no)
    op, value = reader.enum("op", Op), reader.optional("value", float)
    column = schema[reader.get("column", str)]
    if op is not Op.MISSING and value is not None:
        if (op is Op.IS or column.kind.has_levels) and not _is_level(column, value):
            raise reader.damaged("value", f"must be a level of the column '{column.name}'")
        if column.kind is Kind.DATE and not _is_date(column, value):
            raise reader.damaged("value", f"must be a date of the column '{column.name}', in days since 1970-01-01")
    predicate = Predicate(column.name, op, value, reader.get("missing", bool))
    return Split(predicate, yes, no)


def _sum(reader: _Reader, schema: Schema) -> LinearPredicate:
    names, levels, weights = [], [], []
    for term in reader.readers("terms", "term"):
        column, level = schema[term.get("column", str)], term.optional("level", int)
        if level is None and column.kind is Kind.CATEGORICAL:
            raise term.damaged("level", f"must be a level of the column '{column.name}', which has no order")
        if level is not None and not _is_level(column, level):
            raise term.damaged("level", f"must be a level of the column '{column.name}'")
        names.append(column.name)
        levels.append(level)
        weights.append(term.get("weight", float))
    given = tuple(levels) if any(level is not None for level in levels) else ()
    return LinearPredicate(
        tuple(names), tuple(weights), reader.get("threshold", float), reader.get("missing", bool), given
    )


def _is_level(column: Column, value: float) -> bool:
    return value == math.floor(value) and 0 <= value < len(column.levels)


def _is_date(column: Column, value: float) -> bool:
    try:
        column.format(value)
    except (OverflowError, ValueError):
        return False
    return True


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number here")


class _Reader:
    """Fields of a JSON object, each checked for its type, with errors that say where it stands."""

    def __init__(self, content: Any, where: str) -> None:
        if not isinstance(content, dict):
            raise DiagramError(f"The model is damaged: {where} must be an object.")
        self.content = content
        self.where = where

    def damaged(self, field: str, problem: str) -> DiagramError:
        """The error for a field."""
        return DiagramError(f"The model is damaged: in {self.where}, '{field}' {problem}.")

    def get(self, field: str, kind: type[T]) -> T:
        """A field that must be there."""
        value: T = self._typed(field, self.content.get(field), kind)
        return value

    def optional(self, field: str, kind: type[T]) -> T | None:
        """A field that may be null."""
        if field not in self.content:
            raise self.damaged(field, "is not there")
        value = self.content[field]
        return None if value is None else self.get(field, kind)

    def list_of(self, field: str, kind: type[T]) -> list[T]:
        """A list of texts or numbers."""
        return [self._typed(field, value, kind) for value in self.get(field, list)]

    def enum(self, field: str, kind: type[E]) -> E:
        """One of the values of an enum."""
        value = self.get(field, str)
        if value not in list(kind):
            raise self.damaged(field, f"must be one of {', '.join(kind)}")
        return kind(value)

    def readers(self, field: str, what: str) -> list[_Reader]:
        """The objects of a list."""
        return [_Reader(item, f"{what} {i}") for i, item in enumerate(self.get(field, list))]

    def _typed(self, field: str, value: Any, kind: type) -> Any:
        if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return number
        elif isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        words = {
            str: "a text",
            int: "a whole number",
            float: "a number",
            bool: "true or false",
            list: "a list",
            dict: "an object",
        }
        raise self.damaged(field, f"must be {words[kind]}")
