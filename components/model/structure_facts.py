"""The structure of models of any shape side by side: size, features, and rows per split."""

from collections.abc import Callable, Sequence

import numpy as np

from components.messages.text import DASH, count, percent
from solvers.diagram import Diagram
from solvers.diagram.dot import KIND_WORDS
from solvers.metrics import unfolded
from solvers.problem import Dataset
from solvers.report.blocks import TableBlock

MEANINGS = {
    "Shape": "Kind of model.",
    "Splits": "Internal nodes.",
    "Different splits": "A split that several nodes use counts once.",
    "Features": "Inputs that the model can need.",
    "Leaves": "Terminal nodes.",
    "Splits if drawn as a tree": "Splits of the tree that makes the same predictions.",
    "Maximum depth": "Splits on the longest path.",
    "Mean splits per row": "Average over these rows.",
    "Fewest rows per split": "The split that the fewest of these rows reach.",
    "Median rows per split": "At least half of the splits have at most this many rows.",
}
"""The structural measures of a model: name and meaning."""


def structure(models: Sequence[tuple[str, Diagram, Dataset]], support: int | None = None) -> TableBlock:
    """The measures of models, each with title and rows; with `support`, how many splits have fewer rows."""
    measures = [_measure(diagram, data, support) for _, diagram, data in models]
    rows = tuple((name, *(one[name] for one in measures)) for name in measures[0])
    return TableBlock("", ("", *(title for title, *_ in models)), rows, meanings=MEANINGS)


def _rows_per_split(diagram: Diagram, data: Dataset) -> np.ndarray:
    """The number of rows that reach each split, int64 (n_splits,)."""
    counts: np.ndarray = diagram.reach(data).sum(axis=0)[[i for i, _ in diagram.splits]]
    return counts


def _measure(diagram: Diagram, data: Dataset, support: int | None) -> dict[str, str]:
    same, rows = unfolded(diagram), _rows_per_split(diagram, data)

    def share(of: Callable[[np.ndarray], float]) -> str:
        return f"{count(round(of(rows)))} ({percent(of(rows) / max(data.n_samples, 1), 0)})" if len(rows) else DASH

    small = {} if support is None else {f"Splits under {support} rows": count(int((rows < support).sum()))}
    return {
        "Shape": KIND_WORDS[diagram.kind],
        "Splits": count(diagram.n_splits),
        "Different splits": count(len({split.predicate for _, split in diagram.splits})),
        "Features": count(len(diagram.features)),
        "Leaves": count(diagram.n_leaves),
        "Splits if drawn as a tree": "thousands" if same is None else count(same.n_splits),
        "Maximum depth": count(diagram.depth),
        "Mean splits per row": f"{rows.sum() / max(data.n_samples, 1):.1f}",
        "Fewest rows per split": share(np.min),
        "Median rows per split": share(np.median),
        **small,
    }


def describe_sharing(diagram: Diagram, data: Dataset) -> str:
    """A sentence on the effect of sharing splits, against the tree with the same predictions."""
    same, noun, rows = unfolded(diagram), diagram.kind.noun, _rows_per_split(diagram, data)
    if not len(rows):
        return f"This {noun} has no splits."
    average = f"A split of this {noun} has {percent(rows.mean() / data.n_samples, 0)} of the rows on average"
    if same is None:
        return f"{average}. The equivalent tree would have thousands of splits."
    if same.n_splits == diagram.n_splits:
        return f"{average}. No split is shared, so the equivalent tree has the same size."
    other = _rows_per_split(same, data)
    return (
        f"{average} (at least {count(rows.min(), 'row')}). The equivalent tree has {count(same.n_splits)} splits "
        f"instead of {count(diagram.n_splits)}, with {percent(other.mean() / data.n_samples, 0)} on average (at least "
        f"{count(other.min(), 'row')})."
    )
