"""CPTree-2: the model, both solvers, and every rule that it posts.

Agreement with brute force under random constraints is tested for all methods together, with first trees; here the
solver gets the model alone, so that only the model can be right.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from solvers.constraints import KINDS, rules_of
from solvers.errors import UnsupportedError
from solvers.messages import describe_result
from solvers.methods import get
from solvers.methods.mip.backend import Backend, End, SolverOutcome, SolverRequest, TooLarge
from solvers.methods.mip.gurobi import Gurobi
from solvers.methods.mip.highs import HiGHS
from solvers.methods.mip.menu import menu_of, surely_has_more_cells
from solvers.methods.mip.model import Program
from solvers.methods.trees.cptree_mip.method import CPTreeMip, build
from solvers.metrics import verify
from solvers.problem import Kind, Problem, Shape, question_orders
from solvers.solution import Log, Status
from tests.case_count import case_count
from tests.methods.mip.programs import WARD, Idle, alone, no_start, tiny
from tests.methods.running import solve
from tests.oracle.trees import least_cost
from tests.strategies import make_dataset, problems


def gurobi_starts() -> bool:
    """Whether Gurobi has a licence here, which may be the restricted one of its package."""
    try:
        Gurobi().solve(tiny(), SolverRequest(None, 0.0, 5.0, 1, 0, lambda: False, lambda x: None, lambda v, n: None))
    except TooLarge:
        return False
    return True


@pytest.fixture(params=[HiGHS, Gurobi], ids=["HiGHS", "Gurobi"], scope="module")
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each solver; Gurobi if it has a licence."""
    if request.param is Gurobi and not gurobi_starts():
        pytest.skip("Gurobi has no licence here")
    return request.param()


@pytest.fixture(scope="module")
def method(backend: Backend) -> CPTreeMip:
    """The method with each solver, without first trees."""
    return alone(backend)


MANY = 10**6
"""Maximum number of trees that are tried one by one."""


def assert_proves(method: CPTreeMip, problem: Problem, least: int | None) -> None:
    """The method proves this optimum, and its tree passes the verifier."""
    run = solve(method, problem)
    assert run.solution.status is (Status.INFEASIBLE if least is None else Status.OPTIMAL), run.solution.ended
    assert run.solution.cost == least
    assert least is None or all(bound <= least for bound in run.bounds)
    assert verify(problem, run.solution).ok


class TestOptima:
    """The optimum follows from the model alone."""

    @settings(derandomize=True, deadline=None, max_examples=case_count(25))
    @given(problem=problems(max_rows=9, max_depth=2))
    def test_agrees_with_the_oracle(self, method: CPTreeMip, problem: Problem) -> None:
        """Costs, weights, leaf sizes, classes, missing values: the least cost, or the proof that there is no tree."""
        assert_proves(method, problem, least_cost(problem))

    def test_agrees_with_contree_on_many_values(self) -> None:
        """Hundreds of values per column, some of them neighbours in 64 bits: no tolerance hides a gap."""
        rng = np.random.default_rng(7)
        x = np.concatenate((rng.normal(size=60) * 1e-12, 1e9 + np.arange(60) * 1e-6))
        y = (x > np.median(x)).astype(int) ^ (rng.random(120) < 0.2)
        table = make_dataset({"x": (Kind.NUMERIC, x), "z": (Kind.NUMERIC, rng.permutation(120))}, y)
        problem = Problem(table, Shape(max_depth=1))
        assert_proves(alone(HiGHS()), problem, solve(get("contree"), problem).solution.cost)


