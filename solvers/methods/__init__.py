"""How it is solved: one module a method of the literature, and the registry of their names."""

from solvers.methods.base import Clock, Method, Unsupported
from solvers.methods.registry import REGISTRY, Entry, get, names

__all__ = ["REGISTRY", "Clock", "Entry", "Method", "Unsupported", "get", "names"]
