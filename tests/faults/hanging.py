"""Jobs of sweeps whose methods are fake: they go on until they are stopped, or heed neither that nor their limit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module

import pandas as pd

from solvers.problem import Limits
from solvers.sweeps import SweepJob
from solvers.sweeps.folder import SweepPlan
from solvers.sweeps.study import PlannedJob
from tests.faults.counting import Toll
from tests.sweeps.test_folder import lasting, plan

AT = 3
"""Which job of the sweep hangs, from 0."""


class _Known(dict):
    """No options, but ones that bring the fake methods along to each process that reads them."""

    def __reduce__(self) -> tuple:
        return _with_fakes, ()


def _with_fakes() -> _Known:
    """The same in a process that knows the fake methods from now on; this one needs them not."""
    import_module("tests.run.plugin")
    return _Known()


def faked(job: SweepJob, kind: str = "deaf", seconds: float = 1.0) -> SweepJob:
    """The same job for a fake method: `deaf` hangs, `patient` goes on until it is told to stop."""
    return replace(job, method=f"fake-{kind}", options=_Known(), limits=Limits(seconds=seconds))


@dataclass(frozen=True)
class _StuckPlan(SweepPlan):
    """A plan one of whose jobs hangs."""

    @cached_property
    def cells(self) -> tuple[PlannedJob, ...]:
        """The jobs, in the order of the table."""
        cells = list(super().cells)
        cells[AT] = cells[AT]._replace(job=faked(cells[AT].job))
        return tuple(cells)


def stuck_plan() -> SweepPlan:
    """The plan of the other tests, with a job that hangs."""
    sound = plan()
    return _StuckPlan(sound.problem, sound.study, limits=sound.limits)


def compare_but_stuck(toll: Toll, table: pd.DataFrame, whole: pd.DataFrame) -> None:
    """Count the lines that differ from those of the sweep that nothing befell; that of the job that hangs must."""
    stuck = whole["key"][AT]
    toll.lose(len(set(whole["key"]) - set(table["key"])))
    assert table["key"][table["error"].notna()].tolist() == [stuck]
    assert "did not answer" in table["error"][AT]
    others = [lasting(found[found["key"] != stuck]).reset_index(drop=True) for found in (table, whole)]
    # a column of whole numbers becomes one of fractions where one of them is missing
    toll.err(not others[0].astype(others[1].dtypes).equals(others[1]))
