"""What every fitted classifier can do: predict, trace paths, and describe its model."""

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_is_fitted

from ..diagram import Diagram, from_dict, render, to_dict, to_dot, to_rules
from ..errors import FileError, ParameterError, RenderError
from ..problem import Dataset, Unknown
from ..problem.texts import one_of
from ..run.records import to_plain
from ..run.wire import solution_from_json
from ..solution import Solution
from .table import check_reading, matrix_of

_WRITTEN: dict[str, tuple[Callable[[Any], dict[str, Any]], Callable[[dict[str, Any]], Any]]] = {
    "diagram_": (to_dict, from_dict),
    "solution_": (to_plain, solution_from_json),
}
"""Serialisers and parsers of attributes that are not plain values."""


class Drawing(str):
    """SVG text that a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


class FittedModel(ClassifierMixin, BaseEstimator):
    """The prediction side of a classifier with a tree, BDD or decision diagram; `fit` sets the attributes.

    Attributes
    ----------
    classes_ : the class labels, sorted, (n_classes,).
    n_features_in_ : the number of columns of X.
    feature_names_in_ : their names, if X had names.
    diagram_ : the model; node 0 is the root, children follow their parents.
    solution_ : the solver's result: status, integer cost and bound, times, trace, `verified`.
    cost_ : the weighted training errors (plus any other terms of the objective), in units of the sample weights.
    bound_ : a proved lower bound on that cost for every allowed model; `None` for heuristics.
    gap_, ended_ : the optimality gap, (cost - bound) / cost, and why the search ended.
    feature_importances_ : the share of each column in the decrease of the Gini index, (n_features_in_,).
    """

    handle_unknown: str = Unknown.ERROR.value
    classes_: np.ndarray
    diagram_: Diagram
    solution_: Solution
    cost_: float
    bound_: float | None
    gap_: float | None
    ended_: str
    feature_importances_: np.ndarray
    # the headers of the frame given to fit, as texts; None for an array
    _headers: tuple[str, ...] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """The attributes with the model in serialised form.

        Libraries that store estimators without pickle, such as skops, support plain values, and would store an enum as
        text.
        """
        state: dict[str, Any] = dict(super().__getstate__())
        for name, (write, _) in _WRITTEN.items():
            if name in state:
                state[name] = write(state[name])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the attributes from `__getstate__`; the model is checked like one read from a file.

        Raises `DiagramError` or `RunError` if the model is damaged.
        """
        attributes = dict(state)
        for name, (_, read) in _WRITTEN.items():
            if isinstance(attributes.get(name), dict):
                attributes[name] = read(attributes[name])
        super().__setstate__(attributes)

    def predict(self, X: Any) -> np.ndarray:
        """The predicted class of each row of X, (n_samples,).

        Raises
        ------
        DataError
            A column used by the model has an unknown level, text or an infinite number.
        MissingValuesError
            A value used by the model is missing, and the policy is 'complete'.
        UnknownValueError
            A split needs a value that no training row has, and `handle_unknown` is 'error'. The other methods that take
            X raise the same errors.
        """
        matrix = self._matrix(X)
        answers: np.ndarray = self.classes_[self.diagram_.predict(matrix)]
        return answers

    def predict_proba(self, X: Any) -> np.ndarray:
        """The weighted share of each class among the training rows of the leaf, float64 (n_samples, n_classes)."""
        matrix = self._matrix(X)
        return self.diagram_.predict_proba(matrix)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of `predict_proba`, minus infinity for a share of 0."""
        with np.errstate(divide="ignore"):
            logarithms: np.ndarray = np.log(self.predict_proba(X))
        return logarithms

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row, int64 (n_samples,), as an index into `diagram_.nodes`."""
        matrix = self._matrix(X)
        return self.diagram_.apply(matrix)

    def decision_path(self, X: Any) -> csr_matrix:
        """The nodes on each row's path, a sparse 0/1 matrix int64 (n_samples, n_nodes)."""
        matrix = self._matrix(X)
        return csr_matrix(self.diagram_.reach(matrix), dtype=np.int64)

    def get_depth(self) -> int:
        """The maximum number of splits on a path."""
        check_is_fitted(self)
        return self.diagram_.depth

    def get_n_leaves(self) -> int:
        """The number of leaves; in a BDD or diagram one for each class that it predicts."""
        check_is_fitted(self)
        return self.diagram_.n_leaves

    def rules(self) -> str:
        """The model as nested if/else text, followed by one line per leaf with all its conditions."""
        check_is_fitted(self)
        return to_rules(self.diagram_)

    def plot(self, path: str | Path | None = None) -> "Drawing":
        """The model drawn as SVG, which a notebook shows; also written to `path` if given.

        Raises `RenderError` if it is too large to draw, `FileError` if the file cannot be written.
        """
        check_is_fitted(self)
        drawing = Drawing(render(to_dot(self.diagram_), "svg").decode())
        if path is not None:
            try:
                Path(path).write_text(drawing, "utf-8")
            except OSError as error:
                raise FileError(f"The drawing cannot be written to '{path}': {error.strerror}.") from error
        return drawing

    def _repr_svg_(self) -> str | None:
        """The drawing; `None` before `fit` and if the model is too large."""
        if not hasattr(self, "diagram_"):
            return None
        try:
            return str(self.plot())
        except RenderError:
            return None

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """scikit-learn's own representation with the drawing below it; notebooks show no SVG next to HTML."""
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        drawing = self._repr_svg_()
        if drawing is not None and "text/html" in shown:
            data = b64encode(drawing.encode()).decode()
            shown["text/html"] += f'<img alt="{self.diagram_.kind.noun}" src="data:image/svg+xml;base64,{data}">'
        return shown

    def _matrix(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        schema = self.diagram_.schema
        table = check_reading(self, X, schema.missing, reset=False)
        matrix = matrix_of(table, schema, frozenset(self.diagram_.features))
        if one_of(Unknown, self._base().handle_unknown, "handle_unknown") is Unknown.ERROR:
            self.diagram_.refuse_unknown(matrix)
        return matrix

    def _check_parameters(self) -> None:
        """Raise `ParameterError` if a parameter has a type that `_parameter_constraints` does not list."""
        try:
            self._validate_params()
        except InvalidParameterError as error:
            raise ParameterError(str(error)) from None

    def _base(self) -> "FittedModel":
        """The classifier whose parameters apply."""
        return self


def gini_importances(diagram: Diagram, dataset: Dataset) -> np.ndarray:
    """The share of each column in the decrease of the weighted Gini index, float64 (n_columns,), sum 1 (or 0).

    The measure of Breiman et al. (1984), section 5.3.4, as in scikit-learn's trees, computed from the training rows
    `dataset`. The model was not chosen by the Gini index, but the index measures how well each split separates the
    classes, even if a split only prepares the next one. Columns of the same split share its decrease equally.
    """
    reached, weight = diagram.reach(dataset), dataset.row_weights

    def impurity(rows: np.ndarray) -> float:
        counts = np.bincount(dataset.y[rows], weight[rows], len(diagram.classes))
        total = counts.sum()
        return float(total - (counts**2).sum() / total) if total > 0 else 0.0

    decrease = np.zeros(len(diagram.schema))
    for i, split in diagram.splits:
        here = np.flatnonzero(reached[:, i])
        yes = split.predicate.holds(diagram.schema, dataset.X[here])
        gain = impurity(here) - impurity(here[yes]) - impurity(here[~yes])
        for column in split.predicate.columns:
            decrease[diagram.schema.index(column)] += max(gain, 0.0) / len(split.predicate.columns)
    total = decrease.sum()
    return decrease / total if total > 0 else decrease
