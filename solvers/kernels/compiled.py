"""numba decorators for kernels. `code_cache` describes where their machine code is kept.

Kernels that allocate nothing compile faster if numba knows this. Those of the exact tree search pass about sixty
arrays, for which numba generates much reference-counting code, only to remove it again later. `_nrt` is numba's own
switch for reference counting: without it, numba refuses to compile an allocation. Kernels are never called from C, so
they need no C wrapper.
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
        # if compilation is disabled, numba returns the function itself
        if cache and kernel is not function:
            kernel._cache = KernelCache(function)  # type: ignore[no-untyped-call]  # numba is untyped
        return kernel

    return decorated


allocating_njit = partial(njit, allocates=True)
"""For kernels that allocate."""
