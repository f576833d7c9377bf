"""The lane scans in plain loops: the oracle of the tests, and what runs where numba compiles nothing.

Both functions have the signatures and the meaning of their namesakes in `lanes`.
"""

from __future__ import annotations

CANDIDATE = 1


def binary_extremes(packed, signed, m, place, cut, out):
    """Running extremes of the signed sums of both sides, lane by lane; see `lanes.binary_extremes`."""
    lanes = len(cut)
    for k in range(lanes):
        left = right = 0
        extremes = [0, 0, 0, 0]
        for j in range(m):
            element = int(packed[j])
            if place[element >> 8] < cut[k]:
                left += int(signed[j])
            else:
                right += int(signed[j])
            if element & CANDIDATE:
                extremes = [
                    max(extremes[0], left),
                    min(extremes[1], left),
                    max(extremes[2], right),
                    min(extremes[3], right),
                ]
        for i, extreme in enumerate(extremes):
            out[i * lanes + k] = extreme


def majority_sums(packed, weight, m, place, cut, counts, suffix, out):
    """The largest weight that one threshold gets right on each side, lane by lane; see `lanes.majority_sums`."""
    lanes = len(cut)
    n_classes = len(counts) // (4 * lanes)
    for k in range(lanes):
        for side in range(2):
            members = [
                (
                    int(packed[j]) >> 1 & 63,
                    int(weight[j]) if (place[int(packed[j]) >> 8] < cut[k]) == (side == 0) else 0,
                )
                for j in range(m)
            ]
            before, behind = [0] * n_classes, [0] * n_classes
            for label, amount in members:
                behind[label] += amount
            best = max(behind)
            for j, (label, amount) in enumerate(members):
                before[label] += amount
                behind[label] -= amount
                if int(packed[j]) & CANDIDATE:
                    best = max(best, max(before) + max(behind))
            out[side * lanes + k] = best
