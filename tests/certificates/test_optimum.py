"""Certificates of optimality: bounds against brute force, mutants, planted faults, and the file by itself."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.certificates import optimum_checker, zipped
from solvers.certificates.cut_advice import CompiledStumps
from solvers.certificates.optimum import CHECKER, check_optimum, make_optimum_certificate
from solvers.certificates.optimum_checker import (
    CASES,
    CUTS,
    MAIN,
    README,
    WORDS,
    Cases,
    Prover,
    RejectedError,
    Stumps,
    UndecidedError,
    check,
    in_words,
    statement,
)
from solvers.diagram import Diagram, Leaf
from solvers.errors import CertificateError
from solvers.methods import get
from solvers.problem import Dataset, Kind, Limits, Objective, Problem, Shape, samples
from solvers.problem.samples import sample_dataset
from solvers.solution import Status
from tests.case_count import case_count
from tests.explain.worlds import never
from tests.methods.trees.test_path_rules import constrained
from tests.strategies import datasets, problems

NEVER = 2**60


class Drawn(NamedTuple):
    """What bounds are tried on: `rules` and `columns` as a certificate tells them, `fixed` a tree that is begun."""

    cases: Cases
    depth: int
    least: tuple[int, int]
    price: int
    rules: list[dict[str, Any]]
    columns: list[str]
    fixed: dict[str, Any]

    def least_cost(self, here: np.ndarray, depth: int, used: frozenset[str] = frozenset()) -> int:
        """Of every tree of the depth, one by one."""
        if (self.cases.counts[:, here].sum(axis=1) < self.least).any():
            return NEVER
        best = int(self.cases.cost[:, here].sum(axis=1).min())
        for order, ranks in enumerate(self.cases.ranks[:, here] if depth else ()):
            if allowed(self.rules, used, self.columns[order]):
                for last in np.unique(ranks)[:-1]:
                    best = min(best, self.divided(here, order, last, depth, used))
        return best

    def divided(self, here: np.ndarray, order: int, last: int, depth: int, used: frozenset[str] = frozenset()) -> int:
        """The least cost below a question."""
        low = self.cases.ranks[order, here] <= last
        below = used | {self.columns[order]}
        return self.price + sum(self.least_cost(side, depth - 1, below) for side in (here[low], here[~low]))

    @property
    def true(self) -> int:
        """The least cost of all trees that begin as they must."""
        here = np.arange(self.cases.ranks.shape[1])
        if "order" in self.fixed:
            return self.divided(here, self.fixed["order"], self.fixed["last"], self.depth)
        return self.least_cost(here, self.depth)


def allowed(rules: list[dict[str, Any]], used: frozenset[str], column: str) -> bool:
    """Whether rules allow a question about a column below others, rule by rule."""
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
    """Cases with costs of all magnitudes, a depth, the least rows and weight of a leaf, a price, and rules of paths."""
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
    if kind < 0.15:  # what 'only below' changes needs three levels
        depth, rows, weight, columns, rules = 3, 1, 0, list("abc"), [{"column": "a", "below": "b", "only": True}]
    order = int(rng.integers(ranks.shape[1]))
    fixed: dict[str, Any] = {"class": 0}
    if rng.random() < 0.2 and depth and ranks[:, order].max():
        last = int(rng.integers(ranks[:, order].max()))
        fixed = {"fixed": True, "order": order, "last": last, "low": {"class": 0}, "high": {"class": 0}}
    return Drawn(Cases(ranks, counts, cost), depth, (rows, weight), price, rules, columns, fixed)


def drawn_rule(rng: np.random.Generator) -> dict[str, Any]:
    """A rule of paths over up to three columns."""
    one, other = rng.permutation(list("abc"))[:2].tolist()
    costs = [[["a"], 1], [["b"], 2], [["c"], 1], [[one, other], int(rng.integers(0, 3))]]
    rules: list[dict[str, Any]] = [
        {"first": [one]},
        {"column": one, "below": other, "only": False},
        {"column": one, "below": other, "only": True},
    ]
    return [*rules, {"costs": costs, "most": int(rng.integers(0, 6))}][rng.integers(4)]


def never_due() -> bool:
    """There is time."""
    return False


def nearly_all(seed: int) -> Iterator[np.ndarray]:
    """Advice to look into nearly every cut, and into some that there are not."""
    rng = np.random.default_rng(seed)
    while True:
        yield np.flatnonzero(rng.random(80) < 0.9) - 3


def bounds_of(seed: int) -> None:
    """Below, at and above the least cost of all trees, one by one; half of the cases with advice."""
    one = drawn(seed)
    true = one.true
    for goal in (0, max(0, true - 1), true, true + 1, 2 * true + 5) if true < NEVER else ():
        prover = prover_of(seed, one, one.cases, Prover)
        assert prover.below(one.fixed, one.cases.all(), one.depth, goal) == min(true, goal)


def prover_of(seed: int, one: Drawn, cases: Any, make: Callable[..., Any], *due: Callable[[], bool]) -> Any:
    """A prover for cases, with advice for odd seeds."""
    advice, due = nearly_all(seed) if seed % 2 else (), due or (lambda: False,)
    return make(cases, one.price, one.least, due[0], advice, one.rules, one.columns)


@given(st.integers(0, 10**9))
def test_the_bound_is_the_least_cost_or_the_goal(seed: int) -> None:
    """Whatever the cuts that are looked into."""
    bounds_of(seed)


@given(st.integers(0, 10**9))
def test_compiled_stumps_are_those_of_the_checker(seed: int) -> None:
    """Under every limit and rule, at all cuts at once."""
    one = drawn(seed)
    part, prover = one.cases.all(), Prover(one.cases, one.price, one.least, never_due, (), one.rules, one.columns)
    cuts = np.flatnonzero(part.end < part.order.shape[1])
    for strict in (False, prover.one_way) if len(cuts) else ():
        own, compiled = (make(part, prover, frozenset(), strict).sides(cuts) for make in (Stumps, CompiledStumps))
        assert np.array_equal(own, compiled)


MUTANTS = {
    "fewer cases cost as much": ("last(hard[0] - reach + back) - back + reach", "last(hard[0] + back) - back"),
    "fewer cases cost as much above": (
        "accumulate(hard[1] + reach + ahead) - ahead - reach",
        "accumulate(hard[1] + ahead) - ahead",
    ),
    "a case weighs its least cost": ("self.cost.max(axis=0), np.int32", "self.cost.min(axis=0), np.int32"),
    "a case weighs half": ("self.cost.max(axis=0), np.int32", "self.cost.max(axis=0) // 2, np.int32"),
    "bounds with least rows spread to more": ("accumulate(soft[0] + ahead", "accumulate(hard[0] + ahead"),
    "deeper bounds with least rows spread to more": ("soft[side] if limited else hard[side]", "hard[side]"),
    "sides exchanged": ("soft[:, cuts], hard[:, cuts] = stumps", "soft[::-1, cuts], hard[::-1, cuts] = stumps"),
    "orders not apart": ("column * top,", "column * 0,"),
    "no leaf on a side": ("np.minimum(spread(", "np.maximum(spread("),
    "the price is paid twice": ("base = self.price +", "base = 2 * self.price +"),
    "runs joined where rows count": ("if not self.limits:", "if True:"),
    "all runs joined": ("(low[1:] == high[:-1]) & (high[1:] == low[:-1]) &", ""),
    "a row more in a leaf of a stump": ("(sums >= least) & (total", "(sums > least) & (total"),
    "a row more in a leaf": (">= least) & (part.total", "> least) & (part.total"),
    "the rows of both sides count": ("total - sums >= least", "total + sums >= least"),
    "an answer left out that is best": ("(cost[j] <= cost[k]).all()", "(cost[j] <= cost[k]).any()"),
    "what came before is added twice": ("sums[i] += sums[i - 1]", "sums[i] += 2 * sums[i - 1]"),
    "the widest stretch counts": (
        "goal = min(goal, int(known[:, cuts].sum(axis=0).min()) + self.price)",
        "return goal",
    ),
    "'only below' spreads to more cases": ("for one in (False, strict)]", "for one in (strict, strict)]"),
    "a question is not above its stumps": ("prover.permitted(above | {name}, one)", "prover.permitted(above, one)"),
    "a question is not above deeper ones": ("below = above | {self.columns[order]}", "below = above"),
    "a fixed question is above nothing": ("rest, above | {self.columns[order]})", "rest, above)"),
    "what holds for the first question holds for all": ("bool(above) or column in", "column in"),
    "never below is only below": ("in above) is rule", "in above) is not rule"),
    "a path may not cost what it may": ('<= rule["most"]', '< rule["most"]'),
    "a shared cost is paid by all": ("if {column, *above} & set(group)", ""),
    "a fixed question has one side": ("part.side(order, end, side), max", "part.side(order, end, 0), max"),
    "what is fixed is not paid for once": ('tree["order"], self.price\n', 'tree["order"], 2 * self.price\n'),
}
"""Faults of a checker that make it believe too much, by what is written in the place of what."""


@pytest.mark.parametrize("fault", MUTANTS)
def test_a_faulty_checker_is_found(fault: str) -> None:
    """Each comes above the least cost somewhere within a few hundred cases, or ends in an error."""
    source, (old, new) = Path(optimum_checker.__file__).read_text("utf-8"), MUTANTS[fault]
    assert source.count(old) == 1
    mutant: dict[str, object] = {"__name__": "mutant"}
    sys.modules["mutant"] = sys.modules[__name__]
    exec(compile(source.replace(old, new), "mutant", "exec"), mutant)
    make_cases, make_prover = mutant["Cases"], mutant["Prover"]
    assert callable(make_cases) and callable(make_prover)
    for seed in range(20000):
        one = drawn(seed)
        if (true := one.true) >= NEVER:
            continue
        own = make_cases(one.cases.ranks.T.copy(), one.cases.counts.T.copy(), one.cases.cost.T.copy())
        end = time.monotonic() + 1

        def late(end: float = end) -> bool:
            return time.monotonic() > end

        try:
            prover = prover_of(seed, one, own, make_prover, late)
            if prover.below(one.fixed, own.all(), one.depth, 2 * true + 5) > true:
                return
        except Exception:  # whatever ends it, it proves nothing
            return
    raise AssertionError("It was not found.")


def certificate(problem: Problem, tree: Diagram | None) -> dict[str, bytes]:
    """Its files."""
    return make_optimum_certificate(problem, tree, Limits(seconds=20))


def solved(problem: Problem) -> Diagram:
    """The optimal tree of the exact search."""
    solution = get("contree").run(problem, Limits(), lambda event: None, never)
    assert solution.diagram is not None and solution.cost == solution.bound
    return solution.diagram


@given(datasets(max_rows=20), st.integers(0, 3), st.integers(-3, 4), st.sampled_from([0, 0.5, 2]))
def test_every_optimal_tree_is_certified(dataset, depth: int, least: int, price: float) -> None:
    """Weights, missing values, categories, class costs: the bound meets the cost, and is below that of a worse tree."""
    costs = np.ones((dataset.n_classes, dataset.n_classes)) + np.arange(dataset.n_classes)[:, None]
    rows, weight = min(abs(least), dataset.n_samples), max(0, 1 - least) / 3
    problem = Problem(dataset, Shape(max_depth=depth, min_samples_leaf=max(1, rows), min_weight_leaf=weight))
    problem = replace(problem, objective=Objective(tuple(map(tuple, costs * (1 - np.eye(dataset.n_classes)))), price))
    tree = solved(problem)
    files = certificate(problem, tree)
    report = check_optimum(files.__getitem__)
    assert report.accepted, report.fault
    assert check(files.__getitem__, table=csv_text(dataset)) == check(files.__getitem__)
    worst = replace(
        tree, nodes=(Leaf(int(np.argmax(problem.leaf_costs(problem_weights(problem)))), tree_counts(tree)),)
    )
    planted = check_optimum(certificate(problem, worst).__getitem__)
    assert planted.accepted == (planted.cost == report.cost)


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(problem=problems(max_rows=12), seed=st.integers(0, 2**32 - 1))
def test_optima_under_rules_of_paths_are_certified(problem: Problem, seed: int) -> None:
    """Orders, fixed questions, allowed thresholds and costs of paths, from the cases and from the table."""
    problem = constrained(problem, seed)
    if get("contree").check(problem):
        return
    solution = get("contree").run(problem, Limits(), lambda event: None, never)
    if solution.status is not Status.OPTIMAL:
        return
    try:
        files = certificate(problem, solution.diagram)
    except CertificateError as error:
        assert "No price of a leaf" in str(error) or "fixed question" in str(error)
        return
    report = check_optimum(files.__getitem__)
    assert report.accepted, report.fault
    assert check(files.__getitem__, table=csv_text(problem.dataset)) == check(files.__getitem__)


def csv_text(dataset: Dataset) -> str:
    """The table as the file that it could have been read from."""
    out = io.StringIO()
    write = csv.writer(out).writerow
    write([*dataset.schema.names, dataset.outcome])
    for cells, label in zip(dataset.X, dataset.y, strict=True):
        pairs = zip(dataset.schema.columns, cells.tolist(), strict=True)
        texts = [column.format(x) if column.kind is not Kind.NUMERIC or x != x else repr(x) for column, x in pairs]
        write([*texts, dataset.classes[label]])
    return out.getvalue()


def test_another_table_proves_nothing() -> None:
    """A cell that was changed, and a threshold that parts the rows otherwise, are found by the table."""
    problem = Problem(sample_dataset("iris"), Shape(max_depth=2))
    files, lines = certificate(problem, solved(problem)), csv_text(problem.dataset).splitlines()
    assert check(files.__getitem__, table="\n".join(lines)).proved
    for other in ([lines[0], lines[1].replace("setosa", "virginica"), *lines[2:]], lines[:-1]):
        with pytest.raises(RejectedError):
            check(files.__getitem__, table="\n".join(other))
    claim = json.loads(files[MAIN])
    claim["tree"]["bound"] = 5.0
    moved = {**files, MAIN: json.dumps(claim).encode(), WORDS: in_words(claim["tree"], claim).encode()}
    assert check(moved.__getitem__).proved
    with pytest.raises(RejectedError, match="parts rows"):
        check(moved.__getitem__, table="\n".join(lines))


def problem_weights(problem: Problem) -> np.ndarray:
    """The weight of each class."""
    return np.bincount(problem.dataset.y, problem.weights, problem.dataset.n_classes).astype(np.int64)


def tree_counts(tree: Diagram) -> tuple[float, ...]:
    """The weight of each class in all leaves."""
    return tuple(np.sum([leaf.counts for _, leaf in tree.leaves], axis=0).tolist())


def test_the_samples_are_certified_at_depth_two() -> None:
    """As they ship, with leaves of the default size."""
    for sample in samples():
        problem = Problem(sample_dataset(sample.key), Shape(max_depth=2, min_samples_leaf=5))
        report = check_optimum(certificate(problem, solved(problem)).__getitem__)
        assert report.accepted, (sample.key, report.fault)


@given(datasets(max_rows=20), st.integers(1, 3), st.integers(1, 7), st.integers(1, 2))
def test_a_limit_on_leaves_is_certified_by_a_price(dataset, depth: int, leaves: int, least: int) -> None:
    """Where a price makes the tree the best of all sizes; elsewhere there is none, and the reason is told."""
    problem = Problem(
        dataset, Shape(max_depth=depth, min_samples_leaf=min(least, dataset.n_samples), max_leaf_nodes=leaves)
    )
    tree = solved(problem)
    try:
        report = check_optimum(certificate(problem, tree).__getitem__)
    except CertificateError as error:
        assert "No price of a leaf" in str(error)
        return
    assert report.accepted and report.cost == report.bound


@given(st.integers(0, 10**9), st.integers(0, 40), st.integers(1, 7), st.integers(0, 7))
def test_any_multiplier_gives_a_valid_bound(seed: int, more: int, parts: int, most: int) -> None:
    """Of all trees with so many splits, one by one, none costs less than the bound by any multiplier."""
    one = drawn(seed)
    cases, depth, least, price = one.cases, min(one.depth, 2), one.least, one.price
    here, most_costs = np.arange(cases.ranks.shape[1]), {}
    true = least_cost_by_splits(cases, here, depth, least, price, most, most_costs)
    if true >= NEVER:
        return
    leaf = int(cases.cost.sum(axis=1).argmin())
    order = {"column": "a", "levels": None, "dates": False, "missing": None, "within": None}
    claim = {
        "format": optimum_checker.FORMAT,
        "version": optimum_checker.VERSION,
        "depth": depth,
        "least_rows": least[0],
        "least_weight": least[1],
        "rules": [],
        "orders": [order] * len(cases.ranks),
    }
    claim |= {"price": price, "scale": 1, "max_splits": most, "more": more, "parts": parts, "tree": {"class": leaf}}
    claim |= {"table": {"outcome": "y"}, "classes": list("abc")}
    ranks, answers = (f"rank_{o}" for o in range(len(cases.ranks))), (f"cost_{k}" for k in range(len(cases.cost)))
    table = np.column_stack((cases.ranks.T, cases.counts.T, cases.cost.T)).tolist()
    lines = [",".join(map(str, line)) for line in [[*ranks, "rows", "weight", *answers], *table]]
    files = {MAIN: json.dumps(claim).encode(), CASES: "\n".join(lines).encode(), CUTS: b"0 1 1\n0 2"}
    files[README] = statement(claim, int(cases.cost[leaf].sum())).encode()
    try:
        found = check({**files, WORDS: in_words(claim["tree"], claim).encode()}.__getitem__)
    except RejectedError as error:
        # so large are only sums of costs that are multiplied
        assert parts > 1 and cases.cost.max() >= 2**40 and ("too large" in str(error) or "too fine" in str(error))
        return
    assert found.bound <= true <= found.cost


def least_cost_by_splits(
    cases: Cases, here: np.ndarray, depth: int, least: tuple[int, int], price: int, most: int, known: dict
) -> int:
    """Every tree of the depth with at most so many splits, one by one."""
    key = (here.tobytes(), depth, most)
    if key in known:
        return known[key]
    if (cases.counts[:, here].sum(axis=1) < least).any():
        return NEVER
    best = int(cases.cost[:, here].sum(axis=1).min())
    for ranks in cases.ranks[:, here] if depth and most else ():
        for last in np.unique(ranks)[:-1]:
            for low in range(most):
                parts = ((here[ranks <= last], low), (here[ranks > last], most - 1 - low))
                both = [least_cost_by_splits(cases, side, depth - 1, least, price, n, known) for side, n in parts]
                best = min(best, sum(both) + price)
    known[key] = best
    return best


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """A certificate of the iris sample."""
    problem = Problem(sample_dataset("iris"), Shape(max_depth=2))
    return certificate(problem, solved(problem))


def test_it_is_checked_by_itself(files: dict[str, bytes], tmp_path: Path) -> None:
    """By the script that is part of it, in a process that imports numpy and the standard library only."""
    (tmp_path / "certificate.zip").write_bytes(zipped(files))
    (tmp_path / CHECKER).write_bytes(files[CHECKER])
    command = [sys.executable, "-I", CHECKER, "certificate.zip"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"PROVED: {said(files)}")
    assert b"import solvers" not in files[CHECKER]


def said(files: dict[str, bytes]) -> str:
    """The statement of a certificate."""
    return files[README].decode().splitlines()[2]


def changed(files: dict[str, bytes], change: Callable[[dict], None]) -> dict[str, bytes]:
    """A certificate whose claim was changed."""
    claim = json.loads(files[MAIN])
    change(claim)
    return {**files, MAIN: json.dumps(claim).encode()}


def another_tree(files: dict[str, bytes]) -> dict[str, bytes]:
    """A certificate of a worse tree, whose texts say so."""
    files = changed(files, lambda claim: claim.update(tree={"class": 0}))
    claim = json.loads(files[MAIN])
    return {**files, README: statement(claim, 100).encode(), WORDS: in_words(claim["tree"], claim).encode()}


def test_what_is_damaged_is_rejected_or_proves_no_more(files: dict[str, bytes]) -> None:
    """Claims and cases that are changed, cut off or hostile end in a rejection or in the truth about them."""
    for change in (
        lambda claim: claim.update(depth=1),
        lambda claim: claim.update(depth=-1),
        lambda claim: claim.update(depth=True),
        lambda claim: claim.update(price=1.5),
        lambda claim: claim.update(least_rows=80),
        lambda claim: claim.update(version=99),
        lambda claim: claim.update(scale=0),
        lambda claim: claim.update(scale="1"),
        lambda claim: claim.pop("tree"),
        lambda claim: claim.update(tree={"class": 7}),
        lambda claim: claim.update(tree=[1]),
    ):
        with pytest.raises(RejectedError):
            check(changed(files, change).__getitem__)
    assert not check(another_tree(files).__getitem__).proved
    for name in (README, WORDS):
        with pytest.raises(RejectedError, match=name):
            check({**another_tree(files), name: files[name]}.__getitem__)
    lines = files[CASES].splitlines()
    for cut in (
        lines[:1],
        [lines[0], b"x" + lines[1]],
        [lines[0], lines[1] + b",1"],
        [*lines[:5], b"-1" + lines[5]],
        [],
    ):
        with pytest.raises(RejectedError):
            check({**files, CASES: b"\n".join(cut)}.__getitem__)
    with pytest.raises(UndecidedError, match="time is up"):
        check(another_tree(files).__getitem__, lambda: True)


@pytest.mark.parametrize(("rows", "n_orders"), [([2**62] * 4 + [5], 1), ([2**50] * 5, 4096)])
def test_rows_that_cannot_be_counted_prove_nothing(files: dict[str, bytes], rows: list[int], n_orders: int) -> None:
    """Sums beyond 64 bits, also over many orders at once, let an allowed cut pass for one of too few rows."""
    lines = [[rank] * n_orders + [n, 1, int(rank == 4), int(rank != 4)] for rank, n in enumerate(rows)]
    names = [*(f"rank_{o}" for o in range(n_orders)), "rows", "weight", "cost_0", "cost_1"]
    cases = "\n".join(",".join(map(str, line)) for line in [names, *lines])
    with pytest.raises(RejectedError, match="too large"):
        check({**changed(files, lambda claim: claim.update(least_rows=2)), CASES: cases.encode()}.__getitem__)
    with pytest.raises(RejectedError, match="in this order"):
        check({**files, CASES: b"rows," + files[CASES]}.__getitem__)


def test_what_it_cannot_tell_of_is_refused() -> None:
    """A first split that is free, and constraints on errors, have no certificate."""
    from solvers.constraints import MaxErrors, MinLeafRows

    data = sample_dataset("iris")
    tree = solved(Problem(data, Shape(max_depth=2)))
    allowed = (Shape(max_depth=2, max_leaf_nodes=4), (MinLeafRows(3),))
    assert certificate(Problem(data, allowed[0], constraints=allowed[1]), tree)
    for problem in (
        Problem(data, Shape(max_depth=2), constraints=(MaxErrors(20),)),
        Problem(data, Shape(max_depth=2), objective=Objective(free_root=True)),
    ):
        with pytest.raises(CertificateError, match="cannot tell"):
            certificate(problem, tree)
    with pytest.raises(CertificateError, match="no tree"):
        certificate(Problem(data), None)


def test_more_time_and_depth_only_lower_the_bound() -> None:
    """The bound falls with the depth, and rises with the rows of a leaf."""
    cases = drawn(11).cases
    bounds = [Prover(cases, 0).below({}, cases.all(), depth, NEVER) for depth in range(4)]
    assert all(one >= other for one, other in pairwise(bounds))
