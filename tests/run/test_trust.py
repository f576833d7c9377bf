"""The result in the files of a run is only a claim: it is verified again when the run is opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solvers.__main__ import main
from solvers.constraints import MaxLeaves
from solvers.messages.results import status_badge
from solvers.methods import get
from solvers.problem import Limits, Problem
from solvers.run import StoredRun, load_run, solve
from solvers.run.folder import RunFolder
from solvers.solution import Cancelled, Failed, Finished, Incumbent, Started, Status
from solvers.store.index import _entry_of as entry_of
from tests.run.problems import plain

LIMITS = Limits(seconds=30)


def ended(runs: Path, problem: Problem, method: str = "contree", how: type = Finished) -> RunFolder:
    """The folder of a run with this end, as this program writes it."""
    folder, solution = RunFolder.create(runs, problem, method, LIMITS), solve(problem, method, LIMITS)
    end = {
        Finished: Finished(0.1, solution),
        Failed: Failed(0.1, "It broke.", solution),
        Cancelled: Cancelled(0.1, solution),
    }[how]
    folder.write_outcome(end)
    return folder


def forged(folder: RunFolder, change: Callable[[dict[str, Any]], None], name: str = "solution") -> StoredRun:
    """The run after its result in the file was changed; the file still claims verification."""
    path = folder.path / "solution.json"
    payload = json.loads(path.read_bytes())
    change(payload[name])
    payload[name]["verified"] = True
    path.write_text(json.dumps(payload))
    return load_run(folder.path)


def of_nodes(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[dict[str, Any]], None]:
    """Change the leaves of a solution."""

    def changed(solution: dict[str, Any]) -> None:
        for node in solution["diagram"]["nodes"]:
            if node["type"] == "leaf":
                node.update(change(node))

    return changed


def cheaper(solution: dict[str, Any]) -> None:
    """Claim one error fewer, and that no model is better."""
    solution["cost"] = solution["bound"] = solution["cost"] - 1


FORGERIES = {
    "cheaper": cheaper,
    "other predictions": of_nodes(lambda leaf: {"label": 1 - leaf["label"]}),
    "leaves without errors": of_nodes(
        lambda leaf: {"counts": [count * (k == leaf["label"]) for k, count in enumerate(leaf["counts"])]}
    ),
    "a bound above the cost": lambda solution: solution.update(bound=solution["cost"] + 1),
    "another problem": lambda solution: solution.update(problem_id="0" * len(solution["problem_id"])),
    "another method": lambda solution: solution.update(method="cptree"),
    "no tree": lambda solution: solution.update(status="infeasible", diagram=None, cost=None, bound=None, trace=[]),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=list(FORGERIES))
def test_a_forged_result_is_reported(change: Callable, tmp_path: Path) -> None:
    """No change to the file deceives the screens or the list, whatever the file claims about verification."""
    problem = plain()
    stored = forged(ended(tmp_path, problem), change)
    assert stored.solution.verified is False
    assert "Not verified: " in stored.solution.message
    shown = status_badge(stored.solution, get("contree").exact, problem)
    assert shown.words == "Not verified" and stored.solution.message in shown.sentence
    assert entry_of(stored.folder).status is None


@pytest.mark.parametrize("how", [Finished, Failed, Cancelled])
def test_an_unchanged_result_stays_verified(how: type, tmp_path: Path) -> None:
    """The result passes verification again, however the run ended, even if the file omits the claim."""
    folder = ended(tmp_path, plain(), how=how)
    before = load_run(folder.path).solution
    assert before.verified is True and before.status is Status.OPTIMAL
    name = "solution" if how is Finished else "best"
    path = folder.path / "solution.json"
    payload = json.loads(path.read_bytes())
    payload[name]["verified"] = None
    path.write_text(json.dumps(payload))
    assert load_run(folder.path).solution == before
    assert forged(folder, cheaper, name).solution.verified is False


def test_a_violated_constraint_is_noticed(tmp_path: Path) -> None:
    """A model that violates a constraint is not verified, even if the file says so."""
    problem = plain()
    whole = solve(problem, "contree", LIMITS)
    constrained = replace(problem, constraints=(MaxLeaves(whole.diagram.n_leaves - 1),))
    folder = RunFolder.create(tmp_path, constrained, "contree", LIMITS)
    folder.write_outcome(Finished(0.1, replace(whole, problem_id=constrained.id, verified=True)))
    assert load_run(folder.path).solution.verified is False


def test_a_bound_of_a_greedy_method_is_ignored(tmp_path: Path) -> None:
    """A bound claimed for a greedy method is not accepted, even if it contradicts nothing."""
    folder = ended(tmp_path, plain(), "cart")

    def proved(solution: dict[str, Any]) -> None:
        solution.update(status="optimal", bound=solution["cost"])

    stored = forged(folder, proved)
    assert stored.solution.verified is False and "'cart' proves nothing" in stored.solution.message


def test_a_failed_verification_is_kept(tmp_path: Path) -> None:
    """A result that failed verification when it was made is not verified later by chance."""
    folder = ended(tmp_path, plain())
    path = folder.path / "solution.json"
    payload = json.loads(path.read_bytes())
    payload["solution"] |= {"verified": False, "message": "Not verified: the cost was wrong."}
    path.write_text(json.dumps(payload))
    solution = load_run(folder.path).solution
    assert (solution.verified, solution.message) == (False, "Not verified: the cost was wrong.")


def test_a_forged_model_of_an_interrupted_run_is_noticed(tmp_path: Path) -> None:
    """The best model before the interruption is verified against the rows, whatever its event claims."""
    problem = plain()
    folder, solution = RunFolder.create(tmp_path, problem, "contree", LIMITS), solve(problem, "contree", LIMITS)
    folder.append_event(Started("contree"))
    folder.append_event(Incumbent(0.1, solution.cost - 1, solution.diagram))
    assert load_run(folder.path).solution.verified is False


def test_a_report_on_a_forged_result_is_correct(tmp_path: Path) -> None:
    """A report on the output of `fit --out` calls a model proved only after its own verification."""
    table, out, page = tmp_path / "own.csv", tmp_path / "out", tmp_path / "report.html"
    table.write_text("a,y\n" + "".join(f"{i % 12},{'ny'[i % 12 > 5]}\n" for i in range(48)))
    assert main(["fit", str(table), "--target", "y", "--max-depth", "1", "--out", str(out)]) == 0
    assert "Optimal on training data" in reported(out, table, page)
    path = out / "solution.json"
    payload = json.loads(path.read_bytes())
    payload["solution"] |= {
        "cost": payload["solution"]["cost"] + 1,
        "bound": payload["solution"]["cost"] + 1,
        "verified": True,
    }
    path.write_text(json.dumps(payload))
    assert "Optimal on training data" not in (page := reported(out, table, page, status=1)) and "Not verified" in page


def reported(folder: Path, table: Path, page: Path, status: int = 0) -> str:
    """The report on the contents of a folder."""
    assert main(["report", str(folder), str(table), "--out", str(page)]) == status
    return page.read_text()
