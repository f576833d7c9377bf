"""No claim is false at any magnitude: optima, bounds, infeasibility, fewest splits, counts, prices, conflicts.

`ESPALIER_CASES` sets the total number of cases; case k of a family is the same in every run, whatever the number, and
`tests.magnitude.cases.made` makes it again.
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


@pytest.mark.parametrize("family", SHARES)
def test_no_claim_is_false(family: str, worker: Worker) -> None:
    """All claims agree with exhaustive search in exact fractions of the user's decimals.

    OPTIMAL means the least cost, no bound is above it, INFEASIBLE means that there is no model, 'fewest splits' that
    there is none with fewer; costs are those of the model, every constraint holds, the verifier agrees, and nothing
    ends in an exception or a crash.
    """
    wrong = {k: faults for k in range(n_cases(family, CASES)) if (faults := worker.faults_of(family, k))}
    assert not wrong, "\n".join(f"made({family!r}, {k}): {faults}" for k, faults in wrong.items())


FAULTS = {"regressions": list(regressions.REGRESSIONS), "fits": list(estimators.REGRESSIONS)}


@pytest.mark.parametrize(("family", "fault"), [(family, fault) for family, names in FAULTS.items() for fault in names])
def test_a_fault_does_not_return(family: str, fault: str, worker: Worker) -> None:
    """The case ends with a result whose claims are all true."""
    assert not worker.faults_of(family, FAULTS[family].index(fault))
