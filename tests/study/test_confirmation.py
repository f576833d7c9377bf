"""Confirmed constraints: the sequence on the training rows, and the tests on the held-out rows."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks import confidence
from solvers.constraints import (
    DemographicParity,
    MaxErrors,
    MinAccuracy,
    MinPPV,
    MinSensitivity,
    MinSpecificity,
    from_json,
)
from solvers.errors import ConstraintError, DataError
from solvers.explain import solver
from solvers.metrics import cautions
from solvers.metrics.cautions import CautionKind
from solvers.problem import Dataset, Division, Group, Limits, Problem, Shape, holdout
from solvers.study.confirmation import STEPS, ConfirmConstraints
from tests.commands import call
from tests.explain.worlds import never

ASKED = MinSensitivity("0.8", confidence="0.95")


def drawn(n: int = 240, seed: int = 2) -> Dataset:
    """A table of a known rule."""
    return confidence.drawn(n, 0.2, np.random.default_rng(seed))[0]


def test_the_sequence_is_optimal_and_ends_with_its_first_failure() -> None:
    """Each limit is one step weaker, each model the best for its limit, tested by the constraint with confidence."""
    problem = Problem(drawn(), Shape(max_depth=2), constraints=(ASKED, MaxErrors(200)))
    found = ConfirmConstraints(0.4, 3).answer(problem)
    learned, aside = holdout(problem.dataset, 0.4, 3)
    assert found.n_aside == aside.n_samples and len(found.tests) > 2
    for step, test in enumerate(found.tests):
        limit = 1 - Fraction(step, STEPS) * Fraction(2, 10)
        stricter = MinSensitivity(limit, confirms=ASKED)
        posed = replace(problem, dataset=learned, constraints=(stricter, MaxErrors(200)))
        assert (test.constraints, test.solution.problem_id) == (posed.constraints, posed.id)
        assert test.solution.verified and test.solution.cost == test.solution.bound
        assert test.confirmed == (not ASKED.violations(test.solution.diagram, aside))
        assert test.confirmed or test is found.tests[-1]
        # cautions about the model refer to the original constraint, not the stricter limit
        against = {caution.kind for caution in cautions(posed, test.solution.diagram, aside)}
        unheld = {CautionKind.BROKEN_CONSTRAINT, CautionKind.UNCONFIRMED_CONSTRAINT}
        assert test.confirmed == against.isdisjoint(unheld)
    assert found.chosen is max((r for r in found.tests if r.confirmed), key=found.tests.index)
    costs = [test.solution.cost for test in found.tests]
    assert costs == sorted(costs, reverse=True), "a looser limit never costs more"


def test_a_stored_limit_is_searched_again() -> None:
    """A limit found on other rows is searched again: the constraint that it confirms is tested, with the others."""
    specific = MinSpecificity("0.3", confidence="0.6")
    limits = (MinSensitivity("0.85", confirms=ASKED), specific)
    again, anew = (
        ConfirmConstraints(0.4, 3).answer(Problem(drawn(), Shape(max_depth=1), constraints=constraints))
        for constraints in (limits, (ASKED, specific))
    )
    assert anew.tests and [(r.constraints, r.confirmed) for r in again.tests] == [
        (r.constraints, r.confirmed) for r in anew.tests
    ]


def test_a_predictive_value_keeps_its_confidence() -> None:
    """In the sequence a PPV keeps its confidence: without it, trees with a PPV of 100% have hardly any positives."""
    constraint = MinPPV("0.4", confidence="0.95")
    problem = Problem(drawn(400, 6), Shape(max_depth=2), constraints=(constraint,))
    found = ConfirmConstraints(0.4, 3).answer(problem)
    assert found.chosen is found.tests[-1] and len(found.tests) > 2
    for test in found.tests:
        (stricter,) = test.constraints
        assert isinstance(stricter, MinPPV) and (stricter.confidence, stricter.confirms) == (
            constraint.confidence,
            constraint,
        )
        assert stricter.share >= constraint.share and from_json(stricter.to_json()) == stricter


def test_few_held_out_rows_confirm_nothing() -> None:
    """Ten of ten do not show 80% with 95% confidence; without rows of the class nothing can be shown."""
    found = ConfirmConstraints(0.2).answer(Problem(drawn(60), Shape(max_depth=1), constraints=(ASKED,)))
    assert found.chosen is None and len(found.tests) == 1


def test_a_constraint_without_confidence_is_refused() -> None:
    """Such a constraint applies to the training rows only."""
    with pytest.raises(ConstraintError, match="Give a constraint a 'confidence'"):
        ConfirmConstraints(0.3).answer(Problem(drawn(60), constraints=(MinAccuracy("0.6"),)))


def test_grouped_rows_confirm_nothing() -> None:
    """Ten visits of a patient are not ten independent rows."""
    data = drawn(60)
    groups = Group("patient", (), np.arange(60) // 10)
    problem = Problem(replace(data, division=Division(groups=groups)), constraints=(ASKED,))
    with pytest.raises(ConstraintError, match="share 'patient' are not independent"):
        ConfirmConstraints(0.3).answer(problem)


def test_a_group_without_held_out_rows_is_not_confirmed() -> None:
    """Rows of two groups say nothing about the third, although the constraint compares the existing ones."""
    data = drawn(60)
    codes = np.arange(60) % 2
    codes[holdout(data, 0.4, 0)[0].rows[:1] - data.rows[0]] = 2
    data = replace(data, groups=(Group("sex", ("f", "m", "x"), codes),))
    constraint = DemographicParity("sex", "0.9", confidence="0.8")
    with pytest.raises(ConstraintError, match="these groups to confirm a result: x"):
        ConfirmConstraints(0.4).answer(Problem(data, Shape(max_depth=1), constraints=(constraint,)))


def test_confirmed_limits_hold_more_often_than_plain_ones() -> None:
    """The benchmark itself, on few tables: the true rates are counted on rows drawn from the rule."""
    dataset, risk = confidence.drawn(300, 0.2, np.random.default_rng(10))
    tree = solver("contree")(Problem(dataset, Shape(max_depth=2)), Limits(), lambda event: None, never).diagram
    random = np.random.default_rng(6)
    rows = random.integers(0, len(confidence.CELLS), 200_000)
    ill, predicted = random.random(len(rows)) < risk[rows], tree.predict(confidence.CELLS)[rows] == 1
    group = confidence.GROUP[rows] == 1
    true = {
        "sensitivity": predicted[ill].mean(),
        "specificity": 1 - predicted[~ill].mean(),
        "accuracy": (predicted == ill).mean(),
        "ppv": ill[predicted].mean(),
        "parity": abs(predicted[group].mean() - predicted[~group].mean()),
    }
    for measure, value in true.items():
        below, above = (confidence.Asked(measure, Fraction(f"{value + by:.3f}"), 2) for by in (-0.01, 0.01))
        assert confidence.kept(tree, risk, below).holds != confidence.kept(tree, risk, above).holds
        assert confidence.kept(tree, risk, below).holds == (measure != "parity")
    assert confidence.kept(tree, risk, above).error == pytest.approx((predicted != ill).mean(), abs=0.01)
    found = confidence.measure(3, (200,), confidence.Asked("ppv", Fraction(6, 10), 1), 0, 1)
    assert found.tables[0].rows[-1][0] == "all" and len(found.tables[0].rows) == 4


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The same rows in a file."""
    data, path = drawn(), tmp_path / "drawn.csv"
    lines = [",".join(map(str, (*row, data.classes[y]))) for row, y in zip(data.X.tolist(), data.y, strict=True)]
    path.write_text("\n".join(("a,b,c,d,ill", *lines)))
    return path


