"""`OptimalTreeClassifier`: the tree with the fewest training errors of its size, with its proof, for scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight, check_consistent_length

from solvers.diagram import Diagram, Leaf
from solvers.errors import DataError, RunError, ShapeError
from solvers.estimators.fitted import FittedTree
from solvers.estimators.table import checked, column_names, matrix_of, policy_of, schema_of
from solvers.estimators.targets import class_cost_table, class_names, encoded_target, outcome_name
from solvers.estimators.weighting import (
    costliest,
    in_one_order,
    split_cost_in_units,
    whole_weights,
    with_weighted_fill,
)
from solvers.problem import Dataset, Limits, MissingPolicy, Objective, Problem, Shape
from solvers.problem.fitting import fitted
from solvers.run import solve
from solvers.solution import Solution, Status


class OptimalTreeClassifier(FittedTree):
    """A decision tree with the fewest (weighted) training errors among all trees of its size.

    Every threshold of every numeric column is considered, every level of a category, and both sides for missing values.
    The result does not depend on the order of the rows, and a row of weight k counts as k rows.

    Parameters
    ----------
    max_depth : the largest number of questions on a path, 0 to 20. Depth 3 is proved in about a second on most tables,
        depth 4 in seconds to minutes.
    max_leaf_nodes : the largest number of leaves; `None` for no limit besides the depth.
    time_limit : seconds of wall time for the search; `None` for no limit. If it ends the search before the proof, the
        best tree until then is kept and a `ConvergenceWarning` says how far it may be from the optimum.
    gap : how far from the optimum the tree may be: 0 proves it, a share below 1 is of the total weight, and 1 or more
        is a weight of training errors.
    min_samples_leaf : the least number of training rows of a leaf, whatever their weights.
    min_weight_fraction_leaf : the least share of the total weight that a leaf must have, 0 to 0.5.
    split_cost : what a question must save, in training errors (in weight), to be worth asking.
    class_costs : what it costs to predict class k for a row of class c, by label as `{c: {k: cost}}`, or as a table
        with a row a true and a column a predicted class in the order of `classes_`. Pairs that are not named cost 1.
        The tree, and `predict`, then choose by cost; `predict_proba` still gives shares of the training weight.
    missing : what a missing value (NaN, None, pandas.NA) means. 'information': each question sends it to the side that
        is best, or asks for it. 'impute': it counts as the median or the most frequent level, and whether it was
        missing may be asked. 'complete': it is refused.
    class_weight : weights of the classes by label, or 'balanced' for weights inversely proportional to the weight of
        the class in the training data; multiplied with `sample_weight`.
    n_jobs : threads of the search; `None` for 1, -1 for all processors. Methods that cannot share their work use one.
    memory_limit : MiB that this process may grow to; `None` for no limit.
    method : which solver, by its name in the registry (`python -m solvers methods`).
    random_state : for the parts of a method that draw random numbers.

    Attributes
    ----------
    classes_ : the class labels, sorted, (n_classes,).
    n_features_in_ : the number of columns of X.
    feature_names_in_ : their names, where X had names.
    diagram_ : the tree; leaf counts are sums of the training rows' weights.
    solution_ : what the solver said: status, cost and bound, times, trace, `verified`. Its costs are whole numbers, in
        units of `cost_unit_`; so are the leaf counts of its diagram.
    cost_ : the weight of the training rows that the tree gets wrong, or the cost of the errors and splits.
    bound_ : a proved lower bound on that for every tree of the size; `None` for heuristics. The tree is optimal
        where it equals `cost_`.
    cost_unit_ : the weight that one unit of the solver's cost stands for.
    feature_importances_ : the share of each column in the decrease of the Gini index, (n_features_in_,).

    Notes
    -----
    The solver counts in whole numbers. Sample weights (times class weights) whose ratios are simple fractions are
    exact: counts, short decimals, 'balanced'. Others are rounded to multiples of a millionth of the largest weight, or
    of a billionth of their sum if that is more, and to at least one such unit; the proof is then about the rounded
    weights. The cost of a split is rounded to a millionth of a unit, or less where many rows leave less room.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> model.solution_.status.value, model.cost_, model.bound_
    ('optimal', 6.0, 6.0)
    """

    def __init__(
        self,
        max_depth: int = 3,
        *,
        max_leaf_nodes: int | None = None,
        time_limit: float | None = 60.0,
        gap: float = 0,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        split_cost: float = 0.0,
        class_costs: Mapping[Any, Mapping[Any, float]] | Sequence[Sequence[float]] | None = None,
        missing: Literal["information", "complete", "impute"] = "information",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        n_jobs: int | None = 1,
        memory_limit: int | None = None,
        method: str = "contree",
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.time_limit = time_limit
        self.gap = gap
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.split_cost = split_cost
        self.class_costs = class_costs
        self.missing = missing
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.method = method
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != MissingPolicy.COMPLETE
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search the best tree for the training rows.

        Parameters
        ----------
        X : an array-like of numbers or texts, or a data frame whose columns keep their types, (n_samples, n_columns).
        y : the class labels, (n_samples,).
        sample_weight : at least 0, (n_samples,); a row of weight 0 counts as absent.

        Raises
        ------
        ValueError
            A parameter is out of range, the data cannot be used, or the method cannot take the problem; the classes of
            `solvers.errors` that say so are ValueErrors too.
        TypeError
            X is sparse or holds cells that are no texts, numbers, truth values or dates.
        RunError
            The method found no tree within its limits.

        Warns
        -----
        ConvergenceWarning
            A limit ended the search before the proof.
        """
        shape, policy = self._shape(), policy_of(self.missing)
        table = checked(self, X, policy, reset=True)
        self.classes_, target = encoded_target(self, y)
        check_consistent_length(table, target)
        class_costs = class_cost_table(self.class_costs, self.classes_)
        worst = costliest(class_costs)
        weight = self._weights(sample_weight, table, target)
        units = whole_weights(weight[weight > 0], worst)
        names = column_names(self)
        schema = schema_of(table, names, policy)
        matrix, target = matrix_of(table, schema)[weight > 0], target[weight > 0]
        schema = with_weighted_fill(fitted(schema, matrix), matrix, units.count)
        rows = in_one_order(matrix, target, units.count, merge=shape.min_leaf == 1)
        dataset = Dataset(
            name="training data",
            schema=schema,
            X=rows.X,
            y=rows.y,
            classes=class_names(self.classes_),
            outcome=outcome_name(y, names),
            weight=None if (rows.count == 1).all() else rows.count,
        )
        total = int(rows.count.sum())
        shape = replace(shape, min_leaf_weight=shape.min_leaf_weight * total)
        objective = Objective(class_costs, split_cost_in_units(self.split_cost, units.unit, total, worst))
        self._take(Problem(dataset, shape, objective), units.unit)
        return self

    def _shape(self) -> Shape:
        """The limits on size, the minimum weight of a leaf still as a share of the total."""
        if not 0 <= self.min_weight_fraction_leaf <= 0.5:
            raise ShapeError(
                f"min_weight_fraction_leaf must be between 0 and 0.5. Got {self.min_weight_fraction_leaf}."
            )
        return Shape(
            depth=whole(self.max_depth),
            leaves=whole(self.max_leaf_nodes),
            min_leaf=whole(self.min_samples_leaf),
            min_leaf_weight=self.min_weight_fraction_leaf,
        )

    def _weights(self, sample_weight: Any, table: Any, target: np.ndarray) -> np.ndarray:
        """Sample weights times class weights, float64 (n_samples,), at least one of them positive."""
        weight = _check_sample_weight(sample_weight, table, dtype=np.float64, ensure_non_negative=True, copy=True)
        if self.class_weight is not None:
            used = weight > 0
            present = np.unique(target[used])
            by_class = np.zeros(len(self.classes_))
            by_class[present] = compute_class_weight(
                self.class_weight,
                classes=self.classes_[present],
                y=self.classes_[target[used]],
                sample_weight=weight[used],
            )
            if not (np.isfinite(by_class).all() and (by_class >= 0).all()):
                raise DataError(f"Class weights must be finite and at least 0. Got {self.class_weight}.")
            weight *= by_class[target]
        if not weight.any():
            raise DataError("All weights are zero. At least one row needs a positive sample and class weight.")
        return weight

    def _limits(self, unit: float) -> Limits:
        seed = self.random_state
        if not isinstance(seed, Integral):
            seed = check_random_state(seed).randint(2**31 - 1)
        return Limits(
            seconds=self.time_limit,
            threads=effective_n_jobs(self.n_jobs),
            memory_mb=self.memory_limit,
            gap=_gap_in_units(self.gap, unit),
            seed=int(seed),
        )

    def _take(self, problem: Problem, unit: float) -> None:
        """Solve, refuse what is no verified tree, set the fitted attributes, and warn of what is not proved."""
        limits = self._limits(unit)
        solution = solve(problem, self.method, limits)
        if solution.status is Status.INFEASIBLE:
            raise ShapeError(solution.message)
        if solution.diagram is None or not solution.verified:
            raise RunError(f"The method '{self.method}' gave no tree that can be used. {solution.message}")
        self.solution_ = solution
        self.diagram_ = _in_units(solution.diagram, unit)
        self.cost_unit_ = unit / problem.scale
        self.cost_ = solution.cost * self.cost_unit_
        self.bound_ = None if solution.bound is None else solution.bound * self.cost_unit_
        if _ended_early(solution, limits.gap_cost(problem)):
            warnings.warn(
                f"A limit ended the search before the proof: the tree costs {self.cost_:g}, and no tree of its size "
                f"can cost less than {self.bound_:g}. Raise time_limit or memory_limit, permit a gap, or ask for a "
                f"smaller tree.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _ended_early(solution: Solution, gap: int) -> bool:
    """Whether a search that could have proved more was ended by a limit; heuristics have no bound and prove nothing."""
    return solution.status is Status.FEASIBLE and solution.bound is not None and solution.cost - solution.bound > gap


def whole(value: Any) -> Any:
    """numpy's whole numbers as Python's; anything else as it is, for `Shape` to judge."""
    return int(value) if isinstance(value, np.integer) else value


def _gap_in_units(gap: float, unit: float) -> float:
    """A gap in the user's weights as one in whole-number weights; a share of the total stays a share."""
    if gap < 1:
        return gap
    # less than one unit is none, and must not be read as a share
    return gap / unit if gap >= unit else 0.0


def _in_units(diagram: Diagram, unit: float) -> Diagram:
    """The diagram with leaf counts in the user's weights."""
    if unit == 1:
        return diagram
    nodes = (
        replace(node, counts=tuple(count * unit for count in node.counts)) if isinstance(node, Leaf) else node
        for node in diagram.nodes
    )
    return replace(diagram, nodes=tuple(nodes))
