"""Solution methods, about one module per published method, and the registry of their names."""

from .base import Method, Option, Unsupported
from .capabilities import parallel
from .registry import FIRST, REGISTRY, RegistryEntry, get, names
from .search.clock import Clock
