"""The command line and untrusted files: encoding, size, lists of constraints, and spreadsheet formulas."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from solvers.constraints.files import constraints_file, listed, presets
from solvers.problem.samples import FOLDER
from solvers.report.drawing import NO_BARS, Detail
from tests.commands import call, fit


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """A table that one split classifies."""
    path = tmp_path / "patients.csv"
    path.write_text("age,bmi,ill\n" + "".join(f"{20 + i},{i * 7 % 5},{'yes' if i > 9 else 'no'}\n" for i in range(20)))
    return path


def test_presets_are_chosen_by_title_or_number(
    capsys: pytest.CaptureFixture[str], patients: Path, tmp_path: Path
) -> None:
    """The files in sample_data/constraints are accepted as they are, and so is a file with a single preset."""
    most = {"one": 1, "two": 2}
    payload = {
        "presets": [{"title": title, "constraints": [{"kind": "max-columns", "most": n}]} for title, n in most.items()]
    }
    path = tmp_path / "presets.json"
    path.write_text(json.dumps(payload))
    for chosen in ("one", "1"):
        found = fit(capsys, patients, "--target", "ill", "--max-depth", 2, "--constraints", f"{path}#{chosen}")
        assert found["verified"]
    payload["presets"] = payload["presets"][:1]
    path.write_text(json.dumps(payload))
    assert fit(capsys, patients, "--target", "ill", "--max-depth", 2, "--constraints", path)["verified"]
    for preset in presets():
        text = constraints_file(FOLDER / "constraints" / f"{preset.sample}.json")
        assert len(listed(text, preset=preset.title)) == len(preset.constraints)


def test_a_file_of_two_encodings_is_read_in_the_chosen_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without a choice the file is refused; with one the model is found, and verified from the same file."""
    path = tmp_path / "mixed.csv"
    rows = b"".join(b"%d,%s\n" % (i % 7, "é".encode("utf-8" if i % 2 else "cp1252")) for i in range(20))
    path.write_bytes(b"age,ill\n" + rows)
    status, _, err = call(capsys, "fit", path, "--target", "ill")
    assert (status, "--file-encoding" in err) == (2, True)
    words = ("--file-encoding", "cp1252", "--max-depth", 1, "--out", tmp_path / "out")
    assert fit(capsys, path, "--target", "ill", *words)["verified"]
    assert call(capsys, "verify", tmp_path / "out", path)[0] == 0


IRIS = str(FOLDER / "constraints" / "iris.json")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--constraints", IRIS], "Choose one as FILE#TITLE"),
        (["--constraints", f"{IRIS}#99"], "'99' is not one of them"),
        (["--constraints", '{"presets": {}}'], "a list of objects under 'presets'"),
        (["--max-mb", "0.00001"], "--max-mb"),
        (["--max-mb", "nan"], "more than 0"),
        (["--file-encoding", "hex"], "one of utf-8, "),
    ],
)
def test_invalid_options_are_refused_in_one_sentence(
    words: list[str], named: str, capsys: pytest.CaptureFixture[str], patients: Path
) -> None:
    """Exit status 2 and one line on stderr that says what to do."""
    status, out, err = call(capsys, "fit", patients, "--target", "ill", *words)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert named in err


