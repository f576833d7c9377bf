"""A sweep as a task of a worker: progress, stop, resume, storage with its run, and no processes left over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest
from msgspec import structs

from solvers.__main__ import main
from solvers.errors import RunError
from solvers.explain import solver
from solvers.problem import Limits, Problem, Shape, holdout, sample_dataset
from solvers.study import Processes
from solvers.study.stored import StoredStudy, create_sweep, list_sweeps
from solvers.study.study import TIMES, Study, StudyProgress
from tests.study.in_process import in_this_process, run_jobs

ROOT = Path(__file__).parents[2]
XOR = ROOT / "sample_data" / "xor.csv"
PATIENCE = 60


def asked(**changes: object) -> Study:
    """Twelve quick jobs."""
    parts = {"methods": ("contree", "cart"), "depths": (1, 2), "folds": 3, "step": 60.0, "workers": 1}
    return Study(**{**parts, **changes})


def to_problem() -> Problem:
    """Trees of XOR."""
    return Problem(sample_dataset("xor"), Shape(max_depth=2))


def answered(
    sweep: StoredStudy,
    problem: Problem | None = None,
    stop: threading.Event | None = None,
    after: int | None = None,
    in_processes: bool = False,
) -> list[StudyProgress]:
    """Progress and result of the task; `stop` is set after the given number of jobs."""
    progress: list[StudyProgress] = []
    stop = stop or threading.Event()

    def tell(known: StudyProgress) -> None:
        progress.append(known)
        if after is not None and known.done >= after:
            stop.set()

    with nullcontext() if in_processes else in_this_process():
        last = sweep.task.answer(problem or to_problem(), solver("contree"), Limits(seconds=60), stop, tell)
    assert not sweep.has_worker()
    return [*progress, last]


def test_progress_is_reported(tmp_path: Path) -> None:
    """After each job: done, failed, active, and the time left; the last report says that the sweep has ended."""
    progress = answered(create_sweep(tmp_path, asked()), in_processes=True)
    assert [one.done for one in progress] == [*range(13), 12]
    assert progress[0].left is None and progress[5].left > 0 and progress[5].running == 1
    assert [one.finished for one in progress] == [False] * 13 + [True]
    assert progress[-1].running == 0 and progress[-1].failed == 0


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (asked(folds=0), ("--test-share", "0.25")),
        (asked(repeats=2, seed=4), ("--folds", "3", "--repeats", "2", "--seed", "4")),
        (asked(folds=0, samples=4, leaves=(3,)), ("--bootstrap", "4", "--leaves", "3")),
    ],
    ids=["all rows", "folds", "bootstrap"],
)
def test_the_command_line_makes_the_same_table(tmp_path: Path, task: Study, words: tuple[str, ...]) -> None:
    """Same rows, same settings, same table, except for the seconds."""
    outcome = pd.read_csv(XOR).columns[-1]
    shape = ("--methods", "contree,cart", "--depths", "1,2", "--max-depth", "2", "--time-limit", "60")
    with in_this_process():
        assert main(["sweep", str(XOR), "--target", outcome, *shape, *words, "--out", str(tmp_path / "cli")]) == 0
    data, unseen = holdout(sample_dataset("xor"), 0.25, 0) if "--test-share" in words else (sample_dataset("xor"), None)
    sweep = create_sweep(tmp_path, task, unseen)
    answered(sweep, Problem(data, Shape(max_depth=2)))
    tables = [pd.read_csv(folder / "table.csv").drop(columns=list(TIMES)) for folder in (tmp_path / "cli", sweep.path)]
    assert len(tables[0]) > 0
    pd.testing.assert_frame_equal(*tables)


def test_sweeps_are_found_with_their_run(tmp_path: Path) -> None:
    """Another process finds them, even if the run's folder was moved; a damaged sweep is named and left out."""
    one = create_sweep(tmp_path / "run", asked())
    assert create_sweep(tmp_path / "run", asked(workers=3, scheduler="tcp://x")).path == one.path
    two = create_sweep(tmp_path / "run", asked(seed=1))
    assert two.path != one.path
    (tmp_path / "run").rename(tmp_path / "moved")
    found = list_sweeps(tmp_path / "moved")
    assert [sweep.name for sweep in found.sweeps] == [two.name, one.name] and found.faults == ()
    assert found.sweeps[1].task == structs.replace(asked(), folder=str(tmp_path / "moved" / "sweeps" / one.name))
    (tmp_path / "moved" / "sweeps" / two.name / "sweep.json").write_text("{}")
    found = list_sweeps(tmp_path / "moved")
    assert [sweep.name for sweep in found.sweeps] == [one.name] and len(found.faults) == 1
    assert list_sweeps(tmp_path / "nowhere").sweeps == ()


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    """While a process uses a folder, another process is refused with a sentence."""
    sweep = create_sweep(tmp_path, asked())
    sweep.write_worker()
    assert sweep.has_worker()
    with pytest.raises(RunError, match="already running"):
        answered(sweep, in_processes=True)


def test_reading_an_active_sweep_writes_nothing(tmp_path: Path) -> None:
    """Another process may have written half a line: it is ignored and not changed."""
    sweep = create_sweep(tmp_path, asked())
    answered(sweep)
    results = sweep.path / "results.jsonl"
    results.write_bytes(results.read_bytes() + b'{"key": "half')
    before = results.read_bytes()
    assert len(sweep.table()) == 12
    assert results.read_bytes() == before


def hard(rows: int = 1500) -> Problem:
    """Noise for which no search of deep trees ends within minutes."""
    data, rng = sample_dataset("breast_cancer"), np.random.default_rng(0)
    noise = replace(
        data,
        X=rng.random((rows, data.X.shape[1])),
        y=rng.integers(0, 2, rows).astype(np.int32),
        weight=None,
        groups=(),
        rows=None,
    )
    return Problem(noise, Shape(max_depth=5))


def test_a_stop_ends_active_searches_in_processes() -> None:
    """A search that would take minutes ends soon after the stop."""
    cells = Study(("contree",), depths=(1, 5, 6), step=600.0).cells(hard())
    stop, keys, started = threading.Event(), [], time.monotonic()
    for outcome in run_jobs([job for job, _ in cells], Processes(2), stop):
        keys.append(outcome.key)
        stop.set()
    assert keys[0] == "contree d1" and time.monotonic() - started < PATIENCE


PROGRAM = """
from pathlib import Path
from tests.study.test_tasks import asked, hard
from solvers.study.stored import create_sweep
from solvers.study.study import Constrained
import sys, threading
task = asked(methods=("contree",), depths=(5,), step=600.0, workers=2)
sweep = create_sweep(Path(sys.argv[1]), task)
sweep.task.answer(hard(), None, None, threading.Event(), lambda known: None)
"""


def test_no_process_is_left_of_a_killed_sweep(tmp_path: Path) -> None:
    """If the sweep is killed, its processes end too, whether working or still starting."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    sweep = subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)], cwd=ROOT, env=environment)
    try:
        _wait_until(lambda: len(_solving(sweep.pid)) == 2)
        left = _solving(sweep.pid)
    finally:
        sweep.send_signal(signal.SIGKILL)
        sweep.wait()
    _wait_until(lambda: not any(psutil.pid_exists(pid) for pid in left))


def _solving(pid: int) -> list[int]:
    """The worker processes of a process."""
    return [child.pid for child in psutil.Process(pid).children() if "solvers.run.worker" in child.cmdline()]


def _wait_until(holds) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
