"""Tests of the methods: the common contract, agreement of the exact ones, and tests of each method."""
