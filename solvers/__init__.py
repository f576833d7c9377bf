"""Espalier: optimal, constrainable, explainable classifiers.

    from solvers import Limits, Problem, Shape, load_dataset, read_table, solve

    dataset = load_dataset("patients.csv", "outcome")
    solution = solve(Problem(dataset, Shape(max_depth=3)), "contree", Limits(seconds=60))
    solution.diagram.predict(read_table("new_patients.csv"))

The names below are loaded on first use, so importing this package is cheap.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
COMMAND = f"python -m {__name__}"

_HOME = {
    "BinaryDecisionDiagramClassifier": ".estimators",
    "Dataset": ".problem",
    "DecisionDiagramClassifier": ".estimators",
    "Diagram": ".diagram",
    "EspalierError": ".errors",
    "Limits": ".problem",
    "MissingPolicy": ".problem",
    "OptimalTreeClassifier": ".estimators",
    "OptimalTreeClassifierCV": ".estimators",
    "Problem": ".problem",
    "Shape": ".problem",
    "Solution": ".solution",
    "Status": ".solution",
    "WorkerPool": ".run",
    "from_json": ".diagram",
    "load_dataset": ".problem",
    "load_run": ".run",
    "read_table": ".problem",
    "solve": ".run",
    "to_json": ".diagram",
    "verify": ".metrics",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(_HOME[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
