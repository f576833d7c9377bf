"""The load benchmark summarises and judges what its visitors record. No test measures speed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import load
from benchmarks.cli import Findings
from benchmarks.load import Plan, Result
from benchmarks.visitor import Click, Diary
from benchmarks.watching import Processors, Sample, Watch, growth

PLAN = Plan(sessions=2, lasts=1800.0, think=7.5, tables=None, seed=1)


def sample(at: float, server_mb: float) -> Sample:
    """A sample of resources at one time."""
    return Sample(at, server_mb, 300.0, 1, 12, 3, 2)


def found(seconds: Sequence[float], errors: Sequence[str] = (), samples: Sequence[Sample] = ()) -> Findings:
    """The findings for clicks on nodes of these durations."""
    clicks = [Click("a node", 0.0, one) for one in seconds]
    diary = Diary(clicks, [3.0], list(errors), 2)
    return load.findings(PLAN, Result(diary, list(samples), Processors(10.0, 20.0, 30.0), 100.0))


def cells(findings: Findings) -> dict[str, tuple[str, ...]]:
    """All rows of all tables, by their first cell."""
    return {row[0]: row[1:] for table in findings.tables for row in table.rows}


def test_a_line_for_each_kind_of_click() -> None:
    """Count, median, 90th percentile and maximum, also for all clicks together."""
    rows = cells(found([0.1, 0.3, 0.2, 1.2, 0.4]))
    assert rows["a node"] == ("5", "0.30", "0.88", "1.2")
    assert rows["**all**"] == rows["a node"]
    assert rows["from Solve to the proved tree, with the queue"] == ("1", "3.0", "3.0", "3.0")


@pytest.mark.parametrize(
    ("seconds", "errors", "faults"),
    [
        ([0.1, 1.9, 9.0], [], []),
        ([0.1, 2.1, 9.0], [], ["The median click took 2.10 s, more than 2 s"]),
        ([0.1], ["a: lost", "b: lost", "a: 404 of x"], ["3 errors", "2 times lost", "1 times 404 of x"]),
        ([], [], ["No click was answered"]),
    ],
)
def test_faults_of_a_measurement(seconds: list[float], errors: list[str], faults: list[str]) -> None:
    """Any error, or a median above two seconds, is a fault."""
    assert list(found(seconds, errors).faults) == faults


def test_growth_is_the_slope_after_the_start() -> None:
    """Growth while caches fill is ignored; the rest is reported per session and hour."""
    samples = [sample(10.0 * i, 100 + i if i < 30 else 200 + i / 6) for i in range(181)]
    line = growth(samples, 300.0)
    assert (line.mb_an_hour, line.first_mb, line.last_mb) == pytest.approx((60.0, 205.0, 230.0), abs=1e-6)
    assert line.share == pytest.approx(25 / 205)
    assert growth(samples[:32], 300.0) is None
    rows = cells(found([0.1], samples=samples))
    assert rows["growth, MiB a session and hour"] == ("+30.0",)
    assert rows["dashboard after the start, MiB"] == ("205 to 230 (+12.2%)",)


def test_processor_time_is_reported_in_cores() -> None:
    """Dashboard, workers and browsers share the machine: processor time of each over the total time."""
    rows = cells(found([0.1]))
    assert [rows[f"cores in use by {name}"] for name in ("the dashboard", "its workers")] == [("0.10",), ("0.20",)]
    assert rows["cores in use by Chromium and what drives it"] == ("0.30",)


def test_the_watch_separates_a_process_from_its_children(tmp_path: Path) -> None:
    """Memory and threads are those of the process, workers are its children, and this process is counted separately."""
    script = (
        "import subprocess, sys; p = subprocess.Popen(['sleep', '60']); print(p.pid, flush=True); input(); p.kill()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    (tmp_path / "a-run").mkdir()
    (tmp_path / "a-file").touch()
    with subprocess.Popen([sys.executable, "-c", script], text=True, **pipes) as process:
        process.stdout.readline()
        watch = Watch(process.pid, tmp_path)
        seen, used = watch.sample(1.0, 4), watch.processors()
        process.stdin.write("\n")
        process.stdin.close()
    assert (seen.workers, seen.threads, seen.folders, seen.sessions) == (1, 1, 1, 4)
    assert seen.server_mb > seen.workers_mb > 0
    assert used.visitors >= sum(os.times()[:2]) * 0.5 > used.workers
    assert Processors(5.0, 3.0, 2.0).since(Processors(1.0, 1.0, 2.0)) == (4.0, 2.0, 0.0)
