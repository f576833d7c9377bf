"""Calls of kernels by address, so that a kernel is not compiled again inside each of its callers.

numba inlines the code of a kernel into every caller and optimises it there again, which would take most of the first
compilation of the exact search. Called by address, a kernel is compiled once, and a kernel that a problem does not need
(test costs, minimum leaf sizes) is not compiled: its address stays 0, and it must not be called. A call by address
costs a fraction of a microsecond more, so only kernels that do much work per call use it.

Kernels that read lanes of 16, 32 or 64 bits are also called by address. Only they are compiled for each width. Their
callers are compiled once, with sealed lanes (see `references`).
"""

from collections.abc import Sequence
from typing import Any

import numba as nb
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from .references import Reference

N_LINKS = 10
DEPTH_TWO, SWEEP, SIZED_SWEEP, SHRINK, JOINT_PASS, PACK, PLACE, WEIGH, SECOND_ORDERS, SIZED_SCAN = range(N_LINKS)
"""The indices of the kernels in `Scan.links`."""

_NO_JIT = bool(nb.config.DISABLE_JIT)  # numba sets its settings by name

_declared: dict[Any, set[tuple[Any, ...]]] = {}
"""The argument types for which each kernel may be called."""

_readers: set[Any] = set()
"""The kernels that read sealed tuples."""


def by_address(kernel: Any, n_results: int, reads: bool = False) -> Any:
    """A function `call(address, arguments)` that calls a kernel with `n_results` int64 results (0 for none).

    `reads` says that the kernel reads the arrays of sealed tuples.

    Compilation raises `TypingError` if the types of the tuple `arguments` were not declared by `address`: code for
    other types must never be called.
    """
    if _NO_JIT:
        return lambda address, arguments: kernel(*arguments)
    if reads:
        _readers.add(kernel)
    result = types.none if n_results == 0 else types.int64 if n_results == 1 else types.UniTuple(types.int64, n_results)

    def call(typingctx, address, arguments):
        if not isinstance(arguments, types.BaseTuple):
            return None
        kinds = tuple(types.int64 if isinstance(kind, types.Integer) else kind for kind in arguments)
        if kinds not in _declared.get(kernel, ()):
            raise TypingError(kernel.__name__ + " was not declared for " + str(kinds))

        def code(context, builder, signature, values):
            kind = context.call_conv.get_function_type(result, kinds)
            function = builder.inttoptr(values[0], kind.as_pointer())
            given = cgutils.unpack_tuple(builder, values[1])
            status, returned = context.call_conv.call_function(builder, function, result, kinds, given)
            # an error, such as a division by zero, propagates to the caller as in a plain call
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return returned

        return result(types.int64, types.BaseTuple.from_types(kinds)), code

    return intrinsic(call)


def address(kernel: Any, samples: Sequence[Any], needed: bool) -> int:
    """The address of a kernel for arguments of the types of `samples`; 0, without compiling, if it is not `needed`."""
    if _NO_JIT:
        return 0
    kinds = tuple(nb.typeof(sample) for sample in samples)
    _declared.setdefault(kernel, set()).add(kinds)
    if not needed:
        return 0
    if kernel in _readers:
        kinds = tuple(
            Reference.open(sample) if isinstance(kind, Reference) else kind
            for kind, sample in zip(kinds, samples, strict=True)
        )
    kernel.compile(kinds)
    made = kernel.overloads[kinds]
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))
