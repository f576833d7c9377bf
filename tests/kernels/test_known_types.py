"""What is remembered of operators is what numba says when it is asked anew."""

from __future__ import annotations

import operator
from itertools import product

import pytest
from numba import types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target

from solvers.kernels import known_types

GIVEN = (
    *(types.int64, types.int32, types.uint32, types.float64, types.boolean, types.literal(2)),
    *(types.int64[::1], types.float64[:, ::1], types.UniTuple(types.int64, 2), types.unicode_type),
)
OPERATORS = (operator.add, operator.mul, operator.floordiv, operator.lt, operator.eq, operator.and_, operator.getitem)


def answer(ask, function, pair):
    """The signature and the key of its code, or that there is none."""
    try:
        signature = ask(function, cpu_target.typing_context, pair, {})
    except TypingError:
        return "none"
    return signature, function.get_impl_key(signature)


@pytest.mark.parametrize("asked", OPERATORS)
def test_known_types_are_those_that_numba_finds(asked) -> None:
    """For all pairs of types, the first time and the next."""
    cpu_target.typing_context.refresh()
    function = cpu_target.typing_context.resolve_value_type(asked)
    answers = set()
    for pair in product(GIVEN, GIVEN):
        found = answer(known_types._ask, function, pair)
        for _ in range(2):
            assert answer(known_types._get_call_type, function, pair) == found
        answers.add(found)
    assert len(answers) > 1 and type(function).get_call_type is known_types._get_call_type
