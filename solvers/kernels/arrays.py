"""Types of the arrays that kernels take: cell type and number of dimensions.

The docstrings of the kernels name the dimensions and describe them. For a type checker, cells have any type, because
numba does not distinguish Python numbers from NumPy numbers.
"""

from typing import Annotated, Any

import numpy as np

Vector = np.ndarray[tuple[int], np.dtype[Any]]
Matrix = np.ndarray[tuple[int, int], np.dtype[Any]]
Cube = np.ndarray[tuple[int, int, int], np.dtype[Any]]

BoolVector = Annotated[Vector, np.bool_]
UInt8Vector = Annotated[Vector, np.uint8]
Int32Vector = Annotated[Vector, np.int32]
Int32Matrix = Annotated[Matrix, np.int32]
UInt32Vector = Annotated[Vector, np.uint32]
Int64Vector = Annotated[Vector, np.int64]
Int64Matrix = Annotated[Matrix, np.int64]
Int64Cube = Annotated[Cube, np.int64]
LaneVector = Vector
LaneMatrix = Matrix
"""Cells of 16, 32 or 64 bits: the narrowest type that holds the sums."""
UInt64Vector = Annotated[Vector, np.uint64]
UInt64Matrix = Annotated[Matrix, np.uint64]
FloatVector = Annotated[Vector, np.float64]
FloatMatrix = Annotated[Matrix, np.float64]
FloatCube = Annotated[Cube, np.float64]

Stretch = tuple[int, int, int]
"""The rows of a node: its level, their first position in it, and their number; all int64."""

int64: Any = np.int64
int32: Any = np.int32
uint64: Any = np.uint64
bool_: Any = np.bool_
"""Scalars of a width that numba must know; for a type checker they have any type, as above."""

ROW: Any = np.uint32(8)
"""The bit position of the row in a word. A shift by it is unsigned, so the index needs no test of its sign."""
