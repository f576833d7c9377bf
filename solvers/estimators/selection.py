"""`OptimalTreeClassifierCV`: how large the tree should be, chosen by cross-validation.

CART grows one large tree and chooses among its prunings, which are nested. Optimal trees of different sizes need not be
nested, so here every size is searched anew in every fold: what is compared is what would be used.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_consistent_length

from solvers.errors import ShapeError
from solvers.estimators.fitted import FittedTree
from solvers.estimators.optimal import whole
from solvers.estimators.table import checked, policy_of, with_fixed_levels
from solvers.estimators.targets import encoded_target
from solvers.estimators.tree import OptimalTreeClassifier
from solvers.problem import Shape, Unknown


class OptimalTreeClassifierCV(FittedTree):
    """An optimal tree whose size is chosen by cross-validation.

    Every size is fitted in every fold; the tree of the chosen size is then fitted to all rows. By default the choice is
    the smallest size whose mean score lies within one standard error of the best (Breiman, Friedman, Olshen and Stone,
    1984, section 3.4.3), since scores that close do not justify a larger tree.

    Parameters
    ----------
    estimator : the classifier whose size is chosen, with its other parameters; `None` for `OptimalTreeClassifier()`.
    max_depths : the depths to compare.
    max_leaf_nodes : the limits on leaves to compare at each depth, `None` among them for no limit; `None` alone for no
        limit at all. What cannot bind at a depth counts as no limit.
    cv : the number of folds, a splitter, or splits, as in scikit-learn's `GridSearchCV`.
    scoring : one scorer or its name; `None` for accuracy. Scorers that take sample weights get those of `fit`.
    one_standard_error : `False` chooses the best mean score, the smallest size of equals.
    n_jobs : processes that fit folds at the same time; `None` for 1.

    Attributes
    ----------
    best_estimator_ : the classifier fitted to all rows.
    best_params_ : the chosen `max_depth` and `max_leaf_nodes`.
    best_index_ : their position in `cv_results_`.
    best_score_ : their mean score.
    cv_results_ : as in `GridSearchCV`, the sizes in rising order, with `se_test_score`, the standard error of the mean.
    classes_, n_features_in_, feature_names_in_, diagram_, solution_, cost_, bound_ : as in `OptimalTreeClassifier`.

    Notes
    -----
    The size is the largest number of leaves that is permitted, then the depth. The standard error is that of the mean
    over the folds (Hastie, Tibshirani and Friedman, 2009, section 7.10), which holds for any score.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((200, 2))
    >>> y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    >>> OptimalTreeClassifierCV(max_depths=(1, 2, 3)).fit(X, y).best_params_
    {'max_depth': 2, 'max_leaf_nodes': None}
    """

    def __init__(
        self,
        estimator: OptimalTreeClassifier | None = None,
        *,
        max_depths: Sequence[int] = (1, 2, 3),
        max_leaf_nodes: Sequence[int | None] | None = None,
        cv: Any = 5,
        scoring: Any = None,
        one_standard_error: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.max_depths = max_depths
        self.max_leaf_nodes = max_leaf_nodes
        self.cv = cv
        self.scoring = scoring
        self.one_standard_error = one_standard_error
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        return tags

    def _base(self) -> OptimalTreeClassifier:
        return OptimalTreeClassifier() if self.estimator is None else self.estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Compare the sizes, choose one, and fit it to all rows.

        A text column has the same levels in every fold, so that a rare level is unknown in none.

        Raises
        ------
        ShapeError
            There is no size to compare, or one is out of range; for the rest see `OptimalTreeClassifier.fit`.
        """
        base = self._base()
        sizes = _sizes(self.max_depths, self.max_leaf_nodes)
        table = with_fixed_levels(checked(self, X, policy_of(base.missing), reset=True))
        self.classes_, target = encoded_target(self, y)
        check_consistent_length(table, target)
        search = GridSearchCV(
            # what a fold lacks is known of all rows, which the chosen tree is made of
            clone(base).set_params(unknown=Unknown.FOLLOW.value),
            [{name: [value] for name, value in size.items()} for size in sizes],
            scoring=self.scoring,
            n_jobs=self.n_jobs,
            cv=self.cv,
            refit=smallest_within_one_standard_error if self.one_standard_error else smallest_best,
            error_score="raise",
        )
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        search.fit(table, y if isinstance(y, pd.Series) else self.classes_[target], **weights)
        self.cv_results_ = {**search.cv_results_, "se_test_score": standard_error(search.cv_results_)}
        self.best_index_, self.best_params_ = search.best_index_, search.best_params_
        self.best_score_ = float(search.cv_results_["mean_test_score"][search.best_index_])
        self.best_estimator_ = best = search.best_estimator_.set_params(unknown=base.unknown)
        self.diagram_, self.solution_, self.cost_, self.bound_ = best.diagram_, best.solution_, best.cost_, best.bound_
        return self


def _sizes(depths: Iterable[int], leaves: Iterable[int | None] | None) -> list[dict[str, int | None]]:
    """The different sizes, the smallest first: by the leaves that are permitted, then by depth."""
    sizes: dict[tuple[int, int], dict[str, int | None]] = {}
    for depth in depths:
        for limit in [None] if leaves is None else leaves:
            shape = Shape(max_depth=whole(depth), max_leaf_nodes=whole(limit))
            # n leaves have no path of n questions
            reach = shape.max_depth if shape.max_leaf_nodes is None else min(shape.max_depth, shape.max_leaf_nodes - 1)
            most = 2**reach if shape.max_leaf_nodes is None else min(shape.max_leaf_nodes, 2**reach)
            sizes[most, reach] = {"max_depth": reach, "max_leaf_nodes": most if most < 2**reach else None}
    if not sizes:
        raise ShapeError("There must be at least one size to compare. Name a depth in max_depths.")
    return [sizes[key] for key in sorted(sizes)]


def standard_error(cv_results: Mapping[str, Any]) -> np.ndarray:
    """The standard error of each candidate's mean score over the folds, float64 (n_candidates,); 0 for one fold."""
    scores = np.array([cv_results[f"split{k}_test_score"] for k in range(_n_splits(cv_results))])
    if len(scores) < 2:
        return np.zeros(scores.shape[1])
    errors: np.ndarray = scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
    return errors


def smallest_within_one_standard_error(cv_results: Mapping[str, Any]) -> int:
    """The first candidate whose mean score is within one standard error of the best; a `refit` for `GridSearchCV`.

    The candidates must stand in rising order of size.
    """
    mean = np.asarray(cv_results["mean_test_score"])
    best = int(mean.argmax())
    return int(np.flatnonzero(mean >= mean[best] - standard_error(cv_results)[best])[0])


def smallest_best(cv_results: Mapping[str, Any]) -> int:
    """The first candidate with the best mean score."""
    return int(np.asarray(cv_results["mean_test_score"]).argmax())


def _n_splits(cv_results: Mapping[str, Any]) -> int:
    return sum(key.startswith("split") and key.endswith("_test_score") for key in cv_results)
