"""Calls of kernels by address."""

import numba as nb
import numpy as np
import pytest

from solvers.kernels.links import address, by_address


@nb.njit
def divide(values, divisor):
    """The first value by a divisor, which must not be 0."""
    return values[0] // divisor


call_divide = by_address(divide, 1)


@nb.njit
def through_address(link, values, divisor):
    """The same through the address of the kernel."""
    return call_divide(link, (values, divisor)) + 1


def test_an_error_of_a_kernel_called_by_address_is_raised() -> None:
    """Regression: the result was 0, and the caller continued with it."""
    values = np.array([7], np.int64)
    link = address(divide, (values, 2), True)
    assert through_address(link, values, 2) == 4
    with pytest.raises(ZeroDivisionError):
        through_address(link, values, 0)
