"""What is shown of a model: its nodes, the way of a case, its metrics, and what differs between two models."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from components.text import count, interval, percent
from components.work import Model, Prepared
from solvers.diagram import Diagram, NodeId, Split, Trace, class_colours, describe
from solvers.metrics import Estimate, Performance, Rate, changes, labels_of, performance, rate
from solvers.problem import Dataset

SMALL = 20
"""Shares of fewer rows than this are called uncertain."""


class ClassShare(NamedTuple):
    """A class among the rows of a node: its weight there, and its share with a 95 % interval."""

    name: str
    colour: str
    weight: float
    rate: Rate


class NodeFacts(NamedTuple):
    """A node: its number, what it says, which rows come to it, and their classes (the positive one first).

    `rows` are positions in the dataset, `n` their number, `weight` their weight (equal without weights).
    """

    number: NodeId
    title: str
    rule: str
    n: int
    weight: float
    classes: tuple[ClassShare, ...]
    rows: np.ndarray
    small: bool


def node_facts(diagram: Diagram, data: Dataset, number: NodeId) -> NodeFacts:
    """What there is to know of a node, for the rows of `data`.

    Raises
    ------
    DataError
        The data lacks a column, or has a missing value that the diagram must not meet.
    """
    rows = np.flatnonzero(diagram.reach(data)[:, number])
    weight = None if data.weight is None else data.weight[rows]
    labels = labels_of(diagram, data)[rows]
    weights = np.bincount(labels, weight, len(diagram.classes))
    colours = class_colours(len(diagram.classes), diagram.positive)
    node = diagram.nodes[number]
    if isinstance(node, Split):
        title = f"Asks: {node.predicate.words(diagram.schema)}?"
    else:
        title = f"Answers: {diagram.outcome} is {diagram.classes[node.label]}"
    return NodeFacts(
        number,
        title,
        "" if number == 0 else describe(diagram, number),
        len(rows),
        float(weights.sum()),
        tuple(
            ClassShare(diagram.classes[k], colours[k], float(weights[k]), rate(labels == k, weight))
            for k in positive_first(diagram)
        ),
        rows,
        len(rows) < SMALL,
    )


def positive_first(diagram: Diagram | Dataset) -> list[int]:
    """The classes in the order in which they are shown."""
    order = list(range(len(diagram.classes)))
    if diagram.positive is not None:
        order.insert(0, order.pop(diagram.positive))
    return order


class CaseFacts(NamedTuple):
    """Where a case ends: the trace, the answer, and the way in words with its support."""

    trace: Trace
    verdict: str
    sentence: str


def case_facts(diagram: Diagram, row: np.ndarray, train: Dataset) -> CaseFacts:
    """The way of a case, with the training rows that went the same way.

    Parameters
    ----------
    row : matrix values, float64 (n_columns,), in the order of the diagram's schema.
    """
    trace = diagram.path(row)
    leaf = node_facts(diagram, train, trace.leaf)
    label = diagram.classes[trace.label]
    share = next(c.rate for c in leaf.classes if c.name == label)
    because = f"Because {' and '.join(step.words for step in trace.steps)}" if trace.steps else "For every case"
    support = (
        f"Of {count(leaf.n, 'training row')} that went the same way, {count(share.k)} are {label}: "
        f"{percent(share.value)}, 95 % interval {interval(share)}."
        if share.value is not None
        else "No training row went the same way."
    )
    return CaseFacts(trace, f"{diagram.outcome}: {label}", f"{because}, the answer is {label}. {support}")


class Number(NamedTuple):
    """A metric of a model: its name, what it means, and its value for training and test rows.

    Values are `None` where there are no such rows at all (nothing held out).
    """

    name: str
    meaning: str
    train: Rate | Estimate | None
    test: Rate | Estimate | None


_MEANING = {
    "accuracy": ("Accuracy", "Of all rows, the share predicted right."),
    "balanced_accuracy": ("Balanced accuracy", "The mean of the shares predicted right in each class."),
    "sensitivity": ("Sensitivity", "Of the rows with {positive}, the share predicted so."),
    "specificity": ("Specificity", "Of the rows without {positive}, the share predicted so."),
    "ppv": ("PPV", "Of the rows predicted {positive}, the share that are."),
    "npv": ("NPV", "Of the rows predicted otherwise, the share that are not {positive}."),
}


class Results(NamedTuple):
    """How well a model does on training and test rows."""

    train: Performance
    test: Performance | None
    positive: str | None

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The metrics, those of the positive class only where there is one."""
        out = []
        for field, (name, meaning) in _MEANING.items():
            train = getattr(self.train, field)
            if train is not None:
                test = None if self.test is None else getattr(self.test, field)
                out.append(Number(name, meaning.format(positive=self.positive), train, test))
        if self.positive is None:
            for position, one in enumerate(self.train.by_class):
                test = None if self.test is None else self.test.by_class[position].recall
                out.append(Number(f"Recall of {one.name}", "Of its rows, the share predicted so.", one.recall, test))
        return tuple(out)


def results(diagram: Diagram, prepared: Prepared) -> Results:
    """The performance of a model on the rows it was trained on, and on the held-out ones."""
    train, test = prepared.train, prepared.test
    positive = None if train.positive is None else train.classes[train.positive]
    return Results(
        performance(train, diagram.predict(train)),
        None if test is None else performance(test, diagram.predict(test)),
        positive,
    )


class Change(NamedTuple):
    """A row that two models predict differently: its number in the file, the truth, both predictions, who is right."""

    row: int
    truth: str
    first: str
    second: str
    right: str


class Comparison(NamedTuple):
    """Two models on the same rows: how many rows change, how many errors the first has fewer, and which rows."""

    n: int
    n_changed: int
    fewer: int
    rows: tuple[Change, ...]
    positions: np.ndarray


def comparison(first: Model, second: Model, data: Dataset) -> Comparison:
    """Which rows the first model predicts otherwise than the second."""
    a, b = first.solution.diagram.predict(data), second.solution.diagram.predict(data)
    found = changes(data, b, a)
    names = data.classes
    rows = tuple(
        Change(
            int(data.rows[i]), names[data.y[i]], names[a[i]], names[b[i]], _right(data.y[i], a[i], b[i], first, second)
        )
        for i in found.changed
    )
    return Comparison(found.n, found.n_changed, found.net, rows, found.changed)


def _right(truth: int, a: int, b: int, first: Model, second: Model) -> str:
    if a == truth:
        return first.title
    return second.title if b == truth else "neither"
