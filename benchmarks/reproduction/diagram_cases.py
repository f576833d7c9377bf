"""Single diagrams and trees by the protocol of Florio et al. (2023), measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.reproduction.data import table
from benchmarks.reproduction.fits import solved, told
from benchmarks.reproduction.registry import Result
from solvers.constraints import Constraint, DemographicParityRatio, MaxQuestions, MinSamplesSplit
from solvers.methods import get
from solvers.metrics.fragmentation import fragmentation
from solvers.problem import Dataset, Problem, Shape, holdout
from solvers.problem.skeleton import PRESETS, objective_of
from solvers.solution import Solution

TREE = "I (tree)"
"""Skeleton I in the topology of a tree."""

FAIR, FEW, STEADY = 0.8, 3, 0.1
"""The ratio of demographic parity, the most splits, and the minimum share of the rows at every split."""

CONSTRAINTS = ("none", "fairness", "parsimony", "stability")

BUILT = 0.1
"""The time of the paper's construction as a share of the limit: 60 s of 600 s, for diagrams and trees alike."""


class Thirds(NamedTuple):
    """Half of the rows for training, a quarter for validation, a quarter for testing."""

    train: Dataset
    valid: Dataset
    test: Dataset


def divide(folder: Path, name: str, seed: int) -> Thirds:
    """The parts of a table, determined by the seed."""
    train, rest = holdout(table(folder, "mixed", name), 0.5, seed)
    return Thirds(train, *holdout(rest, 0.5, seed))


def to_problem(train: Dataset, skeleton: str, alpha: float, sums: bool, flow: float = 0.0) -> tuple[Problem, str, dict]:
    """The problem of a case, the method, and its options."""
    objective = objective_of(alpha, train.n_samples)
    constraints = (MinSamplesSplit(int(np.ceil(flow * train.n_samples))),) if flow else ()
    if skeleton == TREE and not sums:
        # the exact search for trees charges for the first split, too; see `_first_free`
        charged = replace(objective, free_root=False)
        return Problem(train, Shape(max_depth=len(PRESETS["I"].widths)), charged, constraints), "contree", {}
    shape = PRESETS[skeleton if skeleton in PRESETS else "I"].shape(split_features=None if sums else 1)
    options = {"topology": "tree"} if skeleton == TREE else {}
    return Problem(train, shape, objective, constraints), "odd-search", options


def case(
    folder: Path,
    seconds: float,
    *,
    name: str,
    skeleton: str,
    alpha: float,
    sums: bool,
    seed: int,
    flow: float = 0.0,
    built: bool = True,
) -> Result:
    """A diagram or tree, whether it is proved, and with `built` the cost of the paper's construction."""
    parts = divide(folder, name, seed)
    problem, method, options = to_problem(parts.train, skeleton, alpha, sums, flow)
    if reasons := get(method, **options).check(problem):
        return {"failure": str(reasons[0])}
    solution = solved(problem, method, seconds, **options)
    if method == "contree" and solution.diagram is not None:
        solution, problem, free = _first_free(problem, solution, seconds)
        found = told(problem, solution, parts.test) | free
    else:
        found = told(problem, solution, parts.test)
    if found.get("failure") or solution.diagram is None:
        return found
    found["valid"] = float((solution.diagram.predict(parts.valid) == parts.valid.y).mean())
    for key in ("cost", "bound"):
        found[key] = None if found[key] is None else found[key] / parts.train.n_samples
    if built and not flow:
        found["built"] = _build(parts.train, alpha, seconds)
    spread = fragmentation(solution.diagram, parts.train)
    found["shares"] = sorted((rows / parts.train.n_samples for rows in spread.questions), reverse=True)
    return found


def _first_free(problem: Problem, charged: Solution, seconds: float) -> tuple[Solution, Problem, dict[str, Any]]:
    """The best tree with a free first split, from the best tree that pays for it.

    A tree with at least one split costs one penalty less. So if the best tree has a split, either it or a constant is
    the best one. Else each tree of two splits or more costs at least the constant less one penalty, and one of a single
    split at least the best of these.
    """
    assert charged.diagram is not None and charged.cost is not None, "a constant is always allowed"
    scale, price = problem.scale, problem.split_penalty
    bound = charged.cost if charged.bound is None else charged.bound
    if charged.diagram.n_splits:
        return charged, problem, _as_free(charged.cost - price, bound - price, scale, charged.cpu_seconds)
    single = replace(
        problem, shape=replace(problem.shape, max_depth=1), objective=replace(problem.objective, split_penalty=0)
    )
    stump = solved(single, "contree", seconds)
    assert stump.cost is not None, "a constant is always allowed"
    cost = min(charged.cost, round(stump.cost * scale / single.scale))
    least = min(cost, bound - price)
    spent = charged.cpu_seconds + stump.cpu_seconds
    if cost < charged.cost:
        return stump, single, _as_free(cost, least, scale, spent)
    return charged, problem, _as_free(cost, least, scale, spent)


def _as_free(cost: int, bound: int, scale: int, spent: float) -> dict[str, Any]:
    return {"cost": cost / scale, "bound": bound / scale, "proved": bound >= cost, "cpu": spent}


def _build(train: Dataset, alpha: float, seconds: float) -> float | None:
    """Cost of the paper's construction, as a share of the rows, after a tenth of the limit; a tree in skeleton I."""
    problem = Problem(train, PRESETS["I"].shape(), objective_of(alpha, train.n_samples))
    built = solved(problem, "odd-greedy", BUILT * seconds, until="time")
    return None if built.cost is None else built.cost / problem.total


def constraints(train: Dataset) -> dict[str, Constraint]:
    """Fairness (between the groups of the first column of two values, if there is one), parsimony and stability."""
    found: dict[str, Constraint] = {}
    group = next((column.name for column in train.schema.columns if len(column.levels) == 2), None)
    if group is not None:
        found["fairness"] = DemographicParityRatio(group, FAIR, train.classes[int(train.class_counts.argmax())])
    found["parsimony"] = MaxQuestions(FEW)
    found["stability"] = MinSamplesSplit(int(np.ceil(STEADY * train.n_samples)))
    return found


def extension(folder: Path, seconds: float, *, name: str, constraint: str) -> Result:
    """A diagram of skeleton I under a constraint of the paper's extensions, or under 'none'."""
    parts = divide(folder, name, 0)
    posted = constraints(parts.train)
    if constraint not in (*posted, "none"):
        return {"status": "no column of two values"}
    problem = Problem(
        parts.train,
        PRESETS["I"].shape(),
        objective_of(0.2, parts.train.n_samples),
        (posted[constraint],) if constraint in posted else (),
    )
    found = told(problem, solved(problem, "odd-search", seconds), parts.test)
    return found | {"n": parts.train.n_samples}
