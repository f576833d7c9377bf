"""The level at which LLVM optimises compiled code in this program's own processes.

At LLVM's first level, the kernels compile in a quarter less time than at numba's third and run no slower, since their
inner loops are emitted as vector code. numba has one level for a whole process and none for a single function. So
worker processes and the command line set it, and a program that only imports `solvers` keeps its own.
"""

import os

VARIABLE, FIRST_LEVEL = "NUMBA_OPT", "1"
"""The variable that numba reads at import and before each compilation, and its value."""


def compile_cheaply() -> None:
    """Compile at the first level in this process and its children, unless the user has set another level."""
    os.environ.setdefault(VARIABLE, FIRST_LEVEL)
