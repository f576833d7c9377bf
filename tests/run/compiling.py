"""A method with a kernel, for the test that the first compilation is announced."""

from __future__ import annotations

import numba
import numpy as np

from solvers.methods import REGISTRY, RegistryEntry
from tests.run.fakes import FAKES, Fake

ENTRY = RegistryEntry("tests.run.compiling:Compiled", ("numba",))


@numba.njit(cache=True)
def _total(values: np.ndarray) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


class Compiled(Fake):
    """Compiles a kernel to warm up."""

    def warm(self, constraints: bool = False) -> None:
        _total(np.ones(3))


REGISTRY["fake-compiled"] = FAKES["fake-compiled"] = ENTRY
