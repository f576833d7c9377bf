"""The drawing of a model with what its rows say: the same on screens, in files and reports, and on the command line."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ..diagram import Diagram, Excerpt, LeafNote, NodeId, to_dot
from ..diagram.labels import Bars, Scale, answer
from ..metrics import LeafRisk, Rate, answer_counts, leaf_risks, node_bars, node_counts, rate_of_counts
from ..metrics.risks import SMALL
from ..metrics.words import DASH, NARROW, count
from ..problem import Dataset, Unknown

NO_BARS = "No bars: the rows are not known, or small counts are hidden."


class Detail(StrEnum):
    """How much a drawing says: nothing of rows, their counts and risks, or also how they are distributed."""

    BARE = "bare"
    STANDARD = "standard"
    RICH = "rich"

    @property
    def words(self) -> str:
        """What is drawn, as a message."""
        return {
            Detail.BARE: "Questions and answers only",
            Detail.STANDARD: "With rows and risks",
            Detail.RICH: "With distributions",
        }[self]


class RowFacts(NamedTuple):
    """What rows say of a model: the weight of each class at each node and of each answer, and the notes of its leaves.

    Counts and flows as for `to_dot`; `None` where they are those that the leaves remember. Bars are those of questions.
    """

    counts: np.ndarray | None
    flows: np.ndarray | None
    notes: Mapping[NodeId, LeafNote]
    bars: Mapping[NodeId, Bars] = {}
    detail: Detail = Detail.STANDARD


def row_facts(diagram: Diagram, data: Dataset | None = None, detail: Detail = Detail.STANDARD) -> RowFacts:
    """What rows say of a model in a drawing of some detail, by default those that its leaves remember."""
    notes, bars = leaf_notes(diagram, data), {}
    if detail is Detail.BARE:
        notes = {i: LeafNote((), note.small) for i, note in notes.items()}
    elif detail is Detail.STANDARD:
        notes = {i: note._replace(scale=None) for i, note in notes.items()}
    elif data is not None:
        bars = node_bars(diagram, data)
    if data is None:
        return RowFacts(None, None, notes, bars, detail)
    return RowFacts(node_counts(diagram, data), answer_counts(diagram, data), notes, bars, detail)


def drawn(
    diagram: Diagram,
    by: RowFacts,
    *,
    theme: str = "light",
    excerpt: Excerpt | None = None,
    sideways: bool = False,
    background: bool = False,
    unknown: Unknown = Unknown.ERROR,
    more: tuple[str, ...] = (),
) -> str:
    """The model as DOT text with a legend: leaves tell their risk with its interval, those of few rows are striped.

    `by` is what its rows say, `more` are lines below the legend; the others are as for `to_dot`.
    """
    return to_dot(
        diagram,
        theme=theme,
        counts=by.counts,
        flows=by.flows,
        excerpt=excerpt,
        sideways=sideways,
        background=background,
        notes=by.notes,
        bars=by.bars,
        legend=legend(diagram, by) + more,
        bare=by.detail is Detail.BARE,
        unknown=unknown,
    )


def legend(diagram: Diagram, by: RowFacts) -> tuple[str, ...]:
    """What must be known to read a drawing besides the colours of the answers."""
    pale = f"Paler: less sure. Striped: fewer than {count(SMALL, 'row')}."
    if by.detail is Detail.BARE:
        return (pale,)
    share = "Per cent: share of the answer, with its 95 % interval."
    if diagram.positive is not None:
        share = f"Risk: share of '{answer(diagram, diagram.positive)}', with its 95 % interval."
    if by.detail is Detail.STANDARD:
        return pale, share
    scale = "Line in a leaf: that share and interval, from 0 to 100 %."
    bars = "Bars: rows by value and class. Left of the upright line: yes."
    return pale, share, scale, bars if by.bars else NO_BARS


def leaf_notes(diagram: Diagram, data: Dataset | None) -> dict[NodeId, LeafNote]:
    """The risk of every leaf with its 95 % interval and its rows; leaves of fewer than `SMALL` rows say so.

    With a positive class the risk is its share, whatever the leaf answers; otherwise it is the share of its answer.
    """
    risks = _remembered(diagram) if data is None else leaf_risks(diagram, data)
    return {found.node: _note(diagram, found) for found in risks}


def _remembered(diagram: Diagram) -> tuple[LeafRisk, ...]:
    """What the leaves themselves remember of the training rows; nothing where that are weights, and not rows."""
    out = []
    for i, leaf in diagram.leaves:
        of_class = leaf.label if diagram.positive is None else diagram.positive
        counts = tuple(int(k) for k in leaf.counts)
        if counts != tuple(leaf.counts):
            return ()
        risk = rate_of_counts(counts[of_class], sum(counts))
        out.append(LeafRisk(i, leaf.label, counts, of_class, risk))
    return tuple(out)


def _note(diagram: Diagram, found: LeafRisk) -> LeafNote:
    risk = found.risk
    if risk.value is None:
        return LeafNote(("no rows",), True)
    small = risk.n < SMALL
    shown = short_rate(risk)
    rows = f"{count(risk.k)} of {count(risk.n)}: few rows" if small else f"{count(risk.k)} of {count(risk.n)}"
    scale = None if risk.low is None or risk.high is None else Scale(risk.low, risk.value, risk.high)
    return LeafNote((shown if diagram.positive is None else f"risk {shown}", rows), small, scale)


def short_rate(risk: Rate) -> str:
    """A share with its 95 % interval as it fits a leaf, for instance '86 % (49-97 %)'."""
    if risk.value is None or risk.low is None or risk.high is None:
        return DASH
    shown = f"{100 * risk.value:.0f}"
    # nothing is rounded to none or all that it is not
    if shown == "0" and risk.value > 0:
        shown = "<1"
    elif shown == "100" and risk.value < 1:
        shown = ">99"
    low, high = (f"{100 * end:.0f}" for end in (risk.low, risk.high))
    if low == high:
        # whole numbers would leave nothing of the interval
        low, high = (f"{100 * end:.1f}" for end in (risk.low, risk.high))
    return f"{shown}{NARROW}% ({low}{DASH}{high}{NARROW}%)"
