"""The parts of CPTree-2: the program in arrays, the frame of trees, first trees, and trees as values of variables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from solvers.constraints import KINDS
from solvers.errors import UnsupportedError
from solvers.messages import describe_result
from solvers.methods import get
from solvers.methods.mip.backend import End, SolverOutcome, SolverRequest
from solvers.methods.mip.model import Program, ProgramBuilder
from solvers.methods.trees.contree import ConTree
from solvers.methods.trees.cptree_mip.method import CPTreeMip, build
from solvers.methods.trees.cptree_mip.result import diagram, read, simplify, tree_from_diagram, write
from solvers.methods.trees.tree_of_splits import RankTree
from solvers.problem import Limits, Problem, Shape
from solvers.solution import Status
from tests.case_count import case_count
from tests.methods.mip.programs import WARD, Idle
from tests.methods.running import solve
from tests.strategies import problems


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


class TestTrees:
    """Trees converted to variables and back."""

    @settings(derandomize=True, deadline=None, max_examples=case_count(80))
    @given(problem=problems(max_rows=12, max_depth=3))
    def test_trees_survive_the_conversion(self, problem: Problem) -> None:
        """A written tree satisfies all rows of the model, has its cost, and is read back unchanged."""
        problem = replace(problem, shape=Shape(max_depth=problem.shape.max_depth))
        tree = build(problem)
        rng = np.random.default_rng(len(tree.asks))

        def random_tree(depth: int) -> RankTree:
            if not depth:
                return (0,)
            family = int(rng.integers(len(tree.menu)))
            cut = int(rng.integers(tree.menu.n_cuts[family]))
            return family, cut, random_tree(depth - 1), random_tree(depth - 1)

        root = simplify(tree, random_tree(tree.depth))
        x = write(tree, root)
        program = tree.model.program()
        assert program.keeps(x)
        assert read(tree, x) == root
        found = diagram(tree, root)
        spent = problem.cost(found.predict(problem.dataset), found.n_splits)
        assert round(program.cost @ x[program.kept] + program.offset) * tree.unit + tree.base == spent
        again = tree_from_diagram(tree, found)
        assert (again is None and len(root) == 4) or diagram(tree, again) == found

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
