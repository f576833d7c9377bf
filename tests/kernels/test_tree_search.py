"""The exact search, compared with the obvious recursion: optima, bounds, trees, ceilings, gaps, interruption."""

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
from tests.kernels.problems import Measured, Oracle, RankProblem, measure, random_problem, seeds


def _search(problem: RankProblem, depth: int, **options) -> TreeSearch:
    options = {"ceiling": (int(problem.weight.sum()) + 1) * options.get("unit", 1), **options}
    return TreeSearch(*problem[:5], problem.n_classes, depth, **options)


def _priced(tree: Measured, split: int, unit: int) -> int:
    """The cost of a tree, and 1 for each split if costs count in a larger unit."""
    return (tree.cost + split * tree.splits) * unit + (unit > 1) * tree.splits


def _run(search: TreeSearch, budget: int = 1) -> TreeSearch:
    while not search.advance(budget):
        pass
    return search


@pytest.mark.parametrize("block", range(case_count(4)))
def test_optimum_equals_the_oracle(block):
    """Cost, bound and tree agree with enumeration, for depth 0 to 4, weights, ties and missing values."""
    for seed in seeds(block):
        problem = random_problem(seed)
        oracle = Oracle(problem)
        for depth in range(5):
            search = _run(_search(problem, depth))
            best = oracle.best(oracle.everything(), depth)
            assert (search.cost, search.bound) == (best, best), (seed, depth)
            tree = measure(problem, search.splits)
            assert tree.cost == best, (seed, depth)
            assert tree.depth <= depth, (seed, depth)


@pytest.mark.parametrize("block", range(case_count(3)))
def test_limits_on_leaves_and_costs_of_splits_are_exact(block):
    """With any leaf limit and any split penalty, cost, bound and tree agree with enumeration."""
    for seed in seeds(block):
        problem, rng = random_problem(seed + 40000, max_rows=11, max_orders=3), np.random.default_rng(seed)
        # the search divides weights by their common factor, and the remainder of the split penalty counts in the unit
        problem = problem._replace(weight=problem.weight * int(rng.choice([1, 1, 7])))
        heaviest = int(problem.weight.max())
        for depth in (1, 2, 3, 4):
            split, leaves = int(rng.choice([0, 1, 2, heaviest])), int(rng.integers(1, 2**depth + 2))
            split = int(rng.choice([split, rng.integers(0, 2 * heaviest)]))
            unit = int(rng.choice([1, 2**depth]))
            oracle = Oracle(problem, split, unit=unit)
            best = oracle.best(oracle.everything(), depth, leaves)
            case = (seed, depth, split, leaves, unit)
            search = _run(_search(problem, depth, split=split, leaves=leaves, unit=unit))
            assert (search.cost, search.bound) == (best, best), case
            tree = measure(problem, search.splits)
            assert _priced(tree, split, unit) == best, case
            assert tree.depth <= depth, case
            assert tree.splits < leaves, case


@pytest.mark.parametrize("block", range(case_count(3)))
def test_minimum_leaf_size_is_exact(block):
    """With any minimum of rows and weight per leaf, leaf limits and split penalties, all agree with enumeration."""
    for seed in seeds(block):
        problem, rng = random_problem(seed + 60000, max_rows=13, max_orders=3), np.random.default_rng(seed)
        heaviest = int(problem.weight.max())
        for depth in (1, 2, 3, 4):
            split, leaves = int(rng.choice([0, 0, 1])), int(rng.choice([2**depth, rng.integers(1, 2**depth + 1)]))
            least_rows = int(rng.integers(1, min(5, len(problem.label)) + 1))
            least_weight = int(rng.choice([1, min(heaviest * rng.integers(1, 4), problem.weight.sum())]))
            unit = int(rng.choice([1, 2**depth]))
            oracle = Oracle(problem, split, least_rows, least_weight, unit=unit)
            best = oracle.best(oracle.everything(), depth, leaves)
            case = (seed, depth, split, leaves, least_rows, least_weight, unit)
            limits = {"leaves": leaves, "least_rows": least_rows, "least_weight": least_weight}
            search = _run(_search(problem, depth, split=split, unit=unit, **limits))
            assert (search.cost, search.bound) == (best, best), case
            tree = measure(problem, search.splits)
            assert _priced(tree, split, unit) == best, case
            assert tree.depth <= depth, case
            assert tree.splits < leaves, case
            assert tree.rows >= least_rows, case
            assert tree.weight >= least_weight, case