class TestRules:
    """Every rule is posted, and every one is effective."""

    def test_refuses_models_beyond_all_solvers(self) -> None:
        """A deep tree for many different rows is refused before the model is built, with the size and a remedy."""
        table = make_dataset({"x": (Kind.NUMERIC, range(200))}, [0, 1] * 100)
        (reason,) = get("cptree-mip").check(Problem(table, Shape(max_depth=12)))
        assert "More than 48 different rows at depth 12" in reason.what
        assert "contree" in reason.remedy

    def test_the_size_for_many_rows_is_estimated_from_a_sample(self) -> None:
        """A size that the sample misses is found when the model is built, and refused with the same message."""
        x = np.zeros(2000)
        x[1:101] = np.arange(100)
        problem = Problem(make_dataset({"x": (Kind.NUMERIC, x)}, [0, 1] * 1000), Shape(max_depth=12))
        method = get("cptree-mip")
        assert not method.check(problem)
        with pytest.raises(UnsupportedError, match=r"More than 48 different rows at depth 12.*'contree'"):
            solve(method, problem)

    def test_a_sample_of_rows_never_overestimates_the_size(self) -> None:
        """If all rows are used, the reported size is exact."""
        rng = np.random.default_rng(5)
        for _ in range(case_count(40)):
            n, most = int(rng.integers(2, 60)), int(rng.integers(1, 20))
            columns = {f"x{j}": (Kind.NUMERIC, rng.integers(0, 4, n)) for j in range(2)}
            problem = Problem(make_dataset(columns, np.arange(n) % 2), Shape(max_depth=2))
            n_cells = menu_of(problem, question_orders(problem.dataset), rules_of(problem)).n_cells
            has_more = surely_has_more_cells(problem, rules_of(problem), most)
            assert has_more <= (n_cells > most)
            assert has_more == (n_cells > most) or n > 4 * most

    def test_conflicting_constraints_are_proved_infeasible(self, backend: Backend) -> None:
        """There is no tree, no bound and no cost, and the message says who proved it."""
        constraints = KINDS["must-appear"](column="age"), KINDS["never-columns"](columns=("age",))
        problem = Problem(WARD, Shape(max_depth=2), constraints=constraints)
        solution = solve(alone(backend), problem).solution
        assert (solution.status, solution.diagram, solution.cost, solution.bound) == (
            Status.INFEASIBLE,
            None,
            None,
            None,
        )
        assert f"proved by {backend.title})" in describe_result(problem, solution)


class TestEnding:
    """Stop, time limit and gap, and their messages."""

    def test_the_bound_is_proved_by_the_model_alone(self) -> None:
        """Without time for the solver, the tree of the exact search has no proof."""
        rng = np.random.default_rng(5)
        table = make_dataset({"x": (Kind.NUMERIC, rng.normal(size=30))}, rng.integers(0, 2, 30))

        run = solve(CPTreeMip([Idle()]), Problem(table, Shape(max_depth=2)))
        exact = solve(get("contree"), Problem(table, Shape(max_depth=2))).solution
        assert run.solution.cost == exact.cost > run.solution.bound == 0
        assert run.solution.status is Status.FEASIBLE


class TestLicence:
    """Gurobi if its licence allows the size, else HiGHS."""

    def test_too_large_a_model_goes_to_the_next_solver(self) -> None:
        """The log gives the reason, and the message names the solver of the proof."""

        class Small:
            title = "Small"

            def solve(self, program: Program, request: SolverRequest) -> SolverOutcome:
                raise TooLarge("Small takes nothing.")

        run = solve(CPTreeMip([Small(), HiGHS()], no_start), Problem(WARD, Shape(max_depth=1)))
        assert [event.text for event in run.events if isinstance(event, Log)] == [
            "Small takes nothing. Using HiGHS instead."
        ]
        assert run.solution.status is Status.OPTIMAL and run.solution.details.solver == "HiGHS"

    def test_gurobi_solves_what_its_licence_allows(self) -> None:
        """Gurobi solves a small model; its restricted licence refuses the size of a large one."""
        if not gurobi_starts():
            pytest.skip("Gurobi has no licence here")
        assert solve(CPTreeMip(starts=no_start), Problem(WARD, Shape(max_depth=1))).solution.stats["solver"] == "Gurobi"
        rng = np.random.default_rng(1)
        columns = {f"x{j}": (Kind.NUMERIC, rng.normal(size=400)) for j in range(3)}
        large = build(Problem(make_dataset(columns, rng.integers(0, 2, 400)), Shape(max_depth=2))).model.program()
        assert large.n_variables > 2000
        request = SolverRequest(None, 1.0, 0.5, 1, 0, lambda: True, lambda x: None, lambda value, nodes: None)
        try:
            outcome = Gurobi().solve(large, request)
        except TooLarge as reason:
            assert f"{large.n_variables:,} variables" in str(reason)
        else:
            assert outcome.end is End.CUT_SHORT
