"""Random small BDD problems under constraints, and the simplest solution: all diagrams in turn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations, product

import numpy as np
from msgspec import structs

from solvers.constraints import Constraint, Severity
from solvers.constraints.paths import same_question
from solvers.diagram import Diagram
from solvers.methods import get
from solvers.methods.bdds.table import reduce, truth_table
from solvers.problem import Dataset, Objective, Op, Predicate, Problem, Shape, ShapeKind, binary_view
from tests.constraints.examples import example
from tests.constraints.problems import KINDS, random_objective, random_table
from tests.magnitude.problems import MAGNITUDES, costed

MOST_DIAGRAMS = 2500

MOST_DRAWN = 5000
"""Maximum number of draws until a problem has the required constraints."""


def random_ruled(seed: int, kinds: tuple[str, ...]) -> Problem:
    """A problem with a constraint of each of these kinds and few enough candidate diagrams."""
    rng = np.random.default_rng([seed, *map(list(KINDS).index, kinds)])
    for _ in range(MOST_DRAWN):
        dataset, objective = _costed(random_table(rng), rng)
        made = [example(KINDS[kind], dataset, rng) for kind in kinds]
        constraints = tuple(c for c in made if c is not None and _readable(c, dataset))
        shape = Shape(
            ShapeKind.BDD,
            max_depth=int(rng.choice([1, 2, 2, 2, 3])),
            max_splits=int(rng.integers(1, 5)) if rng.random() < 0.1 else None,
            min_samples_leaf=int(rng.choice([1, 1, 1, 2])),
        )
        problem = Problem(dataset, shape, objective, constraints)
        # sums of some weights and limits exceed the integer range, and are refused
        if (
            len(constraints) == len(kinds)
            and 0 < _size(problem) <= MOST_DIAGRAMS
            and not get("bdd-search").check(problem)
        ):
            return problem
    raise AssertionError(f"no problem with {' and '.join(kinds)} is taken")


def _readable(constraint: Constraint, dataset: Dataset) -> bool:
    found = constraint.check(Problem(dataset, Shape(ShapeKind.BDD)))
    return all(finding.severity is not Severity.ERROR for finding in found)


def _costed(dataset: Dataset, rng: np.random.Generator) -> tuple[Dataset, Objective]:
    """The table and costs: small ones, or weights, class costs and a split penalty of any magnitude."""
    if rng.random() < 0.5:
        return costed(rng, dataset, MAGNITUDES[rng.integers(len(MAGNITUDES))])
    return dataset, random_objective(dataset, rng)


def questions(problem: Problem) -> tuple[Predicate, ...]:
    """All splits, with fixed ones, and thresholds at the ends of ranges."""
    dataset = problem.dataset
    predicates = dict.fromkeys(binary_view(dataset).predicates)
    for constraint in problem.constraints:
        if constraint.kind == "fixed-top":
            predicates |= dict.fromkeys(question.predicate(dataset) for _, question in constraint.questions.places())
        if constraint.kind == "thresholds-within":
            low, high = constraint._ends(dataset)
            for p in [p for p in predicates if p.column == constraint.column and p.op is Op.LE]:
                predicates |= _move(dataset, p, (float(end) for end in (low, high) if np.isfinite(end)))
        if constraint.kind == "round-thresholds":
            for name, unit in constraint.units.items():
                for p in [p for p in predicates if p.column == name and p.op is Op.LE]:
                    nearest = Fraction(p.value) / Fraction(unit)
                    ends = math.floor(nearest), math.ceil(nearest)
                    predicates |= _move(dataset, p, (float(k * Fraction(unit)) for k in ends))
    first: list[Predicate] = []
    for p in predicates:
        if not any(same_question(p, other, dataset) for other in first):
            first.append(p)
    return tuple(first)


def _move(dataset: Dataset, question: Predicate, values: Iterable[float]) -> dict[Predicate, None]:
    """The split with other thresholds that give the same partition of the rows, including those with missing values."""
    yes = question.holds(dataset.schema, dataset.X)
    moved = [structs.replace(question, value=value).with_fill(dataset.schema) for value in values]
    return dict.fromkeys(one for one in moved if np.array_equal(one.holds(dataset.schema, dataset.X), yes))


def _size(problem: Problem) -> int:
    n, k, h = len(questions(problem)), problem.dataset.n_classes, problem.size.max_depth
    total = 0
    for size in range(1, min(n, h) + 1):
        orders = int(np.prod([n - i for i in range(size)]))
        total += orders * k ** (2**size)
    return total


def least(problem: Problem) -> int | None:
    """The least cost of all diagrams that satisfy everything; `None` if there is none."""
    dataset, size, best = problem.dataset, problem.size, None
    predicates = questions(problem)
    for h in range(min(size.max_depth, len(predicates)) + 1):
        for order in permutations(predicates, h):
            table = truth_table(problem, order)
            for labels in product(range(dataset.n_classes), repeat=2**h):
                diagram = reduce(table, np.array(labels))
                cost = problem.cost(diagram.predict(dataset), diagram.n_splits)
                if (best is None or cost < best) and _fits(problem, diagram):
                    best = cost
    return best


def _fits(problem: Problem, diagram: Diagram) -> bool:
    """Whether a diagram satisfies the size limit, has rows for every prediction, and satisfies all constraints."""
    size, dataset = problem.size, problem.dataset
    leaf = diagram.apply(dataset)
    for i, _ in diagram.leaves:
        here = leaf == i
        if here.sum() < size.min_samples_leaf or problem.weights[here].sum() < problem.min_weight_leaf:
            return False
    return (
        (size.max_leaf_nodes is None or diagram.n_leaves <= size.max_leaf_nodes)
        and (size.max_splits is None or diagram.n_splits <= size.max_splits)
        and not any(constraint.violations(diagram, dataset) for constraint in problem.constraints)
    )
