"""Models, solutions, runs and sweeps from untrusted sources: changes are read, or refused in a sentence."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers.problem import Limits, Problem, Shape
from solvers.run import solve
from solvers.run.folder import RunFolder
from solvers.solution import Finished, Started
from tests.fuzz.commands import FLAGS, NUMBERS, ODD, TARGETS, WARD, write_tables
from tests.fuzz.contract import CASES, is_said_in_sentences, patience
from tests.fuzz.files import spoiled
from tests.fuzz.test_commands import call

DAMAGES = max(80, CASES // 5)
FILES = {
    "made": ("model.json", "solution.json"),
    "run": ("problem.json", "run.json", "solution.json", "events.jsonl", "data.npz"),
}
COMMANDS = {
    "made": (
        ("predict", "made", WARD),
        ("verify", "made", WARD),
        ("export", "made", "--format=rules"),
        ("export", "made", "--format=python"),
        ("export", "made", "--format=sql"),
        ("export", "made", "--format=dot"),
        ("report", "made", WARD, "--out", "report.html"),
    ),
    "run": (
        ("verify", "run"),
        ("predict", "run", FLAGS),
        ("export", "run", "--format=json"),
        ("report", "run", "--out", "report.html"),
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The files of `fit --out` for one table, and a run's folder for another one."""
    folder = tmp_path_factory.mktemp("strange")
    datasets = write_tables(folder)
    patch = pytest.MonkeyPatch()
    patch.chdir(folder)
    ended = call(("fit", WARD, "--target", TARGETS[WARD], "--max-depth", "2", "--out", "whole_made"))
    patch.undo()
    assert ended.status == 0, ended.err
    problem = Problem(datasets[FLAGS], Shape(max_depth=2))
    run = RunFolder.create(folder / "runs", problem, "contree", Limits(seconds=10))
    solution = solve(problem, "contree", Limits(seconds=10))
    run.append_event(Started(0.0))
    run.append_event(Finished(0.1, solution))
    run.write_outcome(Finished(0.1, solution))
    shutil.copytree(run.path, folder / "whole_run")
    return folder


def test_changed_files_are_read_or_refused(folder, monkeypatch):
    """A value, a line or some bytes are replaced; every command that reads the file prints a result or a sentence."""
    monkeypatch.chdir(folder)
    ends: Counter[int] = Counter()

    @given(st.sampled_from(sorted(FILES)), st.data())
    @settings(max_examples=DAMAGES, suppress_health_check=list(HealthCheck))
    def each(what: str, data: st.DataObject) -> None:
        shutil.rmtree(what, ignore_errors=True)
        shutil.copytree(f"whole_{what}", what)
        file = Path(what) / data.draw(st.sampled_from(FILES[what]))
        content = file.read_bytes()
        changed = data.draw(st.sampled_from(("value", "value", "value", "bytes")))
        if changed == "value" and file.suffix in (".json", ".jsonl"):
            lines = content.splitlines() if file.suffix == ".jsonl" else [content]
            at = data.draw(st.integers(0, len(lines) - 1))
            lines[at] = _with_another_value(lines[at], data)
            file.write_bytes(b"\n".join(lines) + b"\n")
        else:
            file.write_bytes(spoiled(content, random.Random(data.draw(st.integers(0, 2**32 - 1)))))
        words = data.draw(st.sampled_from(COMMANDS[what]))
        with patience():
            ended = call(words)
        ends[ended.status] += 1
        if ended.status == 2:
            assert is_said_in_sentences(ended.err.strip().splitlines()[-1]), ended.err
        else:
            assert ended.status in (0, 1) and "Traceback" not in ended.err, ended

    each()
    assert ends[2] > DAMAGES / 4, ends
    assert ends[0], ends


def _with_another_value(text: bytes, data: st.DataObject) -> bytes:
    """JSON in which one value, at any depth, is replaced or removed."""
    content = json.loads(text)
    places = list(_places(content))
    outer, key = places[data.draw(st.integers(0, len(places) - 1))]
    if data.draw(st.sampled_from((False, False, False, True))):
        del outer[key]
    else:
        outer[key] = data.draw(st.sampled_from(ODD + NUMBERS))
    return json.dumps(content).encode()


def _places(content: Any) -> Any:
    """The places of values: the list or object, and the position or name."""
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in list(items):
        yield content, key
        yield from _places(value)
