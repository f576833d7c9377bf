"""A diagram as DOT text: questions in rounded boxes, leaves in the colour of their class, wide arcs for many rows.

Node i is `node0`, `node1`, ... in the DOT and in the id of its SVG group, and its arcs are `arc0-yes` and `arc0-no`, so
that a click or a style finds them. All texts from the user's data pass through `plain` and are escaped for the place
where they stand; long ones are cut on the drawing and whole in the tooltip.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from solvers.diagram.diagram import Diagram, Leaf, NodeId, Split, Trace
from solvers.diagram.palette import Theme, certainty, class_colours, mix, text_on, theme_named
from solvers.diagram.words import describe, percent, plain, quantity
from solvers.errors import DiagramError
from solvers.problem import ShapeKind

FONT = "Helvetica"
QUESTION_WIDTH = 26
QUESTION_LINES = 3
CLAIM_LENGTH = 40
TOOLTIP_LENGTH = 2000
KIND_WORDS = {
    ShapeKind.TREE: "Decision tree",
    ShapeKind.BDD: "Binary decision diagram",
    ShapeKind.DIAGRAM: "Decision diagram",
}


@dataclass(frozen=True)
class _Drawing:
    """Everything that the drawing of one node or arc needs to know of the whole."""

    diagram: Diagram
    theme: Theme
    colours: tuple[str, ...]
    counts: tuple[np.ndarray | None, ...]
    total: float | None
    bold_nodes: frozenset[NodeId]
    bold_arcs: frozenset[tuple[NodeId, bool]]
    min_leaf: int | None
    single: frozenset[NodeId]
    """The nodes with one parent: only there is the count of the node the count of the arc."""


def to_dot(
    diagram: Diagram,
    *,
    theme: str = "light",
    counts: np.ndarray | None = None,
    highlight: Trace | Collection[NodeId] = (),
    min_leaf: int | None = None,
    background: bool = False,
    max_depth: int | None = None,
) -> str:
    """The diagram as DOT text.

    Parameters
    ----------
    diagram : what is drawn.
    theme : 'light' or 'dark'.
    counts : the weight of each class at each node, float (n_nodes, n_classes), for instance of held-out rows; by
        default that of the training rows, which in a graph with shared nodes is known for its leaves only.
    highlight : the way of a case, or a set of nodes, drawn bold with the arcs between them.
    min_leaf : leaves with fewer samples than this are marked as small.
    background : whether the theme's background is painted; otherwise the drawing is transparent.
    max_depth : splits that are this deep are drawn folded, without what is below them; `None` draws all.

    Raises
    ------
    DiagramError
        `counts` has the wrong shape, or a highlighted node does not exist.
    RenderError
        There is no such theme.
    """
    import graphviz

    drawing = _drawing(diagram, theme_named(theme), counts, highlight, min_leaf)
    graph = graphviz.Digraph("diagram")
    graph.attr(
        bgcolor=drawing.theme.background if background else "transparent",
        fontname=FONT,
        tooltip=_tooltip(summary(diagram)),
        ranksep="0.42",
        nodesep="0.28",
        pad="0.1",
        ordering="out" if diagram.kind is ShapeKind.TREE else "",
    )
    graph.attr("node", fontname=FONT, fontsize="13", shape="box", style="rounded,filled", margin="0.14,0.07")
    graph.attr(
        "edge",
        fontname=FONT,
        fontsize="11",
        fontcolor=drawing.theme.muted,
        color=drawing.theme.line,
        arrowsize="0.6",
    )
    shown = _shown(diagram, max_depth)
    for i in shown:
        folded = isinstance(diagram.nodes[i], Split) and max_depth is not None and diagram.layer[i] >= max_depth
        graph.node(f"node{i}", **_node_attributes(drawing, i, folded))
        if isinstance(diagram.nodes[i], Split) and not folded:
            for answer in (True, False):
                _add_arc(graph, drawing, i, answer)
    if diagram.kind is not ShapeKind.TREE:
        _rank_by_layer(graph, diagram, shown)
    return graph.source


def summary(diagram: Diagram) -> str:
    """What the drawing shows: a title, and on the next line a sentence for those who cannot see it."""
    title = f"{KIND_WORDS[diagram.kind]} for {plain(diagram.outcome)}"
    questions, leaves = _plural(diagram.n_splits, "question"), _plural(diagram.n_leaves, "leaf", "leaves")
    size = f"{questions}, {leaves}, depth {diagram.depth}."
    root = diagram.nodes[0]
    if isinstance(root, Split):
        first = f" It first asks whether {plain(root.predicate.words(diagram.schema))}."
    else:
        first = f" It always answers {plain(diagram.classes[root.label])}."
    return f"{title}\n{size}{first}"


def training_counts(diagram: Diagram) -> tuple[np.ndarray | None, ...]:
    """The weight of the training rows of each class at each node, float64 (n_classes,) a node.

    Leaves carry theirs. A split has the sum of its two sides where no node below it is shared; `None` elsewhere.
    """
    single = _single_parent(diagram)
    counts: list[np.ndarray | None] = [None] * diagram.n_nodes
    for i in range(diagram.n_nodes - 1, -1, -1):
        node = diagram.nodes[i]
        if isinstance(node, Leaf):
            counts[i] = np.array(node.counts, np.float64)
        elif {node.yes, node.no} <= single and counts[node.yes] is not None and counts[node.no] is not None:
            counts[i] = counts[node.yes] + counts[node.no]
    return tuple(counts)


def _drawing(
    diagram: Diagram,
    theme: Theme,
    counts: np.ndarray | None,
    highlight: Trace | Collection[NodeId],
    min_leaf: int | None,
) -> _Drawing:
    if counts is None:
        known = training_counts(diagram)
    else:
        if np.shape(counts) != (diagram.n_nodes, len(diagram.classes)):
            raise DiagramError(
                f"The counts must be {diagram.n_nodes} nodes x {len(diagram.classes)} classes. Got {np.shape(counts)}."
            )
        known = tuple(np.asarray(counts, np.float64))
    nodes, arcs = _highlighted(diagram, highlight)
    return _Drawing(
        diagram,
        theme,
        class_colours(len(diagram.classes), diagram.positive),
        known,
        None if known[0] is None else float(known[0].sum()),
        nodes,
        arcs,
        min_leaf,
        _single_parent(diagram),
    )


def _highlighted(
    diagram: Diagram, highlight: Trace | Collection[NodeId]
) -> tuple[frozenset[NodeId], frozenset[tuple[NodeId, bool]]]:
    if isinstance(highlight, Trace):
        nodes = frozenset((*(step.node for step in highlight.steps), highlight.leaf))
        arcs = frozenset((step.node, step.answer) for step in highlight.steps)
    else:
        nodes = frozenset(highlight)
        arcs = frozenset(
            (i, answer)
            for i in nodes
            if 0 <= i < diagram.n_nodes and isinstance(node := diagram.nodes[i], Split)
            for answer in (True, False)
            if (node.yes if answer else node.no) in nodes
        )
    unknown = [i for i in nodes if not 0 <= i < diagram.n_nodes]
    if unknown:
        raise DiagramError(f"There is no node {unknown[0]} to highlight; the diagram has {diagram.n_nodes}.")
    return nodes, arcs


def _single_parent(diagram: Diagram) -> frozenset[NodeId]:
    return frozenset(i for i, arcs in enumerate(diagram.parents) if len(arcs) == 1)


def _shown(diagram: Diagram, max_depth: int | None) -> list[NodeId]:
    if max_depth is None:
        return list(range(diagram.n_nodes))
    if max_depth < 0:
        raise DiagramError(f"The depth that is drawn must be 0 or more. Got {max_depth}.")
    shown = {0}
    for i, node in enumerate(diagram.nodes):
        if i in shown and isinstance(node, Split) and diagram.layer[i] < max_depth:
            shown |= {node.yes, node.no}
    return sorted(shown)


def _rank_by_layer(graph, diagram: Diagram, shown: list[NodeId]) -> None:
    for layer in sorted({int(diagram.layer[i]) for i in shown}):
        with graph.subgraph() as row:
            row.attr(rank="same")
            for i in shown:
                if diagram.layer[i] == layer:
                    row.node(f"node{i}")


def _node_attributes(drawing: _Drawing, i: NodeId, folded: bool) -> dict[str, str]:
    attributes = (
        _split_look(drawing, i, folded) if isinstance(drawing.diagram.nodes[i], Split) else _leaf_look(drawing, i)
    )
    if i in drawing.bold_nodes:
        attributes |= {"color": drawing.theme.ink, "penwidth": "3"}
        attributes["class"] += " on-path"
    return {"id": f"node{i}", "tooltip": _tooltip(_node_tooltip(drawing, i))} | attributes


def _split_look(drawing: _Drawing, i: NodeId, folded: bool) -> dict[str, str]:
    theme, diagram, counts = drawing.theme, drawing.diagram, drawing.counts[i]
    rows = [_font(_lines(_question(diagram, i)), theme.ink)]
    if counts is not None:
        rows.append(_font([f"n = {quantity(counts.sum())}"], theme.muted, 10))
        if counts.sum() > 0:
            rows.append(_share_bar(counts, drawing))
    if folded:
        rows.append(_font(["more below …"], theme.muted, 10))
    return {
        "label": _table(rows),
        "class": "split folded" if folded else "split",
        "fillcolor": theme.surface,
        "color": theme.border,
    }


def _leaf_look(drawing: _Drawing, i: NodeId) -> dict[str, str]:
    diagram, counts = drawing.diagram, drawing.counts[i]
    label = diagram.nodes[i].label
    n = float(counts.sum())
    sure = certainty(counts[label] / n, len(diagram.classes)) if n > 0 else 0.0
    fill = mix(drawing.colours[label], drawing.theme.background, 0.18 + 0.72 * sure)
    text = text_on(fill)
    small = drawing.min_leaf is not None and n < drawing.min_leaf
    facts = [f"{quantity(counts[label])} of {quantity(n)} · {percent(counts[label], n)}" if n > 0 else "no rows"]
    if small:
        facts.append(f"fewer than {drawing.min_leaf}")
    rows = [_font(_lines(plain(diagram.classes[label])), text, bold=True), _font(facts, text, 11)]
    return {
        "label": _table(rows),
        "class": "leaf small" if small else "leaf",
        "style": "filled,rounded,dashed" if small else "filled,rounded",
        "fillcolor": fill,
        "color": drawing.theme.ink if small else mix(drawing.colours[label], drawing.theme.ink, 0.75),
    }


def _add_arc(graph, drawing: _Drawing, i: NodeId, answer: bool) -> None:
    diagram, theme = drawing.diagram, drawing.theme
    split = diagram.nodes[i]
    child = split.yes if answer else split.no
    width, tip = 1.2, plain(split.predicate.words_for(diagram.schema, answer))
    if child in drawing.single and drawing.counts[child] is not None:
        n = float(drawing.counts[child].sum())
        tip += f"\nn = {quantity(n)}"
        if drawing.total:
            width = 1 + 5 * math.sqrt(n / drawing.total)
    word = "yes" if answer else "no"
    attributes = {"id": f"arc{i}-{word}", "class": word, "label": f" {word} ", "penwidth": f"{width:.2f}"}
    attributes |= {"tooltip": _tooltip(tip), "labeltooltip": _tooltip(tip)}
    if diagram.kind is not ShapeKind.TREE and not answer:
        attributes["style"] = "dashed"
    if (i, answer) in drawing.bold_arcs:
        attributes |= {"color": theme.ink, "fontcolor": theme.ink, "class": f"{word} on-path"}
        attributes["penwidth"] = f"{max(width, 3):.2f}"
    graph.edge(f"node{i}", f"node{child}", **attributes)


def _question(diagram: Diagram, i: NodeId) -> str:
    """The question of a split. A long column name is cut in its middle, so that the threshold stays."""
    predicate = diagram.nodes[i].predicate
    claim = plain(predicate.words(diagram.schema)[len(predicate.column) + 1 :])
    if claim.startswith("<="):
        claim = "≤\N{NO-BREAK SPACE}" + claim[3:]
    claim = _cut(claim, CLAIM_LENGTH)
    name = _cut(plain(predicate.column), QUESTION_WIDTH * QUESTION_LINES - 2 * QUESTION_LINES - len(claim))
    return f"{name} {claim}?"


def _lines(text: str) -> list[str]:
    lines = _Wrapper(QUESTION_WIDTH, break_on_hyphens=False).wrap(_cut(text, QUESTION_WIDTH * QUESTION_LINES))
    return lines or ["(no name)"]


class _Wrapper(textwrap.TextWrapper):
    """Breaks lines at blanks and, as column names need it, after '_', '.', '/' and '-'."""

    wordsep_simple_re = re.compile(r"([ ]+|(?<=[_./-])(?=[^\W\d_]))")


def _cut(text: str, length: int) -> str:
    """A text that is longer than `length` without its middle."""
    if len(text) <= length:
        return text
    keep = length - 1
    return f"{text[: keep - keep // 3]}…{text[len(text) - keep // 3 :]}"


def _node_tooltip(drawing: _Drawing, i: NodeId) -> str:
    diagram, counts = drawing.diagram, drawing.counts[i]
    node = diagram.nodes[i]
    if isinstance(node, Split):
        lines = [plain(node.predicate.words(diagram.schema)) + "?"]
    else:
        lines = [f"{plain(diagram.outcome)} is {plain(diagram.classes[node.label])}"]
    lines.append(f"Here: {describe(diagram, i)}")
    if counts is not None:
        lines += [
            f"{plain(name)}: {quantity(k)} of {quantity(counts.sum())}"
            for name, k in zip(diagram.classes, counts, strict=True)
        ]
    return "\n".join(lines)


def _tooltip(text: str) -> str:
    """A text as the value of a tooltip: cut, escaped, and marked so that it is never read as HTML."""
    import graphviz

    short = text if len(text) <= TOOLTIP_LENGTH else text[: TOOLTIP_LENGTH - 1] + "…"
    # Graphviz resolves the backslashes of a tooltip twice, those of a label once
    return graphviz.nohtml(short.replace("&", "&amp;").replace("\\", 4 * "\\").replace("\n", "\\n"))


def _font(lines: Iterable[str], colour: str, size: int = 13, bold: bool = False) -> str:
    text = "<BR/>".join(html.escape(line).replace("\\", "\\\\") for line in lines)
    text = f"<B>{text}</B>" if bold else text
    return f'<FONT COLOR="{colour}" POINT-SIZE="{size}">{text}</FONT>'


def _table(rows: Iterable[str]) -> str:
    cells = "".join(f"<TR><TD>{row}</TD></TR>" for row in rows)
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">{cells}</TABLE>>'


def _share_bar(counts: np.ndarray, drawing: _Drawing, width: int = 84) -> str:
    """The classes of a node as a thin bar, each as wide as its share, the positive class first."""
    order = sorted(np.flatnonzero(counts), key=lambda k: (k != drawing.diagram.positive, k))
    cells = "".join(
        f'<TD FIXEDSIZE="TRUE" WIDTH="{max(1, round(width * counts[k] / counts.sum()))}" HEIGHT="5" '
        f'BGCOLOR="{drawing.colours[k]}"></TD>'
        for k in order
    )
    size = f'FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="5"'
    return f'<TABLE {size} BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>{cells}</TR></TABLE>'


def _plural(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"
