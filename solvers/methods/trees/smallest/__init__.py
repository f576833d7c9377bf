"""Smallest trees without errors, by exact search."""
