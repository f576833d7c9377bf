"""`OptimalTreeClassifier`: the tree with the fewest training errors of its size, with its proof, for scikit-learn."""

import threading
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..certificates import OptimumReport, smallest_of, write_optimum_certificate
from ..errors import DataError
from ..methods import get
from ..problem import Limits, Objective, Shape
from ..problem.objective import ClassCosts
from .optimal import OptimalClassifier, whole
from .sample_weights import costliest, split_cost_in_units


@dataclass(eq=False, repr=False)
class OptimalTreeClassifier(OptimalClassifier):
    """A decision tree with the fewest (weighted) training errors among all trees of its size.

    Every threshold of every numeric column is considered, every level of a category, and both sides for missing values.
    The result does not depend on the order of the rows, and a row of weight k counts as k rows.

    Parameters
    ----------
    max_depth : the largest number of questions on a path, 0 to 20. Depth 3 is proved in about a second on most tables,
        depth 4 in seconds to minutes. `None` for no limit with the methods whose question is the size of the tree
        (`smallest-tree`, `inferdt-depth`, `inferdt-size`), and for 3 with the others.
    max_leaf_nodes : the largest number of leaves; `None` for no other limit than the depth.
    time_limit : seconds of wall time for the search; `None` for no limit. If it ends the search before the proof, the
        best tree so far is kept and a `ConvergenceWarning` says how far it may be from the optimum.
    gap : how far from the optimum the tree may be: 0 proves it, a share below 1 is of the total weight, and 1 or more
        is a weight of training errors.
    min_samples_leaf : the least number of training rows of a leaf, whatever their weights.
    min_weight_fraction_leaf : the least share of the total weight that a leaf must have, 0 to 0.5.
    split_penalty : what a question must save, in training errors (in weight), to be worth asking.
    constraints : what must hold of the tree: objects of `solvers.constraints`, what their JSON says of each, or a JSON
        text as the dashboard saves it, such as `[{"kind": "min-sensitivity", "share": 0.9}]`. The class to be
        found is the second of two, as scikit-learn has it, where they name none. They count rows, so that weights must
        then be whole numbers.
    class_costs : what it costs to predict class k for a row of class c, by label as `{c: {k: cost}}`, or as a table
        with a row a true and a column a predicted class in the order of `classes_`. Pairs that are not named cost 1.
        The tree, and `predict`, then choose by cost; `predict_proba` still gives shares of the training weight.
    missing : what a missing value (NaN, None, pandas.NA) means. 'information': each question sends it to the side that
        is best, or asks for it. 'impute': it counts as the median or the most frequent level, and whether it was
        missing may be asked. 'complete': it is refused.
    handle_unknown : what `predict` does with a value that no training row has, if a split asks for it: missing if all
        were known, or a level of none. 'error': an error that names column and row. 'ignore': the row goes where the
        split sends it, although nothing was learned of it.
    class_weight : weights of the classes by label, or 'balanced' for weights inversely proportional to the weight of
        the class in the training data; multiplied with `sample_weight`.
    n_jobs : threads of the search; `None` for 1, -1 for all processors. Methods that cannot share their work use one.
    memory_limit : MiB that this process may grow to; `None` for no limit.
    method : which solver, by its name in the registry (the command `methods` lists them).
    options : choices of the method by name (the command `methods METHOD` lists them); the others keep their
        defaults.
    random_state : for the parts of a method that draw random numbers.

    Attributes
    ----------
    classes_ : the class labels, sorted, (n_classes,).
    n_features_in_ : the number of columns of X.
    feature_names_in_ : their names, where X had names.
    diagram_ : the tree; leaf counts are sums of the training rows' weights.
    solution_ : what the solver said: status, cost and bound, times, trace, `verified`. Its costs are whole numbers, in
        units of `cost_unit_`; so are the leaf counts of its diagram.
    gap_ : the relative gap, (cost - bound) / cost, `None` without a bound; `ended_` : why the search ended, see
        `solvers.solution.EndReason`.
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

    max_depth: int | None = None
    _: KW_ONLY
    max_leaf_nodes: int | None = None
    split_penalty: float = 0.0
    method: str = "contree"

    def certificate(self, X: Any, y: Any, path: str | Path, sample_weight: Any = None) -> OptimumReport:
        """Write a proof that no tree costs less, a zip file that others can check with Python and numpy alone.

        Under constraints, and a limit on the leaves, it may prove that only up to the `gap` in the report.

        Parameters
        ----------
        X, y, sample_weight : what the tree was fitted to.
        path : the file to write; it is written where its check proves what it says.

        Returns
        -------
        What the check found, see `optimal`, `gap` and `fault`; nothing is proved where `time_limit` is up before.

        Raises
        ------
        CertificateError
            There can be none for such a problem.
        DataError
            These are not the rows that the tree was fitted to.
        """
        check_is_fitted(self)
        problem, _ = clone(self)._problem(X, y, sample_weight)
        found = self.solution_.diagram
        if (
            found is None
            or found.schema.names != problem.dataset.schema.names
            or (problem.cost(found.predict(problem.dataset), found.n_splits) != self.solution_.cost)
        ):
            raise DataError("The tree was fitted to other rows. Give 'certificate' the X, y and weights of 'fit'.")
        limits = Limits(seconds=self.time_limit)
        smallest = smallest_of(self.solution_)
        return write_optimum_certificate(problem, found, str(path), limits, threading.Event(), smallest)

    def _shape(self) -> Shape:
        return Shape(
            max_depth=get(self.method).default_depth if self.max_depth is None else whole(self.max_depth),
            max_leaf_nodes=whole(self.max_leaf_nodes),
        )

    def _objective(self, class_costs: ClassCosts | None, unit: float, total: int) -> Objective:
        cost = split_cost_in_units(self.split_penalty, unit, total, costliest(class_costs))
        return Objective(class_costs, cost)
