"""The exact search under path rules, compared with the obvious recursion."""

import numpy as np
import pytest

from solvers.kernels.parallel_search import ParallelTreeSearch
from solvers.kernels.path_rules import no_ruling
from solvers.kernels.tree_search import TreeSearch
from tests.case_count import case_count
from tests.kernels.problems import RankProblem, random_problem, run
from tests.kernels.ruled import Book, Fees, RuledOracle, random_book


def _costs(rng: np.random.Generator, n_classes: int) -> np.ndarray | None:
    costs = rng.integers(0, 6, (n_classes, n_classes))
    return costs - costs.min(axis=1)[:, None] if rng.random() < 0.2 else None


def _case(seed: int, max_rows: int = 11):
    """A problem, its oracle, and the options of a search."""
    problem, rng = random_problem(seed, max_rows=max_rows, max_orders=3), np.random.default_rng(seed)
    book = random_book(rng, problem)
    priced = any(tests.price for tests in book.tests)
    if priced:  # errors must cost enough for splits to pay
        problem = problem._replace(weight=problem.weight * int(rng.integers(1, 16)))
    n, heaviest = len(problem.label), int(problem.weight.max())
    tested = rng.integers(0, 3, n) * (heaviest if rng.random() < 0.2 else 1)
    sized = rng.random() < 0.35
    costs = _costs(rng, problem.n_classes)
    limits = {
        "split": int(rng.choice([0, 0, 1, heaviest])),
        "least_rows": int(rng.integers(1, min(4, n) + 1)) if sized else 1,
        "least_weight": int(min(heaviest * rng.integers(1, 3), problem.weight.sum())) if sized and costs is None else 1,
        "costs": costs,
        "tested": tested if priced else None,
    }
    # in a larger unit a split costs 1 more, which is equivalent to larger numbers everywhere
    unit = int(rng.choice([1, 16]))
    larger = problem._replace(weight=problem.weight * unit)
    oracle = RuledOracle(
        larger,
        book,
        split=limits["split"] * unit + (unit > 1),
        least_rows=limits["least_rows"],
        least_weight=limits["least_weight"] * unit,
        costs=costs,
        tested=None if limits["tested"] is None else tested * unit,
    )
    return problem, book, oracle, {**limits, "unit": unit, "ruling": book.ruling()}, rng


@pytest.mark.parametrize("block", range(case_count(20)))
def test_path_rules_are_exact(block):
    """Cost, bound and tree under all kinds of rules, with prices, leaf limits, minimum leaf sizes and class costs."""
    for seed in range(40 * block, 40 * block + 40):
        problem, book, oracle, options, rng = _case(seed + 300_000)
        for depth in (1, 2, 3, 4) if seed % 4 == 0 else (2, 3):
            leaves = int(rng.choice([2**depth, rng.integers(1, 2**depth + 1)]))
            best = oracle.best(oracle.everything(), depth, leaves)
            case = (seed, depth, leaves, book, options)
            search = run(TreeSearch(*problem[:5], problem.n_classes, depth, best + 10**6, leaves=leaves, **options))
            assert (search.cost, search.bound) == (best, best), case
            assert oracle.cost(search.splits, depth, leaves, frozenset(), True) == best, case


@pytest.mark.parametrize("block", range(case_count(4)))
def test_ceilings_known_bounds_and_upper_paths_are_respected(block):
    """Below a path, with any ceiling and any valid bound, the search finds the optimum or proves that it is not
    below.
    """
    for seed in range(40 * block, 40 * block + 40):
        problem, book, oracle, options, rng = _case(seed + 400_000)
        columns = max(book.column) + 1
        above = frozenset(int(c) for c in np.flatnonzero(rng.random(columns) < 0.4))
        if any(tests.limit is not None and tests.of(above) > tests.limit for tests in book.tests):
            continue
        used = sum(1 << c for c in above)
        for depth in (2, 3, 4):
            best = oracle.best(oracle.everything(), depth, 2**depth, above, True)
            ceiling, known = best + int(rng.integers(-2, 4)), max(0, best - int(rng.integers(0, 3)))
            if ceiling <= known:
                continue
            search = run(TreeSearch(*problem[:5], problem.n_classes, depth, ceiling, known=known, used=used, **options))
            assert search.cost == min(best, ceiling), (seed, depth)
            assert search.bound == min(best, ceiling), (seed, depth)
            assert (search.found > 0) == (best < ceiling), (seed, depth)
            if search.found:
                assert oracle.cost(search.splits, depth, 2**depth, above, True) == best, (seed, depth)


