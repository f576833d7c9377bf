"""The decorators of kernels, whose machine code is kept where `code_cache` says.

Kernels that allocate nothing compile faster where that is said. Those of the exact search of trees hand on some sixty
arrays, and much of the code that numba writes for that counts references, only to show later that none has to be
counted. `_nrt` is numba's own switch for the counting: without it an allocation is refused when it is compiled. No
kernel is called from C, so that none needs the code for that.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numba

from .code_cache import KernelCache


def njit(*, cache: bool = False, allocates: bool = False, **options: Any) -> Callable[[Any], Any]:
    """numba's decorator of the same name and options, for kernels that allocate nothing."""

    def decorated(function: Any) -> Any:
        own: dict[str, Any] = {"_nrt": allocates, "no_cfunc_wrapper": True}
        kernel: Any = numba.njit(**own, **options)(function)
        # where numba compiles nothing, it returns the function
        if cache and kernel is not function:
            kernel._cache = KernelCache(function)  # type: ignore[no-untyped-call]  # of numba
        return kernel

    return decorated


allocating_njit = partial(njit, allocates=True)
"""For kernels that allocate."""
