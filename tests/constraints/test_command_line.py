"""Constraints on the command line: listing, fitting, verifying."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from solvers.constraints import KINDS, RoundThresholds, constraints_of, round_thresholds
from solvers.diagram import from_json
from solvers.problem import Request, build, table_of_frame
from tests.commands import call


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """Twelve patients with an identifier."""
    path = tmp_path / "ward.csv"
    rows = [
        f"P{i:02},{30 + 3 * i},{'fm'[i % 2]},{i * 7 % 5},{'ill' if i in (2, 5, 8, 9, 11) else 'well'}"
        for i in range(12)
    ]
    path.write_text("\n".join(["patient,age,sex,score,state", *rows]), "utf-8")
    return path


def fit(ward: Path, *constraints: dict[str, Any]) -> list[object]:
    """The arguments of a fit under constraints."""
    words = ["fit", ward, "--target", "state", "--positive", "ill", "--drop", "patient", "--max-depth", 2]
    return [*words, "--constraints", json.dumps(constraints)]


def test_kinds_are_listed_and_described(capsys: pytest.CaptureFixture[str]) -> None:
    """One line per kind, and a full description of a single kind."""
    status, out, _ = call(capsys, "constraints")
    assert (status, [line.split()[0] for line in out.splitlines()]) == (0, list(KINDS))
    _, out, _ = call(capsys, "constraints", "max-path-cost")
    assert "shared (shared costs, optional)" in out
    assert "Nanfack" in out
    _, out, _ = call(capsys, "constraints", "--json")
    kinds = json.loads(out)
    assert [kind["kind"] for kind in kinds] == list(KINDS)
    for kind in kinds:
        assert constraints_of(json.dumps([kind["example"]["json"]]))[0].words() == kind["example"]["words"]
    status, _, err = call(capsys, "constraints", "max-path-cots")
    assert status == 2
    assert "Did you mean 'max-path-cost'?" in err


def test_fit_satisfies_constraints_and_reports_them(
    capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path
) -> None:
    """The value of each constraint and whether it binds, as JSON and as text, and checked again by `verify`."""
    constraints = {"kind": "max-missed", "most": 0}, {"kind": "never-columns", "columns": ["sex"]}
    status, out, err = call(capsys, *fit(ward, *constraints), "--json", "--out", tmp_path / "out")
    output = json.loads(out)
    assert (status, output["status"], output["verified"]) == (0, "optimal", True)
    missed, never = output["constraints"]
    assert missed == {
        "kind": "max-missed",
        "words": "at most 0 of the rows with state = ill are missed",
        "holds": True,
        "value": 0.0,
        "limit": 0.0,
        "shown": "0",
        "binds": True,
        "idle": "",
        "interval": None,
    }
    assert (never["holds"], never["value"], never["binds"]) == (True, None, None)
    assert "There are 5 training rows with state = ill. At most 0 of them may be missed." in err
    status, out, _ = call(capsys, "verify", tmp_path / "out", ward)
    assert status == 0
    assert "'sex is never asked' holds." in out
    _, out, _ = call(capsys, *fit(ward, *constraints))
    assert out.startswith("Optimal on training data: no tree of depth 2 that satisfies all constraints has fewer")
    assert "  holds: at most 0 of the rows with state = ill are missed (0, binding)\n" in out


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ('[{"kind": "asked-before", "first": "agee", "then": "score"}]', "Did you mean 'age'?"),
        ('[{"kind": "asked"}]', "constraint 1: There is no constraint of the kind 'asked'"),
        ("[{", "is not valid JSON"),
        ("nowhere.json", "nowhere.json"),
    ],
)
def test_invalid_constraints_are_invalid_input(
    capsys: pytest.CaptureFixture[str], ward: Path, constraints: str, message: str
) -> None:
    """Invalid constraints give exit status 2 and one sentence."""
    status, out, err = call(capsys, *fit(ward)[:-1], constraints)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_the_price_of_round_thresholds_is_exact(capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path) -> None:
    """Thresholds are multiples of the unit of their column, the result can be verified, and the price is that of two
    proofs.
    """
    ask = ["--target", "state", "--positive", "ill", "--features", "age", "--max-depth", 2]
    costs = []
    for more in ((), ("--round-thresholds",)):
        status, out, _ = call(capsys, "fit", ward, *ask, *more, "--out", tmp_path / "out", "--json")
        output = json.loads(out.splitlines()[-1])
        assert (status, output["status"], output["verified"]) == (0, "optimal", True)
        costs.append(output["errors"])
    (rounded,) = output["constraints"]
    assert rounded["words"] == "thresholds are multiples of 2 for age"
    model = from_json((tmp_path / "out" / "model.json").read_bytes())
    thresholds = [node.predicate.value for _, node in model.splits]
    assert thresholds and all(value % 2 == 0 for value in thresholds)
    assert call(capsys, "verify", tmp_path / "out", ward)[0] == 0
    assert costs[1] >= costs[0]
    out = call(capsys, "explain", ward, *ask, "--round-thresholds", "--prices")[1]
    assert f"without it {costs[1]} errors" in out


def test_units_are_chosen_for_each_numeric_column() -> None:
    """The unit is the largest round number of at most a tenth of the range of most values; integers get integer
    units.
    """
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 90, 200), "crp": rng.random(200) * 3, "ward": ["A", "B"] * 100})
    frame["score"], frame["ill"] = rng.integers(0, 6, 200), ["yes", "no"] * 100
    made = round_thresholds(build(table_of_frame(frame, "ward"), Request(target="ill")).dataset)
    assert dict(made.units) == {"age": 5, "crp": Fraction(1, 5), "score": 1}
    many = RoundThresholds(tuple((f"c{j}", 5) for j in range(30))).words()
    assert many.endswith("of 5 for c3 and of a unit each for 26 more features")
