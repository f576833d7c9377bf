"""Tests of the methods: the contract that all must pass, agreement of the exact ones, and each one's own."""
