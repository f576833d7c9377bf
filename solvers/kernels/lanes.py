"""Vector-lane scans: sixteen thresholds of a first question against one order of a second, in a single pass.

Both scans answer, for each lane k: if the rows with `place < cut[k]` go left and the others right, how many rows (by
weight) does the best single threshold of the scanned order leave wrong on the left, and how many on the right? A side
may also stay a leaf. An element of the order is packed into 32 bits:

    local row << 8 | is a boundary << 7 | class << 1 | is a candidate

A boundary lies behind an element whose successor has a larger rank. A candidate is a boundary that can be best for a
single threshold: all but those between two tie groups that hold one and the same class. Along a run of one class the
weight that both sides get right is convex in the position (a sum of two maxima of linear functions), so an end of the
run is at least as good as any position inside it.

The loops are emitted as LLVM vector code: written as loops over small arrays they are not kept in registers and run
three to six times slower.
"""

import numba as nb
from llvmlite import ir
from numba.extending import intrinsic

from solvers.kernels import scalar

LANES = 16
BOUNDARY = 128
CANDIDATE = 1

_I32 = ir.IntType(32)
_VECTOR = ir.VectorType(_I32, LANES)
_ZERO = ir.Constant(_VECTOR, [0] * LANES)


def _pointer(context, builder, array_type, value):
    """The address of the first element of a 1-dimensional array."""
    return context.make_array(array_type)(context, builder, value).data


def _splat(builder, scalar):
    """A vector with the scalar in every lane."""
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), scalar, ir.Constant(_I32, 0))
    return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), ir.Constant(_VECTOR, [0] * LANES))


def _larger(builder, a, b):
    return builder.select(builder.icmp_signed(">", a, b), a, b)


def _smaller(builder, a, b):
    return builder.select(builder.icmp_signed("<", a, b), a, b)


def _load(builder, base, row):
    """Load the `row`-th vector behind `base`."""
    at = builder.gep(base, [builder.mul(row, row.type(LANES))])
    return builder.load(builder.bitcast(at, _VECTOR.as_pointer()), align=4)


def _store(builder, vector, base, row):
    at = builder.gep(base, [builder.mul(row, row.type(LANES))])
    builder.store(vector, builder.bitcast(at, _VECTOR.as_pointer()), align=4)


class _Loop:
    """A counting loop whose vectors travel in registers, with a body that may skip a part of its work."""

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
        """End the body; `carried` are the values for the next round. Building goes on behind the loop."""
        following = self.builder.add(self.index, self.index.type(self.step))
        self.index.add_incoming(following, self.builder.block)
        for phi, value in zip(self.carried, carried, strict=True):
            phi.add_incoming(value, self.builder.block)
        self.builder.branch(self.head)
        self.builder.position_at_end(self.done)


def _either(builder, condition, before, make):
    """The vectors `make()` where the condition holds, else `before`, as a branch and not as a computation of both."""
    source = builder.block
    then = builder.append_basic_block("then")
    after = builder.append_basic_block("after")
    builder.cbranch(condition, then, after)
    builder.position_at_end(then)
    made = make()
    end = builder.block
    builder.branch(after)
    builder.position_at_end(after)
    merged = []
    for old, new in zip(before, made, strict=True):
        phi = builder.phi(new.type)
        phi.add_incoming(old, source)
        phi.add_incoming(new, end)
        merged.append(phi)
    return merged


