"""What leaves tell on the drawing, and which of them a filter lets through."""

from __future__ import annotations

from typing import NamedTuple

from components.model.facts import SMALL
from components.words.text import DASH, NARROW, count
from solvers.diagram import Diagram, LeafNote, NodeId, Split, above
from solvers.diagram.labels import cut
from solvers.metrics import LeafRisk, Rate, leaf_risks
from solvers.problem import Dataset

_NAME_LENGTH = 18


def leaf_notes(diagram: Diagram, data: Dataset) -> dict[NodeId, LeafNote]:
    """The risk of every leaf with its 95 % interval and its rows; leaves of fewer than `SMALL` rows say so.

    With a positive class the risk is its share, whatever the leaf answers; otherwise it is the share of its answer.
    """
    return {found.node: _note(diagram, found) for found in leaf_risks(diagram, data)}


def _note(diagram: Diagram, found: LeafRisk) -> LeafNote:
    risk = found.risk
    if risk.value is None:
        return LeafNote(("no rows",), True)
    small = risk.n < SMALL
    if diagram.positive is None:
        lines = (short_rate(risk), f"{count(risk.k)} of {count(risk.n)}")
    else:
        name = cut(diagram.classes[found.of_class], _NAME_LENGTH)
        lines = (f"risk {short_rate(risk)}", f"{count(risk.k)} of {count(risk.n)} {name}")
    return LeafNote((*lines, "few rows: unsure") if small else lines, small)


def short_rate(risk: Rate) -> str:
    """A known share with its 95 % interval as it fits a leaf, for instance '86 % (49-97 %)'."""
    low, high = _ends(risk)
    value = 100 * risk.value
    shown = f"{value:.0f}"
    # nothing is rounded to none or all that it is not
    if shown == "0" and value > 0:
        shown = "<1"
    elif shown == "100" and value < 100:
        shown = ">99"
    return f"{shown}{NARROW}% ({low}{DASH}{high}{NARROW}%)"


def _ends(risk: Rate) -> tuple[str, str]:
    """The ends of the interval, with a decimal where whole numbers would leave nothing of it."""
    low, high = (f"{100 * end:.0f}" for end in (risk.low, risk.high))
    return (low, high) if low != high else (f"{100 * risk.low:.1f}", f"{100 * risk.high:.1f}")


class LeafFilter(NamedTuple):
    """Which leaves are looked for.

    Attributes
    ----------
    min_rows : the least number of rows.
    min_share : the least share of the answer among them, 0 to 1.
    labels : the classes that are answered; empty for all.
    columns : columns of which at least one is asked on the way; empty for all.
    """

    min_rows: int = 0
    min_share: float = 0.0
    labels: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def is_on(self) -> bool:
        """Whether it asks for anything."""
        return self != LeafFilter()


class LeafMatch(NamedTuple):
    """What a filter lets through.

    Attributes
    ----------
    leaves : the leaves, of how many.
    n, of : their rows, of how many.
    dimmed : the nodes that lead to none of them.
    """

    leaves: tuple[NodeId, ...]
    n_leaves: int
    n: int
    of: int
    dimmed: frozenset[NodeId]

    @property
    def sentence(self) -> str:
        """How many leaves and rows are let through."""
        matching = f"{count(len(self.leaves))} of {count(self.n_leaves, 'leaf', 'leaves')}"
        return f"{matching} with {count(self.n)} of {count(self.of, 'row')}"


def matching_leaves(diagram: Diagram, data: Dataset, wanted: LeafFilter) -> LeafMatch:
    """The leaves of a diagram that a filter lets through, by the rows of `data`."""
    risks = leaf_risks(diagram, data)
    sizes = {found.node: sum(found.counts) for found in risks}
    kept = tuple(found.node for found in risks if _matches(diagram, found, wanted))
    seen = above(diagram, kept)
    hidden = frozenset(range(diagram.n_nodes)) - seen
    return LeafMatch(kept, len(risks), sum(sizes[leaf] for leaf in kept), sum(sizes.values()), hidden)


def _matches(diagram: Diagram, found: LeafRisk, wanted: LeafFilter) -> bool:
    n = sum(found.counts)
    if n < wanted.min_rows or (wanted.labels and diagram.classes[found.label] not in wanted.labels):
        return False
    if wanted.min_share > 0 and (n == 0 or found.counts[found.label] / n < wanted.min_share):
        return False
    return not wanted.columns or bool(asked_above(diagram, found.node) & set(wanted.columns))


def asked_above(diagram: Diagram, node: NodeId) -> set[str]:
    """The columns that are asked about on any way to a node."""
    splits = (diagram.nodes[i] for i in above(diagram, (node,)) if i != node)
    return {name for split in splits if isinstance(split, Split) for name in split.predicate.columns}
