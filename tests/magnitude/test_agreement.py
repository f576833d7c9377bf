"""No claim is false at any magnitude: optima, bounds, infeasibility, fewest splits, counts, prices, conflicts.

`ESPALIER_CASES` sets the total number of cases; case k of a family is the same in every run, whatever the number.
The cases run in a separate process, so that a crash is a fault of a case and does not end the tests.
"""

from __future__ import annotations

import pytest

from tests.case_count import case_count
from tests.magnitude import estimators, regressions
from tests.magnitude.cases import SHARES, n_cases
from tests.magnitude.conftest import Worker

CASES = case_count(300, fewest=300)
"""The number of cases; releases are tested with `ESPALIER_CASES=20000`."""

SHOWN = 3
"""The maximum number of wrong cases that are reported in full."""


@pytest.mark.parametrize("family", SHARES)
def test_no_claim_is_false(family: str, worker: Worker) -> None:
    """All claims agree with exhaustive search in exact fractions of the user's decimals.

    OPTIMAL means the least cost, no bound is above it, INFEASIBLE means that there is no model, 'fewest splits' that
    there is none with fewer; costs are those of the model, every constraint holds, the verifier agrees, and nothing
    ends in an exception or a crash.
    """
    reports = [worker.report(family, k) for k in range(n_cases(family, CASES))]
    wrong = [(k, report) for k, report in enumerate(reports) if report.faults]
    messages = [f"case {k} of '{family}': " + "\n".join(r.faults) + f"\n\n{r.code}\n" for k, r in wrong[:SHOWN]]
    assert not wrong, f"{len(wrong)} of {len(reports)} cases are wrong: {[k for k, _ in wrong]}\n" + "\n".join(messages)


FAULTS = {"regressions": list(regressions.REGRESSIONS), "fits": list(estimators.REGRESSIONS)}


@pytest.mark.parametrize(("family", "fault"), [(family, fault) for family, names in FAULTS.items() for fault in names])
def test_a_fault_does_not_return(family: str, fault: str, worker: Worker) -> None:
    """The case ends with a result whose claims are all true."""
    report = worker.report(family, FAULTS[family].index(fault))
    assert not report.faults, "\n".join([*report.faults, report.code])
