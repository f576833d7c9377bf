"""The families of cases: how to generate, solve and check each."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from solvers.constraints import KINDS
from solvers.methods import Method, get, names
from solvers.problem import Limits, Objective, Problem, ShapeKind
from tests.magnitude import asking, estimators, problems
from tests.magnitude.claims import judged
from tests.magnitude.regressions import REGRESSIONS
from tests.oracle import trees

SECONDS = 20.0
"""Seconds per run; after a timeout the claims are checked all the same."""

REFUSED = {("cptree-mip", "monotone")}
"""Pairs of a tree method and a kind of constraint that it does not support."""


@dataclass(frozen=True)
class Case:
    """A problem for a method."""

    problem: Problem
    method: str
    options: dict[str, str] = field(default_factory=dict)
    threads: int = 1

    @property
    def limits(self) -> Limits:
        """The limits of the run."""
        return Limits(seconds=SECONDS, threads=self.threads)


def _false_claims(case: Case) -> list[str]:
    return judged(get(case.method, **case.options), case.problem, case.limits)


@dataclass(frozen=True)
class Family:
    """Cases of one kind.

    Attributes
    ----------
    share : the approximate number of cases per thousand of this family.
    make : the case for a random generator, a number and a total.
    check : the faults of its result; by default those of all claims of the solution.
    """

    share: int
    make: Callable[[np.random.Generator, int, int], Case]
    check: Callable[[Case], list[str]] = _false_claims


def _options(rng: np.random.Generator, method: str, names: tuple[str, ...]) -> dict[str, str]:
    offered = {option.name: option for option in getattr(get(method), "options", ())}
    return {n: str(rng.choice(list(map(str, offered[n].values)))) for n in names if rng.random() < 0.5}


def _eased(method: Method, problem: Problem) -> Problem | None:
    """The problem without what the method refuses; `None` if it still refuses."""
    plain = {"max_leaf_nodes": None, "min_samples_leaf": 1, "min_weight_leaf": 0.0}
    for shape in (problem.shape, replace(problem.shape, **plain), replace(problem.shape, **plain, max_splits=None)):
        whole = problem.objective
        for objective in (whole, replace(whole, split_penalty=0.0), Objective()):
            eased = replace(problem, shape=shape, objective=objective)
            if not method.check(eased):
                return eased
    return None


def _free(method: str, make: Callable, *options: str, **sizes: int) -> Callable:
    def case(rng: np.random.Generator, k: int, total: int) -> Case:
        chosen = _options(rng, method, options)
        threads = 2 if method == "contree" and rng.random() < 0.1 else 1
        while True:
            problem = _eased(get(method, **chosen), make(rng, total, **sizes))
            if problem is not None:
                return Case(problem, method, chosen, threads)

    return case


def _constrain(method: str) -> Callable:
    def case(rng: np.random.Generator, k: int, total: int) -> Case:
        def taken(problem: Problem) -> bool:
            return not get(method).check(problem)

        kinds = [kind for kind in KINDS if (method, kind) not in REFUSED]
        # the step is coprime to the number of kinds, so that few cases cover many topics
        kind = kinds[(11 * k + len(method)) % len(kinds)]
        return Case(problems.ruled_problem(rng, total, kind, taken), method)

    return case


def _ruled_diagram(method: str) -> Callable:
    def case(rng: np.random.Generator, k: int, total: int) -> Case:
        kind = problems.ABOUT_ANSWERS[k % len(problems.ABOUT_ANSWERS)]
        return Case(problems.ruled_diagram(rng, total, kind, lambda problem: not get(method).check(problem)), method)

    return case


def _by(methods: tuple[str, ...], make: Callable) -> Callable:
    """Problems for several methods in turn, without weights that are too fine for a comparison of shares."""

    def case(rng: np.random.Generator, k: int, total: int) -> Case:
        method = methods[k % len(methods)]
        while get(method).check(problem := make(rng, total)):
            pass
        return Case(problem, method)

    return case


def _conflicting(rng: np.random.Generator, k: int, total: int) -> Case:
    """A problem for `contree`, usually without any tree."""
    for further in range(20):
        case = _constrain("contree")(rng, k + further, total)
        if trees.tree_optimum(case.problem) is None:
            break
    return case


def _tree(*, rows: int = 14, columns: int = 3, depth: int = 3) -> dict[str, int]:
    return {"rows": rows, "columns": columns, "depth": depth}


tree, bdd, diagram = problems.tree_problem, problems.bdd_problem, problems.diagram_problem

_OF_SHAPE = {ShapeKind.TREE: tree, ShapeKind.BDD: bdd, ShapeKind.DIAGRAM: diagram}

SHAPE_CHOICES: dict[str, Family] = {
    **{name: Family(20, _free(name, _OF_SHAPE[get(name).kinds[0]])) for name in names()},
    "contree": Family(180, _free("contree", tree, **_tree(depth=4))),
    "contree, steep weights": Family(30, _free("contree", problems.steep_problem)),
    "contree ruled": Family(200, _constrain("contree")),
    "smallest-tree": Family(40, _free("smallest-tree", tree)),
    "inferdt-depth": Family(15, _free("inferdt-depth", tree, **_tree(rows=10, columns=2))),
    "inferdt-size": Family(15, _free("inferdt-size", tree, **_tree(rows=10, columns=2))),
    "costs of tests": Family(30, _by(("cptree", "cptree", "contree", "cptree-mip"), problems.tested_problem)),
    "fairness": Family(30, _by(("contree", "contree", "cptree", "cptree-mip"), problems.fair_problem)),
    "cptree": Family(14, _free("cptree", tree, **_tree(rows=9, columns=2, depth=2))),
    "cptree ruled": Family(50, _constrain("cptree")),
    "cptree-mip": Family(10, _free("cptree-mip", tree, **_tree(rows=9, columns=2, depth=2))),
    "cptree-mip ruled": Family(50, _constrain("cptree-mip")),
    "bdd-search": Family(80, _free("bdd-search", bdd)),
    "odd-search": Family(30, _free("odd-search", diagram)),
    "odd": Family(10, _free("odd", diagram)),
    "odd-search ruled": Family(15, _ruled_diagram("odd-search")),
    "odd ruled": Family(5, _ruled_diagram("odd")),
    "near": Family(60, _free("contree", tree, **_tree(rows=10, columns=2)), asking.near),
    "prices": Family(15, _constrain("contree"), asking.prices),
    "conflicts": Family(15, _conflicting, asking.conflicts),
    "trade-offs": Family(15, _constrain("contree"), asking.trade_offs),
    "least sums": Family(25, _constrain("contree"), asking.least_sums),
}


NAMED = {
    "regressions": [Case(problem, method) for method, problem in REGRESSIONS.values()],
    "fits": list(estimators.REGRESSIONS.values()),
}
"""Individual cases that once failed."""

SHARES = {**{name: family.share for name, family in SHAPE_CHOICES.items()}, "estimators": 25}
"""The number of cases per thousand of each family; classifiers have their own code."""


def n_cases(family: str, altogether: int) -> int:
    """The number of cases of a family among all of them, at least one."""
    return max(1, altogether * SHARES[family] // sum(SHARES.values()))


def made(family: str, k: int) -> Case:
    """Case k of a family."""
    if family in NAMED:
        return NAMED[family][k]
    rng = problems.generator(family, k)
    total = problems.MAGNITUDES[int(rng.integers(len(problems.MAGNITUDES)))]
    if rng.random() < 0.2:
        total = int(np.exp(rng.uniform(np.log(100), np.log(2**31 - 1))))
    case = SHAPE_CHOICES[family].make(rng, k, total)
    assert trees.total_units(case.problem) <= problems.MAGNITUDES[-1]
    return case


def faults_of(family: str, k: int) -> list[str]:
    """The faults of case k of a family, empty if everything agrees with the oracle."""
    try:
        if family in ("estimators", "fits"):
            return estimators.faults_of(k if family == "estimators" else NAMED[family][k])
        check = SHAPE_CHOICES[family].check if family in SHAPE_CHOICES else _false_claims
        return check(made(family, k))
    except Exception:
        return [f"an exception: {traceback.format_exc()}"]
