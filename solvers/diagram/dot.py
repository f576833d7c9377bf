"""A diagram as DOT text: splits in rounded boxes, leaves in the colour of their class, wide arcs for many rows.

Node i is `node0`, `node1`, ... in the DOT and in the id of its SVG group, and its arcs are `arc0-yes` and `arc0-no`, so
that clicks and styles can address them. A BDD shows its splits at the side, one per level (`level0`, `level1`, ...),
with solid arcs for yes and dashed arcs for no.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import DiagramError
from ..problem import ShapeKind, Unknown
from .diagram import Diagram, Leaf, NodeId, Split, Trace
from .labels import (
    Bars,
    Scale,
    answer,
    asked,
    bar,
    cut,
    font,
    histogram,
    lift,
    question,
    scale,
    spoken,
    swatches,
    table,
    tooltip,
    wrapped,
)
from .levels import Excerpt, Level, below, folded_in, levels, visible
from .palette import Theme, certainty, class_colours, mix, text_on, theme_named
from .row_weights import arc_weights, training_counts
from .words import describe, never_had, percent, plain, quantity

FONT = "Helvetica"
SVG_FONT = f"{FONT},sans-Serif"
"""The name of the font in SVG drawings of Graphviz."""
SMALL_PRINT = 12
"""Font size in points of the lines below a split or prediction; drawings must not be shrunk until it is unreadable."""
MANY_LEVELS = 6
_LEGEND_CLASSES, _LEGEND_LETTERS = 8, 30
_APART = {False: ("0.42", "0.16"), True: ("0.14", "0.1")}
"""Inches between the levels of a tree, and between its nodes, upright and sideways."""
_STRIPES = 11
"""Number of stripes of a leaf with few rows: hatching that all formats support."""
_LEVELS_APART = {False: "0.5", True: "0.3"}
"""Inches between the levels of a graph: its arcs cross and have labels, but many levels must fit on a screen."""
KIND_WORDS = {
    ShapeKind.TREE: "Decision tree",
    ShapeKind.BDD: "Binary decision diagram",
    ShapeKind.DIAGRAM: "Decision diagram",
}


class LeafNote(NamedTuple):
    """The text of a leaf below its class: lines, whether it is marked for having few rows, and its risk as a scale."""

    lines: tuple[str, ...]
    small: bool
    scale: Scale | None = None


@dataclass(frozen=True)
class _Drawing:
    """The information about the whole that the drawing of a node or arc needs; `counts` and `flows` by node."""

    diagram: Diagram
    theme: Theme
    counts: tuple[np.ndarray | None, ...]
    flows: dict[tuple[NodeId, bool], float]
    highlight: Trace
    notes: Mapping[NodeId, LeafNote]
    bars: Mapping[NodeId, Bars]
    bare: bool
    unknown: Unknown
    sideways: bool

    @cached_property
    def colours(self) -> tuple[str, ...]:
        """The colours of the classes."""
        return class_colours(len(self.diagram.classes), self.diagram.positive)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The levels from the root."""
        return levels(self.diagram)

    @cached_property
    def total(self) -> float:
        """The weight of all rows; each row ends in exactly one leaf."""
        return float(sum(_of_leaf(self.counts, i).sum() for i, _ in self.diagram.leaves))

    @cached_property
    def bold_nodes(self) -> frozenset[NodeId]:
        """The nodes on the highlighted path."""
        return frozenset((*(step.node for step in self.highlight.steps), self.highlight.leaf))

    @cached_property
    def bold_arcs(self) -> frozenset[tuple[NodeId, bool]]:
        """The arcs on the highlighted path."""
        return frozenset((step.node, step.answer) for step in self.highlight.steps)

    @property
    def asks_at_the_side(self) -> bool:
        """Whether each level has its split at the side, not in every node; nodes then show only their rows."""
        return self.levels[0].question is not None and self.counts[0] is not None

    @property
    def shares(self) -> bool:
        """Whether nodes and arcs show their proportion of all rows; in a tree the counts suffice."""
        return self.diagram.kind is not ShapeKind.TREE


