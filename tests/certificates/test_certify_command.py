"""The commands that write and check certificates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from solvers.__main__ import main
from solvers.problem import sample
from solvers.problem.samples import FOLDER
from tests.commands import call


@pytest.fixture
def fitted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The output of `fit --out` for one of Monk's problems."""
    words = (sample("monk1").path, "--target", "monk", "--method", "smallest-tree", "--max-depth", 5)
    assert call(capsys, "fit", *words, "--out", tmp_path / "fit")[0] == 0
    return tmp_path / "fit"


IRIS = FOLDER / "iris.csv"


def test_certificates_are_written_and_checked(fitted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder and a zip file, as text and as JSON; a damaged certificate is not accepted."""
    data, folder, packed = str(sample("monk1").path), tmp_path / "certificate", tmp_path / "certificate.zip"
    assert main(["certify", str(fitted), data, "--out", str(folder)]) == 0
    printed = capsys.readouterr()
    assert "Accepted" in printed.out and "No tree of depth at most 3 has a cost as low." in printed.out
    assert main(["certify", str(fitted), data, "--out", str(packed), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["optimal"] and output["smaller"][0] == "tree of depth at most 3"
    for path in (folder, packed):
        assert main(["check-certificate", str(path), data]) == 0
        assert "Accepted" in capsys.readouterr().out
    cases = (folder / "cases.csv").read_text().splitlines()
    (folder / "cases.csv").write_text("\n".join(cases[:-1]))
    assert main(["check-certificate", str(folder), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["accepted"] is False


def test_the_criterion_can_be_chosen(fitted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the depth, or the nodes at any depth, instead of the criterion of the run."""
    data, out = str(sample("monk1").path), str(tmp_path / "certificate")
    for smallest, ruled_out in (
        ("depth", ["tree of depth at most 3"]),
        ("nodes-at-any-depth", ["tree of depth at most 5 with at most 5 splits"]),
    ):
        assert main(["certify", str(fitted), data, "--out", out, "--smallest", smallest, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["smaller"] == ruled_out


def test_invalid_arguments_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Invalid arguments give a message and the exit status for wrong input."""
    assert main(["check-certificate", str(tmp_path / "none")]) == 2
    assert "Choose the folder or zip file of a certificate" in capsys.readouterr().err
    assert main(["certify", "x", "--out", "y", "--smallest", "magic"]) == 2
    assert "'--smallest': 'magic' is not one of" in capsys.readouterr().err


def certified(capsys: pytest.CaptureFixture, table: Path, target: str, out: Path, *words: str) -> dict[str, Any]:
    """The JSON of a certificate for the tree that `fit` finds with these options."""
    fitted = str(out.with_name("fitted"))
    assert main(["fit", str(table), "--target", target, "--out", fitted, *words]) == 0
    capsys.readouterr()
    assert main(["certify", fitted, str(table), "--out", str(out), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_an_optimal_tree_is_certified(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """The bound of a tree with errors is recomputed, under limits on leaves, their rows and their weight."""
    out, depth = tmp_path / "certificate", ("--max-depth", "2")
    output = certified(capsys, IRIS, "species", out, *depth)
    assert output["accepted"] and (output["cost"], output["bound"], output["n_rows"]) == (6, 6, 150)
    assert main(["check-certificate", str(out)]) == 0
    assert "no tree of this size costs less" in capsys.readouterr().out
    assert main(["check-certificate", str(out), str(IRIS)]) == 0
    assert main(["check-certificate", str(out), str(IRIS.with_name("wine.csv"))]) == 1
    assert main(["check-certificate", str(out), str(out)]) == 2
    capsys.readouterr()
    (out / "optimum.json").write_text((out / "optimum.json").read_text().replace('"depth": 2', '"depth": 3'))
    assert main(["check-certificate", str(out), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["fault"].startswith("README.md does not match")
    for limits, cost in (("--max-leaf-nodes", "2"), 50), (("--min-weight-leaf", "3", "--min-samples-leaf", "2"), 6):
        found = certified(capsys, IRIS, "species", out, *depth, *limits)
        assert found["accepted"] and found["cost"] == cost


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("a,y\n0,no\n1,yes\n0,no\n1,yes\n", "the table lacks b."),
        ("b,a,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n", "the columns have a different order."),
        ("a,b,c,y\n0,0,0,no\n0,1,1,yes\n1,0,0,yes\n1,1,1,no\n", "the table also has c."),
        ("a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,yes\n", "the rows, classes or types of columns differ."),
    ],
)
def test_certify_reports_how_a_table_differs_from_the_training_table(
    tmp_path: Path, capsys: pytest.CaptureFixture, table: str, words: str
) -> None:
    """A missing column raises no IndexError, and no certificate is written for rows that are not the training rows."""
    data, other, out = tmp_path / "data.csv", tmp_path / "other.csv", tmp_path / "certificate"
    data.write_text("a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    other.write_text(table)
    fitted = str(tmp_path / "fitted")
    assert main(["fit", str(data), "--target", "y", "--max-depth", "2", "--out", fitted]) == 0
    capsys.readouterr()
    assert main(["certify", fitted, str(other), "--out", str(out)]) == 1
    printed = capsys.readouterr()
    assert f"was not trained on this table: {words}" in printed.err
    assert not printed.out and not out.exists()
    assert main(["verify", fitted, str(other)]) == 1
