"""Faults of the past, by name; in a separate process, since some of them crashed it."""

from __future__ import annotations

import pytest

from tests.magnitude import estimators, regressions
from tests.magnitude.isolated import Worker

FAULTS = {"regressions": list(regressions.REGRESSIONS), "fits": list(estimators.REGRESSIONS)}


@pytest.mark.parametrize(("family", "fault"), [(family, fault) for family, names in FAULTS.items() for fault in names])
def test_a_fault_does_not_return(family: str, fault: str, worker: Worker) -> None:
    """The case ends with a result whose claims are all true."""
    report = worker.report(family, FAULTS[family].index(fault))
    assert not report.faults, "\n".join([*report.faults, report.code])
