"""What a model achieves of a constraint, on the rows that it was made for and on others."""

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
    """What a model achieves of a constraint on some rows.

    Attributes
    ----------
    holds : whether it keeps the constraint.
    broken : where it breaks it, in sentences.
    value : what it achieves, in the unit of the limit; `None` where there is no such figure.
    observed : the share of rows that it speaks of, or the difference of two, with its 95% interval; `None` where it
        speaks of something else.
    """

    holds: bool
    broken: tuple[str, ...]
    value: Number | None
    observed: Rate | Estimate | None


def achieved(constraint: Constraint, diagram: Diagram, data: Dataset) -> Achieved | None:
    """What a model achieves of a constraint on some rows.

    Parameters
    ----------
    constraint : what is asked for.
    diagram : the model.
    data : the rows that it is judged on, with the columns and classes of the model.

    Returns
    -------
    Achieved; `None` where the rows lack whom the constraint is about, such as a rare group.

    Raises
    ------
    DataError
        The model has no answer for a row, see `Diagram.predict`.
    """
    try:
        broken, value = constraint.violations(diagram, data), constraint.value(diagram, data)
        return Achieved(not broken, broken, value, observed(constraint, diagram.predict(data), data))
    except ConstraintError:
        return None


def on_new_rows(constraint: Constraint, diagram: Diagram, data: Dataset) -> Achieved | None:
    """The same on other rows than the model was made for, with the parameters of `achieved`.

    Returns
    -------
    Achieved; `None` where the constraint says nothing about them: it speaks of the model alone, or has no figure there.
    """
    found = achieved(constraint, diagram, data) if constraint.sees_answers else None
    return None if found is None or (constraint.limit is not None and found.value is None) else found


def observed(constraint: Constraint, predicted: np.ndarray, data: Dataset) -> Rate | Estimate | None:
    """The share that a constraint speaks of, as it is with these answers, or the difference of two shares.

    Parameters
    ----------
    predicted : int64 (n_samples,), the class that each row is answered with, by one model or by several.
    """
    rates = [rate(part.hits, data.weight, part.among) for part in constraint.proportions(predicted, data)]
    if len(rates) == 2:
        return difference(*rates)
    return rates[0] if rates and rates[0].value is not None else None
