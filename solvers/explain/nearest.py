"""Find the strongest weaker form of a constraint that is compatible with others."""

from bisect import bisect_left
from collections.abc import Sequence

from ..constraints.rules import Sum
from ..diagram import Diagram
from .answers import Part
from .inquiry import Inquiry
from .relaxable import RelaxableConstraint, weaker_forms

SHARE = 0.5
"""Share of the usual time for finding a deeper tree: if that takes long, it is not a practical repair."""


LEAST_SHARE = 3.0
"""Share of the usual time for the minimum of a sum, which also gives the best tree so far."""

MOST_UNDECIDED = 3
"""A bisection ends after this many questions without an answer, with the best form so far."""


def nearest(inquiry: Inquiry, relaxable: RelaxableConstraint, others: Sequence[RelaxableConstraint]) -> Part:
    """The part of a constraint in a conflict: its strongest weaker form that is compatible with the others.

    The original is not. The search is a bisection. Each tree found also gives the strongest form that it satisfies.

    Parameters
    ----------
    inquiry : the problem and the time limits; it keeps the trees found.
    relaxable : the constraint or size limit to weaken.
    others : the constraints that must also hold.
    """
    forms = weaker_forms(inquiry.problem, relaxable)
    n = len(forms)
    if relaxable.lasting:
        return _step_by_step(inquiry, relaxable, forms, others)
    low = _out_of_reach(inquiry, relaxable, forms, others) if n else -1
    # if a tree of minimum sum exists, it is the last one found, and `witness` tries it first
    possible, diagram = inquiry.witness(others)
    if diagram is None or not n:
        return Part(relaxable, None, possible is not None)
    high, proved, undecided = strongest(forms, diagram, inquiry), True, 0
    while high - low > 1 and undecided < MOST_UNDECIDED:
        middle = (low + high) // 2
        possible, diagram = inquiry.witness([*others, forms[middle]])
        if diagram is not None:
            high = min(middle, strongest(forms, diagram, inquiry))
        else:
            low, proved = middle, proved and possible is False
            undecided += possible is None
    if high == n:
        return Part(relaxable, None, proved)
    return Part(relaxable, forms[high], proved, vacuous=high == n - 1)


def _out_of_reach(
    inquiry: Inquiry,
    relaxable: RelaxableConstraint,
    forms: Sequence[RelaxableConstraint],
    others: Sequence[RelaxableConstraint],
) -> int:
    """The position of the weakest form that the minimum of its sum proves infeasible; -1 if there is none."""
    least = inquiry.least(relaxable, others, LEAST_SHARE)
    if least is None or least.bound is None:
        return -1
    bound = least.bound

    def possible(form: RelaxableConstraint) -> bool:
        (rule,) = form.constraint.rules(inquiry.problem)
        return not isinstance(rule, Sum) or rule.limit >= bound

    return bisect_left(forms, True, key=possible) - 1


def _step_by_step(
    inquiry: Inquiry,
    relaxable: RelaxableConstraint,
    forms: Sequence[RelaxableConstraint],
    others: Sequence[RelaxableConstraint],
) -> Part:
    """The same for a constraint that cannot be dropped; one by one, as each form takes much longer than the last."""
    for form in forms:
        possible = inquiry.possible([*others, form], SHARE)
        if possible is None:
            return Part(relaxable)
        if possible:
            return Part(relaxable, form, True)
    return Part(relaxable, None, True)


def strongest(forms: Sequence[RelaxableConstraint], diagram: Diagram, inquiry: Inquiry) -> int:
    """The position of the strongest form that a tree satisfies; `len(forms)` if it satisfies none."""
    return bisect_left(forms, True, key=lambda form: form.holds(diagram, inquiry.problem))
