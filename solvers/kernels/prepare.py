"""Pack a node's rows for the depth-two solver, and find the best single threshold of every order in the same pass."""

from .arrays import ROW, Int32Vector, Int64Matrix, Int64Vector, Stretch, int64, uint64
from .compiled import njit
from .control import CHAIN, FREE, LEAST_ROWS, LEAST_WEIGHT, SPLIT, UNIT
from .lanes import BOUNDARY, CANDIDATE
from .links import by_address
from .workspace import FAR, Lanes, RankedRows, Scan

SPLITS = BOUNDARY | CANDIDATE
FIRST_SIDE, SECOND_SIDE, ALL_ROWS = 0, 1, 2


@njit(cache=True, nogil=True)
def count_classes(rows: RankedRows, scan: Scan, level: int, offset: int, m: int) -> int:
    """Fill `scan.total` with the weight of each class at a node; return the cost of the node as a leaf."""
    total, words = scan.total, rows.words[level, 0]
    total[:] = 0
    for j in range(offset, offset + m):
        total[words[j] >> 1 & 63] += rows.weight[words[j] >> 8]
    return leaf_cost(scan.costs, total)


@njit(cache=True, nogil=True)
def count_tested(rows: RankedRows, level: int, offset: int, m: int) -> int:
    """The sum of `RankedRows.tested` at a node."""
    total, words = int64(0), rows.words[level, 0]
    for j in range(offset, offset + m):
        total += rows.tested[words[j] >> 8]
    return total


@njit(cache=True, nogil=True)
def find_purest(rows: RankedRows, scan: Scan, stretch: Stretch, ask: Int64Vector, purest: Int64Matrix) -> None:
    """Find the split of each order with the least Gini impurity: good trees often begin with one of these.

    Reads `scan.total`, and fills `purest` as in `SearchState`, for one node.
    """
    level, offset, m = stretch
    total, rest, done = scan.total, scan.tally[0], scan.tally[1]
    every = int64(0)
    for k in range(len(total)):
        every += total[k]
    for f in range(len(ask)):
        purest[0, f] = purest[1, f] = 0
        if ask[f] >= FAR:
            continue
        words, ranks = rows.words[level, f], rows.ranks[level, f]
        # the sums of the squared class weights on both sides
        left, right, before, best, at = 0.0, 0.0, int64(0), 0.0, int64(0)
        for k in range(len(total)):
            rest[k], done[k] = total[k], 0
            right += float(total[k]) * float(total[k])
        for j in range(offset, offset + m - 1):
            label, weight = words[j] >> 1 & 63, rows.weight[words[j] >> 8]
            left += float(weight) * float(2 * done[label] + weight)
            right -= float(weight) * float(2 * rest[label] - weight)
            done[label] += weight
            rest[label] -= weight
            before += weight
            if ranks[j] != ranks[j + 1] and 0 < before < every:
                purity = left / before + right / (every - before)
                if purity > best:
                    best, at = purity, j + 1 - offset
        if at > 0:
            purest[0, f], purest[1, f] = at, int64(best / every * m)


@njit(inline="always")
def leaf_cost(costs: Int64Matrix, total: Int64Vector) -> int:
    """The cost of a leaf for rows with the weights `total` by class, int64 (C,); `costs` as in `Scan`.

    It is inlined and takes arrays instead of `Scan`: a call would update the reference count of each of its arrays,
    which takes longer than the sum.
    """
    if len(costs):
        least = FAR
        for k in range(costs.shape[1]):
            cost = 0
            for c in range(len(total)):
                cost += total[c] * costs[c, k]
            least = min(least, cost)
        return least
    every, largest = 0, 0
    for c in range(len(total)):
        every += total[c]
        largest = max(largest, total[c])
    return every - largest


