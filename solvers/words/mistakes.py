"""Which mistakes a model makes more or less often than another, in words."""

from collections.abc import Sequence

from solvers.language import tr
from solvers.metrics.words import count
from solvers.problem import Dataset


def changed_mistakes(before: Sequence[float] | None, after: Sequence[float] | None, dataset: Dataset) -> str:
    """What changes from one model to another, such as '3 fewer missed cases, 2 more false alarms'.

    Parameters
    ----------
    before, after : the rows of each class that each gets wrong, by weight; '' for one that is not known, or no change.
    dataset : with two classes, one of them positive, mistakes have their names; otherwise they are told by class.
    """
    if before is None or after is None:
        return ""
    # the positive class comes first
    order = sorted(range(dataset.n_classes), key=lambda k: k != dataset.positive)
    named = dataset.positive is not None and dataset.n_classes == 2
    parts = []
    for place, k in enumerate(order):
        change = after[k] - before[k]
        more = "more" if change > 0 else "fewer"
        mistake = (
            (tr("missed case"), tr("false alarm"))[place]
            if named
            else tr("error on {classes}", classes=dataset.classes[k])
        )
        mistakes = f"{mistake}s" if named else tr("errors on {classes}", classes=dataset.classes[k])
        if change:
            parts.append(count(abs(change), f"{more} {mistake}", f"{more} {mistakes}"))
    return ", ".join(parts)
