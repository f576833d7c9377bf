"""Jobs of sweeps with fake methods: they run until they are stopped, or ignore both a stop and their limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module

import pandas as pd

from solvers.problem import Limits
from solvers.study import SweepJob
from solvers.study.study import PlannedJob, StudyPlan
from tests.study.test_folder import lasting, plan

AT = 3
"""The number of the job that hangs, from 0."""


class _Known(dict):
    """No options, but each process that unpickles them imports the fake methods."""

    def __reduce__(self) -> tuple:
        return _with_fakes, ()


def _with_fakes() -> _Known:
    """The same in a process that now knows the fake methods; this one does not need them."""
    import_module("tests.run.plugin")
    return _Known()


def faked(job: SweepJob, kind: str = "deaf", seconds: float = 1.0) -> SweepJob:
    """The same job for a fake method: `deaf` hangs, `patient` runs until it is stopped."""
    return replace(job, method=f"fake-{kind}", options=_Known(), limits=Limits(seconds=seconds))


@dataclass(frozen=True)
class _StuckPlan(StudyPlan):
    """A plan in which one job hangs."""

    def jobs(self) -> Iterator[PlannedJob]:
        """The jobs, in the order of the table."""
        for at, cell in enumerate(super().jobs()):
            yield cell._replace(job=faked(cell.job)) if at == AT else cell


def stuck_plan() -> StudyPlan:
    """The plan of the other tests, with one job that hangs."""
    sound = plan()
    return _StuckPlan(sound.problem, sound.study)


def compare_but_stuck(table: pd.DataFrame, whole: pd.DataFrame) -> None:
    """Count lines that differ from an undisturbed sweep; the line of the hanging job must differ."""
    stuck = whole["key"][AT]
    assert set(whole["key"]) <= set(table["key"])
    assert table["key"][table["error"].notna()].tolist() == [stuck]
    assert "did not respond" in table["error"][AT]
    others = [lasting(found[found["key"] != stuck]).reset_index(drop=True) for found in (table, whole)]
    # a column of integers becomes one of floats if one of them is missing
    assert others[0].astype(others[1].dtypes).equals(others[1])