@pytest.mark.parametrize("block", range(case_count(2)))
def test_class_costs_are_exact(block):
    """With any costs by true and predicted class, also under leaf limits, all agree with enumeration."""
    for seed in seeds(block):
        problem, rng = random_problem(seed + 100_000, max_rows=12, max_orders=3), np.random.default_rng(seed)
        costs = rng.integers(0, 6, (problem.n_classes, problem.n_classes))
        costs -= costs.min(axis=1)[:, None]
        for depth in (1, 2, 3, 4):
            leaves, split = int(rng.choice([2**depth, rng.integers(1, 2**depth + 1)])), int(rng.integers(0, 3))
            least_rows = int(rng.integers(1, min(3, len(problem.label)) + 1))
            unit = int(rng.choice([1, 2**depth]))
            oracle = Oracle(problem, split, least_rows, costs=costs, unit=unit)
            best = oracle.best(oracle.everything(), depth, leaves)
            case = (seed, depth, leaves, split, least_rows, unit)
            options = {"ceiling": best + 10**6, "leaves": leaves, "split": split, "least_rows": least_rows}
            options["unit"] = unit
            search = _run(_search(problem, depth, costs=costs, **options))
            assert (search.cost, search.bound) == (best, best), case
            tree = measure(problem, search.splits, costs)
            assert _priced(tree, split, unit) == best, case
            assert tree.depth <= depth, case
            assert tree.splits < leaves, case
            assert tree.rows >= least_rows, case


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
            search = _run(_search(problem, depth, ceiling=ceiling, known=known, unit=unit))
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
        ceiling, highest = best + int(rng.integers(0, 4)), (int(problem.weight.sum()) + 1) * unit
        for kind, more in ((TreeSearch, {}), (ParallelTreeSearch, {"threads": 2})):
            search = kind(*problem[:5], problem.n_classes, depth, ceiling=highest, unit=unit, **more)
            for _ in range(int(rng.integers(0, 4))):
                search.advance(1)
            search.lower(ceiling)
            _run(search)
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


@pytest.mark.parametrize("seed", range(case_count(60)))
def test_the_gap_is_respected(seed):
    """With a permitted gap the cost is within it of the optimum, and the bound is valid."""
    problem = random_problem(seed + 20000, max_rows=16)
    oracle = Oracle(problem)
    best = oracle.best(oracle.everything(), 3)
    for gap in (1, 2, 5):
        search = _run(_search(problem, 3, gap=gap))
        assert search.bound <= best <= search.cost <= search.bound + gap


@pytest.mark.parametrize("seed", range(case_count(30)))
def test_bound_is_valid_at_every_step(seed):
    """After each step the bound is at most the optimum, and neither bound nor cost ever gets worse."""
    problem = random_problem(seed + 30000, max_rows=20)
    oracle = Oracle(problem)
    best = oracle.best(oracle.everything(), 3)
    search = _search(problem, 3)
    cost, bound = search.cost, search.bound
    while not search.advance(1):
        assert bound <= search.bound <= best <= search.cost <= cost
        cost, bound = search.cost, search.bound


