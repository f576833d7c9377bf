"""A diagram as a nested list of splits, for frames too narrow for a readable picture.

Elements have the same names as in the drawing (`node0`, `arc0-yes`, ...), so selecting, folding and highlighting work
as in a picture.
"""

from html import escape

from solvers.diagram import Diagram, Excerpt, Leaf, NodeId, Split, class_colours, quantity
from solvers.diagram.dot import answer_colours, describe_folded, leaf_fill
from solvers.diagram.labels import Scale, answer, bar_heights, question
from solvers.diagram.palette import text_on, theme_named
from solvers.diagram.row_weights import training_counts
from solvers.messages.costs import positive_first
from solvers.report.drawing import Detail, RowFacts, legend


def outline(diagram: Diagram, excerpt: Excerpt, folds: frozenset[NodeId], by: RowFacts, theme: str) -> str:
    """The list as HTML; a node with several paths is expanded only at its first occurrence."""
    counts = training_counts(diagram) if by.counts is None else tuple(by.counts)
    colours = class_colours(len(diagram.classes), diagram.positive)
    order = positive_first(diagram)
    written: set[NodeId] = set()

    def words(i: NodeId) -> str:
        node = diagram.nodes[i]
        if isinstance(node, Leaf):
            return escape(answer(diagram, node.label))
        return escape(question(node.predicate, diagram.schema, missing=i in diagram.may_miss))

    def bars(i: NodeId) -> str:
        if (found := by.bars.get(i)) is None:
            return ""
        columns = [
            "".join(f'<i style="height:{high}px;background:{colours[k]}"></i>' for k, high in pairs if high)
            for pairs in ([(k, int(heights[k])) for k in reversed(order)] for heights in bar_heights(found))
        ]
        parts = [f"<span>{column}</span>" for column in columns]
        parts.insert(found.cut, '<i class="cut"></i>')
        return f'<span class="bars" aria-hidden="true">{"".join(parts)}</span><small>{escape(found.words)}</small>'

    def box(i: NodeId) -> str:
        node, known = diagram.nodes[i], counts[i]
        if isinstance(node, Split):
            known = None if by.detail is Detail.BARE else known
            n_words = "" if known is None else f"n = {quantity(known.sum())}"
            sign, n_words = ("+", f"+ {describe_folded(diagram, i, known)}") if i in folds else ("\u2212", n_words)
            button = f'<span class="fold" aria-hidden="true">{sign}</span>'
            state = f'aria-expanded="{str(i not in folds).lower()}"'
            shown = f"<small>{n_words}</small>{bars(i) if i not in folds else ''}"
            return f'<div class="node split" id="node{i}" {state}>{button}<b>{words(i)}</b>{shown}</div>'
        assert known is not None
        share = float(known[node.label] / known.sum()) if known.sum() > 0 else 0.0
        fill = leaf_fill(theme_named(theme), colours[node.label], share, len(diagram.classes))
        look, note = f"background-color:{fill};color:{text_on(fill)}", by.notes.get(i)
        lines = "".join(f" <small>{escape(line)}</small>" for line in (note.lines if note else ()))
        small = " small" if note is not None and note.small else ""
        drawn = scale(note.scale) if note is not None and note.scale is not None else ""
        return f'<div class="node leaf{small}" id="node{i}" style="{look}"><b>{words(i)}</b>{lines}{drawn}</div>'

    def item(i: NodeId, arc: str) -> str:
        if i in written:
            return f'<li>{arc}<span class="again">\u2191 {words(i)} (above)</span></li>'
        written.add(i)
        node, below = diagram.nodes[i], ""
        if isinstance(node, Split) and i not in folds:
            for child, word in ((node.yes, "yes"), (node.no, "no")):
                if excerpt.only is None or child in excerpt.only:
                    below += item(child, f'<span class="arc" id="arc{i}-{word}">{word}</span>')
        return f"<li>{arc}{box(i)}{below and f'<ul>{below}</ul>'}</li>"

    keys = "".join(f'<i style="background:{colour}"></i>{escape(text)} ' for colour, text in answer_colours(diagram))
    captions = " ".join(map(escape, legend(diagram, by)))
    return f'<ul class="outline">{item(0, "")}</ul><p class="legend">{keys}<br/>{captions}</p>'


def scale(share: Scale) -> str:
    """A share with its interval on an axis from 0 to 100%."""
    low, value, high = (f"{100 * end:.1f}%" for end in share)
    interval = f'<i style="left:{low};right:calc(100% - {high})"></i>'
    return f'<span class="scale" aria-hidden="true">{interval}<i class="at" style="left:{value}"></i></span>'