def to_dot(  # noqa: PLR0913
    diagram: Diagram,
    *,
    theme: str = "light",
    counts: np.ndarray | None = None,
    flows: np.ndarray | None = None,
    highlight: Trace | None = None,
    background: bool = False,
    excerpt: Excerpt | None = None,
    sideways: bool = False,
    notes: Mapping[NodeId, LeafNote] | None = None,
    bars: Mapping[NodeId, Bars] | None = None,
    legend: Sequence[str] | None = None,
    bare: bool = False,
    unknown: Unknown = Unknown.ERROR,
) -> str:
    """Write the diagram as DOT text.

    Parameters
    ----------
    diagram : the model to draw.
    theme : 'light' or 'dark'.
    counts : the weight of each class at each node, float (n_nodes, n_classes), for instance of held-out rows; by
        default that of the training rows, which in a graph with shared nodes is known for its leaves only.
    flows : the weight of the rows on the yes and no side of each node, float (n_nodes, 2), as in `answer_counts`;
        by default derived from the counts, which is impossible for arcs to a node with several parents.
    highlight : the path of a row, drawn bold.
    background : whether the theme's background is painted; if not, the drawing is transparent.
    excerpt : the part to draw; by default all.
    sideways : whether the root is at the left instead of the top, which needs less width for many leaves.
    notes : the lines of leaves below their class, for instance a risk with its interval; by default the proportion of
        their class among the counts.
    bars : histograms of the rows at splits, drawn instead of the class proportions.
    legend : explanatory lines below the colours of the classes; with `None` the drawing has no legend.
    bare : whether splits and arcs show nothing about rows, and leaves only their notes; the counts then affect only
        the strength of the colours.
    unknown : the rule for values that no training row has, shown at splits.

    Raises
    ------
    DiagramError
        `counts` or `flows` has the wrong shape.
    RenderError
        There is no such theme.
    """
    for given, columns, what in ((counts, len(diagram.classes), "counts"), (flows, 2, "flows")):
        if given is not None and np.shape(given) != (diagram.n_nodes, columns):
            what += f" must be {diagram.n_nodes} nodes x {columns} {'classes' if what == 'counts' else 'branches'}"
            raise DiagramError(f"The {what}, but are {' x '.join(map(str, np.shape(given)))}.")
    known = list(training_counts(diagram) if counts is None else np.asarray(counts, np.float64))
    if bare:
        for i, _ in diagram.splits:
            known[i] = None
    arcs = {} if bare else arc_weights(diagram, known, flows)
    path, look = highlight or Trace((), -1, -1), theme_named(theme)
    drawing = _Drawing(diagram, look, tuple(known), arcs, path, notes or {}, bars or {}, bare, unknown, sideways)
    line = {i: line for line, level in enumerate(drawing.levels) for i in level.nodes}
    graph = _sheet(drawing, background)
    if legend is not None:
        graph.attr(label=_legend(drawing, legend), labeljust="l")
    excerpt = excerpt or Excerpt()
    shown, folded = frozenset(visible(diagram, line, excerpt)), folded_in(diagram, line, excerpt)
    for i in sorted(shown):
        graph.node(f"node{i}", **_node_attributes(drawing, i, i in folded))
        if isinstance(node := diagram.nodes[i], Split) and i not in folded:
            for answer, child in ((True, node.yes), (False, node.no)):
                if child in shown:
                    tip = spoken(node.predicate, diagram.schema, answer, missing=i in diagram.may_miss)
                    graph.edge(f"node{i}", f"node{child}", **_arc_attributes(drawing, i, answer, tip))
    if diagram.kind is not ShapeKind.TREE:
        _rank(graph, drawing, shown)
    source: str = graph.source
    return source


