"""BDDs by SAT and MaxSAT: proofs agree with enumeration, and messages are correct."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.diagram import Diagram, Split
from solvers.errors import UnsupportedError
from solvers.messages import describe_result
from solvers.methods import get
from solvers.methods.bdds.sat import method as sat
from solvers.methods.bdds.sat.formulation import BddModel, size_of
from solvers.methods.bdds.sat.method import features_of_cart
from solvers.methods.features import features_of
from solvers.methods.sat import linear, refusals, search
from solvers.metrics.verify import verify
from solvers.problem import Limits, Objective, Problem, Schema, Shape
from solvers.solution import EndReason, FewestQuestions, Log, Scope, Solution, Status
from tests.case_count import case_count
from tests.methods.bdds.binary_tables import bdd, binary_tables, table
from tests.methods.running import solve
from tests.oracle.diagrams import bdd_least_cost

FEW = settings(derandomize=True, deadline=None, max_examples=case_count(40))
UNSEEN = st.sampled_from(("merge", "parent", "solved"))


def least_depth(problem: Problem) -> int:
    """The least number of features without avoidable errors."""
    deeper = (replace(problem, shape=replace(problem.shape, max_depth=depth)) for depth in range(21))
    return next(p.shape.max_depth for p in deeper if bdd_least_cost(p) == problem.unavoidable_cost)


def n_asked(diagram: Diagram) -> int:
    """The number of different splits of a diagram."""
    return len({node.predicate for node in diagram.nodes if isinstance(node, Split)})


def assert_verified(problem: Problem, solution: Solution) -> None:
    """The verifier has no objection."""
    assert verify(problem, solution).failures == ()


class TestOptima:
    """Proofs agree with enumeration."""

    @settings(derandomize=True, deadline=None, max_examples=case_count(60))
    @given(problem=binary_tables(), unseen=UNSEEN)
    def test_maxsat_bdd_equals_enumeration(self, problem: Problem, unseen: str) -> None:
        """The least cost over all sets of at most H features, with weights, class costs and several classes."""
        solution = solve(get("bdd-maxsat", empty_cells=unseen), problem).solution
        assert_verified(problem, solution)
        assert solution.status is Status.OPTIMAL
        assert solution.cost == bdd_least_cost(problem)
        assert n_asked(solution.diagram) <= problem.shape.max_depth

    @settings(derandomize=True, deadline=None, max_examples=case_count(60))
    @given(problem=binary_tables(), unseen=UNSEEN)
    def test_sat_bdd_equals_enumeration(self, problem: Problem, unseen: str) -> None:
        """The least number of features without avoidable errors; if the depth is too small, the fewest errors."""
        solution = solve(get("bdd-sat", empty_cells=unseen), problem).solution
        features = features_of(problem)
        assert_verified(problem, solution)
        assert solution.status is Status.OPTIMAL
        assert solution.cost == bdd_least_cost(problem)
        least = least_depth(problem)
        assert (solution.cost == features.cases.base) == (least <= problem.shape.max_depth)
        if least <= problem.shape.max_depth:
            assert solution.details.fewest_questions == FewestQuestions(least, least)
            words = describe_result(problem, solution)
            assert f"A BDD of {least} split" in words
            assert "proved" in words or "always correct" in words
            assert n_asked(solution.diagram) <= least
        else:
            assert solution.details.fewest_questions.too_few
            assert f"Every BDD of at most {problem.shape.max_depth} split" in describe_result(problem, solution)
            assert [tried["holds"] for tried in solution.stats["depths"]] == [False] * len(solution.stats["depths"])

    def test_three_rows_that_agree_in_pairs(self) -> None:
        """Rows of which any two have a best class in common, but not all three, must be separated too."""
        problem = bdd(table(np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0]]), [0, 1, 2]), 2)
        costs = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
        solution = solve(get("bdd-sat"), replace(problem, objective=Objective(class_costs=costs))).solution
        assert (solution.cost, solution.details.fewest_questions) == (0, FewestQuestions(1, 1))

    @FEW
    @given(problem=binary_tables(max_rows=40, max_columns=8), unit=st.sampled_from([1, 3]))
    def test_turns_of_any_length_prove_the_same(self, problem: Problem, unit: int) -> None:
        """If the core-guided search stops after a few cores, the search from above closes the gap, in any unit."""
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(search, "FIRST_SLICE", unit)
            patched.setattr(sat, "greedy_questions", lambda features, depth: np.arange(depth))
            patched.setattr(linear, "MOST_SUMS", unit)
            solution = solve(get("bdd-maxsat"), problem).solution
        assert_verified(problem, solution)
        assert (solution.status, solution.cost) == (
            Status.OPTIMAL,
            bdd_least_cost(problem),
        )


@FEW
@given(problem=binary_tables(max_columns=8))
def test_the_heuristic_is_optimal_among_the_splits_of_a_cart_tree(problem: Problem) -> None:
    """The cost is the least over the columns of the tree, and the result says that others were left out."""
    solution = solve(get("bdd-maxsat", candidates="cart"), problem).solution
    assert_verified(problem, solution)
    every = chosen = features_of(problem)
    if depth := min(problem.shape.max_depth, len(every)):
        chosen = features_of_cart(problem, every, depth, 0)
    data = problem.dataset
    columns = [data.schema.index(predicate.column) for predicate in chosen.predicates]
    schema = Schema(tuple(data.schema.columns[j] for j in columns), data.schema.missing)
    fewer = replace(problem, dataset=replace(data, schema=schema, X=data.X[:, columns]))
    assert solution.cost == (bdd_least_cost(fewer) if columns else problem.unavoidable_cost)
    left_out = len(chosen) < len(every) and solution.cost != problem.unavoidable_cost
    assert solution.scope is (Scope.CART if left_out else None)


class TestMessages:
    """Messages during a run, and when it ends."""

    def test_parity_needs_all_its_splits(self) -> None:
        """Lower depths are refuted and reported one by one; the bound rises when the last one is refuted."""
        bits = np.array(list(product((0, 1), repeat=4)))
        y = (bits.sum(axis=1) % 2).tolist()
        problem = bdd(table(bits, y), 6)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sat, "greedy_questions", lambda features, depth: np.zeros(0, np.int64))
            run = solve(get("bdd-sat"), problem)
        assert [(tried["depth"], tried["holds"]) for tried in run.solution.stats["depths"]] == [(4, True), (3, False)]
        assert [event.text for event in run.events if isinstance(event, Log)] == [
            "A BDD of 4 splits without avoidable errors: there is one.",
            "A BDD of 3 splits without avoidable errors: refuted.",
        ]
        assert (
            describe_result(problem, run.solution) == "A BDD of 4 splits makes no error, and none with fewer splits "
            "does (proved). Only 4 different splits distinguish rows, so 6 levels are not needed."
        )
        known = solve(get("bdd-sat"), problem).solution
        assert [(tried["depth"], tried["holds"]) for tried in known.stats["depths"]] == [(3, False)]
        assert known.details == run.solution.details
        shallow = solve(get("bdd-sat"), bdd(table(bits, y), 3))
        assert (shallow.solution.cost, shallow.bounds[0], shallow.bounds[-1]) == (8, 1, 8)
        words = describe_result(bdd(table(bits, y), 3), shallow.solution)
        assert "Every BDD of at most 3 splits makes avoidable errors (proved)." in words

    @pytest.mark.parametrize("name", ["bdd-sat", "bdd-maxsat"])
    def test_formulas_beyond_the_memory_are_refused(self, name: str) -> None:
        """A formula beyond the memory is refused before it is built, with the number of literals and a remedy."""
        rng = np.random.default_rng(1)
        method = get(name)
        dataset = table(rng.integers(0, 2, (6000, 60)), rng.integers(0, 2, 6000).tolist())
        problem = Problem(dataset, Shape(kind=method.kinds[0], max_depth=8))
        with pytest.raises(UnsupportedError, match=r"literals and need about .* MiB; .* Lower the depth"):
            solve(method, problem, Limits(memory_mb=256))

    def test_deeper_formulas_beyond_the_memory_end_the_run(self) -> None:
        """Depths refuted before are still reported."""
        bits = np.array(list(product((0, 1), repeat=10)))
        problem = bdd(table(bits, (bits.sum(axis=1) % 2).tolist()), 9)
        limits = Limits()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(refusals, "BYTES_A_LITERAL", 3600)
            patched.setattr(sat, "FIRST_DEPTH", 2)
            run = solve(get("bdd-sat"), problem, limits)
        solution = run.solution
        assert_verified(problem, solution)
        tried = [(depth["depth"], depth["holds"]) for depth in solution.stats["depths"]]
        assert tried == [(depth, False) for depth in range(2, 2 + len(tried))] and 2 <= len(tried) < 8
        assert solution.ended is EndReason.MEMORY_LIMIT
        assert solution.details.fewest_questions == FewestQuestions(2 + len(tried))
        log = [event.text for event in run.events if isinstance(event, Log)]
        assert log[-1] == f"A formula for {2 + len(tried)} splits would need more memory than the limit."
        words = describe_result(problem, solution, limits)
        assert f"At least {2 + len(tried)} splits are needed to avoid all errors." in words
        assert f"Memory limit of {limits.memory_mb} MiB reached" in words


@pytest.mark.parametrize(("n_columns", "depth"), [(1, 1), (2, 2), (4, 2), (5, 3)])
def test_size_in_closed_form(n_columns: int, depth: int) -> None:
    """Variables, clauses and literals are those of `size_of`, soft or hard, without selectors."""
    bits = np.array(list(product((0, 1), repeat=n_columns)))
    features = features_of(bdd(table(bits, (bits.sum(axis=1) % 2).tolist()), depth))
    n_rows = len(features.cases)
    size = size_of(n_rows, n_columns, depth)
    soft = BddModel(features, depth, soft=True).formula
    assert soft.size == size
    assert BddModel(features, depth, soft=False).formula.size == replace(size, soft_clauses=0)
    assert sum(len(c) for chunk in soft.chunks() for c in chunk) == size.literals + size.soft_clauses
    assert soft.n_variables == size.variables + n_rows
