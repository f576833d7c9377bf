"""Diagrams with multivariate splits: a local search along lines, and proofs by the number of splits."""
