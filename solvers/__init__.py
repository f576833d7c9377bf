"""Espalier: optimal, constrainable, explainable classifiers.

    from solvers import Limits, Problem, Shape, load_dataset, read_table, solve

    dataset = load_dataset("patients.csv", "outcome")
    solution = solve(Problem(dataset, Shape(max_depth=3)), "contree", Limits(seconds=60))
    solution.diagram.predict(read_table("new_patients.csv"))

The names below are loaded when they are first used, so that importing this package costs nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "BinaryDecisionDiagramClassifier": "solvers.estimators",
    "Dataset": "solvers.problem",
    "DecisionDiagramClassifier": "solvers.estimators",
    "Diagram": "solvers.diagram",
    "EspalierError": "solvers.errors",
    "Limits": "solvers.problem",
    "MissingPolicy": "solvers.problem",
    "OptimalTreeClassifier": "solvers.estimators",
    "OptimalTreeClassifierCV": "solvers.estimators",
    "Problem": "solvers.problem",
    "Shape": "solvers.problem",
    "Solution": "solvers.solution",
    "Status": "solvers.solution",
    "WorkerPool": "solvers.run",
    "from_json": "solvers.diagram",
    "load_dataset": "solvers.problem",
    "load_run": "solvers.run",
    "read_table": "solvers.problem",
    "solve": "solvers.run",
    "to_json": "solvers.diagram",
    "verify": "solvers.metrics",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
