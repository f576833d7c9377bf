"""Rows per split of a BDD or diagram next to the tree with the same predictions."""

from statistics import mean
from typing import NamedTuple

from components.messages.text import count, percent
from solvers.diagram import Diagram
from solvers.metrics import Fragmentation, fragmentation, unfolded
from solvers.problem import Dataset


class Spread(NamedTuple):
    """A model with its title, its errors, and the distribution of rows over its splits."""

    title: str
    diagram: Diagram
    wrong: int
    rows: Fragmentation


def spreads(diagram: Diagram, data: Dataset, support: int) -> tuple[Spread, ...]:
    """A model, then the tree with the same predictions, unless that is too large.

    Each split should have at least `support` rows of `data`.
    """
    shown = [(f"This {diagram.kind.noun}", diagram)]
    if (same := unfolded(diagram)) is not None:
        shown.append(("Equivalent tree", same))
    return tuple(
        Spread(title, one, int((one.predict(data) != data.y).sum()), fragmentation(one, data, support=support))
        for title, one in shown
    )


def describe_sharing(found: tuple[Spread, ...]) -> str:
    """A sentence on the effect of sharing splits."""
    own, *trees = found
    noun, rows = own.diagram.kind.noun, own.rows
    if not rows.questions:
        return f"This {noun} has no splits."
    average = f"A split of this {noun} has {percent(mean(rows.questions) / rows.n, 0)} of the rows on average"
    if not trees:
        return f"{average}. The equivalent tree would have thousands of splits."
    tree = trees[0]
    if tree.diagram.n_splits == own.diagram.n_splits:
        return f"{average}. No split is shared, so the equivalent tree has the same size."
    repeated = percent(mean(tree.rows.questions) / rows.n, 0)
    return (
        f"{average} (at least {count(min(rows.questions), 'row')}). The equivalent tree has "
        f"{count(tree.diagram.n_splits)} splits instead of {count(own.diagram.n_splits)}, with {repeated} on average "
        f"(at least {count(min(tree.rows.questions), 'row')})."
    )
