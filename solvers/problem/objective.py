"""The objective in integers, so that methods agree exactly.

By default the cost of a model is the weight of its errors. Errors may also be weighted by true and predicted class, and
every split may have a penalty. Decimal fractions are scaled to integers, so `cost / scale` is the cost in the user's
units; without weights, class costs and split penalty it is the number of errors.

Example
-------
A missed patient costs 5, a false alarm 1, and a split must save at least half an error:
`Objective(class_costs=((0, 1), (5, 0)), split_penalty=0.5)` for the classes (healthy, ill).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from numbers import Real

import numpy as np

from ..errors import DataError, ShapeError
from ..magnitude import LARGEST_TOTAL
from .dataset import Dataset
from .decimals import decimals_of
from .texts import suggestion

MAX_DECIMALS = 6
THRESHOLD_DECIMALS = 4
"""The decimals of a treatment threshold."""

BOTH_COSTS = "A treatment threshold sets the misclassification costs. Leave out one of the two."

ClassCosts = tuple[tuple[float, ...], ...]
"""Costs by true class (outer) and predicted class (inner)."""


@dataclass(frozen=True)
class ScaledCosts:
    """An objective in integers.

    Attributes
    ----------
    weights : int64 (n_samples,), at least 1; weight_scale : the factor from the user's weights to these.
    class_costs : int64 (n_classes, n_classes), the cost per unit of weight by true class (row) and predicted class.
    split_penalty : the split penalty.
    scale : the factor from the user's costs to cost units.
    """

    weights: np.ndarray
    weight_scale: int
    class_costs: np.ndarray
    split_penalty: int
    scale: int

    @property
    def error_cost(self) -> int | None:
        """The cost of an error per unit of weight; `None` if it depends on the classes."""
        n_classes = len(self.class_costs)
        cost = int(self.class_costs.max(initial=0)) or 1
        return cost if (self.class_costs == cost * (1 - np.eye(n_classes, dtype=np.int64))).all() else None


@dataclass(frozen=True)
class Objective:
    """The terms of the cost. Of two models with equal cost, the one with fewer splits is preferred.

    Attributes
    ----------
    class_costs : the cost of predicting class k for a row of class c, `class_costs[c][k]`, in errors; `None` for 1 off
        the diagonal and 0 on it.
    split_penalty : the split penalty: the errors that a split must save.
    free_root : whether the first split has no penalty, as in Florio et al. (2023), equation (17).
    """

    class_costs: ClassCosts | None = None
    split_penalty: float = 0.0
    free_root: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.split_penalty < float("inf"):
            raise ShapeError(f"The split penalty must be 0 or more, but is {self.split_penalty}.")
        # 1 and 1.0 are the same penalty, so they must give the same `Problem.id`
        object.__setattr__(self, "split_penalty", float(self.split_penalty))
        if self.class_costs is not None:
            try:
                matrix = np.array(self.class_costs, np.float64)
            except (TypeError, ValueError):
                matrix = np.empty(0)  # a cell is no number, or the rows differ in length
            if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
                raise ShapeError(
                    "Class costs must be a square table of numbers: one row per true class, one column per predicted "
                    "class."
                )
            if not np.isfinite(matrix).all() or (matrix < 0).any():
                raise ShapeError("Class costs must be finite, and 0 or more.")
            object.__setattr__(self, "class_costs", tuple(tuple(float(c) for c in row) for row in matrix))

    def scaled(self, dataset: Dataset) -> ScaledCosts:
        """The objective in integers for a dataset.

        Raises
        ------
        DataError
            Weights or costs have too many digits or are too large for integers, or the class costs do not fit the
            classes.
        """
        n_classes = dataset.n_classes
        if self.class_costs is not None and len(self.class_costs) != n_classes:
            raise DataError(
                f"The class costs are for {len(self.class_costs)} classes; "
                f"the outcome '{dataset.outcome}' has {n_classes}."
            )
        weights, weight_scale = _whole(dataset.row_weights, "Sample weights")
        matrix = 1 - np.eye(n_classes) if self.class_costs is None else np.array(self.class_costs)
        entries, cost_scale = _whole(np.append(matrix, self.split_penalty), "Class costs and the split penalty")
        # the split penalty is also multiplied by the weight scale
        fractions = [Fraction(entry, cost_scale) for entry in (*entries[:-1], entries[-1] * weight_scale)]
        scale = lcm(*(number.denominator for number in fractions))
        *costs, split = (int(number * scale) for number in fractions)
        largest = int(weights.sum()) * max(1, *costs) + split
        if largest > LARGEST_TOTAL:
            raise DataError(
                f"Weights and costs add up to {float(largest):.3g} in their smallest unit; the limit is "
                f"{LARGEST_TOTAL:.3g}. Round them to fewer decimals."
            )
        return ScaledCosts(
            weights.astype(np.int64),
            weight_scale,
            np.array(costs, np.int64).reshape(n_classes, n_classes),
            split,
            weight_scale * scale,
        )


def class_costs_by_name(named: Mapping[str, Mapping[str, float]], classes: Sequence[str]) -> ClassCosts:
    """`Objective.class_costs` from the pairs of classes that have their own cost.

    Parameters
    ----------
    named : true class -> predicted class -> cost, in errors; other pairs cost 1, correct predictions 0.
    classes : all class names, in the order of the dataset.

    Raises
    ------
    DataError
        A name is no class, a cost is no number, or the nesting is wrong.

    Examples
    --------
    >>> class_costs_by_name({"ill": {"well": 5}}, ("well", "ill"))
    ((0.0, 1.0), (5.0, 0.0))
    """
    matrix = 1.0 - np.eye(len(classes))
    for true, row in _pairs(named, "{'true class': {'predicted class': cost}}"):
        for predicted, cost in _pairs(row, f"{{{true!r}: {{'predicted class': cost}}}}"):
            if not isinstance(cost, Real) or isinstance(cost, bool):
                raise DataError(f"The cost of predicting '{predicted}' for '{true}' must be a number, but is {cost!r}.")
            matrix[_class(true, classes), _class(predicted, classes)] = cost
    return tuple(tuple(row) for row in matrix.tolist())


def costs_at_threshold(threshold: float, n_classes: int, positive: int | None) -> ClassCosts:
    """Class costs in whole numbers with which the cheapest model has the highest net benefit at a treatment threshold.

    At threshold t = p / q a false alarm costs p and a missed case q - p, so a leaf is positive if its risk exceeds t.

    Parameters
    ----------
    threshold : the predicted risk from which you act, more than 0 and less than 1, with at most 4 decimals.
    positive : the class index whose risk it is; `None` for the second one.

    Raises
    ------
    DataError
        The threshold is out of range or has too many decimals, or there are not two classes.

    Examples
    --------
    >>> costs_at_threshold(0.1, 2, 1)
    ((0.0, 1.0), (9.0, 0.0))
    """
    if n_classes != 2:
        raise DataError(f"A treatment threshold needs an outcome with two classes, but it has {n_classes}.")
    exact = Fraction(str(float(threshold))) if isinstance(threshold, Real) and 0 < threshold < 1 else Fraction(0)
    if not exact or exact.denominator > 10**THRESHOLD_DECIMALS:
        raise DataError(
            "The treatment threshold must be more than 0 and less than 1, with at most "
            f"{THRESHOLD_DECIMALS} decimals, but is {threshold}."
        )
    false_alarm, miss = float(exact.numerator), float(exact.denominator - exact.numerator)
    return ((0.0, false_alarm), (miss, 0.0)) if positive in (None, 1) else ((0.0, miss), (false_alarm, 0.0))


def treatment_threshold(costs: ClassCosts | None, positive: int | None) -> Fraction | None:
    """The treatment threshold that class costs imply: at this risk, acting and not acting cost the same.

    `None` if the costs imply none: more than two classes, correct predictions with a cost, or errors without one.
    """
    if costs is None:
        return Fraction(1, 2)
    if len(costs) != 2 or costs[0][0] or costs[1][1] or not (costs[0][1] and costs[1][0]):
        return None
    of_no, of_yes = (Fraction(str(one)) for one in (costs[0][1], costs[1][0]))
    alarm = of_no if positive in (None, 1) else of_yes
    return alarm / (of_no + of_yes)


def _pairs(named: object, form: str) -> list[tuple[str, object]]:
    if not isinstance(named, Mapping):
        raise DataError(f"Class costs must be written as {form}, but are {named!r}.")
    return list(named.items())


def _class(name: str, classes: Sequence[str]) -> int:
    if name in classes:
        return list(classes).index(name)
    hint = suggestion(name, classes, "The classes are")
    raise DataError(f"The class costs name the class '{name}', which the outcome does not have. {hint}")


def _whole(values: np.ndarray, what: str) -> tuple[np.ndarray, int]:
    """Convert decimals to integers without a common divisor; return them and the factor (integers are not divided).

    The result has Python integers, object (n,), so nothing overflows before the check against `LARGEST_TOTAL`.
    """
    meant = decimals_of(values, MAX_DECIMALS)
    if meant is None:
        raise DataError(
            f"{what} must have at most {MAX_DECIMALS} decimals. Round them, or multiply them by a constant."
        )
    whole, factor = meant
    common = gcd(factor, *whole.tolist())
    return whole // common, factor // common
