"""Preparation steps on the command line: listed, described, applied, stored in the model, and verified."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from solvers.diagram import from_json
from solvers.problem import STEPS
from tests.commands import call, fit

STEPS_OF_WARD = [
    {"kind": "replace", "column": "crp", "values": ["-99"]},
    {"kind": "combine", "first": "in", "operation": "days to", "second": "out", "to": "stay"},
    {"kind": "cut", "column": "stay", "thresholds": [7], "names": ["short", "long"]},
    {"kind": "keep", "column": "age", "condition": "is at least", "values": ["18"]},
]


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """A raw table: crp above 40 means more than 7 days, a code marks missing values, and some patients are minors."""
    rows = [f"{10 + i},{-99 if i % 9 == 0 else i},2024-03-01,2024-03-{4 if i <= 40 else 15:02}" for i in range(1, 81)]
    path = tmp_path / "ward.csv"
    path.write_text("age,crp,in,out\n" + "\n".join(rows) + "\n")
    (tmp_path / "steps.json").write_text(json.dumps(STEPS_OF_WARD))
    return path


def test_a_model_predicts_raw_rows(capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path) -> None:
    """Fitted, verified and applied to the raw file; rows that the steps remove get no prediction, with the reason.

    Columns of the raw table can still be dropped by name.
    """
    words = (
        "--prepare",
        tmp_path / "steps.json",
        "--target",
        "stay",
        "--drop",
        "in,out,age",
        "--out",
        tmp_path / "out",
    )
    assert fit(capsys, ward, *words, "--max-depth", 1)["verified"]
    assert call(capsys, "verify", tmp_path / "out", ward)[0] == 0
    assert [step.kind for step in from_json((tmp_path / "out" / "model.json").read_bytes()).preparation.steps] == [
        "replace",
        "keep",
    ]
    status, out, _ = call(capsys, "predict", tmp_path / "out", ward)
    answers = list(csv.DictReader(io.StringIO(out)))
    assert (status, len(answers)) == (0, 80)
    assert "keep rows where 'age' is at least 18" in answers[0]["path"]
    classes = {int(row["row"]): row["class"] for row in answers}
    assert [classes[row] for row in (7, 8, 39, 41, 80)] == ["", "short", "short", "long", "long"]
    status, _, err = call(
        capsys, "export", tmp_path / "out", "--format", "onnx", "--out", tmp_path / "model.onnx"
    )  # this format cannot contain steps
    assert (status, "needs prepared columns" in err) == (0, True)


def test_an_unreadable_cell_affects_only_its_row(
    capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path
) -> None:
    """The other rows get predictions; one line reports how many do not, and with --strict nothing is written."""
    out, new, predictions = tmp_path / "out", tmp_path / "new.csv", tmp_path / "told.csv"
    words = ("--prepare", tmp_path / "steps.json", "--target", "stay", "--features", "crp", "--out", out)
    fit(capsys, ward, *words, "--max-depth", 1)
    new.write_text("age,crp\n30,50\nold,50\n11,60\n40,3\n-inf,7\n")
    status, text, err = call(capsys, "predict", out, new)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert (status, [row["class"] for row in rows]) == (0, ["long", "", "", "short", ""])
    assert rows[1]["path"] == "no prediction: The column 'age' holds text where a number must be ('old')."
    assert rows[4]["path"] == "no prediction: The column 'age' holds an infinite value ('-inf')."
    assert err == f"3 of 5 rows have no prediction, first row 2 ({rows[1]['path']})\n"
    status, text, err = call(capsys, "predict", out, new, "--strict", "--out", predictions)
    assert (status, text, predictions.exists()) == (1, "", False) and "Nothing was written" in err
    new.write_text("age,crp\n30,50\n")
    assert call(capsys, "predict", out, new, "--strict", "--out", predictions) == (0, "", "") and predictions.exists()
    new.write_text("age,crp\n3,50\n")
    assert "keep rows where 'age' is at least 18" in call(capsys, "predict", out, new)[1]


def test_steps_are_listed_described_and_applied(capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path) -> None:
    """Without a file, all kinds; with a file, its steps in words; with a table, the prepared table."""
    status, out, _ = call(capsys, "prepare")
    assert status == 0
    assert all(f"{kind}: " in out for kind in STEPS)
    status, out, _ = call(capsys, "prepare", tmp_path / "steps.json")
    assert out.splitlines()[2] == "3. cut 'stay' at 7, called 'short' and 'long'"
    status, out, err = call(capsys, "prepare", tmp_path / "steps.json", ward)
    table = list(csv.DictReader(io.StringIO(out)))
    assert len(table) == 73
    assert "7 rows are left out" in err
    assert table[0] == {"age": "18", "crp": "8", "in": "2024-03-01", "out": "2024-03-04", "stay": "short"}
    (tmp_path / "steps.json").write_text('[{"kind": "replaced"}]')
    status, _, err = call(capsys, "fit", ward, "--target", "age", "--prepare", tmp_path / "steps.json")
    assert (status, "step 1: There is no step of the kind 'replaced'. Did you mean 'replace'" in err) == (2, True)
