"""The exact search, compared with the obvious recursion: optima, bounds, trees, ceilings, gaps, interruption."""

from typing import Any

import numpy as np
import pytest

from solvers.kernels.control import SPLIT, UNIT
from solvers.kernels.depth_two import depth_two
from solvers.kernels.parallel_search import ParallelTreeSearch
from solvers.kernels.path_rules import no_ruling
from solvers.kernels.search import resume
from solvers.kernels.tree_search import TreeSearch, compile_loop, link
from solvers.kernels.workspace import scan_space, search_state, sorted_rows
from solvers.magnitude import width
from tests.case_count import case_count
from tests.kernels.problems import Measured, Oracle, RankProblem, measure, random_problem, run, seeds


def _search(problem: RankProblem, depth: int, kind: type[TreeSearch] = TreeSearch, **options) -> TreeSearch:
    options = {"ceiling": (int(problem.weight.sum()) * 6 + 1) * options.get("unit", 1), **options}
    return kind(*problem[:5], problem.n_classes, depth, **options)


def _priced(tree: Measured, split: int, unit: int, free: bool) -> int:
    """The cost of a tree, and 1 for each split if costs count in a larger unit."""
    charged = max(0, tree.splits - 1) if free else tree.splits
    return (tree.cost + split * charged) * unit + (unit > 1) * tree.splits


def _limits(rng: np.random.Generator, problem: RankProblem, depth: int) -> dict[str, Any]:
    """Class costs, split penalties, unit, leaf limit and minimum leaf size, each of them often without effect."""
    heaviest, n, costs = int(problem.weight.max()), len(problem.label), None
    if rng.random() < 0.3:
        costs = rng.integers(0, 6, (problem.n_classes, problem.n_classes))
        costs -= costs.min(axis=1)[:, None]
    return {
        "costs": costs,
        "split": int(rng.choice([0, 0, 1, 2, heaviest, rng.integers(0, 2 * heaviest)])),
        "unit": int(rng.choice([1, 2**depth])),
        "leaves": int(rng.choice([2**depth, rng.integers(1, 2**depth + 2)])),
        "least_rows": int(rng.choice([1, rng.integers(1, min(5, n) + 1)])),
        "least_weight": int(rng.choice([1, min(heaviest * rng.integers(1, 4), problem.weight.sum())]))
        if costs is None
        else 1,
        "free": bool(rng.random() < 0.3),
    }


def _oracle(problem: RankProblem, limits: dict[str, Any]) -> Oracle:
    return Oracle(problem, **{name: value for name, value in limits.items() if name != "leaves"})


def _assert_allowed(problem: RankProblem, search: TreeSearch, depth: int, limits: dict[str, Any]) -> None:
    """The tree of a search has the cost that the search reports, and satisfies all limits."""
    tree = measure(problem, search.splits, limits["costs"])
    assert _priced(tree, limits["split"], limits["unit"], limits["free"]) == search.cost
    assert tree.depth <= depth and tree.splits < limits["leaves"]
    assert tree.rows >= limits["least_rows"] and tree.weight >= limits["least_weight"]


@pytest.mark.parametrize("block", range(case_count(8)))
def test_optimum_equals_the_oracle(block):
    """Cost, bound and tree agree with enumeration, with weights, ties, missing values, and all limits and costs."""
    for seed in seeds(block):
        rng, plain = np.random.default_rng(seed), seed % 4 == 0
        problem = random_problem(seed) if plain else random_problem(seed, max_rows=13, max_orders=3)
        # the search divides weights by their common factor, and the remainder of the split penalty counts in the unit
        problem = problem._replace(weight=problem.weight * int(rng.choice([1, 1, 7])))
        for depth in range(5):
            limits = _limits(rng, problem, depth)
            if plain:
                limits = dict.fromkeys(limits, 1) | {"costs": None, "split": 0, "leaves": 2**depth, "free": False}
            oracle = _oracle(problem, limits)
            best = oracle.optimum(depth, limits["leaves"])
            search = run(_search(problem, depth, **limits))
            assert (search.cost, search.bound) == (best, best), (seed, depth, limits)
            _assert_allowed(problem, search, depth, limits)


