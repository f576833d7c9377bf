"""The kernels as plain Python: on machines where numba compiles nothing, and as an oracle of what it compiles."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CHOSEN = (
    "test_tree_search.py::test_optimum_equals_the_oracle[0]",
    "test_tree_search.py::test_limits_on_leaves_and_costs_of_splits_are_exact[0]",
    "test_tree_search.py::test_minimum_leaf_size_is_exact[0]",
    "test_tree_search.py::test_class_costs_are_exact[0]",
    "test_tree_search.py::test_threads_stop_with_what_they_have",
    "test_path_rules.py::test_path_rules_are_exact[0]",
)


def test_kernels_are_exact_without_compilation():
    """A part of the random cases agrees with trying everything, too, when the kernels run as they are written."""
    cases = [f"tests/kernels/{case}" for case in CHOSEN]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *cases]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert f"{len(CHOSEN)} passed" in done.stdout
