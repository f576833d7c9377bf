"""The benchmark of decision diagrams measures what it says. How good the figures are is no test."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import odd
from benchmarks.constraints import read
from benchmarks.odd_cases import Bench, Case, State, halves
from benchmarks.report import replaced
from solvers.constraints import DemographicParityRatio, MaxQuestions, MinQuestionRows

QUICK = ["--method", "odd-greedy", "--seconds", "0.2", "--built", "0.05"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two tables; only the second has a column of two values."""
    rng = np.random.default_rng(0)
    for name, n in (("small", 24), ("larger", 40)):
        x, sex = rng.integers(0, 9, (n, 2)), rng.integers(0, 2, n)
        y = (x[:, 0] > 4) ^ (x[:, 1] > 3)
        columns = {"a": x[:, 0], "b": x[:, 1], "sex": np.array(["m", "f"])[sex], "outcome": y.astype(int)}
        if name == "small":
            del columns["sex"]
        lines = [",".join(map(str, line)) for line in (columns, *zip(*columns.values(), strict=True))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), "ascii")
    return tmp_path


def test_shares_of_the_paper_add_up() -> None:
    """The totals of table 1 without its row of trees, out of 54 sets, 5 divisions, 2 splits and 4 skeletons."""
    by_skeleton = [
        (152, 155, 162, 179, 225, 35, 91, 134, 202, 202),
        (150, 154, 162, 179, 227, 36, 91, 124, 194, 193),
        (148, 152, 161, 177, 223, 38, 89, 129, 200, 205),
        (149, 156, 163, 178, 226, 62, 124, 150, 226, 221),
    ]
    assert [sum(row) for row in by_skeleton] == [1537, 1510, 1522, 1655]
    totals = [odd.PAPER[what][alpha] for what in ("proved", "improved") for alpha in odd.ALPHAS]
    assert totals == np.sum(by_skeleton, axis=0).tolist()
    assert odd.PAPER["runs"] == 54 * 5 * 2 * 4


def test_half_of_the_rows_by_class(folder: Path) -> None:
    """Tables keep their names, small ones come first, and each class gives half of its rows."""
    whole = {table.name: table for table in read(folder)}
    trains = halves(whole.values())
    assert [train.name for train in trains] == ["small", "larger"]
    for train in trains:
        assert np.abs(2 * train.class_counts - whole[train.name].class_counts).max() <= 1


def test_cases_are_not_run_twice(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second run takes what the state has, and gives the same tables; another limit is another case."""
    state = tmp_path / "cases.jsonl"
    words = [str(folder), *QUICK, "--parts", "proofs", "--skeletons", "I", "--alphas", "0.1,1", "--state", str(state)]
    assert odd.main(words) == 0
    first, lines = capsys.readouterr(), state.read_text("utf-8").splitlines()
    assert len(lines) == 4 and first.err.count("feasible") == 4
    # a state of before has the older word
    state.write_text("\n".join(lines).replace('"constraint"', '"wish"') + "\n", "utf-8")
    assert odd.main(words) == 0
    again = capsys.readouterr()
    assert (again.out, again.err) == (first.out, "")
    words[words.index("0.2")] = "0.3"
    assert odd.main(words) == 0
    assert len(state.read_text("utf-8").splitlines()) == 8


def test_all_parts_are_written_into_the_page(folder: Path, tmp_path: Path) -> None:
    """Each part has its place, and says how every case ended."""
    page = tmp_path / "page.md"
    page.write_text(odd.PAGE.read_text("utf-8"), "utf-8")
    assert odd.main([str(folder), *QUICK, "--alphas", "0.1", "--skeletons", "I,IV", "--page", str(page)]) == 0
    text = page.read_text("utf-8")
    rows = {
        "proofs": "| 0.1 | 4 |",
        "multivariate": "| small | 12 | 2 | 0.1 |",
        "constraints": "| larger | 20 | none |",
    }
    for part, row in rows.items():
        inside = text.split(f"<!-- odd-{part}: begin -->")[1].split(f"<!-- odd-{part}: end -->")[0]
        assert row in inside and "Measured on" in inside


def test_the_page_has_a_place_for_every_part() -> None:
    """docs/performance-diagrams.md holds the marks."""
    page = odd.PAGE.read_text("utf-8")
    for part in odd.PARTS:
        assert "figures" in replaced(page, f"odd-{part}", "figures")


def test_constraints_of_a_table(folder: Path) -> None:
    """Parsimony and stability for every table, fairness where a column has two values."""
    small, larger = halves(read(folder))
    assert [type(constraint) for _, constraint in odd.constraints(small)] == [MaxQuestions, MinQuestionRows]
    assert [type(constraint) for _, constraint in odd.constraints(larger)] == [
        DemographicParityRatio,
        MaxQuestions,
        MinQuestionRows,
    ]
    assert odd.with_groups([small, larger], 3) == [larger]


def test_constraints_are_solved_beside_the_free_optimum(folder: Path) -> None:
    """A proved optimum under a constraint is never below the free one."""
    _, larger = halves(read(folder))
    bench = Bench("odd", 20.0, 0.1, State(None), lambda line: None)
    findings = odd.constrained(bench, [larger.take(np.arange(12), "few")], 0.5)
    (table,) = findings.tables
    assert findings.faults == ()
    costs = {row[2]: (row[3], float(row[4])) for row in table.rows}
    assert all(status == "optimal" for status, _ in costs.values())
    assert costs["none"][1] == min(cost for _, cost in costs.values())


CASE = Case("m", "proofs", "t", "I", 0.1, "", 1.0, "feasible", 0.2, 0.1, 0.3, 0.25, 3, 2, None, 0.5, 0.4, "")


def test_what_counts_as_proved_and_improved() -> None:
    """Optima and impossibilities are proofs; only what is really below the construction is an improvement."""
    assert CASE.improved and not CASE.proved
    assert not replace(CASE, built=0.2).improved and not replace(CASE, built=None).improved
    assert replace(CASE, status="optimal").proved and replace(CASE, status="infeasible", cost=None).proved
    cells = odd._by_alpha("0.1", [CASE, replace(CASE, status="optimal", cost=0.25, seconds=0.1)], (0.1,))
    assert cells == ("0.1", "2", "50 %", "29 %", "50 %", "100 %", "47 %", "0.10")
    assert odd._objective(CASE) == "0.30000 → 0.20000"
    assert odd._objective(replace(CASE, status="optimal", early=0.2)) == "0.20000*"
    assert odd._objective(replace(CASE, early=None)) == "– → 0.20000" and odd._objective(None) == "–"


def test_faults_are_told() -> None:
    """A result that fails its check, or is worse than the construction, is named."""
    (fault,) = odd._faults([CASE, replace(CASE, fault="ends worse than the construction")])
    assert fault == "t, I, alpha 0.1 : ends worse than the construction"


def test_a_damaged_state_is_refused(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line that is no case is named with its number."""
    state = tmp_path / "cases.jsonl"
    state.write_text(json.dumps({"part": "proofs"}) + "\n", "utf-8")
    assert odd.main([str(folder), *QUICK, "--state", str(state)]) == 2
    assert "Line 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--parts", "everything"], "no part 'everything'"),
        (["--skeletons", "V"], "no skeleton 'V'"),
        (["--sets", "huge"], "huge"),
    ],
)
def test_wrong_choices_are_told(folder: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What does not exist ends the command before anything runs."""
    assert odd.main([str(folder), *QUICK, *words]) == 2
    assert said in capsys.readouterr().err
