"""Diagrams whose questions combine columns: a local search along lines, and proofs by the number of questions."""

from solvers.methods.diagrams.odd_search.multivariate.run import run, unsupported, warm

__all__ = ["run", "unsupported", "warm"]
