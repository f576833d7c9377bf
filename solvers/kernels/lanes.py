"""Vector-lane scans: many thresholds of a first split against one order of a second split, in a single pass.

For each lane k, rows with `place < cut[k]` go left and the others right. A scan computes the minimum misclassified
weight of a single split on the scanned order, for the left and for the right side. A side may also stay a leaf. An
element of an order is a 32-bit word:

    row << 8 | is a boundary << 7 | class << 1 | is a candidate

A boundary is behind an element whose successor has a larger rank. A candidate is a boundary that can be the best single
threshold (docs/methods/contree-bounds.md, depth two). An order is a sequence of blocks, and bit 0 is set at the end of
each. For two classes, blocks end at candidates. For more, a block is a run of rows of one class without a candidate
inside: rows of equal rank are sorted by class, and a candidate has both bits.

The loops are emitted as LLVM vector code: as loops over small arrays they are not kept in registers and are three to
six times slower. Lanes have 16, 32 or 64 bits, see `magnitude.width`.
"""

from functools import partial
from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from . import scalar
from .scalar import MANY_LANES, SLOTS

VECTOR_BITS = 512
BOUNDARY = 128
CANDIDATE = 1

_I32 = ir.IntType(32)


def lanes_for_two(lane: np.dtype) -> int:
    """The number of lanes of `scan_two`: a full vector, and at least `MANY_LANES`, because all scans share arrays."""
    return _two(8 * lane.itemsize)


