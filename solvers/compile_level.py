"""At which level LLVM optimises compiled code, in the processes that are this program's own.

LLVM's first level takes a quarter less time to compile the kernels than numba's third, and they run no slower, since
their inner loops are emitted as vector code. numba has one level for a whole process and none for a single function.
So worker processes and the command line choose it, and a program that only imports `solvers` keeps its own.
"""

import os

VARIABLE, FIRST_LEVEL = "NUMBA_OPT", "1"
"""The variable that numba reads when it is imported and before each compilation, and its value."""


def compile_cheaply() -> None:
    """Compile at the first level in this process and those that it starts, unless the user has chosen another one."""
    os.environ.setdefault(VARIABLE, FIRST_LEVEL)