@njit(inline="always")
def class_bound(scan: Scan, depth: int, leaves: int) -> int:
    """A lower bound of the cost of a tree of this size: all but the min(2^depth, leaves) heaviest classes have no leaf.

    Reads `scan.total`. With class costs it is 0, because one leaf may be right for many classes.
    """
    total = scan.total
    n_classes = len(total)
    leaves = min(leaves, 1 << min(depth, 7))
    if n_classes <= leaves or len(scan.costs):
        return 0
    lost = 0
    for k in range(n_classes):
        heavier = 0
        for other in range(n_classes):
            heavier += total[other] > total[k] or (total[other] == total[k] and other < k)
        if heavier >= leaves:
            lost += total[k]
    return lost


@njit(inline="always")
def repeats_twin(rows: RankedRows, f: int, level: int, offset: int, m: int) -> bool:
    """Whether an order equals its twin at a node, because no value of its feature is missing there."""
    twin = rows.twin[f]
    if twin < 0:
        return False
    if rows.missing[f] >= 0:
        return rows.ranks[level, f, offset + m - 1] != rows.missing[f]
    return _zeros(rows.ranks[level, f], offset, m) == _zeros(rows.ranks[level, twin], offset, m)


@njit(inline="always")
def _zeros(ranks: Int32Vector, offset: int, m: int) -> int:
    """The number of rows of rank 0 at a node; `ranks` : int32 (n,), those of an order at its level."""
    low, high = 0, m
    while low < high:
        middle = (low + high) >> 1
        if ranks[offset + middle] == 0:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def splits(rows: RankedRows, f: int, level: int, offset: int, m: int) -> bool:
    """Whether an order has two different ranks at a node and does not repeat its twin."""
    ranks = rows.ranks[level, f]
    return ranks[offset] != ranks[offset + m - 1] and not repeats_twin(rows, f, level, offset, m)


@njit(cache=True, nogil=True)
def pack(rows: RankedRows, scan: Scan, lanes: Lanes, stretch: Stretch, hard: bool) -> int:
    """Pack the orders of a node and find their best single thresholds.

    Reads `scan.total`. With `hard` every boundary is a candidate: under a minimum leaf size, the best threshold may be
    inside a run of one class. Fills `scan.packed`, `live`, `stump` (FAR for an order that cannot split) and `n_blocks`,
    `lanes.amount` and `size`, and `lanes.info` if there is no upper class.

    Returns
    -------
    The upper one of two classes; -1 if more are present, or with class costs.
    """
    level, offset, m = stretch
    present, upper = 0, int64(-1)
    for k in range(len(scan.total)):
        if scan.total[k] > 0:
            present += 1
            upper = k
    if present > 2 or len(scan.costs):
        upper = int64(-1)
    for f in range(rows.words.shape[1]):
        scan.live[f] = splits(rows, f, level, offset, m)
        scan.stump[f] = FAR
        if scan.live[f]:
            _mark(rows, scan, lanes, f, stretch, upper)
            _make_blocks(scan, lanes, f, m, upper, hard)
            if upper < 0:
                scan.stump[f] = _best_threshold_error(scan, lanes, f)
            else:
                scan.stump[f] = _best_error_of_two(scan, lanes, f, upper)
    return upper


call_pack = by_address(pack, 1, reads=True)


@njit(inline="always")
def _mark(rows: RankedRows, scan: Scan, lanes: Lanes, f: int, stretch: Stretch, upper: int) -> None:
    """Write the words of an order with its boundaries, and its weights, signed if there is an upper class.

    Bit 0 is preliminary: the class changes behind the row or, at a boundary, behind it or within the next tie group.
    Whether a boundary is a candidate depends on the tie groups before and behind it, so this takes two passes, `_mark`
    and `_make_blocks`. Both are free of branches that depend on the data: mispredicted branches made them four times
    slower.
    """
    level, offset, m = stretch
    words, ranks = rows.words[level, f, offset : offset + m], rows.ranks[level, f, offset : offset + m]
    packed, amount, weights = scan.packed[f], lanes.amount[f], rows.weight
    weighted, two, upper_bits = uint64(rows.stride[()]), int64(upper >= 0), upper << 1
    following, next_rank, later = int64(words[m - 1]), ranks[m - 1], int64(0)
    for t in range(m):
        j = uint64(m - 1 - t)
        word, rank = words[j], ranks[j]
        row, bits = word >> ROW, int64(word)
        ends, change = int64(rank != next_rank), int64((bits ^ following) & 126 != 0)
        packed[j] = bits | ends << 7 | change | ends & later
        later = (later | change) & (ends - 1)
        weight = int64(weights[row * weighted])  # without weights, the first one for every row: all are 1
        lower = two & int64(bits & 126 != upper_bits)
        amount[j] = (weight ^ -lower) + lower  # the weight; negative for the lower class
        following, next_rank = bits, rank
    packed[m - 1] |= 1 - two


