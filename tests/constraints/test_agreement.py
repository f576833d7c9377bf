"""Under constraints: brute force against a still plainer oracle, and every exact method against brute force."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest

from solvers.methods import Method, get, names
from solvers.metrics import verify
from solvers.problem import Problem
from solvers.problem.groups import CROSS
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.constraints.problems import RULED, random_problem
from tests.constraints.trees import diagram_of, leaf
from tests.methods.running import solve
from tests.oracle.brute import BRUTE
from tests.oracle.exhaustive import questions

CASES = case_count(2) * len(RULED)
"""The number of random problems; `ESPALIER_CASES=60` tries each kind sixty times."""

OTHERS = [name for name in names() if get(name).exact]


@cache
def brute(seed: int) -> Solution:
    """What brute force finds for a random problem."""
    return solve(BRUTE, random_problem(seed)).solution


def everything(problem: Problem) -> Iterator[tuple[int, int]]:
    """Cost and number of splits of every tree that the constraints and the size allow, one after the other."""
    dataset, size = problem.dataset, problem.size
    predicates, answers = questions(problem)

    def trees(rows: np.ndarray, depth: int) -> Iterator[tuple]:
        if len(rows) >= size.min_samples_leaf and problem.weights[rows].sum() >= problem.min_weight_leaf:
            yield from ((leaf(dataset, rows, k),) for k in range(dataset.n_classes))
        if depth:
            for predicate, yes in zip(predicates, np.array(answers).reshape(len(predicates), -1), strict=True):
                sides = trees(rows[yes[rows]], depth - 1), list(trees(rows[~yes[rows]], depth - 1))
                yield from ((predicate, *pair) for pair in product(*sides))

    for tree in trees(np.arange(dataset.n_samples), size.max_depth):
        diagram = diagram_of(dataset, tree)
        fits = size.max_leaf_nodes is None or diagram.n_leaves <= size.max_leaf_nodes
        if fits and not any(constraint.violations(diagram, dataset) for constraint in problem.constraints):
            yield problem.cost(diagram.predict(dataset), diagram.n_splits), diagram.n_splits


def small(problem: Problem) -> bool:
    """Whether all trees can be listed in no time."""
    n_questions, n_classes = len(questions(problem)[0]), problem.dataset.n_classes
    return problem.size.max_depth <= 2 and n_questions * (n_classes + n_questions * n_classes**2) ** 2 < 8_000


def test_brute_force_is_the_least_of_all_trees() -> None:
    """Without any trick the same cost comes out, with as few splits, and none where there is no tree."""
    compared = 0
    for seed in range(CASES):
        problem = random_problem(seed)
        if small(problem):
            solution = brute(seed)
            least = min(everything(problem), default=None)
            found = None if solution.diagram is None else (solution.cost, solution.diagram.n_splits)
            assert found == least, description(seed, problem, solution)
            compared += 1
    assert compared >= CASES // 4


def test_brute_force_passes_the_verifier() -> None:
    """Every kind comes up, also with crossed groups, and what brute force finds keeps all constraints independently."""
    seen, crossed, statuses = set(), set(), set()
    for seed in range(CASES):
        problem, solution = random_problem(seed), brute(seed)
        assert verify(problem, solution).ok, description(seed, problem, solution)
        seen |= {constraint.kind for constraint in problem.constraints}
        statuses.add(solution.status)
        crossed |= {constraint.kind for constraint in problem.constraints if CROSS in getattr(constraint, "column", "")}
    assert seen >= set(RULED)
    assert len(crossed) >= 4
    assert statuses == {Status.OPTIMAL, Status.INFEASIBLE}


@pytest.mark.parametrize("name", OTHERS)
def test_exact_methods_agree_with_brute_force(name: str) -> None:
    """Where a method takes the constraints, what it proves is what brute force proves, and it proves most of them."""
    method: Method = get(name)
    taken, proved = 0, 0
    for seed in range(CASES):
        problem = random_problem(seed)
        if method.check(problem):
            continue
        run, exact = solve(method, problem), brute(seed)
        solution, about = run.solution, description(seed, problem, run.solution)
        assert verify(problem, solution).ok, about
        if solution.status in (Status.OPTIMAL, Status.INFEASIBLE):
            assert (solution.status, solution.cost) == (exact.status, exact.cost), (
                f"{about} {exact.status} {exact.cost}"
            )
        else:
            assert solution.cost is None or (exact.cost is not None and exact.cost <= solution.cost), about
        assert exact.cost is None or all(bound <= exact.cost for bound in run.bounds), about
        taken += 1
        proved += solution.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert proved >= 0.9 * taken


def description(seed: int, problem: Problem, solution: Solution) -> str:
    """What is needed to look into a failure."""
    constraints = "; ".join(map(str, problem.constraints))
    checks = "; ".join(check.detail for check in verify(problem, solution).failures)
    return f"random_problem({seed}): {constraints} | {problem.shape} | {solution.status} {solution.cost} | {checks}"
