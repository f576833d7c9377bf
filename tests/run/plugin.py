"""Adds the fake methods to the registry; workers import it with `--import tests.run.plugin`."""

from solvers.methods import REGISTRY
from tests.run.fakes import FAKES

REGISTRY.update(FAKES)
