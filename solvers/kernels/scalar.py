"""The lane scans in plain loops: the oracle of the tests, and what runs where numba compiles nothing.

Both functions have the signatures and the meaning of their namesakes in `lanes`.
"""

from __future__ import annotations

CANDIDATE = 1


def scan_two(words, signed, m, place, cut, sides, order, best):
    """The least errors of both sides for two classes, lane by lane; see `lanes.scan_two`."""
    lanes = len(cut)
    for k in range(lanes):
        for side in range(2):
            upper, lower = int(sides[2 * side * lanes + k]), int(sides[(2 * side + 1) * lanes + k])
            total, error = 0, min(upper, lower)
            for j in range(m):
                if (place[int(words[j]) >> 8] < cut[k]) == (side == 0):
                    total += int(signed[j])
                if int(words[j]) & CANDIDATE:
                    error = min(error, upper - total, lower + total)
            _improve(best, lanes, k, side, error, order)


def scan_many(histogram, info, size, n_blocks, left_counts, counts, suffix, sides, order, best):
    """The least errors of both sides for any number of classes, lane by lane; see `lanes.scan_many`."""
    n_classes, lanes = len(counts) // 2, len(left_counts) // len(counts)
    for k in range(lanes):
        for side in range(2):
            before, behind = [0] * n_classes, [0] * n_classes
            amounts = []
            for i in range(n_blocks):
                inside = sum(int(histogram[i * lanes + j]) for j in range(k + 1))
                amounts.append(int(size[i]) - inside if side else inside)
                behind[int(info[i]) >> 1] += amounts[-1]
            right = 0
            for i in range(n_blocks):
                before[int(info[i]) >> 1] += amounts[i]
                behind[int(info[i]) >> 1] -= amounts[i]
                if int(info[i]) & CANDIDATE:
                    right = max(right, max(before) + max(behind))
            _improve(best, lanes, k, side, int(sides[side * lanes + k]) - right, order)


def _improve(best, lanes, k, side, error, order):
    if error < best[side * lanes + k]:
        best[side * lanes + k], best[(2 + side) * lanes + k] = error, order
