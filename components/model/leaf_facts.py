"""What leaves tell on the drawing, and which of them a filter lets through."""

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
    """A share with its 95 % interval as it fits a leaf, for instance '86 % (49-97 %)'."""
    if risk.value is None or risk.low is None or risk.high is None:
        return DASH
    low, high = (f"{100 * end:.0f}" for end in (risk.low, risk.high))
    if low == high:
        # whole numbers would leave nothing of the interval
        low, high = (f"{100 * end:.1f}" for end in (risk.low, risk.high))
    shown = f"{100 * risk.value:.0f}"
    # nothing is rounded to none or all that it is not
    if shown == "0" and risk.value > 0:
        shown = "<1"
    elif shown == "100" and risk.value < 1:
        shown = ">99"
    return f"{shown}{NARROW}% ({low}{DASH}{high}{NARROW}%)"


class LeafFilter(NamedTuple):
    """Which leaves are looked for: the least number of rows, and the least share of the answer among them, 0 to 1.

    Of the classes and of the columns on the way one must fit; empty for all.
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
    """The leaves that a filter lets through, of how many; their rows, of how many; and the nodes that lead to none."""

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
    leaves = tuple(found.node for found in risks if _matches(diagram, found, wanted))
    seen = above(diagram, leaves)
    hidden = frozenset(range(diagram.n_nodes)) - seen
    return LeafMatch(leaves, len(risks), sum(sizes[leaf] for leaf in leaves), sum(sizes.values()), hidden)


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
