"""The objective in words: the cost of errors and splits, and the components of a model's cost."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..diagram import Diagram, Leaf, NodeId
from ..metrics.words import amount, count, in_units
from ..problem import Dataset, Objective, Problem
from ..problem.objective import ClassCosts

_BARE = {"yes", "no", "y", "n", "true", "false", "t", "f", "+", "-", "positive", "negative"}


def positive_first(data: Dataset | Diagram) -> list[int]:
    """The classes in display order, the positive class first."""
    return sorted(range(len(data.classes)), key=lambda k: k != data.positive)


def describe_class(data: Dataset, k: int) -> str:
    """A class by its name, with the outcome if the name alone is unclear, for instance 'critical: yes'."""
    name = data.classes[k]
    bare = name.lower() in _BARE or not any(letter.isalpha() for letter in name)
    return f"{data.outcome}: {name}" if bare else name


class Mistakes(NamedTuple):
    """The two kinds of error with two classes: the true classes, and the costs of each kind.

    A miss is a row of the positive class that is predicted as the other one, a false alarm the reverse.
    """

    positive: int
    negative: int
    miss: float
    false_alarm: float


def mistakes(data: Dataset, costs: ClassCosts | None) -> Mistakes | None:
    """The costs of the two kinds of error; `None` with more classes, or if correct predictions have a cost."""
    if data.n_classes != 2 or (costs is not None and (costs[0][0] or costs[1][1])):
        return None
    return two_mistakes(data, costs)


def two_mistakes(data: Dataset, costs: ClassCosts | None) -> Mistakes:
    """The costs of the two kinds of error with two classes."""
    positive = 1 if data.positive is None else data.positive
    negative = 1 - positive
    if costs is None:
        return Mistakes(positive, negative, 1.0, 1.0)
    return Mistakes(positive, negative, costs[positive][negative], costs[negative][positive])


def costs_of_mistakes(data: Dataset, miss: float, false_alarm: float) -> ClassCosts | None:
    """The class costs of two classes; `None` if both kinds of error cost 1."""
    positive = two_mistakes(data, None).positive
    costs = np.zeros((2, 2))
    costs[positive, 1 - positive], costs[1 - positive, positive] = miss, false_alarm
    return own_costs(costs)


def own_costs(costs: np.ndarray) -> ClassCosts | None:
    """A table of costs, (n_classes, n_classes), in the form of the objective; `None` if each error costs 1."""
    if (costs == 1 - np.eye(len(costs))).all():
        return None
    return tuple(tuple(float(cost) for cost in row) for row in costs)


def describe_price(objective: Objective, data: Dataset) -> tuple[str, ...]:
    """The error costs that differ from 1, one text each, for instance 'missed malignant costs 5'."""
    parts = []
    found = None if objective.class_costs is None else mistakes(data, objective.class_costs)
    if found is None and objective.class_costs is not None:
        parts.append("errors cost by class")
    elif found is not None:
        parts.append(f"missed {describe_class(data, found.positive)} costs {amount(found.miss)}")
        parts.append(f"false alarm costs {amount(found.false_alarm)}")
    if objective.split_penalty:
        what = "split penalty after the first" if objective.free_root else "split penalty"
        parts.append(f"{what} {amount(objective.split_penalty)}")
    return tuple(parts)


def counts_errors(problem: Problem) -> bool:
    """Whether the cost is the number (or weight) of the errors."""
    return problem.objective.class_costs is None and not problem.objective.split_penalty


def error_unit(problem: Problem) -> str:
    """The unit of errors."""
    return "training errors" + ("" if problem.dataset.weight is None else ", by weight")


def cost_unit(problem: Problem) -> str:
    """The unit of the cost."""
    return error_unit(problem) if counts_errors(problem) else "cost"


class CostParts(NamedTuple):
    """A model's cost: the total, its errors (by weight), all rows, and the components of the cost."""

    cost: float
    wrong: float
    of: float
    parts: tuple[str, ...]


def cost_parts(problem: Problem, diagram: Diagram) -> CostParts:
    """The cost of a model by the objective of a problem, recomputed from its predictions."""
    data, objective = problem.dataset, problem.objective
    predicted = diagram.predict(data)
    confusion = np.zeros((data.n_classes, data.n_classes))
    np.add.at(confusion, (data.y, predicted), 1.0 if data.weight is None else data.weight)
    wrong = float(confusion.sum() - np.trace(confusion))
    parts = _mistake_parts(objective, data, confusion)
    if objective.split_penalty:
        free = min(1, diagram.n_splits) if objective.free_root else 0
        paid = count(diagram.n_splits - free, "split") + (" after the first" if free else "")
        parts.append(f"{paid} \u00d7 {amount(objective.split_penalty)}")
    cost = problem.cost(predicted, diagram.n_splits) / problem.scale
    return CostParts(cost, wrong, float(confusion.sum()), tuple(parts))


def _mistake_parts(objective: Objective, data: Dataset, confusion: np.ndarray) -> list[str]:
    found = mistakes(data, objective.class_costs)
    if objective.class_costs is None:
        return [count(float(confusion.sum() - np.trace(confusion)), "error")]
    if found is None:
        return [f"{amount(float((confusion * np.array(objective.class_costs)).sum()))} for errors by class"]
    missed, alarms = confusion[found.positive, found.negative], confusion[found.negative, found.positive]
    return [
        f"{count(missed)} missed \u00d7 {amount(found.miss)}",
        f"{count(alarms, 'false alarm')} \u00d7 {amount(found.false_alarm)}",
    ]


def describe_cost(problem: Problem, diagram: Diagram | None, cost: int) -> str:
    """The cost of a model in a few words: its errors, or its cost with its components and the errors.

    The cost is in integer units; the model is `None` if only its cost is known.
    """
    if counts_errors(problem):
        return _errors_in_rows(problem, cost / problem.scale, problem.total / problem.scale)
    if diagram is None:
        return f"Cost {in_units(cost, problem.scale)}"
    found = cost_parts(problem, diagram)
    errors = _errors_in_rows(problem, found.wrong, found.of)
    return f"Cost {in_units(cost, problem.scale)} = {' + '.join(found.parts)}, with {errors}"


def _errors_in_rows(problem: Problem, wrong: float, of: float) -> str:
    weighted = "" if problem.dataset.weight is None else ", by weight"
    return f"{count(wrong, 'training error')} in {count(of, 'row')}{weighted}"


def unpopular_answer(problem: Problem, diagram: Diagram, node: NodeId) -> str | None:
    """Why a leaf does not predict the majority class of its training rows; `None` if it does, or is a split."""
    leaf = diagram.nodes[node]
    if not isinstance(leaf, Leaf) or problem.objective.class_costs is None:
        return None
    counts = np.array(leaf.counts)
    most = int(counts.argmax())
    if counts[most] <= counts[leaf.label]:
        return None
    costs = counts @ np.array(problem.objective.class_costs)
    return (
        f"Most training rows here are {describe_class(problem.dataset, most)}. Predicting that would cost "
        f"{amount(costs[most])}, this prediction costs {amount(costs[leaf.label])}."
    )


def changed_mistakes(before: Sequence[float] | None, after: Sequence[float] | None, dataset: Dataset) -> str:
    """The change from one model to another, such as '3 fewer missed cases, 2 more false alarms'.

    Parameters
    ----------
    before, after : the errors of each on each class, by weight; '' if one is unknown, or for no change.
    dataset : with two classes, one of them positive, errors have names; in other cases they are listed by class.
    """
    if before is None or after is None:
        return ""
    order = positive_first(dataset)
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
