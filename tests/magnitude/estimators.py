"""Classifiers fitted with any weights: the tree is optimal up to the rounding of weights that docs/python.md
describes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from solvers import OptimalTreeClassifier
from solvers.problem import Kind, Objective, Problem, Shape
from tests.magnitude.problems import generator
from tests.magnitude.regressions import steep
from tests.oracle import trees
from tests.strategies import make_dataset

WEIGHTS = ("uniform", "exponential", "log-uniform", "inverse probability", "steep")


def weights(rng: np.random.Generator, how: str, n: int) -> np.ndarray:
    """Random sample weights, float64 (n,)."""
    if how == "uniform":
        return rng.random(n) + 1e-9
    if how == "exponential":
        return rng.exponential(size=n) + 1e-9
    if how == "log-uniform":
        return 10.0 ** rng.uniform(-6, 6, n)
    if how == "inverse probability":
        return 1 / rng.uniform(0.01, 1, n)
    return rng.choice([100.0, 1.0, 1e-6], n, p=[0.1, 0.45, 0.45])


@dataclass(frozen=True)
class Fit:
    """A classifier to fit: the rows with their weights, and the parameters."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    parameters: dict[str, float]


def fit(k: int) -> Fit:
    """Fit number k: most of them small enough for the oracle, a quarter of them deep."""
    rng = generator("estimators", k)
    how, deep = WEIGHTS[k % len(WEIGHTS)], rng.random() < 0.25
    n = int(rng.choice([60, 150, 700])) if deep else int(rng.integers(8, 40))
    X = rng.integers(0, 10 if deep else 6, (n, 2 if deep else int(rng.integers(1, 4)))).astype(float)
    y = np.append([0, 1], rng.integers(0, int(rng.choice([2, 2, 3])), n - 2))
    weight = weights(rng, how, n)
    parameters = {"max_depth": int(rng.integers(3, 5)) if deep else int(rng.integers(1, 3))}
    if rng.random() < 0.2:
        parameters["split_penalty"] = float(weight.mean() * rng.random())
    return Fit(X, y, weight, parameters)


def _steep(first: str, second: str, y: str, weight: str) -> Fit:
    rows = steep(first, second, y, weight).dataset
    return Fit(rows.X, rows.y, rows.weight, {"max_depth": 4})


REGRESSIONS: dict[str, Fit] = {
    "RuntimeError: generator raised StopIteration": _steep(
        "14767459110613a90a45941235008a1731508a00807415447433205a8159",
        "0494630741870273404628238676632635663043200403149a11a193a828",
        "001012002200101100000222212200112201122111002020222110210100",
        "oootothtttttottooootohotottotttoottttttohttttottootoohootooo",
    ),
    "a segmentation fault in the search for fewer splits": _steep(
        "256546534505534157237435016107676726165111652555763010661723",
        "022100666705661666427137002060677244032661061562405526703765",
        "122120002201212001022102022022121110110102001010202222101000",
        "hotoooohooottooottotottttotoooooothtthootoootoootottoohttooo",
    ),
}
"""Fits that once ended with this error."""


def faults_of(fitted: int | Fit) -> list[str]:
    """The faults of a fit, or of the fit with this number."""
    return list(_faults(fit(fitted) if isinstance(fitted, int) else fitted))


def _faults(case: Fit) -> Iterator[str]:
    X, y, weight, more = case.X, case.y, case.weight, case.parameters
    depth = more["max_depth"]
    model = OptimalTreeClassifier(time_limit=20.0, **more).fit(X, y, sample_weight=weight)
    if model.solution_.verified is not True:
        yield f"not verified: {model.solution_.message}"
    if depth > 2:
        return
    labels = np.searchsorted(model.classes_, y)
    columns = {f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(X.shape[1])}
    table = make_dataset(columns, labels.tolist(), n_classes=len(model.classes_), weight=weight.tolist())
    problem = Problem(table, Shape(max_depth=depth), Objective(split_penalty=more.get("split_penalty", 0.0)))
    best = trees.tree_optimum(problem)
    heavy = trees.weights(table)
    unit = max(max(heavy) / 10**6, sum(heavy) / 10**9) * Fraction(101, 100)
    slack = unit * (len(heavy) + depth**2)
    wrong = sum((w for w, label, true in zip(heavy, model.predict(X), y, strict=True) if label != true), Fraction(0))
    paid = wrong + model.diagram_.n_splits * trees.decimal(more.get("split_penalty", 0.0))
    optimal = model.solution_.status.value == "optimal"
    cost, bound = Fraction(float(model.cost_)), Fraction(float(model.bound_))
    if cost < best.cost - slack or bound > best.cost + slack or (optimal and cost > best.cost + slack):
        yield f"cost {model.cost_}, bound {model.bound_}, the oracle has {float(best.cost)} (up to {float(slack)})"
    if optimal and paid - best.cost > 2 * slack:
        yield f"the tree costs {float(paid)}, the best one {float(best.cost)} (up to {float(2 * slack)})"
