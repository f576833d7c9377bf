"""The rules of the house: who may import whom, what is documented, how long a file may be."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from solvers.methods import REGISTRY

ROOT = Path(__file__).resolve().parents[1]
ROOM = ROOT / "components"
MOST_LINES = 450


class Rule(NamedTuple):
    """What a room may import, besides itself and the standard library; `lazily` within functions only."""

    rooms: str = ""
    packages: str = ""
    lazily: str = ""


PROBLEM = "solvers.errors solvers.language solvers.magnitude solvers.problem"
MODEL = f"{PROBLEM} solvers.spreadsheet solvers.constraints solvers.diagram solvers.solution solvers.metrics"
SOLVING = f"{MODEL} solvers.compilation solvers.kernels solvers.methods solvers.words"
AROUND = (
    "solvers.explain solvers.certificates solvers.teaching solvers.sweeps solvers.run solvers.report solvers.settings "
    "solvers.compile_level solvers.store"
)
LIBRARY = f"{SOLVING} {AROUND} solvers"
DRAWN = "components.words components.*facts components.*figures"

RULES = {
    "solvers.errors": Rule("solvers.language"),
    "solvers.language": Rule(lazily="babel"),
    "solvers.locale": Rule(f"{SOLVING} solvers.teaching solvers.report solvers.locale", lazily="babel"),
    "solvers.spreadsheet": Rule(),
    "solvers.magnitude": Rule("solvers.errors", "numpy"),
    "solvers.problem": Rule(
        "solvers.errors solvers.language solvers.magnitude",
        "numpy pandas",
        lazily="sklearn pyarrow python_calamine duckdb psycopg",
    ),
    "solvers.diagram": Rule(PROBLEM, "numpy pandas", lazily="graphviz pygraphviz onnx"),
    "solvers.constraints": Rule(f"{PROBLEM} solvers.diagram", "numpy", lazily="scipy"),
    "solvers.solution": Rule(f"{PROBLEM} solvers.diagram", "msgspec"),
    "solvers.compilation": Rule(lazily="numba"),
    "solvers.kernels": Rule("solvers.magnitude solvers.compilation", "numpy numba llvmlite"),
    "solvers.metrics": Rule(MODEL, "numpy pandas", lazily="sklearn scipy"),
    "solvers.methods": Rule(
        f"{MODEL} solvers.compilation solvers.kernels",
        "numpy",
        lazily="sklearn scipy numba ortools pysat highspy gurobipy psutil threadpoolctl",
    ),
    "solvers.words": Rule(MODEL),
    "solvers.explain": Rule(f"{MODEL} solvers.methods", "numpy"),
    "solvers.certificates": Rule(f"{SOLVING} solvers.explain solvers.run", "numpy", lazily="pysat numba"),
    "solvers.teaching": Rule(f"{SOLVING} solvers.certificates", "numpy pandas"),
    "solvers.sweeps": Rule(
        f"{SOLVING} solvers.explain solvers.run solvers.compile_level",
        "numpy pandas psutil",
        lazily="joblib dask distributed sklearn",
    ),
    "solvers.settings": Rule("solvers.errors solvers.problem"),
    "solvers.compile_level": Rule(),
    "solvers.run": Rule(
        f"{SOLVING} solvers.explain solvers.settings solvers.compile_level",
        "msgspec numpy psutil",
        lazily="numba sklearn IPython",
    ),
    "solvers.store.tables": Rule("", "sqlalchemy"),
    "solvers.store.migrations": Rule("solvers.store.tables", "sqlalchemy alembic"),
    "solvers.store": Rule(
        f"{SOLVING} solvers.run solvers.settings solvers.store.tables", "numpy", lazily="sqlalchemy alembic psycopg"
    ),
    "solvers.report": Rule(
        f"{SOLVING} solvers.explain solvers.certificates solvers.sweeps", "numpy pandas", lazily="fpdf jinja2 scipy"
    ),
    "solvers.estimators": Rule(
        f"{SOLVING} solvers.run solvers.sweeps solvers.certificates", "numpy pandas sklearn scipy joblib"
    ),
    "solvers": Rule(f"{SOLVING} {AROUND}", "numpy pandas", lazily="numba sklearn shtab"),
    "components.words": Rule(LIBRARY, "numpy pandas"),
    "components.*facts": Rule(f"{LIBRARY} components.words components", "numpy pandas"),
    "components.*figures": Rule(f"{LIBRARY} components.words components.*facts components", "numpy plotly"),
    "components": Rule(f"{LIBRARY} {DRAWN}", "numpy pandas streamlit starlette plotly"),
    "pages": Rule(f"{LIBRARY} {DRAWN} components", "streamlit"),
    "app": Rule(f"{DRAWN} components solvers.language", "streamlit"),
}
"""The rooms, the inner ones first; a module belongs to the first room that it is, or that one of its packages is."""


class Import(NamedTuple):
    """A module that another one imports, and where."""

    name: str
    line: int
    lazy: bool


def sources(*rooms: str) -> list[Path]:
    """The Python files below the top-level rooms; 'app' is a file itself."""
    files: list[Path] = []
    for room in rooms:
        path = ROOT / room
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    return [file for file in files if file.exists() and "__pycache__" not in file.parts]


SHARED = ("words", "session", "workers", "widgets", "model", "server")
"""The rooms of `components/` that belong to no screen; each may import those before it."""
SCREENS = tuple(path.stem for path in sources("pages"))
"""The other rooms: a room for each page, which may import the shared ones but the last, which stands around it."""

CODE = sources("solvers", "components", "pages", "app")


def label(path: Path) -> str:
    """The name of a file in what a test tells."""
    return path.relative_to(ROOT).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    """What stands in a source file."""
    return ast.parse(path.read_text("utf-8"))


def module_name(path: Path) -> str:
    """The dotted name of a source file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def room_of(module: str) -> str:
    """The room that a module of the project belongs to."""
    parts = module.split(".")
    owners = [".".join(parts[: i + 1]) for i in range(len(parts))]
    return next(room for room in RULES if any(fnmatchcase(owner, room) for owner in owners))


