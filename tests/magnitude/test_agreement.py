"""No claim is false at any magnitude: optima, bounds, infeasibility, fewest questions, counts, prices, conflicts.

`ESPALIER_CASES` sets how many cases there are in all; case k of a family is the same in every run, whatever the number.
Each runs in a process of its own, so that a crash is a fault of a case and not the end of the tests.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.case_count import case_count
from tests.magnitude.cases import SHARES, n_cases
from tests.magnitude.conftest import PROPERTY
from tests.magnitude.isolated import Worker

CASES = case_count(300, fewest=300)
"""The number of cases; `ESPALIER_CASES=20000` is what a release is tried with."""

SHOWN = 3
"""Wrong cases that are told in full."""


@pytest.mark.parametrize("family", SHARES)
def test_no_claim_is_false(family: str, worker: Worker, record_property: pytest.FixtureRequest) -> None:
    """What is claimed is what the oracle finds by trying everything, in exact fractions of the user's decimals.

    OPTIMAL means the least cost there is, no bound is above it, INFEASIBLE means that there is no model, 'fewest
    splits' that there is none with fewer; costs are those of the model, every constraint holds, the verifier agrees,
    and nothing ends in an exception or a crash.
    """
    reports = [worker.report(family, k) for k in range(n_cases(family, CASES))]
    ended = Counter((report.magnitude, report.status) for report in reports)
    record_property(PROPERTY, [[family, *key, n] for key, n in ended.items()])
    wrong = [(k, report) for k, report in enumerate(reports) if report.faults]
    messages = [f"case {k} of '{family}': " + "\n".join(r.faults) + f"\n\n{r.code}\n" for k, r in wrong[:SHOWN]]
    assert not wrong, f"{len(wrong)} of {len(reports)} cases are wrong: {[k for k, _ in wrong]}\n" + "\n".join(messages)