def _sheet(drawing: _Drawing, background: bool) -> Any:
    """An empty `graphviz.Digraph` (an untyped class) with the default attributes of its nodes and arcs."""
    import graphviz

    tree = drawing.diagram.kind is ShapeKind.TREE
    graph = graphviz.Digraph("diagram")
    graph.attr(
        bgcolor=drawing.theme.background if background else "transparent",
        fontname=FONT,
        tooltip=tooltip("\n".join(summary(drawing.diagram))),
        rankdir="LR" if drawing.sideways else "TB",
        ranksep=_APART[drawing.sideways][0] if tree else _LEVELS_APART[len(drawing.levels) > MANY_LEVELS],
        nodesep=_APART[drawing.sideways][1] if tree else "0.28",
        pad="0.2",
        ordering="out" if tree else "",
    )
    graph.attr("node", fontname=FONT, fontsize="13", shape="box", style="rounded,filled", margin="0.09,0.06")
    look = {"fontcolor": drawing.theme.muted, "color": drawing.theme.line, "arrowsize": "0.6"}
    graph.attr("edge", fontname=FONT, fontsize=str(SMALL_PRINT), **look)
    return graph


def summary(diagram: Diagram) -> tuple[str, str]:
    """A title and a short description of the drawing, for screen readers."""
    title = f"{KIND_WORDS[diagram.kind]} for {plain(diagram.outcome)}"
    questions, leaves = _count(diagram.n_splits, "question"), _count(diagram.n_leaves, "leaf", "leaves")
    size = f"{questions}, {leaves}, depth {diagram.depth}."
    root = diagram.nodes[0]
    if isinstance(root, Split):
        first = f"It first asks whether {spoken(root.predicate, diagram.schema)}."
    else:
        first = f"It always predicts {plain(diagram.classes[root.label])}."
    return title, f"{size} {first}"


def _count(n: int, one: str, many: str = "questions") -> str:
    return f"{n} {one if n == 1 else many}"


def _of_leaf(counts: Sequence[np.ndarray | None], leaf: NodeId) -> np.ndarray:
    """The counts of a leaf, which are always known."""
    known = counts[leaf]
    assert known is not None
    return known


def _rank(graph: Any, drawing: _Drawing, shown: frozenset[NodeId]) -> None:
    """Place the nodes of each level on one line, with their split at the left."""
    drawn = [(k, [i for i in level.nodes if i in shown]) for k, level in enumerate(drawing.levels)]
    drawn = [(k, nodes) for k, nodes in drawn if nodes]
    for k, nodes in drawn:
        with graph.subgraph() as row:
            row.attr(rank="same")
            if drawing.asks_at_the_side:
                row.node(f"level{k}", **_level_look(drawing, k))
                for i in nodes:
                    # an arc within a line keeps its tail to the left
                    row.edge(f"level{k}", f"node{i}", style="invis")
            else:
                for i in nodes:
                    row.node(f"node{i}")
    if drawing.asks_at_the_side:
        for (above, _), (below, _) in pairwise(drawn):
            graph.edge(f"level{above}", f"level{below}", style="invis", weight="20")


def _level_look(drawing: _Drawing, k: int) -> dict[str, str]:
    """The split of a level; beside the terminals, the meaning of the arcs."""
    theme, predicate = drawing.theme, drawing.levels[k].question
    look = {"id": f"level{k}", "class": "level", "shape": "plaintext", "style": "", "margin": "0.05,0"}
    if predicate is None:
        return look | {
            "label": table([font(["solid: yes, dashed: no"], theme.muted, SMALL_PRINT)]),
            "tooltip": "How to read it",
        }
    label = table([font(wrapped(question(predicate, drawing.diagram.schema)), theme.ink)])
    return look | {"label": label, "tooltip": tooltip(asked(predicate, drawing.diagram.schema))}


