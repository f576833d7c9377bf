"""The benchmarks measure correctly. No test measures speed."""

from __future__ import annotations

import csv
import signal
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from benchmarks import (
    bdd_constraints,
    constraints,
    data,
    near,
    optimum_certificates,
    peers,
    prices,
    tables,
    trees,
)
from benchmarks.data import Task
from benchmarks.learners import LEARNERS
from benchmarks.process import Bench, Run, fresh, measure, requested
from benchmarks.tables import Ratio
from benchmarks.trees import Contest
from solvers.errors import RunError, UnknownMethodError

TINY = data.noisy(24, 2, 3, seed=4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two small tables."""
    for name, rows in (("small", 20), ("larger", 40)):
        task = data.noisy(rows, 2, 2, seed=1)
        lines = (f"{label} {a / 8} {b / 8}" for label, (a, b) in zip(task.label, task.rank.T, strict=True))
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), "ascii")
    return tmp_path


def fewest_errors(task: Task, rows: np.ndarray, depth: int) -> int:
    """The optimum, by enumeration of all trees."""
    errors = len(rows) - int(np.bincount(task.label[rows]).max())
    if depth > 0:
        for values in task.rank[:, rows]:
            for threshold in np.unique(values)[:-1]:
                sides = rows[values <= threshold], rows[values > threshold]
                errors = min(errors, sum(fewest_errors(task, side, depth - 1) for side in sides))
    return errors


def run(learner: str, seconds: float = 1.0, **changes: object) -> Run:
    """A run with made-up measurements."""
    return Run(learner, seconds, seconds, **{"late": False, "peak_mb": 100.0, **changes})


def test_tables_are_read_smallest_first(folder: Path) -> None:
    """All tables of a folder are read as ranks, smallest first; named tables in the given order."""
    assert [task.name for task in data.read(folder)] == ["small", "larger"]
    (task,) = data.read(folder, ["larger"])
    assert (task.n_rows, task.n_columns, task.n_classes) == (40, 2, 2)
    assert np.array_equal(task.rank, data.noisy(40, 2, 2, seed=1).rank)


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_find_the_optimum(name: str) -> None:
    """Every exact learner proves the optimum of brute force; the greedy one has no fewer errors and proves nothing."""
    if not LEARNERS[name].installed:
        pytest.skip("a program that only benchmarks need is not installed")
    found = measure(TINY, name, depth=2, seconds=30)
    optimum = fewest_errors(TINY, np.arange(TINY.n_rows), 2)
    assert found.proved is LEARNERS[name].learner.exact
    assert found.errors == optimum if found.proved else found.errors >= optimum
    assert found.claimed in (None, found.errors)
    assert not found.late
    assert found.peak_mb > 1


def test_engine_reports_bounds_at_the_time_limit() -> None:
    """A search that reaches its time limit is late, and its bound is below its errors."""
    found = measure(data.noisy(3_000, 10, 2, seed=1), "engine", depth=5, seconds=0.05)
    assert found.late and not found.proved
    assert found.bound < found.errors == found.claimed
    assert found.scanned > 0


def test_each_run_has_its_own_process() -> None:
    """A run in a separate process gives the same result; a failed one is reported with the message of that process."""
    lines: list[str] = []
    with Bench(lines.append) as bench:
        there = bench.run(TINY, 2, "cart", 10)
        broken = bench.run(Task("broken", TINY.rank, TINY.label[1:]), 2, "cart", 10)
        with pytest.raises(UnknownMethodError, match="no learner 'oracle'"):
            bench.run(TINY, 2, "oracle", 10)
    assert there.errors == measure(TINY, "cart", 2, 10).errors
    assert "labels=23 does not match" in broken.failure
    assert len(lines) == 2 and "failed" in lines[1]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer of CPU time")
def test_endless_fits_are_killed() -> None:
    """The timer kills a process that exceeds its CPU time, even in an endless loop."""
    program = "from benchmarks.process import ended_after\nwith ended_after(0.05):\n    while True: pass"
    assert fresh(["-c", program], timeout=60).returncode == -signal.SIGVTALRM


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (
            {"engine": run("engine", errors=5, proved=True), "pycontree": run("pycontree", errors=6, proved=True)},
            "disagree",
        ),
        ({"engine": run("engine", errors=5, proved=True), "cart": run("cart", errors=4)}, "fewer than the optimum 5"),
        ({"engine": run("engine", errors=5, proved=True, claimed=4)}, "claims 4 errors"),
        ({"engine": run("engine", errors=5, late=True, bound=6)}, "below its own bound 6"),
        ({"engine": run("engine", failure="no memory")}, "no memory"),
    ],
)
def test_contradictions_are_faults(runs: dict[str, Run], said: str) -> None:
    """Contradictory results are found and reported with their table and depth."""
    (fault,) = Contest(TINY, 3, runs).faults()
    assert fault.startswith("24 x 2, depth 3: ")
    assert said in fault


def test_table_of_a_contest() -> None:
    """Seconds of each learner, and geometric means; a late peer gives a lower bound, one of two classes a dash."""
    proved = {"errors": 5, "proved": True}
    runs = {"engine": run("engine", 2.0, **proved), "method": run("method", 4.0, **proved)}
    first = Contest(TINY, 3, {**runs, "pycontree": run("pycontree", 20.0, **proved)})
    second = Contest(TINY, 3, {**runs, "pycontree": run("pycontree", 2000.0, late=True), "cart": run("cart", errors=7)})
    peers = ("method", "pycontree", "arborenum", "cart")
    made = trees.table([first, second], peers, "all thresholds")
    cells = [dict(zip(made.headers, row, strict=True)) for row in made.rows]
    assert [row["table"] for row in cells] == ["24 x 2", "24 x 2", "times engine", "times method"]
    assert [row["engine s"] for row in cells] == ["2.00", "2.00", "1.0", "0.50"]
    assert [row["pycontree s"] for row in cells] == ["20.0", "> 2000", "> 100", "> 50"]
    assert [row["arborenum s"] for row in cells] == ["–"] * 4
    assert [row["cart errors"] for row in cells] == ["–", "7", "", ""]


def test_ratios_and_their_mean() -> None:
    """A bound on one side gives a bound of the ratio and of the mean; bounds on both sides give nothing."""
    assert tables.ratio(2.0, 8.0, False, False) == Ratio(4.0)
    assert tables.ratio(2.0, 8.0, False, True) == Ratio(4.0, ">")
    assert tables.ratio(2.0, 8.0, True, False) == Ratio(4.0, "<")
    assert tables.ratio(2.0, 8.0, True, True) is None
    assert tables.geometric_mean([Ratio(2.0), Ratio(8.0)]) == pytest.approx((4.0, ""))
    assert tables.geometric_mean([Ratio(2.0), Ratio(8.0, ">")]).sign == ">"
    assert tables.geometric_mean([Ratio(2.0, "<"), Ratio(8.0, ">")]) is None
    assert tables.geometric_mean([]) is None


@pytest.mark.parametrize("suffix", [".md", ".csv"])
def test_the_command_writes_a_table(folder: Path, suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`trees` runs ours and a peer on a folder, prints the table and writes it in the format of the file name."""
    out = folder / f"table{suffix}"
    arguments = [str(folder), "--sets", "small", "--depth", "2", "--repeats", "1", "--peers", "cart", "--out", str(out)]
    assert trees.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "| small | 20 | 2 | 2 | 2 |" in printed and "Measured on" in printed
    text = out.read_text("utf-8")
    if suffix == ".csv":
        (row,) = csv.DictReader(text.splitlines())
        (task,) = data.read(folder, ["small"])
        assert int(row["optimum"]) == fewest_errors(task, np.arange(task.n_rows), 2)
        assert int(row["cart errors"]) >= int(row["optimum"])
    else:
        assert text.strip() == printed.strip()


def test_faults_fail_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Contradictory optima are printed in capitals, and the exit status is 1."""
    monkeypatch.setattr(
        Bench, "run", lambda self, task, depth, name, *_, **__: run(name, errors=len(name), proved=name != "cart")
    )
    assert trees.main([str(folder), "--peers", "method", "--sets", "small", "--repeats", "1"]) == 0
    assert trees.main([str(folder), "--peers", "cart", "--sets", "small", "--repeats", "1"]) == 1
    assert "SMALL, DEPTH 3: CART MAKES 4 ERRORS, FEWER THAN THE OPTIMUM 6" in capsys.readouterr().err


def test_the_page_of_peers_names_missing_programs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without other programs `peers` still writes what can be measured, and names each program that is missing."""
    page = folder / "page.md"
    page.write_text("".join(f"<!-- {part}: begin -->\n<!-- {part}: end -->\n" for part in peers.PARTS), "ascii")
    absent = {name: replace(entry, package="no_such_package") for name, entry in LEARNERS.items() if entry.distribution}
    monkeypatch.setattr(trees, "LEARNERS", LEARNERS | absent)
    monkeypatch.setattr(peers, "versions", lambda packages: "")
    monkeypatch.setattr(peers, "TABLES", ("small",))
    assert peers.main([str(folder), "--page", str(page), "--parts", "programs,depth2,binary"]) == 1
    text = page.read_text("utf-8")
    assert "| pycontree | not installed |" in text and "| Espalier | this one |" in text
    assert "| small | 20 | 2 | 2 | 2 |" in text and "pycontree s" not in text
    assert "Neither 'pystreed' nor 'pytrees-rs' is installed." in text
    assert "BINARY" in capsys.readouterr().err


@pytest.mark.parametrize("of_module", [near, prices])
def test_programs_of_a_request_have_their_own_process(of_module: ModuleType) -> None:
    """Near-optimal trees and sparse trees are computed in a fresh process, whose error is the reason for no result."""
    task = data.noisy(24, 2, 2, seed=4)
    if of_module is near:
        asked = {"program": "ours", "depth": 2, "penalty": 4, "tolerance": 0}
        cost, trees_found, *_ = requested("benchmarks.near", task, 30, **asked)
        assert trees_found >= 1 and cost <= 12
        with pytest.raises(RunError, match="KeyError"):
            requested("benchmarks.near", task, 30, **asked | {"program": "nobody"})
        return
    found = prices.run(task, 0.05, "contree", 30)
    assert found.proved and found.objective <= 0.5 + 0.05
    assert "KeyError" in prices.run(task, 0.05, "nobody", 30)


@pytest.fixture
def coupled(tmp_path: Path) -> Path:
    """A folder with a table whose outcome depends on two columns together."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 9, (60, 3))
    y = (x[:, 0] > 4) ^ (x[:, 1] > 3) ^ (rng.random(60) < 0.1)
    lines = ["a,b,c,outcome", *(f"{r[0]},{r[1]},{r[2]},{int(k)}" for r, k in zip(x, y, strict=True))]
    (tmp_path / "small.csv").write_text("\n".join(lines), "ascii")
    return tmp_path


def test_constraints_on_bdds_are_measured(coupled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind has a proved optimum, no better than the unconstrained one."""
    assert bdd_constraints.main([str(coupled), "--depth", "2"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| small")]
    free, *others = [int(cell.split("(")[1].strip(") ")) for cell in line.strip("|").split("|")[2:]]
    assert len(others) == len((*bdd_constraints.GAPS, *bdd_constraints.RATIOS, *bdd_constraints.REST))
    assert min(others) >= free < max(others)


def test_constraints_are_measured(coupled: Path) -> None:
    """Each kind of constraint has an optimum, no better than the unconstrained one, written into the page."""
    tmp_path = coupled
    page = tmp_path / "page.md"
    page.write_text("<!-- constraints: begin -->\nnothing yet\n<!-- constraints: end -->\n", "ascii")
    assert constraints.main([str(tmp_path), "--depth", "2", "--repeats", "1", "--page", str(page)]) == 0
    assert "nothing yet" not in page.read_text("utf-8")
    (line,) = [line for line in page.read_text("utf-8").splitlines() if line.startswith("| small")]
    free, *others = [cell.strip() for cell in line.strip("|").split("|")][4:]
    optimum = int(free.split("(")[1].strip(")"))
    proved = [int(cell.split("(")[1].strip(")")) for cell in others]
    assert len(proved) == len(constraints.KINDS)
    assert min(proved) >= optimum < max(proved)


def test_certificates_are_measured(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line per table and depth; the exit status is 0 if all are proved."""
    assert optimum_certificates.main([str(folder), "--depths", "1,2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[4:8]] == ["| small, 1", "| larger, 1", "| small, 2", "| larger, 2"]
