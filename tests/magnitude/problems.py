"""Random problems along an axis of magnitude: case k of a family is the same in every run.

The magnitude of a problem is the sum of its weights times the largest cost, in the smallest unit of its decimals.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from solvers.constraints import KINDS, Constraint, MaxExpectedCost, Severity
from solvers.errors import ConstraintError
from solvers.problem import Dataset, Group, Kind, Objective, Problem, Shape, ShapeKind
from tests.constraints.examples import example
from tests.constraints.problems import random_table
from tests.oracle import meaning, trees
from tests.strategies import make_dataset

MAGNITUDES = (10**3, 10**5, 10**6, 10**7, 10**8, 2**31 - 1)
"""Totals in the smallest unit, from typical integer weights up to the largest that is accepted."""

MOST_DECIMALS = 6
"""Maximum number of decimals of weights and costs."""


def generator(family: str, k: int) -> np.random.Generator:
    """The random generator of case k of a family."""
    return np.random.default_rng([zlib.crc32(family.encode()), k])


# Weights and costs


def whole_weights(rng: np.random.Generator, n: int, total: int) -> list[int]:
    """Positive integers with this sum (at least n): nearly equal, uniform, steep, or of all magnitudes."""
    how = rng.integers(5)
    if how == 0:
        share = np.ones(n) + rng.integers(0, 3, n) * n / total
    elif how == 1:
        share = rng.random(n) + 1e-3
    elif how == 2:
        share = rng.exponential(size=n) + 1e-6
    elif how == 3:
        share = 10.0 ** rng.uniform(-np.log10(total), 0, n)
    else:
        share = rng.choice([1.0, 2.0, 3.0], n)
    found = [max(1, int(w)) for w in share / share.sum() * (total - n)]
    found[int(rng.integers(n))] += total - sum(found)
    return found


def weigh(rng: np.random.Generator, n: int, total: int) -> tuple[list[float] | None, int]:
    """Weights of about this sum in their smallest unit, integers or with one to six decimals, and their decimals."""
    if total <= n:
        return None, 0
    decimals = int(rng.choice([0, 0, 1, 2, 3, 4, 5, 6, 6]))
    return [round(w / 10**decimals, decimals) for w in whole_weights(rng, n, total)], decimals


def objective(rng: np.random.Generator, n_classes: int, total: int, n: int) -> tuple[Objective, int, int]:
    """Class costs, from none to huge and tiny; the total that remains for the weights; the decimals of the costs.

    The split penalty is an integer here, for `in_units`.
    """
    how, matrix, largest, decimals = rng.integers(8), None, 1, 0
    if how in (5, 6, 7):
        most = int(10 ** rng.uniform(0, np.log10(max(10, total / n))))
        drawn = rng.integers(1, most + 1, (n_classes, n_classes))
        if how == 5:
            drawn[:] = drawn[:, :1]  # the cost depends on the true class only
        np.fill_diagonal(drawn, 0 if rng.random() < 0.8 else 1)
        decimals, largest = int(rng.choice([0, 0, 1, 3, 6])), int(drawn.max())
        matrix = tuple(tuple(round(int(c) / 10**decimals, decimals) for c in row) for row in drawn)
    split = int(rng.choice([0, 0, 0, 1, 7, total // (8 * n), total // (3 * n), total // 50]))
    return Objective(matrix, float(split)), max(1, (total - split) // max(largest, 10**decimals)), decimals


def in_units(objective: Objective, decimals: int) -> Objective:
    """The objective with the split penalty in units of the last decimal of weights times costs."""
    places = min(decimals, MOST_DECIMALS)
    return replace(objective, split_penalty=round(objective.split_penalty / 10**decimals, places))


# Tables


def costed(rng: np.random.Generator, dataset: Dataset, total: int) -> tuple[Dataset, Objective]:
    """The table with weights, and costs, with about this total and no more."""
    n = dataset.n_samples
    for _ in range(30):
        costs, left, decimals = objective(rng, dataset.n_classes, total, n)
        weight, more = weigh(rng, n, left)
        heavy = dataset if weight is None else replace(dataset, weight=np.array(weight))
        costs = in_units(costs, decimals + more)
        if trees.total_units(Problem(heavy, objective=costs)) <= total:
            return heavy, costs
    return heavy, Objective()


# Problems


def tree_problem(rng: np.random.Generator, total: int, *, rows: int = 14, columns: int = 3, depth: int = 3) -> Problem:
    """A tree without constraints: any depth, some with leaf limits or minimum leaf sizes."""
    dataset, costs = costed(rng, random_table(rng, rows=rows, columns=columns, values=int(rng.choice([4, 8]))), total)
    shape = Shape(
        max_depth=int(rng.integers(1, depth + 1)),
        max_leaf_nodes=(None, None, None, 2, 3, 5)[rng.integers(6)],
        min_samples_leaf=int(rng.choice([1, 1, 1, 2, 3])),
        min_weight_leaf=_some_weight(rng, dataset) if rng.random() < 0.2 else 0.0,
    )
    return Problem(dataset, shape, costs)


def steep_problem(rng: np.random.Generator, total: int) -> Problem:
    """A tree of depth 4 for 30 rows that weigh 100, 1 and a millionth.

    The cost of the best tree times its splits, which is used to break ties, exceeds 32 bits, and most rows are
    negligible compared with a few.
    """
    n = 30
    columns = {f"x{j}": (Kind.NUMERIC, rng.integers(0, int(rng.integers(4, 7)), n).astype(float)) for j in range(2)}
    shares = ((0.6, 0.2, 0.2), (0.34, 0.33, 0.33), (0.2, 0.4, 0.4))[rng.integers(3)]
    classes = int(rng.integers(2, 4))
    weight = rng.choice([100.0, 1.0, 1e-6], n, p=shares)
    while sum(map(trees.decimal, weight.tolist())) * 10**6 >= 2**31:
        weight[weight.argmax()] = 1.0
    dataset = make_dataset(columns, rng.integers(0, classes, n), n_classes=classes, weight=weight)
    return Problem(dataset, Shape(max_depth=4))


def _some_weight(rng: np.random.Generator, dataset: Dataset) -> float:
    """The total weight of some rows, so that a leaf can have exactly this weight."""
    heavy = trees.weights(dataset)
    chosen = rng.permutation(len(heavy))[: int(rng.integers(1, 4))]
    return float(sum(heavy[i] for i in chosen))


def bdd_problem(rng: np.random.Generator, total: int) -> Problem:
    """A BDD of one to three levels, some with a node limit."""
    dataset, costs = costed(rng, random_table(rng, rows=10, columns=3, values=4), total)
    depth = int(rng.integers(1, 4 if dataset.n_classes == 2 else 3))
    questions = int(rng.integers(0, 4)) if rng.random() < 0.2 else None
    return Problem(dataset, Shape(ShapeKind.BDD, max_depth=depth, max_splits=questions), costs)


ABOUT_ANSWERS = [kind for kind in KINDS if meaning.by_answers(kind)]
"""The kinds of constraint on predictions."""

SKELETONS = ((1,), (1, 2), (1, 2), (1, 1, 1), (1, 2, 1), (1, 2, 2))


def diagram_problem(rng: np.random.Generator, total: int) -> Problem:
    """A decision diagram of up to five splits, usually with a split penalty, often with a free first split."""
    dataset, costs = costed(rng, random_table(rng, rows=8, columns=2, values=3), total)
    costs = replace(costs, free_root=bool(rng.random() < 0.6))
    questions = int(rng.integers(1, 5)) if rng.random() < 0.2 else None
    widths = SKELETONS[rng.integers(len(SKELETONS))]
    return Problem(dataset, Shape(ShapeKind.DIAGRAM, widths=widths, max_splits=questions), costs)


def ruled_problem(rng: np.random.Generator, total: int, kind: str, taken: Callable[[Problem], bool]) -> Problem:
    """A small tree under one to three constraints, the first of this kind, that the method supports."""
    for _ in range(300):
        heavy, costs = costed(rng, random_table(rng, rows=9, columns=3, values=int(rng.choice([3, 4]))), total)
        n = int(rng.choice([1, 1, 2, 2, 3]))
        kinds = [kind, *rng.choice(list(KINDS), n - 1).tolist()]
        constraints = tuple(c for c in (some_constraint(one, heavy, rng) for one in kinds) if c is not None)
        shape = Shape(
            max_depth=int(rng.choice([1, 2, 2, 2, 3])),
            max_leaf_nodes=(None, None, None, 2, 3, 4)[rng.integers(6)],
            min_samples_leaf=int(rng.choice([1, 1, 1, 2])),
        )
        problem = Problem(heavy, shape, costs, constraints)
        if not any(c.kind == kind for c in constraints) or not taken(problem):
            continue
        try:
            trees.n_trees(problem)
        except trees.TooManyError:
            continue
        return problem
    raise AssertionError(f"no problem under '{kind}' was found that the method takes and the oracle can try")


def ruled_diagram(rng: np.random.Generator, total: int, kind: str, taken: Callable[[Problem], bool]) -> Problem:
    """A small decision diagram under one or two constraints on predictions, the first of this kind."""
    for _ in range(300):
        problem = diagram_problem(rng, total)
        kinds = [kind, *rng.choice(ABOUT_ANSWERS, int(rng.integers(2))).tolist()]
        rules = tuple(c for c in (some_constraint(one, problem.dataset, rng) for one in kinds) if c is not None)
        problem = replace(problem, constraints=rules)
        few = sum(problem.shape.layer_widths) < 5 and problem.dataset.n_classes == 2
        if few and any(c.kind == kind for c in rules) and taken(problem):
            return problem
    raise AssertionError(f"no diagram under '{kind}' was found that the method takes and the oracle can try")


def tested_problem(rng: np.random.Generator, total: int) -> Problem:
    """A tree of depth 3 for twelve rows of binary columns, with a limit of the expected cost of tests."""
    n = 12
    columns = {f"x{j}": (Kind.BINARY, rng.integers(0, 2, n).astype(float)) for j in range(3)}
    weight, _ = weigh(rng, n, total)
    dataset = make_dataset(columns, rng.integers(0, 2, n), weight=weight)
    costs = {name: round(float(rng.random() * 10), int(rng.choice([0, 1, 2]))) for name in columns}
    budget = round(float(rng.random() * 10), int(rng.choice([0, 1, 2])))
    return Problem(dataset, Shape(max_depth=3), constraints=(MaxExpectedCost(costs, budget),))


def fair_problem(rng: np.random.Generator, total: int) -> Problem:
    """A tree for up to 200 rows of binary columns under a fairness constraint for two or three groups."""
    n = int(rng.integers(60, 200))
    columns = {f"x{j}": (Kind.BINARY, rng.integers(0, 2, n).astype(float)) for j in range(3)}
    weight, _ = weigh(rng, n, total)
    rule = (columns["x0"][1] + columns["x1"][1]) // 2
    y = np.where(rng.random(n) < 0.3, rng.integers(0, 2, n), rule).astype(int)
    group = Group("ward", ("a", "b", "c"), rng.integers(0, int(rng.integers(2, 4)), n))
    dataset = replace(make_dataset(columns, y, n_classes=2, weight=weight), positive=1, groups=(group,))
    kinds = [kind for kind in KINDS if kind.startswith(("demographic", "equal", "predictive"))]
    made = KINDS[str(rng.choice(kinds))]
    limit = Fraction(int(rng.integers(0, 300_000)), 10**6) if rng.random() < 0.7 else Fraction(0)
    constraint = made("ward", 1 - limit if made.limited_by == "ratio" else limit)
    return Problem(dataset, Shape(max_depth=2), constraints=(constraint,))


def some_constraint(kind: str, dataset: Dataset, rng: np.random.Generator) -> Constraint | None:
    """A constraint of a kind that is valid for the table, with its limit at or near the weight of some rows."""
    made = example(KINDS[kind], dataset, rng)
    if made is None:
        return None
    try:
        made = made.changed(**_limits(kind, made, dataset, rng))
    except ConstraintError:
        return None
    errors = [found for found in made.check(Problem(dataset)) if found.severity is Severity.ERROR]
    return None if errors else made


def _limits(kind: str, made: Constraint, dataset: Dataset, rng: np.random.Generator) -> dict[str, Any]:
    """Other limits for a constraint on weights, shares or costs of tests."""
    if kind in ("max-missed", "max-false-alarms", "max-errors", "max-positive", "min-weight-leaf"):
        name = "weight" if kind == "min-weight-leaf" else "most"
        limit = trees.decimal(_some_weight(rng, dataset)) + int(rng.choice([-1, 0, 0, 0, 1])) * Fraction(1, 10**6)
        return {name: float(max(limit, Fraction(0)))}
    if kind in ("max-path-cost", "max-expected-cost") and rng.random() < 0.7:
        decimals = int(rng.choice([0, 1, 2, 3]))
        prices = {name: round(float(rng.random() * 10), decimals) for name in dataset.schema.names}
        return {"costs": prices, "budget": round(float(rng.random() * 12), int(rng.choice([0, 2, 4])))}
    if kind.startswith(("demographic", "equal", "predictive")) and rng.random() < 0.5:
        name = "ratio" if kind.endswith("ratio") else "difference"
        return {name: round(float(rng.random()), int(rng.choice([2, 4, 6])))}
    return {}