def _node_attributes(drawing: _Drawing, i: NodeId, folded: bool) -> dict[str, str]:
    node = drawing.diagram.nodes[i]
    look = _split_look(drawing, i, node, folded) if isinstance(node, Split) else _leaf_look(drawing, i, node)
    if i in drawing.bold_nodes:
        look |= {"color": drawing.theme.ink, "penwidth": "3", "class": f"{look['class']} on-path"}
    return {"id": f"node{i}", "tooltip": tooltip(_node_tooltip(drawing, i))} | look


def _split_look(drawing: _Drawing, i: NodeId, split: Split, folded: bool) -> dict[str, str]:
    theme, diagram, counts = drawing.theme, drawing.diagram, drawing.counts[i]
    rows = []
    if not drawing.asks_at_the_side:
        words = question(split.predicate, diagram.schema, missing=i in diagram.may_miss)
        rows.append(font(wrapped(words), theme.ink))
    if counts is not None and not folded:
        rows.append(font([f"n = {quantity(counts.sum())}{_of_all(drawing, counts.sum())}"], theme.muted, SMALL_PRINT))
    if (bars := drawing.bars.get(i)) is not None and not folded:
        order = sorted(range(len(diagram.classes)), key=lambda k: k != diagram.positive)
        rows.append(histogram(bars, order, drawing.colours, theme.surface, theme.ink))
        rows.append(font([bars.words], theme.muted, SMALL_PRINT))
    elif counts is not None and counts.sum() > 0:
        rows.append(_share_bar(counts, drawing))
    if folded:
        rows.append(font([f"+ {describe_folded(diagram, i, counts)}"], theme.muted, SMALL_PRINT))
    return {
        "label": table(rows),
        "class": "split folded" if folded else "split",
        "fillcolor": theme.surface,
        "color": theme.border,
    }


def describe_folded(diagram: Diagram, i: NodeId, counts: np.ndarray | None) -> str:
    """The number of leaves and rows below a folded split."""
    words = _count(sum(isinstance(diagram.nodes[node], Leaf) for node in below(diagram, (i,))), "leaf", "leaves")
    return words if counts is None else f"{words}, {quantity(counts.sum())} rows"


def leaf_fill(theme: Theme, colour: str, share: float, n_classes: int) -> str:
    """The colour of a leaf whose class has this colour and predicted proportion: stronger if more certain."""
    return mix(colour, theme.background, 0.18 + 0.72 * certainty(share, n_classes))


def _leaf_look(drawing: _Drawing, i: NodeId, leaf: Leaf) -> dict[str, str]:
    diagram, counts, label = drawing.diagram, _of_leaf(drawing.counts, i), leaf.label
    n = float(counts.sum())
    fill = leaf_fill(drawing.theme, drawing.colours[label], leaf.shares[label], len(diagram.classes))
    text = text_on(fill)
    note = drawing.notes.get(i) or _count_rows(label, counts, n)
    rows = [
        font(wrapped(answer(diagram, label)), text, bold=True),
        *([font(map(plain, note.lines), text, SMALL_PRINT)] if note.lines else ()),
        *([] if note.scale is None else [scale(note.scale, text, text)]),
    ]
    return {
        "label": table(rows),
        "class": "leaf small" if note.small else "leaf",
        "style": "striped" if note.small else "filled,rounded",
        "fillcolor": _stripe(fill, text) if note.small else fill,
        "color": mix(drawing.colours[label], drawing.theme.ink, 0.75),
    }


def _stripe(fill: str, text: str) -> str:
    """A colour with stripes of one that contrasts more with the text, so that the text stays readable."""
    stripe = mix(fill, "#ffffff" if text == "#000000" else "#000000", 0.75)
    return ":".join((fill, stripe)[k % 2] for k in range(_STRIPES))


def answer_colours(diagram: Diagram) -> list[tuple[str, str]]:
    """The colour and the words of each class that the model predicts, the positive class first."""
    colours = class_colours(len(diagram.classes), diagram.positive)
    answered = sorted({leaf.label for _, leaf in diagram.leaves}, key=lambda k: (k != diagram.positive, k))
    return [(colours[k], answer(diagram, k)) for k in answered]


