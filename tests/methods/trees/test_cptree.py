"""CPTree: the constraint model, its bounds, and its agreement with exact methods of other kinds."""

from __future__ import annotations

import threading
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solvers.constraints import KINDS, Constraint
from solvers.constraints.rules import Rules
from solvers.messages import describe_result
from solvers.methods import get
from solvers.methods.trees.cptree import CPTree
from solvers.methods.trees.cptree.questions import choose_questions
from solvers.metrics.verify import verify
from solvers.problem import Dataset, Kind, Limits, Problem, Shape
from solvers.solution import PartialScope, Progress, Scope, Status
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.constraints.trees import with_groups
from tests.methods.running import solve
from tests.oracle.trees import countable, optimum
from tests.strategies import datasets, make_dataset, objectives, shapes

WITH_BOUNDS, ALONE = CPTree(), CPTree(bounds=False)
SEEDS = st.integers(0, 2**32 - 1)


def some_constraints(dataset: Dataset, rng: np.random.Generator, most: int) -> tuple[Constraint, ...]:
    """A few constraints of random kinds that suit the table."""
    kinds = rng.choice(list(KINDS), rng.integers(0, most + 1))
    made = [example(KINDS[kind], dataset, rng) for kind in kinds]
    return tuple(constraint for constraint in made if constraint is not None)


