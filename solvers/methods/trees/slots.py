"""Nodes of a complete binary tree, numbered as in a heap: root 0, children of slot n are 2n + 1 (yes) and 2n + 2 (no).

A tree of depth K has 2^K - 1 *question slots*, 0 to 2^K - 2, and below them 2^K *branches*, 0 to 2^K - 1 from yes to
no: the branches of Nanfack, Temple and Frénay (2023). Rows take the no side of a question slot without a split, and of
all slots below it; so the branch of a leaf above the last level is the last branch below it.
"""

from ...constraints.rules import Path
from ...problem import Shape

Slot = int
Branch = int


def yes_of(slot: Slot) -> Slot:
    """The child of a slot on the yes side."""
    return 2 * slot + 1


def no_of(slot: Slot) -> Slot:
    """The child of a slot on the no side."""
    return 2 * slot + 2


def depth_of(slot: Slot) -> int:
    """The depth of a slot, 0 for the root."""
    return (slot + 1).bit_length() - 1


def depth_within(size: Shape, n_cells: int) -> int:
    """The maximum depth of a tree: each split on a path adds a leaf beside it."""
    return min(size.max_depth, leaves_within(size, n_cells) - 1)


def leaves_within(size: Shape, n_cells: int) -> int:
    """The maximum number of leaves of a tree, each with a cell of its own."""
    return min(n_cells, size.max_leaf_nodes or n_cells)


def steps(slot: Slot) -> tuple[tuple[Slot, bool], ...]:
    """The ancestors of a slot, from the root down, each with the side that leads to the slot (True = yes)."""
    way = []
    while slot:
        above = (slot - 1) // 2
        way.append((above, slot == yes_of(above)))
        slot = above
    return tuple(reversed(way))


def path_to(slot: Slot) -> Path:
    """The sides that lead to a slot, from the root down."""
    return tuple(answer for _, answer in steps(slot))


def above(slot: Slot) -> tuple[Slot, ...]:
    """The ancestors of a slot, from the root down."""
    return tuple(place for place, _ in steps(slot))


def branch_steps(branch: Branch, depth: int) -> tuple[tuple[Slot, bool], ...]:
    """The question slots on a branch, each with its side."""
    return steps(branch + 2**depth - 1)


def branches_below(slot: Slot, depth: int) -> range:
    """The branches that pass through a slot."""
    levels = depth - depth_of(slot)
    first = (slot + 1) * 2**levels - 2**depth
    return range(first, first + 2**levels)


def last_yes(branch: Branch, depth: int) -> Slot | None:
    """The deepest slot that a branch leaves on the yes side: the branch is used if this slot has a split.

    `None` for the last branch, which is always used.
    """
    return next((slot for slot, answer in reversed(branch_steps(branch, depth)) if answer), None)


def slot_of(place: Path) -> Slot:
    """The slot at the end of a path from the root."""
    slot = 0
    for answer in place:
        slot = yes_of(slot) if answer else no_of(slot)
    return slot
