"""The documentation of constraints matches the code, and its recipes work."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from docs.tables import DOCS, in_python, pages, refusals
from solvers import constraints
from solvers.cli.app import parse
from solvers.cli.inputs import read
from solvers.constraints import KINDS, Severity, findings, rules_of
from solvers.constraints.files import Preset, example_of, presets
from solvers.constraints.kinds import from_json
from solvers.posing import build_problem
from solvers.problem import Problem, sample_dataset

PAGE, DETAILS = DOCS / "constraints.md", DOCS / "constraints" / "kinds.md"
RECIPES = sorted((DOCS / "recipes").glob("*.md"))


def test_tables_are_up_to_date() -> None:
    """The tables of constraints, methods and terms match the code; if not, run `python -m docs.tables`."""
    for page, text in pages().items():
        assert page.read_text("utf-8") == text


def test_json_in_the_docs_is_valid() -> None:
    """Every JSON example on the pages is a constraint."""
    shown = re.findall(r'^ *(\{"kind": .*\}),?$', PAGE.read_text("utf-8") + DETAILS.read_text("utf-8"), re.MULTILINE)
    assert len(shown) >= len(KINDS)
    for text in shown:
        from_json(json.loads(text))


@pytest.mark.parametrize("kind", KINDS)
def test_the_python_example_of_a_kind_equals_its_json(kind: str) -> None:
    """The expression on the page gives the same constraint as the JSON."""
    constraint = example_of(kind)[1]
    expression = in_python(constraint)
    assert f"    {expression}\n" in DETAILS.read_text("utf-8")
    assert eval(expression, dict(vars(constraints))) == constraint


def test_the_matrix_has_refusals() -> None:
    """A greedy method refuses an order of columns but supports a size limit."""
    assert refusals("cart", "asked-before")
    assert not refusals("cart", "max-leaves")
    assert not refusals("contree", "asked-before")
    assert not refusals("odd-search", "monotone")
    assert refusals("odd-greedy", "monotone"), "asked with the shape that it makes, and not with a tree"


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_recipes_work(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command of a recipe builds a problem without findings on a table with the columns of the recipe."""
    text = page.read_text("utf-8")
    command = next(line.split() for line in text.splitlines() if line.startswith("    python -m solvers fit"))[3:]
    monkeypatch.chdir(DOCS.parent)
    asked = parse([*command[:1], str(tmp_path / command[1]), *command[2:]]).args[0]
    example_table(text).to_csv(asked.data, index=False)
    posed = build_problem(asked.request, read(asked.data, asked.request))
    assert posed.problem.constraints
    assert posed.problem.dataset.n_columns >= 3
    assert not [f for f in findings(posed.problem) if f.finding.severity is not Severity.NOTE]


def example_table(text: str) -> pd.DataFrame:
    """A table with the columns that a recipe lists: with the levels that it names for a column, or else numbers."""
    rng = np.random.default_rng(0)
    columns = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            words = re.findall(r"`([^`]+)`", cells[1]) or (["Black", "White", "Other"] if "groups" in cells[1] else [])
            for name in re.findall(r"`([^`]+)`", cells[0]):
                columns[name] = rng.choice(words, 400) if len(words) > 1 else rng.integers(0, 90, 400)
    return pd.DataFrame(columns)


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: f"{preset.sample}: {preset.title}")
def test_presets_fit_their_tables(preset: Preset) -> None:
    """Their columns, classes and rows exist, and no check calls them impossible."""
    problem = Problem(sample_dataset(preset.sample), constraints=preset.constraints)
    rules_of(problem)
    assert {found.finding.severity for found in findings(problem)} <= {Severity.NOTE}
    assert preset.story.endswith(".") and not preset.title.endswith(".")
