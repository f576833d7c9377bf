"""A small BDD of a table that leaves things open, quickly: variables are moved through the order one by one.

Sifting (Rudell 1993) for tables whose cells are answered by merging compatible subtables, see `table.merged`.
"""

import numpy as np

from solvers.methods.bdds.smallest import SmallestBdd
from solvers.methods.bdds.table import UNKNOWN, merged

MOST_CELLS = 2**10
"""A larger table is merged in the order given."""


def sifted(allowed: np.ndarray) -> SmallestBdd:
    """A BDD with few nodes.

    `allowed`, bool (2**n_variables, n_classes), are the classes that a cell may answer, not all in all cells. A cell
    that allows some of them answers the first.
    """
    n_variables = len(allowed).bit_length() - 1
    table = np.where(allowed.all(axis=1), UNKNOWN, allowed.argmax(axis=1)).reshape((2,) * n_variables)
    best = _in_order(table, tuple(range(n_variables)))
    if len(allowed) > MOST_CELLS:
        return best
    for variable in range(n_variables):
        others = [v for v in best.order if v != variable]
        orders = [(*others[:i], variable, *others[i:]) for i in range(n_variables)]
        best = min([best, *(_in_order(table, order) for order in orders)], key=lambda found: found.n_splits)
    return best


def _in_order(table: np.ndarray, order: tuple[int, ...]) -> SmallestBdd:
    labels = merged(table.transpose(order).ravel())
    return SmallestBdd(_n_splits(labels), order, tuple(labels.tolist()))


def _n_splits(labels: np.ndarray) -> int:
    """The nodes of the BDD of a complete table: different subtables whose halves differ."""
    n, size = 0, len(labels)
    while size > 1:
        parts = np.unique(labels.reshape(-1, size), axis=0)
        n += int((parts[:, : size // 2] != parts[:, size // 2 :]).any(axis=1).sum())
        size //= 2
    return n
