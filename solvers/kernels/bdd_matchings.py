"""Pairs of rows that chosen features leave together, and a lower bound on the cost after a few more features.

A *point* is a distinct row with its regret: the cost of predicting each class less that of the best one, int64
(n_classes,) with a minimum of 0. A set of features divides the points into cells, and a cell costs the minimum over k
of its summed regrets. Two points in one cell cost at least c = min over k of the sum of their regrets, so they form a
*pair* of weight c; what it leaves of their regrets may form further pairs. With R the weight of all pairs and w_f the
weight of those that f divides, T further features cost at least R - sum of w_f over f in T. The proof, and the prices
that make the pairs worth most, are in docs/methods/bdd-search.md.

here : the level of a node in `OpenLevels`; n : the number of its candidates; missing : the number of features to choose
    there.
"""

import math
from typing import NamedTuple

import numpy as np

from .arrays import FloatMatrix, Int64Vector, int64
from .bits import popcount
from .compiled import njit

STEP = 3.0
"""How strongly prices follow the divided weight in the first round."""


class RowPoints(NamedTuple):
    """The distinct rows.

    bits : uint8 (n_features, n_points); packed : uint64 (n_points, n_words), the same, one bit per feature.
    regret : int64 (n_points, n_classes); gain : int64 (n_points, n_classes), the largest cost of a point less its
        regret.
    """

    bits: np.ndarray
    packed: np.ndarray
    regret: np.ndarray
    gain: np.ndarray


class OpenLevels(NamedTuple):
    """The open nodes, one per level, and scratch; n_bits is 64 n_words.

    index : int32 (n_levels, n_points), first : int64 (n_levels, most cells + 2), n_cells : int64 (n_levels,), the
        points of the open cells, see `bdd_matchings`.
    candidate : int32 (n_levels, n_features); weight : int64 (n_levels, n_features), the weight of the pairs that each
        candidate divides, summed over `rounds` rounds; n_candidates, rounds : int64 (n_levels,).
    matched : int64 (n_levels,), the weight of all pairs; place : int64 (n_levels,), the position of the next child;
        chosen : int32 (n_levels,), the feature of the open child.
    pair : int64 (n_levels, n, 3), the pairs of the last round and their weights; n_pairs : int64 (n_levels,).
    rest : int64 (n_points, n_classes), home : int64 (n_points,), left, partner : int32 (n_points,), near : float64
        (n_points,), scratch of `inherit` and `match`; top : int64 (n_levels + 4,), scratch of `largest`.
    mask : uint64 (n_words,), the candidates; divided, gathered : int64 (n_bits,), the weight that each feature divides,
        in this round and in all rounds so far; heat, price : float64 (n_bits,), prices : float64 (8 n_words, 256), see
        `set_prices`.
    """

    index: np.ndarray  # type: ignore[assignment]  # tuples have a method of this name
    first: np.ndarray
    n_cells: np.ndarray
    candidate: np.ndarray
    weight: np.ndarray
    n_candidates: np.ndarray
    matched: np.ndarray
    rounds: np.ndarray
    place: np.ndarray
    pair: np.ndarray
    n_pairs: np.ndarray
    chosen: np.ndarray
    rest: np.ndarray
    home: np.ndarray
    left: np.ndarray
    near: np.ndarray
    partner: np.ndarray
    mask: np.ndarray
    divided: np.ndarray
    gathered: np.ndarray
    heat: np.ndarray
    price: np.ndarray
    prices: np.ndarray
    top: np.ndarray


