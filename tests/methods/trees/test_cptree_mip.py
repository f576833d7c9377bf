"""CPTree-2: the model, both solvers, and every rule that it posts.

Agreement with brute force under random constraints is tested for all methods together, with first trees; here the
solver gets the model alone, so that only the model can be right.
"""

from __future__ import annotations

from dataclasses import replace

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
from solvers.methods.mip.model import Program, ProgramBuilder
from solvers.methods.trees.contree import ConTree
from solvers.methods.trees.cptree_mip.formulation import Branches
from solvers.methods.trees.cptree_mip.method import CPTreeMip, build
from solvers.methods.trees.cptree_mip.result import read, write
from solvers.methods.trees.tree_of_splits import SplitTree, merged, pruned, tree_of
from solvers.metrics import verify
from solvers.problem import Kind, Limits, Problem, Shape
from solvers.solution import Log, Status
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.constraints.problems import random_table
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
            n_cells = menu_of(problem, rules_of(problem)).n_cells
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


class TestModel:
    """The program in plain arrays."""

    def test_fixed_variables_are_eliminated(self) -> None:
        """A fixed variable becomes part of limits and costs, and is restored in the values."""
        model = ProgramBuilder()
        x = model.variables((2,), whole=True)
        model.charge(np.array([3, 5]), x)
        model.limit(x[:1], low=1)
        model.at_most([(1, x[None])], 1)
        model.at_most([(1, x[:1][None])], 1)
        program = model.program()
        assert (program.n_variables, program.n_rows, program.offset) == (1, 1, 3)
        assert program.row_high.tolist() == [0]
        assert program.expand(np.array([0.0])).tolist() == [1, 0]
        assert program.keeps(np.array([1.0, 0.0]))
        assert not program.keeps(np.array([0.0, 0.0]))
        assert not program.keeps(np.array([1.0, 1.0]))


class TestStart:
    """First trees."""

    def test_finds_a_tree_if_a_leaf_violates_a_rule(self) -> None:
        """No leaf has a split on sex, so the first step must; the exact search finds one before the solver begins."""
        constraint = KINDS["must-appear"](column="sex")
        problem = Problem(WARD, Shape(max_depth=2, min_samples_leaf=2), constraints=(constraint,))
        solution = solve(CPTreeMip([Idle()]), problem).solution
        assert solution.status is Status.FEASIBLE
        assert constraint.violations(solution.diagram, WARD) == ()

    def test_works_without_the_exact_search(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """If the exact search has too little memory, the solver begins without its tree."""

        def refuse(*_: object) -> None:
            raise UnsupportedError("It needs more memory.")

        monkeypatch.setattr(ConTree, "run", refuse)
        solution = solve(get("cptree-mip"), Problem(WARD, Shape(max_depth=1))).solution
        assert (solution.status, solution.cost) == (Status.OPTIMAL, 2)

    def test_a_solver_that_gives_up_without_a_time_limit(self) -> None:
        """The message does not mention a limit that does not exist."""
        problem = Problem(WARD, Shape(max_depth=1))
        solution = solve(CPTreeMip([Idle()]), problem, Limits(seconds=None)).solution
        assert describe_result(problem, solution).endswith("No lower bound yet. Idle ended before the proof.")


def random_tree(tree: Branches, rng: np.random.Generator, depth: int, slot: int = 0) -> SplitTree:
    """A tree of at most this depth with random splits and predictions."""
    if not depth or not len(tree.menu) or rng.random() < 0.2:
        return SplitTree({}, {slot: int(rng.integers(tree.problem.dataset.n_classes))})
    family = int(rng.integers(len(tree.menu)))
    cut = int(rng.integers(tree.menu.n_cuts[family]))
    sides = (random_tree(tree, rng, depth - 1, below) for below in (2 * slot + 1, 2 * slot + 2))
    return SplitTree.joined(slot, (family, cut), *sides)


class TestTrees:
    """Trees converted to variables and back."""

    @settings(derandomize=True, deadline=None, max_examples=case_count(80))
    @given(problem=problems(max_rows=12, max_depth=3))
    def test_trees_survive_the_conversion(self, problem: Problem) -> None:
        """A written tree satisfies all rows of the model, has its cost, and is read back unchanged."""
        problem = replace(problem, shape=Shape(max_depth=problem.shape.max_depth))
        tree = build(problem)
        rng = np.random.default_rng(len(tree.asks))

        rank = tree.menu.splits.searched.rank
        root = pruned(problem, rank, random_tree(tree, rng, tree.depth).splits)
        x = write(tree, root)
        program = tree.model.program()
        assert program.keeps(x)
        assert read(tree, x) == root
        found = tree.menu.splits.diagram(problem, root, {})
        spent = problem.cost(found.predict(problem.dataset), found.n_splits)
        assert round(program.cost @ x[program.kept] + program.offset) * tree.unit + tree.base == spent
        again = tree_of(found, tree.menu.places)
        assert (again is None and root.splits) or tree.menu.splits.diagram(problem, again, {}) == found

    @pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed-top"])
    def test_a_constraint_leaves_the_trees_that_satisfy_it(self, kind: str) -> None:
        """Each rule is posted exactly: a tree satisfies all rows if it satisfies the constraint, and only then."""
        for seed in range(case_count(3)):
            rng = np.random.default_rng(seed)
            dataset = random_table(rng, rows=8, values=3)
            constraints = tuple(filter(None, (example(KINDS[kind], dataset, rng),)))
            problem = Problem(dataset, Shape(max_depth=2), constraints=constraints)
            if not constraints or get("cptree-mip").check(problem):
                continue
            tree = build(problem)
            program = tree.model.program()
            for _ in range(40):
                root = random_tree(tree, rng, tree.depth)
                # the model excludes two leaves of one class below a split
                x = write(tree, root) if merged(root) == root else None
                if x is not None:
                    found = tree.menu.splits.diagram(problem, root, {})
                    satisfied = not constraints[0].violations(found, dataset)
                    assert program.keeps(x) == satisfied, (seed, constraints, root)

    def test_bounds_are_rounded_with_care(self) -> None:
        """A solver's 1.0000001 is 1 and not 2, and its 1.2 is 2; a bound never exceeds the incumbent."""

        class Telling:
            title = "Telling"

            def solve(self, program: Program, request: SolverRequest) -> SolverOutcome:
                for value in (1.0000001, 1.2, 9.0):
                    request.bound(value - program.offset, 0)
                return SolverOutcome(End.CUT_SHORT, 0, 0)

        problem = Problem(WARD, Shape(max_depth=1, min_samples_leaf=2))
        run = solve(CPTreeMip([Telling()]), problem)
        assert run.bounds == [0, 1, 2]
        assert run.solution.bound == run.solution.cost == 2