def imports(tree: ast.AST, lazy: bool = False) -> Iterator[Import]:
    """What a file imports at run time, wherever it does so; what is for type checkers alone is left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write imports with their full name"
            # 'from solvers import run' and 'from solvers.run import Job' both come out as solvers.run...
            yield from (Import(f"{node.module}.{alias.name}", node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        elif not isinstance(node, ast.expr):
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imports(node, lazy or inside)


def breaches(module: str, tree: ast.AST) -> Iterator[str]:
    """The imports of a module that its room does not permit."""
    room = room_of(module)
    rule = RULES[room]
    for found in imports(tree):
        top = found.name.split(".")[0]
        if top in sys.stdlib_module_names:
            continue
        if top in {"solvers", "components", "pages", "app"}:
            permitted = room_of(found.name) in {room, *rule.rooms.split()}
        else:
            permitted = top in rule.packages.split() or (found.lazy and top in rule.lazily.split())
        if not permitted:
            where = "inside a function" if found.lazy else "at the top"
            yield f"{module}, line {found.line}: {room} may not import {found.name} {where}"


def test_imports_keep_the_table() -> None:
    """Every import is one that the table of rooms permits."""
    assert [found for path in CODE for found in breaches(module_name(path), parsed(path))] == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("solvers.problem.text_tables", "import streamlit"),
        ("solvers.problem.text_tables", "from sklearn.datasets import fetch_openml"),
        ("solvers.problem.text_tables", "from solvers.diagram import Diagram"),
        ("solvers.kernels.search", "def f():\n    import pandas"),
        ("solvers.methods.trees.cart", "def f():\n    from solvers.run import Job"),
        ("solvers.run.worker", "from components import state"),
        ("components.words.text", "import streamlit as st"),
        ("components.words.cost_facts", "from components.session import state"),
        ("components.model.facts", "import streamlit as st"),
        ("components.inspect.evidence.risk_facts", "import plotly"),
        ("components.model.figures", "if True:\n    import streamlit"),
        ("pages.data", "import pandas as pd"),
        ("app", "from solvers import methods"),
    ],
)
def test_breaches_are_noticed(module: str, text: str) -> None:
    """The check itself is no rubber stamp."""
    assert len(list(breaches(module, ast.parse(text)))) == 1


def neighbours(room: str) -> set[str]:
    """The rooms of `components/` that a room of it, or the page of a screen, may import besides itself."""
    return set(SHARED[: SHARED.index(room)] if room in SHARED else SHARED[:-1])


def trespasses(module: str, tree: ast.AST) -> Iterator[str]:
    """The imports by which a component or a page enters a room of `components/` that it has no business in."""
    room = module.split(".")[1]
    for found in imports(tree):
        parts = found.name.split(".")
        if parts[0] == "components" and parts[1] not in {room, *neighbours(room)}:
            yield f"{module}, line {found.line}: {room} may not enter {parts[1]} ({found.name})"


def test_no_screen_enters_the_room_of_another() -> None:
    """What two screens use stands in a shared room, and the shared rooms build on each other one way."""
    paths = [path for path in sources("components", "pages") if path.parent != ROOM]
    assert [found for path in paths for found in trespasses(module_name(path), parsed(path))] == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("components.compare.facts", "from components.inspect.evidence import figures"),
        ("components.inspect.proof.proof_panel", "def f():\n    from components.sweep.form import Asked"),
        ("components.words.text", "from components.session import state"),
        ("components.widgets.tabs", "from components.model.facts import SMALL"),
        ("components.model.drawing", "from components.data import sources"),
        ("components.learn.form", "from components.server import upkeep"),
        ("components.learn.form", "from components import text"),
        ("pages.data", "from components.design import form"),
    ],
)
def test_trespasses_are_noticed(module: str, text: str) -> None:
    """Another screen, a later room, and a file outside all rooms are refused."""
    assert len(list(trespasses(module, ast.parse(text)))) == 1


def circle(edges: dict[str, set[str]]) -> list[str]:
    """The names on a circle of a graph; none where there is no circle."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_components_import_each_other_one_way() -> None:
    """Neither files nor folders of `components/` import each other in a circle, also within a room."""
    paths = {module_name(path): path for path in sources("components")}
    files: dict[str, set[str]] = {}
    folders: dict[str, set[str]] = {}
    for module, path in paths.items():
        for found in imports(parsed(path)):
            name = found.name if found.name in paths else found.name.rpartition(".")[0]
            if name in paths:
                files.setdefault(module, set()).add(name)
                if paths[name].parent != path.parent:
                    folders.setdefault(label(path.parent), set()).add(label(paths[name].parent))
    assert len(files) > 100 and len(folders) > len(SCREENS)
    assert (circle(files), circle(folders)) == ([], [])


