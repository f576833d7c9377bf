"""The command line: output, files and refusals."""

from __future__ import annotations

import csv
import json
import os
import pty
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from solvers.diagram import from_json
from solvers.problem import Limits
from solvers.run import WorkerPool
from solvers.run.folder import RunFolder
from tests.commands import call, fit
from tests.run.problems import plain


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """60 rows with numbers, a category, missing values, weights, and an outcome that two splits nearly determine."""
    random = np.random.default_rng(7)
    lines = ["age,bmi,ward,site,score,state"]
    for i in range(60):
        age, bmi, ward = random.integers(20, 90), random.normal(27, 4), "ABC"[i % 3]
        ill = (age > 55 and ward != "C") ^ (random.random() < 0.08)
        shown = "" if random.random() < 0.15 else f"{bmi:.1f}"
        lines.append(f"{age},{shown},{ward},{'north' if i % 2 else 'south'},{1 + i % 3},{'ill' if ill else 'well'}")
    path = tmp_path / "ward.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    """2,000 rows of noise without a header; a proof of a deep optimum takes far longer than any test."""
    random = np.random.default_rng(3)
    table = np.column_stack([random.integers(0, 2, 2000), random.normal(size=(2000, 12)).round(6)])
    path = tmp_path / "noise.txt"
    np.savetxt(path, table, fmt="%g")
    return path


def test_fit_reports_every_figure(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """The last line is one object with the promised values, and they are consistent."""
    facts = fit(capsys, ward, "--target", "state", "--max-depth", 2)
    promised = "status method errors cost bound n_samples depth n_splits n_leaves n_nodes seconds cpu_seconds verified"
    assert set(promised.split()) <= set(facts)
    assert (facts["status"], facts["method"], facts["verified"], facts["n_samples"]) == ("optimal", "contree", True, 60)
    assert facts["errors"] == facts["cost"] == facts["bound"]
    assert facts["n_nodes"] == facts["n_splits"] + facts["n_leaves"] == 2 * facts["n_splits"] + 1
    assert facts["depth"] <= 2


def test_the_summary_names_costs_and_sizes(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """With costs of errors or splits, the proof is about the cost, and the cost is shown separately."""
    words = ("fit", ward, "--target", "state", "--method", "contree", "--features", "age,ward", "--max-depth", 1)
    _, out, _ = call(capsys, *words, "--max-leaf-nodes", 2, "--min-samples-leaf", 5, "--split-penalty", 1.5)
    assert out.startswith(
        "Optimal on training data: no tree of depth 1 with at most 2 leaves and at least 5 rows per leaf has a"
    )
    assert ", of which 1.5 for 1 splits\n" in out
    _, out, _ = call(capsys, *words, "--min-weight-leaf", 5)
    assert out.startswith(
        "Optimal on training data: no tree of depth 1 with a weight of at least 5 per leaf has fewer errors"
    )
    assert "Cost:" not in out


def test_the_summary_of_a_fit(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """Proof or the lack of one, training errors, held-out errors, verification, and the rules."""
    status, out, _ = call(capsys, "fit", ward, "--target", "state", "--max-depth", 2, "--test-share", 0.25)
    assert status == 0
    assert out.startswith("Optimal on training data: no tree of depth 2 has fewer errors")
    assert "of 45 rows wrong" in out
    assert "Held out: " in out
    assert "of 15 rows wrong" in out
    assert "verified" in out
    assert "at most" in out
    _, out, _ = call(capsys, "fit", ward, "--target", "state", "--method", "cart")
    assert out.startswith("Heuristic: no lower bound.")


def test_cautions_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """For an outcome of pure chance, a deep tree fits its rows and held-out rows contradict it."""
    draw = random.Random(1)
    path = tmp_path / "coin.csv"
    path.write_text("x,z,coin\n" + "".join(f"{i},{draw.random()},{draw.random() < 0.2}\n" for i in range(160)))
    words = ("fit", path, "--target", "coin", "--max-depth", 4, "--test-share", 0.25)
    _, out, _ = call(capsys, *words)
    assert " in 40 held-out rows (" in out and "always predicting 'False' makes" in out
    assert "more than chance explains" in out and "Predictions there may be due to chance." in out
    facts = fit(capsys, *words[1:])
    assert [f"Caution: {sentence}" in out for sentence in facts["cautions"]] == [True] * out.count("Caution: ")


@pytest.mark.parametrize("words", [("--time-limit", 0.5), ("--time-limit", "none", "--gap", 0.999)])
def test_a_limit_keeps_the_best_tree(
    words: tuple[object, ...], capsys: pytest.CaptureFixture[str], noise: Path
) -> None:
    """At the time limit, or within a gap of nearly all rows, the result is the incumbent, with a lower bound."""
    facts = fit(capsys, noise, "--target", 0, "--no-header", "--max-depth", 6, *words)
    assert (facts["status"], facts["verified"]) == ("feasible", True)
    assert facts["bound"] < facts["cost"] == facts["errors"] and facts["cost"] - facts["bound"] <= 0.999 * 2000


def test_ctrl_c_keeps_the_best_tree(noise: Path, tmp_path: Path) -> None:
    """A terminal shows the progress line; the first interrupt ends the search with its incumbent, written as usual."""
    terminal, stderr = pty.openpty()
    words = ["fit", noise, "--target", "0", "--no-header", "--max-depth", "6", "--json", "--out", tmp_path / "out"]
    command = [sys.executable, "-m", "solvers", *map(str, words), "--time-limit", "50"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr)
    os.close(stderr)
    seen = b""
    while b"no lower bound yet" not in seen:
        seen += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    os.close(terminal)
    facts = json.loads(out.splitlines()[-1])
    assert process.returncode == 0
    assert b"Best tree: cost " in seen
    assert (facts["status"], facts["verified"]) == ("cancelled", True)
    assert (tmp_path / "out" / "model.json").exists()


def test_the_output_of_fit_is_predicted_verified_and_exported(
    capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path
) -> None:
    """From a table to a model and back to predictions that match the model's errors."""
    out = tmp_path / "out"
    facts = fit(capsys, ward, "--target", "state", "--max-depth", 2, "--out", out)
    assert {f.name for f in out.iterdir()} == {"model.json", "solution.json", "tree.dot", "tree.svg", "rules.txt"}
    assert call(capsys, "predict", out, ward, "--out", tmp_path / "p.csv")[0] == 0
    predicted = list(csv.DictReader((tmp_path / "p.csv").open()))
    truth = [row["state"] for row in csv.DictReader(ward.open())]
    assert sum(row["class"] != y for row, y in zip(predicted, truth, strict=True)) == facts["errors"]
    for row in predicted:
        share = {name: float(row[f"p({name})"]) for name in ("ill", "well")}
        assert sum(share.values()) == pytest.approx(1, abs=1e-5)
        assert share[row["class"]] >= 0.5
        assert row["path"]
    assert call(capsys, "predict", out / "model.json", ward)[1] == (tmp_path / "p.csv").read_text()
    with_state = list(csv.DictReader(call(capsys, "predict", out, ward, "--keep", "state")[1].splitlines()))
    assert [row["state"] for row in with_state] == truth
    assert [row["leaf"] for row in with_state] == [row["leaf"] for row in predicted]
    assert "to keep" in call(capsys, "predict", out, ward, "--keep", "nobody")[2]
    status, checks, _ = call(capsys, "verify", out, ward)
    assert status == 0
    assert checks.endswith(f"Verified: optimal, cost {facts['cost']}, bound {facts['bound']}.\n")
    for form, start in (("dot", b"digraph"), ("svg", b"<"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        target = tmp_path / f"tree.{form}"
        assert call(capsys, "export", out / "model.json", "--format", form, "--out", target)[0] == 0
        assert start in target.read_bytes()[:200]
    assert call(capsys, "export", out, "--format", "rules")[1] == (out / "rules.txt").read_text()
    assert from_json(call(capsys, "export", out, "--format", "json")[1]) == from_json((out / "model.json").read_text())


def test_verify_rebuilds_the_same_problem(capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path) -> None:
    """The solution contains the held-out share, seed, weights, groups and features of the fit."""
    choices = ("--test-share", 0.3, "--seed", 5, "--weight", "score", "--groups", "site", "--missing", "impute")
    fit(capsys, ward, "--target", "state", "--drop", "site", *choices, "--positive", "ill", "--out", tmp_path / "out")
    assert call(capsys, "verify", tmp_path / "out" / "solution.json", ward)[0] == 0


def test_verify_finds_a_changed_table_and_a_changed_solution(
    capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path
) -> None:
    """A different table or a different cost fails."""
    out = tmp_path / "out"
    fit(capsys, ward, "--target", "state", "--max-depth", 1, "--out", out)
    payload = json.loads((out / "solution.json").read_text())
    payload["solution"]["cost"] -= 1
    payload["solution"]["bound"] -= 1
    (tmp_path / "forged.json").write_text(json.dumps(payload))
    status, checks, _ = call(capsys, "verify", tmp_path / "forged.json", ward)
    assert status == 1
    assert "FAILED  cost" in checks
    changed = tmp_path / "changed.csv"
    changed.write_text(ward.read_text().replace("ill", "?", 1))
    status, checks, _ = call(capsys, "verify", out, changed)
    assert status == 1
    assert "FAILED  problem" in checks


def test_verify_reads_the_folder_of_a_run(capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path) -> None:
    """A run of the dashboard is verified from its own data, and its model can be exported."""
    with WorkerPool(tmp_path / "runs", spares=0, warm=()) as pool:
        job = pool.submit(plain(), "cart", Limits(seconds=20))
        job.wait(20)
    status, checks, _ = call(capsys, "verify", job.folder)
    assert status == 0
    assert "Verified: feasible" in checks
    assert call(capsys, "export", job.folder, "--format", "rules")[0] == 0
    assert call(capsys, "verify", job.folder, ward)[0] == 2


WRONG = {
    "no such file": (["fit", "nowhere.csv", "--target", "y"], "nowhere.csv"),
    "a folder as a table": (["fit", ".", "--target", "y"], "."),
    "no such target": (["fit", "{ward}", "--target", "stat"], "Did you mean 'state'?"),
    "no such class": (["fit", "{ward}", "--target", "state", "--positive", "sick"], "sick"),
    "depth": (["fit", "{ward}", "--target", "state", "--max-depth", "-1"], "max_depth must be"),
    "leaves": (
        ["fit", "{ward}", "--target", "state", "--max-leaf-nodes", "0"],
        "leaves must be a whole number of at least 1",
    ),
    "leaf": (["fit", "{ward}", "--target", "state", "--min-samples-leaf", "0"], "rows per leaf must be a whole number"),
    "leaf weight": (["fit", "{ward}", "--target", "state", "--min-weight-leaf", "-1"], "weight of a leaf must be 0"),
    "split cost": (
        ["fit", "{ward}", "--target", "state", "--split-penalty", "-1"],
        "split penalty must be 0 or more",
    ),
    "no such costs": (["fit", "{ward}", "--target", "state", "--class-costs", "nowhere.json"], "nowhere.json"),
    "costs in words": (["fit", "{ward}", "--target", "state", "--class-costs", "{ward}"], "must be JSON such as"),
    "broken costs": (["fit", "{ward}", "--target", "state", "--class-costs", "[1"], "must be JSON such as"),
    "costs of no class": (["fit", "{ward}", "--target", "state", "--class-costs", "{costs}"], "Did you mean 'ill'?"),
    "time": (["fit", "{ward}", "--target", "state", "--time-limit", "0"], "more than 0 seconds"),
    "time in words": (["fit", "{ward}", "--target", "state", "--time-limit", "soon"], "'soon'"),
    "memory": (["fit", "{ward}", "--target", "state", "--memory-mb", "10"], "at least 256 MiB"),
    "share": (["fit", "{ward}", "--target", "state", "--test-share", "1.5"], "share"),
    "policy": (["fit", "{ward}", "--target", "state", "--missing", "guess"], "guess"),
    "a cluster for CART": (
        ["fit", "{ward}", "--target", "state", "--method", "cart", "--scheduler", "tcp://127.0.0.1:1"],
        "runs on one machine only",
    ),
    "a price for a method without one": (
        ["fit", "{ward}", "--target", "state", "--method", "smallest-tree", "--split-penalty", "1"],
        "contree",
    ),
    "no model": (["predict", "{ward}", "{ward}"], "not a model"),
    "no model at all": (["predict", "nowhere.json", "{ward}"], "nowhere.json"),
    "no solution": (["verify", "{ward}", "{ward}"], "damaged"),
}


@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG.keys())
def test_wrong_input_is_refused_in_one_sentence(
    words: tuple[list[str], str], capsys: pytest.CaptureFixture[str], ward: Path, noise: Path
) -> None:
    """Exit status 2, nothing on stdout, and one line on stderr (apart from notes on the table) that names the error."""
    command, named = words
    costs = '{"il": {"well": 5}}'
    status, out, err = call(capsys, *(word.format(ward=ward, noise=noise, costs=costs) for word in command))
    assert (status, out) == (2, "")
    assert named in err
    assert len([line for line in err.splitlines() if "Riley" not in line]) == 1
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ("age,ward\n30,A\n", None),
        ("ward\nA\n", "lacks 'age'"),
        ("", "empty"),
    ],
    ids=["good", "no column", "empty"],
)
def test_a_prediction_file_without_the_columns_is_refused(
    table: str, named: str | None, capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path
) -> None:
    """A missing column and an empty file each get one sentence."""
    fit(capsys, ward, "--target", "state", "--max-depth", 2, "--features", "age,ward", "--out", tmp_path / "out")
    assert from_json((tmp_path / "out" / "model.json").read_text()).features == ("age", "ward")
    (tmp_path / "new.csv").write_text(table)
    status, out, err = call(capsys, "predict", tmp_path / "out", tmp_path / "new.csv")
    if named is None:
        assert (status, len(out.splitlines())) == (0, 2)
    else:
        assert (status, out) == (2, "")
        assert named in err


def test_a_run_without_a_model_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A run folder without a result has nothing to export or verify."""
    folder = RunFolder.create(tmp_path, plain(), "contree", Limits()).path
    for words in (("export", folder, "--format", "svg"), ("verify", folder)):
        status, _, err = call(capsys, *words)
        assert status == 2
        assert err


def test_nothing_heavy_is_loaded_for_help() -> None:
    """The help loads no table library and no compiler."""
    code = (
        "import sys\nfrom solvers.__main__ import main\n"
        "main(['fit', '--help'])\n"
        "print([m for m in ('numpy', 'pandas', 'numba', 'sklearn', 'pydantic', 'rich') if m in sys.modules])"
    )
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert completed.stdout.splitlines()[-1] == "[]"


def test_a_closed_pipe_is_no_error(capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path) -> None:
    """'| head -1' ends the program quietly."""
    big = tmp_path / "big.csv"
    lines = ward.read_text().splitlines(keepends=True)
    big.write_text(lines[0] + "".join(lines[1:]) * 400)
    fit(capsys, ward, "--target", "state", "--out", tmp_path / "out")
    command = [sys.executable, "-m", "solvers", "predict", tmp_path / "out", big]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline().startswith(b"row,class")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 0
