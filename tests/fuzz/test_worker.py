"""Constraints and sizes of every kind in a real worker: each run ends, with a correct result or a sentence."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers.constraints import from_json
from solvers.errors import EspalierError
from solvers.metrics import verify
from solvers.problem import Limits, Problem, Shape
from solvers.run import WorkerPool, load_run
from solvers.run.record import JobState
from tests.fuzz.commands import TARGETS, constraints, write_tables
from tests.fuzz.contract import CASES, PATIENCE, is_said_in_sentences

RUNS = max(4, CASES // 250)
METHODS = ("contree", "contree", "cart", "no such")


def test_every_run_of_a_worker_ends(tmp_path):
    """A run finishes, or fails with a sentence, and its folder has the same."""
    datasets = write_tables(tmp_path)
    ends: Counter[str] = Counter()

    with WorkerPool(tmp_path / "runs", max_running=1) as pool:

        @given(
            st.sampled_from(sorted(TARGETS)).flatmap(
                lambda name: st.tuples(st.just(name), st.lists(constraints(datasets[name]), max_size=2))
            ),
            st.sampled_from(METHODS),
            st.sampled_from((0, 1, 2, 3, 21)),
        )
        @settings(max_examples=RUNS, suppress_health_check=list(HealthCheck))
        def each(drawn: tuple[str, list[Any]], method: str, depth: int) -> None:
            name, found = drawn
            try:
                constraints = tuple(from_json(constraint) for constraint in found)
                problem = Problem(datasets[name], Shape(max_depth=depth), constraints=constraints)
                job = pool.submit(problem, method, Limits(seconds=1.0))
            except EspalierError as error:
                assert is_said_in_sentences(str(error)), str(error)
                ends["refused"] += 1
                return
            shot = job.wait(PATIENCE)
            ends[shot.state] += 1
            assert shot.state.terminal, shot.text
            if shot.state is JobState.FAILED:
                assert is_said_in_sentences(shot.error), shot.error
            elif shot.solution.diagram is not None:
                assert shot.solution.verified and verify(problem, shot.solution).ok
            assert load_run(job.folder).snapshot().state is shot.state

        each()
    assert ends[JobState.FINISHED], ends
