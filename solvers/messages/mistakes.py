"""Which errors are more or less frequent in one model than in another, in words."""

from collections.abc import Sequence

from ..metrics.words import count
from ..problem import Dataset


def changed_mistakes(before: Sequence[float] | None, after: Sequence[float] | None, dataset: Dataset) -> str:
    """The change from one model to another, such as '3 fewer missed cases, 2 more false alarms'.

    Parameters
    ----------
    before, after : the errors of each on each class, by weight; '' if one is unknown, or for no change.
    dataset : with two classes, one of them positive, errors have names; in other cases they are listed by class.
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
    """The increase or decrease of one kind of error, in words."""
    amount = f"{count(n)} {'more' if more else 'fewer'}"
    match mistake:
        case "missed":
            return f"{amount} missed {'case' if n == 1 else 'cases'}"
        case "alarms":
            return f"{amount} false {'alarm' if n == 1 else 'alarms'}"
    return f"{amount} {'error' if n == 1 else 'errors'} on {name}"