@njit(inline="always")
def _make_blocks(scan: Scan, lanes: Lanes, f: int, m: int, upper: int, hard: bool) -> None:
    """Decide which boundaries of an order are candidates, and write its blocks, after `_mark`.

    For two classes, blocks end at candidates, and `size` is the signed sum up to the end. For more, `info` has the
    class of each block and whether a candidate is behind it, and `size` its weight.
    """
    packed, amount, size = scan.packed[f], lanes.amount[f], lanes.size[f]
    info, many = lanes.info[f], int64(upper < 0)
    count, total, earlier, every = int64(0), int64(0), int64(0), int64(hard)
    for j in range(m):
        word = int64(packed[j])
        ends, change = word >> 7 & 1, word & 1
        final = change & (ends | many) | ends & (earlier | every)
        earlier = (earlier | change) & (ends - 1)
        packed[j] = word & -2 | final
        total += amount[j]
        size[count] = total
        if many:
            info[count] = word & 126 | ends & final
        total *= 1 - (final & many)
        count += final
    scan.n_blocks[f] = count


@njit(inline="always")
def _best_error_of_two(scan: Scan, lanes: Lanes, f: int, upper: int) -> int:
    """The minimum error of a single threshold of one order, or of a leaf if that is lower, for two classes."""
    size, above, below, largest, smallest = lanes.size[f], 0, 0, 0, 0
    for k in range(len(scan.total)):
        above += scan.total[k] if k == upper else 0
        below += 0 if k == upper else scan.total[k]
    for i in range(scan.n_blocks[f]):
        largest, smallest = max(largest, size[i]), min(smallest, size[i])
    return min(above - largest, below + smallest)


@njit(inline="always")
def _best_threshold_error(scan: Scan, lanes: Lanes, f: int) -> int:
    """The minimum cost of a single threshold of one order, from its blocks, or of a leaf if that is lower."""
    info, size, costs, behind = lanes.info[f], lanes.size[f], scan.costs, scan.behind
    rest, done = scan.tally[0], scan.tally[1]
    every, n_blocks = 0, scan.n_blocks[f]
    for k in range(len(scan.total)):
        rest[k], done[k] = scan.total[k], 0
        every += scan.total[k]
    if len(costs):
        least = leaf_cost(costs, rest)
        for i in range(n_blocks):
            done[info[i] >> 1] += size[i]
            rest[info[i] >> 1] -= size[i]
            if info[i] & CANDIDATE:
                least = min(least, leaf_cost(costs, done) + leaf_cost(costs, rest))
        return least
    right = 0
    for i in range(n_blocks - 1, -1, -1):
        behind[i] = right
        done[info[i] >> 1] += size[i]
        right = max(right, done[info[i] >> 1])
    left, kept = 0, right
    for i in range(n_blocks):
        rest[info[i] >> 1] -= size[i]
        left = max(left, scan.total[info[i] >> 1] - rest[info[i] >> 1])
        if info[i] & CANDIDATE:
            kept = max(kept, left + behind[i])
    return every - kept


@njit(inline="always")
def mark_sides(rows: RankedRows, scan: Scan, f: int, m: int, cut: int) -> None:
    """Write into `rows.side` on which side of a position of an order each row is."""
    packed, side = scan.packed[f], rows.side
    for j in range(m):
        side[packed[j] >> ROW] = j >= cut


