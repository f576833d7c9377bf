"""Leaves, fragmentation and truth tables."""
