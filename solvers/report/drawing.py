"""The drawing of a model with its rows: the same on screens, in files and reports, and on the command line."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ..diagram import Diagram, Excerpt, LeafNote, NodeId, to_dot
from ..diagram.labels import Bars, Scale, answer
from ..metrics import LeafRisk, answer_counts, leaf_risks, node_bars, node_counts
from ..metrics.risks import SMALL
from ..metrics.words import DASH, count, percent
from ..problem import Dataset, ShapeKind, Unknown

UPRIGHT_LEAVES = 4
"""Trees with more leaves are drawn from left to right: top down they are too wide for half a screen."""

NO_BARS = "No bars: rows unknown, or small counts hidden."


class Detail(StrEnum):
    """How much a drawing shows: no rows, counts and risks, or also distributions."""

    BARE = "bare"
    STANDARD = "standard"
    RICH = "rich"

    @property
    def words(self) -> str:
        """The content of the drawing, as a message."""
        return {
            Detail.BARE: "Splits and predictions only",
            Detail.STANDARD: "Details: rows and risks",
            Detail.RICH: "With distributions",
        }[self]


class RowFacts(NamedTuple):
    """Facts of a model from rows: class weights at each node and on each branch, and the notes of its leaves.

    Counts and flows are as for `to_dot`; `None` if they are those stored in the leaves. Bars are those of splits.
    """

    counts: np.ndarray | None
    flows: np.ndarray | None
    notes: Mapping[NodeId, LeafNote]
    bars: Mapping[NodeId, Bars] = {}
    detail: Detail = Detail.STANDARD


def row_facts(diagram: Diagram, data: Dataset | None = None, detail: Detail = Detail.STANDARD) -> RowFacts:
    """The facts for a drawing of some detail, by default from the counts stored in the leaves."""
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


def is_sideways(diagram: Diagram) -> bool:
    """Whether a model is drawn from left to right, on all screens and in all files, also while parts are folded."""
    return diagram.kind is ShapeKind.TREE and diagram.n_leaves > UPRIGHT_LEAVES


def drawn(
    diagram: Diagram,
    by: RowFacts,
    *,
    theme: str = "light",
    excerpt: Excerpt | None = None,
    background: bool = False,
    unknown: Unknown = Unknown.ERROR,
) -> str:
    """The model as DOT text with a legend: leaves show predicted risk and observed share.

    `by` holds the facts from its rows; the other parameters are as for `to_dot`.
    """
    return to_dot(
        diagram,
        theme=theme,
        counts=by.counts,
        flows=by.flows,
        excerpt=excerpt,
        sideways=is_sideways(diagram),
        background=background,
        notes=by.notes,
        bars=by.bars,
        legend=legend(diagram, by),
        bare=by.detail is Detail.BARE,
        unknown=unknown,
    )


def legend(diagram: Diagram, by: RowFacts) -> tuple[str, ...]:
    """How to read a drawing, apart from the colours of the predictions."""
    pale = f"Paler: classes more mixed. Striped: fewer than {count(SMALL, 'row')}."
    if by.detail is Detail.BARE:
        return (pale,)
    predicted = "Predicted: share of the class in the training rows."
    if diagram.positive is not None:
        predicted = f"Predicted risk of '{answer(diagram, diagram.positive)}': from the training rows."
    lines = (pale, predicted, "Observed: in the rows shown, with 95% interval.")
    if by.detail is Detail.STANDARD:
        return lines
    scale = "Line in a leaf: observed share and interval, 0 to 100%."
    bars = "Bars: rows by value and class. Left of the upright line: yes."
    return *lines, scale, bars if by.bars else NO_BARS


def leaf_notes(diagram: Diagram, data: Dataset | None) -> dict[NodeId, LeafNote]:
    """The predicted risk of every leaf, and the observed share in `data` with its 95% interval.

    Without `data` the observed rows are the training rows. Leaves with fewer than `SMALL` rows are marked.
    """
    return {found.node: _note(diagram, found, data is None) for found in leaf_risks(diagram, data)}


def _note(diagram: Diagram, found: LeafRisk, in_training: bool) -> LeafNote:
    observed = found.observed
    predicted = f"predicted {'risk ' * (diagram.positive is not None)}{percent(found.predicted, 0)}"
    if observed.value is None or observed.low is None or observed.high is None:
        # weighted training rows are present, but not counted
        weighted = in_training and any(diagram.leaf(found.node).counts)
        return LeafNote((predicted,) if weighted else (predicted, "no rows"), not weighted)
    # a narrow interval would vanish in rounded percentages
    digits = 0 if round(100 * observed.low) < round(100 * observed.high) else 1
    ends = f"{100 * observed.low:.{digits}f}{DASH}{100 * observed.high:.{digits}f}%"
    shown = f"observed {count(observed.k)} of {count(observed.n)} ({ends})"
    return LeafNote((predicted, shown), observed.n < SMALL, Scale(observed.low, observed.value, observed.high))
