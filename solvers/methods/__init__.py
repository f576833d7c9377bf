"""How it is solved: one module a method of the literature, and the registry of their names."""

from solvers.methods.abilities import parallel
from solvers.methods.base import Method, Option, Unsupported
from solvers.methods.registry import FIRST, REGISTRY, RegistryEntry, get, names
from solvers.methods.search.clock import Clock
