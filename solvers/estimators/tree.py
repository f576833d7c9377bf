"""`OptimalTreeClassifier`: the tree with the fewest training errors of its size, with its proof, for scikit-learn."""

import threading
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, ClassVar

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..certificates import OptimumReport, smallest_of, write_optimum_certificate
from ..errors import DataError
from ..problem import Limits, Objective, ShapeKind
from ..problem.objective import ClassCosts
from .optimal import OptimalClassifier
from .sample_weights import costliest, split_penalty_in_units


@dataclass(eq=False, repr=False)
class OptimalTreeClassifier(OptimalClassifier):
    """A decision tree with the fewest (weighted) training errors among all trees of its size.

    Every threshold of every numeric column is considered, every level of a category, and both branches for missing
    values. The result does not depend on the order of the rows, and a row of weight k counts as k rows.

    Parameters
    ----------
    max_depth : the maximum number of splits on a path, 0 to 20. Depth 3 is proved optimal in about a second on most
        tables, depth 4 in seconds to minutes. `None` means no limit for the methods that minimise the size of the tree
        (`smallest-tree`, `inferdt-depth`, `inferdt-size`), and 3 for the others.
    max_leaf_nodes : the maximum number of leaves; `None` for no limit other than the depth.
    time_limit : seconds of wall time for the search; `None` for no limit. If it ends the search before the proof, the
        best tree so far is kept and a `ConvergenceWarning` says how far it may be from the optimum.
    gap : the permitted distance from the optimum: 0 for a proof of optimality, below 1 a share of the total weight, and
        1 or more a weight of training errors.
    min_samples_leaf : the minimum number of training rows of a leaf, whatever their weights.
    min_weight_fraction_leaf : the minimum share of the total weight of a leaf, 0 to 0.5.
    split_penalty : the training errors (in weight) that a split must save to be worth including.
    constraints : constraints on the tree: objects of `solvers.constraints`, their JSON values, or a JSON text as saved
        by the dashboard, such as `[{"kind": "min-sensitivity", "share": 0.9}]`. If a constraint names no positive
        class, it is the second of two, as in scikit-learn. Constraints count rows, so weights must then be integers.
    class_costs : the cost of predicting class k for a row of class c, by label as `{c: {k: cost}}`, or as a table with
        a row for each true and a column for each predicted class, in the order of `classes_`. Pairs that are not listed
        cost 1. The tree, and `predict`, then minimise cost; `predict_proba` still returns shares of the training
        weight.
    treatment_threshold : the predicted risk of the second class from which you act, such as 0.1. It sets `class_costs`
        so that the optimal tree has the highest net benefit at this threshold on the training rows (without a split
        penalty). Not together with `class_costs`.
    missing : what a missing value (NaN, None, pandas.NA) means. 'information': each split sends it to the better
        branch, or tests for it. 'impute': it is replaced by the median or the most frequent level, and splits may test
        whether it was missing. 'complete': it is refused.
    handle_unknown : what `predict` does if a split needs a value that no training row has: a missing value if none was
        missing in training, or a level without training rows. 'error': raise an error that names column and row.
        'ignore': follow the split's branch for it, although no training row supports it.
    class_weight : weights of the classes by label, or 'balanced' for weights inversely proportional to the weight of
        the class in the training data; multiplied with `sample_weight`.
    n_jobs : threads of the search; `None` for 1, -1 for all processors. Methods that do not support parallel search use
        one.
    memory_limit : maximum size of this process, in MiB; `None` for no limit.
    method : the solver's name in the registry (the command `methods` lists them).
    options : options of the method by name (the command `methods METHOD` lists them); the others keep their defaults.
    random_state : the seed for methods that draw random numbers.

    Attributes
    ----------
    classes_ : the class labels, sorted, (n_classes,).
    n_features_in_ : the number of columns of X.
    feature_names_in_ : their names, if X had names.
    diagram_ : the tree; leaf counts are sums of the training rows' weights.
    solution_ : the solver's result: status, cost and bound, times, trace, `verified`. Its costs are integers, in units
        of `cost_unit_`; so are the leaf counts of its diagram.
    gap_ : the optimality gap, (cost - bound) / cost, `None` without a bound.
    ended_ : why the search ended, see `solvers.solution.EndReason`.
    cost_ : the weight of the misclassified training rows, or the cost of the errors and splits.
    bound_ : a proved lower bound on that for every tree of the size; `None` for heuristics. The tree is optimal if it
        equals `cost_`.
    cost_unit_ : the weight that one unit of the solver's cost represents.
    feature_importances_ : the share of each column in the decrease of the Gini index, (n_features_in_,).

    Notes
    -----
    The solver counts in integers. Sample weights (times class weights) whose ratios are simple fractions are exact:
    counts, short decimals, 'balanced'. Others are rounded to multiples of a millionth of the largest weight, or of a
    billionth of their sum if that is more, and to at least one such unit; the proof then holds for the rounded weights.
    The split penalty is rounded to a millionth of a unit, or less precisely if many rows leave less room.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> model.solution_.status.value, model.cost_, model.bound_
    ('optimal', 6.0, 6.0)
    """

    max_depth: int | None = None
    _: KW_ONLY
    max_leaf_nodes: int | None = None
    split_penalty: float = 0.0
    method: str = "contree"
    _kind: ClassVar = ShapeKind.TREE

    def certificate(self, X: Any, y: Any, path: str | Path, sample_weight: Any = None) -> OptimumReport:
        """Write a proof that no tree costs less, as a zip file that others can check with Python and numpy alone.

        Under constraints and a limit on the leaves, the proof may hold only up to the `gap` in the report.

        Parameters
        ----------
        X, y, sample_weight : the training data of the tree.
        path : the file to write; it is written only if its check confirms the proof.

        Returns
        -------
        The result of the check, see `optimal`, `gap` and `fault`; nothing is proved if `time_limit` expires first.

        Raises
        ------
        CertificateError
            A certificate is not possible for such a problem.
        DataError
            These are not the training rows of the tree.
        """
        check_is_fitted(self)
        problem, _ = clone(self)._problem(X, y, sample_weight)
        found = self.solution_.diagram
        if (
            found is None
            or found.schema.names != problem.dataset.schema.names
            or (problem.cost(found.predict(problem.dataset), found.n_splits) != self.solution_.cost)
        ):
            raise DataError("The tree was fitted to other rows. Pass 'certificate' the X, y and weights of 'fit'.")
        limits = Limits(seconds=self.time_limit)
        smallest = smallest_of(self.solution_)
        return write_optimum_certificate(problem, found, str(path), limits, threading.Event(), smallest)

    def _objective(self, class_costs: ClassCosts | None, unit: float, total: int) -> Objective:
        cost = split_penalty_in_units(self.split_penalty, unit, total, costliest(class_costs))
        return Objective(class_costs, cost)
