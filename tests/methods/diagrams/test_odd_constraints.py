"""Constraints and weighted sums in the linear program of decision diagrams."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import KINDS
from solvers.diagram import Split
from solvers.messages import describe_result
from solvers.methods import get
from solvers.methods.diagrams.odd.method import Odd
from solvers.methods.diagrams.terms import LEAST_MARGIN, terms_of, widest
from solvers.metrics import verify
from solvers.problem import (
    Kind,
    Limits,
    Objective,
    Problem,
    Shape,
)
from solvers.problem.skeleton import PRESETS
from solvers.solution import Status
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.constraints.trees import with_groups
from tests.methods.diagrams.small_diagrams import (
    WARD,
    diagrams,
    least,
    proved,
    questions,
    weighted_sums,
)
from tests.methods.running import solve
from tests.strategies import make_dataset

NAN = float("nan")
SEEDS = st.integers(0, 2**32 - 1)


class TestConstraints:
    """Fairness, parsimony and stability."""

    def test_sums_beyond_64_bits_are_refused(self) -> None:
        """A comparison of groups whose sums approach the 64-bit limit is refused with a remedy, not miscounted."""
        rng = np.random.default_rng(0)
        table = make_dataset({"x": (Kind.NUMERIC, range(12)), "sex": (Kind.BINARY, [0, 1] * 6)}, rng.integers(0, 2, 12))
        heavy = replace(table, positive=1, weight=150_000_001.0 + np.arange(12))
        constraint = KINDS["demographic-parity"](column="sex", difference=Fraction(123_457, 10**6))
        for weights, refused in ((table.weight, False), (heavy.weight, True)):
            problem = Problem(replace(heavy, weight=weights), diagrams(1, 2), constraints=(constraint,))
            reasons = " ".join(map(str, get("odd-search").check(problem)))
            assert ("counts exactly up to" in reasons and "fewer decimals" in reasons) == refused

    def test_impossible_constraints(self) -> None:
        """Infeasibility is proved, also if models grow."""
        constraints = (KINDS["max-errors"](3), KINDS["max-questions"](1))
        problem = Problem(WARD, diagrams(1, 2), Objective(split_penalty=0.5), constraints)
        solution = solve(Odd(), problem).solution
        assert solution.status is Status.INFEASIBLE and "satisfies all constraints" in describe_result(
            problem, solution
        )
        assert verify(problem, solution).ok

    def test_path_costs_in_large_skeletons_are_refused(self) -> None:
        """The cost of a path is posted for every path through the skeleton, so their number is limited."""
        constraint = KINDS["max-path-cost"]({"fever": 1, "pain": 2}, 2)
        reasons = Odd().check(Problem(WARD, Shape(kind="diagram", max_depth=8), constraints=(constraint,)))
        assert "paths through the skeleton" in reasons[0].reason
        assert Odd().check(Problem(WARD, PRESETS["I"].shape(), constraints=(constraint,))) == ()


ABOUT_ONE_COLUMN = ("only-after", "thresholds-within", "round-thresholds", "first-question")
"""Kinds for which the enumeration, with one split per partition of the rows, is not complete."""


class TestWeightedSums:
    """Splits that combine columns."""

    @settings(derandomize=True, deadline=None, max_examples=case_count(8))
    @given(seed=SEEDS, most=st.sampled_from([2, None]), name=st.sampled_from(["odd", "odd-search"]))
    def test_splits_respect_margin_and_limit(self, seed: int, most: int | None, name: str) -> None:
        """In the user's units every sum has the margin, and at most the permitted number of columns."""
        rng = np.random.default_rng(seed)
        units = (1.0, 1e-3, 1e5)
        columns = {f"x{j}": (Kind.NUMERIC, rng.random(10) * units[j] + 37 * units[j]) for j in range(3)}
        columns["ward"] = (Kind.CATEGORICAL, rng.integers(0, 3, 10).astype(float))
        dataset = make_dataset(columns, rng.integers(0, 2, 10))
        problem = Problem(dataset, diagrams(1, 2, split_features=most), Objective(split_penalty=1))
        solution = solve(get(name), problem, Limits(seconds=20)).solution
        assert verify(problem, solution).ok
        terms, predicates = terms_of(problem), [n.predicate for n in solution.diagram.nodes if isinstance(n, Split)]
        reach = solution.diagram.reach(dataset)
        for i, question in enumerate(predicates):
            assert terms.margin(question, np.flatnonzero(reach[:, i])) >= LEAST_MARGIN
            assert most is None or len(set(question.columns)) <= most

    @settings(derandomize=True, deadline=None, max_examples=case_count(25))
    @given(seed=SEEDS)
    def test_constraints_of_sums(self, seed: int) -> None:
        """Under constraints, too, the optimum is that of trying every half-plane at every position."""
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 7))
        columns = {name: (Kind.NUMERIC, rng.integers(0, 3, n) * unit + 5) for name, unit in (("a", 100.0), ("b", 0.1))}
        dataset = with_groups(make_dataset(columns, rng.integers(0, 2, n)), rng)
        kinds = [kind for kind in KINDS if kind not in ABOUT_ONE_COLUMN]
        constraint = example(KINDS[kinds[seed % len(kinds)]], dataset, rng)
        widths = ((1,), (1, 2), (1, 1))[rng.integers(3)]
        objective = Objective(split_penalty=float(rng.choice([0, 0.5, 0.3])), free_root=bool(rng.random() < 0.5))
        problem = Problem(
            dataset, diagrams(*widths, split_features=None), objective, (constraint,) if constraint else ()
        )
        if len(np.unique(dataset.X, axis=0)) > 1 and not Odd().check(problem):
            predicates = [*weighted_sums(problem), *(question for question, _ in questions(dataset, columns=True))]
            assert proved(Odd(backend="highs"), problem) == least(problem, predicates)

    def test_one_column_gives_a_plain_threshold(self) -> None:
        """A sum of one column is shown as a threshold, with a short number between the rows."""
        dataset = make_dataset(
            {"age": (Kind.NUMERIC, [20, 30, 40, 60, 70]), "sex": (Kind.BINARY, [0, 1, 0, 1, 0])}, [0, 0, 0, 1, 1]
        )
        solution = solve(
            Odd(), Problem(dataset, diagrams(1, split_features=None), Objective(split_penalty=0.5))
        ).solution
        question = solution.diagram.nodes[0].predicate
        assert (question.column, question.value) == ("age", 50)

    def test_widest_margin(self) -> None:
        """The widest margin between two points is along the term in which they differ most."""
        weights, margin = widest(np.array([[0.0, 0.0]]), np.array([[1.0, 0.25]]))
        assert weights.tolist() == [1, 0] and margin == pytest.approx(1)
        assert widest(np.array([[0.0], [1.0]]), np.array([[0.5]]))[1] == pytest.approx(0)

    def test_constraints_about_thresholds_are_refused(self) -> None:
        """A weighted sum has no threshold of one column, and cannot be ordered below a split on another column."""
        problem = Problem(WARD, diagrams(1, 2, split_features=None))
        for constraint in (KINDS["thresholds-within"]("pain", low="level 0"), KINDS["only-after"]("fever", "pain")):
            reasons = Odd().check(replace(problem, constraints=(constraint,)))
            assert "use one column" in reasons[0].remedy
        constraint = KINDS["never-both-on-path"](("fever", "pain"))
        solution = solve(Odd(), replace(problem, constraints=(constraint,))).solution
        assert solution.status is Status.OPTIMAL and len(solution.diagram.features) == 1
