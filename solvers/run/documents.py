"""The documents that runs and sweeps keep: each kind has its own version, and the steps from older ones to today's.

To change what a document holds, write a step that makes the new form of the old one, and add it to `STEPS`: the version
rises by one, and what older programs wrote is still read.
"""

from collections.abc import Callable
from typing import Any

from solvers.errors import RunError

Data = dict[str, Any]
Step = Callable[[Data], Data]
"""Makes the next version of a document."""

FIRST = 4
"""The version of all documents before each had its own; older ones had other problems."""

_SIZES = {
    "max_leaves": "max_leaf_nodes",
    "max_questions": "max_splits",
    "min_leaf": "min_samples_leaf",
    "min_leaf_weight": "min_weight_leaf",
}
_TOLERANCES = {"slack": "tolerance", "slack_unit": "tolerance_unit"}


def _solution_with_facts(data: Data) -> Data:
    """Version 5: results have facts in place of sentences, and requests the names of sizes that `Shape` has."""
    for name in ("solution", "best"):
        if isinstance(old := data.get(name), dict):
            figures = old["stats"] if isinstance(old.get("stats"), dict) else {}
            details: Data = {}
            if predicates := figures.get("predicates"):
                details["consistent"] = {"least": "depth-then-nodes", "predicates": predicates}
            if listed := figures.get("near_optimal"):
                details["near_optimal"] = listed
                details["all_near_optimal"] = figures.get("near_optimal complete", False)
            data[name] = {**old, "scope": "quantiles" if old.get("scope") else None, "ended": None, "details": details}
    if isinstance(request := data.get("request"), dict):
        data["request"] = {_SIZES.get(name, name): value for name, value in request.items()}
    return data


def _answer_with_tests(data: Data) -> Data:
    """Version 6: what a confirmation went through are called its tests."""
    if isinstance(answer := data.get("answer"), dict) and "rungs" in answer:
        data["answer"] = {"tests" if name == "rungs" else name: value for name, value in answer.items()}
    return data


def _problem_with_division(data: Data) -> Data:
    """Version 5: tables say by what their rows are divided; before, each row stood alone."""
    return {**data, "dataset": {**data["dataset"], "division": {}}} if isinstance(data.get("dataset"), dict) else data


def _problem_with_preparation(data: Data) -> Data:
    """Version 6: tables say which steps prepared them; before, they were learned from as they came."""
    return (
        {**data, "dataset": {**data["dataset"], "preparation": []}} if isinstance(data.get("dataset"), dict) else data
    )


def _with_tolerance(data: Data) -> Data:
    """Version 5: in options, and in tasks, it is called a tolerance how much worse listed models may be."""
    data = _renamed_options(data)
    if isinstance(task := data.get("task"), dict):
        data["task"] = {_TOLERANCES.get(name, name): value for name, value in task.items()}
    return data


def _renamed_options(part: Any, inside: bool = False) -> Any:
    """A part of a document; outside of options a column or a class may have the name."""
    if not isinstance(part, dict):
        return part
    return {
        _TOLERANCES.get(name, name) if inside else name: _renamed_options(value, inside or name == "options")
        for name, value in part.items()
    }


def _result_with_cell(data: Data) -> Data:
    """Version 5: lines of a sweep's table say what is tried, which its key alone said, and the names of `Shape`."""
    _, _, cell = data["key"].partition(": ")
    alpha = next((float(part.removeprefix("alpha")) for part in cell.split() if part.startswith("alpha")), None)
    return {_SIZES.get(name, name): value for name, value in data.items()} | {"cell": cell, "alpha": alpha}


STEPS: dict[str, tuple[Step, ...]] = {
    "solution.json": (_solution_with_facts,),
    "events.jsonl": (_solution_with_facts, _answer_with_tests),
    "run.json": (_with_tolerance,),
    "screen.json": (_with_tolerance,),
    "sweep.json": (_with_tolerance,),
    "results.jsonl": (_result_with_cell,),
    "problem.json": (_problem_with_division, _problem_with_preparation),
    "unseen.json": (_problem_with_division, _problem_with_preparation),
}
"""The steps of each kind of document, by the name of its file; the first makes version 5 of version 4. Each line of
`events.jsonl` and `results.jsonl` is a document; those of version 4 do not name it."""


def version_of(name: str) -> int:
    """The version that this program writes of a kind of document."""
    return FIRST + len(STEPS.get(name, ()))


def versioned(name: str, data: Data) -> Data:
    """A document as it is written."""
    return {"version": version_of(name), **data}


def current(name: str, data: Data, what: str) -> Data:
    """A document that was read, in the form of today and without its version.

    `name` is that of its file, `what` the same for a message. Raises `RunError` where its version is not known: it is
    older than all that are read, or a newer program wrote it.
    """
    version, newest = data.get("version"), version_of(name)
    if type(version) is not int or not FIRST <= version <= newest:
        raise RunError(
            f"{what} has the version {version}; this program reads versions {FIRST} to {newest}. "
            f"Open it with the program that wrote it, or solve the problem again."
        )
    data = {key: value for key, value in data.items() if key != "version"}
    for step in STEPS.get(name, ())[version - FIRST :]:
        data = step(data)
    return data
