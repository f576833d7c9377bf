"""The benchmarks of binary decision diagrams measure correctly. No test measures speed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import bdd
from benchmarks.bdds.data import Bits
from benchmarks.bdds.process import Answer, answer_to, learned
from benchmarks.bdds.ways import MAXSAT, MAXSAT_DT, SEARCH, disagreements, faults_of, seconds
from benchmarks.maxsat_tree import CompleteTree, MaxSatTree, literals_of
from solvers.methods.features import features_of
from solvers.metrics import verify
from solvers.problem import Problem, Shape
from solvers.solution import Status
from tests.case_count import case_count
from tests.methods.bdds.binary_tables import binary_tables
from tests.methods.running import solve
from tests.oracle.trees import least_cost


def table(rows: int = 40, columns: int = 5, seed: int = 0) -> Bits:
    """A small table whose class is the majority of three columns."""
    X = np.random.default_rng(seed).integers(0, 2, (rows, columns)).astype(np.uint8)
    return Bits("small", X, (X[:, :3].sum(axis=1) > 1).astype(np.int32))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small table."""
    made = table()
    lines = (" ".join(map(str, (label, *row))) for label, row in zip(made.y, made.X, strict=True))
    (tmp_path / "small.csv").write_text("\n".join(lines), "ascii")
    return tmp_path


def test_a_request_is_answered(tmp_path: Path) -> None:
    """The exact search learns the majority of three with three splits; an unsupported shape is reported."""
    table().save(tmp_path / "train.npz")
    request = {"method": "bdd-search", "options": {}, "kind": "bdd", "depth": 3, "seconds": 20}
    files = {"train": str(tmp_path / "train.npz"), "test": str(tmp_path / "train.npz")}
    found = answer_to({**request, **files})
    assert (found.errors, found.questions, found.nodes, found.test) == (0, 3, 6, 1.0)
    assert "makes BDDs only" in answer_to({**request, **files, "kind": "tree"}).failure


def test_contradictions_are_faults() -> None:
    """Different optima, bounds above known diagrams, and unverified results are reported."""
    good = Answer("optimal", errors=3, bound=3, seconds=0.1, verified=True)
    late = Answer("feasible", errors=4, bound=2, seconds=9.0, verified=True)
    assert disagreements("t", [(SEARCH, good), (MAXSAT, late)]) == []
    other = Answer("optimal", errors=4, bound=4, seconds=0.1, verified=True)
    assert "differ: 3, 4" in disagreements("t", [(SEARCH, good), (MAXSAT, other)])[0]
    wrong = Answer("feasible", errors=5, bound=4, seconds=9.0, verified=True)
    assert "bound of 4" in disagreements("t", [(SEARCH, Answer("feasible", errors=3)), (MAXSAT, wrong)])[0]
    assert "verifier" in faults_of("t", SEARCH, Answer("optimal", errors=3, bound=3))[0]
    assert "failed: no memory" in faults_of("t", SEARCH, Answer("failed", failure="no memory"))[0]
    assert [seconds(a) for a in (good, late, Answer("ended"), Answer("refused"))] == [
        "0.10",
        "2 to 4",
        "ended",
        "refused",
    ]


def test_commands_write_their_part(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The smallest diagrams of a folder are written between their marks and printed."""
    page = folder / "page.md"
    page.write_text("".join(f"<!-- {part}: begin -->\n<!-- {part}: end -->\n" for part in bdd.PARTS), "ascii")
    options = ["--write", "--page", str(page), "--depths", "3"]
    assert bdd.main(["smallest", str(folder), *options]) == 0
    assert "| small | 0 | 4 | 4 |" in page.read_text("utf-8")
    assert "| small | 0 | 4 | 4 |" in capsys.readouterr().out


@settings(derandomize=True, deadline=None, max_examples=case_count(20))
@given(problem=binary_tables(), leaves=st.sampled_from((None, 2, 3)), split_penalty=st.sampled_from((0.0, 0.5, 1.1)))
def test_maxsat_dt_finds_the_optimum(problem: Problem, leaves: int | None, split_penalty: float) -> None:
    """The minimum cost of a tree, with weights, class costs, a split penalty and leaf limits."""
    shape = Shape(max_depth=problem.shape.max_depth, max_leaf_nodes=leaves)
    tree = replace(problem, shape=shape, objective=replace(problem.objective, split_penalty=split_penalty))
    solution = solve(MaxSatTree(), tree).solution
    assert verify(tree, solution).failures == ()
    assert (solution.status, solution.cost) == (Status.OPTIMAL, least_cost(tree))


def test_maxsat_dt_runs_like_the_methods_of_the_registry() -> None:
    """It learns the majority of three with depth three, and proves it."""
    answer = learned(MAXSAT_DT, table(), 3, 20)
    assert answer.proved and answer.verified and answer.errors == 0


def test_maxsat_dt_knows_the_size_of_its_formula() -> None:
    """The number of literals is predicted before the formula is written."""
    features = features_of(Problem(table().dataset(), Shape(max_depth=3)))
    assert CompleteTree(features, 3).formula.size.literals == literals_of(len(features.cases), len(features), 3)
