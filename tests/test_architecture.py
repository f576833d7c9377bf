"""What the import contracts of pyproject.toml cannot check: modules in memory after an import, and personal paths."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from solvers.methods import REGISTRY
from tests.conftest import REPRESENTATIVES, SLOW

ROOT = Path(__file__).resolve().parents[1]


def test_import_contracts_hold() -> None:
    """The layers of the library and the packages of the dashboard, as listed in pyproject.toml."""
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("place", (*SLOW, *REPRESENTATIVES))
def test_each_place_in_the_lists_of_tiers_has_a_test(place: str) -> None:
    """A test that is renamed or moved must not change its tier unnoticed."""
    file, *names = place.split("::")
    found = [path for path in ROOT.glob(f"{file}*") if path.suffix == ".py"]
    assert found
    # a name in brackets is that of a case
    started = re.compile(rf"(def|class) {names[-1].partition('[')[0]}" if names else "")
    assert any(started.search(path.read_text("utf-8")) for path in found)


def loaded_by(statement: str) -> set[str]:
    """The top-level packages in memory after a statement in a fresh process."""
    program = f"{statement}\nimport sys\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    return set(done.stdout.split())


METHOD_MODULES = ", ".join(f"solvers.methods{entry.path.split(':')[0]}" for entry in REGISTRY.values())


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        ("solvers", {"numpy", "pandas", "numba", "sklearn", "streamlit"}),
        ("solvers.run.worker", {"streamlit", "plotly", "components", "pages"}),
        (METHOD_MODULES, {"sklearn", "scipy", "ortools", "pysat", "highspy", "gurobipy"}),
    ],
    ids=["library", "worker", "methods"],
)
def test_an_import_loads_no_slow_package(modules: str, absent: set[str]) -> None:
    """The library is light, a worker needs no dashboard, and methods load their solvers when they run."""
    loaded = loaded_by(f"import {modules}")
    assert "solvers" in loaded and not loaded & absent


def test_facts_and_figures_need_no_streamlit() -> None:
    """Facts and figures can be computed without the dashboard; this includes everything that they import."""
    rooms = ROOT / "components"
    paths = [
        path
        for path in rooms.rglob("*.py")
        if path.stem.endswith(("facts", "figures")) or path.parent.name == "messages"
    ]
    modules = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths if path.stem != "__init__"]
    assert {"components.model.run_facts", "components.model.figures", "components.messages.text"} <= set(modules)
    assert "streamlit" not in loaded_by(f"import {', '.join(modules)}")


@pytest.mark.parametrize("name", REGISTRY)
def test_registry_names_what_exists(name: str) -> None:
    """Each entry names a module of `solvers.methods`, a class in it, and packages that requirements.txt installs."""
    module, cls = REGISTRY[name].path.split(":")
    spec = find_spec(f"solvers.methods{module}")
    assert spec is not None and spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text("utf-8"))
    assert cls in {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    assert REGISTRY[name].missing == ()


TEXT = {".py", ".md", ".toml", ".txt", ".css", ".js", ".json", ".yml", ".yaml", ".html", ".svg", ".cfg", ".ini", ".sh"}
PERSONAL = re.compile(r"(?<![\w.~-])(?:/(?:home|Users|root|work)/\w|[A-Z]:\\+Users\\+\w)")


def texts() -> Iterator[Path]:
    """The text files of the project."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.suffix in TEXT)
    for room in ("solvers", "components", "pages", "tests", "docs", "sample_data", "benchmarks", ".ci", ".streamlit"):
        for path in (ROOT / room).rglob("*"):
            if path.is_file() and (path.suffix in TEXT or room == ".ci") and "__pycache__" not in path.parts:
                yield path


def test_no_path_of_a_developers_machine() -> None:
    """No text of the project contains a path of the computer where it was written."""
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}..."
        for path in texts()
        for match in PERSONAL.finditer(path.read_text("utf-8", errors="replace"))
    ]
    assert found == []


@pytest.mark.parametrize("place", ["home", "Users", "root", "work"])
def test_personal_paths_are_noticed(place: str) -> None:
    """User folders are found; relative paths and web addresses are not."""
    assert PERSONAL.search(f"see '/{place}/ada/x.csv'")
    assert not PERSONAL.search(f"see '../{place}/x.csv' and https://example.org/{place}/x")
