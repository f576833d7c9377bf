"""Whether a table of boxes proves a claim: its own code, from the cases and the table alone.

Of a box of one class the table must say 0 (depth) or at most 1 (leaves); a box without cases counts 0, whatever it
says. Of every box the table must say at most what each question allows that divides it, and no more leaves for a larger
depth limit d:

    depth(box)     <= 1 + max(depth(low part), depth(high part))
    leaves(box, d) <= leaves(low part, d - 1) + leaves(high part, d - 1)  and  <= leaves(box, d - 1)

The claim holds if the box of all values has a number above it. A question that does not divide the values of a box
leaves all its cases on one side, where a tree of a smaller depth limit must do.
"""

import io

import numpy as np

from solvers.certificates.cases import Cases
from solvers.certificates.claims import Claim
from solvers.certificates.proof_checker import ProofVerdict
from solvers.methods.search.clock import Clock

MOST_CELLS = 500_000_000
"""Numbers in a table; more do not fit into the memory of most computers."""

MOST_BITS = 62
"""Values of a column, and classes."""


def proves(cases: Cases, claim: Claim, file: bytes) -> ProofVerdict:
    """Whether the table proves the claim about these cases."""
    clock = Clock()
    try:
        columns, states, table = _read(cases, claim, file)
    # a damaged file may end the unpacking in whatever exception its bytes lead to
    except Exception as error:
        return ProofVerdict(False, f"The table of boxes cannot be read: {error}", clock.elapsed)
    wholes = ((1 << len(values)) - 1 for _, values in columns)
    whole = tuple(int(np.flatnonzero(known == every)[0]) for known, every in zip(states, wholes, strict=True))
    limit = claim.depth if claim.leaves is None else claim.leaves
    root = table[whole] if claim.leaves is None else table[(*whole, claim.depth)]
    n_boxes = int(np.prod([len(known) for known in states]))
    if root <= limit:
        detail = f"The table says {root} of the box of all cases, which does not rule out {limit}."
        return ProofVerdict(False, detail, clock.elapsed)
    mask = _classes(cases, columns, states)
    table[mask == 0] = 0
    if (table[(mask & (mask - 1)) == 0] > (0 if claim.leaves is None else 1)).any():
        return ProofVerdict(False, "The table asks too much of a box whose cases are of one class.", clock.elapsed)
    if claim.leaves is not None and (table[..., 1:] > table[..., :-1]).any():
        return ProofVerdict(False, "The table asks more of a box where more questions are allowed.", clock.elapsed)
    n_checked = 0
    for axis, ((orders, values), known) in enumerate(zip(columns, states, strict=True)):
        place = {int(state): i for i, state in enumerate(known)}
        for o, last in ((o, last) for o, order in enumerate(orders) for last in range(cases.orders[order].n_questions)):
            low = sum(1 << v for v, ranks in enumerate(values) if ranks[o] <= last)
            for state, box in place.items():
                parts = state & low, state & ~low
                if not all(parts):
                    continue
                if parts[0] not in place or parts[1] not in place:
                    return ProofVerdict(False, "The table leaves out a part of a box.", clock.elapsed)
                whole, first, second = (np.take(table, at, axis) for at in (box, place[parts[0]], place[parts[1]]))
                if not _allowed(whole, first, second, claim.leaves is not None):
                    return ProofVerdict(False, "A box has a larger number than its parts allow.", clock.elapsed)
                n_checked += n_boxes // len(known)
    detail = f"Each of {n_boxes:,} boxes has a number that {n_checked:,} divisions into two parts allow."
    return ProofVerdict(True, detail, clock.elapsed)


Columns = list[tuple[list[int], list[tuple[int, ...]]]]
"""For each column its orders, and the ranks in them of each of its values."""


def _read(cases: Cases, claim: Claim, file: bytes) -> tuple[Columns, list[np.ndarray], np.ndarray]:
    """The values of each column, its states, and the table."""
    columns: Columns = []
    for column in sorted({order.column for order in cases.orders}):
        orders = [o for o, order in enumerate(cases.orders) if order.column == column]
        columns.append((orders, sorted({tuple(ranks[o] for o in orders) for ranks in cases.ranks})))
    with np.load(io.BytesIO(file), allow_pickle=False) as parts:
        states = [parts[f"states_{j}"] for j in range(len(columns))]
        table = parts["table"]
    if table.size > MOST_CELLS or table.dtype.kind != "u" or any(known.dtype != np.int64 for known in states):
        raise ValueError("its numbers are of another kind.")
    limits = () if claim.leaves is None else (claim.depth + 1,)
    if table.shape != (*map(len, states), *limits):
        raise ValueError("it does not have the size that its states ask for.")
    if len(cases.classes) > MOST_BITS or any(len(values) > MOST_BITS for _, values in columns):
        raise ValueError(f"more than {MOST_BITS} classes or values of a column cannot be checked.")
    for known, (_, values) in zip(states, columns, strict=True):
        if (1 << len(values)) - 1 not in known or len(np.unique(known)) < len(known) or known.min() < 1:
            raise ValueError("a column lacks the state of all its values.")
    return columns, states, table


def _classes(cases: Cases, columns: Columns, states: list[np.ndarray]) -> np.ndarray:
    """The classes of the cases of each box, a bit a class."""
    mask = np.zeros([len(values) for _, values in columns], np.int64)
    for ranks, label in zip(cases.ranks, cases.labels, strict=True):
        mask[tuple(values.index(tuple(ranks[o] for o in orders)) for orders, values in columns)] |= 1 << label
    for axis, known in enumerate(states):
        by_state = []
        for state in known.tolist():
            members = [v for v in range(mask.shape[axis]) if state >> v & 1]
            by_state.append(np.bitwise_or.reduce(np.take(mask, members, axis=axis), axis=axis))
        mask = np.stack(by_state, axis=axis)
    return mask


def _allowed(box: np.ndarray, low: np.ndarray, high: np.ndarray, counts_leaves: bool) -> bool:
    """Whether boxes say no more than their division into two parts allows."""
    if counts_leaves:
        return bool((box[..., 1:] <= low[..., :-1].astype(np.int64) + high[..., :-1]).all())
    return bool((box <= 1 + np.maximum(low, high).astype(np.int64)).all())
