"""Compiled loops: arrays in, arrays out. `code_cache` says where their machine code is kept.

Importing them changes no setting of numba: other compiled code in the same program stays as its author wants it, and
is kept where numba keeps it. At which level LLVM optimises is therefore up to the program, see `solvers.compile_level`.
"""

from solvers.compilation import COMPILATION

COMPILATION.watch()
