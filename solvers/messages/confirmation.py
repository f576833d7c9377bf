"""Whether held-out rows confirm constraints with confidence, in sentences."""

from ..constraints.values import percent
from ..diagram import Diagram
from ..metrics import on_new_rows
from ..metrics.words import count
from ..problem import Dataset, Problem


def describe_confirmation(problem: Problem, diagram: Diagram, aside: Dataset) -> str:
    """What is confirmed, at which stricter limit, and what that guarantees; '' if no limit has a confidence.

    Example
    -------
    >>> describe_confirmation(problem, diagram, aside)  # doctest: +SKIP
    'Confirmed on 96 held-out rows: sensitivity at least 80%, with 95% confidence. ...'
    """
    stricter = [constraint for constraint in problem.constraints if constraint.confirms is not None]
    if not stricter:
        return ""
    judged = [constraint.judged for constraint in stricter]
    shown = [on_new_rows(constraint, diagram, aside) for constraint in judged]
    held = all(found is not None and found.holds for found in shown)
    goals, limits = ("; ".join(one.words(problem.dataset) for one in them) for them in (judged, stricter))
    noun, rows = problem.shape.kind.noun, count(aside.n_samples, "held-out row")
    if not held:
        return f"NOT CONFIRMED on {rows}: {goals}. Limit on the training data: {limits}."
    least = min(one.confidence for one in judged if one.confidence is not None)
    return (
        f"Confirmed on {rows}: {goals}. Limit on the training data: {limits}. Limits were tested from the strictest "
        f"down; this is the last {noun} that passed. A {noun} that violates a constraint in such data passes with "
        f"probability {percent(1 - least)} at most."
    )
