"""`BinaryDecisionDiagramClassifier` and `DecisionDiagramClassifier`: models with merging paths, for scikit-learn."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from msgspec.structs import replace

from ..problem import Objective, ShapeKind
from ..problem.objective import ClassCosts
from ..problem.skeleton import objective_of, read_widths
from ..request import Request
from .optimal import OptimalClassifier, whole
from .sample_weights import costliest, split_penalty_in_units


@dataclass(eq=False, repr=False)
class BinaryDecisionDiagramClassifier(OptimalClassifier):
    """A binary decision diagram (BDD) with the fewest (weighted) training errors among all BDDs with as many levels.

    A BDD applies the same few splits in the same order to every row, and equivalent paths are merged. The splits and
    the prediction for each combination of outcomes are optimised together. The result does not depend on the order of
    the rows, and a row of weight k counts as k rows.

    Parameters
    ----------
    max_depth : the number of levels, that is the maximum number of different splits, 0 to 20. Up to 6 are mostly proved
        optimal within seconds.
    max_splits : the maximum number of internal nodes; `None` for no limit.
    min_samples_leaf : the minimum number of training rows of each class that is predicted at all, whatever their
        weights.
    min_weight_fraction_leaf : the minimum share of the total weight of such a class, 0 to 0.5.
    time_limit, gap, constraints, class_costs, treatment_threshold, missing : as in `OptimalTreeClassifier`.
    handle_unknown, class_weight, n_jobs, memory_limit, random_state : as in `OptimalTreeClassifier`.
    split_penalty : the training errors (in weight) that an internal node must save to be worth including.
    method : the solver's name in the registry (`python -m solvers methods`).
    options : options of the method by name, such as `{"thresholds": "all", "empty_cells": "parent"}` (`python -m
        solvers methods bdd-search` lists them); the others keep their defaults.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_, solution_ : as in `OptimalTreeClassifier`.
    cost_, bound_, gap_, ended_, cost_unit_ : as in `OptimalTreeClassifier`.
    diagram_ : the BDD; it has one leaf for each class that it predicts.
    feature_importances_ : the share of each column in the decrease of the Gini index over the nodes, (n_features_in_,).

    Notes
    -----
    By default, the thresholds of a column with many values are its quantiles, and the proof holds for these splits.
    With the option 'thresholds' set to 'all', every threshold is considered.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BinaryDecisionDiagramClassifier(max_depth=2, options={"thresholds": "all"}).fit(X, y)
    >>> model.solution_.status.value, model.cost_, model.get_n_leaves()
    ('optimal', 6.0, 3)
    """

    max_depth: int = 4
    _: KW_ONLY
    max_splits: int | None = None
    split_penalty: float = 0.0
    method: str = "bdd-search"
    _kind: ClassVar = ShapeKind.BDD

    def _objective(self, class_costs: ClassCosts | None, unit: float, total: int) -> Objective:
        return Objective(class_costs, split_penalty_in_units(self.split_penalty, unit, total, costliest(class_costs)))


@dataclass(eq=False, repr=False)
class DecisionDiagramClassifier(OptimalClassifier):
    """A decision diagram with the minimum sum of (weighted) training errors and split penalties within a skeleton.

    Paths may merge, so different rows share the splits that follow. Splits and arcs are optimised together (Florio,
    Martins, Schiffer, Serra and Vidal, 2023).

    Parameters
    ----------
    skeleton : the maximum number of splits in each layer from the root, as a preset's name 'I' to 'IV', a text such as
        '1 2 4 8', or numbers. Arcs lead to the next layer or to a leaf.
    alpha : the complexity parameter, at least 0: fifteen splits cost as much as `alpha` errors in every row.
    max_splits : the maximum number of splits of the whole diagram; `None` for no limit.
    split_features : the maximum number of columns in a weighted sum; 1 for splits on one column, `None` for any number.
    min_samples_leaf : the minimum number of training rows of each class that is predicted at all, whatever their
        weights.
    min_weight_fraction_leaf : the minimum share of the total weight of such a class, 0 to 0.5.
    time_limit, gap, constraints, class_costs, treatment_threshold, missing : as in `OptimalTreeClassifier`.
    handle_unknown, class_weight, n_jobs, memory_limit, random_state : as in `OptimalTreeClassifier`.
    method : the solver's name in the registry (`python -m solvers methods`).
    options : options of the method by name (`python -m solvers methods METHOD` lists them); the others keep their
        defaults.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_, solution_ : as in `OptimalTreeClassifier`.
    cost_, bound_, gap_, ended_, cost_unit_ : as in `OptimalTreeClassifier`.
    diagram_ : the decision diagram; it has one leaf for each class that it predicts.
    feature_importances_ : the share of each column in the decrease of the Gini index over the splits, divided equally
        among the columns of a split, (n_features_in_,).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DecisionDiagramClassifier(alpha=1.0).fit(X, y)
    >>> model.solution_.status.value, model.diagram_.n_splits, model.score(X, y)
    ('optimal', 2, 0.96)
    """

    skeleton: str | Sequence[int] = "I"
    _: KW_ONLY
    alpha: float = 0.1
    max_splits: int | None = None
    split_features: int | None = 1
    method: str = "odd-search"
    _kind: ClassVar = ShapeKind.DIAGRAM

    def _request(self) -> Request:
        skeleton, combined = self.skeleton, self.split_features
        widths = read_widths(skeleton) if isinstance(skeleton, str) else tuple(map(whole, skeleton))
        return replace(
            super()._request(), skeleton=widths, split_features="any" if combined is None else whole(combined)
        )

    def _objective(self, class_costs: ClassCosts | None, unit: float, total: int) -> Objective:
        priced = objective_of(self.alpha, total, base=Objective(class_costs))
        cost = split_penalty_in_units(priced.split_penalty, 1.0, total, costliest(class_costs))
        return Objective(class_costs, cost, free_root=True)
