"""The presets of constraints: every kind has one, and each is feasible."""

from __future__ import annotations

import pytest

from solvers.constraints import Severity, findings, rules_of
from solvers.constraints.files import Preset, presets
from solvers.problem import Problem, sample_dataset


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: f"{preset.sample}: {preset.title}")
def test_presets_fit_their_tables(preset: Preset) -> None:
    """Their columns, classes and rows exist, and no check calls them impossible."""
    problem = Problem(sample_dataset(preset.sample), constraints=preset.constraints)
    rules_of(problem)
    assert {found.finding.severity for found in findings(problem)} <= {Severity.NOTE}
    assert preset.story.endswith(".") and not preset.title.endswith(".")
