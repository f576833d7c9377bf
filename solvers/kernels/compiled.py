"""The decorators of kernels, whose machine code is kept where `code_cache` says.

A first compilation takes as long as all that follows from one call of a decorator, so each does without what a kernel
does not need:

- Kernels that allocate nothing count no references. Those of the exact search hand on some sixty arrays, and numba
  would write code for counting each, only to show later that none has to be counted. `_nrt` is numba's own switch; an
  allocation is then refused when it is compiled.
- No kernel is called from C. One that is not cached, or whose name begins with an underscore, is called by kernels
  alone and gets no code for calls from Python either.
- Small kernels are plain functions, which LLVM puts into those that call them where that pays. numba's own
  `inline="always"` would copy their source into each caller and compile it again there.
"""

from collections.abc import Callable
from functools import partial
from os import environ
from typing import Any

import numba
from numba.core.targetconfig import TargetConfig

from .code_cache import KernelCache

environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
"""numba makes colours for each type that it tries and that does not fit, which is 3 % of the time."""

_equal_options = TargetConfig.__eq__


def _same_options(one: TargetConfig, other: object) -> bool:
    """Whether two sets of compiler options are equal; in nearly all cases they set the same ones."""
    return (type(one) is type(other) and one._values == other._values) or _equal_options(one, other)


# numba looks up each operator by the options of the kernel, and writes out all of them to hash and to compare: 5 % of
# the time. Its hash, of the names of all options, is the same for all options of a class, too.
TargetConfig.__eq__ = _same_options
TargetConfig.__hash__ = lambda options: hash(type(options))


def njit(*, cache: bool = False, allocates: bool = False, **options: Any) -> Callable[[Any], Any]:
    """numba's decorator of the same name and options, for kernels that allocate nothing."""

    def decorated(function: Any) -> Any:
        inner = not cache or function.__name__.startswith("_")
        own = {"_nrt": allocates, "no_cfunc_wrapper": True, "no_cpython_wrapper": inner}
        kernel: Any = numba.njit(**own, **options)(function)
        # where numba compiles nothing, it returns the function
        if cache and kernel is not function:
            kernel._cache = KernelCache(function)  # type: ignore[no-untyped-call]  # of numba
        return kernel

    return decorated


allocating_njit = partial(njit, allocates=True)
"""For kernels that allocate."""
