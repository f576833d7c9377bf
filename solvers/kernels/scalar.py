"""The lane scans as plain loops: the oracle of the tests, and the fallback if numba does not compile.

The functions have the signatures and the meaning of their namesakes in `lanes`.
"""

CANDIDATE = 1
MANY_LANES = 16
"""The lanes for more than two classes. For two classes, lanes fill a vector: 32 of 16 bits, or 16 of 32 or 64 bits."""
SLOTS = 4
"""How many first orders share the lanes of a joint pass."""


def scan_two(before, whole, n_blocks, sides, order, best):
    """The minimum errors of both sides for two classes, lane by lane; see `lanes.scan_two`."""
    lanes = len(sides) // 4
    for k in range(lanes):
        for side in range(2):
            upper, lower = int(sides[2 * side * lanes + k]), int(sides[(2 * side + 1) * lanes + k])
            error = min(upper, lower)
            for i in range(n_blocks):
                left = int(before[(i + 1) * lanes + k])
                total = int(whole[i]) - left if side else left
                error = min(error, upper - total, lower + total)
            _improve(best, lanes, k, side, error, order)


def scan_two_sized(words, signed, by_weight, m, place, cut, sides, whole, least, order, best):
    """The minimum errors of both sides for leaves of a minimum size, lane by lane; see `lanes.scan_two_sized`."""
    lanes = len(cut) // 2
    for k in range(lanes):
        for side in range(2):
            upper, lower = int(sides[2 * side * lanes + k]), int(sides[(2 * side + 1) * lanes + k])
            total, counted, error = 0, 0, min(upper, lower)
            for j in range(m):
                where, weight = place[int(words[j]) >> 8], int(signed[j])
                if (where < cut[k]) if side == 0 else (where >= cut[lanes + k]):
                    total += weight
                if (where < cut[lanes + k]) if side == 0 else (where >= cut[k]):
                    counted += abs(weight) if by_weight else 1
                size = min(counted, int(whole[side * lanes + k]) - counted)
                if int(words[j]) & CANDIDATE and size >= least:
                    error = min(error, upper - total, lower + total)
            _improve(best, lanes, k, side, error, order)


def count_blocks(words, amount, m, place, cut, before, lanes=0, slots=1):
    """The weight of the first blocks of an order before each cut; see `lanes`. With 0 `lanes`, one per cut."""
    lanes = lanes or len(cut)
    for k in range(lanes):
        block, total = 0, 0
        for j in range(m):
            where = place[(int(words[j]) >> 8) * slots + k % slots]
            total += int(amount[j]) if where < cut[k] else 0
            before[(block + 1) * lanes + k] = total
            block += int(words[j]) & 1


def scan_many(before, info, size, n_blocks, left_counts, counts, suffix, sides, order, best):
    """The minimum errors of both sides for any number of classes, lane by lane; see `lanes.scan_many`."""
    n_classes, lanes = len(counts) // 2, len(left_counts) // len(counts)
    for k in range(lanes):
        for side in range(2):
            done, rest = [0] * n_classes, [0] * n_classes
            amounts = []
            for i in range(n_blocks):
                inside = int(before[(i + 1) * lanes + k]) - int(before[i * lanes + k])
                amounts.append(int(size[i]) - inside if side else inside)
                rest[int(info[i]) >> 1] += amounts[-1]
            right = 0
            for i in range(n_blocks):
                done[int(info[i]) >> 1] += amounts[i]
                rest[int(info[i]) >> 1] -= amounts[i]
                if int(info[i]) & CANDIDATE:
                    right = max(right, max(done) + max(rest))
            _improve(best, lanes, k, side, int(sides[side * lanes + k]) - right, order)


def _improve(best, lanes, k, side, error, order):
    if error < best[side * lanes + k]:
        best[side * lanes + k], best[(2 + side) * lanes + k] = error, order
