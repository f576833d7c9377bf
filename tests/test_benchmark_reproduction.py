"""The command that reproduces the papers' tables measures, resumes, judges and writes its page; on generated data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import reproduce
from benchmarks.reproduction.page import extent_of, markdown, whole_page
from benchmarks.reproduction.papers import MEASURES, PAPERS, TABLES
from benchmarks.reproduction.registry import Case, Verdict, higher, lower
from benchmarks.reproduction.state import State

EXCLUSIVE = "\n".join(["a,b,class", *(f"{a},{b},{int((a < 2) != (b < 2))}" for a in range(4) for b in range(4))])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of data with one table, 'either, but not both', under the name of one of a paper."""
    (tmp_path / "sat").mkdir()
    (tmp_path / "sat" / "monk1.csv").write_text(EXCLUSIVE, "utf-8-sig")
    return tmp_path


def test_every_table_has_cases_that_can_be_measured() -> None:
    """Keys are unique, the quick setting is shorter than the full one, and each case names a function that exists."""
    assert len(TABLES) == sum(len(paper.tables) for paper in PAPERS)
    for table in TABLES.values():
        assert table.hours(table.quick) < table.hours(table.full)
        for case in (*table.cases(table.full), *table.cases(table.quick)):
            assert case.measure in MEASURES
            assert json.loads(case.key) == [case.measure, dict(case.arguments), case.seconds]


def test_a_page_is_written_before_anything_is_measured() -> None:
    """Without any case every table has its section, and no line of ours pretends to be measured."""
    page = whole_page(PAPERS, State(None).find)
    for table in TABLES.values():
        assert f"`--table {table.key}`" in page
        verdicts = {line.verdict for line in table.compare(table.quick, State(None).find).lines}
        assert verdicts <= {Verdict.OPEN, Verdict.NO_DATA}, table.key
        for line in table.compare(table.quick, State(None).find).lines:
            assert len(line.cells) == len(table.compare(table.quick, State(None).find).headers) - 1, table.key


def test_a_table_is_measured_resumed_and_written(folder: Path, tmp_path: Path, capsys) -> None:
    """A case a line of the state; a second run measures nothing and prints the same; the page has the figures."""
    state, page = tmp_path / "cases.jsonl", tmp_path / "page.md"
    words = [str(folder), "--table", "inferdt-4", "--quick", "--sets", "monk1", "--state", str(state)]
    assert reproduce.main([*words, "--page", str(page)]) == 0
    first, lines = capsys.readouterr(), state.read_text("utf-8").splitlines()
    assert len(lines) == 6 and first.err.count("optimal") == 6
    row = next(line for line in first.out.splitlines() if line.startswith("| monk1 | thresholds |"))
    assert "2 / 7*" in row and "differs: another number of rows" in row
    assert "| monk1 | thresholds |" in page.read_text("utf-8")
    assert reproduce.main(words) == 0
    again = capsys.readouterr()
    assert (again.out, again.err) == (first.out, "")


def test_what_fails_is_told_and_kept(folder: Path, tmp_path: Path, capsys) -> None:
    """A table that is not there is named; the other cases go on, and the command ends with 1."""
    words = [str(folder), "--table", "inferdt-4", "--quick", "--sets", "monk2"]
    assert reproduce.main(words) == 1
    assert "'sat/monk2.csv' must be in the folder" in capsys.readouterr().err


def test_wrong_commands_are_told(folder: Path, tmp_path: Path, capsys) -> None:
    """Unknown tables, no folder, and a state that is none."""
    assert reproduce.main([str(folder), "--table", "neither"]) == 2
    assert "There is no table 'neither'" in capsys.readouterr().err
    assert reproduce.main(["--table", "inferdt-1"]) == 2
    assert "A folder with the papers' tables is needed" in capsys.readouterr().err
    (tmp_path / "broken").write_text("nothing\n", "ascii")
    assert reproduce.main([str(folder), "--state", str(tmp_path / "broken")]) == 2
    assert "Line 1" in capsys.readouterr().err


def test_verdicts() -> None:
    """Within the distance is reproduced, beyond it better or different; what is missing is open or ours only."""
    assert higher(90.0, 91.0, 2, "") == (Verdict.REPRODUCED, "")
    assert higher(90.0, 95.0, 2, "folds") == (Verdict.BETTER, "")
    assert higher(90.0, 80.0, 2, "folds") == (Verdict.DIFFERS, "folds")
    assert lower(90.0, 80.0, 2, "folds") == (Verdict.BETTER, "")
    assert lower(90.0, None, 2, "") == (Verdict.OPEN, "")
    assert higher(None, 3.0, 2, "") == (Verdict.OWN, "")


def test_the_full_setting_is_shown_once_it_is_there(tmp_path: Path) -> None:
    """The quick cases are shown until all those of the full setting are known."""
    table, state = TABLES["inferdt-1"], State(None)
    assert extent_of(table, state.find) == (table.quick, "not measured yet")
    for case in table.cases(table.quick):
        state.add(case, {"failure": "made up"})
    assert extent_of(table, state.find) == (table.quick, "quick")
    for case in table.cases(table.full):
        state.add(case, {"failure": "made up"})
    assert extent_of(table, state.find) == (table.full, "in full")
    assert "(in full)" in markdown(table, state.find)


def test_random_trees_are_found_again(folder: Path) -> None:
    """The share that is found again is that of a batch, for every way of drawing trees."""
    for drawn in ("complete", "leaves", "all"):
        found = MEASURES["inferdt.recovery"](folder, 20.0, drawn=drawn, examples=40, method="c45", first=0)
        assert 0 <= found["found"] <= found["of"] and found["questions"] > 1
    assert np.isfinite(found["cpu"])


def test_cases_keep_their_key() -> None:
    """The order of arguments does not matter, the limit does."""
    case = Case("m", {"a": 1, "b": 2}, 3.0)
    assert case.key == Case("m", {"b": 2, "a": 1}, 3.0).key != Case("m", {"a": 1, "b": 2}, 4.0).key