@intrinsic
def binary_extremes(typingctx, packed, signed, m, place, cut, out):
    """Running extremes of the signed sums of both sides, for two classes.

    Parameters
    ----------
    packed : int32 (m,), the order; signed : int32 (m,), +weight for class 1 and -weight for class 0, in the same order.
    m : int64; place : int32 (m,), by local row; cut : int32 (LANES,).
    out : int32 (4 * LANES,), filled with max left, min left, max right, min right of the prefix sums (0 included).
    """
    signature = nb.void(packed, signed, nb.int64, place, cut, out)

    def codegen(context, builder, sig, args):
        pointer = [
            _pointer(context, builder, t, a) if hasattr(t, "ndim") else a for t, a in zip(sig.args, args, strict=True)
        ]
        elements, values, count, places, cuts, result = pointer
        word = count.type
        cut_vector = _load(builder, cuts, word(0))
        zero = _I32(0)
        loop = _Loop(builder, word(0), count, 1, [_ZERO, zero, _ZERO, _ZERO, _ZERO, _ZERO])
        left, total, *extremes = loop.carried
        element = builder.load(builder.gep(elements, [loop.index]))
        weight = builder.load(builder.gep(values, [loop.index]))
        row = builder.zext(builder.lshr(element, _I32(8)), word)
        where = _splat(builder, builder.load(builder.gep(places, [row])))
        inside = builder.icmp_signed("<", where, cut_vector)
        left = builder.add(left, builder.select(inside, _splat(builder, weight), _ZERO))
        total = builder.add(total, weight)

        def extend():
            right = builder.sub(_splat(builder, total), left)
            return [
                _larger(builder, extremes[0], left),
                _smaller(builder, extremes[1], left),
                _larger(builder, extremes[2], right),
                _smaller(builder, extremes[3], right),
            ]

        is_candidate = builder.icmp_signed("!=", builder.and_(element, _I32(CANDIDATE)), zero)
        extremes = _either(builder, is_candidate, extremes, extend)
        loop.close([left, total, *extremes])
        for k, vector in enumerate(loop.carried[2:]):
            _store(builder, vector, result, word(k))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def majority_sums(typingctx, packed, weight, m, place, cut, counts, suffix, out):
    """The largest weight that one threshold can get right on each side, for any number of classes.

    A running maximum of class weights changes only in the class of the row just added, so the cost does not depend on
    the number of classes. The backward pass stores the maxima behind each candidate, the forward pass adds those
    before it.

    Parameters
    ----------
    packed, weight : int32 (m,), the order; m : int64; place : int32 (m,), by local row; cut : int32 (LANES,).
    counts : int32 (2 * n_classes * LANES,), zeros on entry and garbage on exit of each of the two passes: the caller
        hands over two stretches, [0, 2 * n_classes * LANES) and the same again, both zero.
    suffix : int32 (2 * m * LANES,), scratch.
    out : int32 (2 * LANES,), filled with the best right weight of the left and of the right side (leaf included).
    """
    signature = nb.void(packed, weight, nb.int64, place, cut, counts, suffix, out)

    def codegen(context, builder, sig, args):
        pointer = [
            _pointer(context, builder, t, a) if hasattr(t, "ndim") else a for t, a in zip(sig.args, args, strict=True)
        ]
        elements, weights, count, places, cuts, tally, stored, result = pointer
        word = count.type
        cut_vector = _load(builder, cuts, word(0))
        half = builder.udiv(builder.extract_value(args[5], 2), word(2))

        def add_element(index, base, best_left, best_right):
            element = builder.load(builder.gep(elements, [index]))
            row = builder.zext(builder.lshr(element, _I32(8)), word)
            label = builder.zext(builder.and_(builder.lshr(element, _I32(1)), _I32(63)), word)
            where = _splat(builder, builder.load(builder.gep(places, [row])))
            inside = builder.icmp_signed("<", where, cut_vector)
            amount = _splat(builder, builder.load(builder.gep(weights, [index])))
            slot = builder.mul(label, word(2))
            left = builder.add(_load(builder, base, slot), builder.select(inside, amount, _ZERO))
            _store(builder, left, base, slot)
            slot = builder.add(slot, word(1))
            right = builder.add(_load(builder, base, slot), builder.select(inside, _ZERO, amount))
            _store(builder, right, base, slot)
            return element, _larger(builder, best_left, left), _larger(builder, best_right, right)

        backward = _Loop(builder, builder.sub(count, word(1)), word(-1), -1, [_ZERO, _ZERO])
        left, right = backward.carried
        twice = builder.mul(backward.index, word(2))
        _store(builder, left, stored, twice)
        _store(builder, right, stored, builder.add(twice, word(1)))
        _, left, right = add_element(backward.index, tally, left, right)
        backward.close([left, right])
        whole_left, whole_right = backward.carried

        second = builder.gep(tally, [half])
        forward = _Loop(builder, word(0), count, 1, [_ZERO, _ZERO, whole_left, whole_right])
        left, right, best_left, best_right = forward.carried
        element, left, right = add_element(forward.index, second, left, right)

        def combine():
            at = builder.mul(forward.index, word(2))
            behind_left = _load(builder, stored, at)
            behind_right = _load(builder, stored, builder.add(at, word(1)))
            return [
                _larger(builder, best_left, builder.add(left, behind_left)),
                _larger(builder, best_right, builder.add(right, behind_right)),
            ]

        is_candidate = builder.icmp_signed("!=", builder.and_(element, _I32(CANDIDATE)), _I32(0))
        best_left, best_right = _either(builder, is_candidate, [best_left, best_right], combine)
        forward.close([left, right, best_left, best_right])
        _store(builder, forward.carried[2], result, word(0))
        _store(builder, forward.carried[3], result, word(1))
        return context.get_dummy_value()

    return signature, codegen


if nb.config.DISABLE_JIT:
    binary_extremes, majority_sums = scalar.binary_extremes, scalar.majority_sums
