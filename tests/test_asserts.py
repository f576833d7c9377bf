"""An `assert` states an invariant and never does work, so that `python -O` changes no result."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PURE = {"isinstance", "len", "set", "all", "any", "min", "max"}
"""Functions that an `assert` may call, because they have no side effects."""


def working_calls(source: str) -> Iterator[str]:
    """Calls and assignments with possible side effects inside the asserts of a source text."""
    for statement in ast.walk(ast.parse(source)):
        if isinstance(statement, ast.Assert):
            for node in ast.walk(statement.test):
                if isinstance(node, ast.Call):
                    called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                    if called not in PURE:
                        yield f"line {node.lineno}: {ast.unparse(node)}"
                elif isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
                    yield f"line {node.lineno}: {ast.unparse(node)}"


def test_no_assert_does_work() -> None:
    """Compute the value in a separate statement, then assert what must hold."""
    files = [ROOT / "app.py", *(path for room in ("pages", "components", "solvers") for path in room_files(room))]
    found = [f"{path.relative_to(ROOT)}, {call}" for path in files for call in working_calls(path.read_text("utf-8"))]
    assert found == []


def room_files(room: str) -> list[Path]:
    """The Python files of a package."""
    return sorted((ROOT / room).rglob("*.py"))


@pytest.mark.parametrize("source", ["assert self.offer(tree)", "assert (x := f) > 1", "assert len(stack.pop()) == 1"])
def test_an_assert_that_does_work_is_found(source: str) -> None:
    """Method calls, nested calls and assignments."""
    assert list(working_calls(source))
    assert not list(working_calls("assert len(x) == 1 and isinstance(x[0], int) and (y > 0).all()"))


def test_optima_under_constraints_are_proved_without_asserts() -> None:
    """Under `python -O` the optimum must still be offered, or an older model counts as optimal."""
    tests = ["tests/methods/trees/test_fronts.py", "-m", "slow or not slow"]
    tests += ["-k", "multiplier or brute_force or costs_no_search"]
    done = subprocess.run(
        [sys.executable, "-O", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests],
        cwd=ROOT,
        env={**os.environ, "ESPALIER_CASES": "4"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
