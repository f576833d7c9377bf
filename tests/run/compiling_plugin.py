"""Registers the method with a kernel, in a worker that imports this."""

from solvers.methods import REGISTRY
from tests.run.compiling import ENTRY
from tests.run.fakes import FAKES

REGISTRY["fake-compiled"] = FAKES["fake-compiled"] = ENTRY
