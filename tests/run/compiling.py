"""A method with a kernel, for the tests of the first compilation; `compiling_plugin` registers it."""

from __future__ import annotations

import numba
import numpy as np

from solvers.methods import RegistryEntry
from tests.run.fakes import Fake

ENTRY = RegistryEntry("tests.run.compiling:Compiled", ("numba",))


@numba.njit(cache=True)
def _total(values: np.ndarray) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


class Compiled(Fake):
    """Compiles a kernel to warm up."""

    def precompile(self, constraints: bool = False) -> None:
        _total(np.ones(3))
