"""Constraints: their meaning, the rules derived from them, and their notation."""
