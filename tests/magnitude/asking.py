"""Other tasks about a problem: near-optimal trees, prices, conflicts, trade-offs, least sums.

Each function runs the task, and returns the faults that the oracle finds.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from solvers.constraints.values import Number
from solvers.explain import CoreMinimality, find, relaxables_of, solver
from solvers.methods import get
from solvers.methods.trees.near_optimal.enumeration import near_trees
from solvers.problem import Limits, Problem, Shape
from solvers.solution import Status
from tests.explain.worlds import conflict, price, trade_off
from tests.magnitude.claims import units
from tests.magnitude.problems import generator
from tests.oracle import meaning, trees

if TYPE_CHECKING:
    from tests.magnitude.cases import Case

STEP = 20.0
"""Seconds for each tree of an explanation."""

LIMITS = Limits(seconds=120.0)


def near(case: Case) -> list[str]:
    """All trees within a slack, counted by cost and splits, and by unused columns."""
    problem = case.problem
    best = trees.tree_optimum(problem)
    if best is None:
        return []
    rng = generator("slack", problem.dataset.n_samples + problem.total % 2**31)
    slack = int(rng.choice([0, 1, problem.total // 100, problem.total // 8]))
    cost = best.cost * problem.scale
    found = near_trees(problem, int(cost), slack, limits=LIMITS)
    if found.reached is None or not found.counted:
        return []
    most = Fraction(int(cost) + found.reached, problem.scale)
    return list(_near_faults(problem, found, most))


def _near_faults(problem: Problem, found: Any, most: Fraction) -> Iterator[str]:
    counts = trees.near_counts(problem, most)
    listed = Counter({(Fraction(size.cost, problem.scale), size.questions): size.n for size in found.sizes})
    if listed != counts:
        yield f"a wrong count of near-optimal trees: {listed - counts} too many, {counts - listed} too few"
    for tree in found.trees:
        if tree.cost != units(problem, tree.diagram) or Fraction(tree.cost, problem.scale) > most:
            yield f"a listed tree of cost {tree.cost} costs {units(problem, tree.diagram)}; at most {most} is wanted"
    names = problem.dataset.schema.names
    for use in found.columns if len(names) > 1 else ():
        others = problem.dataset.select([name for name in names if name != use.name])
        without = trees.near_counts(replace(problem, dataset=others), most)
        least = min((cost for cost, _ in without), default=None)
        least_without = None if use.least_without is None else Fraction(use.least_without, problem.scale)
        if (use.n_without, least_without, use.n_with) != (without.total(), least, counts.total() - without.total()):
            yield f"{use} is wrong: {without.total()} of {counts.total()} trees leave it out, the best costs {least}"


def _without(problem: Problem, keys: set[Any]) -> Problem:
    """The problem without some of its constraints (by position) and shape limits (by name)."""
    kept = tuple(c for i, c in enumerate(problem.constraints) if i not in keys)
    free = Shape(problem.shape.kind)
    loosened = {key: getattr(free, key) for key in keys if isinstance(key, str)}
    return replace(problem, constraints=kept, shape=replace(problem.shape, **loosened))


def _optimum(problem: Problem) -> Fraction | None:
    """The least cost in the units of the problem; `None` if there is no tree.

    Raises
    ------
    TooManyError
        There are too many trees to try.
    """
    best = trees.tree_optimum(problem)
    return None if best is None else best.cost * problem.scale


def prices(case: Case) -> list[str]:
    """The cost of the best tree without each constraint."""
    problem = case.problem
    answer = price(problem, None, solver("contree"), LIMITS, step=STEP)
    wrong = []
    if answer.cost != (least := _optimum(problem)) and answer.finished:
        wrong.append(f"the optimum is {least}, not {answer.cost}")
    for priced in answer.prices:
        try:
            without = _optimum(_without(problem, {one.key for one in priced.relaxables}))
        except trees.TooManyError:
            continue
        if (priced.cost is not None and (without is None or priced.cost < without)) or (
            priced.bound is not None and without is not None and priced.bound > without
        ):
            wrong.append(f"without '{priced.words}' the optimum is {without}: {priced}")
        if priced.proved and least is not None and priced.saved_least != least - without:
            wrong.append(f"'{priced.words}' costs {least - without}: {priced}")
    return wrong


def conflicts(case: Case) -> list[str]:
    """The constraints that are infeasible together, and the repairs."""
    problem = case.problem
    answer = conflict(problem, solver("contree"), LIMITS, step=STEP)
    least, wrong = _optimum(problem), []
    if answer.status is Status.NO_SOLUTION:
        return []
    if (answer.status is Status.INFEASIBLE) != (least is None):
        wrong.append(f"the optimum is {least}: {answer.words()}")
    in_conflict = {part.relaxable.key for part in answer.parts}
    keys = {relaxable.key for relaxable in relaxables_of(problem)} - in_conflict - {"max_depth"}
    least_conflict = answer.extent in (CoreMinimality.SMALLEST, CoreMinimality.MINIMAL)
    for part in answer.parts if least_conflict else ():
        if part.relaxable.key != "max_depth" and _tried(_without(problem, keys | {part.relaxable.key})) == [None]:
            wrong.append(f"without '{part.relaxable.words}' the others conflict: {answer.words()}")
    if answer.parts and _tried(_without(problem, keys)) not in ([], [None]):
        wrong.append(f"no conflict: {answer.words()}")
    for repair in answer.repairs:
        for cost in _tried(repair.apply(problem)):
            if cost is None or repair.cost < cost or (repair.proved and repair.cost != cost):
                wrong.append(f"after '{repair.words()}' the optimum is {cost}, not {repair.cost}")
    return wrong


def _tried(problem: Problem) -> list[Fraction | None]:
    """The optimum; empty if there are too many trees."""
    try:
        return [_optimum(problem)]
    except trees.TooManyError:
        return []


def trade_offs(case: Case) -> list[str]:
    """The least cost for each limit of a constraint."""
    problem = case.problem
    limited = [i for i, c in enumerate(problem.constraints) if c.limit is not None]
    if not limited:
        return []
    answer = trade_off(problem, find(problem, limited[0]), solver("contree"), LIMITS, step=STEP)
    wrong = []
    for point in answer.points:
        for cost in _tried(_limited(problem, limited[0], point.limit)):
            if cost is None or point.cost < cost or (point.proved and point.cost != cost):
                wrong.append(f"at the limit {point.limit} the optimum is {cost}, not {point}")
    return wrong


def _limited(problem: Problem, place: int, limit: Number) -> Problem:
    """The problem with another limit of a constraint."""
    constraint = problem.constraints[place].with_limit(limit)
    return replace(problem, constraints=(*problem.constraints[:place], constraint, *problem.constraints[place + 1 :]))


def least_sums(case: Case) -> list[str]:
    """The least weight of rows with a bad prediction, under all other constraints."""
    about = ("max-missed", "max-false-alarms", "max-errors", "min-accuracy", "min-sensitivity", "min-specificity")
    found = [c for c in case.problem.constraints if c.kind in about]
    if not found:
        return []
    problem = replace(case.problem, constraints=tuple(c for c in case.problem.constraints if c is not found[0]))
    rule = found[0].rules(problem)[0]
    answer = get("contree").least_sum(problem, rule, LIMITS, threading.Event())
    if answer is None:
        return []
    try:
        least = trees.least(problem, lambda facts, table, heavy: meaning.bad_weight(found[0], facts, table, heavy))
    except trees.TooManyError:
        return []
    claim = f"{answer.bound}, {answer.value} of scale {rule.scale}"
    if least is None:
        return [f"no tree, but {claim}"] if answer.value is not None else []
    if answer.bound is None:
        return [f"the least sum is {least}, but there is said to be no tree"]
    wrong = []
    if Fraction(answer.bound, rule.scale) > least or (
        answer.value is not None and Fraction(answer.value, rule.scale) < least
    ):
        wrong.append(f"the least sum is {least}: {claim}")
    return wrong
