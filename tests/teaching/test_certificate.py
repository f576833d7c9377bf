"""The check of a certificate step by step, against all trees by their first question."""

from __future__ import annotations

import json

import numpy as np
import pytest

from solvers.certificates.optimum import make_optimum_certificate
from solvers.certificates.optimum_checker import cases_of_file
from solvers.certificates.optimum_words import CASES, MAIN
from solvers.diagram import Diagram
from solvers.errors import UnsupportedError
from solvers.problem import Problem, Shape
from solvers.teaching import CheckKind, Recipe, Rule, make, record_search, replay_check
from tests.case_count import case_count
from tests.certificates.test_optimum_bounds import Drawn
from tests.teaching.lessons import problem_of, random_dataset


def optimal(problem: Problem) -> Diagram:
    """A tree of the fewest errors."""
    return record_search(problem).best.drawn(problem).diagram


@pytest.mark.parametrize("seed", range(case_count(12)))
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_step_says_more_than_is_true(seed: int, depth: int) -> None:
    """The bound of each first question only rises, stays below its best tree, and ends at the errors of the tree."""
    problem = Problem(random_dataset(np.random.default_rng(seed), 14), Shape(max_depth=depth))
    tree = optimal(problem)
    replay = replay_check(problem, tree)
    files = make_optimum_certificate(problem, tree)
    cases, _ = cases_of_file(files[CASES].decode(), json.loads(files[MAIN]))
    brute = Drawn(cases, depth, (1, 0), 0, [], [""] * len(cases.ranks), {"class": 0})
    here, true = np.arange(cases.ranks.shape[1]), []
    for order, ranks in enumerate(cases.ranks):
        true += [cases.base + brute.divided(here, order, last, depth) for last in np.unique(ranks)[:-1].tolist()]
    before = np.zeros(len(true), int)
    for step in replay.steps:
        assert len(replay.cuts) == len(step.bounds) and (np.array(step.bounds) <= true).all()
        assert (np.array(step.bounds) >= before).all() and set(step.new) <= set(step.looked)
        before = np.array(step.bounds)
    assert replay.steps[0].what is CheckKind.COUNT and replay.steps[-1].what is CheckKind.PROVED
    assert replay.steps[-1].open(replay.cost) == 0 and (before == replay.cost).all()
    assert replay.cost == int((tree.predict(problem.dataset) != problem.dataset.y).sum())


def test_a_worse_tree_is_not_replayed() -> None:
    """The check finds that there is a better one."""
    problem = problem_of(make(Recipe(Rule.BLOBS, rows=40, seed=2)))
    worse = optimal(Problem(problem.dataset, Shape(max_depth=0)))
    with pytest.raises(UnsupportedError, match="better tree"):
        replay_check(problem, worse)