@pytest.mark.parametrize("block", range(case_count(2)))
def test_ceiling_and_known_bound_change_nothing(block):
    """With any ceiling the search finds the optimum below it, or proves that there is none; bounds stay valid."""
    for seed in seeds(block):
        problem, rng = random_problem(seed + 5000), np.random.default_rng(seed)
        unit = int(rng.choice([1, 16]))
        oracle = Oracle(problem, unit=unit)
        for depth in (2, 3, 4):
            best = oracle.best(oracle.everything(), depth)
            ceiling, known = best + int(rng.integers(-2, 4)), max(0, best - int(rng.integers(0, 3)))
            if ceiling <= known:
                continue
            search = run(_search(problem, depth, ceiling=ceiling, known=known, unit=unit))
            assert search.cost == min(best, ceiling), (seed, depth)
            assert min(best, ceiling) == search.bound, (seed, depth)
            assert (search.found > 0) == (best < ceiling), (seed, depth)


@pytest.mark.parametrize("block", range(case_count(2)))
def test_the_ceiling_may_be_lowered_during_a_search(block):
    """The search proves or improves a tree found elsewhere, with one thread and with two."""
    for seed in seeds(block):
        problem, rng = random_problem(seed + 6000), np.random.default_rng(seed)
        depth, unit = int(rng.integers(3, 5)), int(rng.choice([1, 16]))
        oracle = Oracle(problem, unit=unit)
        best = oracle.best(oracle.everything(), depth)
        ceiling = best + int(rng.integers(0, 4))
        for kind, more in ((TreeSearch, {}), (ParallelTreeSearch, {"threads": 2})):
            search = _search(problem, depth, kind, unit=unit, **more)
            for _ in range(int(rng.integers(0, 4))):
                search.advance(1)
            search.lower(ceiling)
            run(search)
            assert search.cost == search.bound == best, (seed, depth)


