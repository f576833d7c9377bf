"""A diagram as text: readable rules, and versioned JSON that reads back as exactly the same diagram.

Numbers are written with the shortest digits that read back as the same float, so a model predicts the same after a
round trip. Input is not trusted: types are checked before a `Diagram` is made, and the rest by the classes themselves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import msgspec

from ..errors import DiagramError, EspalierError
from ..problem import ShapeKind, Unknown
from ..problem.json_text import read_json
from .diagram import Diagram, Leaf, NodeId, Split
from .words import conditions, never_had, percent, plain, quantity

FORMAT: Final = "espalier-diagram"
VERSION: Final = 3


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    """The content of a model file."""

    format: str
    version: int
    model: Diagram


def to_rules(diagram: Diagram, *, support: Mapping[NodeId, str] | None = None, unknown: Unknown = Unknown.ERROR) -> str:
    """Write the diagram as nested if/else text, one line per leaf with its conditions, and the rule for unknown values.

    A tree with an exit at every split is written as a rule list: if ..., then ..., else if ... In a graph, a split with
    several parents is written once, as a block '[node 5]' to which the others refer. For a leaf with several parents
    the number of rows per path is unknown, so only the line above its paths has its row count.

    Parameters
    ----------
    diagram : the model.
    support : the text after a leaf, for instance if counts must be hidden; by default its rows and the proportion of
        its class.
    unknown : the rule for rows for which a split needs a value that no training row has.
    """
    supports = {i: _support(diagram, leaf) for i, leaf in diagram.leaves} | dict(support or {})
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
        rule = "NO PREDICTION" if unknown is Unknown.ERROR else "PREDICTED ANYWAY"
        lines += ["", f"{rule} if a split needs a value that no training row has:", *(f"    {one}" for one in unheard)]
    return "\n".join(lines) + "\n"


def _is_rule_list(diagram: Diagram) -> bool:
    """Whether there are two or more splits, each with an exit."""
    exits = all(any(isinstance(diagram.nodes[child], Leaf) for child in (s.yes, s.no)) for _, s in diagram.splits)
    return diagram.kind is ShapeKind.TREE and diagram.n_splits > 1 and exits


def _condition(diagram: Diagram, i: NodeId, answer: bool = True) -> str:
    """The text of one side of a split; it mentions missing values only if a row without the value gets here."""
    mentions = None if i in diagram.may_miss else False
    return plain(diagram.split(i).predicate.words(diagram.schema, answer, mention_missing=mentions))


def _rule_list(diagram: Diagram, support: Mapping[NodeId, str]) -> list[str]:
    """One line per exit, from the first split on; the last line is the remaining case."""
    lines: list[str] = []
    at = 0

    def then(i: NodeId) -> str:
        leaf = diagram.nodes[i]
        assert isinstance(leaf, Leaf)
        return f"{_verdict(diagram, leaf)}  {support[i]}"

    while isinstance(node := diagram.nodes[at], Split):
        ends = isinstance(diagram.nodes[node.yes], Leaf)
        condition = _condition(diagram, at, ends)
        way_out, at = (node.yes, node.no) if ends else (node.no, node.yes)
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
            lines.append(f"{indent}if {_condition(diagram, at)}:")
            stack += [(indent + "    ", node.no), (indent, "else:"), (indent + "    ", node.yes)]
    return lines


def _leaf_rules(diagram: Diagram, i: NodeId, leaf: Leaf, support: str) -> list[str]:
    found, complete = conditions(diagram, i)
    ways = [" AND ".join(way) or "always" for way in found]
    if not complete:
        ways.append("another of many paths leads here")
    verdict = _verdict(diagram, leaf)
    if not _is_shared(diagram, i):
        return [f"IF {way} THEN {verdict} {support}" for way in ways or ["never"]]
    return [f"{verdict} {support}, by any of these paths:", *(f"IF {way} THEN {verdict}" for way in ways or ["never"])]


def _is_shared(diagram: Diagram, i: NodeId) -> bool:
    return len(diagram.parents[i]) > 1


def _verdict(diagram: Diagram, leaf: Leaf) -> str:
    return f"{plain(diagram.outcome)} = {plain(diagram.classes[leaf.label])}"


def _support(diagram: Diagram, leaf: Leaf) -> str:
    n = sum(leaf.counts)
    if n <= 0:
        return "(no rows)"
    of_class = leaf.label if diagram.positive is None else diagram.positive
    name = "share" if diagram.positive is None else "predicted risk"
    return f"(n = {quantity(n)}, {name} {percent(leaf.counts[of_class], n)})"


def to_dict(diagram: Diagram) -> dict[str, Any]:
    """The diagram as plain dicts, lists, texts and numbers, the content of `to_json`."""
    # what does not count for equality is left out
    schema = replace(diagram.schema, unused_families=frozenset(), left_out=())
    document = _Document(FORMAT, VERSION, replace(diagram, schema=schema))
    content: dict[str, Any] = msgspec.to_builtins(document, enc_hook=lambda scalar: scalar.item())
    return content


def to_json(diagram: Diagram) -> str:
    """The diagram as JSON text in ASCII, the same text for equal diagrams."""
    return json.dumps(to_dict(diagram), indent=1, allow_nan=False)


def from_json(text: str | bytes) -> Diagram:
    """Read a diagram from the text of `to_json`.

    Raises
    ------
    DiagramError
        The text is not JSON, not a diagram, of an unsupported version, or damaged.
    """
    try:
        content = read_json(text)
    except ValueError as error:
        raise DiagramError(f"The file is not a model: it is not readable JSON ({error}).") from None
    return from_dict(content)


def from_dict(content: Any) -> Diagram:
    """Read a diagram from the content of `to_dict`.

    Raises
    ------
    DiagramError
        The content is not a diagram, of an unsupported version, or damaged.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DiagramError(f"The file is not a model: it must be a JSON object with the format '{FORMAT}'.")
    if content.get("version") != VERSION:
        raise DiagramError(
            f"The model has version {content.get('version')!r}, but this program reads version {VERSION}. "
            "Export the model again, or use the version that wrote this file."
        )
    try:
        return msgspec.convert(content, _Document).model
    except (msgspec.ValidationError, EspalierError) as error:
        fault = str(error).rstrip(".").replace(". - at ", " - at ")
        raise DiagramError(f"The model is damaged: {fault}.") from None
