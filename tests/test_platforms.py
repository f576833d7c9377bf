"""The program runs without Unix-only functions, and only one module depends on the platform."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MODULES = {"fcntl", "pwd", "grp", "resource", "termios", "msvcrt", "winreg"}
FUNCTIONS = {
    "fork",
    "forkpty",
    "getuid",
    "geteuid",
    "getgid",
    "killpg",
    "setsid",
    "waitpid",
    "register_at_fork",
    "uname",
}

MISSING_MODULES = ["fcntl", "pwd", "resource"]
MISSING_FUNCTIONS = ["fork", "getuid", "killpg", "register_at_fork"]
"""Missing in the processes of these tests; numpy needs `os.uname` and subprocess `os.waitpid` on Unix."""

WITHOUT_UNIX = """
import os, sys
import psutil  # its own part for Linux needs `resource`
for name in {modules}:
    sys.modules[name] = None
for name in {functions}:
    if hasattr(os, name):
        delattr(os, name)
"""

COMMANDS = """
import sys
from pathlib import Path
import numpy as np
from solvers.__main__ import main
from solvers.estimators import OptimalTreeClassifier
here = Path(sys.argv[1])
X = np.arange(40.0).reshape(-1, 2)
assert (OptimalTreeClassifier(max_depth=1).fit(X, X[:, 0] > 12).predict(X) == (X[:, 0] > 12)).all()
assert main(["fit", "sample_data/iris.csv", "--target", "species", "--max-depth", "2", "--out", str(here)]) == 0
sys.exit(main(["predict", str(here), "sample_data/iris.csv", "--out", str(here / "predictions.csv")]))
"""

RUN = """
import sys
from pathlib import Path
from solvers.run import WorkerPool
from solvers.problem import Problem, Shape, sample_dataset
from solvers.run.fork_server import FORK_SERVER
with WorkerPool(Path(sys.argv[1])) as pool:
    shot = pool.submit(Problem(sample_dataset("iris"), Shape(max_depth=1)), "contree").wait(400)
    FORK_SERVER.start()
print(shot.state.value, shot.solution.verified, FORK_SERVER.pid)
"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """The environment of a process, and its children, without Unix-only functions."""
    lacking = WITHOUT_UNIX.format(modules=MISSING_MODULES, functions=MISSING_FUNCTIONS)
    (tmp_path / "sitecustomize.py").write_text(lacking)
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT))), "PYTHONWARNINGS": "ignore"}


def carried_out(program: str, environment: dict[str, str], place: Path) -> str:
    """The output of a successful program in such a process."""
    check = "import os\nassert not hasattr(os, 'fork')\n"
    words = [sys.executable, "-c", check + program, str(place / "out")]
    ended = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_estimator_and_commands_work_without_unix_functions(elsewhere: dict[str, str], tmp_path: Path) -> None:
    """Regression: importing the exact engine needed `fcntl` and `os.getuid`."""
    assert "Optimal on training data" in carried_out(COMMANDS, elsewhere, tmp_path)
    assert len((tmp_path / "out" / "predictions.csv").read_text().splitlines()) == 151


def test_a_run_works_if_processes_can_only_be_spawned(elsewhere: dict[str, str], tmp_path: Path) -> None:
    """A worker is started, but no fork server."""
    assert carried_out(RUN, elsewhere, tmp_path).split() == ["finished", "True", "None"]


def platform_names(source: str) -> set[str]:
    """The modules and functions in a source text that only some platforms have."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names} & MODULES
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module} & MODULES if node.level == 0 else set()
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            found |= {node.attr} & FUNCTIONS
    return found


def test_only_one_module_depends_on_the_platform() -> None:
    """Add platform-dependent code to `solvers.platforms`, with a replacement for the other platforms."""
    files = [
        ROOT / "app.py",
        *(file for room in ("solvers", "components", "pages") for file in (ROOT / room).rglob("*.py")),
    ]
    naming = {str(file.relative_to(ROOT)) for file in files if platform_names(file.read_text("utf-8"))}
    assert naming == {str(Path("solvers", "platforms.py"))}
