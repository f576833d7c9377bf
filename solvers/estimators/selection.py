"""`OptimalTreeClassifierCV`: how large the tree should be, chosen by cross-validation.

CART grows one large tree and chooses among its prunings, which are nested. Optimal trees of different sizes need not be
nested, so here every size is searched anew in every fold: what is compared is what would be used.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_consistent_length, column_or_1d

from ..errors import DataError, RunError, ShapeError, UnsupportedError
from ..problem import Division, Group, Shape, Unknown
from ..sweeps.recommendation import recommend
from .fitted import FittedTree
from .optimal import whole
from .table import checked, policy_of, with_fixed_levels
from .targets import encoded_target
from .tree import OptimalTreeClassifier


@dataclass(eq=False, repr=False)
class OptimalTreeClassifierCV(FittedTree):
    """An optimal tree whose size is chosen by cross-validation.

    By default its size is the recommended one: depth, smallest leaf and the price of a split are chosen together by
    repeated cross-validation, CART's trees among those that are compared, and an outer loop says how large the error of
    a tree that is chosen like that is on new rows; see `solvers.sweeps.recommendation`. Where sizes are named, each is
    fitted in every fold, and the tree of the chosen size then to all rows. The choice is the smallest size within one
    standard error of the best (Breiman, Friedman, Olshen and Stone, 1984, section 3.4.3), since scores that close do
    not justify a larger tree.

    Parameters
    ----------
    estimator : the classifier whose size is chosen, with its other parameters; `None` for `OptimalTreeClassifier()`.
        For a recommended size its `time_limit` holds for the choice, and again for the tree; its `max_depth`,
        `max_leaf_nodes`, `min_samples_leaf`, `min_weight_fraction_leaf` and `split_penalty` give way.
    max_depths : the depths to compare; `None` for the recommended size, or with `max_leaf_nodes` for 1, 2 and 3.
    max_leaf_nodes : the limits on leaves to compare at each depth, `None` among them for no limit; `None` alone for no
        limit at all. What cannot bind at a depth counts as no limit.
    cv : the number of folds, a splitter, or splits, as in scikit-learn's `GridSearchCV`; where `fit` has groups, a
        number means folds of whole groups. For a recommended size the number of folds, which are made twice.
    scoring : one scorer or its name; `None` for accuracy. Scorers that take sample weights get those of `fit`. A
        recommended size has the least cost of errors, and takes none.
    one_standard_error : `False` chooses the best mean score, the smallest size of equals. For named sizes.
    n_jobs : processes that fit folds at the same time; `None` for 1. For named sizes.

    Attributes
    ----------
    best_estimator_ : the classifier fitted to all rows.
    best_params_ : the chosen `max_depth` and `max_leaf_nodes`; for a recommended size `max_depth`, `min_samples_leaf`,
        `split_penalty` and `method`.
    best_score_ : their mean score.
    best_index_, cv_results_ : for named sizes, as in `GridSearchCV`: the sizes in rising order, with `se_test_score`,
        the standard error of the mean.
    recommendation_ : for a recommended size, all that were compared, as a `Recommendation`; its `error` is what the
        tree's mistakes cost on new rows, a unit of weight, or `None` where the time was too short to tell.
    classes_, n_features_in_, feature_names_in_, diagram_, solution_ : as in `OptimalTreeClassifier`.
    cost_, bound_, gap_, ended_ : as there.

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

    estimator: OptimalTreeClassifier | None = None
    _: KW_ONLY
    max_depths: Sequence[int] | None = None
    max_leaf_nodes: Sequence[int | None] | None = None
    cv: Any = 5
    scoring: Any = None
    one_standard_error: bool = True
    n_jobs: int | None = None
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [OptimalTreeClassifier, None],
        "max_depths": ["array-like", None],
        "max_leaf_nodes": ["array-like", None],
        "n_jobs": [Integral, None],
    }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        return tags

    def _base(self) -> OptimalTreeClassifier:
        return OptimalTreeClassifier() if self.estimator is None else self.estimator

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, sensitive_features: Any = None
    ) -> Self:
        """Compare the sizes, choose one, and fit it to all rows.

        A text column has the same levels in every fold, so that a rare level is unknown in none.

        Parameters
        ----------
        X, y, sample_weight, sensitive_features : as in `OptimalTreeClassifier.fit`.
        groups : (n_samples,), what rows have in common, such as the patient: no group is fitted to and scored on. There
            are no more folds than groups.

        Raises
        ------
        ShapeError
            There is no size to compare, or one is out of range; for the rest see `OptimalTreeClassifier.fit`.
        DataError
            A row has no group, or all have the same.
        UnsupportedError
            A recommended size is asked for with a scorer, or with folds that are not a number.
        """
        self._check_parameters()
        for outdated in ("recommendation_", "cv_results_", "best_index_"):
            self.__dict__.pop(outdated, None)
        if groups is not None:
            groups = _group_numbers(groups)
        if self.max_depths is None and self.max_leaf_nodes is None:
            best = self._recommended(X, y, sample_weight, groups, sensitive_features)
        else:
            best = self._of_named_sizes(X, y, sample_weight, groups, sensitive_features)
        self.best_estimator_ = best
        for name in ("diagram_", "solution_", "cost_", "bound_", "gap_", "ended_", "_truth_columns"):
            setattr(self, name, getattr(best, name))
        return self

    def _recommended(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, sensitive_features: Any
    ) -> OptimalTreeClassifier:
        if self.scoring is not None or not isinstance(self.cv, Integral):
            raise UnsupportedError(
                "A recommended size has the least cost of errors over so many folds. "
                "Name max_depths for other scores, or for folds of your own."
            )
        checked(self, X, policy_of(self._base().missing), reset=True)
        size = {"max_leaf_nodes": None, "min_samples_leaf": 1, "min_weight_fraction_leaf": 0.0, "split_penalty": 0}
        base = clone(self._base()).set_params(**size)
        division = Division()
        if groups is not None:
            check_consistent_length(X, groups)
            division = Division(groups=Group("groups", (), groups))
        problem, unit = base._problem(X, y, sample_weight, sensitive_features, division)
        self.classes_ = base.classes_
        found = recommend(problem, base._limits(unit), method=base.method, options=base.options, n_folds=int(self.cv))
        choice = found.choice
        if choice is None:
            raise RunError("The time was too short to compare sizes. Raise time_limit, or name max_depths.")
        self.recommendation_ = found
        self.best_score_ = 1 - choice.mean
        self.best_params_ = {
            "max_depth": choice.max_depth,
            "min_samples_leaf": choice.min_samples_leaf,
            "split_penalty": choice.split_cost * unit,
            "method": choice.method,
        }
        own = {} if choice.method == base.method else {"options": None}
        chosen: OptimalTreeClassifier = base.set_params(**self.best_params_, **own)
        return chosen.fit(X, y, sample_weight, sensitive_features)

    def _of_named_sizes(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, sensitive_features: Any
    ) -> OptimalTreeClassifier:
        base = self._base()
        sizes = _sizes((1, 2, 3) if self.max_depths is None else self.max_depths, self.max_leaf_nodes)
        table = with_fixed_levels(checked(self, X, policy_of(base.missing), reset=True))
        self.classes_, target = encoded_target(self, y)
        check_consistent_length(table, target)
        cv = self.cv
        if groups is not None and isinstance(cv, Integral):
            cv = StratifiedGroupKFold(min(int(cv), int(groups.max()) + 1))
        search = GridSearchCV(
            # what a fold lacks is known of all rows, which the chosen tree is made of
            clone(base).set_params(handle_unknown=Unknown.IGNORE.value),
            [{name: [value] for name, value in size.items()} for size in sizes],
            scoring=self.scoring,
            n_jobs=self.n_jobs,
            cv=cv,
            refit=smallest_within_one_standard_error if self.one_standard_error else smallest_best,
            error_score="raise",
        )
        given = {"sample_weight": sample_weight, "groups": groups, "sensitive_features": sensitive_features}
        given = {name: value for name, value in given.items() if value is not None}
        search.fit(table, y if isinstance(y, pd.Series) else self.classes_[target], **given)
        self.cv_results_ = {**search.cv_results_, "se_test_score": standard_error(search.cv_results_)}
        self.best_index_, self.best_params_ = search.best_index_, search.best_params_
        self.best_score_ = float(search.cv_results_["mean_test_score"][search.best_index_])
        best: OptimalTreeClassifier = search.best_estimator_.set_params(handle_unknown=base.handle_unknown)
        return best


def _group_numbers(groups: Any) -> np.ndarray:
    """The groups of the rows as numbers from 0 on, int (n_samples,); `DataError` where a row has none, or all one."""
    numbers: np.ndarray
    numbers, names = pd.factorize(pd.Series(column_or_1d(groups), dtype=object))
    if (numbers < 0).any():
        raise DataError(f"Every row must have a group. Row {int((numbers < 0).argmax())} of groups has none.")
    if len(names) < 2:
        raise DataError(f"There must be at least two groups to divide the rows by. Got {len(names)}.")
    return numbers


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
