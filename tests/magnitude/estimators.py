"""Classifiers fitted with any weights: the tree is optimal up to the rounding of weights that docs/python.md states."""

from __future__ import annotations

import traceback
from fractions import Fraction
from typing import Any

import numpy as np

from solvers import OptimalTreeClassifier
from solvers.problem import Kind, Objective, Problem, Shape
from tests.magnitude import oracle
from tests.magnitude.problems import generator
from tests.strategies import make_dataset

WEIGHTS = ("uniform", "exponential", "log-uniform", "inverse probability")


def weights(rng: np.random.Generator, how: str, n: int) -> np.ndarray:
    """Random sample weights, float64 (n,)."""
    if how == "uniform":
        return rng.random(n) + 1e-9
    if how == "exponential":
        return rng.exponential(size=n) + 1e-9
    if how == "log-uniform":
        return 10.0 ** rng.uniform(-6, 6, n)
    return 1 / rng.uniform(0.01, 1, n)


def report(k: int) -> dict[str, Any]:
    """Fit k: what went wrong, and code that does it again."""
    rng = generator("estimators", k)
    how = WEIGHTS[k % len(WEIGHTS)]
    deep = rng.random() < 0.25
    n = int(rng.integers(100, 300)) if deep else int(rng.integers(8, 40))
    X = rng.integers(0, 12 if deep else 6, (n, int(rng.integers(1, 4)))).astype(float)
    y, weight = rng.integers(0, int(rng.choice([2, 2, 3])), n), weights(rng, how, n)
    depth = int(rng.integers(3, 5)) if deep else int(rng.integers(1, 3))
    more = {"split_cost": float(weight.mean() * rng.random())} if rng.random() < 0.2 else {}
    code = (
        "import numpy as np; from solvers import OptimalTreeClassifier\n"
        f"X, y, w = np.array({X.tolist()}), np.array({y.tolist()}), np.array({weight.tolist()})\n"
        f"OptimalTreeClassifier(max_depth={depth}, **{more}).fit(X, y, sample_weight=w)"
    )
    try:
        wrong = list(_faults(X, y, weight, depth, more, judge=not deep))
    except Exception:
        wrong = [f"an exception: {traceback.format_exc()}"]
    status = "fitted" if not wrong else "wrong"
    return {"method": "estimators", "magnitude": how, "status": status, "faults": wrong, "code": code if wrong else ""}


def _faults(X: np.ndarray, y: np.ndarray, weight: np.ndarray, depth: int, more: dict, *, judge: bool) -> Any:
    if len(np.unique(y)) < 2:
        return
    model = OptimalTreeClassifier(max_depth=depth, time_limit=20.0, **more).fit(X, y, sample_weight=weight)
    if model.solution_.verified is not True:
        yield f"not verified: {model.solution_.message}"
    if not judge:
        return
    labels = np.searchsorted(model.classes_, y)
    columns = {f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(X.shape[1])}
    table = make_dataset(columns, labels.tolist(), n_classes=len(model.classes_), weight=weight.tolist())
    problem = Problem(table, Shape(depth=depth), Objective(split_cost=more.get("split_cost", 0.0)))
    best = oracle.tree_optimum(problem)
    heavy = oracle.weights(table)
    unit = max(max(heavy) / 10**6, sum(heavy) / 10**9) * Fraction(101, 100)
    slack = unit * (len(heavy) + depth**2)
    wrong = sum((w for w, told, true in zip(heavy, model.predict(X), y, strict=True) if told != true), Fraction(0))
    paid = wrong + model.diagram_.n_splits * oracle.decimal(more.get("split_cost", 0.0))
    optimal = model.solution_.status.value == "optimal"
    cost, bound = Fraction(float(model.cost_)), Fraction(float(model.bound_))
    if cost < best.cost - slack or bound > best.cost + slack or (optimal and cost > best.cost + slack):
        yield f"cost {model.cost_}, bound {model.bound_}, the oracle has {float(best.cost)} (up to {float(slack)})"
    if optimal and paid - best.cost > 2 * slack:
        yield f"the tree costs {float(paid)}, the best one {float(best.cost)} (up to {float(2 * slack)})"
