"""The command line for shapes: BDDs and decision diagrams, sizes, skeletons, penalties, and method options."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from solvers.cli.app import parse
from solvers.diagram import Split, from_json
from solvers.methods import FIRST, get, names
from solvers.problem import ShapeKind
from solvers.problem.skeleton import objective_of
from tests.commands import call, fit


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """60 rows with a number, categories and an outcome that follows from two of them, with a little noise."""
    random = np.random.default_rng(7)
    lines = ["age,smoker,ward,weight,state"]
    for i in range(60):
        age, smoker, ward = random.integers(20, 90), random.random() < 0.5, "ABC"[i % 3]
        ill = (smoker != (ward == "B")) ^ (random.random() < 0.05)
        lines.append(f"{age},{'yes' if smoker else 'no'},{ward},{1 + i % 3},{'ill' if ill else 'well'}")
    path = tmp_path / "ward.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_bdd_is_fitted_verified_applied_and_exported(
    capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path
) -> None:
    """The output has shape, nodes, columns and options, and every other command can read the files."""
    out = tmp_path / "out"
    words = ("--target", "state", "--drop", "weight", "--shape", "bdd", "--max-depth", 2)
    facts = fit(capsys, ward, *words, "--empty-cells", "parent", "--out", out)
    assert (facts["shape"], facts["method"], facts["status"], facts["verified"]) == (
        "bdd",
        "bdd-search",
        "optimal",
        True,
    )
    assert set(facts["features"]) == {"smoker", "ward"}
    assert facts["n_nodes"] == facts["n_splits"] + facts["n_leaves"] and facts["n_leaves"] == 2
    assert facts["options"]["empty_cells"] == "parent"
    assert set(facts["options"]) == {option.name for option in get("bdd-search").options}
    assert {f.name for f in out.iterdir()} == {"model.json", "solution.json", "bdd.dot", "bdd.svg", "rules.txt"}
    assert call(capsys, "verify", out, ward)[0] == 0
    predicted = list(csv.DictReader(call(capsys, "predict", out, ward)[1].splitlines()))
    truth = [row["state"] for row in csv.DictReader(ward.open())]
    assert sum(row["class"] != y for row, y in zip(predicted, truth, strict=True)) == facts["errors"]
    assert call(capsys, "export", out, "--format", "rules")[1] == (out / "rules.txt").read_text()
    assert from_json(call(capsys, "export", out, "--format", "json")[1]).kind is ShapeKind.BDD
    for form, start in (("dot", "digraph"), ("svg", "<")):
        assert start in call(capsys, "export", out, "--format", form)[1][:200]


def test_a_diagram_is_fitted_within_its_skeleton_and_priced(
    capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path
) -> None:
    """Skeleton, alpha and weights are stored with the solution, so that it can be verified."""
    out = tmp_path / "out"
    words = ("--target", "state", "--weight", "weight", "--shape", "diagram", "--skeleton", "1 2 2", "--alpha", 0.2)
    facts = fit(capsys, ward, *words, "--test-share", 0.25, "--time-limit", 1, "--out", out)
    assert (facts["shape"], facts["method"], facts["verified"]) == ("diagram", FIRST[ShapeKind.DIAGRAM], True)
    model = from_json((out / "model.json").read_text())
    assert model.kind is ShapeKind.DIAGRAM and np.bincount(model.layer)[:3].max() <= 2
    (request,) = (json.loads((out / "solution.json").read_text())["request"],)
    total = sum(sum(node.counts) for node in model.nodes if not isinstance(node, Split))
    assert facts["split_penalty"] / facts["scale"] == objective_of(0.2, total).split_penalty
    assert (request["skeleton"], request["alpha"]) == ([1, 2, 2], 0.2)
    assert call(capsys, "verify", out, ward)[0] == 0
    assert {f.name for f in out.iterdir()} >= {"diagram.dot", "diagram.svg"}


def test_the_summary_names_the_shape(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """The proof is about BDDs or diagrams of the requested size and thresholds, and split penalties are shown."""
    common = ("fit", ward, "--target", "state", "--features", "smoker,ward")
    _, out, _ = call(capsys, *common, "--shape", "bdd", "--max-depth", 2)
    assert out.startswith("Optimal on training data: no BDD of at most 2 levels has fewer errors")
    assert "\nbdd-search, BDD of " in out and " in 2 levels, " in out
    _, out, _ = call(capsys, "fit", ward, "--target", "state", "--features", "age", "--shape", "bdd", "--max-depth", 1)
    assert out.startswith(
        "Optimal on training data: no BDD of at most 1 level among models with thresholds at quantiles"
    )
    _, out, _ = call(capsys, *common, "--shape", "diagram", "--alpha", 1)
    assert "no diagram within the skeleton 1 2 4 8 has a lower cost" in out
    assert "Cost: " in out and ", diagram of " in out and " layers, " in out


def test_constraints_about_a_diagram_are_explained(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """The conflict is explained for diagrams, and every node budget is listed in the trade-off."""
    constraints = json.dumps([{"kind": "max-questions", "questions": 0}, {"kind": "min-accuracy", "share": 0.9}])
    common = ("explain", ward, "--target", "state", "--features", "smoker,ward")
    odd = (*common, "--method", "odd", "--skeleton", "1,2")
    status, out, _ = call(capsys, *odd, "--constraints", constraints)
    assert status == 0 and out.startswith(
        "These 2 constraints cannot hold together: at most 0 questions in the model; "
    )
    assert "Then best diagram: " in out
    status, out, _ = call(capsys, *odd, "--max-splits", 1, "--trade-off", "max-splits")
    assert status == 0 and "at most 3 questions in the model: " in out and "at most 0 questions in the model: " in out


def test_the_trade_off_of_bdd_levels(capsys: pytest.CaptureFixture[str], ward: Path) -> None:
    """Levels trade off against errors; a conflict names the repair; an unsupported constraint is refused."""
    bdd = ("explain", ward, "--target", "state", "--features", "smoker,ward", "--shape", "bdd", "--max-depth", 1)
    status, out, _ = call(capsys, *bdd, "--trade-off", "max-depth", "--empty-cells", "parent")
    assert status == 0 and "at most 1 question on every path: " in out and "at most 0 questions on every path: " in out
    accurate = ("--constraints", '[{"kind": "min-accuracy", "share": 0.9}]')
    status, out, _ = call(capsys, *bdd, *accurate)
    assert status == 0 and out.startswith("These 2 constraints cannot hold together: accuracy is at least 90%")
    assert "ask for 'at most 2 questions on every path'. Then best BDD: 4 errors (proved)." in out
    for name in ("bdd-sat", "bdd-maxsat", "oodg"):
        status, _, err = call(capsys, *bdd, *accurate, "--method", name)
        assert status == 2 and "does not support this kind of constraint" in err and "the method 'bdd-search'" in err


def test_every_method_option_has_a_command_line_option(capsys: pytest.CaptureFixture[str]) -> None:
    """Each declared option can be set by name, with its values, its default and its help."""
    for name in names():
        for option in getattr(get(name), "options", ()):
            assert len(option.titles) in (0, len(option.values))
            value = option.values[-1] if option.values else "7"
            words = ["fit", "x.csv", "--target", "y", "--method", name, f"--{option.name.replace('_', '-')}", value]
            assert parse(words).args[0].request.options[option.name] == value
            assert parse(words[:6]).args[0].request.options[option.name] == option.default
        status, out, _ = call(capsys, "methods", name)
        assert status == 0 and out.startswith(f"{name}: ")
        assert all(f"--{option.name.replace('_', '-')} (" in out for option in getattr(get(name), "options", ()))


def test_methods_list_the_registry_and_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    """Every method is listed, as text and as JSON, which has every option with its values and default."""
    listed = {method["name"]: method for method in json.loads(call(capsys, "methods", "--json")[1])}
    assert tuple(listed) == names()
    assert [line.split()[0] for line in call(capsys, "methods")[1].splitlines()] == list(names())
    assert (listed["contree"]["exact"], listed["cart"]["exact"]) == (True, False)
    options = {option["name"]: option for option in listed["bdd-search"]["options"]}
    assert options["empty_cells"]["values"] and options["empty_cells"]["default"] in options["empty_cells"]["values"]
    assert listed["contree"]["kinds"] == ["tree"] and listed["bdd-search"]["kinds"] == ["bdd"]


WRONG = {
    "a layer too wide": (["--shape", "diagram", "--skeleton", "1,2,5"], "layer 3 can have at most 4"),
    "no skeleton": (["--shape", "diagram", "--skeleton", "V"], "I, II, III, IV"),
    "a skeleton of a tree": (["--skeleton", "I"], "Only decision diagrams"),
    "two sizes": (["--shape", "diagram", "--skeleton", "I", "--max-depth", "3"], "Leave --max-depth out"),
    "alpha of a tree": (["--alpha", "0.1"], "use --split-penalty"),
    "two prices": (["--shape", "diagram", "--alpha", "0.1", "--split-penalty", "1"], "Leave one of them out"),
    "alpha below 0": (["--shape", "diagram", "--alpha", "-1"], "alpha must be"),
    "sums in a tree": (["--split-features", "any"], "Only splits of a decision diagram"),
    "a budget below 0": (["--shape", "bdd", "--max-splits", "-1"], "number of splits"),
    "no such shape": (["--shape", "bush"], "bush"),
    "a shape of another method": (["--method", "contree", "--shape", "bdd"], "makes trees only"),
    "no such value": (["--shape", "bdd", "--empty-cells", "never"], "never"),
    "an option of another method": (["--empty-cells", "parent"], "--empty-cells"),
    "a method without its name": (["--method"], "--method"),
    "leaves of a BDD": (["--method", "oodg", "--min-samples-leaf", "5"], "one leaf for each class"),
}


@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG.keys())
def test_wrong_options_are_refused_in_one_sentence(
    words: tuple[list[str], str], capsys: pytest.CaptureFixture[str], ward: Path
) -> None:
    """Exit status 2, nothing on stdout, and one line on stderr that names the error."""
    options, named = words
    status, out, err = call(capsys, "fit", ward, "--target", "state", *options)
    assert (status, out) == (2, "")
    assert named in err and len(err.splitlines()) == 1


def test_idle_threads_are_refused(capsys: pytest.CaptureFixture[str], ward: Path, tmp_path: Path) -> None:
    """A single-threaded method says so, even if only the constraints make it so; other methods use the threads."""
    common = (ward, "--target", "state", "--features", "smoker,ward", "--max-depth", 2, "--threads", 2)
    for method in ("contree", "cptree", "cptree-mip"):
        assert fit(capsys, *common, "--method", method)["verified"]
    for method in ("cart", "smallest-tree", "inferdt-size"):
        status, _, err = call(capsys, "fit", *common, "--method", method)
        assert (status, "2 threads: " in err, "uses one thread. Set the number of threads to one." in err) == (
            2,
            True,
            True,
        )
    constraint = '[{"kind": "max-errors", "most": 20}]'
    for command in ("fit", "explain"):
        status, _, err = call(capsys, command, *common, "--constraints", constraint)
        assert (status, "uses one thread under these constraints" in err) == (2, True)
    sweep = ("--methods", "contree,cart", "--depths", "1,2", "--out", tmp_path / "sweep")
    assert call(capsys, "sweep", ward, "--target", "state", "--threads", 2, *sweep)[0] == 0
