"""The formulas for trees without mistakes, held to brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from solvers.methods.sat.formula import Formula, assignment
from solvers.methods.trees.inferdt.perfect_tree import PerfectTree
from solvers.methods.trees.inferdt.search import needed_splits
from solvers.methods.trees.smallest.cases import DistinctCases, distinct_cases
from solvers.problem import Dataset, Kind, Problem
from tests.case_count import case_count
from tests.oracle.consistent import NONE, Consistent
from tests.strategies import datasets, make_dataset


def clauses_of(formula: Formula) -> list[list[int]]:
    """The clauses as lists of literals."""
    return [clause for chunk in formula.chunks() for clause in chunk]


def formula_of(
    distinct: DistinctCases,
    examples: np.ndarray,
    depth: int,
    leaves: int | None = None,
) -> tuple[Formula, PerfectTree]:
    """A formula that is satisfiable if and only if a tree of this depth and size gets the examples right, and its tree.

    `examples`, int (n,), are the positions of the cases that count, each once; the depth is at least 0. There are at
    most so many leaves, at least 1; a tree has one split less than leaves. Whether a single leaf is enough is to be
    asked with depth 0: Theorem 2 fills a tree up with the question of its root, and a leaf has none.
    """
    draft = Formula()
    tree = PerfectTree(distinct, depth, draft)
    if leaves is not None and leaves < tree.n_leaves:
        more = tree.count_answers(draft, leaves)
        draft.add(-more[leaves, None])
    tree.add_examples(draft, examples)
    return draft, tree


def tree_of(made: tuple[Formula, PerfectTree], distinct: DistinctCases) -> dict[int, tuple[int, int]] | None:
    """The needed splits of a tree that satisfies a formula; `None` where none does."""
    formula, tree = made
    with Solver("glucose42", bootstrap_with=clauses_of(formula)) as solver:
        if not solver.solve():
            return None
        return needed_splits(distinct, tree.splits(assignment(solver.get_model(), formula.n_variables)))


def mistakes(splits: dict[int, tuple[int, int]], distinct: DistinctCases) -> int:
    """How many cases a tree cannot get right, whatever its leaves answer."""
    at = np.zeros(distinct.n_cases, np.int64)
    for slot, (order, last) in sorted(splits.items()):
        here = at == slot
        at[here] = 2 * slot + 1 + (distinct.rank[order, here] > last)
    classes = [np.bincount(distinct.label[at == slot]) for slot in np.unique(at)]
    return int(sum(counts.sum() - counts.max() for counts in classes))


@settings(derandomize=True, deadline=None, max_examples=case_count(200))
@given(dataset=datasets(max_rows=9), depth=st.integers(0, 3))
def test_depth_formula_is_brute_force(dataset: Dataset, depth: int) -> None:
    """It is satisfiable if and only if there is a tree of the depth, and every model is such a tree."""
    oracle = Consistent(dataset)
    assume(not oracle.tied)
    distinct = distinct_cases(Problem(dataset))
    formula, tree = formula_of(distinct, np.arange(distinct.n_cases), depth)
    splits = tree_of((formula, tree), distinct)
    assert (splits is not None) == (oracle.at(depth) < NONE)
    if splits is not None:
        assert mistakes(splits, distinct) == 0 and all(slot < 2**depth - 1 for slot in splits)
    clauses = clauses_of(formula)
    assert max((abs(x) for clause in clauses for x in clause), default=0) <= formula.n_variables
    assert formula.size.clauses == len(clauses)


@settings(derandomize=True, deadline=None, max_examples=case_count(200))
@given(dataset=datasets(max_rows=9), depth=st.integers(1, 3), less=st.integers(-1, 2))
def test_size_formula_is_brute_force(dataset: Dataset, depth: int, less: int) -> None:
    """It is satisfiable if and only if so many leaves suffice at the depth."""
    oracle = Consistent(dataset)
    assume(not oracle.tied and oracle.depth > 0)
    distinct, leaves = distinct_cases(Problem(dataset)), min(max(1, oracle.at(depth) - less), 2**depth + 1)
    splits = tree_of(formula_of(distinct, np.arange(distinct.n_cases), depth, leaves), distinct)
    assert (splits is not None) == (oracle.at(depth) <= leaves)
    if splits is not None:
        assert mistakes(splits, distinct) == 0 and len(splits) < leaves


def test_only_the_examples_count() -> None:
    """Cases that are not among the examples may come to any answer."""
    table = make_dataset({"a": (Kind.NUMERIC, [0, 1, 2, 3])}, [0, 1, 0, 1])
    distinct = distinct_cases(Problem(table))
    assert tree_of(formula_of(distinct, np.array([0, 1, 2, 3]), 1), distinct) is None
    assert tree_of(formula_of(distinct, np.array([0, 3]), 1), distinct) is not None
    assert tree_of(formula_of(distinct, np.array([], int), 0), distinct) is not None


@pytest.mark.parametrize("depth", (1, 2, 3))
def test_chains_have_as_many_models_as_thresholds(depth: int) -> None:
    """At a node that asks about one order, exactly the thresholds of the order satisfy the chains together."""
    values = np.arange(6)
    table = make_dataset({"a": (Kind.NUMERIC, values)}, values % 2)
    distinct = distinct_cases(Problem(table))
    formula, tree = formula_of(distinct, np.array([], int), depth)
    chosen = set()
    with Solver("glucose42", bootstrap_with=clauses_of(formula)) as solver:
        for model in solver.enum_models():
            chosen.add(tree.splits(assignment(model, formula.n_variables))[0])
            if len(chosen) == 5:
                break
    assert chosen == {(0, last) for last in range(5)}
