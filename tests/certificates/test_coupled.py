"""Certificates under constraints on predictions: weak duality against brute force, mutants, and tables."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.certificates import check_optimum, make_optimum_certificate, optimum_checker, uncertified
from solvers.certificates.constraint_claims import constraint_claims
from solvers.certificates.optimum_bounds import RejectedError
from solvers.certificates.optimum_checker import check, limit_rows
from solvers.certificates.optimum_words import MAIN, README
from solvers.constraints import Constraint, MaxMissed, MinAccuracy, Who, impossibility, rules_of
from solvers.constraints.rules import Sum
from solvers.diagram import Diagram, Leaf
from solvers.errors import CertificateError
from solvers.methods import get
from solvers.problem import Column, Kind, Limits, Objective, Problem, Schema, Shape, ShapeKind
from solvers.problem.samples import sample_dataset
from solvers.solution import Status
from tests.case_count import case_count
from tests.certificates.mutants import mutant
from tests.certificates.tables import csv_text
from tests.constraints.problems import random_problem
from tests.constraints.trees import random_tree
from tests.explain.worlds import never

Point = tuple[int, ...]
"""The sums of a tree: its cost, and the sum of each constraint times `Coupled.units`."""


class Coupled(NamedTuple):
    """Cases with weights of groups, and constraints on predictions in the notation of a certificate."""

    ranks: np.ndarray
    counts: np.ndarray
    groups: np.ndarray
    cost: np.ndarray
    sums: list[dict[str, Any]]
    depth: int
    price: int
    least: int

    @property
    def units(self) -> list[int]:
        """For each constraint a factor that makes its sums integers; not necessarily the smallest."""
        return [
            prod(
                Fraction(times).denominator * (1 if of is None else int(self.groups[:, of].sum()))
                for times, _, _, of in one["terms"]
            )
            for one in self.sums
        ]

    def leaves(self, here: np.ndarray) -> list[tuple[Point, Any]]:
        """The sums of a single leaf, for each prediction."""
        found = []
        for k in range(self.cost.shape[1]):
            values = [int(self.cost[here, k].sum())]
            for one, unit in zip(self.sums, self.units, strict=True):
                value = Fraction(0)
                for times, group, answers, of in one["terms"]:
                    share = 1 if of is None else int(self.groups[:, of].sum())
                    value += Fraction(times) * int(self.groups[here, group].sum()) / share if k in answers else 0
                values.append(int(value * unit))
            found.append((tuple(values), {"class": k}))
        return found

    def trees(self, here: np.ndarray, depth: int) -> dict[Point, Any]:
        """One tree for each Pareto-optimal vector of sums."""
        if self.counts[here, 0].sum() < self.least:
            return {}
        found = dict(reversed(self.leaves(here)))
        for order in range(self.ranks.shape[1]) if depth else ():
            ranks = self.ranks[here, order]
            for last in np.unique(ranks)[:-1].tolist():
                low, high = (self.trees(here[side], depth - 1) for side in (ranks <= last, ranks > last))
                for one, first in low.items():
                    for other, second in high.items():
                        point = (
                            one[0] + other[0] + self.price,
                            *(a + b for a, b in zip(one[1:], other[1:], strict=True)),
                        )
                        found[point] = {"order": order, "last": last, "bound": 0.0, "low": first, "high": second}
        points = np.array(list(found), dtype=object)
        kept = [p for p in points if not ((points <= p).all(axis=1) & (points < p).any(axis=1)).any()]
        return {tuple(p.tolist()): found[tuple(p.tolist())] for p in kept}

    def within(self, point: Point) -> bool:
        """Whether the sums are within their limits."""
        pairs = zip(point[1:], self.sums, self.units, strict=True)
        return all(value <= Fraction(one["most"]) * unit for value, one, unit in pairs)

    @property
    def true(self) -> int | None:
        """The least cost of all trees that satisfy the constraints; `None` if there is none."""
        return min((p[0] for p in self.trees(np.arange(len(self.ranks)), self.depth) if self.within(p)), default=None)


def coupled(seed: int) -> Coupled:
    """Few cases, and one or two constraints that some leaf satisfies exactly or nearly."""
    rng = np.random.default_rng(seed)
    n, n_classes, n_groups = int(rng.integers(2, 8)), int(rng.integers(2, 4)), int(rng.integers(1, 4))
    ranks = np.unique(rng.integers(0, 4, (n, int(rng.integers(1, 3)))), axis=0)
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in ranks.T])
    n, most = len(ranks), int(rng.choice([1, 3, 10, 2**30]))
    cost = rng.integers(0, most + 1, (n, n_classes))
    groups = rng.integers(0, 5, (n, n_groups)) * (1 if rng.random() < 0.9 else 10**6)
    groups[0] += 1  # so that no group is empty
    counts = np.column_stack((rng.integers(1, 4, n), groups.max(axis=1)))
    sums = []
    for _ in range(int(rng.integers(1, 3))):
        terms = [
            [
                str(Fraction(int(rng.integers(-3, 4)), int(rng.integers(1, 4)))),
                int(rng.integers(n_groups)),
                sorted(rng.permutation(n_classes)[: rng.integers(1, n_classes)].tolist()),
                None if rng.random() < 0.5 else int(rng.integers(n_groups)),
            ]
            for _ in range(int(rng.integers(1, 4)))
        ]
        sums.append({"terms": terms, "most": "0"})
    least = int(rng.choice([1, 1, 2]))
    made = Coupled(
        ranks, counts, groups, cost, sums, int(rng.integers(0, 3)), int(rng.choice([0, 0, 1, most // 3])), least
    )
    (point, _), units = made.leaves(np.arange(n))[rng.integers(n_classes)], made.units
    for one, value, unit in zip(sums, point[1:], units, strict=True):
        one["most"] = str(Fraction(value, unit) + rng.choice([0, 0, Fraction(1, 3), 1, Fraction(-1, 7)]))
    return made


CHECKER = vars(optimum_checker)
"""The names of the checker that certificates contain."""


def check_reading(one: Coupled, tree: Any, seed: int, checker: dict[str, Any] = CHECKER) -> Any:
    """The verdict of a checker on a tree with random multipliers."""
    rng = np.random.default_rng(seed)
    order = {"column": "a", "levels": None, "dates": False, "missing": None, "within": None}
    claim = {
        "depth": one.depth,
        "least_rows": one.least,
        "least_weight": 0,
        "price": one.price,
        "max_splits": None,
        "more": 0,
        "parts": int(rng.choice([1, 1, 2, 5, 30])),
        "orders": [order] * one.ranks.shape[1],
        "rules": [],
        "sums": one.sums,
        "multipliers": rng.choice([0, 1, 1, 2, 7], len(one.sums)).tolist(),
        "gap": 0,
        "shallowest": False,
        "fewest": False,
        "tree": tree,
    }
    cases = checker["Cases"](one.ranks, one.counts, one.cost)
    return checker["verdict"](claim, cases, one.groups.T.astype(object))


def worst(one: Coupled) -> tuple[Point, Any] | None:
    """The costliest leaf that satisfies the constraints, or else the best such tree; `None` if there is none."""
    here = np.arange(len(one.ranks))
    if one.counts[:, 0].sum() >= one.least and (kept := [pair for pair in one.leaves(here) if one.within(pair[0])]):
        return max(kept, key=lambda pair: pair[0][0])
    kept = [pair for pair in one.trees(here, one.depth).items() if one.within(pair[0])]
    return min(kept, key=lambda pair: pair[0][0], default=None)


@settings(derandomize=True, deadline=None, max_examples=case_count(1800, 300))
@given(seed=st.integers(0, 10**9))
def test_no_multiplier_bounds_above_the_best_tree(seed: int) -> None:
    """The bound for any multipliers is at most the cost of every tree that satisfies the constraints, by
    enumeration.
    """
    one = coupled(seed)
    if (tree := worst(one)) is None:
        return
    try:
        found = check_reading(one, tree[1], seed)
    except RejectedError as error:
        assert "too large" in str(error) and max(one.cost.max(), one.groups.max()) >= 10**6
        return
    true = one.true
    assert true is not None and found.bound <= true <= found.cost == tree[0][0]


MUTANTS = {
    "the limits are not subtracted": ("added - times * limit", "added"),
    "sums count double": ("whole(times) * amount", "2 * whole(times) * amount"),
    "shares are not divided by the weight of their group": ("(1 if of is None else groups[whole(of)].sum())", "1"),
    "only the first prediction counts": ("for answer in set(answers)", "for answer in answers[:1]"),
    "every prediction counts": ("for answer in set(answers)", "for answer in range(n_answers)"),
    "limits are not scaled": ('Fraction(one["most"]) * scale // 1', 'Fraction(one["most"]) // 1'),
    "limits are one too low": ('Fraction(one["most"]) * scale // 1', 'Fraction(one["most"]) * scale // 1 - 1'),
    "factors lose their sign": ("int(factor * scale) *", "abs(int(factor * scale)) *"),
    "every group is the first one": ("groups[whole(group)]", "groups[0]"),
    "a bound is rounded up too much": ("// parts\n", "// parts + 1\n"),
    "fractions of a cost count as costs": ("weighted.all(), depth, goal)) // parts", "weighted.all(), depth, goal))"),
    "the constant of all cases is added twice": ("added + sum(least", "added + 2 * sum(least"),
    "trees may violate constraints": ("value > limit for", "False for"),
    "a gap need not be stated": ("self.cost - self.gap <= self.bound", "self.gap >= 0"),
}
"""Faults with which a checker accepts too much."""


@pytest.mark.parametrize("fault", MUTANTS)
def test_a_faulty_checker_is_found(fault: str) -> None:
    """Each mutant exceeds the best cost, or accepts a tree that violates a constraint or a bound that is not
    reached.
    """
    checker = mutant(*MUTANTS[fault])
    assert any(believes(checker, seed) for seed in range(3000))


def believes(checker: dict[str, Any], seed: int) -> bool:
    """Whether a checker claims more than is true of some cases, or accepts an invalid tree."""
    one = coupled(seed)
    for (cost, *sums), leaf in one.leaves(np.arange(len(one.ranks))):
        try:
            found = check_reading(one, leaf, seed, checker)
        except Exception:
            continue
        true = one.true
        if not one.within((cost, *sums)) or (true is not None and found.bound > true):
            return True
        if found.proved and found.bound < found.cost:
            return True
    return False


def kept_tree(problem: Problem, seed: int) -> Diagram | None:
    """A tree that satisfies all constraints: the costliest of a few random ones."""
    rng, data, best = np.random.default_rng(seed), problem.dataset, None
    for _ in range(20):
        tree = random_tree(data, rng, problem.size.max_depth)
        leaf = tree.apply(data)
        rows = [int((leaf == i).sum()) for i, node in enumerate(tree.nodes) if hasattr(node, "label")]
        fits = min(rows) >= problem.size.min_samples_leaf and tree.n_leaves <= (problem.size.max_leaf_nodes or 99)
        constraints = [c for c in problem.constraints if isinstance(c, Constraint)]
        if (
            fits
            and not any(c.violations(tree, data) for c in constraints)
            and min(
                int(problem.weights[leaf == i].sum()) for i, node in enumerate(tree.nodes) if hasattr(node, "label")
            )
            >= problem.min_weight_leaf
        ):
            cost = problem.cost(tree.predict(data), tree.n_splits)
            best = max(best or (cost, 0, tree), (cost, len(rows), tree), key=lambda found: found[0])
    return None if best is None else best[2]


@settings(derandomize=True, deadline=None, max_examples=case_count(120, 20))
@given(seed=st.integers(0, 10**6))
def test_bounds_hold_under_every_kind_of_constraint(seed: int) -> None:
    """The bound for a worse tree is at most the optimum, and the best tree is certified, sometimes with a gap."""
    problem = random_problem(seed)
    solution = get("contree").run(problem, Limits(), lambda event: None, never)
    if solution.status is not Status.OPTIMAL or uncertified(problem, solution.diagram):
        return
    for tree in (solution.diagram, kept_tree(problem, seed)):
        if tree is None:
            continue
        try:
            files = make_optimum_certificate(problem, tree, Limits(seconds=20))
        except CertificateError as error:
            assert "fixed question" in str(error)
            continue
        report = check_optimum(files.__getitem__)
        assert report.bound is not None and solution.cost is not None and report.cost is not None
        assert report.bound * problem.scale <= solution.cost and (report.accepted or tree is not solution.diagram)
        assert not report.accepted or report.cost - report.gap == report.bound
        assert check(files.__getitem__, table=csv_text(problem.dataset)) == check(files.__getitem__)


@settings(derandomize=True, deadline=None, max_examples=case_count(90, 16))
@given(seed=st.integers(0, 10**6), method=st.sampled_from(["bdd-search", "odd-search"]))
def test_a_bdd_or_diagram_is_certified_by_the_tree_that_it_unfolds_to(seed: int, method: str) -> None:
    """No bound is above the optimum, also under constraints, and the unfolded tree fits the table."""
    problem = random_problem(seed)
    kind = get(method).kinds[0]
    shape = replace(problem.shape, kind=kind, max_depth=min(2, problem.shape.max_depth), max_leaf_nodes=None)
    problem = replace(problem, shape=replace(shape, min_samples_leaf=1))
    if get(method).check(problem):
        problem = replace(problem, constraints=(), objective=Objective())
    solution = get(method).run(problem, Limits(seconds=20), lambda event: None, never)
    if solution.status is not Status.OPTIMAL:
        return
    if fault := uncertified(problem, solution.diagram):
        assert "without a split penalty" in fault if problem.split_penalty else "exit at every split" in fault
        return
    files = make_optimum_certificate(problem, solution.diagram, Limits(seconds=20))
    report = check_optimum(files.__getitem__)
    assert report.accepted and report.cost is not None and report.cost - report.gap == report.bound
    assert solution.cost == report.cost * problem.scale
    assert (b"unfolded" in files[README]) and check(files.__getitem__, table=csv_text(problem.dataset)).proved


def test_a_worse_bdd_leaves_a_gap() -> None:
    """The bound is that of trees, so it is below the errors even of an optimal BDD."""
    problem = Problem(sample_dataset("iris"), Shape(ShapeKind.BDD, max_depth=2))
    solution = get("bdd-search").run(problem, Limits(), lambda event: None, never)
    for diagram in (solution.diagram, replace(solution.diagram, nodes=(Leaf(0, (50.0, 50.0, 50.0)),))):
        report = check_optimum(make_optimum_certificate(problem, diagram).__getitem__)
        assert report.accepted and not report.optimal and report.bound == 6


@settings(derandomize=True, deadline=None, max_examples=case_count(300, 60))
@given(seed=st.integers(0, 10**6))
def test_the_checker_counts_what_the_rules_require(seed: int) -> None:
    """The derived coefficients and limits equal those that the methods post, or a multiple of them."""
    problem = random_problem(seed)
    claims, rules = constraint_claims(problem), rules_of(problem)
    weights = np.array(claims.weights, dtype=object).reshape(len(claims.weights), problem.dataset.n_samples)
    found = [limit_rows(one, weights, problem.dataset.n_classes) for one in claims.sums]
    rng = np.random.default_rng(seed)
    by_source = [rule for rule in rules.sums if rule.tests is None]
    implied = [c for c in problem.constraints if c.kind in ("min-purity", "min-leaf-precision")]
    if implied or impossibility(problem) or any(not isinstance(rule, Sum) for rule in rules.tree + rules.leaf):
        return
    for _ in range(20):
        answers = rng.integers(0, problem.dataset.n_classes, problem.dataset.n_samples)
        rows = np.arange(problem.dataset.n_samples)
        allowed = all(int(amount[answers, rows].sum()) <= limit for amount, limit in found)
        assert allowed == all(int(rule.by_label[rows, answers].sum()) <= rule.limit for rule in by_source)


def test_a_certificate_states_the_constraint_and_the_gap() -> None:
    """The statement has the formula and any gap between cost and bound; a tree that violates the constraint is
    rejected.
    """
    data = sample_dataset("triage")
    problem = Problem(data, Shape(max_depth=2), constraints=(MinAccuracy("0.7", Who("sex", "female")), MaxMissed(30)))
    solution = get("contree").run(problem, Limits(), lambda event: None, never)
    files = make_optimum_certificate(problem, solution.diagram)
    report, claim = check_optimum(files.__getitem__), json.loads(files[MAIN])
    text = files[README].decode()
    assert report.accepted and report.optimal == (report.gap == 0) and report.cost - report.gap == report.bound
    assert "1 x weight(critical = yes; predicted no) <= 30" in text
    assert "/ weight(critical = no or yes and sex = female) <= 3/10" in text
    claim["sums"][-1]["most"] = "0"
    broken = {**files, MAIN: json.dumps(claim).encode()}
    assert "violates a constraint" in check_optimum(broken.__getitem__).fault


DAYS = tuple(float(np.datetime64(day).astype(int)) for day in ("2024-01-31", "2024-05-31"))


@pytest.mark.parametrize(
    ("kind", "cuts", "levels", "cells"),
    [
        (Kind.CATEGORICAL, (), ("1", "over 2", "up to 3"), ["1", "over 2", "up to 3"]),
        (Kind.NUMERIC, (), ("1", "2.5", "30"), ["1.0", "2.50", "3e1"]),
        (Kind.DATE, (), ("2024-01-31", "2024-02-01", "2024-03-01"), ["2024-01-31", "2024-02-01 00:00", "2024-03-01"]),
        (Kind.NUMERIC, (34.0, 57.0), ("up to 34", "over 34 to 57", "over 57"), ["34", "57", "57.1"]),
        (Kind.DATE, DAYS, ("until January", "until May", "later"), ["2024-01-31", "2024-05-31", "2024-06-01"]),
    ],
)
def test_groups_are_found_in_the_table(
    kind: Kind, cuts: tuple[float, ...], levels: tuple[str, ...], cells: list[str]
) -> None:
    """If a column is not a feature, only its groups are known, and the checker finds their rows in the table."""
    problem = random_problem(3)
    column, group = Column("x", Kind.NUMERIC), replace(problem.dataset.groups[0], levels=levels, kind=kind, cuts=cuts)
    n = problem.dataset.n_samples
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % problem.dataset.n_classes
    data = replace(problem.dataset, schema=Schema((column,)), X=X, y=y, groups=(group,))
    data = replace(data, groups=(replace(group, codes=np.arange(n) % 3),))
    problem = Problem(data, Shape(max_depth=1), constraints=tuple(MinAccuracy(0, Who("ward", name)) for name in levels))
    tree = get("contree").run(problem, Limits(), lambda event: None, never).diagram
    files = make_optimum_certificate(problem, tree)
    text = csv_text(data)
    for name, cell in zip(reversed(levels), reversed(cells), strict=True):
        text = text.replace(f",{name},", f",{cell},")
    assert check(files.__getitem__, table=text) == check(files.__getitem__)
