"""How well a model satisfies a constraint, on the training rows and on other rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..constraints import Constraint
from ..constraints.values import Number
from ..diagram import Diagram
from ..errors import ConstraintError
from ..problem import Dataset
from .intervals import Estimate, Rate, difference, rate


class Achieved(NamedTuple):
    """How well a model satisfies a constraint on some rows.

    Attributes
    ----------
    holds : whether the model satisfies the constraint.
    broken : the violations, in sentences.
    value : the constrained quantity, in the unit of the limit; `None` if undefined.
    observed : the constrained proportion of rows, or the difference of two, with its 95% interval; `None` if the
        constraint is about something else.
    idle : why it holds only because the model does not use a column; '' if otherwise.
    """

    holds: bool
    broken: tuple[str, ...]
    value: Number | None
    observed: Rate | Estimate | None
    idle: str = ""


def achieved(constraint: Constraint, diagram: Diagram, data: Dataset) -> Achieved | None:
    """Measure how well a model satisfies a constraint on some rows.

    Parameters
    ----------
    constraint : the constraint.
    diagram : the model.
    data : the rows to evaluate, with the columns and classes of the model.

    Returns
    -------
    Achieved; `None` if the rows lack those that the constraint is about, such as a rare group.

    Raises
    ------
    DataError
        The model has no prediction for a row, see `Diagram.predict`.
    """
    try:
        broken, value = constraint.violations(diagram, data), constraint.value(diagram, data)
        seen = observed(constraint, diagram.predict(data), data)
        return Achieved(not broken, broken, value, seen, "" if broken else constraint.idle(diagram, data))
    except ConstraintError:
        return None


def on_new_rows(constraint: Constraint, diagram: Diagram, data: Dataset) -> Achieved | None:
    """The same on rows other than the training rows, with the parameters of `achieved`.

    Returns
    -------
    Achieved; `None` if the constraint is about the model alone, or is undefined on these rows.
    """
    found = achieved(constraint, diagram, data) if constraint.sees_answers else None
    return None if found is None or (constraint.limit is not None and found.value is None) else found


def observed(constraint: Constraint, predicted: np.ndarray, data: Dataset) -> Rate | Estimate | None:
    """The constrained proportion for these predictions, or the difference of two proportions.

    Parameters
    ----------
    predicted : int64 (n_samples,), the predicted class of each row, by one model or by several.
    """
    rates = [rate(part.hits, data.weight, part.among) for part in constraint.proportions(predicted, data)]
    if len(rates) == 2:
        return difference(*rates)
    return rates[0] if rates and rates[0].value is not None else None