@pytest.mark.parametrize("seed", range(case_count(60)))
def test_bounds_by_root_order_are_valid(seed):
    """The depth-two solver never passes on a bound for a root order above the truth, trivial splits included."""
    problem, rng = random_problem(seed + 9000), np.random.default_rng(seed)
    split = int(rng.choice([0, 1, 2, rng.integers(0, int(problem.weight.sum()) // 4 + 1)]))
    leaves, unit = int(rng.integers(2, 5)), int(rng.choice([1, 4]))
    oracle = Oracle(problem, split, unit=unit)
    n_orders, n = problem.rank.shape
    lane = width(int(problem.weight.sum()) + split)
    rows = sorted_rows(problem.rank, problem.label, problem.weight, problem.twin, problem.missing, 1)
    scan, lanes = scan_space(n_orders, n, problem.n_classes, lane)
    state, ruling = search_state(n_orders, n, 2, 1), no_ruling(n_orders)
    state.control[SPLIT], state.control[UNIT] = oracle.split, unit
    link(rows, scan, lanes, state, ruling, sides=True, sized=False)
    everything = oracle.everything()
    best = oracle.best(everything, 2, leaves)
    truth = [oracle.rooted(everything, 2, f, leaves) for f in range(n_orders)]
    bounds = state.inherited[0]
    bounds[:] = [max(0, t - int(rng.integers(0, 4))) for t in truth]
    ceiling = int(best + rng.integers(-2, 5))
    value, size = depth_two(rows, scan, lanes, state, ruling, (0, 0, n), 0, ceiling, 0, 2, leaves, False)
    assert value == best if best < ceiling else ceiling <= value <= best
    assert (size > 0) == (best < ceiling)
    assert all(bound <= true for bound, true in zip(bounds, truth, strict=True))


@pytest.mark.parametrize("seed", [10011, *range(case_count(60))])
@pytest.mark.parametrize("climb", [False, True])
def test_the_gap_is_respected(seed, climb):
    """With a permitted gap, even above the ceiling, the cost is within it of the optimum, and the bound is valid."""
    problem = random_problem(seed + 20000, max_rows=20)
    oracle = Oracle(problem)
    best = oracle.best(oracle.everything(), 3)
    for gap in (1, 3, 10):
        search = run(_search(problem, 3, gap=gap, climb=climb))
        assert search.bound <= best <= search.cost <= search.bound + gap


@pytest.mark.parametrize("block", range(case_count(3)))
def test_bounds_are_valid_at_every_step(block):
    """With all limits and costs, below a fixed or growing ceilings, in both orders of splits, and also with threads or
    a better tree from outside, no bound is above the optimum, and neither bound nor cost ever gets worse.
    """
    for seed in range(40 * block, 40 * block + 40):
        problem, rng = random_problem(seed + 70000, max_rows=13, max_orders=3), np.random.default_rng(seed)
        depth = int(rng.integers(3, 6))
        limits, ways = _limits(rng, problem, depth), {"climb": bool(rng.random() < 0.7)}
        ways["purest_first"] = bool(rng.random() < 0.5)
        oracle = _oracle(problem, limits)
        best = oracle.optimum(depth, limits["leaves"])
        kind, threads = (ParallelTreeSearch, {"threads": 2}) if rng.random() < 0.2 else (TreeSearch, {})
        search = _search(problem, depth, kind, **ways, **limits, **threads)
        left, cost, bound, ended = int(rng.integers(30)), search.cost, search.bound, False
        while not ended:
            ended = search.advance(1)
            assert bound <= search.bound <= best <= search.cost <= cost, (seed, limits)
            cost, bound, left = search.cost, search.bound, left - 1
            if left == 0:
                search.lower(best + 1)
        assert cost == bound == best, (seed, limits)
        if search.found:
            _assert_allowed(problem, search, depth, limits)


@pytest.mark.parametrize(("kind", "threads", "steps"), [(TreeSearch, {}, 1), (ParallelTreeSearch, {"threads": 2}, 0)])
def test_stop_keeps_incumbent_and_bound(kind, threads, steps):
    """A stopped search ends at once with its best results so far."""
    problem = random_problem(77, max_rows=20)
    search = _search(problem, 4, kind, **threads)
    for _ in range(steps):
        search.advance(1)
    cost, bound = search.cost, search.bound
    search.stop()
    assert search.advance(10**9)
    assert (search.cost, search.bound) == (cost, bound)


@pytest.mark.parametrize("depth", [3, 4])
def test_memory_grows_when_needed(depth):
    """A search that outgrows its first allocation continues and proves the optimum."""
    rng, none = np.random.default_rng(0), np.full(2, -1, np.int32)
    rank = np.array([rng.permutation(80) for _ in none], np.int32)
    problem = RankProblem(rank, rng.integers(0, 2, 80), np.ones(80, int), none, none, 2)
    small, large = _search(problem, depth, room=0), _search(problem, depth)
    before = small._state.heap.shape[1]
    run(small, 10**7)
    run(large, 10**7)
    assert small.cost == small.bound == large.cost == measure(problem, small.splits).cost
    assert small._state.heap.shape[1] > before


@pytest.mark.parametrize("block", range(case_count(2)))
def test_threads_are_exact_and_deterministic(block):
    """Several threads find the same optimum as one, under all limits, and the same tree in every run."""
    for seed in range(25 * block, 25 * block + 25):
        problem, rng = random_problem(seed + 80000, max_rows=16), np.random.default_rng(seed)
        depth = int(rng.integers(3, 5))
        limits = _limits(rng, problem, depth)
        alone = run(_search(problem, depth, **limits))
        runs = [run(_search(problem, depth, ParallelTreeSearch, threads=n, room=0, **limits)) for n in (2, 2, 3)]
        assert {(one.cost, one.bound) for one in runs} == {(alone.cost, alone.bound)}, seed
        assert runs[0].splits == runs[1].splits, seed
        _assert_allowed(problem, runs[0], depth, limits)


@pytest.mark.parametrize("block", range(case_count(2)))
def test_intervals_of_positions_give_valid_bounds(block):
    """With more positions than lanes, scans for a minimum leaf size equal plain scans (for class costs, or two
    minima).
    """
    for seed in range(25 * block, 25 * block + 25):
        rng = np.random.default_rng(seed + 900_000)
        n, n_orders = int(rng.integers(40, 140)), int(rng.integers(2, 5))
        values = [rng.integers(0, rng.integers(n // 2, 2 * n), n) for _ in range(n_orders)]
        rank = np.array([np.unique(value, return_inverse=True)[1] for value in values], np.int32)
        none = np.full(n_orders, -1, np.int32)
        weight = rng.integers(1, 4, n) if rng.random() < 0.4 else np.ones(n, int)
        problem = RankProblem(rank, rng.integers(0, 2, n), weight, none, none, 2)
        depth = int(rng.integers(2, 4))
        shape = {"split": int(rng.integers(0, 2)), "leaves": int(rng.integers(3, 2**depth + 1))}
        least = int(rng.integers(7, n // 4 + 7))
        errors = 1 - np.eye(2, dtype=int)
        pairs = (
            ({"least_rows": least}, {"least_rows": least, "costs": errors}),
            # rows weigh at most 3, so two of them never weigh 7
            ({"least_weight": least}, {"least_weight": least, "least_rows": 2}),
        )
        for fast, plain in pairs:
            searches = [run(_search(problem, depth, **shape, **way), 10**6) for way in (fast, plain)]
            assert searches[0].cost == searches[0].bound == searches[1].cost == searches[1].bound, (seed, fast)
            tree = measure(problem, searches[0].splits)
            assert tree.cost + shape["split"] * tree.splits == searches[0].cost, (seed, fast)
            assert tree.rows >= fast.get("least_rows", 1), (seed, fast)
            assert tree.weight >= fast.get("least_weight", 1), (seed, fast)


def test_the_precompiled_loop_is_the_one_that_searches() -> None:
    """For two or three classes and sums of any width, a search compiles no other types."""
    compile_loop()
    compiled = set(resume.signatures)
    rank, none = np.array([[0, 1, 2, 3, 4]], np.int32), np.zeros(1, np.int32)
    for classes, weight in ((2, 1), (3, 1), (3, 2), (2, 10**6), (3, 10**12)):
        weights = np.array([weight, 1, 1, 1, 1])
        run(TreeSearch(rank, np.arange(5) % classes, weights, none, none, classes, 3, ceiling=weight + 5))
    assert set(resume.signatures) == compiled


@pytest.mark.parametrize(("n", "whole"), [(1 << 16, 1 << 16), ((1 << 16) + 1,) * 2, (1000, 1 << 18)])
def test_rows_are_sorted_by_rank_and_then_class(n: int, whole: int) -> None:
    """Also if ranks need more than 16 bits, as in a few rows of many; rows of equal rank are sorted by class."""
    random = np.random.default_rng(n)
    rank = np.stack([random.permutation(whole)[:n], random.integers(0, 5, n)]).astype(np.int32)
    label, none = random.integers(0, 3, n), np.full(2, -1, np.int32)
    rows = sorted_rows(rank, label, np.ones(n, np.int64), none, none, 1)
    for f in range(2):
        ids = rows.words[0, f] >> 8
        assert (ids == np.lexsort((label, rank[f]))).all()
        assert (rows.ranks[0, f] == rank[f, ids]).all()
        assert (rows.words[0, f] >> 1 & 63 == label[ids]).all()
