"""Settings of the whole suite: the same examples in every run, reproducible failures, no silent skips."""

from __future__ import annotations

import fcntl
import gc
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from solvers.compile_level import compile_cheaply
from tests.case_count import case_count

settings.register_profile(
    "espalier", derandomize=True, deadline=None, print_blob=True, database=None, max_examples=case_count(100)
)
settings.load_profile("espalier")

compile_cheaply()

# without bytecode, each of some hundred subprocesses would compile the sources again: 0.6 s of 1.7 s
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

gc.disable()
"""Off until all tests are collected: none is freed, and looking for garbage would take a third of the time."""

PERMITTED_SKIPS = {
    "Gurobi has no licence here": "the restricted licence of its package expires; HiGHS is tested in its place",
    "PostgreSQL is not installed": "exported SQL is tested with SQLite and DuckDB; CI installs the server",
    "Node is not installed": "only the tests of the JavaScript export need it; CI installs it",
    "MLflow is not installed": "the recipes of docs/tools.md run after the tests, with requirements-tools.txt",
    "a program that only benchmarks need is not installed": "see requirements-bench.txt",
    "no disk can be mounted here": "a small disk needs an administrator's rights, which CI has",
}
"""Permitted reasons for a skipped test if CI is set, and why each is acceptable."""


BROWSER = "tests/browser/"

HURRIED = ("browser", "pages", "explain", "run", "faults")
"""Folders whose tests wait for the engine with a time limit."""


WITHOUT_KERNELS = tuple(
    f"tests/{name}" for name in ("magnitude/test_linear_programs.py", "report/", "diagram/", "hostile/test_names.py")
)
"""Tests that need no kernels."""

OWN_SERVERS = tuple(
    f"{BROWSER}test_{name}.py" for name in ("strangers", "sign_in", "readable", "bedside_page", "hostile_report")
)
"""Browser tests that hardly use the shared dashboard."""

ORDER = (BROWSER, *WITHOUT_KERNELS, "tests/methods/", *OWN_SERVERS)
"""Places whose files start first, in this order: the slowest, so that no worker waits for another at the end, and tests
without the engine before tests that need it."""


def scope_of(nodeid: str) -> str:
    """The unit given to one worker: a file, or all files that use the shared dashboard, which that worker starts."""
    file = nodeid.partition("::")[0]
    return BROWSER if file.startswith(BROWSER) and file not in OWN_SERVERS else file


class DashboardInOneWorker(LoadFileScheduling):
    """Distributes tests by file, and all tests of the shared dashboard to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> DashboardInOneWorker | None:
    """The scheduler for `--dist loadfile`."""
    return DashboardInOneWorker(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_configure(config: pytest.Config) -> None:
    """Distribute files in the order below instead of by their numbers of tests."""
    config.option.loadscopereorder = False


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Turn garbage collection on again, but exclude the tests and modules, which stay."""
    gc.freeze()
    gc.enable()


REPRESENTATIVES = tuple(
    f"{BROWSER}test_{name}"
    for name in (
        "accessibility.py::test_the_screens_of_a_tree",
        "clinician.py",
        "hostile_report.py::test_a_report_runs_nothing",
        "bedside_page.py::test_a_thousand_cases",
    )
)
"""Browser tests of the first tier: two whole journeys, accessibility, and exported files."""

