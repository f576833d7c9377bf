"""Which rows stay together below chosen features, and how far a few more features can pull opposite rows apart.

A *point* is a distinct row with its regret: what predicting each class costs beyond the best one, int64 (n_classes,)
with a 0 in it. A set of features divides the points into cells, and a cell costs min over k of its regrets added up.

Two points in one cell cost at least c = min over k of the sum of their regrets, so they form a *pair* of weight c. The
pair uses up, at each class k, the part min(r_k, c) of the first point and the rest of c of the second one; what remains
of both may form further pairs. All parts are at least 0, so for each cell

    min_k sum_i r_ik  >=  sum over its pairs of min_k (the parts of the pair at k)  =  sum of the weights of its pairs

and this holds for the pairs that any further features leave together. With R the weight of all pairs and w_f the
weight of those that f divides, T further features cost at least R - sum of w_f over f in T. For two classes a regret
has one entry besides 0, and pairs match points of opposite classes, each point as often as it weighs; for more classes
the parts make the cost of three classes in a cell exact, too: of (0, 1, 1) and (1, 0, 1), a pair of weight 1, (0, 0, 1)
remains, which pairs with (1, 1, 0).
"""

import numba as nb
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

NEIGHBOURS = 256
"""Partners that a point looks at: nearer ones are rarely missed, because points stand sorted by their bits."""


@intrinsic
def popcount(typingctx, word):
    """The number of bits that are set in a 64-bit word, int32: one instruction where the processor has it."""

    def codegen(context, builder, signature, arguments):
        return builder.trunc(builder.ctpop(arguments[0]), ir.IntType(32))

    return nb.types.int32(nb.types.uint64), codegen


@nb.njit(cache=True, nogil=True)
def refine(points, stack, level, feature):
    """Divide the cells of a level by a feature into those of the next level, without those that cost nothing."""
    bits, regret = points.bits, points.regret
    n_classes = regret.shape[1]
    before, after = stack.index[level], stack.index[level + 1]
    first, first_after = stack.first[level], stack.first[level + 1]
    side = bits[feature]
    n_cells, end = 0, 0
    sums = stack.sums
    for cell in range(stack.n_cells[level]):
        for answer in range(2):
            start = end
            sums[:] = 0
            for j in range(first[cell], first[cell + 1]):
                i = before[j]
                if side[i] == answer:
                    after[end] = i
                    end += 1
                    for k in range(n_classes):
                        sums[k] += regret[i, k]
            if sums.min() == 0:
                end = start
            else:
                first_after[n_cells] = start
                n_cells += 1
    first_after[n_cells] = end
    stack.n_cells[level + 1] = n_cells


@nb.njit(cache=True, nogil=True)
def inherit(points, stack, level):
    """Keep the pairs of the level before that are still together, and what they leave of their points; their weight."""
    rest, home = stack.rest, stack.home
    n_classes = rest.shape[1]
    index, first = stack.index[level], stack.first[level]
    home[:] = -1
    for cell in range(stack.n_cells[level]):
        for j in range(first[cell], first[cell + 1]):
            home[index[j]] = cell
            for k in range(n_classes):
                rest[index[j], k] = points.regret[index[j], k]
    matched, n_pairs = 0, 0
    if level == 0:
        stack.n_pairs[0] = 0
        return 0
    old, old_weight = stack.pair[level - 1], stack.pair_weight[level - 1]
    new, new_weight = stack.pair[level], stack.pair_weight[level]
    for p in range(stack.n_pairs[level - 1]):
        a, b = old[p, 0], old[p, 1]
        if home[a] >= 0 and home[a] == home[b]:
            new[n_pairs, 0], new[n_pairs, 1] = a, b
            new_weight[n_pairs] = old_weight[p]
            n_pairs += 1
            use_up(rest, a, b, old_weight[p])
            matched += old_weight[p]
    stack.n_pairs[level] = n_pairs
    return matched


@nb.njit(cache=True, nogil=True)
def use_up(rest, a, b, weight):
    """Take the parts of a pair from its points.

    Taken in the same order after some pairs have gone, every point has at least as much left as before: of the first
    point max(r - c, 0) remains, which grows with r, and the second one gives no more than it gave.
    """
    for k in range(rest.shape[1]):
        part = min(rest[a, k], weight)
        rest[a, k] -= part
        rest[b, k] -= weight - part


@nb.njit(cache=True, nogil=True)
def match(points, stack, level, nearest):
    """Pair what is left in each cell, each point with its nearest partners; the weight of the new pairs.

    `nearest` : the largest distance, in candidate features that divide the two, of a pair that is made.
    """
    packed, mask, rest, left = points.packed, stack.mask, stack.rest, stack.left
    n_classes = rest.shape[1]
    index, first = stack.index[level], stack.first[level]
    pair, pair_weight = stack.pair[level], stack.pair_weight[level]
    n_pairs, matched = stack.n_pairs[level], 0
    for cell in range(stack.n_cells[level]):
        n_left = 0
        for j in range(first[cell], first[cell + 1]):
            for k in range(n_classes):
                if rest[index[j], k] > 0:
                    left[n_left] = index[j]
                    n_left += 1
                    break
        for x in range(n_left):
            a = left[x]
            while n_pairs < len(pair_weight):
                best, partner, weight = nearest + 1, -1, 0
                for y in range(x + 1, min(n_left, x + 1 + NEIGHBOURS)):
                    b = left[y]
                    together = rest[a, 0] + rest[b, 0]
                    for k in range(1, n_classes):
                        together = min(together, rest[a, k] + rest[b, k])
                    if together == 0:
                        continue
                    distance = 0
                    for word in range(packed.shape[1]):
                        distance += popcount((packed[a, word] ^ packed[b, word]) & mask[word])
                    if distance < best:
                        best, partner, weight = distance, b, together
                if partner < 0:
                    break
                use_up(rest, a, partner, weight)
                pair[n_pairs, 0], pair[n_pairs, 1] = a, partner
                pair_weight[n_pairs] = weight
                n_pairs += 1
                matched += weight
    stack.n_pairs[level] = n_pairs
    return matched


@nb.njit(cache=True, nogil=True)
def weigh(points, stack, level):
    """Add up the weight of the pairs that each candidate feature divides, into `stack.divided`."""
    packed, mask, divided = points.packed, stack.mask, stack.divided
    pair, pair_weight = stack.pair[level], stack.pair_weight[level]
    divided[:] = 0
    for p in range(stack.n_pairs[level]):
        a, b, weight = pair[p, 0], pair[p, 1], pair_weight[p]
        for word in range(packed.shape[1]):
            differ = (packed[a, word] ^ packed[b, word]) & mask[word]
            while differ:
                lowest = differ & (~differ + np.uint64(1))
                divided[64 * word + popcount(lowest - np.uint64(1))] += weight
                differ ^= lowest
