"""Places of a complete binary tree, numbered as in a heap: root 0, below slot n are 2n + 1 (yes) and 2n + 2 (no).

A tree of depth K has 2^K - 1 *question slots*, 0 to 2^K - 2, and below them 2^K *branches*, 0 to 2^K - 1 from yes to
no: the branches of Nanfack, Temple and Frénay (2023). A question slot without a question is passed on its no side, and
so are all slots below it; so the branch of a node that ends early is the last one below it.
"""

from ...constraints.rules import Path

Slot = int
Branch = int


def yes_of(slot: Slot) -> Slot:
    """The slot below on the side of the answer yes."""
    return 2 * slot + 1


def no_of(slot: Slot) -> Slot:
    """The slot below on the side of the answer no."""
    return 2 * slot + 2


def depth_of(slot: Slot) -> int:
    """The number of questions above a slot."""
    return (slot + 1).bit_length() - 1


def steps(slot: Slot) -> tuple[tuple[Slot, bool], ...]:
    """The slots above one, from the root down, each with the answer that leads to it (True = yes)."""
    way = []
    while slot:
        above = (slot - 1) // 2
        way.append((above, slot == yes_of(above)))
        slot = above
    return tuple(reversed(way))


def path_to(slot: Slot) -> Path:
    """The answers that lead to a slot, from the root down."""
    return tuple(answer for _, answer in steps(slot))


def above(slot: Slot) -> tuple[Slot, ...]:
    """The slots above one, from the root down."""
    return tuple(place for place, _ in steps(slot))


def branch_steps(branch: Branch, depth: int) -> tuple[tuple[Slot, bool], ...]:
    """The question slots of a branch with its answers."""
    return steps(branch + 2**depth - 1)


def branches_below(slot: Slot, depth: int) -> range:
    """The branches that pass through a slot."""
    levels = depth - depth_of(slot)
    first = (slot + 1) * 2**levels - 2**depth
    return range(first, first + 2**levels)


def last_yes(branch: Branch, depth: int) -> Slot | None:
    """The deepest slot of a branch that it leaves on the yes side: the branch is used where a question stands there.

    `None` for the last branch, which is always used.
    """
    return next((slot for slot, answer in reversed(branch_steps(branch, depth)) if answer), None)


def slot_of(place: Path) -> Slot:
    """The slot at the end of a path of answers from the root."""
    slot = 0
    for answer in place:
        slot = yes_of(slot) if answer else no_of(slot)
    return slot