def test_circles_are_noticed() -> None:
    """A circle is found, a diamond is none."""
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}})) == {"b", "c"}
    assert circle({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}}) == []


def test_every_component_stands_in_a_room() -> None:
    """Nothing lies beside the rooms, and there is no room that is neither a screen's nor a shared one."""
    found = {path.name for path in ROOM.iterdir() if path.name != "__pycache__"}
    assert found == {"__init__.py", *SHARED, *SCREENS}


def loaded_by(statement: str) -> set[str]:
    """The top-level packages in memory after a statement in a fresh process."""
    program = f"{statement}\nimport sys\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    return set(done.stdout.split())


def test_worker_does_not_load_the_dashboard() -> None:
    """The process that solves knows nothing of streamlit or plotly."""
    loaded = loaded_by("import solvers, solvers.run.worker")
    assert "solvers" in loaded
    assert not loaded & {"streamlit", "plotly", "components", "pages"}


def test_facts_and_figures_need_no_streamlit() -> None:
    """What is shown and how it is drawn can be computed without the dashboard, also by way of what they import."""
    paths = [path for path in sources("components") if path.stem.endswith(("facts", "figures"))]
    modules = [module_name(path) for path in (*paths, *sources("components/words"))]
    assert {"components.model.facts", "components.model.figures", "components.words.text"} <= set(modules)
    assert "streamlit" not in loaded_by(f"import {', '.join(modules)}")


def test_importing_the_library_is_light() -> None:
    """`import solvers` loads nothing that takes time."""
    assert not loaded_by("import solvers") & {"numpy", "pandas", "numba", "sklearn", "streamlit"}


def test_methods_load_their_solvers_when_they_run() -> None:
    """Importing every method loads no native solver and no scikit-learn."""
    modules = ", ".join(entry.path.split(":")[0] for entry in REGISTRY.values())
    assert not loaded_by(f"import {modules}") & {"sklearn", "scipy", "ortools", "pysat", "highspy", "gurobipy"}


@pytest.mark.parametrize("name", REGISTRY)
def test_registry_names_what_exists(name: str) -> None:
    """Each entry names a module of the methods' room and a class in it, and packages that requirements.txt installs."""
    module, cls = REGISTRY[name].path.split(":")
    assert module.startswith("solvers.methods.")
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text("utf-8"))
    assert cls in {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    assert REGISTRY[name].missing == ()


def undocumented(node: ast.AST, name: str) -> Iterator[str]:
    """The public things at and below a node that have no docstring."""
    if ast.get_docstring(node) is None:
        yield name
    if isinstance(node, ast.Module | ast.ClassDef):
        for child in node.body:
            is_definition = isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            if is_definition and not child.name.startswith("_"):
                yield from undocumented(child, f"{name}.{child.name}")


def test_public_things_are_documented() -> None:
    """Modules, public classes, functions and methods have docstrings."""
    assert [name for path in CODE for name in undocumented(parsed(path), module_name(path))] == []


def test_missing_docstrings_are_noticed() -> None:
    """A class, a method and a function without a docstring are found; private ones are not."""
    text = '"""M."""\nclass A:\n    def b(self): ...\n    def _c(self): ...\ndef d(): ...\ndef _e(): ...'
    assert list(undocumented(ast.parse(text), "m")) == ["m.A", "m.A.b", "m.d"]


def test_files_can_be_held_in_the_head() -> None:
    """A file is a room, not a hall; one with more lines is to be divided."""
    paths = [*CODE, *sources("tests", "docs", "sample_data", "benchmarks")]
    assert len(CODE) > 500 and len(paths) > len(CODE)
    n_lines = {label(path): len(path.read_text("utf-8").splitlines()) for path in paths}
    assert {name: n for name, n in n_lines.items() if n > MOST_LINES} == {}


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
    """No text of the project names a place on the computer where it was written."""
    found = [
        f"{label(path)}: {match.group()}..."
        for path in texts()
        for match in PERSONAL.finditer(path.read_text("utf-8", errors="replace"))
    ]
    assert found == []


@pytest.mark.parametrize("place", ["home", "Users", "root", "work"])
def test_personal_paths_are_noticed(place: str) -> None:
    """Places of a user are found, relative paths and addresses are not."""
    assert PERSONAL.search(f"see '/{place}/ada/x.csv'")
    assert not PERSONAL.search(f"see '../{place}/x.csv' and https://example.org/{place}/x")