def numbers(n_rows: int, seed: int, n_columns: int = 3) -> Dataset:
    """Integers, with two groups and a noisy class that depends on them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n_columns, n_rows))
    y = (X[0] + 2 * (X[1] > 2) + rng.normal(0, 2, n_rows) > 4).astype(int)
    columns = {f"x{j}": (Kind.NUMERIC, values) for j, values in enumerate(X)}
    return replace(make_dataset({**columns, "sex": (Kind.BINARY, rng.integers(0, 2, n_rows))}, y), positive=1)


def least_errors_with_parity(bits: np.ndarray, y: np.ndarray, group: np.ndarray, gap: Fraction) -> int:
    """The fewest errors of a tree of depth two whose rates of positive predictions differ by at most `gap`."""
    n_in, n_out = int(group.sum()), int((~group).sum())
    best = len(y)
    for a, b, c in product(range(bits.shape[1]), repeat=3):
        leaf = np.where(bits[:, a], bits[:, b], 2 + bits[:, c])
        by_leaf = [np.bincount(leaf[rows], minlength=4) for rows in (y == 0, y == 1, group, ~group)]
        for answers in product((0, 1), repeat=4):
            positive = np.array(answers, bool)
            errors = int(by_leaf[0][positive].sum() + by_leaf[1][~positive].sum())
            inside, outside = int(by_leaf[2][positive].sum()), int(by_leaf[3][positive].sum())
            if errors < best and abs(Fraction(inside, n_in) - Fraction(outside, n_out)) <= gap:
                best = errors
    return best


class TestAgreement:
    """The same optima as methods that share nothing with this one."""

    @pytest.mark.parametrize("method", [WITH_BOUNDS, ALONE], ids=["with bounds", "alone"])
    @settings(derandomize=True, deadline=None, max_examples=case_count(80))
    @given(dataset=datasets(max_rows=8), seed=SEEDS, data=st.data())
    def test_the_oracle_under_constraints(
        self, method: CPTree, dataset: Dataset, seed: int, data: st.DataObject
    ) -> None:
        """Under any few constraints the optimum is that of the oracle, or both find that there is none."""
        rng = np.random.default_rng(seed)
        dataset = with_groups(dataset, rng)
        objective, shape = data.draw(objectives(dataset.n_classes)), data.draw(shapes(max_depth=2))
        problem = Problem(dataset, shape, objective, some_constraints(dataset, rng, 3))
        assume(not method.check(problem) and countable(problem))
        best, found = optimum(problem), solve(method, problem).solution
        assert found.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)
        assert found.cost == (None if best is None else best[0])
        assert verify(problem, found).ok
        if found.details.fewest_splits:
            assert found.diagram.n_splits == best[1]

    @pytest.mark.parametrize("seed", range(case_count(3)))
    def test_parity_on_hundreds_of_rows(self, seed: int) -> None:
        """Under demographic parity, whose sums have large coefficients, the optimum is that of exhaustive search.

        One step of the presolve of OR-Tools 9.15 cut off solutions of such models (its issue 5293).
        """
        rng = np.random.default_rng(seed)
        bits = rng.integers(0, 2, (400, 8)).astype(bool)
        sex = rng.random(400) < 0.3
        y = (bits[:, :3].sum(axis=1) + sex + rng.normal(0, 1, 400) > 2).astype(int)
        columns = {f"x{j}": (Kind.BINARY, bits[:, j].astype(int)) for j in range(8)}
        dataset = make_dataset({**columns, "sex": (Kind.BINARY, sex.astype(int))}, y)
        constraint = KINDS["demographic-parity"]("sex", Fraction(1, 100))
        problem = Problem(replace(dataset, positive=1), Shape(max_depth=2), constraints=(constraint,))
        solution = solve(WITH_BOUNDS, problem).solution
        expected = least_errors_with_parity(np.column_stack([bits, sex]), y, sex, Fraction(1, 100))
        assert (solution.status, solution.cost) == (Status.OPTIMAL, expected)


class TestInfeasible:
    """There is no tree, and the result says so."""

    def test_constraints_that_exclude_each_other(self) -> None:
        """Two columns must appear and one may: no cheap check detects it, the search proves it."""
        dataset = make_dataset({"a": (Kind.BINARY, [0, 1, 1]), "b": (Kind.BINARY, [0, 0, 1])}, [0, 1, 1])
        constraints = (KINDS["must-appear"]("b"), KINDS["asked-before"]("a", "b"), KINDS["max-columns"](1))
        for method in (WITH_BOUNDS, ALONE):
            plain = solve(method, Problem(dataset, Shape(max_depth=2), constraints=constraints)).solution
            assert plain.status is Status.OPTIMAL, "b alone keeps all of them"
            both = (*constraints, KINDS["must-appear"]("a"))
            problem = Problem(dataset, Shape(max_depth=2), constraints=both)
            solution = solve(method, problem).solution
            assert (solution.status, solution.diagram, solution.cost) == (Status.INFEASIBLE, None, None)
            assert describe_result(problem, solution).startswith("No tree")

    def test_binned_thresholds_prove_nothing_about_the_others(self) -> None:
        """If thresholds were left out, infeasibility with the remaining ones does not mean that there is no tree."""
        dataset = make_dataset({"x": (Kind.NUMERIC, range(8))}, [1, 0, 0, 0, 0, 0, 0, 0])
        problem = Problem(dataset, Shape(max_depth=1), constraints=(KINDS["max-errors"](0),))
        assert solve(CPTree(), problem).solution.cost == 0
        coarse = solve(CPTree(bins="2"), problem).solution
        assert coarse.status is Status.NO_SOLUTION
        assert coarse.details.part == PartialScope(Scope.QUANTILES, 1, bound=coarse.details.part.bound, proved=True)
        assert coarse.bound == 0
        assert " among 1 split (thresholds at quantiles) satisfies all constraints (proved)." in describe_result(
            problem, coarse
        )


class TestSplits:
    """The selected splits."""

    def test_few_thresholds_are_all_used(self) -> None:
        """Up to the limit nothing is left out, and the proof covers all trees."""
        questions = choose_questions(numbers(30, 0), Rules())
        assert questions.complete and len(questions.predicates) == 16

    def test_many_thresholds_are_thinned_and_reported(self) -> None:
        """Beyond it quantiles are used; the tree is optimal among these, and the lower bound covers all trees."""
        rng = np.random.default_rng(0)
        columns = {f"x{j}": (Kind.NUMERIC, rng.permutation(40)) for j in range(3)}
        problem = Problem(make_dataset(columns, rng.integers(0, 2, 40)), Shape(max_depth=2))
        solution, exact = solve(WITH_BOUNDS, problem).solution, solve(get("contree"), problem).solution
        assert solution.stats["questions"] == 27 and solution.stats["bins"] == 10
        assert solution.status is Status.FEASIBLE
        assert solution.bound <= exact.cost <= solution.cost
        assert "Optimal among 27 splits" in describe_result(problem, solution)
        everything = solve(CPTree(bins="all"), problem).solution
        assert (everything.status, everything.cost) == (Status.OPTIMAL, exact.cost)


class TestRunning:
    """Messages during a run, and how it ends."""

    def test_the_exact_search_gives_an_early_bound(self) -> None:
        """Before CP-SAT starts, the exact search bounds the cost within one of the optimum."""
        dataset = numbers(80, 3)
        constraint = KINDS["demographic-parity"]("sex", Fraction(1, 50))
        problem = Problem(dataset, Shape(max_depth=3), constraints=(constraint,))
        events: list = []
        stop = threading.Event()

        def emit(event: object) -> None:
            events.append(event)
            if isinstance(event, Progress) and event.text.startswith("Building"):
                stop.set()

        solution = WITH_BOUNDS.run(problem, Limits(), emit, stop)
        optimum = solve(get("contree"), problem).solution
        assert optimum.status is Status.OPTIMAL
        free = solve(get("contree"), Problem(dataset, Shape(max_depth=3))).solution
        assert free.cost <= solution.bound <= optimum.cost
        assert solution.bound >= optimum.cost - 1
        assert solution.status in (Status.CANCELLED, Status.OPTIMAL)

    def test_too_many_levels_are_refused(self) -> None:
        """A deep tree is refused with a remedy, unless few leaves or rows keep it shallow."""
        dataset = numbers(60, 0)
        (reason,) = WITH_BOUNDS.check(Problem(dataset, Shape(max_depth=9)))
        assert "9 levels" in reason.what and "limit the leaves to 7" in reason.remedy
        assert WITH_BOUNDS.check(Problem(dataset, Shape(max_depth=9, max_leaf_nodes=7))) == ()
        assert WITH_BOUNDS.check(Problem(dataset, Shape(max_depth=9, min_samples_leaf=10))) == ()
