"""Certificates that no smaller tree costs as little, compared with enumeration of all trees over the cases."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from solvers.certificates import check_optimum, make_optimum_certificate, smallest_of
from solvers.certificates.optimum_checker import check
from solvers.certificates.optimum_words import MAIN, README, depth_of, readme, splits
from solvers.diagram import Diagram
from solvers.methods import get
from solvers.methods.trees.smallest.cases import distinct_cases
from solvers.problem import Kind, Problem, Shape
from solvers.solution import Criterion, Status
from tests.case_count import case_count
from tests.certificates.tables import checkerboard, csv_text, random_problem
from tests.methods.running import solve
from tests.oracle.consistent import NONE, Consistent
from tests.strategies import make_dataset


def smallest_tree(
    problem: Problem, method: str = "smallest-tree", **options: str
) -> tuple[Diagram | None, Criterion | None]:
    """The tree of a method for smallest trees, and the criterion that its certificate should claim."""
    solution = solve(get(method, **options), problem).solution
    return solution.diagram, smallest_of(solution)


@pytest.mark.parametrize("question", list(Criterion))
@pytest.mark.parametrize("seed", range(case_count(36)))
def test_the_smallest_tree_is_certified_and_a_larger_one_is_not(seed: int, question: Criterion) -> None:
    """The certificate holds for the cases and for the table; the claimed sizes are those of exhaustive search."""
    problem = random_problem(seed)
    method = {"method": "inferdt-depth"} if question is Criterion.DEPTH_ALONE else {"minimize": str(question)}
    tree, criterion = smallest_tree(problem, **method)
    distinct = distinct_cases(problem)
    fewest = [Consistent(problem).at(depth) for depth in range(6)]
    if tree is None or distinct.tied:
        assert criterion is None or tree is None
        return
    assert criterion is question
    files = make_optimum_certificate(problem, tree, smallest=criterion)
    report = check_optimum(files.__getitem__)
    assert report.optimal, report.fault
    assert check(files.__getitem__, table=csv_text(problem.dataset)) == check(files.__getitem__)
    claim = json.loads(files[MAIN])
    depth, leaves = depth_of(claim["tree"]), splits(claim["tree"]) + 1
    least = min(d for d, n in enumerate(fewest) if n < NONE)
    if question is not Criterion.NODES:
        assert depth == least
    if question is not Criterion.DEPTH_ALONE:
        assert leaves == fewest[least if question is Criterion.DEPTH else problem.size.max_depth]
    larger = solve(get("contree"), replace(problem, shape=Shape(max_depth=problem.size.max_depth))).solution.diagram
    planted = make_optimum_certificate(problem, larger, smallest=Criterion.DEPTH)
    claim = json.loads(planted[MAIN])
    found = check(planted.__getitem__)
    assert found.proved == (depth_of(claim["tree"]) == least and splits(claim["tree"]) + 1 == fewest[least])


def test_a_limit_on_leaves_is_part_of_the_claim() -> None:
    """A shallower tree with more leaves does not count."""
    problem = checkerboard()
    tree, criterion = smallest_tree(problem)
    assert tree is not None and criterion is Criterion.DEPTH
    limited = replace(problem, shape=Shape(max_depth=6, max_leaf_nodes=tree.n_leaves))
    files = make_optimum_certificate(limited, tree, smallest=criterion)
    assert check(files.__getitem__).proved
    assert f"with at most {tree.n_leaves - 1} splits has a cost as low" in files[README].decode()


def test_a_smaller_claim_than_the_tree_is_rejected() -> None:
    """With a split penalty, a gap or constraints there is no claim about smaller trees."""
    problem = random_problem(2)
    tree, criterion = smallest_tree(problem)
    files = make_optimum_certificate(problem, tree, smallest=criterion)
    for change in ({"price": 1}, {"gap": 1}, {"tree": {**json.loads(files[MAIN])["tree"], "fixed": True}}):
        claim = {**json.loads(files[MAIN]), **change}
        text = readme(claim, 0)
        report = check_optimum({**files, MAIN: json.dumps(claim).encode(), README: text.encode()}.__getitem__)
        assert "Smaller trees" in report.fault


def test_a_tied_choice_of_classes_claims_no_smallest_tree() -> None:
    """With the other class of the two contradictory rows a leaf would suffice; the cost is still certified."""
    problem = Problem(make_dataset({"a": (Kind.NUMERIC, [0, 1, 1])}, [1, 0, 1]), Shape(max_depth=2))
    tree, criterion = smallest_tree(problem)
    assert tree is not None and criterion is None
    assert check(make_optimum_certificate(problem, tree).__getitem__).proved
    planted = make_optimum_certificate(problem, tree, smallest=Criterion.DEPTH)
    assert check(planted.__getitem__).proved == (tree.depth == 0)


def test_methods_that_minimize_cost_claim_nothing_about_smaller_trees() -> None:
    """An optimal tree with errors may have unnecessary splits."""
    solution = solve(get("contree"), checkerboard(2)).solution
    assert solution.status is Status.OPTIMAL and smallest_of(solution) is None
