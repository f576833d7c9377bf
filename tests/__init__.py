"""Shared pieces of the test suite."""
