"""Tests of the sentences about results."""
