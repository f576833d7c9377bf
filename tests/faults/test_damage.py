"""Damaged files and interrupted writes: reported in a sentence or harmless, and no other run is affected."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from solvers.errors import EspalierError
from solvers.run import WorkerPool, load_run
from solvers.run.folder import RunFolder
from solvers.solution import Finished
from solvers.store import Query, RunIndex
from tests.faults.running import IMPORTS, PATIENCE, ROOT, easy, finished, judge, judge_folder, right
from tests.run.problems import mixed


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """A file that is truncated, overwritten in a few places, or replaced by noise."""
    match chance.randrange(3):
        case 0:
            return whole[: chance.randrange(len(whole))]
        case 1:
            content = bytearray(whole)
            for _ in range(chance.randrange(1, 5)):
                content[chance.randrange(len(content))] = chance.randrange(256)
            return bytes(content)
        case _:
            return chance.randbytes(chance.randrange(50))


@pytest.mark.parametrize("name", ["run.json", "problem.json", "data.npz", "solution.json", "events.jsonl"])
def test_damaged_folders_are_reported(tmp_path: Path, name: str) -> None:
    """A file truncated or overwritten anywhere is an error in a sentence, or harmless; other runs are unaffected."""
    chance = random.Random(name)
    (good, truth), (bad, _) = finished(tmp_path), finished(tmp_path)
    whole = (bad / name).read_bytes()
    for _ in range(60):
        (bad / name).write_bytes(damaged(whole, chance))
        try:
            found = load_run(bad).solution
        except EspalierError as error:
            assert len(str(error)) > 20
        else:
            shown = found is not None and found.diagram is not None and found.verified
            assert not shown or right(found.diagram, easy(), found.cost)
        assert load_run(good).snapshot().cost == truth.cost
    (bad / name).unlink()
    index = RunIndex(tmp_path)
    index.synchronize()
    assert good.name in {run.folder for run in index.find(Query())}
    judge_folder(good, truth)


WRITER = """
import os, sys, time
from dataclasses import replace
from pathlib import Path
from solvers.run.folder import RunFolder
from solvers.solution import Finished
folder = RunFolder(Path(sys.argv[1]))
solution = folder.outcome().solution
for cut in range(int(sys.argv[2])):
    if (child := os.fork()) == 0:
        while True:
            folder.write_outcome(Finished(1.0, replace(solution, message=f"{cut} " * 5000)))
    time.sleep(0.01 + 0.002 * (cut % 13))
    os.kill(child, 9)
    os.waitpid(child, 0)
    told = folder.outcome().solution
    whole = told.message in (solution.message, *(f"{known} " * 5000 for known in range(cut + 1)))
    print(whole, told.cost, repr(told.message[:50]) if not whole else "", flush=True)
"""
"""Kills the given number of processes that rewrite a result, and reports whether each left a complete result."""


def test_a_kill_during_a_write_leaves_a_complete_result(tmp_path: Path) -> None:
    """A result that was being replaced is the old or the new one, never a mixture."""
    folder, known = finished(tmp_path)
    writer = subprocess.run([sys.executable, "-c", WRITER, str(folder), "40"], cwd=ROOT, capture_output=True, text=True,
                            timeout=PATIENCE)  # fmt: skip
    lines = writer.stdout.splitlines()
    assert len(lines) == 40, writer.stderr
    assert {line.strip() for line in lines} == {f"True {known.cost}"}
    judge_folder(folder, known)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_reaches_the_disk_before_it_counts(tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails at either of its two steps leaves the old result, and no half-written file."""
    path, known = finished(tmp_path)
    steps: list[str] = []

    def cut(*_: object) -> None:
        steps.append(step)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, step, cut)
        with pytest.raises(KeyboardInterrupt):
            RunFolder(path).write_outcome(Finished(99.0, known))
    assert steps == [step]
    judge_folder(path, known)
    assert [left.name for left in path.iterdir() if left.name.startswith(".")] == []


def test_events_truncated_by_a_power_failure_can_be_read(tmp_path: Path) -> None:
    """Whatever length of the event log reached the disk, the run can be read, and its incumbent is correct."""
    with WorkerPool(tmp_path, warm=(), imports=IMPORTS, spares=0) as pool:
        job = pool.submit(mixed(), "fake-fake")
        job.wait(PATIENCE)
    (job.folder / "solution.json").unlink()
    (job.folder / "worker.json").unlink()
    content = (job.folder / "events.jsonl").read_bytes()
    first = content.index(b"\n", content.index(b'"event":"incumbent"')) + 1
    for length in range(0, len(content), 97):
        (job.folder / "events.jsonl").write_bytes(content[:length])
        run = load_run(job.folder)
        assert run.snapshot().state.terminal
        if length >= first:
            judge(run.solution, run.problem)


def test_a_folder_that_vanishes_does_not_disturb_the_list(tmp_path: Path) -> None:
    """A run that is deleted by hand affects no other run."""
    (good, truth), (bad, _) = finished(tmp_path), finished(tmp_path)
    index = RunIndex(tmp_path)
    index.synchronize()
    shutil.rmtree(bad)
    index.synchronize()
    assert [run.folder for run in index.find(Query())] == [good.name]
    judge_folder(good, truth)