def _legend(drawing: _Drawing, lines: Sequence[str]) -> str:
    """The colours of the classes, and explanatory lines."""
    muted = drawing.theme.muted
    keys = [
        (colour, cut(words, _LEGEND_LETTERS)) for colour, words in answer_colours(drawing.diagram)[:_LEGEND_CLASSES]
    ]
    pairs = [swatches(keys[k : k + 2], muted, SMALL_PRINT) for k in range(0, len(keys), 2)]
    return table(pairs + [font([line], muted, SMALL_PRINT) for line in lines], left=True)


def _count_rows(label: int, counts: np.ndarray, n: float) -> LeafNote:
    """The default note of a leaf: the proportion of its class."""
    share = f"{quantity(counts[label])} of {quantity(n)} · {percent(counts[label], n)}"
    return LeafNote((share if n > 0 else "no rows",), False)


def _arc_attributes(drawing: _Drawing, i: NodeId, answer: bool, tip: str) -> dict[str, str]:
    width, ink = 1.2, drawing.theme.ink
    word = label = "yes" if answer else "no"
    n = drawing.flows.get((i, answer))
    if n is not None:
        tip += f"\nn = {quantity(n)}{_of_all(drawing, n)}"
        if drawing.total:
            width = 1 + 5 * math.sqrt(n / drawing.total)
            if drawing.shares:
                label = f"{label} {percent(n, drawing.total)}"
    attributes = {"id": f"arc{i}-{word}", "class": word, "penwidth": f"{width:.2f}"}
    if not drawing.asks_at_the_side:
        # arcs at the side have no labels: dashes mark 'no', as there are too many arcs for words
        # labels are at the right of an arc or above it; wide arcs need extra room
        beside = " " * (1 + round(width / 2))
        attributes["label"] = f"<{label}{lift(width)}>" if drawing.sideways else f"{beside}{label} "
    attributes |= {"tooltip": tooltip(tip), "labeltooltip": tooltip(tip)}
    if drawing.diagram.kind is not ShapeKind.TREE and not answer:
        attributes["style"] = "dashed"
    if (i, answer) in drawing.bold_arcs:
        attributes |= {"color": ink, "fontcolor": ink, "class": f"{word} on-path", "penwidth": f"{max(width, 3):.2f}"}
    return attributes


def _of_all(drawing: _Drawing, n: float) -> str:
    """The proportion of all rows, if nodes do not simply divide the rows of their parent."""
    return f" · {percent(n, drawing.total)}" if drawing.shares and drawing.total else ""


def _node_tooltip(drawing: _Drawing, i: NodeId) -> str:
    diagram, counts = drawing.diagram, drawing.counts[i]
    node = diagram.nodes[i]
    if isinstance(node, Split):
        lines = [asked(node.predicate, diagram.schema, missing=i in diagram.may_miss)]
        unheard = "No prediction" if drawing.unknown is Unknown.ERROR else "Predicted anyway"
        lines += [f"{unheard}: {one}" for one in never_had(diagram.schema, node.predicate.columns)]
    else:
        lines = [answer(diagram, node.label)]
    lines.append(f"Here: {describe(diagram, i)}")
    if drawing.bare:
        lines += map(plain, drawing.notes[i].lines if i in drawing.notes else ())
    elif counts is not None:
        lines += [
            f"{plain(name)}: {quantity(k)} of {quantity(counts.sum())}"
            for name, k in zip(diagram.classes, counts, strict=True)
        ]
    return "\n".join(lines)


def _share_bar(counts: np.ndarray, drawing: _Drawing) -> str:
    """The classes of a node as a thin bar with a width per class, the positive class first."""
    order = sorted(np.flatnonzero(counts), key=lambda k: (k != drawing.diagram.positive, k))
    return bar((counts[k] / counts.sum(), drawing.colours[k]) for k in order)
