"""Decision diagrams by mixed-integer programming: agreement with enumeration, and messages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import UnsupportedError
from solvers.methods import get
from solvers.methods.diagrams.odd import method as odd
from solvers.methods.diagrams.odd.method import Odd
from solvers.methods.mip.backend import TooLarge
from solvers.methods.mip.highs import HiGHS
from solvers.problem import (
    Kind,
    Objective,
    Problem,
    Shape,
)
from solvers.problem.skeleton import PRESETS
from solvers.solution import Status
from tests.case_count import case_count
from tests.methods.diagrams.small_diagrams import (
    TABLE,
    diagrams,
    half_planes,
    proved,
    small_table,
)
from tests.methods.running import solve
from tests.oracle.diagrams import diagram_least_cost
from tests.strategies import make_dataset

SEEDS = st.integers(0, 2**32 - 1)


class TestAgreement:
    """The optimum is that of exhaustive search."""

    @settings(derandomize=True, deadline=None, max_examples=case_count(12))
    @given(seed=SEEDS)
    def test_trees(self, seed: int) -> None:
        """With the topology of a tree it is the optimal tree, that of the exact search if every layer is full."""
        rng = np.random.default_rng(seed)
        widths = ((1, 2), (1, 2, 4), (1, 1, 2), (1, 2, 3))[rng.integers(4)]
        objective = Objective(split_penalty=float(rng.choice([0, 0.5, 1, 0.3])))
        problem = Problem(small_table(rng, n_rows=int(rng.integers(4, 10))), diagrams(*widths), objective)
        if len(widths) == 2 or widths == (1, 2, 4):
            tree = Problem(problem.dataset, Shape(max_depth=len(widths)), objective)
            expected = solve(get("contree"), tree).solution.cost
        else:
            expected = diagram_least_cost(problem, tree=True)
        assert proved(Odd(backend="highs", topology="tree"), problem) == expected

    @settings(derandomize=True, deadline=None, max_examples=case_count(15))
    @given(seed=SEEDS)
    def test_weighted_sums(self, seed: int) -> None:
        """Splits on both columns of a plane divide the rows in every way that a line can."""
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 9))
        unit, classes = (1.0, 100.0, 1e-4)[rng.integers(3)], int(rng.choice([2, 2, 3]))
        columns = {name: (Kind.NUMERIC, rng.integers(0, 4, n) * scale + 5) for name, scale in (("a", unit), ("b", 1.0))}
        dataset = make_dataset(columns, rng.integers(0, classes, n), n_classes=3)
        widths = ((1,), (1, 2), (1, 1), (1, 1, 1))[rng.integers(4)]
        objective = Objective(split_penalty=float(rng.choice([0, 0.5, 1, 0.3])), free_root=bool(rng.random() < 0.5))
        problem = Problem(dataset, diagrams(*widths, split_features=None), objective)
        bits = [*half_planes(dataset), np.ones(n, bool)]
        assert proved(Odd(backend="highs"), problem) == diagram_least_cost(problem, answers=bits)


class TestMessages:
    """Unsupported problems are reported."""

    def test_large_tables_are_refused(self) -> None:
        """A model that no machine could hold is not built."""
        rng = np.random.default_rng(0)
        dataset = make_dataset({"x": (Kind.NUMERIC, rng.random(20_000))}, rng.integers(0, 2, 20_000).tolist())
        reasons = Odd().check(Problem(dataset, PRESETS["I"].shape()))
        assert "variables for the paths of the rows" in reasons[0].reason and "odd-search" in reasons[0].remedy

    def test_gurobi_without_a_licence(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """If only Gurobi is allowed, the run gives reason and remedy; if not, HiGHS takes over."""

        class Refusing:
            title = "Gurobi"

            def solve(self, *_: object) -> None:
                raise TooLarge("Gurobi has no licence here.")

        problem = Problem(TABLE, diagrams(1, 2), Objective(split_penalty=0.25))
        monkeypatch.setitem(odd.BACKENDS, "gurobi", (Refusing(),))
        monkeypatch.setitem(odd.BACKENDS, "auto", (Refusing(), HiGHS()))
        with pytest.raises(UnsupportedError, match=r"no licence here\. Choose the solver 'highs'"):
            solve(Odd(backend="gurobi"), problem)
        run = solve(Odd(), problem)
        assert run.solution.status is Status.OPTIMAL and run.solution.stats["solver"] == "HiGHS"
        messages = [event.text for event in run.events if type(event).__name__ == "Log"]
        assert messages == ["Gurobi has no licence here. Using HiGHS instead."]

    def test_gurobi_that_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """If the optional package of Gurobi is missing, the message says so."""
        monkeypatch.setattr("solvers.methods.mip.gurobi.find_spec", lambda name: None)
        with pytest.raises(UnsupportedError, match=r"Gurobi is not installed\. Choose the solver 'highs', or 'auto'"):
            solve(Odd(backend="gurobi"), Problem(TABLE, diagrams(1, 2)))
