"""Tests of what is asked: reading, typing and questions."""
