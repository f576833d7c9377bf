"""The examples of the README, of docs/python.md and of the docstrings are correct."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import solvers
from solvers.estimators import diagrams, selection, tree

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("page", "examples"), [("docs/python.md", 31), ("docs/api/solvers.md", 25), ("README.md", 6)])
def test_a_page_runs_as_written(page: str, examples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Python example of a page gives the printed output."""
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert result.attempted >= examples
    assert result.failed == 0


def test_every_public_name_has_an_example() -> None:
    """The reference of `solvers` uses each name that the package offers."""
    page = (ROOT / "docs" / "api" / "solvers.md").read_text("utf-8")
    code = " ".join(line for line in page.splitlines() if line.startswith(("...", ">>>")) and "import" not in line)
    assert [name for name in solvers.__all__ if not re.search(rf"\b{name}\b", code)] == []


IMPORT = re.compile(r"^ *(?:>>> )?from (solvers[\w.]*) import ([\w, ]+)", re.MULTILINE)


def test_names_that_the_docs_import_exist() -> None:
    """An example cannot import a name that no longer exists."""
    found = {match for page in (ROOT / "docs").rglob("*.md") for match in IMPORT.findall(page.read_text("utf-8"))}
    names = [(module, name.strip()) for module, listed in found for name in listed.split(",")]
    assert len(names) > 50
    assert [(module, name) for module, name in names if not hasattr(import_module(module), name)] == []


TOOLS = (ROOT / "docs" / "tools.md").read_text("utf-8")
RECIPES = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", TOOLS, re.MULTILINE | re.DOTALL))
SKIPS = {
    "MLflow": "MLflow is not installed",
}


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_of_tools_run_as_written(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each recipe of docs/tools.md gives the output below its lines."""
    assert list(RECIPES) == ["Fairlearn", *SKIPS]
    pytest.importorskip(name.lower(), reason=SKIPS.get(name))
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MPLBACKEND", "agg")
    recipe = doctest.DocTestParser().get_doctest(RECIPES[name], {}, name, "docs/tools.md", 0)
    result = doctest.DocTestRunner(verbose=False).run(recipe)
    assert result.attempted > 7
    assert result.failed == 0, capsys.readouterr().out


@pytest.mark.parametrize("module", [tree, diagrams, selection], ids=lambda module: module.__name__)
def test_docstrings_run_as_written(module: ModuleType) -> None:
    """The examples of the classes give the output below them."""
    result = doctest.testmod(module)
    assert result.attempted > 1
    assert result.failed == 0
