"""What the measurement of sweeps by place relies on: so many jobs, and tables that are compared."""

from __future__ import annotations

import pytest

from benchmarks import sweeps
from benchmarks.sweeps import Cost, Sweep
from solvers.sweeps import InProcess, Processes


def test_sweeps_have_as_many_jobs_as_asked_for() -> None:
    """A bootstrap sample a job, of optimal trees and of greedy ones."""
    assert len(sweeps.heavy(3, rows=100).cells) == 3
    assert {cell.job.method for cell in sweeps.light(2).cells} == {"cart"}


def test_tables_are_compared_without_their_times() -> None:
    """Other seconds are the same table; another cost is not."""
    found = sweeps.run(sweeps.light(2), InProcess())
    table = found.table
    assert found.seconds > 0 and 0 <= found.others < 1.5
    assert sweeps.same(table, table.assign(seconds=9.0))
    assert not sweeps.same(table, table.assign(cost=table["cost"] + 1))
    assert not sweeps.same(table, table.head(1))


def test_another_table_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A place whose table differs fails the command, and the line says so."""
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
