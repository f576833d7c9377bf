"""The last features of a set, many at once: signed sums of all cells from the bits that columns have in common.

The points of each open cell stand in segments: those that weigh for one class, a bit of their weight a segment, in
words of 64. A candidate feature is a column of such words. With T_fgh the weight where f, g and h are all 1, and the
sums of fewer features, the eight cells of three features below one cell follow by inclusion and exclusion. What a cell
saves is the largest gain of a class, the gain of class k being what a point costs at most less what it costs at k. For
two classes it is (sum + |difference|) / 2, so differences will do.

Words stand feature by feature, so that one feature after the other is a lane of the processor's vectors. Sums are
floats of 32 bits, exact below 2**24, because loops over these are compiled to vectors and loops over integers are not.
"""

import numba as nb
import numpy as np

from solvers.kernels.bdd_matching import popcount

WORD = 64


@nb.njit(cache=True, nogil=True)
def lay_out(points, stack, level, planes, leaf, two):
    """Write the columns of the candidates of a level, and the sums of one and of two features.

    `two` : whether there are two classes, so that a cell has one sum, the difference.
    """
    first, index = stack.first[level], stack.index[level]
    candidates, n_candidates = stack.candidate[level], stack.n_candidates[level]
    leaf.column[:] = 0
    leaf.whole[:] = 0
    word, segment = 0, 0
    n_classes = points.gain.shape[1]
    for cell in range(stack.n_cells[level]):
        for k in range(n_classes):
            row = cell if two else cell * n_classes + k
            sign = -1 if two and k == 1 else 1
            for plane in range(planes):
                size, start = 0, word
                for j in range(first[cell], first[cell + 1]):
                    i = index[j]
                    if (points.gain[i, k] >> plane) & 1:
                        bit = np.uint64(1) << np.uint64(size % WORD)
                        at = start + size // WORD
                        for c in range(n_candidates):
                            if points.bits[candidates[c], i]:
                                leaf.column[at, c] |= bit
                        size += 1
                if size:
                    word = start + (size + WORD - 1) // WORD
                    leaf.segment[segment, 0], leaf.segment[segment, 1] = start, word
                    leaf.segment[segment, 2], leaf.coefficient[segment] = row, sign * (1 << plane)
                    leaf.whole[row] += size * sign * (1 << plane)
                    segment += 1
    leaf.n[0] = segment
    leaf.n[1] = word
    leaf.n[2] = stack.n_cells[level]
    leaf.n[3] = leaf.n[2] if two else leaf.n[2] * n_classes
    leaf.n[4] = 0
    for j in range(first[stack.n_cells[level]]):
        most = 0
        for k in range(n_classes):
            most = max(most, points.gain[index[j], k])
        leaf.n[4] += most
    leaf.one[: leaf.n[3], :n_candidates] = 0
    for s in range(segment):
        row, coefficient = leaf.segment[s, 2], leaf.coefficient[s]
        for at in range(leaf.segment[s, 0], leaf.segment[s, 1]):
            for c in range(n_candidates):
                leaf.one[row, c] += coefficient * popcount(leaf.column[at, c])
    for g in range(n_candidates):
        count_common(leaf, leaf.column, g, 0, g, leaf.two[g])


@nb.njit(cache=True, nogil=True)
def count_common(leaf, column, g, low, high, out):
    """The sums, by cell, of the points that feature g of `column` has in common with each candidate in a range."""
    out[: leaf.n[3], low:high] = 0
    common, amount = leaf.common, leaf.amount
    for s in range(leaf.n[0]):
        common[low:high] = 0
        for at in range(leaf.segment[s, 0], leaf.segment[s, 1]):
            mine, others = column[at, g], leaf.column[at]
            for c in range(low, high):
                common[c] += popcount(mine & others[c])
        row, coefficient = leaf.segment[s, 2], leaf.coefficient[s]
        for c in range(low, high):
            # by way of an array, so that the product is not one of 64 bits
            amount[c] = common[c]
            out[row, c] += coefficient * amount[c]


@nb.njit(cache=True, nogil=True)
def take(leaf, f, n_candidates):
    """Prepare the part of the points where candidate f is 1; all points where f is -1."""
    rows = leaf.n[3]
    if f < 0:
        leaf.inside[: leaf.n[1], :n_candidates] = leaf.column[: leaf.n[1], :n_candidates]
        leaf.whole_inside[:rows] = leaf.whole[:rows]
        leaf.one_inside[:rows, :n_candidates] = leaf.one[:rows, :n_candidates]
        return
    for at in range(leaf.n[1]):
        mine = leaf.column[at, f]
        for c in range(f):
            leaf.inside[at, c] = leaf.column[at, c] & mine
    for row in range(rows):
        leaf.whole_inside[row] = leaf.one[row, f]
    leaf.one_inside[:rows, :f] = leaf.two[f, :rows, :f]


@nb.njit(cache=True, nogil=True)
def save(leaf, g, low, high):
    """What f and g save together with each candidate of a range, into `leaf.saved`, for two classes."""
    saved, common = leaf.saved, leaf.three
    saved[low:high] = 0
    for row in range(leaf.n[3]):
        inside, outside = leaf.whole_inside[row], leaf.whole[row] - leaf.whole_inside[row]
        g_inside = leaf.one_inside[row, g]
        g_outside = leaf.one[row, g] - g_inside
        rest_inside, rest_outside = inside - g_inside, outside - g_outside
        one, one_inside, two, three = leaf.one[row], leaf.one_inside[row], leaf.two[g, row], common[row]
        for h in range(low, high):
            both, h_inside = three[h], one_inside[h]
            both_outside, h_outside = two[h] - both, one[h] - h_inside
            without, without_outside = h_inside - both, h_outside - both_outside
            saved[h] += (
                abs(both)
                + abs(g_inside - both)
                + abs(without)
                + abs(rest_inside - without)
                + abs(both_outside)
                + abs(g_outside - both_outside)
                + abs(without_outside)
                + abs(rest_outside - without_outside)
            )


@nb.njit(cache=True, nogil=True)
def save_many(leaf, g, low, high, n_classes):
    """What f and g save together with each candidate of a range, into `leaf.saved`, for any number of classes."""
    saved, most = leaf.saved, leaf.most
    saved[low:high] = 0
    for cell in range(leaf.n[2]):
        most[:, low:high] = 0
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
