"""Studies of diagrams: every skeleton with every alpha, evaluated on held-out rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.problem import Kind, Objective, Problem, Shape, ShapeKind
from solvers.problem.skeleton import objective_of
from solvers.sweeps.resamples import folds
from solvers.sweeps.study import Study
from tests.strategies import make_dataset

SMALL = ((1,), (1, 2))


def table(n: int = 60, weight: list[float] | None = None):
    """Rows of three classes that two thresholds separate, except for a few."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    y = (X[:, 0] > 0.4).astype(int) + ((X[:, 0] > 0.4) & (X[:, 1] > 0.5))
    wrong = rng.random(n) < 0.1
    return make_dataset(
        {f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(3)}, np.where(wrong, (y + 1) % 3, y).tolist(), weight=weight
    )


def diagrams(n: int = 60, **more: object) -> Problem:
    """The table as a problem for diagrams."""
    return Problem(table(n), Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2)), **more)


def test_every_setting_is_tried_in_every_repeat() -> None:
    """Each skeleton is tried with each alpha, on the training rows of each fold of each repeat."""
    problem = diagrams(objective=Objective(class_costs=((0, 1, 1), (2, 0, 1), (3, 1, 0))))
    study = Study(("odd-greedy",), widths=SMALL, alphas=(0.1, 0.5), folds=2, repeats=2, seed=4)
    cells = study.plan(problem).cells
    divisions = list(folds(problem.dataset, 2, 2, 4))
    tried = [(widths, alpha) for widths in SMALL for alpha in (0.1, 0.5)]
    assert len(cells) == 16
    for i, cell in enumerate(cells):
        posed, part = cell.job.problem, divisions[i // 4]
        widths, alpha = tried[i % 4]
        rows = problem.dataset.rows
        assert posed.dataset.rows.tolist() == rows[part.train].tolist()
        assert cell.unseen.rows.tolist() == rows[part.test].tolist()
        assert posed.shape.widths == widths
        assert posed.objective == objective_of(alpha, len(part.train), base=problem.objective)
        assert posed.objective.class_costs == problem.objective.class_costs


def test_alpha_is_a_share_of_the_weights() -> None:
    """With weights the split penalty is a share of their sum."""
    weighted = replace(diagrams(), dataset=table(weight=[2.0] * 60))
    study = Study(("odd-greedy",), widths=SMALL[1:], alphas=(0.7,), folds=2)
    assert next(study.planned(weighted)).job.problem.objective.split_penalty == pytest.approx(0.7 * 60 / 14, abs=1e-4)
