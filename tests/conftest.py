"""Settings of the whole suite: examples are the same in every run, and a failure prints how to repeat it."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("espalier", derandomize=True, deadline=None, print_blob=True, database=None)
settings.load_profile("espalier")
