"""Random small diagram problems under constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.constraints import KINDS, Severity
from solvers.methods import get
from solvers.problem import Dataset, Group, Objective, Problem, Shape, ShapeKind
from tests.constraints.examples import example
from tests.magnitude.problems import MAGNITUDES, costed
from tests.methods.diagrams.small_diagrams import small_table

MOST_DRAWN = 2000
"""Maximum number of draws until a problem has the required constraints."""


def random_ruled(seed: int, kinds: tuple[str, ...]) -> Problem:
    """A problem with a constraint of each of these kinds and few enough candidate diagrams."""
    rng = np.random.default_rng([seed, *map(list(KINDS).index, kinds)])
    for _ in range(MOST_DRAWN):
        widths = ((1, 2), (1, 1, 1), (1, 1))[rng.integers(3)]
        # three layers have too many diagrams to try them all, unless there are few splits
        n_values = 2 if len(widths) > 2 else int(rng.integers(2, 4))
        table = small_table(rng, n_rows=int(rng.integers(4, 8)), n_values=n_values)
        if (np.ptp(table.X, axis=0) == 0).any():
            # a constant column is not a feature: the allowed splits on it are not defined
            continue
        groups = (Group("g", ("a", "b"), rng.integers(0, 2, table.n_samples)),)
        table, objective = _costed(replace(table, positive=int(rng.integers(2)), groups=groups), rng)
        shape = Shape(kind=ShapeKind.DIAGRAM, widths=widths, min_samples_leaf=int(rng.choice([1, 1, 2, 3])))
        problem = Problem(table, shape, replace(objective, free_root=bool(rng.integers(2))))
        made = tuple(c for c in (example(KINDS[kind], table, rng) for kind in kinds) if c is not None)
        found = [finding for c in made for finding in c.check(problem)]
        problem = replace(problem, constraints=made)
        # sums of some weights and limits exceed the integer range, and are refused
        if (
            len(made) == len(kinds)
            and all(one.severity is not Severity.ERROR for one in found)
            and not get("odd-search").check(problem)
        ):
            return problem
    raise AssertionError(f"no problem with {' and '.join(kinds)} is taken")


def _costed(table: Dataset, rng: np.random.Generator) -> tuple[Dataset, Objective]:
    """The table and costs: small ones, or weights, class costs and a split penalty of any magnitude."""
    if rng.random() < 0.5:
        return costed(rng, table, MAGNITUDES[rng.integers(len(MAGNITUDES))])
    return table, Objective(split_penalty=float(rng.choice([0, 0.25, 0.5])))
