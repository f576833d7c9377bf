"""The graph that contains every diagram of a skeleton, G = (V, A) of Florio et al. (2023), section 3.1."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ....problem import Shape


@dataclass(frozen=True)
class LayeredFrame:
    """Places for splits in layers, terminals, and the possible arcs between them.

    Places are numbered by layers, the root is 0; the terminal of class k has number n_nodes + k. An arc leads from a
    place to one of the next layer or to a terminal.
    """

    widths: tuple[int, ...]
    n_classes: int

    @property
    def n_nodes(self) -> int:
        """The number of places for splits."""
        return sum(self.widths)

    @property
    def n_arcs(self) -> int:
        """The number of arcs, each available to both sides of a place."""
        return sum(width * (below + self.n_classes) for width, below in pairwise((*self.widths, 0)))

    @cached_property
    def layers(self) -> tuple[np.ndarray, ...]:
        """The places of each layer, int64."""
        ends = np.cumsum((0, *self.widths))
        return tuple(np.arange(first, last) for first, last in pairwise(ends))

    @cached_property
    def layer(self) -> np.ndarray:
        """The layer of each place, int64 (n_nodes,)."""
        return np.repeat(np.arange(len(self.widths)), self.widths)

    @cached_property
    def terminals(self) -> np.ndarray:
        """The numbers of the terminals, int64 (n_classes,)."""
        return self.n_nodes + np.arange(self.n_classes)

    @cached_property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        tails, heads = [], []
        for number, places in enumerate(self.layers):
            below = self.layers[number + 1] if number + 1 < len(self.layers) else np.empty(0, np.int64)
            to = np.concatenate((below, self.terminals))
            tails.append(np.repeat(places, len(to)))
            heads.append(np.tile(to, len(places)))
        empty = [np.empty(0, np.int64)]
        return np.concatenate(tails or empty), np.concatenate(heads or empty)

    @property
    def tail(self) -> np.ndarray:
        """The tail of each arc, int64 (n_arcs,)."""
        return self._ends[0]

    @property
    def head(self) -> np.ndarray:
        """The head of each arc, int64 (n_arcs,)."""
        return self._ends[1]

    def leaving(self, place: int) -> np.ndarray:
        """The arcs that leave a place."""
        return np.flatnonzero(self.tail == place)

    def entering(self, place: int) -> np.ndarray:
        """The arcs that enter a place or terminal."""
        return np.flatnonzero(self.head == place)

    def arc(self, tail: int, head: int) -> int:
        """The arc from a tail to a head."""
        return int(np.flatnonzero((self.tail == tail) & (self.head == head))[0])

    def paths(self) -> list[list[int]]:
        """Every path from the root to a place, as its places from the root."""
        paths: list[list[int]] = []
        here = [[int(place)] for place in self.layers[0]] if self.widths else []
        for below in (*self.layers[1:], np.empty(0, np.int64)):
            paths += here
            here = [[*path, int(place)] for path in here for place in below]
        return paths


def frame_of(shape: Shape, n_classes: int) -> LayeredFrame:
    """The graph of a shape. A limit on splits narrows each layer: every layer above it needs at least one split."""
    widths = shape.layer_widths
    if shape.max_splits is not None:
        left = (shape.max_splits - layer for layer in range(len(widths)))
        widths = tuple(min(width, most) for width, most in zip(widths, left, strict=True) if most > 0)
    return LayeredFrame(widths, n_classes)
