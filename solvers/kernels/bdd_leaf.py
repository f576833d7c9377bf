"""Many sets that differ in their last features: sums of all cells from the bits that columns have in common.

The points of each open cell are stored in segments of 64-bit words, a segment for each class and each bit of the gain.
The gain of class k is the most that a point can cost less its cost at k. A candidate feature is a column of such words,
and features fill the lanes of vector registers. The sums of gains over points at which one, two and three features are
1 give those of all eight cells (docs/methods/bdd-search.md). A cell saves the largest sum of a class; for two classes
this is (sum + |difference|) / 2, so differences suffice.

Sums have 32 bits. Each is a sum over different points, within the most that they can cost in absolute value; so is the
amount saved in all cells. `magnitude.LARGEST_TOTAL` bounds both.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int32Matrix, UInt64Matrix, int32, int64
from .bdd_matchings import OpenLevels, RowPoints
from .bits import popcount
from .compiled import njit

WORD = 64
PLANES, SEGMENTS, WORDS, CELLS, ROWS, MOST = range(6)
"""Words of `LeafScratch.n`: bits of a gain, segments, words, cells, lines of sums, the most that points can cost."""

FIRST, END, LINE, FACTOR = range(4)
"""Fields of a segment: its first word and the word behind it, the line of its sum, and what a bit adds to the sum."""


class LeafScratch(NamedTuple):
    """Scratch for the last three features.

    column : uint64 (n_words, n_features); inside : the same at the points where the first of the three is 1.
    segment : int32 (n_segments, 4), see above.
    whole : int32 (n_rows,), the sums of all points; one : int32 (n_rows, n_features), those of one feature; two : int32
        (n_features, n_rows, n_features), of two; three : int32 (n_rows, n_features), of three, the first two fixed.
    whole_inside, one_inside : the same at the points where the first of the three is 1.
    saved : int32 (n_features,), the amount saved; common : int32 (n_features,), most : int32 (8, n_features), scratch.
    n : int64 (6,), see above.
    """

    column: np.ndarray
    inside: np.ndarray
    segment: np.ndarray
    n: np.ndarray
    whole: np.ndarray
    whole_inside: np.ndarray
    one: np.ndarray
    one_inside: np.ndarray
    two: np.ndarray
    three: np.ndarray
    most: np.ndarray
    saved: np.ndarray
    common: np.ndarray


@njit(cache=True, nogil=True)
def lay_out(points: RowPoints, stack: OpenLevels, level: int, leaf: LeafScratch) -> None:
    """Write the columns of the candidates of a level over the points of its cells, and the sums of one and of two."""
    packed, gain = points.packed, points.gain
    index, first, n_cells = stack.index[level], stack.first[level], stack.n_cells[level]
    candidate, n_candidates = stack.candidate[level], stack.n_candidates[level]
    n_classes = gain.shape[1]
    column, segment, whole = leaf.column, leaf.segment, leaf.whole
    n_rows = n_cells if n_classes == 2 else n_cells * n_classes
    for row in range(n_rows):
        whole[row] = 0
    word, n_segments, most = 0, 0, int64(0)
    for cell in range(n_cells):
        for j in range(first[cell], first[cell + 1]):
            highest = int64(0)
            for k in range(n_classes):
                highest = max(highest, gain[index[j], k])
            most += highest
        for k in range(n_classes):
            # two classes need one sum, the difference
            row = cell if n_classes == 2 else cell * n_classes + k
            sign = -1 if n_classes == 2 and k == 1 else 1
            for plane in range(leaf.n[PLANES]):
                size, start = 0, word
                for j in range(first[cell], first[cell + 1]):
                    i = index[j]
                    if (gain[i, k] >> plane) & 1:
                        at = start + size // WORD
                        if at == word:
                            for c in range(n_candidates):
                                column[at, c] = 0
                            word += 1
                        # point by point: the words of a point are adjacent in memory, the bits of a feature are not
                        place = np.uint64(size % WORD)
                        for c in range(n_candidates):
                            f = candidate[c]
                            bit = (packed[i, f // WORD] >> np.uint64(f % WORD)) & np.uint64(1)
                            column[at, c] |= bit << place
                        size += 1
                if size:
                    segment[n_segments, FIRST], segment[n_segments, END] = start, word
                    segment[n_segments, LINE], segment[n_segments, FACTOR] = row, sign * (1 << plane)
                    whole[row] += size * sign * (1 << plane)
                    n_segments += 1
    leaf.n[SEGMENTS], leaf.n[WORDS], leaf.n[CELLS], leaf.n[ROWS], leaf.n[MOST] = n_segments, word, n_cells, n_rows, most
    for g in range(n_candidates):
        count_common(leaf, column, g, 0, g + 1, leaf.two[g])
        for row in range(n_rows):
            leaf.one[row, g] = leaf.two[g, row, g]


@njit(cache=True, nogil=True)
def count_common(leaf: LeafScratch, column: UInt64Matrix, g: int, low: int, high: int, out: Int32Matrix) -> None:
    """Write to `out` the sums of the points that column `g` has in common with each column from `low` to `high` - 1.

    column : uint64 (n_words, n_features); out : int32 (n_rows or more, n_features), by sum and column.
    """
    segment, common = leaf.segment, leaf.common
    for row in range(leaf.n[ROWS]):
        for c in range(low, high):
            out[row, c] = 0
    for s in range(leaf.n[SEGMENTS]):
        for c in range(low, high):
            common[c] = 0
        for at in range(segment[s, FIRST], segment[s, END]):
            mine, others = column[at, g], column[at]
            for c in range(low, high):
                common[c] += popcount(mine & others[c])
        factor, into = segment[s, FACTOR], out[segment[s, LINE]]
        for c in range(low, high):
            into[c] += int32(factor * common[c])


@njit(cache=True, nogil=True)
def take(leaf: LeafScratch, f: int, n_candidates: int) -> None:
    """Select the points at which candidate `f` of `n_candidates` is 1, or all points if `f` is -1."""
    for at in range(leaf.n[WORDS]):
        mine = leaf.column[at, f] if f >= 0 else ~np.uint64(0)
        for c in range(n_candidates):
            leaf.inside[at, c] = leaf.column[at, c] & mine
    for row in range(leaf.n[ROWS]):
        leaf.whole_inside[row] = leaf.one[row, f] if f >= 0 else leaf.whole[row]
        for c in range(n_candidates):
            leaf.one_inside[row, c] = leaf.two[f, row, c] if f >= 0 else leaf.one[row, c]


@njit(cache=True, nogil=True)
def save(leaf: LeafScratch, g: int, low: int, high: int) -> None:
    """Write to `leaf.saved` what f and `g` save with each candidate from `low` to `high` - 1, for two classes."""
    saved = leaf.saved
    for h in range(low, high):
        saved[h] = 0
    short = np.int32
    for row in range(leaf.n[ROWS]):
        # numba widens a difference of 32-bit numbers to 64 bits unless it is cast, and half as many fit into a vector
        inside, outside = leaf.whole_inside[row], short(leaf.whole[row] - leaf.whole_inside[row])
        g_inside = leaf.one_inside[row, g]
        g_outside = short(leaf.one[row, g] - g_inside)
        rest_inside, rest_outside = short(inside - g_inside), short(outside - g_outside)
        one, one_inside, two, three = leaf.one[row], leaf.one_inside[row], leaf.two[g, row], leaf.three[row]
        for h in range(low, high):
            both, h_inside = three[h], one_inside[h]
            both_outside, h_outside = short(two[h] - both), short(one[h] - h_inside)
            without, without_outside = short(h_inside - both), short(h_outside - both_outside)
            saved[h] += (
                abs(both)
                + abs(short(g_inside - both))
                + abs(without)
                + abs(short(rest_inside - without))
                + abs(both_outside)
                + abs(short(g_outside - both_outside))
                + abs(without_outside)
                + abs(short(rest_outside - without_outside))
            )


@njit(cache=True, nogil=True)
def save_many(leaf: LeafScratch, g: int, low: int, high: int, n_classes: int) -> None:
    """`save` for `n_classes` classes: what f and `g` save with each candidate from `low` to `high` - 1."""
    saved, most = leaf.saved, leaf.most
    for h in range(low, high):
        saved[h] = 0
    for cell in range(leaf.n[CELLS]):
        for part in range(8):
            for h in range(low, high):
                most[part, h] = 0
        for row in range(cell * n_classes, (cell + 1) * n_classes):
            inside, outside = leaf.whole_inside[row], leaf.whole[row] - leaf.whole_inside[row]
            g_inside = leaf.one_inside[row, g]
            g_outside = leaf.one[row, g] - g_inside
            rest_inside, rest_outside = inside - g_inside, outside - g_outside
            one, one_inside, two, three = leaf.one[row], leaf.one_inside[row], leaf.two[g, row], leaf.three[row]
            for h in range(low, high):
                both, h_inside = three[h], one_inside[h]
                both_outside, h_outside = two[h] - both, one[h] - h_inside
                without, without_outside = h_inside - both, h_outside - both_outside
                most[0, h] = max(most[0, h], both)
                most[1, h] = max(most[1, h], g_inside - both)
                most[2, h] = max(most[2, h], without)
                most[3, h] = max(most[3, h], rest_inside - without)
                most[4, h] = max(most[4, h], both_outside)
                most[5, h] = max(most[5, h], g_outside - both_outside)
                most[6, h] = max(most[6, h], without_outside)
                most[7, h] = max(most[7, h], rest_outside - without_outside)
        for part in range(8):
            for h in range(low, high):
                saved[h] += most[part, h]
