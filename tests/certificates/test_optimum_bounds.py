"""The bounds of the certificate checker against brute force, and unsound mutants that must be detected."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.certificates.optimum_bounds import Cases, Prover, RejectedError, Stumps
from solvers.certificates.optimum_checker import verdict
from tests.case_count import case_count
from tests.certificates.mutants import mutant

NEVER = 2**60

Used = frozenset[str]
"""The columns above a split."""


class Drawn(NamedTuple):
    """Input of a bound: `rules` and `columns` in the notation of a certificate; `fixed` is the fixed top of a tree."""

    cases: Cases
    depth: int
    least: tuple[int, int]
    price: int
    rules: list[dict[str, Any]]
    columns: list[str]
    fixed: dict[str, Any]

    def least_cost(self, here: np.ndarray, depth: int, used: Used = frozenset(), most: int = NEVER) -> int:
        """The least cost of all trees of the depth with at most `most` splits, by enumeration."""
        if (self.cases.counts[:, here].sum(axis=1) < self.least).any():
            return NEVER
        best = int(self.cases.cost[:, here].sum(axis=1).min())
        for order, ranks in enumerate(self.cases.ranks[:, here] if depth and most else ()):
            if allowed(self.rules, used, self.columns[order]):
                for last in np.unique(ranks)[:-1]:
                    best = min(best, self.divided(here, order, last, depth, used, most))
        return best

    def divided(self, here: np.ndarray, order: int, last: int, depth: int, used: Used, most: int = NEVER) -> int:
        """The least cost of the trees with this split at the root."""
        low, below = self.cases.ranks[order, here] <= last, used | {self.columns[order]}
        sides = here[low], here[~low]
        # no limit if both sides can have as many splits as their depth allows
        shares = [(most, most)] if most >= 2**depth - 1 else [(n, most - 1 - n) for n in range(most)]
        pairs = [
            [self.least_cost(side, depth - 1, below, n) for side, n in zip(sides, each, strict=True)] for each in shares
        ]
        return self.price + min(map(sum, pairs))

    @property
    def true(self) -> int:
        """The least cost of all trees with the fixed top."""
        here = np.arange(self.cases.ranks.shape[1])
        if "order" in self.fixed:
            return self.divided(here, self.fixed["order"], self.fixed["last"], self.depth, frozenset())
        return self.least_cost(here, self.depth)


def allowed(rules: list[dict[str, Any]], used: frozenset[str], column: str) -> bool:
    """Whether every rule allows a split on a column below splits on others."""
    for rule in rules:
        if not used and column not in rule.get("first", [column]):
            return False
        if column == rule.get("column") and rule["only"] != (rule["below"] in used):
            return False
        path = {*used, column}
        if sum(cost for group, cost in rule.get("costs", []) if path & set(group)) > rule.get("most", 0):
            return False
    return True


def drawn(seed: int) -> Drawn:
    """Cases with costs of all magnitudes, a depth, a minimum leaf size, a split penalty, and path rules."""
    rng = np.random.default_rng(seed)
    n_classes, most = int(rng.integers(2, 4)), int(rng.choice([1, 3, 10, 1000, 2**40, 2**46]))
    kind = rng.random()
    size = (rng.integers(8, 15), 3 if kind < 0.15 else 1) if kind < 0.3 else (rng.integers(1, 15), rng.integers(1, 4))
    ranks = np.unique(rng.integers(0, 3 if kind < 0.15 else rng.integers(1, 8), size), axis=0)
    n = len(ranks)
    most = min(most, 2**51 // (n * ranks.shape[1]))
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in ranks.T])
    cost = rng.integers(0, most + 1, (n, n_classes))
    if rng.random() < 0.6:
        cost = np.repeat(rng.integers(1, most + 1, n)[:, None], n_classes, axis=1)
        cost[np.arange(n), rng.integers(0, n_classes, n)] = 0
    counts = np.column_stack((rng.integers(1, 6, n), rng.integers(0, 6, n)))
    rows, weight = (min(int(rng.choice([1, 1, 1, 2, 4, 7])), int(most)) for most in counts.sum(axis=0))
    depth, price = int(rng.integers(0, 4)), int(rng.choice([0, 0, 1, most // 3]))
    columns = rng.choice(list("abc"), ranks.shape[1]).tolist() if rng.random() < 0.3 else list("abc")[: ranks.shape[1]]
    rules = [drawn_rule(rng) for _ in range(int(rng.choice([0, 0, 1, 2])))]
    if kind < 0.15:  # 'only below' only matters with three levels
        depth, rows, weight, columns, rules = 3, 1, 0, list("abc"), [{"column": "a", "below": "b", "only": True}]
    order = int(rng.integers(ranks.shape[1]))
    fixed: dict[str, Any] = {"class": 0}
    if rng.random() < 0.2 and depth and ranks[:, order].max():
        last = int(rng.integers(ranks[:, order].max()))
        fixed = {"fixed": True, "order": order, "last": last, "low": {"class": 0}, "high": {"class": 0}}
    return Drawn(Cases(ranks, counts, cost), depth, (rows, weight), price, rules, columns, fixed)


def drawn_rule(rng: np.random.Generator) -> dict[str, Any]:
    """A path rule over up to three columns."""
    one, other = rng.permutation(list("abc"))[:2].tolist()
    costs = [[["a"], 1], [["b"], 2], [["c"], 1], [[one, other], int(rng.integers(0, 3))]]
    rules: list[dict[str, Any]] = [
        {"first": [one]},
        {"column": one, "below": other, "only": False},
        {"column": one, "below": other, "only": True},
    ]
    return [*rules, {"costs": costs, "most": int(rng.integers(0, 6))}][rng.integers(4)]


def check_bounds(seed: int) -> None:
    """Check the bounds for goals below, at and above the least cost, by enumeration."""
    one = drawn(seed)
    true = one.true
    for goal in (0, max(0, true - 1), true, true + 1, 2 * true + 5) if true < NEVER else ():
        prover = prover_of(seed, one, one.cases, Prover)
        assert prover.below(one.fixed, one.cases.all(), one.depth, goal) == min(true, goal)


def prover_of(seed: int, one: Drawn, cases: Any, make: Any, due: Callable[[], bool] = lambda: False) -> Any:
    """A prover for cases; for odd seeds one that examines nearly all thresholds at once at depth two."""
    rng = np.random.default_rng(seed)

    class Eager(make):
        """Examines more thresholds than necessary; the bounds must stay valid."""

        def within(self, reach: np.ndarray, first: np.ndarray, last: np.ndarray, n: int) -> Any:
            cuts = super().within(reach, first, last, n)
            return cuts if n == 2 else np.union1d(cuts, np.flatnonzero(rng.random(len(reach)) < 0.9))

    return (Eager if seed % 2 else make)(cases, one.price, one.least, due, one.rules, one.columns)


@given(st.integers(0, 10**9))
def test_the_bound_is_the_least_cost_or_the_goal(seed: int) -> None:
    """The bound is exact whichever thresholds are examined."""
    check_bounds(seed)


def larger(seed: int) -> Drawn:
    """Enough cases for several rounds of thresholds and batches of sums, for trees of depth two."""
    rng = np.random.default_rng(seed)
    n, n_orders = int(rng.integers(20, 90)), int(rng.integers(1, 4))
    many = [rng.integers(0, most, size) for most, size in ((n, (n, n_orders)), (6, (n, 2)), (9, (n, 3)))]
    one = drawn(seed)
    rows, weight = (int(rng.integers(0, rng.choice([2, 9, 90]))) for _ in range(2))
    return one._replace(
        cases=Cases(*many), columns=list("abc")[:n_orders], depth=2, least=(rows, weight), fixed={"class": 0}
    )


def least_by_stumps(one: Drawn) -> int:
    """The least cost of trees of depth two, by both sides of every threshold."""
    part, prover = one.cases.all(), prover_of(0, one, one.cases, Prover)
    may = (part.end < part.order.shape[1]) & prover.permitted(frozenset(), True)[part.column]
    for i, least in enumerate(one.least):
        may &= (part.counts[i] >= least) & (part.total[i - 2] - part.counts[i] >= least)
    cuts, leaf = np.flatnonzero(may), int(part.total[:-3].min())
    if not len(cuts):
        return leaf
    _, hard = Stumps(part, prover, frozenset(), prover.one_way).sides(cuts)
    return min(leaf, int(hard.sum(axis=0).min()) + one.price)


@given(st.integers(0, 10**9))
def test_the_costs_of_stumps_are_exact(seed: int) -> None:
    """Both sides of many thresholds at once, compared one by one; and the bound, whichever thresholds are examined."""
    one = larger(seed)
    part, prover = one.cases.all(), prover_of(0, one, one.cases, Prover)
    cuts = np.flatnonzero(part.end < part.order.shape[1])
    for strict in (False, prover.one_way) if len(cuts) else ():
        bare = one if strict else one._replace(least=(0, 0), rules=[rule for rule in one.rules if not rule.get("only")])
        _, hard = Stumps(part, prover, frozenset(), strict).sides(cuts)
        for at, both in zip(cuts[::7].tolist(), hard.T[::7].tolist(), strict=True):
            order, end = int(part.column[at]), int(part.end[at])
            sides = part.order[order, :end], part.order[order, end:]
            least = [bare.least_cost(side, 1, frozenset({one.columns[order]})) for side in sides]
            # a side with too few rows for a leaf is never used
            assert all(true in (own, NEVER) for own, true in zip(both, least, strict=True))
    true = least_by_stumps(one)
    for goal in (max(0, true - 1), true, true + 1, true + 100):
        for again in (0, 1):
            found = prover_of(seed + again, one, one.cases, Prover).below({}, part, 2, goal)
            assert found == min(goal, true)


MUTANTS = {
    "fewer cases cost as much": ("last(hard[0] - reach) + reach", "last(hard[0] - apart) + apart"),
    "fewer cases cost as much above": (
        "first(hard[1] + reach) - reach",
        "first(hard[1] + apart) - apart",
    ),
    "a case weighs its least cost": ("self.cost.max(axis=0), np.int32", "self.cost.min(axis=0), np.int32"),
    "a case weighs half": ("self.cost.max(axis=0), np.int32", "self.cost.max(axis=0) // 2, np.int32"),
    "bounds with least rows spread to more": ("first(soft[0] + apart", "first(hard[0] + apart"),
    "deeper bounds with least rows spread to more": ("soft[side] if limited else found", "found"),
    "closed thresholds spread what holds with least rows": (
        "spread(soft, soft, reach, apart) if strict else hard",
        "hard",
    ),
    "open thresholds are closed": ("still = hard.sum(axis=0)", "still = 1 + hard.sum(axis=0)"),
    "sides exchanged": ("soft[:, cuts], hard[:, cuts] = stumps", "soft[::-1, cuts], hard[::-1, cuts] = stumps"),
    "orders not separated": ("part.column[at] * self.cases.top", "part.column[at] * 0"),
    "the split penalty is paid twice": ("base = self.price +", "base = 2 * self.price +"),
    "runs joined although rows count": ("if not self.limits:", "if True:"),
    "all runs joined": ("(low[1:] == high[:-1]) & (high[1:] == low[:-1]) &", ""),
    "one row more required in a leaf of a stump": ("(sums >= enough) & (total", "(sums > enough) & (total"),
    "one row more required in a leaf": (">= least) & (part.total", "> least) & (part.total"),
    "one row more required on the other side of a stump": ("(total - sums >= enough", "(total - sums > enough"),
    "two predictions cost as much as one": ("total[:, 0] - sums.max(axis=1)", "total[:, 0] - sums.min(axis=1)"),
    "lanes lose earlier sums": ("cumsum(axis=2, dtype=small)", "cumsum(axis=2, dtype=small) * 0"),
    "the best prediction is left out": ("(cost[j] <= cost[k]).all()", "(cost[j] <= cost[k]).any()"),
    "earlier sums are added twice": ("sums[i] += sums[i - 1]", "sums[i] += 2 * sums[i - 1]"),
    "only the widest stretch counts": (
        "goal = min(goal, int(hard[:, cuts].sum(axis=0).min()) + self.price)",
        "return goal",
    ),
    "a split is not above its stumps": ("prover.permitted(above | {name}, one)", "prover.permitted(above, one)"),
    "a split is not above deeper ones": ("below = above | {self.columns[order]}", "below = above"),
    "a fixed split is above nothing": ("rest, above | {self.columns[order]})", "rest, above)"),
    "the rule of the first split applies to all": ("bool(above) or column in", "column in"),
    "never below is only below": ("in above) is rule", "in above) is not rule"),
    "a path may not reach its cost limit": ('<= whole(rule["most"])', '< whole(rule["most"])'),
    "a shared cost is paid by all": ("if {column, *above} & set(group)", ""),
    "a fixed split has one side": ("part.side(order, end, side), max", "part.side(order, end, 0), max"),
    "a fixed split is paid twice": ('tree["order"], self.price\n', 'tree["order"], 2 * self.price\n'),
}
"""Faults with which a checker accepts too much, as replacements in its source."""

RARE = {"runs joined although rows count": 10_000, "closed thresholds spread what holds with least rows": 2_500}
"""The first seed to try, for faults that few cases reveal."""


@cache
def with_least_cost(seed: int) -> tuple[Drawn, int]:
    """The cases on which all faults are tried, and their least cost."""
    one = drawn(seed) if seed % 5 else larger(seed)
    return one, one.true if seed % 5 else least_by_stumps(one)


@pytest.mark.parametrize("fault", MUTANTS)
def test_a_faulty_checker_is_found(fault: str) -> None:
    """Each mutant exceeds the least cost for some case, or ends in an error."""
    checker = mutant(*MUTANTS[fault])
    make_cases, make_prover = checker["Cases"], checker["Prover"]
    for seed in range(RARE.get(fault, 0), 20_000):
        one, true = with_least_cost(seed)
        if true >= NEVER:
            continue
        own = make_cases(one.cases.ranks.T.copy(), one.cases.counts.T.copy(), one.cases.cost.T.copy())
        end = time.monotonic() + 1

        def late(end: float = end) -> bool:
            return time.monotonic() > end

        try:
            prover = prover_of(seed, one, own, make_prover, late)
            if prover.below(one.fixed, own.all(), one.depth, 2 * true + 5) > true:
                return
        except Exception:  # an error proves nothing
            return
    raise AssertionError("It was not found.")


@settings(max_examples=case_count(3000))
@given(st.integers(0, 10**9), st.integers(0, 40), st.integers(1, 7), st.integers(0, 7))
def test_any_multiplier_gives_a_valid_bound(seed: int, more: int, parts: int, most: int) -> None:
    """The bound for any multiplier is at most the cost of every tree with at most `most` splits, by enumeration."""
    one = drawn(seed)
    cases, depth, least, price = one.cases, min(one.depth, 2), one.least, one.price
    here = np.arange(cases.ranks.shape[1])
    true = one._replace(rules=[]).least_cost(here, depth, most=most)
    if true >= NEVER:
        return
    leaf = int(cases.cost.sum(axis=1).argmin())
    order = {"column": "a", "levels": None, "dates": False, "missing": None, "within": None}
    claim = {"depth": depth, "least_rows": least[0], "least_weight": least[1], "rules": [], "price": price}
    claim |= {"orders": [order] * len(cases.ranks), "max_splits": most, "more": more, "parts": parts}
    claim |= {"shallowest": False, "fewest": False, "gap": 0, "sums": [], "multipliers": [], "tree": {"class": leaf}}
    try:
        found = verdict(claim, Cases(cases.ranks.T, cases.counts.T, cases.cost.T), np.zeros((0, len(here)), object))
    except RejectedError as error:
        # only sums of multiplied costs are that large
        assert parts > 1 and cases.cost.max() >= 2**40 and "too large" in str(error)
        return
    assert found.bound <= true <= found.cost
