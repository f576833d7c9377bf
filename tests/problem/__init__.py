"""Tests of problems: reading, typing and splits."""
