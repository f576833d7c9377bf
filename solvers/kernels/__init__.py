"""Compiled loops: arrays in, arrays out. `code_cache` says where their machine code is kept.

What a parameter is says the docstring of the kernel, that of its class, or, for names that kernels have in common, that
of the module or of one that it imports: `workspace` for the search of trees, `odd_cells` for that of diagrams.

Importing them changes no setting of numba: other compiled code in the same program stays as its author wants it, and
is kept where numba keeps it. At which level LLVM optimises is therefore up to the program, see `solvers.compile_level`.
"""

from ..compilation import COMPILATION

COMPILATION.watch()
