"""Every combination of ConTree's pruning techniques keeps the optimum of depth two."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.data import Task, ranks
from benchmarks.learners import Engine
from benchmarks.reproduction.pruning import TECHNIQUES, prune
from tests.case_count import case_count

EVERY = list(chain.from_iterable(combinations(TECHNIQUES, k) for k in range(4)))


@settings(derandomize=True, deadline=None, max_examples=case_count(25))
@given(seed=st.integers(0, 10**6))
def test_every_technique_keeps_the_optimum(seed: int) -> None:
    """The optimum equals that of the engine, and the number of calls never exceeds the number of split points."""
    rng = np.random.default_rng(seed)
    n, columns, classes = int(rng.integers(6, 40)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    label = np.concatenate((np.arange(classes), rng.integers(0, classes, n - classes))).astype(np.int32)
    task = Task("t", ranks(rng.integers(0, int(rng.integers(2, 15)), (n, columns)).astype(float)), label)
    engine = Engine(task, 2, 1)
    engine.fit(60.0, lambda: 0.0)
    best = engine.outcome().claimed
    for techniques in EVERY:
        found = prune(task, techniques)
        assert found.errors == best
        assert found.calls <= found.points
    if best:
        assert prune(task, ()).calls == found.points, "without any every point is looked at"
