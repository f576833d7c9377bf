"""The formulas of SAT and MaxSAT for BDDs count what they should."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.methods.bdds.sat.models import BddModel, size_of
from solvers.methods.cases import Cases
from solvers.methods.features import features_of
from solvers.methods.sat.demands import ClassDemands
from solvers.methods.sat.formula import Formula
from solvers.methods.sat.oracle import Oracle
from solvers.methods.sat.totalizer import BinarySum, totalizer
from tests.case_count import case_count
from tests.methods.bdds.bit_tables import bdd, table

FEW = settings(derandomize=True, deadline=None, max_examples=case_count(40))


def assignments(formula: Formula, *variables: np.ndarray) -> int:
    """How many assignments of some variables can be extended to all of them."""
    shown = np.unique(np.abs(np.concatenate([v.ravel() for v in variables]))).tolist()
    with Oracle(formula, lambda: False) as oracle:
        n = 0
        while oracle.solve():
            n += 1
            true = oracle.true()
            oracle.solver.add_clause([-v if true[v] else v for v in shown])
    return n


class TestFormulas:
    """The models of the formulas are what they stand for, one for one."""

    @pytest.mark.parametrize("n", [1, 2, 3, 5])
    def test_at_most_one(self, n: int) -> None:
        """Of n variables none or one is true: n + 1 assignments, in 3 n - 4 clauses."""
        formula = Formula()
        x = formula.variables(2, n)
        formula.at_most_one(x)
        assert assignments(formula, x) == (n + 1) ** 2
        assert formula.size.clauses == 2 * max(0, 3 * n - 4)

    @FEW
    @given(weights=st.lists(st.integers(1, 5), min_size=1, max_size=6), cap=st.integers(1, 12))
    def test_totalizer(self, weights: list[int], cap: int) -> None:
        """Forbidding all sums of at least `cap` leaves the sets of literals that weigh less."""
        formula = Formula()
        x = formula.variables(len(weights))
        counted = totalizer(formula, -x, np.array(weights), cap)
        formula.add(-counted.outputs[counted.sums >= cap][:, None])
        expected = sum(sum(w for w, on in zip(weights, f"{i:06b}", strict=False) if on == "1") < cap for i in range(64))
        assert assignments(formula, x) == expected // 2 ** (6 - len(weights))

    @FEW
    @given(weights=st.lists(st.integers(1, 2**31), max_size=6), share=st.fractions(0, 1))
    def test_binary_sum(self, weights: list[int], share: Fraction) -> None:
        """Each set of literals that weighs no more than a limit is one model, whatever the weights, and no other is."""
        formula = Formula()
        x, most = formula.variables(6), int(share * sum(weights))
        BinarySum(formula, -x[: len(weights)], np.array(weights, np.int64)).limit(formula, most)
        sums = [sum(w for w, on in zip(weights, case, strict=False) if on) for case in product((0, 1), repeat=6)]
        assert assignments(formula, x) == sum(total <= most for total in sums)
        assert assignments(formula, np.arange(1, formula.n_variables + 1)) == sum(total <= most for total in sums)

    @pytest.mark.parametrize(
        ("depth", "n_features", "n_classes"), [(1, 1, 2), (1, 3, 3), (2, 2, 2), (2, 4, 2), (2, 3, 3)]
    )
    def test_structure_counts_sets_and_tables(
        self, depth: int, n_features: int, n_classes: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without rows that demand anything, models are the sets of questions times the tables that are not constant.

        These are K! / (H! (K - H)!) sets, and c^(2^H) - c tables.
        """
        nothing = ClassDemands(np.zeros(0, np.int64), np.zeros((0, n_classes), bool), np.zeros(0, np.int64))
        monkeypatch.setattr(ClassDemands, "hard", lambda cases: nothing)
        monkeypatch.setattr(Cases, "useful_classes", np.arange(n_classes))
        bits = np.array(list(product((0, 1), repeat=n_features)))
        labels = (np.arange(len(bits)) % n_classes).tolist()
        features = features_of(bdd(table(bits, labels, n_classes=n_classes), depth))
        model = BddModel(features, depth, soft=False)
        expected = comb(n_features, depth) * (n_classes ** (2**depth) - n_classes)
        assert assignments(model.formula, model.order, model.answers.literal) == expected

    @pytest.mark.parametrize("seed", range(case_count(12)))
    def test_models_are_the_tables_without_avoidable_errors(self, seed: int) -> None:
        """With rows, models are the sets and tables that give every row a class of least cost."""
        rng = np.random.default_rng(seed)
        n_classes, n_columns, depth = 2 + seed % 2, 4, 2
        bits = rng.integers(0, 2, (5, n_columns))
        wanted = (bits[:, 1] if seed % 6 < 3 else bits[:, 0] ^ bits[:, 2]) % n_classes
        features = features_of(bdd(table(bits, wanted.tolist(), n_classes=n_classes), depth))
        cases = features.cases
        model = BddModel(features, depth, soft=False)
        expected = sum(
            cases.regret[np.arange(len(cases)), np.array(labels)[features.rows[:, chosen] @ [2, 1]]].sum() == 0
            and len(set(labels)) > 1
            for chosen in map(list, combinations(range(len(features)), depth))
            for labels in product(cases.useful_classes.tolist(), repeat=4)
        )
        assert assignments(model.formula, model.order, model.answers.literal) == expected

    @pytest.mark.parametrize(("n_columns", "depth"), [(1, 1), (2, 2), (4, 2), (5, 3)])
    def test_size_in_closed_form(self, n_columns: int, depth: int) -> None:
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
