"""Consistent trees for all boxes of a grid of values: least depth and fewest leaves, from small boxes to large ones.

A box is a set of values, its *state*, for each attribute. Whatever questions are asked on the way, the rows at a node
are those of a box. States stand in the order of their number of values, and the number of a box has its states as
digits; so the two parts into which a question divides a box have smaller numbers than the box.

mask : int64 (n_boxes,), the classes in each box, a bit each; depth : uint8 (n_boxes,), the least depth.
leaves : int32 (n_boxes, deepest + 1), the fewest leaves by depth limit; deepest : the largest limit.
box : the number of one; digit : int64 (n_attributes,), its states.
"""

from typing import NamedTuple

import numpy as np

from solvers.kernels.arrays import Int32Matrix, Int64Vector, UInt8Vector, int64
from solvers.kernels.compiled import allocating_njit as njit

DEEP = 255
"""The least depth of a box that is not yet known."""

MANY = 1 << 29
"""More leaves than there are, and the answer where no tree of the depth is consistent."""


class BoxGrid(NamedTuple):
    """The boxes and how questions divide them.

    size, stride : int64 (n_attributes,), the number of states and the weight of the digit.
    begin : int64 (n_attributes + 1,), the questions about each attribute.
    low, high : int32 (n_questions, n_states), the states of both sides, -1 where a side is empty.
    first : int32 (n_attributes, n_states), a question that divides the state; -1 for a single value.
    """

    size: np.ndarray
    stride: np.ndarray
    begin: np.ndarray
    low: np.ndarray
    high: np.ndarray
    first: np.ndarray


@njit(cache=True, nogil=True)
def sweep_depths(grid: BoxGrid, mask: Int64Vector, depth: UInt8Vector, begin: int, end: int) -> None:
    """Fill classes and least depth of the boxes from `begin` to `end` - 1; those of one value have their classes."""
    n_attributes = len(grid.size)
    digit = np.empty(n_attributes, np.int64)
    for j in range(n_attributes):
        digit[j] = begin // grid.stride[j] % grid.size[j]
    for box in range(begin, end):
        for j in range(n_attributes):
            q = grid.first[j, digit[j]]
            if q >= 0:
                base, stride = box - digit[j] * grid.stride[j], grid.stride[j]
                mask[box] = mask[base + grid.low[q, digit[j]] * stride] | mask[base + grid.high[q, digit[j]] * stride]
                break
        if mask[box] & (mask[box] - 1) == 0:
            depth[box] = 0
        else:
            depth[box] = least_depth(grid, mask, depth, digit, box)
        advance(grid, digit)


@njit(cache=True, nogil=True)
def advance(grid: BoxGrid, digit: Int64Vector) -> None:
    """The digits of the next box."""
    for j in range(len(digit) - 1, -1, -1):
        digit[j] += 1
        if digit[j] < grid.size[j]:
            return
        digit[j] = 0


@njit(cache=True, nogil=True)
def least_depth(grid: BoxGrid, mask: Int64Vector, depth: UInt8Vector, digit: Int64Vector, box: int) -> int:
    """The least depth of a box of several classes from the boxes that it is divided into."""
    best = DEEP
    for j in range(len(digit)):
        stride = grid.stride[j]
        base = box - digit[j] * stride
        for q in range(grid.begin[j], grid.begin[j + 1]):
            low, high = grid.low[q, digit[j]], grid.high[q, digit[j]]
            if low < 0 or high < 0:
                continue
            one, two = base + low * stride, base + high * stride
            # with an empty side the other one has the same rows
            if mask[one] == 0:
                return int64(depth[two])
            if mask[two] == 0:
                return int64(depth[one])
            best = min(best, 1 + int64(max(depth[one], depth[two])))
    return best


@njit(cache=True, nogil=True)
def sweep_leaves(
    grid: BoxGrid, mask: Int64Vector, depth: UInt8Vector, leaves: Int32Matrix, begin: int, end: int
) -> None:
    """Fill the fewest leaves of the boxes from `begin` to `end` - 1 by depth limit."""
    n_attributes, deepest = len(grid.size), leaves.shape[1] - 1
    digit = np.empty(n_attributes, np.int64)
    for j in range(n_attributes):
        digit[j] = begin // grid.stride[j] % grid.size[j]
    for box in range(begin, end):
        if depth[box] == 0:
            leaves[box] = 1
        else:
            leaves[box] = MANY
            divide(grid, mask, depth, leaves, digit, box, deepest)
        advance(grid, digit)


@njit(cache=True, nogil=True)
def divide(
    grid: BoxGrid,
    mask: Int64Vector,
    depth: UInt8Vector,
    leaves: Int32Matrix,
    digit: Int64Vector,
    box: int,
    deepest: int,
) -> None:
    """The fewest leaves of a box of several classes by depth limit from the boxes that it is divided into."""
    mine = leaves[box]
    for j in range(len(digit)):
        stride = grid.stride[j]
        base = box - digit[j] * stride
        for q in range(grid.begin[j], grid.begin[j + 1]):
            low, high = grid.low[q, digit[j]], grid.high[q, digit[j]]
            if low < 0 or high < 0:
                continue
            one, two = base + low * stride, base + high * stride
            if mask[one] == 0 or mask[two] == 0:
                mine[:] = leaves[two if mask[one] == 0 else one]
                return
            first, second = leaves[one], leaves[two]
            for limit in range(1 + int64(max(depth[one], depth[two])), deepest + 1):
                mine[limit] = min(mine[limit], first[limit - 1] + second[limit - 1])
