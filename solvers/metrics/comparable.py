"""Which models are comparable under the constraints of a problem.

A greedy model that ignores a demanded sensitivity has fewer errors, because it misses more cases. It is compared at
that sensitivity: its leaves are relabelled at the risk threshold that satisfies the constraints at the lowest cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from msgspec import structs

from ..constraints import Constraint
from ..diagram import Diagram, Leaf
from ..problem import Dataset, Problem


def violated(problem: Problem, diagram: Diagram) -> tuple[Constraint, ...]:
    """The constraints of a problem that a model violates on its training rows."""
    return tuple(one for one in problem.constraints if one.violations(diagram, problem.dataset))


def describe_violated(problem: Problem, diagram: Diagram) -> tuple[str, ...]:
    """The violated constraints in words with the value of the model.

    Example
    -------
    >>> describe_violated(problem, greedy)  # doctest: +SKIP
    ('sensitivity for critical = yes is at least 90% (62%)',)
    """
    return tuple(describe_value(one, diagram, problem.dataset) for one in violated(problem, diagram))


def describe_value(constraint: Constraint, diagram: Diagram, data: Dataset) -> str:
    """A constraint in words, with the value of a model on some rows."""
    value, words = constraint.value(diagram, data), constraint.words(data)
    if value is None:
        return words
    rounded = round(Fraction(value), 3)
    return f"{words} ({constraint.show(value if rounded == constraint.limit else rounded)})"


def comparable(problem: Problem, diagram: Diagram) -> Diagram | None:
    """The model if it satisfies all constraints on the training rows, or with relabelled leaves.

    Returns
    -------
    The model with the lowest cost among those that satisfy the constraints and treat leaves from some predicted risk
    on as positive; `None` if there is none, or if a violated constraint is not about predictions.
    """
    broken = violated(problem, diagram)
    if not broken:
        return diagram
    if len(diagram.classes) != 2 or not all(constraint.sees_answers for constraint in broken):
        return None
    fit = [one for one in _relabelled(diagram) if not violated(problem, one)]
    return min(fit, key=lambda one: problem.cost(one.predict(problem.dataset), one.n_splits), default=None)


def demanded(problem: Problem) -> tuple[Constraint, ...]:
    """The constraints that demand a share of correct predictions, such as a sensitivity, without their confidence."""
    plain = [one.judged.without_confidence() for one in problem.constraints if one.sees_answers]
    at_least = [one for one in plain if one.limit is not None and not one.rising_eases]
    return tuple(one for one in at_least if len(one.proportions(problem.dataset.y, problem.dataset)) == 1)


def at_demand(problem: Problem, diagram: Diagram, data: Dataset) -> Diagram:
    """The model, with leaves relabelled if possible so that these rows reach the demanded shares at the lowest cost."""
    demands = demanded(problem)
    objective = replace(problem.objective, split_penalty=0.0)
    return (
        (comparable(Problem(data, objective=objective, constraints=demands), diagram) or diagram)
        if demands
        else diagram
    )


def _relabelled(diagram: Diagram) -> Iterator[Diagram]:
    """The model with each division of its leaves at a predicted risk, the fewest positive leaves first."""
    positive = 1 if diagram.positive is None else diagram.positive
    risks = {number: leaf.shares[positive] for number, leaf in diagram.leaves}
    for threshold in sorted({*risks.values(), 2.0}, reverse=True):
        yield replace(
            diagram,
            nodes=tuple(
                structs.replace(node, label=positive if risks[number] >= threshold else 1 - positive)
                if isinstance(node, Leaf)
                else node
                for number, node in enumerate(diagram.nodes)
            ),
        )


def constants(problem: Problem) -> tuple[int, ...]:
    """The classes that a constant prediction may give without violating a constraint on the training rows."""
    data = problem.dataset
    counts = tuple(float(data.row_weights[data.y == k].sum()) for k in range(data.n_classes))
    leaf = Diagram(problem.shape.kind, data.schema, data.classes, data.outcome, data.positive, (Leaf(0, counts),))
    labels = range(data.n_classes)
    return tuple(k for k in labels if not violated(problem, replace(leaf, nodes=(Leaf(k, counts),))))
