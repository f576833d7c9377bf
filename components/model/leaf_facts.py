"""Which leaves of a drawing a filter lets through."""

from typing import NamedTuple

from components.words.text import count
from solvers.diagram import Diagram, NodeId, above, below
from solvers.metrics import LeafRisk, leaf_risks
from solvers.problem import Dataset


class LeafFilter(NamedTuple):
    """Which leaves are looked for: the least number of rows, and the least share of the answer among them, 0 to 1.

    One of the classes must be answered (empty for all), and the column asked about on the way (`None` for any).
    """

    min_rows: int = 0
    min_share: float = 0.0
    labels: tuple[str, ...] = ()
    column: str | None = None

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
    return wanted.column is None or found.node in below(diagram, asking(diagram, wanted.column))


def asking(diagram: Diagram, column: str) -> tuple[NodeId, ...]:
    """The questions about a column."""
    return tuple(i for i, split in diagram.splits if column in split.predicate.columns)
