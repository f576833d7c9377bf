"""Random small problems under random constraints, for agreement between methods and with the oracle."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from solvers.constraints import KINDS, Constraint, Severity
from solvers.problem import Dataset, Kind, MissingPolicy, Objective, Problem, Shape
from tests.constraints.examples import example
from tests.constraints.trees import with_groups
from tests.oracle.trees import countable
from tests.strategies import make_dataset

RULED = tuple(kind for kind in KINDS if not kind.startswith(("max-depth", "max-leaves", "max-questions", "min-leaf")))
"""The kinds that are posted as rules."""

_DISTINCT = {Kind.NUMERIC: 5, Kind.BINARY: 2, Kind.ORDERED: 4, Kind.CATEGORICAL: 3, Kind.DATE: 4}


@cache
def random_problem(seed: int) -> Problem:
    """A problem with one to four constraints that the oracle can solve; the same seed gives the same problem.

    The kind of the first constraint cycles through all kinds, so that each is equally frequent.
    """
    rng = np.random.default_rng(seed)
    first = RULED[seed % len(RULED)]
    while True:
        dataset = random_table(rng)
        if rng.random() < 0.2:
            dataset = replace(dataset, weight=rng.choice([1.0, 2.0, 0.5], dataset.n_samples))
        constraints = random_constraints(dataset, rng, first)
        if all(constraint.kind != first for constraint in constraints):
            continue
        shape = Shape(
            max_depth=int(rng.choice([1, 2, 2, 2, 3])),
            max_leaf_nodes=(None, None, None, 2, 3, 4)[rng.integers(6)],
            min_samples_leaf=int(rng.choice([1, 1, 1, 2, 3])),
        )
        problem = Problem(dataset, shape, random_objective(dataset, rng), constraints)
        if countable(problem):
            return problem


def random_table(rng: np.random.Generator, *, rows: int = 12, columns: int = 3, values: int = 5) -> Dataset:
    """A table without weights: ties, contradictions, missing values, a group column of three levels."""
    n, policy = int(rng.integers(4, rows + 1)), list(MissingPolicy)[rng.integers(3)]
    made = {}
    for j in range(int(rng.integers(1, columns + 1))):
        kind = list(Kind)[rng.integers(len(Kind))]
        cells = rng.integers(0, min(values, _DISTINCT[kind]) if kind is not Kind.NUMERIC else values, n).astype(float)
        if policy is not MissingPolicy.COMPLETE and rng.random() < 0.3:
            cells[rng.random(n) < 0.25] = np.nan
        made[f"x{j}"] = (kind, cells + (19000 if kind is Kind.DATE else 0))
    n_classes = int(rng.integers(2, 4)) if rng.random() < 0.3 else 2
    return with_groups(make_dataset(made, rng.integers(0, n_classes, n), n_classes=n_classes, missing=policy), rng)


def random_constraints(dataset: Dataset, rng: np.random.Generator, first: str) -> tuple[Constraint, ...]:
    """One to four constraints that are valid for the table, the first of a given kind if the table permits it."""
    n = int(rng.choice([1, 1, 2, 2, 3, 4]))
    kinds = [first, *rng.choice(list(KINDS), n - 1).tolist()]
    made = [example(KINDS[kind], dataset, rng) for kind in kinds]
    problem = Problem(dataset)
    return tuple(c for c in made if c is not None and all(f.severity is not Severity.ERROR for f in c.check(problem)))


def random_objective(dataset: Dataset, rng: np.random.Generator) -> Objective:
    """A split penalty or none, sometimes with class costs."""
    split_penalty = float(rng.choice([0, 0, 0, 0.5]))
    if rng.random() < 0.15:
        costs = rng.integers(1, 4, (dataset.n_classes, dataset.n_classes)) * (1 - np.eye(dataset.n_classes))
        return Objective(tuple(map(tuple, costs.tolist())), split_penalty)
    return Objective(split_penalty=split_penalty)
