"""The region of each predicted class in the plane of two numeric features."""

from typing import NamedTuple

import numpy as np

from ..diagram import Diagram, Split
from ..problem import Dataset, Predicate

MOST_ROWS = 200
"""If a model also uses other columns, its predictions are averaged over at most this many rows."""


class Regions(NamedTuple):
    """A plane divided into fields.

    Attributes
    ----------
    x, y : the names of the two columns.
    x_edges, y_edges : the boundaries of the fields, increasing; float64 (n_x + 1,), (n_y + 1,).
    share : float64 (n_y, n_x, n_classes), how often each class is predicted in a field: 0 or 1 if the model uses only
        these two columns; if not, the share of the rows for which it is predicted when they are moved to this field.
    others : the other columns that the model uses.
    """

    x: str
    y: str
    x_edges: np.ndarray
    y_edges: np.ndarray
    share: np.ndarray
    others: tuple[str, ...]

    @property
    def label(self) -> np.ndarray:
        """The class predicted most often in each field, int64 (n_y, n_x)."""
        labels: np.ndarray = self.share.argmax(axis=2)
        return labels


def regions(diagram: Diagram, data: Dataset, x: str, y: str) -> Regions:
    """The fields of a model between its thresholds, over the range of the rows of `data` and a small margin."""
    x_edges, y_edges = _edges(diagram, data, x), _edges(diagram, data, y)
    grid_y, grid_x = np.meshgrid((y_edges[:-1] + y_edges[1:]) / 2, (x_edges[:-1] + x_edges[1:]) / 2, indexing="ij")
    others = tuple(name for name in diagram.features if name not in (x, y))
    rows = data.X[:: max(1, -(-len(data.X) // MOST_ROWS))] if others else data.X[:1]
    repeated = np.repeat(rows[None, :, :], grid_x.size, axis=0)
    repeated[:, :, data.schema.index(x)] = grid_x.reshape(-1, 1)
    repeated[:, :, data.schema.index(y)] = grid_y.reshape(-1, 1)
    answers = diagram.predict(repeated.reshape(-1, data.X.shape[1])).reshape(grid_x.size, len(rows))
    share = (answers[:, :, None] == np.arange(len(diagram.classes))).mean(axis=1)
    return Regions(x, y, x_edges, y_edges, share.reshape(*grid_x.shape, len(diagram.classes)), others)


def _edges(diagram: Diagram, data: Dataset, name: str) -> np.ndarray:
    values = data.X[:, data.schema.index(name)]
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = 0.04 * ((high - low) or 1)
    cuts = {
        node.predicate.value
        for node in diagram.nodes
        if isinstance(node, Split) and isinstance(node.predicate, Predicate) and node.predicate.column == name
    }
    inside = sorted(cut for cut in cuts if cut is not None and low - room < cut < high + room)
    return np.array([low - room, *inside, high + room])
