"""Confirmed constraints: the ladder on the rows that are not kept aside, and the tests on those that are."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks import confidence
from solvers.constraints import MaxErrors, MinAccuracy, MinSensitivity
from solvers.errors import ConstraintError, DataError
from solvers.explain import solver
from solvers.problem import Dataset, Division, Group, Limits, Problem, Shape, holdout
from solvers.sweeps.confirmation import STEPS, confirm
from tests.commands import call
from tests.explain.worlds import never

ASKED = MinSensitivity("0.8", confidence="0.95")


def drawn(n: int = 240, seed: int = 2) -> Dataset:
    """A table of a known rule."""
    return confidence.drawn(n, 0.2, np.random.default_rng(seed))[0]


def test_the_ladder_is_optimal_and_ends_with_its_first_failure() -> None:
    """Each limit is the next one down, each model the best for it, and tested by what was asked with confidence."""
    problem = Problem(drawn(), Shape(max_depth=2), constraints=(ASKED, MaxErrors(200)))
    solve = solver("contree")
    found = confirm(problem, 0.4, solve, Limits(seed=3))
    learned, aside = holdout(problem.dataset, 0.4, 3)
    assert found.aside.fingerprint == aside.fingerprint and len(found.rungs) > 2
    for step, rung in enumerate(found.rungs):
        limit = 1 - Fraction(step, STEPS) * Fraction(2, 10)
        posed = replace(problem, dataset=learned, constraints=(MinSensitivity(limit), MaxErrors(200)))
        assert rung.problem.id == posed.id
        assert rung.solution.verified and rung.solution.cost == rung.solution.bound
        assert rung.confirmed == (not ASKED.violations(rung.solution.diagram, aside))
        assert rung.confirmed or rung is found.rungs[-1]
    assert found.chosen is max((r for r in found.rungs if r.confirmed), key=found.rungs.index)
    costs = [rung.solution.cost for rung in found.rungs]
    assert costs == sorted(costs, reverse=True), "a looser limit never costs more"


def test_too_few_rows_aside_confirm_nothing() -> None:
    """Ten of ten do not show 80 % with 95 % confidence; rows without the class show nothing at all."""
    found = confirm(Problem(drawn(60), Shape(max_depth=1), constraints=(ASKED,)), 0.2, solver("contree"))
    assert found.chosen is None and len(found.rungs) == 1


def test_there_must_be_something_to_confirm() -> None:
    """A limit without confidence is kept on the training rows, and that is all."""
    with pytest.raises(ConstraintError, match="Give one a 'confidence'"):
        confirm(Problem(drawn(60), constraints=(MinAccuracy("0.6"),)), 0.3, solver("contree"))


def test_rows_that_belong_together_confirm_nothing() -> None:
    """Ten visits of a patient are not ten independent rows."""
    data = drawn(60)
    groups = Group("patient", (), np.arange(60) // 10)
    problem = Problem(replace(data, division=Division(groups=groups)), constraints=(ASKED,))
    with pytest.raises(ConstraintError, match="share 'patient' are not independent"):
        confirm(problem, 0.3, solver("contree"))


def test_confirmed_limits_hold_more_often_than_plain_ones() -> None:
    """The measurement itself, on few tables: its truth is that of the rule, counted on rows drawn from it."""
    dataset, risk = confidence.drawn(300, 0.2, np.random.default_rng(10))
    tree = solver("contree")(Problem(dataset, Shape(max_depth=2)), Limits(), lambda event: None, never).diagram
    random = np.random.default_rng(6)
    rows = random.integers(0, len(confidence.CELLS), 200_000)
    ill, said = random.random(len(rows)) < risk[rows], tree.predict(confidence.CELLS)[rows] == 1
    group = confidence.GROUP[rows] == 1
    true = {
        "sensitivity": said[ill].mean(),
        "specificity": 1 - said[~ill].mean(),
        "accuracy": (said == ill).mean(),
        "ppv": ill[said].mean(),
        "parity": abs(said[group].mean() - said[~group].mean()),
    }
    for measure, value in true.items():
        below, above = (confidence.Asked(measure, Fraction(f"{value + by:.3f}"), 2) for by in (-0.01, 0.01))
        assert confidence.kept(tree, risk, below).holds != confidence.kept(tree, risk, above).holds
        assert confidence.kept(tree, risk, below).holds == (measure != "parity")
    assert confidence.kept(tree, risk, above).error == pytest.approx((said != ill).mean(), abs=0.01)
    found = confidence.measure(3, (200,), confidence.Asked("ppv", Fraction(6, 10), 1), 0, 1)
    assert found.tables[0].rows[-1][0] == "all" and len(found.tables[0].rows) == 4


@pytest.mark.parametrize(("share", "status"), [(0.8, 0), (0.999, 1)])
def test_the_command_line_confirms(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, share: float, status: int
) -> None:
    """The model, what the rows kept aside say, and the guarantee; status 1 where nothing is confirmed."""
    data, path = drawn(), tmp_path / "drawn.csv"
    lines = [",".join(map(str, (*row, data.classes[y]))) for row, y in zip(data.X.tolist(), data.y, strict=True)]
    path.write_text("\n".join(("a,b,c,d,ill", *lines)))
    asked = json.dumps([{"kind": "min-sensitivity", "share": share, "confidence": 0.95}])
    words = ("fit", path, "--target", "ill", "--positive", "yes", "--max-depth", 2, "--constraints", asked)
    told, out, err = call(capsys, *words, "--confirm-share", 0.4, "--out", tmp_path / "out")
    assert told == status, err
    assert ("passed in turn" in out and "at most 5" in out) if status == 0 else "NOT CONFIRMED" in out
    assert (tmp_path / "out" / "model.json").exists() and not (tmp_path / "out" / "solution.json").exists()
    told, out, err = call(capsys, *words, "--confirm-share", 0.4, "--json")
    found = json.loads(out.splitlines()[-1])
    assert told == status and found["confirmed"]["confirmed"] == (status == 0)
    assert found["confirmed"]["n_samples"] == 96 and found["confirmed"]["constraints"][0]["holds"] == (status == 0)


@pytest.mark.parametrize(
    ("share", "message"),
    [
        (0.0, "The share of the rows kept aside must be more than 0 and less than 1. Got 0."),
        (0.999, "rows are too few to keep 99.9% of each class aside."),
    ],
)
def test_a_share_that_cannot_be_kept_aside_is_told_as_it_was_given(share: float, message: str) -> None:
    """Not 'test rows', of which there are none here, and not 100% for 99.9%."""
    with pytest.raises(DataError, match=re.escape(message)):
        confirm(Problem(drawn(60), constraints=(ASKED,)), share, solver("contree"))
