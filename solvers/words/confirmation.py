"""What rows that were kept aside say of constraints that were asked with confidence, in sentences."""

from ..constraints.values import percent
from ..diagram import Diagram
from ..metrics import on_new_rows
from ..metrics.words import count
from ..problem import Dataset, Problem


def confirmation_words(problem: Problem, diagram: Diagram, aside: Dataset) -> str:
    """What is confirmed, at which stricter limit, and what that guarantees; '' where no limit is to confirm anything.

    Example
    -------
    >>> confirmation_words(problem, diagram, aside)  # doctest: +SKIP
    'Confirmed on the 96 rows kept aside: at least 80% of the rows with ill = yes are found, with 95% confidence. ...'
    """
    stricter = [constraint for constraint in problem.constraints if constraint.confirms is not None]
    if not stricter:
        return ""
    judged = [constraint.judged for constraint in stricter]
    shown = [on_new_rows(constraint, diagram, aside) for constraint in judged]
    held = all(found is not None and found.holds for found in shown)
    goals, limits = ("; ".join(one.words(problem.dataset) for one in them) for them in (judged, stricter))
    noun, rows = problem.shape.kind.noun, f"the {count(aside.n_samples, 'row')} kept aside"
    if not held:
        return f"NOT CONFIRMED on {rows}: {goals}. On its own rows the {noun} keeps this limit: {limits}."
    least = min(one.confidence for one in judged if one.confidence is not None)
    return (
        f"Confirmed on {rows}: {goals}. On its own rows the {noun} keeps this limit: {limits}. From the "
        f"strictest limit down, one {noun} after the other was tested on the rows kept aside, and this is the "
        "last that passed; one that breaks a constraint on rows like these passes with a probability of at "
        f"most {percent(1 - least)}."
    )
