"""Certificates of optimality: bounds against brute force, damaged certificates, and the checker on its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.certificates import zip_files
from solvers.certificates.optimum import CHECKER, check_optimum, make_optimum_certificate
from solvers.certificates.optimum_bounds import Cases, RejectedError, UndecidedError
from solvers.certificates.optimum_checker import check
from solvers.certificates.optimum_words import CASES, MAIN, README, WORDS, in_words, readme, statement
from solvers.diagram import Diagram, Leaf
from solvers.errors import CertificateError
from solvers.methods import get
from solvers.problem import Limits, Objective, Problem, Shape
from solvers.problem.samples import sample_dataset
from solvers.solution import Status
from tests.case_count import case_count
from tests.certificates.tables import csv_text
from tests.explain.worlds import never
from tests.methods.trees.test_path_rules import constrained
from tests.strategies import datasets, problems


def certificate(problem: Problem, tree: Diagram | None) -> dict[str, bytes]:
    """The files of a certificate."""
    return make_optimum_certificate(problem, tree, Limits(seconds=20))


def solved(problem: Problem) -> Diagram:
    """The optimal tree of the exact search."""
    solution = get("contree").run(problem, Limits(), lambda event: None, never)
    assert solution.diagram is not None and solution.cost == solution.bound
    return solution.diagram


@given(datasets(max_rows=20), st.integers(0, 3), st.integers(-3, 4), st.sampled_from([0, 0.5, 2]))
def test_every_optimal_tree_is_certified(dataset, depth: int, least: int, price: float) -> None:
    """With weights, missing values, categories and class costs the bound equals the cost, and is below that of a worse
    tree.
    """
    costs = np.ones((dataset.n_classes, dataset.n_classes)) + np.arange(dataset.n_classes)[:, None]
    rows, weight = min(abs(least), dataset.n_samples), max(0, 1 - least) / 3
    problem = Problem(dataset, Shape(max_depth=depth, min_samples_leaf=max(1, rows), min_weight_leaf=weight))
    problem = replace(problem, objective=Objective(tuple(map(tuple, costs * (1 - np.eye(dataset.n_classes)))), price))
    tree = solved(problem)
    files = certificate(problem, tree)
    report = check_optimum(files.__getitem__)
    assert report.accepted, report.fault
    assert check(files.__getitem__, table=csv_text(dataset)) == check(files.__getitem__)
    worst = replace(
        tree, nodes=(Leaf(int(np.argmax(problem.leaf_costs(problem_weights(problem)))), tree_counts(tree)),)
    )
    planted = check_optimum(certificate(problem, worst).__getitem__)
    assert planted.accepted == (planted.cost == report.cost)


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(problem=problems(max_rows=12), seed=st.integers(0, 2**32 - 1))
def test_optima_under_path_rules_are_certified(problem: Problem, seed: int) -> None:
    """Orders, fixed splits, allowed thresholds and path costs are certified, from the cases and from the table."""
    problem = constrained(problem, seed)
    if get("contree").check(problem):
        return
    solution = get("contree").run(problem, Limits(), lambda event: None, never)
    if solution.status is not Status.OPTIMAL:
        return
    try:
        files = certificate(problem, solution.diagram)
    except CertificateError as error:
        assert "fixed question" in str(error)
        return
    report = check_optimum(files.__getitem__)
    assert report.accepted, report.fault
    assert check(files.__getitem__, table=csv_text(problem.dataset)) == check(files.__getitem__)


def test_another_table_proves_nothing() -> None:
    """The table reveals a changed cell, a missing row, and a threshold that gives another partition of the rows."""
    problem = Problem(sample_dataset("iris"), Shape(max_depth=2))
    files, lines = certificate(problem, solved(problem)), csv_text(problem.dataset).splitlines()
    assert check(files.__getitem__, table="\n".join(lines)).proved
    for other in ([lines[0], lines[1].replace("setosa", "virginica"), *lines[2:]], lines[:-1]):
        with pytest.raises(RejectedError):
            check(files.__getitem__, table="\n".join(other))
    claim = json.loads(files[MAIN])
    claim["tree"]["bound"] = 5.0
    moved = {**files, MAIN: json.dumps(claim).encode(), WORDS: in_words(claim["tree"], claim).encode()}
    assert check(moved.__getitem__).proved
    with pytest.raises(RejectedError, match="divides the rows"):
        check(moved.__getitem__, table="\n".join(lines))


def problem_weights(problem: Problem) -> np.ndarray:
    """The weight of each class."""
    return np.bincount(problem.dataset.y, problem.weights, problem.dataset.n_classes).astype(np.int64)


def tree_counts(tree: Diagram) -> tuple[float, ...]:
    """The weight of each class in all leaves."""
    return tuple(np.sum([leaf.counts for _, leaf in tree.leaves], axis=0).tolist())


@given(datasets(max_rows=20), st.integers(1, 3), st.integers(1, 7), st.integers(1, 2))
def test_a_limit_on_leaves_is_certified_by_a_split_penalty(dataset, depth: int, leaves: int, least: int) -> None:
    """The proof is complete if some split penalty makes the tree the best of all sizes; if not, the gap is stated."""
    problem = Problem(
        dataset, Shape(max_depth=depth, min_samples_leaf=min(least, dataset.n_samples), max_leaf_nodes=leaves)
    )
    report = check_optimum(certificate(problem, solved(problem)).__getitem__)
    assert report.accepted and report.cost - report.gap == report.bound


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """A certificate of the iris sample."""
    problem = Problem(sample_dataset("iris"), Shape(max_depth=2))
    return certificate(problem, solved(problem))


def test_a_certificate_checks_itself(files: dict[str, bytes], tmp_path: Path) -> None:
    """Its own script checks it in a process that imports only numpy and the standard library."""
    (tmp_path / "certificate.zip").write_bytes(zip_files(files))
    (tmp_path / CHECKER).write_bytes(files[CHECKER])
    command = [sys.executable, "-I", CHECKER, "certificate.zip"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"PROVED: {statement_of(files)}")
    assert b"import solvers" not in files[CHECKER] and b"from solvers" not in files[CHECKER]


def statement_of(files: dict[str, bytes]) -> str:
    """The statement of a certificate."""
    return files[README].decode().splitlines()[2]


def changed(files: dict[str, bytes], change: Callable[[dict], None]) -> dict[str, bytes]:
    """A certificate with a changed claim."""
    claim = json.loads(files[MAIN])
    change(claim)
    return {**files, MAIN: json.dumps(claim).encode()}


def another_tree(files: dict[str, bytes]) -> dict[str, bytes]:
    """A certificate of a worse tree, with texts that say so."""
    files = changed(files, lambda claim: claim.update(tree={"class": 0}))
    claim = json.loads(files[MAIN])
    return {**files, README: readme(claim, 100).encode(), WORDS: in_words(claim["tree"], claim).encode()}


def test_damaged_certificates_are_rejected_or_prove_no_more(files: dict[str, bytes]) -> None:
    """Changed, truncated or hostile claims and cases are rejected, or only the truth about them is proved."""
    for change in (
        lambda claim: claim.update(depth=1),
        lambda claim: claim.update(depth=-1),
        lambda claim: claim.update(depth=True),
        lambda claim: claim.update(price=1.5),
        lambda claim: claim.update(least_rows=80),
        lambda claim: claim.update(version=99),
        lambda claim: claim.update(scale=0),
        lambda claim: claim.update(scale="1"),
        lambda claim: claim.pop("tree"),
        lambda claim: claim.update(tree={"class": 7}),
        lambda claim: claim.update(tree=[1]),
    ):
        with pytest.raises(RejectedError):
            check(changed(files, change).__getitem__)
    assert not check(another_tree(files).__getitem__).proved
    for name in (README, WORDS):
        with pytest.raises(RejectedError, match=name):
            check({**another_tree(files), name: files[name]}.__getitem__)
    lines = files[CASES].splitlines()
    for cut in (
        lines[:1],
        [lines[0], b"x" + lines[1]],
        [lines[0], lines[1] + b",1"],
        [*lines[:5], b"-1" + lines[5]],
        [],
    ):
        with pytest.raises(RejectedError):
            check({**files, CASES: b"\n".join(cut)}.__getitem__)
    with pytest.raises(UndecidedError, match="time is up"):
        check(another_tree(files).__getitem__, lambda: True)


def test_the_statement_describes_the_problem() -> None:
    """The statement includes all costs, weights, rows, levels and missing marks that could make any tree optimal."""
    data = replace(sample_dataset("triage"), weight=np.arange(1, 1001) % 3 + 1.0)
    costs = Objective(((0.0, 1.0), (5.0, 0.0)))
    problem = Problem(data, Shape(max_depth=1), costs)
    files = certificate(problem, solved(problem))
    claim = json.loads(files[MAIN])
    words = statement(claim, 1)
    assert "For 1000 rows" in words and "of yes predicted as no costs 5" in words and "by its weight" in words
    assert "consciousness (alert < voice < pain < unresponsive)" in words and "lactate (missing: last)" in words

    def table(**values: object) -> dict:
        return {"table": {**claim["table"], **values}}

    def orders(name: str, **values: object) -> dict:
        return {"orders": [{**one, **(values if one["column"] == name else {})} for one in claim["orders"]]}

    for other in (
        table(class_costs=[[0, 0], [0, 0]]),
        table(class_costs=[[0, 1], [1, 0]]),
        table(weights=None),
        table(rows=[[1, 999]]),
        table(missing=["", "alert"]),
        orders("consciousness", levels={"alert": 0, "voice": 1, "pain": 1, "unresponsive": 2}),
        orders("lactate", missing=2.0),
        orders("age", within=[1.0, 0.0, None]),
        {"orders": claim["orders"][:-1]},
    ):
        assert statement({**claim, **other}, 1) != words
        with pytest.raises(RejectedError):
            check(changed(files, lambda claim, other=other: claim.update(other)).__getitem__)
    assert "For 20 rows, some of them counted several times, " in statement({**claim, **table(rows=[[1, 10]] * 2)}, 1)
    for rows in ([[9, 2]], [[0, 5]], [[1]], [[1, 2.0]]):
        with pytest.raises((RejectedError, ValueError)):
            statement({**claim, **table(rows=rows)}, 1)


@pytest.mark.parametrize(("rows", "n_orders"), [([2**62] * 4 + [5], 1), ([2**50] * 5, 4096)])
def test_sums_of_rows_beyond_64_bits_are_rejected(rows: list[int], n_orders: int) -> None:
    """An overflow, also of a sum over many orders, would exclude an allowed threshold as one of too few rows."""
    ranks = np.repeat(np.arange(len(rows))[:, None], n_orders, axis=1)
    cost = np.column_stack((np.arange(len(rows)) == 4, np.arange(len(rows)) != 4)).astype(np.int64)
    with pytest.raises(RejectedError, match="too large"):
        Cases(ranks, np.column_stack((rows, np.ones(len(rows), np.int64))), cost)


def test_problems_without_a_certificate_are_refused() -> None:
    """A free first split and rule lists have no certificate."""
    from solvers.constraints import FastAndFrugal, MinSamplesLeaf

    data = sample_dataset("iris")
    tree = solved(Problem(data, Shape(max_depth=2)))
    allowed = (Shape(max_depth=2, max_leaf_nodes=4), (MinSamplesLeaf(3),))
    assert certificate(Problem(data, allowed[0], constraints=allowed[1]), tree)
    for problem in (
        Problem(data, Shape(max_depth=2), constraints=(FastAndFrugal(),)),
        Problem(data, Shape(max_depth=2), objective=Objective(free_root=True)),
    ):
        with pytest.raises(CertificateError, match="cannot describe"):
            certificate(problem, tree)
    with pytest.raises(CertificateError, match="no model"):
        certificate(Problem(data), None)
