"""The optimization level of LLVM: a host program keeps its own, and the processes of this program share one cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from solvers.compile_level import VARIABLE

ROOT = Path(__file__).parents[2]

SOLVING_HOST = """
import numba
before = {name: value for name, value in vars(numba.config).items() if name.isupper()}
import solvers
from solvers.problem import Problem, Shape, sample_dataset
from solvers.run import solve
import solvers.kernels.search
print(solve(Problem(sample_dataset("xor"), Shape(max_depth=2)), "contree").status.value)
after = {name: value for name, value in vars(numba.config).items() if name.isupper()}
print({name for name in before if before[name] != after[name]} | before.keys() ^ after.keys())
print(repr(numba.config.OPT))
"""

SHOWN_BY_WORKER = "import sys, numba\nnumba.config.reload_config()\nprint(int(numba.config.OPT), file=sys.stderr)\n"

ONE_KERNEL = """
import numba, numpy
from solvers.kernels.points import at_least_as_good
sums = numpy.zeros(2, numpy.int64)
marks = numpy.zeros(4, numpy.uint64)
at_least_as_good(sums, marks, sums, marks, numpy.ones(2, numpy.bool_))
stats = at_least_as_good.stats
print(int(numba.config.OPT), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def output(program: str, *arguments: str, level: str | None = None, **variables: str) -> subprocess.CompletedProcess:
    """The result of a program in a fresh process with this level; `None` for no setting."""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment |= {"PYTHONPATH": str(ROOT), **variables, **({} if level is None else {VARIABLE: level})}
    return subprocess.run(
        [sys.executable, *(("-c", program) if program else ()), *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_a_host_program_keeps_its_numba_settings() -> None:
    """Regression: importing the library and solving changed LLVM's level for all code of the program."""
    done = output(SOLVING_HOST)
    assert done.stdout.split("\n")[:3] == ["optimal", "set()", "_OptLevel(3)"], done.stderr


@pytest.mark.parametrize(("chosen", "level"), [(None, "1"), ("2", "2")])
def test_a_worker_compiles_at_level_1(tmp_path: Path, chosen: str | None, level: str) -> None:
    """The user can choose another level."""
    (tmp_path / "shown_level.py").write_text(SHOWN_BY_WORKER)
    path = os.pathsep.join((str(ROOT), str(tmp_path)))
    done = output("", "-m", "solvers.run.worker", "--import", "shown_level", level=chosen, PYTHONPATH=path)
    assert done.stderr.split()[:1] == [level]


@pytest.mark.parametrize("levels", [("1", None), (None, "1")])
def test_levels_share_one_cache(tmp_path: Path, levels: tuple[str | None, ...]) -> None:
    """One process loads what the other one has compiled, in either order."""
    first, second = (output(ONE_KERNEL, level=level, NUMBA_CACHE_DIR=str(tmp_path)) for level in levels)
    numbers = {"1": "1", None: "3"}
    assert first.stdout.split() == [numbers[levels[0]], "0", "1"], first.stderr
    assert second.stdout.split() == [numbers[levels[1]], "1", "0"], second.stderr
    assert len(list(tmp_path.glob("espalier/kernels/points-*/*.nbc"))) == 1