@njit(cache=True, nogil=True)
def refine(points: RowPoints, stack: OpenLevels, here: int, feature: int) -> None:
    """Divide the cells of the level above by a feature, 0 to n_features - 1, and drop new cells that cost nothing."""
    side, regret = points.bits[feature], points.regret
    before, first, n_cells = stack.index[here - 1], stack.first[here - 1], stack.n_cells[here - 1]
    after, first_after = stack.index[here], stack.first[here]
    n_classes = regret.shape[1]
    n_new, end = 0, 0
    for cell in range(n_cells):
        for answer in range(2):
            start = end
            for j in range(first[cell], first[cell + 1]):
                if side[before[j]] == answer:
                    after[end] = before[j]
                    end += 1
            least = int64(0)
            for k in range(n_classes):
                total = int64(0)
                for j in range(start, end):
                    total += regret[after[j], k]
                least = total if k == 0 else min(least, total)
            if least == 0:
                end = start
            else:
                first_after[n_new] = start
                n_new += 1
    first_after[n_new] = end
    stack.n_cells[here] = n_new


@njit(cache=True, nogil=True)
def inherit(points: RowPoints, stack: OpenLevels, here: int) -> None:
    """Keep the pairs of the level above that are still together, and compute what they leave of their points."""
    regret, rest, home = points.regret, stack.rest, stack.home
    index, first, new = stack.index[here], stack.first[here], stack.pair[here]
    for i in range(len(home)):
        home[i] = -1
    for cell in range(stack.n_cells[here]):
        for j in range(first[cell], first[cell + 1]):
            home[index[j]] = cell
            for k in range(regret.shape[1]):
                rest[index[j], k] = regret[index[j], k]
    n_new = 0
    for p in range(stack.n_pairs[here - 1] if here else 0):
        old = stack.pair[here - 1, p]
        a, b, weight = old[0], old[1], old[2]
        if home[a] >= 0 and home[a] == home[b]:
            new[n_new, 0], new[n_new, 1], new[n_new, 2] = a, b, weight
            n_new += 1
            # without the dropped pairs, in the same order, each point has at least as much left as before: of the first
            # max(r - c, 0) remains, which grows with r, and the second gives no more than it gave
            for k in range(regret.shape[1]):
                part = min(rest[a, k], weight)
                rest[a, k] -= part
                rest[b, k] -= weight - part
    stack.n_pairs[here] = n_new


@njit(cache=True, nogil=True)
def match(
    points: RowPoints, stack: OpenLevels, here: int, prices: FloatMatrix, most: float, search: Int64Vector
) -> int:
    """Pair what is left in each cell: each point with its nearest in turn, or all nearest points first.

    Which pairs come first makes a large difference to the bound and to its time.

    Parameters
    ----------
    prices : float64 (n_bytes, 256), the price of the features that are set in a byte; empty for a price of 1 each.
    most : a pair is made only if the features that divide it cost less.
    search : int64 (3,), how many points before it and behind it a point is compared with, in an order sorted by bits;
        and the number of distance grades by which nearer pairs come first.

    Returns
    -------
    The number of comparisons.
    """
    packed, mask, rest = points.packed, stack.mask, stack.rest
    left, near, partner = stack.left, stack.near, stack.partner
    index, first, pair, n_pairs = stack.index[here], stack.first[here], stack.pair[here], stack.n_pairs[here]
    n_classes, n_words, work = rest.shape[1], len(mask), 0
    for cell in range(stack.n_cells[here]):
        n_left = 0
        for j in range(first[cell], first[cell + 1]):
            for k in range(n_classes):
                if rest[index[j], k] > 0:
                    left[n_left], near[n_left], partner[n_left] = index[j], 0.0, -1
                    n_left += 1
                    break
        for grade in range(1, search[2] + 1):
            within = most * grade / search[2]
            for x in range(n_left):
                a = left[x]
                # points are only used up, so the distance to the nearest partner only grows
                while near[x] < within and n_pairs < len(pair):
                    weight = int64(0)
                    if partner[x] >= 0:
                        b = left[partner[x]]
                        weight = rest[a, 0] + rest[b, 0]
                        for k in range(1, n_classes):
                            weight = min(weight, rest[a, k] + rest[b, k])
                    if weight > 0:
                        for k in range(n_classes):
                            part = min(rest[a, k], weight)
                            rest[a, k] -= part
                            rest[b, k] -= weight - part
                        pair[n_pairs, 0], pair[n_pairs, 1], pair[n_pairs, 2] = a, b, weight
                        n_pairs += 1
                    near[x], partner[x] = np.inf, -1
                    for y in range(max(0, x - search[0]), min(n_left, x + 1 + search[1])):
                        b = left[y]
                        weight = rest[a, 0] + rest[b, 0]
                        for k in range(1, n_classes):
                            weight = min(weight, rest[a, k] + rest[b, k])
                        if weight == 0 or x == y:
                            continue
                        work += 1
                        distance = 0.0
                        for word in range(n_words):
                            differ = (packed[a, word] ^ packed[b, word]) & mask[word]
                            if len(prices) == 0:
                                distance += popcount(differ)
                            else:
                                byte = 8 * word
                                while differ:
                                    distance += prices[byte, differ & np.uint64(255)]
                                    differ >>= np.uint64(8)
                                    byte += 1
                        if distance < min(near[x], most):
                            near[x], partner[x] = distance, y
    stack.n_pairs[here] = n_pairs
    return work