def fitted(path: Path, share: float, *more: object) -> tuple[object, ...]:
    """The output of the command line."""
    constraints = json.dumps([{"kind": "min-sensitivity", "share": share, "confidence": 0.95}])
    model = ("--target", "ill", "--positive", "yes", "--max-depth", 2, "--constraints", constraints)
    return ("fit", path, *model, "--validation-share", 0.4, *more)


@pytest.mark.parametrize(("share", "status"), [(0.8, 0), (0.999, 1)])
def test_the_command_line_confirms_constraints(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, table: Path, share: float, status: int
) -> None:
    """It prints the model, the result on the held-out rows, and the guarantee; status 1 if nothing is confirmed."""
    folder = tmp_path / "out"
    code, out, err = call(capsys, *fitted(table, share, "--out", folder))
    assert code == status, err
    said = ("Confirmed on 96 held-out rows", "probability 5% at most") if status == 0 else ("NOT CONFIRMED",)
    assert all(words in out for words in (*said, "(to confirm: sensitivity", "Held out: "))
    code, out, err = call(capsys, "verify", folder, table)
    assert code == 0 and "Verified: optimal" in out, err
    code, out, err = call(capsys, *fitted(table, share, "--json"))
    found = json.loads(out.splitlines()[-1])
    assert code == status and found["confirmed"]["confirmed"] == (status == 0)
    assert found["confirmed"]["n_samples"] == 96 and found["confirmed"]["constraints"][0]["holds"] == (status == 0)
    assert found["test_constraints"] == found["confirmed"]["constraints"]


