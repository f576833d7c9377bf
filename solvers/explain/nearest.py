"""How near to a constraint one can come: the strongest of its weaker forms that can hold together with others."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from ..constraints.rules import Sum
from ..diagram import Diagram
from .inquiry import Inquiry
from .relaxable import RelaxableConstraint, weaker_forms

SHARE = 0.5
"""A deeper tree is looked for in this share of the usual time: where it takes long, it is no handy repair."""


class Nearest(NamedTuple):
    """The strongest form that was found to be possible.

    Attributes
    ----------
    relaxable : the weaker constraint; `None` where no weaker form is possible, or none was found.
    proved : whether nothing stronger is possible.
    vacuous : whether it is so weak that it asks for nothing.
    """

    relaxable: RelaxableConstraint | None
    proved: bool
    vacuous: bool = False


def nearest(inquiry: Inquiry, relaxable: RelaxableConstraint, others: Sequence[RelaxableConstraint]) -> Nearest:
    """The strongest weaker form of a constraint that can hold together with others; the constraint itself cannot.

    A form that is possible is searched for by bisection. The trees found on the way say more than that one form is
    possible: the strongest form that such a tree satisfies is.

    Parameters
    ----------
    inquiry : what is asked, with the limits of time; it keeps the trees that were found.
    relaxable : the constraint, or the limit of size, that is to be eased.
    others : those that must hold besides.
    """
    forms = weaker_forms(inquiry.problem, relaxable)
    n = len(forms)
    if relaxable.lasting:
        return _step_by_step(inquiry, forms, others)
    low = _out_of_reach(inquiry, relaxable, forms, others) if n else -1
    # the tree of the least value, where there is one, is the last that was found, and the first that is looked at
    possible, diagram = inquiry.witness(others)
    if diagram is None or not n:
        return Nearest(None, possible is not None)
    high, proved = strongest(forms, diagram, inquiry), True
    while high - low > 1:
        middle = (low + high) // 2
        possible, diagram = inquiry.witness([*others, forms[middle]])
        if diagram is not None:
            high = min(middle, strongest(forms, diagram, inquiry))
        else:
            low, proved = middle, proved and possible is False
    if high == n:
        return Nearest(None, proved)
    return Nearest(forms[high], proved, vacuous=high == n - 1)


def _out_of_reach(
    inquiry: Inquiry,
    relaxable: RelaxableConstraint,
    forms: Sequence[RelaxableConstraint],
    others: Sequence[RelaxableConstraint],
) -> int:
    """The position of the weakest form that the least value of the sum behind it proves too strong; -1 for none."""
    least = inquiry.least(relaxable, others)
    if least is None or least.bound is None:
        return -1
    bound = least.bound

    def possible(form: RelaxableConstraint) -> bool:
        (rule,) = form.constraint.rules(inquiry.problem)
        return not isinstance(rule, Sum) or rule.limit >= bound

    return bisect_left(forms, True, key=possible) - 1


def _step_by_step(
    inquiry: Inquiry, forms: Sequence[RelaxableConstraint], others: Sequence[RelaxableConstraint]
) -> Nearest:
    """The same for a constraint that cannot be dropped: each form is much dearer to look into than the one before."""
    for form in forms:
        possible = inquiry.possible([*others, form], SHARE)
        if possible is None:
            return Nearest(None, False)
        if possible:
            return Nearest(form, True)
    return Nearest(None, True)


def strongest(forms: Sequence[RelaxableConstraint], diagram: Diagram, inquiry: Inquiry) -> int:
    """The position of the strongest form that a tree satisfies; their number where it satisfies none."""
    return bisect_left(forms, True, key=lambda form: form.holds(diagram, inquiry.problem))
