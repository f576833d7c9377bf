"""The possible predictions of a model for a row with unknown values."""

from collections.abc import Iterable

import numpy as np

from ..problem import Predicate
from ..problem.texts import format_list
from .column_domain import ColumnDomain
from .diagram import Diagram, Leaf, NodeId


def possible_answers(diagram: Diagram, row: np.ndarray) -> tuple[int, ...]:
    """The possible classes of a row, as ascending indices, if values that no training row has could be anything.

    Results of splits on one column are kept consistent; undecided splits on weighted sums may have either result.

    Parameters
    ----------
    diagram : the model.
    row : the row in matrix form, float64 (n_columns,), NaN if a value is missing.
    """
    X = diagram.encode(row.reshape(1, -1))

    def answer(node: NodeId) -> bool | None:
        predicate = diagram.split(node).predicate
        if diagram.schema.never_had(predicate.columns, X)[0]:
            return None
        return bool(predicate.holds(diagram.schema, X)[0])

    found: set[int] = set()
    stack: list[tuple[NodeId, dict[str, ColumnDomain]]] = [(0, {})]
    seen = set()
    while stack:
        at, held = stack.pop()
        state = (at, frozenset(held.items()))
        if state in seen or diagram.answers_below[at] <= found:
            continue
        seen.add(state)
        node = diagram.nodes[at]
        if isinstance(node, Leaf):
            found.add(node.label)
            continue
        predicate, known = node.predicate, answer(at)
        for yes, child in ((True, node.yes), (False, node.no)):
            if known is not None:
                if yes == known:
                    stack.append((child, held))
            elif isinstance(predicate, Predicate):
                column = diagram.schema[predicate.column]
                domain = held.get(predicate.column) or ColumnDomain.had(column, missing=column.has_missing)
                domain = domain.within(predicate, yes)
                if domain.has_known or domain.missing:
                    stack.append((child, {**held, predicate.column: domain}))
            else:
                stack.append((child, held))
    return tuple(sorted(found))


def describe_refusal(diagram: Diagram, node: NodeId, row: np.ndarray) -> str:
    """Why a row has no prediction after a split, and its possible predictions, in sentences.

    Parameters
    ----------
    diagram : the model.
    node : the split that needs a value no training row has.
    row : the row in matrix form, float64 (n_columns,), NaN if a value is missing.
    """
    return describe_no_answer(diagram, diagram.never_had(node, row), row)


def describe_no_answer(diagram: Diagram, never_had: Iterable[tuple[str, str]], row: np.ndarray) -> str:
    """The same for given values that no training row has.

    Parameters
    ----------
    diagram : the model.
    never_had : the values, each as its column and its words, see `Diagram.never_had`.
    row : the row in matrix form, float64 (n_columns,), NaN if a value is missing.
    """
    why = format_list([f"{name} is {value}" for name, value in never_had], "and")
    names = [diagram.classes[label] for label in possible_answers(diagram, row)]
    possible = f"Possible predictions: {format_list(names, 'or')}."
    if len(names) == 1:
        possible = f"For every possible value, the prediction would be {names[0]}."
    return f"No prediction: {why}, as in no training row. {possible}"
