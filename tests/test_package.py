"""The wheel: one package without name collisions that works without the clone and opens its pickles."""

from __future__ import annotations

import ast
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SECRETS = "secrets.toml"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this clone, to which an administrator has added a file of secrets."""
    folder, clone = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("clone")
    for name in ("solvers", "components", "pages", "sample_data", "deploy", ".streamlit"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    (clone / ".streamlit" / SECRETS).write_text("[auth]\n")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", folder, clone]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel and the packages that it needs, without the clone."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (site / "needed.pth").write_text(sysconfig.get_paths()["purelib"], "utf-8")
    return folder / "bin" / "python"


def run(python: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the environment outside the clone."""
    return subprocess.run([python, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300)


def test_the_wheel_holds_one_package(wheel: Path) -> None:
    """No module with a generic name is installed at the top level of an environment."""
    with zipfile.ZipFile(wheel) as archive:
        top = {name.split("/")[0] for name in archive.namelist()}
    assert {name for name in top if not name.endswith(".dist-info")} == {"espalier"}


def test_the_wheel_holds_no_secrets(wheel: Path) -> None:
    """Regression: the wheel contained the whole folder of Streamlit's settings."""
    with zipfile.ZipFile(wheel) as archive:
        settings = [name for name in archive.namelist() if ".streamlit" in name]
    assert settings == ["espalier/dashboard/.streamlit/config.toml"]


def test_the_wheel_holds_all_files_of_the_library_and_the_dashboard(wheel: Path) -> None:
    """Modules and the files that they read: pages, styles, fonts, samples, lessons."""
    places = {
        "solvers": "espalier",
        "sample_data": "espalier/sample_data",
        "components": "espalier/dashboard/components",
        "pages": "espalier/dashboard/pages",
    }
    needed = {"espalier/dashboard/app.py", "espalier/dashboard/solvers/__init__.py"}
    for folder, place in places.items():
        files = (path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        needed |= {f"{place}/{path.relative_to(ROOT / folder).as_posix()}" for path in files}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == needed | {"espalier/dashboard/.streamlit/config.toml"}


def test_the_library_imports_itself_by_relative_names() -> None:
    """An absolute name would refer to the clone, which the wheel does not contain."""
    absolute = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "solvers").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or ""])
        if name.split(".")[0] in ("solvers", "espalier") and not getattr(node, "level", 0)
    ]
    assert not absolute


def test_the_command_line_fits_and_prints_its_version(python: Path, tmp_path: Path) -> None:
    """`espalier fit` solves a table in a worker process of the installed package; its certificate needs no package."""
    (tmp_path / "t.csv").write_text("a,b,y\n" + "\n".join(f"{i},{i % 3},{'no' if i < 5 else 'yes'}" for i in range(10)))
    completed = run(python, "-m", "espalier", "--version", cwd=tmp_path)
    assert re.fullmatch(r"Espalier \d+\.\d+\.\d+\n", completed.stdout), completed.stderr
    # a method without kernels: those would have to be compiled for this environment
    words = ("fit", "t.csv", "--target", "y", "--max-depth", "1", "--method", "inferdt-depth", "--out", "fit")
    fitted = run(python, "-m", "espalier", *words, cwd=tmp_path)
    assert fitted.returncode == 0, fitted.stderr
    assert fitted.stdout.startswith("A tree of depth 1 makes no error")
    certified = run(python, "-m", "espalier", "certify", "fit", "t.csv", "--out", "proof", cwd=tmp_path)
    assert certified.returncode == 0, certified.stderr
    checked = run(Path(sys.executable), "-I", "proof/check.py", "proof", "t.csv", cwd=tmp_path)
    assert checked.returncode == 0 and "\nPROVED: " in checked.stdout, checked.stderr


def test_a_pickled_estimator_opens_in_a_fresh_process(python: Path, tmp_path: Path) -> None:
    """No import is needed before."""
    make = (
        "import pickle, numpy as np; from espalier import OptimalTreeClassifier as T;"
        "m = T(max_depth=1, method='c45').fit(np.arange(8.0)[:, None], np.arange(8) > 3);"
        "pickle.dump(m, open('m.pkl', 'wb'))"
    )
    made = run(python, "-c", make, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    read = run(
        python, "-c", "import pickle; print(pickle.load(open('m.pkl', 'rb')).predict([[1.0], [7.0]]))", cwd=tmp_path
    )
    assert read.stdout == "[False  True]\n", read.stderr


SHOWN = """
import pickle, sys
from espalier.cli.dashboard import APP
sys.path.insert(0, str(APP.parent))  # as Streamlit does
import espalier.estimators, espalier.problem.columns, solvers.estimators, solvers.problem.columns
from streamlit.testing.v1 import AppTest

assert solvers.problem.columns is espalier.problem.columns
assert solvers.problem.columns.__spec__.name == "espalier.problem.columns"
assert b"espalier.estimators" in pickle.dumps(solvers.estimators.OptimalTreeClassifier())
app = AppTest.from_file(str(APP), default_timeout=120).run()
assert not app.exception, app.exception
assert [name for name in list(sys.modules) if name.startswith("components.data")]
assert app.button
"""


def test_the_dashboard_of_the_wheel_uses_the_same_modules_as_the_library(python: Path, tmp_path: Path) -> None:
    """Its first screen is drawn, and `solvers` and `espalier` are two names of the same modules."""
    drawn = run(python, "-c", SHOWN, cwd=tmp_path)
    assert drawn.returncode == 0, drawn.stderr


@pytest.fixture
def address(python: Path, tmp_path: Path) -> Iterator[str]:
    """The address of the dashboard of the installed package."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [python, "-m", "espalier", "dashboard", "--port", str(port), "--no-browser"]
    with subprocess.Popen(command, cwd=tmp_path, start_new_session=True) as server:
        yield f"http://localhost:{port}"
        server.terminate()


def test_the_dashboard_is_served(address: str) -> None:
    """`espalier dashboard` responds."""
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5) as answer:
                assert answer.status == 200
                return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.2)


def test_requirements_and_package_agree() -> None:
    """The requirement files list the dependencies of the package and its extras, with the same ranges."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    packaged = {line for line in (*project["dependencies"], *extras) if not line.startswith(project["name"])}
    listed = {
        line
        for name in ("requirements.txt", "requirements-server.txt")
        for line in (ROOT / name).read_text("utf-8").splitlines()
        if line and not line.startswith(("#", "-r"))
    }
    assert packaged == listed
