"""Tests of the classroom's library."""
