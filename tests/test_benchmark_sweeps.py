"""Parts of the benchmark of sweeps: numbers of jobs, and the comparison of tables."""

from __future__ import annotations

import pytest

from benchmarks import sweeps
from benchmarks.sweeps import Cost, Sweep
from solvers.study import InProcess, Processes


def test_sweeps_have_the_requested_number_of_jobs() -> None:
    """One bootstrap sample per job, for optimal and for greedy trees."""
    assert len(sweeps.heavy(3, rows=100).cells) == 3
    assert {cell.job.method for cell in sweeps.light(2).cells} == {"cart"}


def test_tables_are_compared_without_their_times() -> None:
    """Tables that differ only in seconds are equal; a different cost makes them different."""
    found = sweeps.run(sweeps.light(2), InProcess())
    table = found.table
    assert found.seconds > 0 and 0 <= found.others < 1.5
    assert sweeps.same(table, table.assign(seconds=9.0))
    assert not sweeps.same(table, table.assign(cost=table["cost"] + 1))
    assert not sweeps.same(table, table.head(1))


def test_a_different_table_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a place returns a different table, the command fails and its line says so."""
    table = sweeps.run(sweeps.light(2), InProcess()).table

    def cost(place: object, *_: object) -> Cost:
        return Cost(0.5, Sweep(4.0 if place == InProcess() else 2.0, table.assign(cost=place == Processes(2))), 0.01)

    class NoCluster:
        def __enter__(self) -> sweeps.DaskCluster:
            return sweeps.DaskCluster("tcp://nowhere", ())

        def __exit__(self, *_: object) -> None:
            return None

    monkeypatch.setattr(sweeps, "cost", cost)
    monkeypatch.setattr(sweeps, "dask_cluster", lambda count: NoCluster())
    monkeypatch.setattr(sweeps, "all_there", lambda count, address: address)
    monkeypatch.setattr(sweeps, "with_a_loss", lambda *_: Sweep(3.0, table.assign(cost=False)))
    found = sweeps.measure(2, (1, 2), progress=lambda line: None)
    assert found.faults == ("processes, 2 workers: another table",)
    (found_table,) = found.tables
    assert [(row[0], row[4], row[7]) for row in found_table.rows] == [
        ("this process", "1.0", "yes"),
        ("processes", "2.0", "yes"),
        ("Dask cluster", "2.0", "yes"),
        ("processes", "2.0", "NO"),
        ("Dask cluster", "2.0", "yes"),
        ("Dask cluster, one killed", "1.3", "yes"),
    ]
