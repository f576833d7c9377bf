"""Settings of the whole suite: the same examples in every run, failures that can be repeated, no silent skips."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from solvers.compile_level import compile_cheaply
from tests.case_count import case_count
from tests.faults.counting import pytest_terminal_summary, toll  # noqa: F401 - a hook and a fixture of all tests

settings.register_profile(
    "espalier", derandomize=True, deadline=None, print_blob=True, database=None, max_examples=case_count(100)
)
settings.load_profile("espalier")

compile_cheaply()

PERMITTED_SKIPS = {
    "Gurobi has no licence here": "the restricted licence of its package expires; HiGHS is tested in its place",
    "PostgreSQL is not installed": "an index in SQLite is tested in its place; CI installs the server",
    "pycontree is not installed": "a peer that only benchmarks need (requirements-bench.txt)",
    "no disk can be mounted here": "a small disk needs an administrator's rights, which CI has",
    "pystreed is not installed": "a peer that only benchmarks need (requirements-bench.txt)",
}
"""Reasons for which a test may be skipped where CI is set, and why that is all right."""


HURRIED = ("browser", "pages", "explain", "run", "faults")
"""The folders whose tests wait for the engine for a limited time."""


LONGEST = (
    "browser/test_accessibility.py",
    "magnitude/test_linear_programs.py",
)
"""Files that take longest, which are begun first, so that in the end no worker waits long for another one."""


def pytest_configure(config: pytest.Config) -> None:
    """Have files given to workers in the order below, not by their numbers of tests alone."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first, then those with many tests; within a file nothing changes."""
    sizes = Counter(item.path for item in items)
    here = Path(__file__).parent
    ranks = {here / name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (ranks.get(item.path, len(ranks)), -sizes[item.path], str(item.path)))


@cache
def compile_engine() -> None:
    """Compile the engine, or wait while another process of the tests does; then it is loaded from the cache."""
    from solvers.methods import get

    with (Path(tempfile.gettempdir()) / f"espalier-tests-{os.getuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        get("contree").warm(constraints=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Have the engine compiled before the first test that cannot wait for it; the others do not wait."""
    if set(HURRIED) & set(item.path.parts):
        compile_engine()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in CI that skipped a test for a reason that is not permitted."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("CI") or reporter is None:
        return
    reasons = [str(report.longrepr[2]).removeprefix("Skipped: ") for report in reporter.stats.get("skipped", ())]
    silent = [reason for reason in reasons if reason not in PERMITTED_SKIPS]
    if silent:
        reporter.write_line(f"skipped without a permitted reason: {'; '.join(sorted(set(silent)))}", red=True)
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
