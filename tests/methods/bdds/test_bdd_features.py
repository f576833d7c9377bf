"""The variables of BDDs: informative features, and distinguishable rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from solvers.messages import describe_result
from solvers.methods import get
from solvers.methods.features import features_of
from solvers.problem import Kind, Objective, Problem, Shape, ShapeKind, binary_view
from tests.case_count import case_count
from tests.methods.running import solve
from tests.strategies import make_dataset, problems

TABLE = make_dataset(
    {
        "a": (Kind.BINARY, [0, 0, 1, 1, 0]),
        "same": (Kind.BINARY, [0, 0, 1, 1, 0]),
        "other way": (Kind.BINARY, [1, 1, 0, 0, 1]),
        "constant": (Kind.BINARY, [1, 1, 1, 1, 1]),
        "b": (Kind.BINARY, [0, 1, 1, 1, 0]),
    },
    [0, 1, 1, 0, 0],
    weight=[1, 2, 1, 3, 1],
)


class TestFeatures:
    """The features that are kept, and their meaning."""

    def test_keeps_one_of_equal_splits(self) -> None:
        """Constant splits are dropped, and those with an earlier one's partition of the rows, in either direction."""
        features = features_of(Problem(TABLE))
        assert [p.column for p in features.predicates] == ["a", "b"]

    def test_merges_equal_rows(self) -> None:
        """Rows with the same features are merged, with the weights of their classes and the cost of each prediction."""
        features = features_of(Problem(TABLE, objective=Objective(class_costs=((0, 1), (5, 0)))))
        assert len(features.rows) == 3
        together = features.cases.of_row[2]
        assert features.cases.of_row[3] == together and features.cases.of_row[0] == features.cases.of_row[4]
        assert features.cases.class_weight[together].tolist() == [3, 1]
        assert features.cases.cost[together].tolist() == [5, 3]
        assert features.cases.regret[together].tolist() == [2, 0]
        assert features.cases.base == 3

    def test_reports_contradictory_rows(self) -> None:
        """Rows that equal a row of another class are reported by their numbers in the file."""
        problem = Problem(replace(TABLE, rows=np.array([11, 12, 13, 14, 15])), Shape(ShapeKind.BDD))
        assert features_of(problem).cases.contradictory(problem.dataset.rows).tolist() == [13, 14]
        solution = solve(get("oodg"), problem).solution
        assert solution.details.contradictory == (13, 14)
        assert "rows 13, 14 equal rows of another outcome" in describe_result(problem, solution)

    def test_reports_omitted_thresholds(self) -> None:
        """With more values than bins quantiles are offered, and this is recorded."""
        few = make_dataset({"x": (Kind.NUMERIC, range(10))}, [0, 1] * 5)
        many = make_dataset({"x": (Kind.NUMERIC, range(11))}, [0, 1] * 5 + [0])
        assert not features_of(Problem(few)).thinned and len(features_of(Problem(few))) == 9
        assert features_of(Problem(many)).thinned and len(features_of(Problem(many))) == 9
        assert not features_of(Problem(many), "all").thinned and len(features_of(Problem(many), "all")) == 10

    @settings(derandomize=True, deadline=None, max_examples=case_count(100))
    @given(problem=problems(max_rows=12))
    def test_loses_nothing(self, problem: Problem) -> None:
        """Every offered split is its feature, or the opposite; rows, weights and costs are those of the table."""
        features, view = features_of(problem, "all"), binary_view(problem.dataset)
        assert features.offered == view.predicates
        distinct = {bits.tobytes() for column in features.bits.T for bits in (column, 1 - column)}
        assert len(distinct) == 2 * len(features)
        assert all(bits.tobytes() in distinct or len(set(bits.tolist())) == 1 for bits in view.bits.T)
        assert (features.rows[features.cases.of_row] == features.bits).all()
        assert len(np.unique(features.rows, axis=0)) == len(features.rows)
        for row in range(len(features.rows)):
            here = features.cases.of_row == row
            by_class = np.bincount(problem.dataset.y[here], problem.weights[here], problem.dataset.n_classes)
            assert features.cases.class_weight[row].tolist() == by_class.tolist()
        assert features.cases.base + features.cases.regret.sum() >= problem.unavoidable_cost
        assert features.cases.base == int(features.cases.cost.min(axis=1).sum())