@njit(cache=True, nogil=True)
def least_cost_of_one(
    rows: RankedRows, scan: Scan, control: Int64Vector, f: int, m: int, side: int, toll: int, hard: bool
) -> tuple[int, int]:
    """The best single threshold of one order for the rows of one side of a first split, in plain scalar code.

    Parameters
    ----------
    side : the side, `FIRST_SIDE` or `SECOND_SIDE` of `rows.side`, or `ALL_ROWS`.
    toll : the test cost of the split, on top of the split penalty.
    hard : whether both leaves must have the minimum size.

    Returns
    -------
    The minimum cost including the split, and the position (0 to m - 1) behind which the threshold is. The position is
    -1 if the side cannot be split, or if a leaf is as good and `hard` is not set.
    """
    packed, weights, sides = scan.packed[f], rows.weight, rows.side
    rest, done, costs = scan.tally[0], scan.tally[1], scan.costs
    n_classes, split = len(scan.total), control[SPLIT] // control[UNIT] + toll
    for k in range(n_classes):
        rest[k] = done[k] = 0
    every, count = 0, 0
    for j in range(m):
        row = packed[j] >> ROW
        if side == ALL_ROWS or sides[row] == side:
            weight = weights[row]
            rest[packed[j] >> 1 & 63] += weight
            every += weight
            count += 1
    least, where = FAR if hard else leaf_cost(costs, rest), -1
    before, number, left = 0, 0, 0
    for j in range(m):
        row = packed[j] >> ROW
        if side == ALL_ROWS or sides[row] == side:
            label, weight = packed[j] >> 1 & 63, weights[row]
            rest[label] -= weight
            done[label] += weight
            left = max(left, done[label])
            before += weight
            number += 1
        if packed[j] & SPLITS == SPLITS and number > 0 and number < count:
            if hard and (
                min(number, count - number) < control[LEAST_ROWS] or min(before, every - before) < control[LEAST_WEIGHT]
            ):
                continue
            if len(costs):
                cost = leaf_cost(costs, done) + leaf_cost(costs, rest) + split
            else:
                right = 0
                for k in range(n_classes):
                    right = max(right, rest[k])
                cost = every - left - right + split
            if cost < least:
                least, where = cost, j
    return least, where


@njit(inline="always")
def has_price(control: Int64Vector) -> bool:
    """Whether there is a split penalty beyond the 1 per split that breaks ties (`control.UNIT`)."""
    return bool(control[SPLIT] > int64(control[UNIT] > 1))


@njit(inline="always")
def split_price(control: Int64Vector, level: int) -> int:
    """The penalty of a split of a node at a level, in scaled units; the root may have a lower one."""
    return control[SPLIT] - control[FREE] if level == 0 else control[SPLIT]


@njit(inline="always")
def most_splits(control: Int64Vector, level: int, ceiling: int) -> int:
    """The maximum number of splits of a tree that costs less than `ceiling`; FAR without a split penalty."""
    if not has_price(control):
        return FAR
    return max(int64(0), (ceiling - 1 + control[SPLIT] - split_price(control, level)) // control[SPLIT])


@njit(inline="always")
def most_leaves(control: Int64Vector, depth: int, leaves: int) -> int:
    """The maximum number of leaves, at most `leaves`, of a tree of a depth."""
    return min(leaves, depth + 1 if control[CHAIN] else int64(1) << depth)


@njit(inline="always")
def weigh(rows: RankedRows, scan: Scan, f: int, m: int) -> None:
    """Fill `scan.worth` with the sum of `RankedRows.tested` before each cut."""
    packed, worth = scan.packed[f], int64(0)
    scan.worth[0] = 0
    count = 0
    for j in range(m):
        worth += rows.tested[packed[j] >> 8]
        if packed[j] & BOUNDARY or j == m - 1:
            count += 1
            scan.worth[count] = worth
