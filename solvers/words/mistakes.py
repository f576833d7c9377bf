"""Which mistakes a model makes more or less often than another, in words."""

from collections.abc import Sequence

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
        if change:
            name = dataset.classes[k]
            parts.append(_changed(abs(change), change > 0, name, ("missed", "alarms")[place] if named else "errors"))
    return ", ".join(parts)


def _changed(n: float, more: bool, name: str, mistake: str) -> str:
    """So many mistakes of a kind more or fewer."""
    values = {"n": count(n), "name": name}
    match mistake, more:
        case "missed", True:
            return "{n} more missed case".format(**values) if n == 1 else "{n} more missed cases".format(**values)
        case "missed", False:
            return "{n} fewer missed case".format(**values) if n == 1 else "{n} fewer missed cases".format(**values)
        case "alarms", True:
            return "{n} more false alarm".format(**values) if n == 1 else "{n} more false alarms".format(**values)
        case "alarms", False:
            return "{n} fewer false alarm".format(**values) if n == 1 else "{n} fewer false alarms".format(**values)
        case _, True:
            return (
                "{n} more error on {name}".format(**values) if n == 1 else "{n} more errors on {name}".format(**values)
            )
    return "{n} fewer error on {name}".format(**values) if n == 1 else "{n} fewer errors on {name}".format(**values)
