"""How it is solved: one module a method of the literature, and the registry of their names."""

from .abilities import parallel
from .base import Method, Option, Unsupported
from .registry import FIRST, REGISTRY, RegistryEntry, get, names
from .search.clock import Clock
