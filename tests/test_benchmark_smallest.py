"""The benchmark of smallest trees shows what the command `fit` finds, and says where methods disagree."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import smallest

EXCLUSIVE = "\n".join(["a,b,class", *(f"{a},{b},{int((a < 2) != (b < 2))}" for a in range(4) for b in range(4))])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one table that starts with a byte order mark: 'either, but not both'."""
    (tmp_path / "either.csv").write_text(EXCLUSIVE, "utf-8-sig")
    return tmp_path


def test_json_has_the_figures_of_smallest_trees(folder: Path) -> None:
    """`fit --json` tells depth, nodes, how many rows decide, and status."""
    run = smallest.fit(folder / "either.csv", "inferdt-size", depth=4, limit=60)
    assert (run["status"], run["depth"], run["n_nodes"]) == ("optimal", 2, 7)
    assert 4 <= run["examples_used"] == len(run["stats"]["examples"]) <= 16
    assert run["stats"]["examples"] == sorted(run["stats"]["examples"])


def test_the_table_has_a_line_for_each_method(folder: Path) -> None:
    """Methods stand below each other, with what is proved."""
    findings = smallest.measure(folder, None, ("smallest-tree", "inferdt-depth"), 4, 60)
    (table,) = findings.tables
    assert findings.faults == ()
    assert [row[:5] for row in table.rows] == [
        ("either", "smallest-tree", "16", "2", "7"),
        ("either", "inferdt-depth", "16", "2", "7"),
    ]
    assert [row[7] for row in table.rows] == ["depth, nodes", "depth"]


def test_other_proofs_are_a_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two methods prove different depths, the command says so."""

    def lies(path: Path, method: str, depth: int, limit: float) -> dict:
        known = {"least_depth": len(method), "nodes": 7, "fewest_nodes": False, "tied": False}
        stats = {"examples_used": 4, "refuted": [0]}
        return {"stats": stats, "details": {"consistent": known}, "n_samples": 16, "cpu_seconds": 0.1}

    monkeypatch.setattr(smallest, "fit", lies)
    (fault,) = smallest.measure(folder, None, ("a", "bb"), 4, 60).faults
    assert fault == "On either the least depth is said to be [1, 2]."


def test_a_missing_table_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table that is not there ends the command with a sentence."""
    assert smallest.main([str(folder), "--sets", "neither"]) == 2
    assert "There is no neither." in capsys.readouterr().err