@pytest.mark.parametrize("block", range(case_count(2)))
def test_threads_satisfy_path_rules(block):
    """Several threads find the optimum under rules, and the same tree in every run."""
    for seed in range(20 * block, 20 * block + 20):
        problem, book, oracle, options, _ = _case(seed + 500_000, max_rows=13)
        best = oracle.best(oracle.everything(), 3, 8)
        runs = [
            run(ParallelTreeSearch(*problem[:5], problem.n_classes, 3, best + 10**6, threads=2, room=0, **options))
            for _ in range(2)
        ]
        assert {(one.cost, one.bound) for one in runs} == {(best, best)}, (seed, book)
        assert runs[0].splits == runs[1].splits, seed
        assert oracle.cost(runs[0].splits, 3, 8, frozenset(), True) == best, seed


def test_a_test_is_paid_once_on_a_path():
    """The second split on a column is free, and so is the second one of a group that shares a cost."""
    book = Book(
        (0, 1, 2), frozenset(), frozenset(), frozenset({0, 1, 2}), (Fees((3, 2, 0), ((frozenset({1, 2}), 5),), 9, 1),)
    )
    ruling = book.ruling()
    assert ruling.dearest(1) == 7
    assert ruling.dearest(2) == 9
    assert ruling.dearest(2, used=0b010) == 3
    assert not no_ruling(3).binds


def test_only_below_requires_a_split_that_separates_rows():
    """A tree fits the rows (a, b, class) = (4, 0, 1), (1, 2, 0), (1, 3, 1); without the first row it needs an error."""
    rank = np.array([[1, 0, 0], [0, 1, 2]], np.int32)
    none = np.full(2, -1, np.int32)
    book = Book((0, 1), frozenset(), frozenset({(1, 0)}), frozenset({0, 1}), ())
    for rows, cost in ([0, 1, 2], 0), ([1, 2], 1):
        label, weight = np.array([1, 0, 1])[rows], np.ones(len(rows), int)
        for depth in (2, 3):
            search = run(
                TreeSearch(
                    np.ascontiguousarray(rank[:, rows]), label, weight, none, none, 2, depth, 9, ruling=book.ruling()
                )
            )
            assert (search.cost, search.bound) == (cost, cost)


def test_rows_without_weight_count_as_rows():
    """Rows without weight also count for a minimum of rows per leaf."""
    none = np.full(1, -1, np.int32)
    rank, label, weight = np.arange(6, dtype=np.int32)[None], np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 2, 2, 0, 0])
    for depth in (1, 2, 3):
        search = run(TreeSearch(rank, label, weight, none, none, 2, depth, 9, least_rows=3))
        assert (search.cost, search.bound) == (0, 0)


@pytest.mark.parametrize("seed", [700_636, 701_398, 701_664, *range(700_000, 700_040)])
def test_bounds_are_valid_if_a_split_requires_another(seed):
    """Fewer rows may lose a split that another one requires; the first three seeds are regressions."""
    rng = np.random.default_rng(seed)
    n, n_orders = int(rng.integers(6, 12)), int(rng.integers(3, 5))
    values = [rng.integers(0, rng.integers(2, n), n) for _ in range(n_orders)]
    rank = np.array([np.unique(value, return_inverse=True)[1] for value in values], np.int32)
    none = np.full(n_orders, -1, np.int32)
    problem = RankProblem(rank, rng.integers(0, 2, n), np.ones(n, int), none, none, 2)
    pairs = [rng.permutation(n_orders)[:2] for _ in range(int(rng.integers(1, 3)))]
    every = range(n_orders)
    book = Book(tuple(every), frozenset(), frozenset((int(a), int(b)) for a, b in pairs), frozenset(every), ())
    oracle = RuledOracle(problem, book)
    best = oracle.best(oracle.everything(), 3, 8)
    for known in (0, best):
        search = run(TreeSearch(*problem[:5], 2, 3, best + 1, known=known, ruling=book.ruling()))
        assert (search.cost, search.bound) == (best, best)


@pytest.mark.parametrize("seed", [601_686, *range(600_000, 600_040)])
def test_bounds_are_valid_if_a_test_is_already_paid(seed):
    """A test paid above may be free below, even if the optimum is known; the first seed is a regression."""
    problem, rng = random_problem(seed, max_rows=11, max_orders=3), np.random.default_rng(seed)
    n = len(problem.label)
    problem = problem._replace(weight=np.full(n, int(rng.integers(4, 30))))
    book = random_book(rng, problem, needing=False)
    columns = range(max(book.column) + 1)
    shared = ((frozenset(columns), int(rng.integers(0, 5))),)
    fees = Fees(tuple(int(c) for c in rng.integers(0, 4, len(columns))), shared, None, 1)
    book = book._replace(not_below=frozenset(), at_root=frozenset(columns), tests=(fees,))
    tested = (rng.random(n) < 0.8).astype(int) * int(rng.integers(1, 4))
    oracle = RuledOracle(problem, book, tested=tested)
    for depth in (3, 4):
        best = oracle.best(oracle.everything(), depth, 2**depth)
        options = {"known": best, "ruling": book.ruling(), "tested": tested}
        search = run(TreeSearch(*problem[:5], problem.n_classes, depth, best + 1, **options))
        assert (search.cost, search.bound) == (best, best)
