"""The examples of docs/python.md and of the docstrings are true."""

from __future__ import annotations

import doctest
from pathlib import Path
from types import ModuleType

import pytest

from solvers.estimators import diagrams, selection, tree

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_runs_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example of the page gives the output that stands below it."""
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False, encoding="utf-8")
    assert result.attempted > 30
    assert result.failed == 0


@pytest.mark.parametrize("module", [tree, diagrams, selection], ids=lambda module: module.__name__)
def test_docstrings_run_as_written(module: ModuleType) -> None:
    """The examples of the classes give the output that stands below them."""
    result = doctest.testmod(module)
    assert result.attempted > 1
    assert result.failed == 0
