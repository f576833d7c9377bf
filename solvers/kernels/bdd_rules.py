"""All truth tables over a few splits that stay within limits: the part of a BDD search that handles constraints.

The splits of a set have positions 0 to h - 1. The outcomes of a row, the first split first and yes as 1, are the binary
digits of its cell. In a given order of the splits, a BDD is a tree in which each level either uses its split or skips
it; a skipped split has the same model on both sides. The decisions of the first l levels for a row (0: no, 1: yes,
2: skipped) are the ternary digits of a *block*. The blocks after all h levels are leaves, and all cells of a leaf have
one prediction.

Quantities are additive over leaves, so their minimum below each block is computed from the leaves upwards:

    least(q, block) = min of least(q, block skips) and, if the split is permitted, least(q, no) + least(q, yes)

A depth-first search over the open blocks continues only while every quantity, with the minima of the open blocks added,
is within its limit. C cells, K classes, Q quantities: number 0 is a weighted sum of the others, number 1 the cost.

control : int64 (5 or more,), see below; limits : int64 (Q,); labels : int64 (C,), the predictions, -1 if open.
order : int64 (h,), the positions by level; level : 0 to h; block : its number, see `first_of`; d : a decision.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int64Matrix, Int64Vector, int64
from .compiled import njit
from .pairs import broken_pairs
from .status import DONE, FOUND, RUNNING
from .workspace import FAR

ORDER, DEPTH, WORK, COST, SPLITS = 0, 1, 2, 3, 4
"""Words of control: the current order, the current decision (-1 before the first), work; cost and splits of the table
found."""
LEAST_ASKED, LEAST_ROWS, LEAST_WEIGHT, MOST_LEAVES, MOST_SPLITS, EACH, FREE, MOST_COST, CHAIN = range(9)
"""Words of `ConstrainedNodes.size`."""
LEVEL, DIGITS, NEXT = range(3)
"""Fields of an open block: its level and digits, and the line of the next one, -1 for none."""


class ConstrainedNodes(NamedTuple):
    """The quantities of the cells of a set of splits, and the constraints.

    Attributes
    ----------
    value : int64 (Q, C, K), what a cell adds by its prediction.
    tested : int64 (Q, C), what a cell adds per unit of test cost; price : int64 (Q, C), the test cost of a set of used
        positions, with the first position as the highest bit.
    share : int64 (Q,), for quantity 0: the test costs of a quantity are divided by its share, rounded down, and added.
    allowed : uint8 (h, C), whether a position may be used below a set of positions.
    fixed : int64 (2C,), the position that is required after given outcomes (binary digits after a leading 1); -1 for
        any.
    pair : int64 (P, 3), rank : int64 (R, K), the pairs and heights of `broken_pairs`.
    rows, weight : int64 (C,), of the cells.
    size : int64 (9,), see above.
    whole : uint8 (2,), whether blocks may be skipped, in which case every split must be used somewhere; and whether
        cells without rows stay open.
    """

    value: np.ndarray
    tested: np.ndarray
    price: np.ndarray
    share: np.ndarray
    allowed: np.ndarray
    fixed: np.ndarray
    pair: np.ndarray
    rank: np.ndarray
    rows: np.ndarray
    weight: np.ndarray
    size: np.ndarray
    whole: np.ndarray


class Blocks(NamedTuple):
    """Scratch of `advance`, for h levels.

    Attributes
    ----------
    leaf : int64 (Q, 3**h, K); tested : int64 (Q, 3**h); least : int64 (Q, blocks of all levels).
    answers, asked, cell : int64 (blocks,), the outcomes on the path to a block, after a leading 1; the positions used
        there, the first as the highest bit; and the first cell of the block.
    before : int64 (n + 1, Q), the quantities before each decision; entry : int64 (2n + 3, 3), the open blocks, see
        above.
    head, choice, option, placed : int64 (n + 2,), for each decision the open block, the number of the option, whether
        it uses the split, and whether its cells have a prediction.
    labels : int64 (C,), the predictions, -1 if open.
    """

    leaf: np.ndarray
    tested: np.ndarray
    least: np.ndarray
    answers: np.ndarray
    asked: np.ndarray
    cell: np.ndarray
    before: np.ndarray
    entry: np.ndarray
    head: np.ndarray
    choice: np.ndarray
    option: np.ndarray
    placed: np.ndarray
    labels: np.ndarray


def blocks_for(n_levels: int, n_classes: int, n_quantities: int) -> Blocks:
    """Allocate scratch."""
    leaves, n, cells = 3**n_levels, 2 ** (n_levels + 1), 2**n_levels
    n_blocks = (3 * leaves - 1) // 2
    # a path of decisions through all blocks: at most one for each block of a complete tree
    return Blocks(
        leaf=np.zeros((n_quantities, leaves, n_classes), np.int64),
        tested=np.zeros((n_quantities, leaves), np.int64),
        least=np.zeros((n_quantities, n_blocks), np.int64),
        answers=np.ones(n_blocks, np.int64),
        asked=np.zeros(n_blocks, np.int64),
        cell=np.zeros(n_blocks, np.int64),
        before=np.zeros((n + 1, n_quantities), np.int64),
        entry=np.zeros((2 * n + 3, 3), np.int64),
        head=np.zeros(n + 2, np.int64),
        choice=np.zeros(n + 2, np.int64),
        option=np.zeros(n + 2, np.int64),
        placed=np.zeros(n + 2, np.int64),
        labels=np.zeros(cells, np.int64),
    )


@njit(cache=True, nogil=True)
def advance(
    ruled: ConstrainedNodes,
    blocks: Blocks,
    orders: Int64Matrix,
    limits: Int64Vector,
    control: Int64Vector,
    most_work: int,
) -> int:
    """Continue to the next table within the limits, which may fall from call to call.

    `orders`, int64 (n, h), are the orders of the positions to try. Returns `FOUND` with the predictions in
    `blocks.labels` and the number of the order in control, `DONE` after the last table, or `RUNNING` after `most_work`.
    """
    n_quantities = len(limits)
    begin = control[WORK]
    while control[ORDER] < len(orders):
        order = orders[control[ORDER]]
        if control[DEPTH] < 0:
            lay_out(ruled, blocks, order)
            control[WORK] += len(blocks.answers) * n_quantities
            root = len(blocks.entry) - 1
            open_block(blocks, root, 0, 0, -1)
            blocks.head[0] = root
            blocks.labels[:] = -1
            within = True
            for q in range(n_quantities):
                blocks.before[0, q] = blocks.least[q, 0]
                # the minima over all blocks are a lower bound of each quantity
                within &= blocks.before[0, q] <= limits[q]
            if within:
                control[DEPTH] = 0
                blocks.choice[0] = -1
                blocks.placed[0] = 0
        while control[DEPTH] >= 0:
            if control[WORK] - begin > most_work:
                return RUNNING
            control[WORK] += n_quantities
            if branch(ruled, blocks, order, limits, control):
                return FOUND
        control[ORDER] += 1
        control[DEPTH] = -1
        if control[WORK] - begin > most_work and control[ORDER] < len(orders):
            return RUNNING
    return DONE


@njit(cache=True, nogil=True)
def branch(
    ruled: ConstrainedNodes, blocks: Blocks, order: Int64Vector, limits: Int64Vector, control: Int64Vector
) -> bool:
    """Take the next option of the current decision, or backtrack if there is none; True if a table is found."""
    n_quantities, h, n_classes = len(limits), len(order), ruled.value.shape[2]
    d = control[DEPTH]
    at = blocks.head[d]
    level, digits, rest = blocks.entry[at, LEVEL], blocks.entry[at, DIGITS], blocks.entry[at, NEXT]
    block = first_of(level) + digits
    if blocks.placed[d]:
        place(blocks, block, -1)
        blocks.placed[d] = 0
    blocks.choice[d] += 1
    choice = blocks.choice[d]
    if level == h:
        open_cell = ruled.whole[1] and rows_of(ruled, blocks, block) == 0
        if choice >= (1 if open_cell else n_classes) or ruled.fixed[blocks.answers[block]] >= 0:
            control[DEPTH] -= 1
            return False
        label = nth_cheapest(blocks.leaf[0, digits], choice)
        for q in range(n_quantities):
            value = blocks.before[d, q] - blocks.least[q, block] + blocks.leaf[q, digits, label]
            blocks.before[d + 1, q] = value
            # `value` is a lower bound: the quantity of the leaves so far, plus the minima of the open blocks
            if value > limits[q]:
                return False
        place(blocks, block, label)
        blocks.placed[d], blocks.option[d] = 1, 0
        if broken_pairs(ruled.pair, ruled.rank, blocks.labels):
            return False
        following = rest
    else:
        below = first_of(level + 1) + 3 * digits
        may_ask = asks(ruled, blocks, order[level], block) and (not ruled.size[CHAIN] or is_below(blocks, d))
        may_skip = ruled.whole[0] == 1
        if choice >= 2:
            control[DEPTH] -= 1
            return False
        # first the option with the smaller minimum of quantity 0
        ask_first = not may_skip or (
            may_ask and blocks.least[0, below] + blocks.least[0, below + 1] < blocks.least[0, below + 2]
        )
        asking = (choice == 0) == ask_first
        if (asking and not may_ask) or (not asking and not may_skip):
            return False
        blocks.option[d] = asking
        for q in range(n_quantities):
            value = blocks.before[d, q] - blocks.least[q, block]
            value += blocks.least[q, below] + blocks.least[q, below + 1] if asking else blocks.least[q, below + 2]
            blocks.before[d + 1, q] = value
            # as above: the minima of the new blocks replace that of their parent
            if value > limits[q]:
                return False
        following = 2 * d
        if asking:
            open_block(blocks, 2 * d, level + 1, 3 * digits, 2 * d + 1)
            open_block(blocks, 2 * d + 1, level + 1, 3 * digits + 1, rest)
        else:
            open_block(blocks, 2 * d, level + 1, 3 * digits + 2, rest)
    if following >= 0:
        control[DEPTH] = d + 1
        blocks.head[d + 1] = following
        blocks.choice[d + 1] = -1
        blocks.placed[d + 1] = 0
        return False
    return leaves_fit(ruled, blocks.labels) and splits_fit(ruled, blocks, order, control, d)


@njit(cache=True, nogil=True)
def first_of(level: int) -> int:
    """The number of the first block of a level."""
    return (3**level - 1) // 2


@njit(cache=True, nogil=True)
def open_block(blocks: Blocks, at: int, level: int, digits: int, following: int) -> None:
    """Write an open block of `digits` to line `at` of `Blocks.entry`, with the line of the next one, -1 for none."""
    blocks.entry[at, LEVEL], blocks.entry[at, DIGITS], blocks.entry[at, NEXT] = level, digits, following


@njit(cache=True, nogil=True)
def asks(ruled: ConstrainedNodes, blocks: Blocks, position: int, block: int) -> bool:
    """Whether the split at `position`, 0 to h - 1, is permitted at a block."""
    fixed = ruled.fixed[blocks.answers[block]]
    return ruled.allowed[position, blocks.asked[block]] == 1 and (fixed == -1 or fixed == position)


@njit(cache=True, nogil=True)
def is_below(blocks: Blocks, d: int) -> bool:
    """Whether a decision is about a block below all blocks that were split before it, as in a rule list (chain)."""
    at = blocks.entry[blocks.head[d]]
    for e in range(d):
        above = blocks.entry[blocks.head[e]]
        if blocks.option[e] and at[DIGITS] // 3 ** (at[LEVEL] - above[LEVEL]) != above[DIGITS]:
            return False
    return True


@njit(cache=True, nogil=True)
def least_weighted(ruled: ConstrainedNodes, blocks: Blocks, orders: Int64Matrix) -> int:
    """The minimum of quantity 0 over all tables of any of the `orders`, int64 (n, h)."""
    least = int64(FAR)
    for i in range(len(orders)):
        lay_out(ruled, blocks, orders[i])
        least = min(least, blocks.least[0, 0])
    return least


@njit(cache=True, nogil=True)
def lay_out(ruled: ConstrainedNodes, blocks: Blocks, order: Int64Vector) -> None:
    """Write the quantities of all leaves, and their minima below every block, for an order."""
    h, (n_quantities, _, n_classes) = len(order), ruled.value.shape
    leaves = first_of(h + 1) - first_of(h)
    for level in range(h):
        bit, first, below = 1 << (h - 1 - order[level]), first_of(level), first_of(level + 1)
        for digits in range(below - first):
            block = first + digits
            for digit in range(3):
                at = below + 3 * digits + digit
                asked = digit < 2
                blocks.answers[at] = 2 * blocks.answers[block] + digit if asked else blocks.answers[block]
                blocks.asked[at] = blocks.asked[block] | bit if asked else blocks.asked[block]
                blocks.cell[at] = blocks.cell[block] | bit if digit == 1 else blocks.cell[block]
    last = first_of(h)
    for digits in range(leaves):
        skipped, step, rest = 0, 1, digits
        while rest and not skipped:
            skipped = step if rest % 3 == 2 else 0
            rest //= 3
            step *= 3
        no, yes, cell = digits - 2 * skipped, digits - skipped, blocks.cell[last + digits]
        for q in range(n_quantities):
            if skipped:
                blocks.tested[q, digits] = blocks.tested[q, no] + blocks.tested[q, yes]
                for k in range(n_classes):
                    blocks.leaf[q, digits, k] = blocks.leaf[q, no, k] + blocks.leaf[q, yes, k]
            else:
                blocks.tested[q, digits] = ruled.tested[q, cell]
                for k in range(n_classes):
                    blocks.leaf[q, digits, k] = ruled.value[q, cell, k]
    for digits in range(leaves):
        block = last + digits
        for q in range(n_quantities):
            if ruled.share[q] > 0:
                paid = blocks.tested[q, digits] * ruled.price[q, blocks.asked[block]]
                part = paid // ruled.share[q]
                for k in range(n_classes):
                    blocks.leaf[q, digits, k] += paid
                    blocks.leaf[0, digits, k] += part
        for q in range(n_quantities):
            least = blocks.leaf[q, digits, 0]
            for k in range(1, n_classes):
                least = min(least, blocks.leaf[q, digits, k])
            # a leaf is not permitted in a place with a required split
            blocks.least[q, block] = FAR if ruled.fixed[blocks.answers[block]] >= 0 else least
    for level in range(h - 1, -1, -1):
        first, following = first_of(level), first_of(level + 1)
        for digits in range(following - first):
            may_ask = asks(ruled, blocks, order[level], first + digits)
            below = following + 3 * digits
            for q in range(n_quantities):
                best = min(int64(FAR), blocks.least[q, below + 2]) if ruled.whole[0] else int64(FAR)
                if may_ask:
                    best = min(best, blocks.least[q, below] + blocks.least[q, below + 1])
                blocks.least[q, first + digits] = best


@njit(cache=True, nogil=True)
def rows_of(ruled: ConstrainedNodes, blocks: Blocks, block: int) -> int:
    """The number of rows in a block."""
    cell, free = blocks.cell[block], (len(blocks.labels) - 1) & ~blocks.asked[block]
    total, part = int64(0), free
    while True:
        total += ruled.rows[cell | part]
        if part == 0:
            return total
        part = (part - 1) & free


@njit(cache=True, nogil=True)
def place(blocks: Blocks, block: int, label: int) -> None:
    """Set the prediction of all cells of a leaf to `label`, -1 for none."""
    cell, free = blocks.cell[block], (len(blocks.labels) - 1) & ~blocks.asked[block]
    part = free
    while True:
        blocks.labels[cell | part] = label
        if part == 0:
            return
        part = (part - 1) & free


@njit(cache=True, nogil=True)
def nth_cheapest(values: Int64Vector, n: int) -> int:
    """The position of the `n`-th smallest of the `values`, int64 (K,), from 0 on; ties by position."""
    for k in range(len(values)):
        before = 0
        for j in range(len(values)):
            before += values[j] < values[k] or (values[j] == values[k] and j < k)
        if before == n:
            return k
    return -1


@njit(cache=True, nogil=True)
def leaves_fit(ruled: ConstrainedNodes, labels: Int64Vector) -> bool:
    """Whether each predicted class has enough rows and weight, and there are not too many classes."""
    n_leaves = 0
    for k in range(ruled.value.shape[2]):
        used, rows, weight = False, 0, 0
        for c in range(len(labels)):
            if labels[c] == k and not (ruled.whole[1] and ruled.rows[c] == 0):
                used = True
                rows += ruled.rows[c]
                weight += ruled.weight[c]
        if used:
            n_leaves += 1
            if rows < max(1, ruled.size[LEAST_ROWS]) or weight < ruled.size[LEAST_WEIGHT]:
                return False
    return n_leaves <= ruled.size[MOST_LEAVES]


@njit(cache=True, nogil=True)
def splits_fit(ruled: ConstrainedNodes, blocks: Blocks, order: Int64Vector, control: Int64Vector, last: int) -> bool:
    """Whether the decisions up to `last` have no redundant split, use all splits, and satisfy the node limits."""
    h, labels = len(order), blocks.labels
    control[COST], control[SPLITS] = blocks.before[last + 1, 1], 0
    if not ruled.whole[0]:
        return True
    every, n_splits = 0, 0
    for d in range(last + 1):
        level, digits = blocks.entry[blocks.head[d], LEVEL], blocks.entry[blocks.head[d], DIGITS]
        if not blocks.option[d]:
            continue
        bit = 1 << (h - 1 - order[level])
        every |= bit
        rest = rest_of(order, level + 1)
        block = first_of(level) + digits
        cell = blocks.cell[block]
        if agree(labels, cell, cell | bit, rest):
            return False
        # nodes of one level with the same subtable are merged, so they count once
        rows, first = 0, True
        for e in range(last + 1):
            if blocks.entry[blocks.head[e], LEVEL] != level or not blocks.option[e]:
                continue
            twin = first_of(level) + blocks.entry[blocks.head[e], DIGITS]
            if agree(labels, cell, blocks.cell[twin], rest | bit):
                first &= e >= d
                rows += rows_of(ruled, blocks, twin)
        n_splits += first
        if rows < ruled.size[LEAST_ASKED]:
            return False
    charged = n_splits - 1 if ruled.size[FREE] and n_splits else n_splits
    control[COST] += charged * ruled.size[EACH]
    control[SPLITS] = n_splits
    fits = n_splits <= ruled.size[MOST_SPLITS] and control[COST] <= ruled.size[MOST_COST]
    return fits and every == 2**h - 1


@njit(cache=True, nogil=True)
def rest_of(order: Int64Vector, level: int) -> int:
    """The bits of the positions from a level on."""
    rest = 0
    for below in range(level, len(order)):
        rest |= 1 << (len(order) - 1 - order[below])
    return rest


@njit(cache=True, nogil=True)
def agree(labels: Int64Vector, one: int, other: int, rest: int) -> bool:
    """Whether two subtables have the same predictions: the cells from `one` and `other` on, over all bits of `rest`."""
    part = rest
    while True:
        if labels[one | part] != labels[other | part]:
            return False
        if part == 0:
            return True
        part = (part - 1) & rest
