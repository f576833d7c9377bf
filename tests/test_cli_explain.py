"""The command `explain`: its output as text and as JSON, and its refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import call


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """Twelve rows that two splits classify."""
    rows = ["age,sex,state"]
    rows += [f"{20 + 5 * i},{'fm'[i % 2]},{'ill' if i > 6 and i % 2 else 'well'}" for i in range(12)]
    path = tmp_path / "ward.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def constraints(folder: Path, *entries: dict[str, Any]) -> Path:
    """A file of constraints."""
    path = folder / "constraints.json"
    path.write_text(json.dumps(entries))
    return path


LEAVES = {"kind": "max-leaves", "leaves": 1}
FOUND = {"kind": "min-sensitivity", "share": 1, "positive": "ill"}
CLEARED = {"kind": "min-specificity", "share": 1, "positive": "ill"}
TOP = {"kind": "fixed-top", "questions": {"column": "sex", "op": "is", "value": "m"}}
FEW = {"kind": "max-depth", "depth": 2}


def explain(capsys: pytest.CaptureFixture[str], ward: Path, path: Path, *more: object) -> tuple[int, str, str]:
    """Explain with the default method."""
    common = ("--target", "state", "--max-depth", 2, "--time-limit", "none", "--constraints", path)
    return call(capsys, "explain", ward, *common, *more)


def test_a_conflict_in_sentences(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """The conflict, the nearest possible constraints and the repairs are sentences."""
    status, out, _ = explain(capsys, ward, constraints(ward.parent, LEAVES, FEW, FOUND, CLEARED))
    assert status == 0
    assert out.startswith("These 3 constraints cannot hold together: at most 1 leaf; ")
    assert "at most 1 leaf; nearest possible: at most 3 leaves" in out
    assert "Drop 'at most 1 leaf'. Then best tree: 0 errors (proved)." in out


def test_a_conflict_as_json(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """One object, with keys that refer to positions in the file."""
    status, out, _ = explain(capsys, ward, constraints(ward.parent, LEAVES, FEW, FOUND, CLEARED), "--json")
    facts = json.loads(out.splitlines()[-1])
    assert (status, facts["status"], facts["extent"]) == (0, "infeasible", "smallest")
    assert [part["relaxable"]["key"] for part in facts["parts"]] == [0, 2, 3]
    assert facts["parts"][0]["nearest"]["constraint"] == {"kind": "max-leaves", "leaves": 3}
    assert {change["relaxable"]["key"] for repair in facts["repairs"] for change in repair["changes"]} == {0, 2, 3}


def test_no_conflict(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """If a tree exists, the output says so."""
    status, out, _ = explain(capsys, ward, constraints(ward.parent, FEW))
    assert (status, out) == (0, "Nothing is in conflict: a model that satisfies all constraints was found.\n")


def test_prices_of_constraints(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """The cost saved without each constraint, and whether it is binding."""
    status, out, _ = explain(capsys, ward, constraints(ward.parent, LEAVES, FEW), "--prices")
    assert (status, out.splitlines()) == (
        0,
        [
            "Best tree with all constraints: 3 errors (proved).",
            "  at most 1 leaf: saves 3 errors (3 fewer missed cases); without it 0 errors, binding",
            "  at most 2 questions on every path: saves nothing; without it 3 errors, with slack",
        ],
    )
    status, out, _ = explain(capsys, ward, constraints(ward.parent, LEAVES, FEW), "--prices", "--json")
    assert [price["saved_least"] for price in json.loads(out)["prices"]] == [3, 0]


@pytest.mark.parametrize(("constraint", "words"), [("2", "at most 2 leaves: 2"), ("max-depth", "at most 1 question")])
def test_a_trade_off(capsys: pytest.CaptureFixture[str], ward: Path, constraint: str, words: str) -> None:
    """One line per limit, for constraints of the file and for size limits."""
    status, out, _ = explain(
        capsys, ward, constraints(ward.parent, FEW, {**LEAVES, "leaves": 4}), "--trade-off", constraint
    )
    assert status == 0
    assert any(line.startswith(f"  {words}") for line in out.splitlines())


@pytest.mark.parametrize(("price", "leaves", "total"), [(0.5, 3, 1.5), (4, 1, 7)])
def test_a_limit_with_a_price(
    capsys: pytest.CaptureFixture[str], ward: Path, price: float, leaves: int, total: float
) -> None:
    """If leaves are cheap, the tree without errors is best; else a single leaf with three errors."""
    asked = constraints(ward.parent, {**LEAVES, "leaves": 4}), "--trade-off", "1", "--price", price
    status, out, _ = explain(capsys, ward, *asked)
    assert status == 0
    assert f"Best at this price: at most {leaves} lea" in out and f"; {total:,.2f} with the price. Proved." in out
    found = json.loads(explain(capsys, ward, *asked, "--json")[1])["compromise"]
    assert (found["total"], found["bound"], found["proved"]) == (total, total, True)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--price", "2"), "--price needs --trade-off"),
        (("--trade-off", "1", "--price", "-1"), "a number above 0"),
        (("--trade-off", "9"), "There is no constraint 9. Choose one of: 1 ("),
        (("--trade-off", "leaves?"), "'leaves?' is not a constraint. Enter its number in the file"),
        (("--trade-off", "1", "--prices"), "Leave one of them out"),
        (("--method", "contre"), "Did you mean 'contree'?"),
    ],
)
def test_wrong_input_is_refused(
    capsys: pytest.CaptureFixture[str], ward: Path, more: tuple[str, ...], words: str
) -> None:
    """One sentence on stderr, exit status 2."""
    status, out, err = explain(capsys, ward, constraints(ward.parent, FEW), *more)
    assert (status, out) == (2, "")
    assert words in err


def test_fit_points_to_the_explanation(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """If no tree satisfies the constraints, the summary names the command that explains why."""
    path = constraints(ward.parent, LEAVES, FOUND, CLEARED)
    common = ("--target", "state", "--max-depth", 2, "--method", "contree")
    status, out, _ = call(capsys, "fit", ward, *common, "--constraints", path)
    assert status == 1
    assert out.startswith("No tree of depth 2 satisfies all constraints (proved).")
    assert "Run 'explain' with the same options" in out
    _, out, _ = call(capsys, "fit", ward, *common, "--constraints", path, "--json")
    facts = json.loads(out)
    assert (facts["status"], facts["cost"], facts["errors"], facts["verified"]) == ("infeasible", None, None, True)
    assert facts["constraints"] is None


def test_an_undecided_conflict(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """Without enough time nothing is claimed, and the exit status is 1."""
    status, out, _ = explain(capsys, ward, constraints(ward.parent, TOP, FOUND), "--time-limit", "0.001")
    assert (status, out) == (1, "Whether the constraints can hold together was not decided in time.\n")
