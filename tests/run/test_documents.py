"""What earlier versions wrote is read, and what later ones wrote is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from solvers.cli.solved import solved
from solvers.errors import RunError
from solvers.methods.trees.smallest.cases import predicates_of
from solvers.problem import Op, Predicate
from solvers.run import load_run
from solvers.run.documents import FIRST, STEPS, current, version_of, versioned
from solvers.run.folder import RunFolder
from solvers.run.wire import solution_from_json, solution_to_json
from solvers.solution import Details, NearOptimalBdd, Predicates, Solution, Status
from solvers.words import result_words

EARLIER = Path(__file__).parent / "earlier"
"""Run folders and a fitted model of a program whose documents all had version 4."""
RUNS = {json.loads((run / "run.json").read_text())["method"]: run for run in (EARLIER / "runs").iterdir()}


@pytest.mark.parametrize("method", ["contree", "smallest-tree", "cptree"])
def test_earlier_runs_open(method: str) -> None:
    """Problem, model and proof are as they were; what their method said is said still."""
    run = load_run(RUNS[method])
    assert (run.solution.status, run.solution.verified) == (Status.OPTIMAL, True)
    assert "proved" in result_words(run.problem, run.solution)
    assert (run.problem.shape.max_depth, run.problem.shape.min_samples_leaf) == {
        "contree": (2, 2),
        "smallest-tree": (6, 1),
        "cptree": (2, 1),
    }[method]


def test_an_earlier_smallest_tree_can_be_certified_still() -> None:
    """Which questions were offered stood among its figures."""
    assert predicates_of(load_run(RUNS["smallest-tree"]).solution) is Predicates.BOTH


def test_rows_of_before_stand_alone() -> None:
    """Earlier tables did not say by what their rows are divided: each of them by itself."""
    assert not load_run(RUNS["contree"]).problem.dataset.division
    for name in ("problem.json", "unseen.json"):
        assert current(name, {"version": FIRST, "dataset": {"name": "x"}}, "It")["dataset"]["division"] == {}


def test_an_earlier_list_of_bdds_is_found() -> None:
    """BDDs that are nearly as good stood among the figures, and stand among the details now."""
    question = {"column": "x", "op": "is", "value": 1.0, "missing": False}
    listed = {"cost": 1, "n_splits": 1, "words": ["x is yes"], "questions": [question], "labels": [0, 1]}
    data = solution_to_json(Solution("id", "bdd-search", Status.NO_SOLUTION, None, None, 0, 0.1, 0.1))
    data |= {"scope": "", "stats": {"near_optimal": [listed], "near_optimal complete": True}}
    read = current("solution.json", {"version": FIRST, "solution": data}, "It")["solution"]
    bdd = NearOptimalBdd(1, 1, ("x is yes",), (Predicate("x", Op.IS, 1.0, False),), (0, 1))
    assert solution_from_json(read).details == Details(near_optimal=(bdd,), all_near_optimal=True)
    assert solution_to_json(solution_from_json(read))["details"]["near_optimal"] == [listed]


def test_earlier_options_have_their_names_of_today() -> None:
    """The tolerance of listed models was called slack: in the options of a run, of a design, and in tasks."""
    old, new = {"slack": "2", "slack_unit": "percent"}, {"tolerance": "2", "tolerance_unit": "percent"}
    run = {"version": FIRST, "options": old, "name": "slack", "task": {"task": "near-optimal", "slack": 3}}
    assert current("run.json", run, "It") == {
        "options": new,
        "name": "slack",
        "task": {"task": "near-optimal", "tolerance": 3},
    }
    others = {"choices": {"slack": "a column"}}
    screen = {"version": FIRST, "design": {"options": old, "costs": {"slack": {"a class": 2}}}, **others}
    design = {"options": new, "costs": {"slack": {"a class": 2}}}
    assert current("screen.json", screen, "It") == {"design": design, **others}
    sweep = current("sweep.json", {"version": FIRST, "task": {"options": {"bdd-search": old}}}, "It")
    assert sweep == {"task": {"options": {"bdd-search": new}}}


def test_an_earlier_confirmation_has_its_tests() -> None:
    """The tests of a confirmation were called rungs."""
    event = {
        "version": FIRST + 1,
        "event": "answered",
        "answer": {"answer": "confirmation", "rungs": [1], "n_aside": 2},
    }
    read = current("events.jsonl", event, "It")
    assert read == {"event": "answered", "answer": {"answer": "confirmation", "tests": [1], "n_aside": 2}}


def test_an_earlier_fit_opens() -> None:
    """The request has today's names of sizes."""
    found = solved(EARLIER / "fitted", EARLIER / "table.csv")
    assert (found.request.max_leaf_nodes, found.request.min_samples_leaf) == (3, 2)
    assert found.problem.id == found.solution.problem_id


def test_an_earlier_document_is_rewritten_as_of_today(tmp_path: Path) -> None:
    """A run that is read and written again has the version of today, and is the same."""
    folder = RunFolder(Path(shutil.copytree(RUNS["contree"], tmp_path / "run")))
    before = load_run(folder.path).solution
    folder.write_outcome(folder.outcome())
    assert json.loads((folder.path / "solution.json").read_text())["version"] == version_of("solution.json")
    assert load_run(folder.path).solution == before


def test_each_kind_has_steps_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more step raises the version of one kind of document, and older ones go through it."""
    monkeypatch.setitem(
        STEPS, "marks.json", (lambda data: {**data, "tags": []}, lambda data: {**data, "tags": ["new"]})
    )
    assert (version_of("marks.json"), version_of("worker.json")) == (FIRST + 2, FIRST)
    old, newer = {"version": FIRST, "title": "a"}, {"version": FIRST + 1, "title": "a", "tags": []}
    assert current("marks.json", old, "It") == current("marks.json", newer, "It") == {"title": "a", "tags": ["new"]}
    assert current("marks.json", versioned("marks.json", {"tags": []}), "It") == {"tags": []}


@pytest.mark.parametrize("version", [None, "4", True, FIRST - 1, 99])
def test_unknown_versions_are_refused(version: object) -> None:
    """What a newer program wrote is not misread, and what is no version is none."""
    with pytest.raises(RunError, match=rf"It has the version {version}; this program reads versions {FIRST} to"):
        current("run.json", {"version": version}, "It")
