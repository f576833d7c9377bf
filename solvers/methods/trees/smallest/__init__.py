"""Smallest trees that make no mistake, by exact search."""
