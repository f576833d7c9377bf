"""The kernels as plain Python: on machines without compilation, and as an oracle of the compiled code.

Also the switches with which measurements disable techniques of the search, read when kernels are imported.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.reproduction.techniques import LEFT_OUT
from solvers.kernels.code_cache import stamp
from tests.case_count import case_count

ROOT = Path(__file__).resolve().parents[2]

CHOSEN = (
    "test_tree_search.py::test_optimum_equals_the_oracle[0]",
    "test_tree_search.py::test_optimum_equals_the_oracle[1]",
    "test_tree_search.py::test_stop_keeps_incumbent_and_bound[ParallelTreeSearch-threads1-0]",
    "test_path_rules.py::test_path_rules_are_exact[0]",
)


def in_a_process(*arguments: str, **variables: str) -> str:
    """The output of Python in a process without compilation."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", **variables},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    return done.stdout


def test_kernels_are_exact_without_compilation():
    """Some of the random cases agree with enumeration, too, if the kernels run as plain Python."""
    cases = [f"tests/kernels/{case}" for case in CHOSEN]
    assert f"{len(CHOSEN)} passed" in in_a_process("-m", "pytest", "-q", "-p", "no:cacheprovider", *cases)


@cache
def optima(without: str) -> np.ndarray:
    """Cost, bound and scanned elements of random searches without some techniques, int64 (n, 3)."""
    count = str(case_count(60, fewest=20))
    return np.array(json.loads(in_a_process("-m", "tests.kernels.optima", count, ESPALIER_WITHOUT=without)))


@pytest.mark.parametrize("without", [*filter(None, LEFT_OUT), "ends,roots,ceilings,lanes,depth-two"])
def test_the_search_is_exact_without_any_of_its_techniques(without: str) -> None:
    """Without a technique the search proves the same optima with other work."""
    (cost, bound, scanned), (other, proved, looked_at) = optima("").T, optima(without).T
    assert np.array_equal(cost, bound)
    assert np.array_equal(other, cost) and np.array_equal(proved, bound)
    assert (looked_at != scanned).any(), "the switch changes nothing"


def test_a_search_without_a_technique_has_its_own_machine_code() -> None:
    """Each combination of techniques has its own cache."""
    line = "from solvers.kernels.code_cache import stamp; print(stamp('search'))"
    stamps = {in_a_process("-c", line, ESPALIER_WITHOUT=without) for without in ("", "ends", "roots")}
    assert len(stamps) == 3 and f"{stamp('search')}\n" in stamps
