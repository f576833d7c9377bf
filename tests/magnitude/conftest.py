"""One worker process for all tests, restarted if a case crashes it, and a summary of the run: cases by method and
magnitude, and their results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor

import pytest
from joblib.externals.loky import ProcessPoolExecutor

from tests.magnitude.cases import Report, made, reported, snippet

PROPERTY = "magnitudes"
"""The property in which a test reports its cases: [family, magnitude, status, number] each."""

COLUMNS = ("1e3", "1e5", "1e6", "1e7", "1e8", "2^31 - 1")


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    """A process that runs cases."""
    process = Worker()
    yield process
    process.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Sum up the reports of the tests, also from other processes."""
    reports = [r for group in terminalreporter.stats.values() for r in group if isinstance(r, pytest.TestReport)]
    counted: Counter[tuple[str, str, str]] = Counter()
    for report in reports:
        for name, value in report.user_properties if report.when == "call" else ():
            if name == PROPERTY:
                counted.update({(family, size, status): n for family, size, status, n in value})
    if not counted:
        return
    lines = [("cases by magnitude", *COLUMNS, "ends")]
    for family in dict.fromkeys(family for family, _, _ in counted):
        own = {key: n for key, n in counted.items() if key[0] == family}
        sizes = [sum(n for (_, size, _), n in own.items() if size == column) for column in COLUMNS]
        ends: Counter[str] = Counter()
        for (_, size, status), n in own.items():
            ends[status if size in COLUMNS else f"{size} weights {status}"] += n
        lines.append((family, *map(str, sizes), ", ".join(f"{end} {n}" for end, n in sorted(ends.items()))))
    lines.append(("altogether", str(counted.total())))
    for name, *cells in lines:
        terminalreporter.write_line(
            f"{name:<24}" + "".join(f"{cell:>10}" for cell in cells[:6]) + "  " + "".join(cells[6:])
        )


PATIENCE = 1200.0
"""Seconds after which a case without a result is killed; its own limit is far lower, but excludes compilation."""


class Worker:
    """A process that runs one case after the other."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def report(self, family: str, k: int) -> Report:
        """Run case k of a family in the process."""
        self._pool = self._pool or ProcessPoolExecutor(1)
        try:
            return self._pool.submit(reported, family, k).result(PATIENCE)
        except (BrokenExecutor, TimeoutError) as error:
            self.close()
            faults = [f"the process ended, or gave no answer within {PATIENCE:g} s: {error}"]
        if family in ("estimators", "fits"):
            return Report(family, "", "crash", faults)
        case, size = made(family, k)
        return Report(family, size, "crash", faults, snippet(case.problem, case.method, case.options))

    def close(self) -> None:
        """End the process."""
        if self._pool is not None:
            self._pool.shutdown(kill_workers=True)
            self._pool = None
