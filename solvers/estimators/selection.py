"""`OptimalTreeClassifierCV`: cross-validation chooses the size of the tree."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_consistent_length, column_or_1d

from ..errors import DataError, RunError
from ..problem import Division, Group, MissingPolicy
from ..problem.texts import one_of
from ..study.recommendation import recommend
from .fitted import FittedModel
from .table import check_reading
from .tree import OptimalTreeClassifier


@dataclass(eq=False, repr=False)
class OptimalTreeClassifierCV(FittedModel):
    """An optimal tree whose size is chosen by cross-validation.

    Repeated cross-validation chooses depth, minimum leaf size and split penalty together; CART's trees are among the
    candidates. The choice is the smallest size within one standard error of the best (Breiman, Friedman, Olshen and
    Stone, 1984, section 3.4.3). An outer loop estimates the error of the whole procedure on new rows; see
    `solvers.study.recommendation`. To compare your own choice of sizes, use scikit-learn's `GridSearchCV` over
    `OptimalTreeClassifier`.

    Parameters
    ----------
    estimator : the classifier whose size is chosen, with its other parameters; `None` for `OptimalTreeClassifier()`.
        Its `time_limit` applies to the choice, and again to the tree. Its `max_depth`, `max_leaf_nodes`,
        `min_samples_leaf`, `min_weight_fraction_leaf` and `split_penalty` are replaced.
    cv : the number of folds. The rows are divided into folds twice.

    Attributes
    ----------
    best_estimator_ : the classifier fitted to all rows.
    best_params_ : the chosen `max_depth`, `min_samples_leaf`, `split_penalty` and `method`.
    best_score_ : 1 minus the mean error cost of the choice per unit of weight.
    recommendation_ : all candidates, as a `Recommendation`; its `error` is the estimated error cost of the tree on new
        rows per unit of weight, or `None` if the time was too short to estimate it.
    classes_, n_features_in_, feature_names_in_, diagram_, solution_ : as in `OptimalTreeClassifier`.
    cost_, bound_, gap_, ended_ : as in `OptimalTreeClassifier`.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((200, 2))
    >>> y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    >>> OptimalTreeClassifierCV(cv=3).fit(X, y).get_n_leaves()
    4
    """

    estimator: OptimalTreeClassifier | None = None
    _: KW_ONLY
    cv: int = 5
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [OptimalTreeClassifier, None],
        "cv": [Integral],
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

        Parameters
        ----------
        X, y, sample_weight, sensitive_features : as in `OptimalTreeClassifier.fit`.
        groups : (n_samples,), the group of each row, such as the patient: each group is in one fold only. The number of
            folds is at most the number of groups.

        Raises
        ------
        DataError
            A row has no group, or all rows have the same group.
        RunError
            The time limit is too short to compare sizes. For other errors see `OptimalTreeClassifier.fit`.
        """
        self._check_parameters()
        rows = check_reading(self, X, one_of(MissingPolicy, self._base().missing, "missing"), reset=True)
        if len(rows) < self.cv:
            raise DataError(f"{self.cv} folds need as many rows, but n_samples = {len(rows)}. Choose fewer folds.")
        division = Division()
        if groups is not None:
            check_consistent_length(X, groups)
            division = Division(groups=Group("groups", (), _group_numbers(groups)))
        size = {"max_leaf_nodes": None, "min_samples_leaf": 1, "min_weight_fraction_leaf": 0.0, "split_penalty": 0}
        best: OptimalTreeClassifier = clone(self._base()).set_params(**size)
        problem, unit = best._problem(X, y, sample_weight, sensitive_features, division)
        if len(np.unique(problem.dataset.y)) < 2:
            raise DataError("All rows are of one class, so no size can be chosen. Add rows of another class.")
        self.recommendation_ = recommend(
            problem, best._limits(unit), method=best.method, options=best.options or {}, n_folds=int(self.cv)
        )
        choice = self.recommendation_.choice
        if choice is None:
            raise RunError("The time is too short to compare sizes. Raise the estimator's time_limit.")
        self.best_score_ = 1 - choice.mean
        self.best_params_ = {
            "max_depth": choice.max_depth,
            "min_samples_leaf": choice.min_samples_leaf,
            "split_penalty": choice.split_penalty * unit,
            "method": choice.method,
        }
        own = {} if choice.method == best.method else {"options": None}
        self.best_estimator_ = best.set_params(**self.best_params_, **own).fit(X, y, sample_weight, sensitive_features)
        names = ("classes_", "diagram_", "solution_", "cost_", "bound_", "gap_", "ended_", "feature_importances_")
        for name in names:
            setattr(self, name, getattr(best, name))
        return self


def _group_numbers(groups: Any) -> np.ndarray:
    """The group numbers of the rows, from 0, int (n_samples,); `DataError` if a row has none, or all have the same."""
    numbers: np.ndarray
    numbers, names = pd.factorize(pd.Series(column_or_1d(groups), dtype=object))
    if (numbers < 0).any():
        raise DataError(f"Every row must have a group, but row {int((numbers < 0).argmax())} has none. Add the group.")
    if len(names) < 2:
        raise DataError(f"Rows must have at least two groups, but have {len(names)}. Leave groups out.")
    return numbers
