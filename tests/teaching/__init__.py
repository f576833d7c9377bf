"""Tests of the library for lessons."""
