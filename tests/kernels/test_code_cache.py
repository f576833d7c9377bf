"""Machine code is cached by source: a change of code that a kernel does not use causes no compilation."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numba
import pytest

from solvers.kernels import code_cache

ROOT = Path(__file__).parents[2]


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four kernels: `top` imports `middle`, which imports `low`; `other` is independent."""
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "__init__.py").write_text("")
    (kernels / "low.py").write_text("import numpy\nX = 1\n")
    (kernels / "middle.py").write_text("from . import (\n    low,\n)\n")
    (kernels / "top.py").write_text("from .middle import (\n    f,\n)\n")
    (kernels / "other.py").write_text("from ..errors import DataError\n")
    monkeypatch.setattr(code_cache, "_HERE", kernels)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    return kernels


def stamps() -> dict[str, str]:
    """The stamps of all kernels, computed without caches."""
    for cached in (code_cache.stamp, code_cache._imports, code_cache.folder):
        cached.cache_clear()
    return {name: code_cache.stamp(name) for name in ("low", "middle", "top", "other")}


@pytest.mark.parametrize(
    ("changed", "outdated"),
    [
        ("low", {"low", "middle", "top"}),
        ("middle", {"middle", "top"}),
        ("other", {"other"}),
        ("__init__", set()),
    ],
)
def test_a_change_outdates_exactly_its_dependents(sources: Path, changed: str, outdated: set[str]) -> None:
    """The stamp of a kernel depends on its own source and on all direct and indirect imports, and on nothing else."""
    before = stamps()
    with (sources / f"{changed}.py").open("a") as file:
        file.write("\nY = 2\n")
    after = stamps()
    assert {name for name in before if before[name] != after[name]} == outdated


def test_old_versions_are_removed(sources: Path) -> None:
    """Some versions of each kernel are kept, so that two checkouts do not compile alternately."""
    for version in range(code_cache.KEPT_VERSIONS + 3):
        (sources / "low.py").write_text(f"X = {version}\n")
        stamps()
        here = code_cache.folder("low")
        code_cache.folder("middle")
        assert here.is_dir()
    assert len(list(here.parent.glob("low-*"))) == code_cache.KEPT_VERSIONS
    assert here in here.parent.glob("low-*")


KERNEL = """
from solvers.kernels.compiled import njit

@njit(cache=True)
def lower(x):
    return x * {factor}

@njit(cache=True)
def upper(x):
    return lower(x) + 1

@njit(cache=True)
def broken(x):
    return lower(x) + missing
"""

COMPILES = """
import os, sys, time
import numba.core.event as ev
from solvers.kernels import code_cache
from pathlib import Path
here = Path(sys.argv[1])
code_cache._HERE = here / "kernels"
sys.path.insert(0, str(here / "kernels"))
import callers

class Counted(ev.Listener):
    def on_start(self, event):
        if event.data is None:
            return  # it waits for another process
        with (here / "compiled").open("a") as file:
            file.write(event.data["dispatcher"].py_func.__name__ + chr(10))
        while event.data["dispatcher"].py_func.__name__ == sys.argv[2] and not (here / "go").exists():
            time.sleep(0.01)

    def on_end(self, event):
        pass

ev.register("numba:compile", Counted())
print("ready", flush=True)
sys.stdin.readline()
for argument in (2, 2.0):
    print(callers.upper(argument), flush=True)
"""


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts processes that compile the same two functions for two types each, with an empty cache at first."""
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "callers.py").write_text(KERNEL.format(factor=3))
    started: list[subprocess.Popen] = []

    def start(wait_in: str = "") -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-c", COMPILES, str(tmp_path), wait_in],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def begin(process: subprocess.Popen) -> None:
    """Let a process compile."""
    process.stdin.write("\n")
    process.stdin.flush()


def until_compiled(place: Path, function: str) -> None:
    """Wait until some process compiles a function."""
    while not (place / "compiled").exists() or function not in (place / "compiled").read_text():
        time.sleep(0.01)


def test_processes_that_start_together_compile_a_kernel_once(processes, tmp_path: Path) -> None:
    """Of three processes with an empty cache, one compiles each function for each type, and all of them run it."""
    (tmp_path / "go").touch()
    three = [processes() for _ in range(3)]
    for process in three:
        begin(process)
    assert [process.communicate()[0].split() for process in three] == 3 * [["7", "7.0"]]
    assert Counter((tmp_path / "compiled").read_text().split()) == {"upper": 2, "lower": 2}


def test_another_process_compiles_a_kernel_if_one_dies(processes, tmp_path: Path) -> None:
    """A process that is killed while compiling does not block the processes that wait for it."""
    dying, waiting = processes("lower"), processes()
    begin(dying)
    until_compiled(tmp_path, "lower")
    begin(waiting)
    dying.kill()
    assert waiting.communicate()[0].split() == ["7", "7.0"]
    assert Counter((tmp_path / "compiled").read_text().split()) == {"upper": 3, "lower": 3}


def test_a_failed_compilation_releases_its_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another compilation can follow immediately."""
    (tmp_path / "callers_2.py").write_text(KERNEL.format(factor=2))
    monkeypatch.setattr(code_cache, "_HERE", tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    callers = importlib.import_module("callers_2")
    for _ in range(2):
        with pytest.raises(numba.TypingError, match="missing"):
            callers.broken(1)
        assert not code_cache.KernelCache._held
    assert callers.upper(1) == 3
    assert not code_cache.KernelCache._held


HOST = """
import numba
import solvers.kernels.search

@numba.njit(cache=True)
def twice(x):
    return 2 * x

print(twice(3), type(twice._cache).__name__)
"""


def test_code_of_a_host_program_uses_the_cache_of_numba(tmp_path: Path) -> None:
    """Regression: cached functions of the host used our cache, which left a lock file in the host's own folder."""
    (tmp_path / "host.py").write_text(HOST)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": ""}
    ran = subprocess.run([sys.executable, "host.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.stdout.split() == ["6", "FunctionCache"], ran.stderr
    assert {path.suffix for path in (tmp_path / "__pycache__").iterdir()} == {".nbi", ".nbc"}
