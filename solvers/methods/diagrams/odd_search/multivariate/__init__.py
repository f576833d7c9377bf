"""Diagrams whose questions combine columns: a local search along lines, and proofs by the number of questions."""
