"""A claim proved by a table of boxes, each value of which can be checked beside its neighbours.

Whatever was asked before, the cases at a node of a tree are those of a *box*: a set of values, its state, for each
column. The table says for every box a number that no tree for its cases is below:

    depth    a tree for the box has at least this depth
    leaves   a tree for the box of at most d questions a path has at least so many leaves, for d = 0, 1, ...

That holds, by induction over trees, if it holds for single leaves and if no question makes a box better than its two
parts allow. So a checker looks at each box and each question once and trusts nobody.
"""

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from solvers.certificates.claims import Claim
from solvers.methods.trees.smallest.boxes import BoxSearch, attributes_of
from solvers.methods.trees.smallest.cases import Asked


def box_table(asked: Asked, claim: Claim, due: Callable[[], bool] = lambda: False) -> bytes | None:
    """The table of a claim as an npz file; `due` says whether to end now.

    There is none where columns have too many values, the time is up, or the claim does not hold.

    `states_j` is int64 (n_states,), the sets of values of the j-th column that is asked about, a bit a value; values
    are numbered in the order of their ranks. `table` has an axis a column, with the states in this order; for leaves
    one more, the depth limit. Numbers above what the claim needs are cut to one more than that.
    """
    from solvers.methods.search.watch import Watch

    label = np.unique(asked.label, return_inverse=True)[1].ravel().astype(np.int32)
    attributes = attributes_of(asked.rank, asked.orders.column[asked.kept])
    if attributes is None or not attributes:
        return None
    search = BoxSearch(attributes, label)
    with Watch(search.stop, due):
        least = search.feasible(claim.depth) if claim.leaves is None else search.fewest(claim.depth)
    if least is None:
        return None
    depth, leaves = search.tables()
    if claim.leaves is None:
        table, limit = depth.astype(np.int64), claim.depth + 1
    else:
        table, limit = leaves[:, : claim.depth + 1].astype(np.int64), claim.leaves + 1
    if table[-1].max() < limit or (claim.leaves is not None and table[-1, -1] < limit):
        return None
    shape = [len(attribute.states) for attribute in attributes]
    table = np.minimum(table, limit).astype(np.min_scalar_type(limit))
    out = io.BytesIO()
    arrays: dict[str, Any] = {f"states_{j}": attribute.states for j, attribute in enumerate(attributes)}
    np.savez_compressed(out, table=table.reshape(*shape, *table.shape[1:]), **arrays)
    return out.getvalue()