def test_rows_with_unseen_values_get_no_prediction(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Such a row has neither class nor leaf, with the reason; with 'ignore' it has both, also in exports."""
    table, out, new = tmp_path / "table.csv", tmp_path / "out", tmp_path / "new.csv"
    table.write_text("age,ill\n" + "".join(f"{20 + i // 2},{'yes' if i > 9 else 'no'}\n" for i in range(20)))
    fit(capsys, table, "--target", "ill", "--max-depth", 1, "--out", out)
    new.write_text("age\n21\n?\n")
    known, refused = csv.DictReader(call(capsys, "predict", out, new)[1].splitlines())
    assert known["class"] == "no" and known["path"].startswith("age is at most 24")
    assert (refused["class"], refused["leaf"], refused["p(no)"]) == ("", "", "")
    assert refused["path"] == "No prediction: age is missing, as in no training row. Possible predictions: no or yes."
    _, followed = csv.DictReader(call(capsys, "predict", out, new, "--handle-unknown", "ignore")[1].splitlines())
    assert followed["class"] and followed["path"].startswith("age unknown: treated as ")
    assert followed["path"].endswith("though every training row had age")
    for more, answers in (((), False), (("--handle-unknown", "ignore"), True)):
        module: dict[str, Any] = {}
        exec(call(capsys, "export", out, "--format", "python", *more)[1], module)
        if answers:
            assert module["predict"]({"age": None}) == followed["class"]
        else:
            with pytest.raises(ValueError, match="No prediction: the value of 'age'"):
                module["predict"]({"age": None})
    assert call(capsys, "export", out, "--format", "bedside")[1].startswith("<!DOCTYPE html>")


def test_an_unreadable_text_affects_only_its_row(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Only its row has no prediction, as in the Python export, even if no split uses the value, and with 'ignore'."""
    table, out, new = tmp_path / "table.csv", tmp_path / "out", tmp_path / "new.csv"
    # ill: old in ward A
    cases = [(age, ward, "yes" if (age, ward) == (70, "A") else "no") for age in (20, 70) for ward in "ABC"] * 5
    table.write_text("age,ward,ill\n" + "".join(f"{age},{ward},{ill}\n" for age, ward, ill in cases))
    fit(capsys, table, "--target", "ill", "--max-depth", 2, "--missing", "complete", "--out", out)
    new.write_text("age,ward\n70,A\n70, Z \n70,B\n20,=Z\nold,A\n-inf,B\n")
    refused = "No prediction: {}, as in no training row. {}"
    some, same = "Possible predictions: no or yes.", "For every possible value, the prediction would be no."
    texts = (("ward is Z", some), ("ward is =Z", same), ("age is old", some), ("age is -inf", same))
    follow = " A text that is not a level, number or date has no branch to follow."
    for more, end in (((), ""), (("--handle-unknown", "ignore"), follow)):
        status, output, err = call(capsys, "predict", out, new, *more)
        rows = list(csv.DictReader(output.splitlines()))
        assert (status, [row["class"] for row in rows]) == (0, ["yes", "", "no", "", "", ""])
        assert err == f"4 of 6 rows have no prediction, first row 2 ({rows[1]['path']})\n"
        assert [row["leaf"] == row["p(no)"] == "" for row in rows] == [False, True, False, True, True, True]
        assert [rows[i]["path"] for i in (1, 3, 4, 5)] == [refused.format(*text) + end for text in texts]
        module: dict[str, Any] = {}
        exec(call(capsys, "export", out, "--format", "python", *more)[1], module)
        with pytest.raises(ValueError, match="not in the training data"):
            module["predict"]({"age": 20, "ward": "=Z"})
    new.write_text("age,ward\n70,A\n,Z\n,B\n")
    rows = list(csv.DictReader(call(capsys, "predict", out, new, "--handle-unknown", "ignore")[1].splitlines()))
    assert [row["class"] for row in rows] == ["yes", "", ""]
    assert rows[1]["path"] == refused.format("age is missing and ward is Z", some) + follow
    assert rows[2]["path"] == refused.format("age is missing", same)


def test_predictions_are_safe_in_a_spreadsheet(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Class names and column names that look like formulas are quoted; numbers stay numbers."""
    path = tmp_path / "trap.csv"
    path.write_text("=cmd,y\n" + "".join(f"{i},{'=1+1' if i < 6 else '-2'}\n" for i in range(12)))
    fit(capsys, path, "--target", "y", "--max-depth", 1, "--features", "=cmd", "--out", tmp_path / "out")
    _, out, _ = call(capsys, "predict", tmp_path / "out", path)
    rows = list(csv.DictReader(out.splitlines()))
    assert {row["class"] for row in rows} == {"'=1+1", "-2"}
    assert all(row["path"].startswith("'=cmd ") for row in rows)


def test_a_drawing_has_the_requested_detail(capsys: pytest.CaptureFixture[str], patients: Path, tmp_path: Path) -> None:
    """Bare: no row counts. Rich: bars if the rows are known, or a note that they are not."""
    out = tmp_path / "out"
    patients.write_text("age,ill\n" + "".join(f"{20 + i % 60},{'yes' if i % 60 > 29 else 'no'}\n" for i in range(80)))
    fit(capsys, patients, "--target", "ill", "--max-depth", 2, "--out", out)
    drawn = {detail: call(capsys, "export", out, "--format", "svg", "--detail", detail)[1] for detail in Detail}
    assert "n = 80" in drawn["standard"] and "n = " not in drawn["bare"] and NO_BARS in drawn["rich"]
    assert drawn["standard"] == call(capsys, "export", out, "--format", "svg")[1]
    page = tmp_path / "report.html"
    assert call(capsys, "report", out, patients, "--detail", "rich", "--out", page)[0] == 0
    assert "Bars: rows by value" in page.read_text() and NO_BARS not in page.read_text()


@pytest.mark.parametrize("other", ["labels swapped", "a column missing"])
def test_a_report_on_another_table_says_that_nothing_is_verified(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, other: str
) -> None:
    """The page is written without cost and lower bound, and the exit status is that of `verify`."""
    rows = [(20 + i // 2, i * 7 % 5, "yes" if i > 9 else "no") for i in range(20)]
    tables = {
        "learned": ["age,bmi,ill", *(f"{age},{bmi},{ill}" for age, bmi, ill in rows)],
        "labels swapped": ["age,bmi,ill", *(f"{a},{bmi},{'yes' if ill == 'no' else 'no'}" for a, bmi, ill in rows)],
        "a column missing": ["bmi,ill", *(f"{bmi},{ill}" for _, bmi, ill in rows)],
    }
    for name, lines in tables.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    learned, changed, out, page = (tmp_path / name for name in ("learned.csv", f"{other}.csv", "out", "page.html"))
    assert fit(capsys, learned, "--target", "ill", "--max-depth", 1, "--out", out)["verified"]
    assert call(capsys, "report", out, learned, "--out", page)[0] == 0
    assert "Lower bound" in page.read_text()
    status, _, err = call(capsys, "report", out, changed, "--out", page)
    assert status == call(capsys, "verify", out, changed)[0] == 1
    assert "Not verified" in err and "was not trained on this table" in err
    text = page.read_text()
    assert "Not verified" in text and "Lower bound" not in text and "The status optimal" not in text