class _Kit:
    """Vector instructions of one width over one builder."""

    def __init__(self, builder, bits, lanes):
        self.builder, self.lanes = builder, lanes
        self.scalar = ir.IntType(bits)
        self.vector = ir.VectorType(self.scalar, lanes)
        self.zero = ir.Constant(self.vector, [0] * lanes)

    def splat(self, value):
        """A vector with the value in every lane."""
        nothing = ir.Constant(self.vector, ir.Undefined)
        one = self.builder.insert_element(nothing, value, ir.Constant(_I32, 0))
        return self.builder.shuffle_vector(one, nothing, self._lane_numbers([0] * self.lanes))

    def repeated(self, base, row, slots):
        """The `row`-th group of `slots` values at `base`, repeated across all lanes."""
        group = ir.VectorType(self.scalar, slots)
        at = self.builder.gep(base, [self.builder.mul(row, row.type(slots))])
        values = self.builder.load(self.builder.bitcast(at, group.as_pointer()), align=self.scalar.width // 8)
        lanes = self._lane_numbers([k % slots for k in range(self.lanes)])
        return self.builder.shuffle_vector(values, ir.Constant(group, ir.Undefined), lanes)

    def larger(self, a, b):
        """The larger of two vectors, lane by lane."""
        return self.builder.select(self.builder.icmp_signed(">", a, b), a, b)

    def smaller(self, a, b):
        """The smaller of two vectors, lane by lane."""
        return self.builder.select(self.builder.icmp_signed("<", a, b), a, b)

    def load(self, base, row):
        """The `row`-th vector at `base`."""
        return self.builder.load(self._at(base, row), align=self.scalar.width // 8)

    def store(self, vector, base, row):
        """Write the `row`-th vector at `base`."""
        self.builder.store(vector, self._at(base, row), align=self.scalar.width // 8)

    def improve(self, best, side, errors, number):
        """Replace the best errors of a side and their order in the lanes with fewer errors."""
        word = number.type
        before = self.load(best, word(side))
        better = self.builder.icmp_signed("<", errors, before)
        self.store(self.builder.select(better, errors, before), best, word(side))
        orders = self.splat(self.builder.trunc(number, self.scalar))
        self.store(self.builder.select(better, orders, self.load(best, word(2 + side))), best, word(2 + side))

    def _at(self, base, row):
        at = self.builder.gep(base, [self.builder.mul(row, row.type(self.lanes))])
        return self.builder.bitcast(at, self.vector.as_pointer())

    def _lane_numbers(self, numbers):
        return ir.Constant(ir.VectorType(_I32, self.lanes), numbers)


class _Loop:
    """A counting loop that carries vectors in registers."""

    def __init__(self, builder, start, stop, step, carried):
        self.builder, self.step = builder, step
        self.head = builder.append_basic_block("head")
        self.body = builder.append_basic_block("body")
        self.done = builder.append_basic_block("done")
        entry = builder.block
        builder.branch(self.head)
        builder.position_at_end(self.head)
        self.index = builder.phi(start.type)
        self.index.add_incoming(start, entry)
        self.carried = []
        for value in carried:
            phi = builder.phi(value.type)
            phi.add_incoming(value, entry)
            self.carried.append(phi)
        builder.cbranch(builder.icmp_signed("!=", self.index, stop), self.body, self.done)
        builder.position_at_end(self.body)

    def close(self, carried):
        """End the body; `carried` are the values for the next iteration. Later instructions follow the loop."""
        following = self.builder.add(self.index, self.index.type(self.step))
        self.index.add_incoming(following, self.builder.block)
        for phi, value in zip(self.carried, carried, strict=True):
            phi.add_incoming(value, self.builder.block)
        self.builder.branch(self.head)
        self.builder.position_at_end(self.done)


def _pointers(context, builder, sig, args):
    """The address of the first element of each 1-dimensional array; other arguments unchanged."""
    return [
        context.make_array(kind)(context, builder, value).data if hasattr(kind, "ndim") else value
        for kind, value in zip(sig.args, args, strict=True)
    ]


def _is_candidate(builder, word):
    return builder.trunc(word, ir.IntType(1))


@intrinsic
def _scan_two(typingctx, before, whole, n_blocks, sides, order, best):
    """One order as the second split for two classes: the minimum errors of both sides, lane by lane.

    The scanned order is a sequence of blocks that end at candidates. Let S be the signed sum of a prefix of one side.
    The prefix labelled with the upper class leaves `upper - S` wrong, with the lower class `lower + S`. So the extremes
    of S over all candidates (and S = 0, the leaf) give the minimum errors.

    All arrays are of the lane type.

    Parameters
    ----------
    before : ((n_blocks + 1) * lanes,), see `count_blocks`, with weights that are negative for the lower class.
    whole : (n_blocks,), the same sums for both sides together.
    n_blocks : int64, without the block behind the last candidate.
    sides : (4 * lanes,), the weight of the upper and lower class on the left, then on the right, each plus the split
        penalty.
    order : int64, the number of the order.
    best : (4 * lanes,), the minimum cost left and right so far, and the orders that reach them (-1 for a leaf);
        updated.
    """
    signature = nb.void(before, whole, nb.int64, sides, nb.int64, best)
    bits = best.dtype.bitwidth

    def codegen(context, builder, sig, args):
        sums, wholes, count, weights, number, result = _pointers(context, builder, sig, args)
        kit, word = _Kit(builder, bits, _two(bits)), count.type
        loop = _Loop(builder, word(0), count, 1, [kit.zero] * 4)
        left = kit.load(sums, builder.add(loop.index, word(1)))
        right = builder.sub(kit.splat(builder.load(builder.gep(wholes, [loop.index]))), left)
        extremes = loop.carried
        loop.close(
            [
                kit.larger(extremes[0], left),
                kit.smaller(extremes[1], left),
                kit.larger(extremes[2], right),
                kit.smaller(extremes[3], right),
            ]
        )
        _improve_by_extremes(kit, builder, weights, loop.carried, number, result)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def _scan_two_sized(typingctx, words, signed, by_weight, m, place, cut, sides, whole, least, order, best):
    """As `scan_two`, for leaves of a minimum size; the rows between two cuts may be on either side.

    A lane has two cuts, `first` <= `last`. On the left, rows before `first` contribute errors, and rows before `last`
    count towards the leaf size. On the right, rows from `last` on contribute errors, and rows from `first` on count. So
    the errors are a lower bound for all cuts from `first` to `last`, exact if the two are equal.

    All arrays except `words` are of the lane type.

    Parameters
    ----------
    words, signed, m, place, order, best : as in `count_blocks` and `scan_two`; `signed` are the weights, negative for
        the lower class.
    by_weight : int64, 1 if a row counts with its weight, 0 if it counts as 1.
    cut : (2 * lanes,), the first and the last cuts.
    sides : (4 * lanes,), as in `scan_two`, for the rows that contribute errors.
    whole : (2 * lanes,), the total size of the rows that may be on each side.
    least : int64, the minimum leaf size.
    """
    signature = nb.void(words, signed, nb.int64, nb.int64, place, cut, sides, whole, nb.int64, nb.int64, best)
    bits = best.dtype.bitwidth

    def codegen(context, builder, sig, args):
        elements, values, weighs, count, places, cuts, weights, wholes, least, number, result = _pointers(
            context, builder, sig, args
        )
        kit, word, nought = _Kit(builder, bits, _two(bits)), count.type, ir.IntType(bits)(0)
        bounds = [kit.load(cuts, word(side)) for side in range(2)]
        every = [kit.load(wholes, word(side)) for side in range(2)]
        needed = kit.splat(builder.trunc(least, kit.scalar))
        by_weight = builder.icmp_signed("!=", weighs, word(0))
        loop = _Loop(builder, word(0), count, 1, [nought, nought, *[kit.zero] * 8])
        total, counted = loop.carried[:2]
        sums, counts, extremes = loop.carried[2:4], loop.carried[4:6], loop.carried[6:]
        element = builder.load(builder.gep(elements, [loop.index]))
        weight = builder.load(builder.gep(values, [loop.index]))
        heft = builder.select(builder.icmp_signed("<", weight, nought), builder.neg(weight), weight)
        heft = builder.select(by_weight, heft, kit.scalar(1))
        row = builder.zext(builder.lshr(element, _I32(8)), word)
        where = kit.splat(builder.load(builder.gep(places, [row])))
        inside = [builder.icmp_signed("<", where, bound) for bound in bounds]
        weight_vector, heft_vector = kit.splat(weight), kit.splat(heft)
        for i in range(2):
            sums[i] = builder.add(sums[i], builder.select(inside[i], weight_vector, kit.zero))
            counts[i] = builder.add(counts[i], builder.select(inside[i], heft_vector, kit.zero))
        total, counted = builder.add(total, weight), builder.add(counted, heft)

        prefix = [sums[0], builder.sub(kit.splat(total), sums[1])]
        size = [counts[1], builder.sub(kit.splat(counted), counts[0])]
        allowed = kit.splat(builder.sext(_is_candidate(builder, element), kit.scalar))
        extremes = list(extremes)
        for side in range(2):
            rest = builder.sub(every[side], size[side])
            large = builder.icmp_signed(">=", kit.smaller(size[side], rest), needed)
            sum_of_side = builder.and_(builder.select(large, prefix[side], kit.zero), allowed)
            extremes[2 * side] = kit.larger(extremes[2 * side], sum_of_side)
            extremes[2 * side + 1] = kit.smaller(extremes[2 * side + 1], sum_of_side)
        loop.close([total, counted, *sums, *counts, *extremes])
        _improve_by_extremes(kit, builder, weights, loop.carried[6:], number, result)
        return context.get_dummy_value()

    return signature, codegen


def _improve_by_extremes(kit, builder, weights, extremes, number, result):
    """Update the best of both sides with the errors that the extremes of the signed sums leave."""
    word = number.type
    for side in range(2):
        above = builder.sub(kit.load(weights, word(2 * side)), extremes[2 * side])
        below = builder.add(kit.load(weights, word(2 * side + 1)), extremes[2 * side + 1])
        kit.improve(result, side, kit.smaller(above, below), number)


def _count_blocks(lanes, slots):
    """An intrinsic `count(words, amount, m, place, cut, before)`: the weight of the blocks of an order before each cut.

    A row costs a few instructions for all lanes: running sums are written to the row of the current block, over and
    over until the block ends, so no branch depends on the data.

    `lanes` maps a bit width to the number of lanes; lane k belongs to the first order `k % slots`. Parameters of the
    intrinsic:

    words : uint32 (m,), the order, bit 0 at the end of each block; amount : lane (m,), the weights in the same order.
    m : int64; place : lane (n * slots,), by row and slot; cut : lane (lanes,).
    before : lane ((n_blocks + 1) * lanes,), row b + 1 becomes the weight of blocks 0 to b before each cut. Row 0 is not
        changed.
    """

    @intrinsic
    def count_blocks(typingctx, words, amount, m, place, cut, before):
        signature = nb.void(words, amount, nb.int64, place, cut, before)
        bits = before.dtype.bitwidth

        def codegen(context, builder, sig, args):
            elements, values, count, places, cuts, result = _pointers(context, builder, sig, args)
            kit, word = _Kit(builder, bits, lanes(bits)), count.type
            cut_vector = kit.load(cuts, word(0))
            loop = _Loop(builder, word(0), count, 1, [kit.zero, word(1)])
            sums, block = loop.carried
            element = builder.load(builder.gep(elements, [loop.index]))
            weight = kit.splat(builder.load(builder.gep(values, [loop.index])))
            row = builder.zext(builder.lshr(element, _I32(8)), word)
            inside = builder.icmp_signed("<", kit.repeated(places, row, slots), cut_vector)
            sums = builder.add(sums, builder.select(inside, weight, kit.zero))
            kit.store(sums, result, block)
            loop.close([sums, builder.add(block, builder.zext(builder.and_(element, _I32(1)), word))])
            return context.get_dummy_value()

        return signature, codegen

    return count_blocks


@intrinsic
def _scan_many(typingctx, before, info, size, n_blocks, left_counts, counts, suffix, sides, order, best):
    """One order as the second split for any number of classes: the minimum errors of both sides, lane by lane.

    The scanned order is a sequence of blocks between candidates, one block per class. A running maximum of class
    weights changes only in the class of the block just added, so the cost does not depend on the number of classes. The
    backward pass stores the maxima behind each candidate, the forward pass adds those before it.

    All arrays are of the lane type.

    Parameters
    ----------
    before : ((n_blocks + 1) * lanes,), see `count_blocks`; row 0 is 0.
    info : (n_blocks,), class << 1 | whether a candidate is behind the block.
    size : (n_blocks,), the weight of each block.
    n_blocks : int64.
    left_counts : (2 * n_classes * lanes,) and counts : (2 * n_classes,), zeros on entry, garbage on exit.
    suffix : (2 * n_blocks * lanes,), scratch.
    sides : (2 * lanes,), the weight on the left and on the right, each plus the split penalty.
    order : int64, the number of the order.
    best : (4 * lanes,), the minimum cost left and right so far, and the orders that reach them (-1 for a leaf);
        updated.
    """
    signature = nb.void(before, info, size, nb.int64, left_counts, counts, suffix, sides, nb.int64, best)
    bits = best.dtype.bitwidth

    def codegen(context, builder, sig, args):
        pointers = _pointers(context, builder, sig, args)
        sums, infos, sizes, count, lefts, wholes, stored, weights, number, result = pointers
        kit, word = _Kit(builder, bits, MANY_LANES), count.type
        half = builder.udiv(builder.extract_value(args[5], 2), word(2))

        def add_block(index, entry, shift, best_left, best_right):
            inside = builder.sub(kit.load(sums, builder.add(index, word(1))), kit.load(sums, index))
            label = builder.add(builder.zext(builder.lshr(entry, entry.type(1)), word), shift)
            left = builder.add(kit.load(lefts, label), inside)
            kit.store(left, lefts, label)
            at = builder.gep(wholes, [label])
            whole = builder.add(builder.load(at), builder.load(builder.gep(sizes, [index])))
            builder.store(whole, at)
            return kit.larger(best_left, left), kit.larger(best_right, builder.sub(kit.splat(whole), left))

        backward = _Loop(builder, builder.sub(count, word(1)), word(-1), -1, [kit.zero, kit.zero])
        left, right = backward.carried
        twice = builder.mul(backward.index, word(2))
        kit.store(left, stored, twice)
        kit.store(right, stored, builder.add(twice, word(1)))
        entry = builder.load(builder.gep(infos, [backward.index]))
        backward.close(add_block(backward.index, entry, word(0), left, right))

        forward = _Loop(builder, word(0), count, 1, [kit.zero, kit.zero, kit.zero, kit.zero])
        left, right, best_left, best_right = forward.carried
        entry = builder.load(builder.gep(infos, [forward.index]))
        left, right = add_block(forward.index, entry, half, left, right)

        at = builder.mul(forward.index, word(2))
        behind_left, behind_right = kit.load(stored, at), kit.load(stored, builder.add(at, word(1)))
        # a mask, not a branch: which blocks end at a candidate is unpredictable
        allowed = kit.splat(builder.sub(entry.type(0), builder.and_(entry, entry.type(1))))
        best_left = kit.larger(best_left, builder.and_(builder.add(left, behind_left), allowed))
        best_right = kit.larger(best_right, builder.and_(builder.add(right, behind_right), allowed))
        forward.close([left, right, best_left, best_right])
        for side in range(2):
            errors = builder.sub(kit.load(weights, word(side)), forward.carried[2 + side])
            kit.improve(result, side, errors, number)
        return context.get_dummy_value()

    return signature, codegen


_NO_JIT = bool(nb.config.DISABLE_JIT)  # numba sets its settings by name


def _two(bits):
    return max(VECTOR_BITS // bits, MANY_LANES)


def _many(_):
    return MANY_LANES


count_for_two: Any = scalar.count_blocks if _NO_JIT else _count_blocks(_two, 1)
count_jointly_for_two: Any = partial(scalar.count_blocks, slots=SLOTS) if _NO_JIT else _count_blocks(_two, SLOTS)
count_many: Any = partial(scalar.count_blocks, lanes=MANY_LANES) if _NO_JIT else _count_blocks(_many, 1)
count_jointly: Any = (
    partial(scalar.count_blocks, lanes=MANY_LANES, slots=SLOTS) if _NO_JIT else _count_blocks(_many, SLOTS)
)
scan_two: Any = scalar.scan_two if _NO_JIT else _scan_two
scan_two_sized: Any = scalar.scan_two_sized if _NO_JIT else _scan_two_sized
scan_many: Any = scalar.scan_many if _NO_JIT else _scan_many