SLOW = (
    BROWSER,
    *(f"tests/study/test_{name}.py" for name in ("executors", "processes", "shared_proof", "without_program")),
    "tests/study/test_folder.py::test_cluster_make",
    "tests/study/test_confirmation.py::test_confirmed_limits_hold",
    *(f"tests/faults/test_{name}.py" for name in ("disks", "sweeps")),
    *(
        f"tests/faults/test_runs.py::test_{name}"
        for name in ("two_dashboards", "memory_limit", "killed_workers", "an_unresponsive")
    ),
    "tests/run/test_fork_server.py::test_a_server",
    "tests/run/test_jobs.py::test_the_first_compilation",
    "tests/study/test_confirmation.py::test_what_was_confirmed_is_reported",
    "tests/study/test_tasks.py::test_no_process_is_left",
    *(f"tests/test_{name}.py" for name in ("deploy", "package", "site")),
    "tests/test_benchmark",
    "tests/test_asserts.py::test_optima",
    "tests/test_cli_recommend.py::test_the_result_as_json",
    "tests/test_cli_sweep.py::test_tables_are_written",
    "tests/test_platforms.py::test_a_run_works",
    *(
        f"tests/estimators/test_{name}"
        for name in (
            "ecosystem.py",
            "documentation.py",
            "constraints.py::test_constraints_are_s",
            "contract.py::test_scikit_learn_accepts_it_with",
            "diagrams.py::test_scikit_learn",
        )
    ),
    "tests/estimators/test_contract.py::test_a_pipeline_is_opened",
    "tests/estimators/test_selection.py::test_groups_stay_whole",
    "tests/certificates/test_optimum_bounds.py::test_a_faulty_checker",
    "tests/constraints/test_matrix.py::test_each_pair",
    "tests/diagram/test_languages.py",
    "tests/report/test_report.py::test_names_of_any_script",
    "tests/hostile/test_limits.py::test_a_cell_of_fifty",
    "tests/hostile/test_limits.py::test_ten_thousand_columns",
    "tests/kernels/test_without_jit.py",
    "tests/kernels/test_code_cache.py::test_another_process",
    "tests/kernels/test_compile_level.py::test_a_host",
    "tests/kernels/test_compile_level.py::test_a_worker_compiles_at_level_1[2",
    "tests/kernels/test_compile_level.py::test_levels_share_one_cache[levels1",
    "tests/magnitude/test_agreement.py::test_a_fault_does_not_return",
    "tests/magnitude/test_linear_programs.py",
    "tests/methods/test_ruled.py",
    *(f"tests/methods/diagrams/test_odd_{name}.py" for name in ("multivariate", "trees")),
    *(f"tests/methods/diagrams/test_odd{name}" for name in (".py::TestAgreement", "_constraints.py::TestWeighted")),
    "tests/methods/test_agreement.py::TestAgainstEnumeration::test_exact_methods_find_the_optimum[cptree-mip",
    "tests/methods/test_imputed_thresholds.py",
    "tests/methods/trees/test_improvement.py",
    "tests/methods/trees/test_cptree.py::TestAgreement::test_parity",
    "tests/methods/trees/test_fronts.py::test_a_bound_that_is_known",
    "tests/methods/trees/test_near.py::test_constraints_are_kept",
    "tests/pages/test_evidence_screen.py::test_a_worker_cross_validates",
    "tests/pages/test_memory.py::test_a_run_that_was_let_go",
    "tests/pages/test_recommendation_screen.py::test_solve_starts_at_once",
    "tests/pages/test_sweep_screen.py::test_unreachable_scheduler",
    "tests/problem/test_problem.py::test_a_depth_of_twenty_over_nine_rows_takes_little_memory[constraints1-odd-search]",
)
"""The second tier, `pytest -m slow`: clusters, the wheel, the site, benchmarks, most of the browser, and
random cases of kinds that the first tier covers with others."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the second tier; sort files by `ORDER`, then by their numbers of tests."""
    for item in items:
        if item.nodeid.startswith(SLOW) and not item.nodeid.startswith(REPRESENTATIVES):
            item.add_marker(pytest.mark.slow)
    sizes = Counter(item.path for item in items)

    def key(item: pytest.Item) -> tuple[int, int, str]:
        scope = scope_of(item.nodeid)
        rank = max((i for i, place in enumerate(ORDER) if scope.startswith(place)), default=len(ORDER))
        return rank, -sizes[item.path], str(item.path)

    items.sort(key=key)


def _engine_under_rules() -> None:
    """As `ConTree.precompile(constraints=True)`, without the engine itself, whose numbers need 32 bits."""
    from solvers.methods.trees.contree import small_tables
    from solvers.methods.trees.coupled.optimum import prepare

    for table in small_tables():
        prepare(table)


def _engine_in_all_widths(priced: bool) -> None:
    """Compile for sums of 16, 32 and 64 bits, with or without prices and a minimum leaf size."""
    from solvers.methods.trees.contree import small_tables
    from solvers.methods.trees.exact_search import as_weighted_rows, tree_search
    from solvers.problem import Objective, Problem, Shape, question_orders

    table = next(small_tables())
    shape, price = Shape(max_depth=3, min_samples_leaf=1 + priced), Objective(split_penalty=0.1 * priced)
    problem = Problem(table, shape, price)
    for bits in (0, 16, 32):
        rows = as_weighted_rows(problem)
        # the search divides the weights by their greatest common divisor
        heavy = replace(rows, weight=(rows.weight << bits) + np.arange(table.n_samples))
        search = tree_search(problem, question_orders(table), heavy, ceiling=heavy.total)
        while not search.advance():
            pass


def _methods(*names: str) -> None:
    from solvers.methods import get

    for name in names:
        get(name).precompile()


KERNELS: dict[str, Callable[[], None]] = {
    "engine": partial(_methods, "contree"),
    "diagrams": partial(_methods, "odd-search"),
    "all widths": partial(_engine_in_all_widths, False),
    "all widths, prices": partial(_engine_in_all_widths, True),
    "BDDs": partial(_methods, "bdd-search", "smallest-tree"),
    "rules": _engine_under_rules,
}
"""Half a minute of compilation on a new machine, in parts with little in common: the part for the hurried tests first,
the shortest last."""


@cache
def compiled(*names: str) -> None:
    """Compile what no other test process compiles, then wait for the rest, which is then loaded from the cache."""
    todo = list(names)
    for waiting in (fcntl.LOCK_NB, 0):
        for name in tuple(todo):
            place = Path(tempfile.gettempdir()) / f"espalier-tests-{os.getuid()}-{name}.lock"
            with suppress(BlockingIOError), place.open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | waiting)
                todo.remove(name)
                KERNELS[name]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the workers compile the kernels together, before the first test that needs them."""
    together = bool(os.environ.get("PYTEST_XDIST_WORKER"))
    if set(HURRIED) & set(item.path.parts) or (together and not item.nodeid.startswith(WITHOUT_KERNELS)):
        compiled(*(KERNELS if together else ("engine", "rules")))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in CI that skipped a test without a permitted reason."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("CI") or reporter is None:
        return
    reasons = [str(report.longrepr[2]).removeprefix("Skipped: ") for report in reporter.stats.get("skipped", ())]
    silent = [reason for reason in reasons if reason not in PERMITTED_SKIPS]
    if silent:
        reporter.write_line(f"skipped without a permitted reason: {'; '.join(sorted(set(silent)))}", red=True)
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