@pytest.mark.parametrize("block", range(case_count(3)))
def test_no_bound_below_growing_ceilings_is_above_the_optimum(block):
    """With all limits, penalties and class costs, and also with threads or a better tree from outside, bounds only
    rise.
    """
    for seed in range(40 * block, 40 * block + 40):
        problem, rng = random_problem(seed + 70000, max_rows=13, max_orders=3), np.random.default_rng(seed)
        depth, classes, heaviest = int(rng.integers(3, 6)), problem.n_classes, int(problem.weight.max())
        costs = rng.integers(0, 6, (classes, classes)) if rng.random() < 0.3 else None
        if costs is not None:
            costs -= costs.min(axis=1)[:, None]
        split, leaves = int(rng.choice([0, 1, rng.integers(0, 2 * heaviest)])), int(rng.integers(2, 2**depth + 2))
        least_rows, unit = int(rng.choice([1, 1, 2, 3])), int(rng.choice([1, 2**depth]))
        if least_rows > len(problem.label):
            continue
        oracle = Oracle(problem, split, least_rows, costs=costs, unit=unit)
        best = oracle.best(oracle.everything(), depth, leaves)
        options = {"leaves": leaves, "split": split, "least_rows": least_rows, "unit": unit, "costs": costs}
        options |= {"ceiling": (int(problem.weight.sum()) * 6 + 1) * unit, "climb": True}
        threads = {"threads": 2} if rng.random() < 0.2 else {}
        search = (ParallelTreeSearch if threads else TreeSearch)(*problem[:5], classes, depth, **options, **threads)
        told, cost, bound, ended = int(rng.integers(30)), search.cost, search.bound, False
        while not ended:
            ended = search.advance(1)
            assert bound <= search.bound <= best <= search.cost <= cost, (seed, options)
            cost, bound, told = search.cost, search.bound, told - 1
            if told == 0:
                search.lower(best + 1)
        assert cost == bound == best, (seed, options)
        assert search.found == 0 or _priced(measure(problem, search.splits, costs), split, unit) == best, (
            seed,
            options,
        )


def test_a_gap_above_the_ceiling_ends_the_search():
    """A search whose ceiling rises within the permitted gap ends all the same."""
    problem = random_problem(30011, max_rows=20)
    best = Oracle(problem).best(Oracle(problem).everything(), 3)
    for gap in (1, 3, 10):
        search = _run(_search(problem, 3, gap=gap, climb=True))
        assert search.bound <= best <= search.cost <= search.bound + gap


def test_stop_keeps_incumbent_and_bound():
    """A stopped search ends at once with its best results so far."""
    problem = random_problem(77, max_rows=20)
    search = _search(problem, 4)
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
    _run(small, 10**7)
    _run(large, 10**7)
    assert small.cost == small.bound == large.cost == measure(problem, small.splits).cost
    assert small._state.heap.shape[1] > before


@pytest.mark.parametrize("block", range(case_count(2)))
def test_threads_are_exact_and_deterministic(block):
    """Several threads find the same optimum as one, under all limits, and the same tree in every run."""
    for seed in range(25 * block, 25 * block + 25):
        problem, rng = random_problem(seed + 80000, max_rows=16), np.random.default_rng(seed)
        depth = int(rng.integers(3, 5))
        leaves, split = int(rng.choice([2**depth, rng.integers(2, 2**depth)])), int(rng.integers(0, 2))
        least_rows, unit = int(rng.integers(1, min(3, len(problem.label)) + 1)), int(rng.choice([1, 2**depth]))
        options = {
            "ceiling": (int(problem.weight.sum()) + 1) * unit,
            "leaves": leaves,
            "split": split,
            "unit": unit,
            "least_rows": least_rows,
        }
        alone = _run(_search(problem, depth, **options))
        runs = [
            _run(ParallelTreeSearch(*problem[:5], problem.n_classes, depth, threads=threads, room=0, **options))
            for threads in (2, 2, 3)
        ]
        assert {(run.cost, run.bound) for run in runs} == {(alone.cost, alone.bound)}, seed
        assert runs[0].splits == runs[1].splits, seed
        tree = measure(problem, runs[0].splits)
        assert _priced(tree, split, unit) == alone.cost, seed
        assert tree.rows >= least_rows, seed


def test_threads_stop_with_what_they_have():
    """A stop before the first round leaves incumbent and bound unchanged."""
    problem = random_problem(77, max_rows=20)
    search = ParallelTreeSearch(*problem[:5], problem.n_classes, 4, ceiling=int(problem.weight.sum()) + 1, threads=2)
    cost, bound = search.cost, search.bound
    search.stop()
    assert search.advance()
    assert (search.cost, search.bound) == (cost, bound)


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
            searches = [_run(_search(problem, depth, **shape, **way), 10**6) for way in (fast, plain)]
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
        _run(TreeSearch(rank, np.arange(5) % classes, weights, none, none, classes, 3, ceiling=weight + 5))
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
