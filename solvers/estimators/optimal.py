"""Shared base of the classifiers of all shapes: from typed columns and weights to a verified model with its proof."""

import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from msgspec import structs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight, check_consistent_length

from ..constraints import Constraint, check_rows, constraints_of, from_json
from ..diagram import Diagram, Leaf
from ..errors import ConstraintError, DataError, RunError, ShapeError
from ..messages import describe_result
from ..methods import get
from ..posing import shape_of
from ..problem import Dataset, Division, Limits, MissingPolicy, Objective, Problem, ShapeKind, Unknown
from ..problem.objective import ClassCosts
from ..problem.schema import fitted
from ..problem.texts import one_of
from ..request import Request
from ..run.progress import notebook_progress
from ..run.solver_run import solve, with_usable_threads
from ..solution import Solution, Status
from .fitted import FittedModel, gini_importances
from .sample_weights import (
    costliest,
    counted_weights,
    in_one_order,
    whole_weights,
)
from .table import (
    check_reading,
    column_names,
    groups_of,
    matrix_of,
    schema_of,
)
from .targets import class_cost_table, class_names, encoded_target, outcome_name

_SIZES = {"max_depth", "max_leaf_nodes", "max_splits", "min_samples_leaf", "split_features", "skeleton"}


@dataclass(eq=False, repr=False, kw_only=True)
class OptimalClassifier(FittedModel):
    """A classifier whose `fit` searches for the best model of a shape.

    A subclass defines the shape, from its own parameters, and the split penalty. Its parameters are the fields of a
    dataclass, because scikit-learn needs each as an attribute, unchanged.
    """

    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    time_limit: float | None = 60.0
    gap: float = 0
    constraints: Sequence[Constraint | Mapping[str, Any]] | str | None = None
    class_costs: Mapping[Any, Mapping[Any, float]] | Sequence[Sequence[float]] | None = None
    treatment_threshold: float | None = None
    missing: Literal["information", "complete", "impute"] = "information"
    handle_unknown: Literal["error", "ignore"] = "error"
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    n_jobs: int | None = 1
    memory_limit: int | None = None
    method: str
    options: Mapping[str, Any] | None = None
    random_state: int | np.random.RandomState | None = 0
    _kind: ClassVar[ShapeKind]
    # the types of all shapes' parameters; `Shape`, `Objective` and `Limits` check ranges, and the types of parameters
    # that are not listed here
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_weight_fraction_leaf": [Real],
        "split_penalty": [Real],
        "alpha": [Real],
        "skeleton": [str, "array-like"],
        "treatment_threshold": [Real, None],
        "time_limit": [Real, None],
        "gap": [Real],
        "class_weight": [Mapping, str, None],
        "n_jobs": [Integral, None],
        "memory_limit": [Real, None],
        "options": [Mapping, None],
        "random_state": ["random_state"],
    }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != MissingPolicy.COMPLETE.value
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None) -> Self:
        """Search for the best model of the training rows.

        Parameters
        ----------
        X : an array-like of numbers or texts, or a data frame whose columns keep their types, (n_samples, n_columns).
        y : the class labels, (n_samples,).
        sample_weight : at least 0, (n_samples,); a row of weight 0 counts as absent.
        sensitive_features : the groups that constraints compare, such as sex: a data frame, a dict of columns, a series
            or an array, (n_samples,) or (n_samples, n_groups). Categorical columns of X are groups, too.

        Raises
        ------
        ValueError
            A parameter is out of range or has the wrong type, the data cannot be used, the method does not support the
            problem, or no model satisfies the constraints. The matching classes of `solvers.errors` are ValueErrors
            too.
        CellTypeError
            X has cells that are not texts, numbers, truth values or dates.
        RunError
            The method found no model within its limits.

        Warns
        -----
        ConvergenceWarning
            A limit ended the search before the proof.
        """
        self._take(*self._problem(X, y, sample_weight, sensitive_features))
        return self

    def _problem(
        self, X: Any, y: Any, sample_weight: Any, sensitive_features: Any = None, division: Division | None = None
    ) -> tuple[Problem, float]:
        """The problem, and the weight that one of its integer units represents; sets the attributes about the columns.

        Equal rows are merged into one with the sum of their weights, unless there is a division, there are constraints,
        or leaves need more than one row.
        """
        self._check_parameters()
        constraints = constraints_from(self.constraints)
        shape = shape_of(self._request())
        policy, share = one_of(MissingPolicy, self.missing, "missing"), self.min_weight_fraction_leaf
        if not 0 <= share <= 0.5:
            raise ShapeError(f"min_weight_fraction_leaf must be between 0 and 0.5, but is {share}.")
        one_of(Unknown, self.handle_unknown, "handle_unknown")
        table = check_reading(self, X, policy, reset=True)
        check_rows(constraints, len(table))
        self.classes_, target = encoded_target(self, y)
        check_consistent_length(table, target)
        class_costs = class_cost_table(self.class_costs, self.classes_, self.treatment_threshold)
        worst = costliest(class_costs)
        weight = self._weights(sample_weight, table, target)
        names = column_names(self)
        schema = schema_of(table, names, policy)
        units = (counted_weights if constraints else whole_weights)(weight[weight > 0], worst)
        matrix = matrix_of(table, schema)
        groups = groups_of(schema, matrix, sensitive_features) if constraints else ()
        matrix, target = matrix[weight > 0], target[weight > 0]
        schema = fitted(schema, matrix, units.count)
        merge = division is None and not constraints and shape.min_samples_leaf == 1
        rows = in_one_order(matrix, target, units.count, merge=merge)
        place = np.flatnonzero(weight > 0)[rows.origin]
        dataset = Dataset(
            name="training data",
            schema=schema,
            X=rows.X,
            y=rows.y,
            classes=class_names(self.classes_),
            outcome=outcome_name(y, names),
            positive=1 if constraints and len(self.classes_) == 2 else None,
            weight=None if (rows.count == 1).all() else rows.count,
            rows=place + 1,
            groups=tuple(group.take(place) for group in groups),
            division=(division or Division()).take(place),
        )
        total = int(rows.count.sum())
        shape = replace(shape, min_weight_leaf=share * total)
        objective = self._objective(class_costs, units.unit, total)
        return Problem(dataset, shape, objective, constraints=constraints), units.unit

    def _request(self) -> Request:
        """The parameters that a request has under the same names; whole numbers of numpy as those of Python."""
        names = set(Request.__struct_fields__) & set(self.get_params(deep=False)) & _SIZES
        size = {name: whole(getattr(self, name)) for name in names}
        return Request(target="y", shape=self._kind.value, method=self.method, **size)

    @abstractmethod
    def _objective(self, class_costs: ClassCosts | None, unit: float, total: int) -> Objective:
        """The objective, in units of the integer weights, which sum to `total`."""

    def _weights(self, sample_weight: Any, table: Any, target: np.ndarray) -> np.ndarray:
        """Sample weights times class weights, float64 (n_samples,), at least one of them positive."""
        weight: np.ndarray = _check_sample_weight(
            sample_weight, table, dtype=np.float64, ensure_non_negative=True, copy=True
        )
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
                raise DataError(f"Class weights must be finite and at least 0, but are {self.class_weight}.")
            weight *= by_class[target]
        if not weight.any():
            raise DataError("All weights are zero. Give at least one row a positive sample weight and class weight.")
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
        """Solve, raise if there is no verified model, set the fitted attributes, and warn if it is not optimal."""
        options = {str(name): str(value) for name, value in (self.options or {}).items()}
        limits = with_usable_threads(self._limits(unit), get(self.method, **options), problem)
        shown = notebook_progress(problem, unit / problem.scale)
        solution = solve(problem, self.method, limits, shown, options=options)
        if shown is not None:
            shown.close(solution)
        noun = problem.shape.kind.noun
        if solution.status is Status.INFEASIBLE:
            raise ShapeError(describe_result(problem, solution, limits))
        if solution.diagram is None or solution.cost is None or not solution.verified:
            why = describe_result(problem, solution, limits)
            raise RunError(f"The method '{self.method}' returned no usable {noun}. {why}")
        self.solution_ = solution
        self.diagram_ = _in_units(solution.diagram, unit)
        self.feature_importances_ = gini_importances(self.diagram_, problem.dataset)
        self.cost_unit_ = unit / problem.scale
        self.cost_ = solution.cost * self.cost_unit_
        self.bound_ = None if solution.bound is None else solution.bound * self.cost_unit_
        self.gap_ = solution.relative_gap
        self.ended_ = str(solution.ended)
        if _ended_early(solution, limits.gap_cost(problem)):
            warnings.warn(
                f"A limit ended the search before the proof: the {noun} costs {self.cost_:g}, and no {noun} of its "
                f"size can cost less than {self.bound_:g}. Raise time_limit or memory_limit, permit a gap, or choose a "
                f"smaller {noun}.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _ended_early(solution: Solution, gap: int) -> bool:
    """Whether a limit ended a search that could have proved more; heuristics have no bound and prove nothing."""
    if solution.status is not Status.FEASIBLE or solution.cost is None or solution.bound is None:
        return False
    return solution.cost - solution.bound > gap


def constraints_from(constraints: Any) -> tuple[Constraint, ...]:
    """Constraints as objects, from objects, their JSON values, or a JSON text.

    Raises `ConstraintError` if one is not well formed.
    """
    if isinstance(constraints, str):
        return constraints_of(constraints, "The text of constraints")
    listed = [constraints] if isinstance(constraints, Constraint | Mapping) else constraints
    if not isinstance(listed, Sequence | None):
        raise ConstraintError(
            f"constraints must be a list of constraints, or a JSON text, but is {type(listed).__name__}."
        )
    listed = listed or ()
    return tuple(one if isinstance(one, Constraint) else from_json(one) for one in listed)


def whole(value: Any) -> Any:
    """numpy integers as Python integers; anything else unchanged, for `Shape` to check."""
    return int(value) if isinstance(value, np.integer) else value


def _gap_in_units(gap: float, unit: float) -> float:
    """A gap in the user's weights converted to integer weights; a share of the total is unchanged."""
    if not gap >= 1:  # `Limits` also refuses NaN
        return gap
    # less than one unit means no gap, and must not be read as a share
    return gap / unit if gap >= unit else 0.0


def _in_units(diagram: Diagram, unit: float) -> Diagram:
    """The diagram with leaf counts in the user's weights."""
    if unit == 1:
        return diagram
    nodes = (
        structs.replace(node, counts=tuple(count * unit for count in node.counts)) if isinstance(node, Leaf) else node
        for node in diagram.nodes
    )
    return replace(diagram, nodes=tuple(nodes))