@njit(cache=True, nogil=True)
def weigh(points: RowPoints, stack: OpenLevels, here: int) -> int:
    """Write to `divided` the weight of the pairs that each candidate divides; return the weight of all pairs."""
    packed, mask, pair, divided = points.packed, stack.mask, stack.pair[here], stack.divided
    for f in range(len(divided)):
        divided[f] = 0
    matched = int64(0)
    for p in range(stack.n_pairs[here]):
        a, b, weight = pair[p, 0], pair[p, 1], pair[p, 2]
        matched += weight
        for word in range(len(mask)):
            differ = (packed[a, word] ^ packed[b, word]) & mask[word]
            while differ:
                lowest = differ & (~differ + np.uint64(1))
                divided[64 * word + popcount(lowest - np.uint64(1))] += weight
                differ ^= lowest
    return matched


@njit(cache=True, nogil=True)
def largest(stack: OpenLevels, values: Int64Vector, here: int, n: int, missing: int) -> int:
    """The sum of the `missing` largest of the candidates' `values`, int64 (n_bits,) by feature."""
    candidate, scratch = stack.candidate[here], stack.top
    for j in range(missing):
        scratch[j] = 0
    for j in range(n):
        value = values[candidate[j]]
        at = missing
        while at > 0 and scratch[at - 1] < value:
            if at < missing:
                scratch[at] = scratch[at - 1]
            at -= 1
        if at < missing:
            scratch[at] = value
    total = values[candidate[0]] * 0
    for j in range(missing):
        total += scratch[j]
    return total


@njit(cache=True, nogil=True)
def set_prices(stack: OpenLevels, here: int, n: int, missing: int) -> None:
    """Set prices from the gathered multiplicative weights `heat`, none above 1, and their sums for all bytes."""
    heat, candidate, price, prices = stack.heat, stack.candidate[here], stack.price, stack.prices
    top = heat[candidate[0]]
    for j in range(n):
        top = max(top, heat[candidate[j]])
    for f in range(len(price)):
        price[f] = 0.0
    for j in range(n):
        price[candidate[j]] = math.exp(heat[candidate[j]] - top)
    full, share = 0, 0.0
    while True:
        total = 0.0
        for j in range(n):
            if price[candidate[j]] < 2.0:
                total += price[candidate[j]]
        share = (missing - full) / total if total > 0.0 else 0.0
        grown = False
        for j in range(n):
            f = candidate[j]
            if price[f] < 2.0 and price[f] * share > 1.0 and full < missing:
                price[f] = 2.0  # marks a price of 1
                full += 1
                grown = True
        if not grown:
            break
    for j in range(n):
        f = candidate[j]
        price[f] = 1.0 if price[f] == 2.0 else price[f] * share
    for byte in range(len(prices)):
        prices[byte, 0] = 0.0
        for bit in range(8):
            for low in range(1 << bit):
                prices[byte, (1 << bit) + low] = prices[byte, low] + price[8 * byte + bit]
