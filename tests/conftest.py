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
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

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


BROWSER = "tests/browser/"

HURRIED = ("browser", "pages", "explain", "run", "faults")
"""The folders whose tests wait for the engine for a limited time."""


ENGINE, OTHERS = "contree", ("smallest-tree", "bdd-search", "odd-search")
"""The methods whose kernels take minutes to compile on a new machine; the others need those of the engine, too."""

WITHOUT_KERNELS = tuple(
    f"tests/{name}" for name in ("magnitude/test_linear_programs.py", "report/", "diagram/", "hostile/test_names.py")
)
"""What the others are busy with while one worker compiles the engine."""

OWN_SERVERS = tuple(f"{BROWSER}test_{name}.py" for name in ("deployment", "sign_in", "bedside_page", "hostile_report"))
"""Tests in a browser that do not look at the dashboard of the others."""

ORDER = (BROWSER, *WITHOUT_KERNELS, "tests/methods/", *OWN_SERVERS)
"""What is begun first: what takes longest, so that in the end no worker waits for another one, and what needs no engine
before what needs it."""


def scope_of(nodeid: str) -> str:
    """What is given to one worker: a file, or all files whose tests look at the dashboard, which that worker starts."""
    file = nodeid.partition("::")[0]
    return BROWSER if file.startswith(BROWSER) and file not in OWN_SERVERS else file


class DashboardInOneWorker(LoadFileScheduling):
    """Gives out tests by their files, and those that look at the dashboard together."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> DashboardInOneWorker | None:
    """The scheduler for `--dist loadfile`."""
    return DashboardInOneWorker(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_configure(config: pytest.Config) -> None:
    """Have files given to workers in the order below, not by their numbers of tests alone."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files in the order above, then those with many tests first; within a file nothing changes."""
    sizes = Counter(item.path for item in items)

    def key(item: pytest.Item) -> tuple[int, int, str]:
        scope = scope_of(item.nodeid)
        rank = max((i for i, place in enumerate(ORDER) if scope.startswith(place)), default=len(ORDER))
        return rank, -sizes[item.path], str(item.path)

    items.sort(key=key)


@cache
def compiled(method: str) -> None:
    """Compile a method's kernels, or wait while another process of the tests does; then they come from the cache."""
    from solvers.methods import get

    with (Path(tempfile.gettempdir()) / f"espalier-tests-{os.getuid()}-{method}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        get(method).warm(constraints=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Have the kernels compiled in one worker, and for all, before the first test that needs them."""
    if set(HURRIED) & set(item.path.parts):
        compiled(ENGINE)
    elif os.environ.get("PYTEST_XDIST_WORKER") and not item.nodeid.startswith(WITHOUT_KERNELS):
        for method in (ENGINE, *OTHERS):
            compiled(method)


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
