"""Compiled loops: arrays in, arrays out. `code_cache` keeps their machine code.

A parameter is described in the docstring of its kernel or class. Names that several kernels share are described in the
module, or in a module that it imports: `workspace` for the search of trees, `odd_cells` for the search of diagrams.

Importing the kernels changes no setting of numba, so other compiled code in the same program is not affected. The
program therefore chooses the optimisation level of LLVM, see `solvers.compile_level`.
"""

from ..compilation import COMPILATION

COMPILATION.watch()
