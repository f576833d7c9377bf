"""What the structures of several models have in common: questions, limits of the same column, and answers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from components.compare.facts import Predictions
from solvers.diagram import Diagram, NodeId
from solvers.diagram.labels import spoken
from solvers.metrics import Rate, rate


class SharedQuestion(NamedTuple):
    """A question that several models ask, in words, and the nodes of each model that ask it, if any."""

    words: str
    nodes: tuple[tuple[NodeId, ...], ...]


def shared_questions(diagrams: Sequence[Diagram]) -> tuple[SharedQuestion, ...]:
    """The questions that at least two of the models ask, as they come from the root of the first on."""
    places_of: dict[object, list[list[NodeId]]] = {}
    words: dict[object, str] = {}
    for position, diagram in enumerate(diagrams):
        for number, split in diagram.splits:
            places = places_of.setdefault(split.predicate, [[] for _ in diagrams])
            places[position].append(number)
            words.setdefault(split.predicate, spoken(split.predicate, diagram.schema))
    return tuple(
        SharedQuestion(words[predicate], tuple(map(tuple, places)))
        for predicate, places in places_of.items()
        if sum(map(bool, places)) > 1
    )


class OtherLimits(NamedTuple):
    """A column that two models ask about in different ways: the questions of only the first, and of only the second."""

    column: str
    first: tuple[str, ...]
    second: tuple[str, ...]


def other_limits(first: Diagram, second: Diagram) -> tuple[OtherLimits, ...]:
    """The columns that both ask about, but not with the same questions throughout."""

    def only(mine: dict[object, str], others: dict[object, str]) -> tuple[str, ...]:
        return tuple(words for predicate, words in mine.items() if predicate not in others)

    a, b = _by_column(first), _by_column(second)
    return tuple(
        OtherLimits(column, only(a[column], b[column]), only(b[column], a[column]))
        for column in first.features
        if column in b and set(a[column]) != set(b[column])
    )


def _by_column(diagram: Diagram) -> dict[str, dict[object, str]]:
    """The questions about each column, with their words."""
    questions: dict[str, dict[object, str]] = {name: {} for name in diagram.features}
    for _, split in diagram.splits:
        for column in split.predicate.columns:
            questions[column].setdefault(split.predicate, spoken(split.predicate, diagram.schema))
    return questions


def agreement(first: Predictions, second: Predictions) -> Rate:
    """The share of rows that both answer alike, right or wrong."""
    return rate(np.asarray(first.predicted == second.predicted), first.data.weight)
