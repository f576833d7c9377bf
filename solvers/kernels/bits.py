"""The number of set bits of a word."""

from typing import Any

import numba as nb
from llvmlite import ir
from numba.extending import intrinsic


def _popcount_of(word: int) -> int:
    """`popcount` if numba's compilation is disabled."""
    return int(word).bit_count()


@intrinsic
def _popcount(typingctx: Any, word: Any) -> Any:
    """The number of set bits of a 64-bit word, int32: one instruction if the processor has it."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.trunc(builder.ctpop(arguments[0]), ir.IntType(32))

    return nb.types.int32(nb.types.uint64), codegen


popcount: Any = _popcount_of if nb.config.DISABLE_JIT else _popcount  # type: ignore[attr-defined]
