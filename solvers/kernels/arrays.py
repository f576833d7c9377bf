"""What arrays kernels take: the type of the cells and the number of dimensions.

Names of dimensions, and what stands along them, are in the docstrings of the kernels. To a type checker cells are of
any type: numba makes no difference between the numbers of Python and those of NumPy.
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
"""Cells of 16, 32 or 64 bits, whatever the sums fit into."""
UInt64Vector = Annotated[Vector, np.uint64]
UInt64Matrix = Annotated[Matrix, np.uint64]
FloatVector = Annotated[Vector, np.float64]
FloatMatrix = Annotated[Matrix, np.float64]
FloatCube = Annotated[Cube, np.float64]

Stretch = tuple[int, int, int]
"""Where the rows of a node stand: its level, the first place there, and how many they are; all three int64."""

int64: Any = np.int64
int32: Any = np.int32
uint64: Any = np.uint64
bool_: Any = np.bool_
"""Scalars of a width that matters to numba; see above for what a type checker makes of them."""

ROW: Any = np.uint32(8)
"""By how many bits the row stands above the lowest one in a word. What is shifted by it is unsigned, and so an index
that needs no test of its sign."""