def test_what_was_confirmed_is_reported_and_checked_like_any_other(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, table: Path
) -> None:
    """A confirmed model with further held-out rows has their figures in the report; its penalty depends on the rows."""
    folder, page = tmp_path / "out", tmp_path / "report.html"
    diagram = ("--shape", "diagram", "--skeleton", "1 2", "--alpha", 0.3, "--min-samples-split", 4)
    words = fitted(table, 0.6, *diagram, "--test-share", 0.2, "--out", folder)
    code, out, err = call(capsys, *(word for word in words if word not in ("--max-depth", 2)))
    assert code == 0 and "Confirmed on 77 held-out rows" in out, err
    assert call(capsys, "verify", folder, table)[0] == 0
    assert call(capsys, "report", folder, table, "--out", page)[0] == 0
    assert "Confirmed on 77 held-out rows: sensitivity" in page.read_text()
    assert call(capsys, "predict", folder, table)[0] == call(capsys, "export", folder, "--format", "python")[0] == 0


def test_a_stricter_limit_confirms_its_constraint_until_it_is_changed() -> None:
    """A limit stores the constraint that it confirms, which applies to other rows; another limit confirms none."""
    stricter = MinSensitivity("0.9", confirms=ASKED)
    assert from_json(json.loads(json.dumps(stricter.to_json()))) == stricter != MinSensitivity("0.9")
    assert stricter.judged is ASKED and ASKED.judged is ASKED
    assert stricter.with_limit("0.9") == MinSensitivity("0.9")
    assert Problem(drawn(60), constraints=(stricter,)).id != Problem(drawn(60), constraints=(MinSensitivity("0.9"),)).id


@pytest.mark.parametrize(
    ("limit", "confirms", "message"),
    [
        (0.7, ASKED.to_json(), "is not stricter than the limit"),
        (0.9, {**ASKED.to_json(), "positive": "no"}, "is not stricter than the limit"),
        (0.9, MinSensitivity("0.8").to_json(), "can only confirm a limit with a confidence"),
        (0.9, MinAccuracy("0.8", confidence="0.9").to_json(), "can only confirm another '"),
        (0.9, 5, "can only confirm another '"),
    ],
)
def test_a_stored_limit_confirms_no_other_constraint(limit: float, confirms: object, message: str) -> None:
    """This holds whatever a file claims."""
    with pytest.raises(ConstraintError, match=message):
        from_json({"kind": "min-sensitivity", "share": limit, "confirms": confirms})


@pytest.mark.parametrize(
    ("share", "message"),
    [
        (0.0, "The share of held-out rows must be more than 0 and less than 1, but is 0."),
        (0.999, "rows are too few to keep 99.9% of each class aside."),
    ],
)
def test_an_invalid_validation_share_is_quoted_as_given(share: float, message: str) -> None:
    """The message quotes the given share, not 100% for 99.9%, and does not mention test rows."""
    with pytest.raises(DataError, match=re.escape(message)):
        ConfirmConstraints(share).answer(Problem(drawn(60), constraints=(ASKED,)))
