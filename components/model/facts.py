"""What is shown of a model: its nodes, and the way of a case."""

from typing import NamedTuple

import numpy as np

from components.words.text import count, interval, percent
from solvers.diagram import Diagram, Leaf, NodeId, Split, Trace, refusal_words
from solvers.diagram.labels import answer, question, spoken
from solvers.diagram.words import MAX_TRIED, MAX_WAYS, merged, never_had, ways
from solvers.metrics import Rate, labels_of, missing_in_leaves, rate, shared_words
from solvers.metrics.risks import SMALL as SMALL
from solvers.problem import Dataset, LinearPredicate, MissingPolicy, Op, Predicate, Schema


class NodeFacts(NamedTuple):
    """A node: its number, what it says, which rows come to it, and their classes (the positive one first).

    Attributes
    ----------
    ways : the paths to it in words, each with its rows, those of most rows first; none for the root. `complete` says
        whether these are all.
    arrivals : the arcs to it in words, with the rows that were asked there and those that came on to it.
    terms : the columns that its question combines, each with its weight in words, and how far it moves the sum: the
        weight times the standard deviation among the rows, as a share of the largest one of the question. Above 0, more
        of the column leads towards the answer no. The one that moves the sum most comes first.
    rows : positions in the dataset; `n` is their number, `weight` their weight (equal without weights).
    classes : each class by its index, with the weight and the share of its rows.
    risk : of a leaf, the positive class, or its own where none is positive, and the share of its rows.
    unknown : of a question, what becomes of cases whose value is missing, or one that no training row has.
    """

    number: NodeId
    title: str
    ways: tuple[tuple[str, int], ...]
    complete: bool
    arrivals: tuple[tuple[str, int, int], ...]
    terms: tuple[tuple[str, float], ...]
    n: int
    weight: float
    classes: tuple[tuple[int, float, Rate], ...]
    rows: np.ndarray
    small: bool
    risk: tuple[str, Rate] | None
    unknown: tuple[str, ...]


def share_right(diagram: Diagram, data: Dataset) -> Rate:
    """The share of rows that a model predicts right."""
    return rate(diagram.predict(data) == data.y, data.weight)


def node_facts(diagram: Diagram, data: Dataset, number: NodeId) -> NodeFacts:
    """What there is to know of a node, for the rows of `data`.

    Raises `DataError` where the data lacks a column, or has a missing value that the diagram must not meet.
    """
    reach = diagram.reach(data)
    rows = np.flatnonzero(reach[:, number])
    weight = None if data.weight is None else data.weight[rows]
    labels = labels_of(diagram, data)[rows]
    weights = np.bincount(labels, weight, len(diagram.classes))
    node, X = diagram.nodes[number], diagram.encode(data)
    terms: tuple[tuple[str, float], ...] = ()
    if isinstance(node, Split) and isinstance(node.predicate, LinearPredicate):
        terms = _terms(node.predicate, diagram.schema, X)
        # they stand below the question
        title = f"Asks: {question(node.predicate, diagram.schema)}"
    elif isinstance(node, Split):
        title = f"Asks: {spoken(node.predicate, diagram.schema)}?"
    else:
        title = f"Answers: {diagram.outcome} is {diagram.classes[node.label]}"
    found, complete = _ways(diagram, number, X[rows])
    of_class = node.label if isinstance(node, Leaf) and diagram.positive is None else diagram.positive or 0
    return NodeFacts(
        number,
        title,
        found,
        complete,
        _arrivals(diagram, number, X, reach),
        terms,
        len(rows),
        float(weights.sum()),
        tuple((k, float(weights[k]), rate(labels == k, weight)) for k in positive_first(diagram)),
        rows,
        len(rows) < SMALL,
        None if isinstance(node, Split) else (answer(diagram, of_class), rate(labels == of_class, weight)),
        _unknown_values(diagram.schema, node, X[rows]) if isinstance(node, Split) else (),
    )


def _unknown_values(schema: Schema, split: Split, X: np.ndarray) -> tuple[str, ...]:
    """What becomes of unknown values at a question; X are the rows that come to it."""
    predicate = split.predicate
    out = [f"{words}: no answer, as no training row has that." for words in never_had(schema, predicate.columns)]
    is_about_missing = isinstance(predicate, Predicate) and predicate.op is Op.MISSING
    for name in (
        () if is_about_missing or schema.missing is MissingPolicy.COMPLETE else dict.fromkeys(predicate.columns)
    ):
        if schema[name].has_missing:
            case = np.where(np.arange(len(schema)) == schema.index(name), np.nan, 0.0)
            answer = bool(predicate.holds(schema, case.reshape(1, -1))[0])
            words = predicate.words_at(schema, case, answer)
            out.append(f"{words} ({count(int(np.isnan(X[:, schema.index(name)]).sum()), 'row')} here).")
    return tuple(out)


def _ways(diagram: Diagram, number: NodeId, X: np.ndarray) -> tuple[tuple[tuple[str, int], ...], bool]:
    """The ways to a node with the rows, given as their matrix, that went each; and whether these are all."""
    if number == 0:
        return (), True
    answers: dict[NodeId, np.ndarray] = {}
    found: dict[str, int] = {}
    complete = True
    for tried, way in enumerate(ways(diagram, number)):
        if len(found) == MAX_WAYS or tried == MAX_TRIED:
            complete = False
            break
        conditions = merged(diagram, way)
        if conditions is None:
            continue
        here = np.ones(len(X), bool)
        for split, yes in way:
            if split not in answers:
                answers[split] = diagram.split(split).predicate.holds(diagram.schema, X)
            here &= answers[split] == yes
        words = " and ".join(conditions)
        found[words] = found.get(words, 0) + int(here.sum())
    return tuple(sorted(found.items(), key=lambda way: -way[1])), complete


def _arrivals(diagram: Diagram, number: NodeId, X: np.ndarray, reach: np.ndarray) -> tuple[tuple[str, int, int], ...]:
    out = []
    for parent, yes in diagram.parents[number]:
        arriving = reach[:, parent]
        predicate = diagram.split(parent).predicate
        came = predicate.holds(diagram.schema, X[arriving]) == yes
        out.append((predicate.words_for(diagram.schema, yes), int(arriving.sum()), int(came.sum())))
    return tuple(out)


def _terms(predicate: LinearPredicate, schema: Schema, X: np.ndarray) -> tuple[tuple[str, float], ...]:
    words, pulls = [], []
    for name, level, weight in predicate.terms:
        column, values = schema[name], X[:, schema.index(name)]
        known = values[~np.isnan(values)]
        known = known if level is None else known == level
        # no exponents: '-0.0000998' is read more easily than '-9.98e-05'
        digits = f"{float(f'{weight:.4g}'):+.12f}".rstrip("0").rstrip(".")
        words.append(f"{digits} {name if level is None else f'[{name} is {column.levels[level]}]'}")
        pulls.append(weight * float(known.std()) if len(known) else 0.0)
    largest = max(map(abs, pulls)) or 1.0
    terms = ((word, pull / largest) for word, pull in zip(words, pulls, strict=True))
    return tuple(sorted(terms, key=lambda term: -abs(term[1])))


def positive_first(diagram: Diagram | Dataset) -> list[int]:
    """The classes in the order in which they are shown."""
    order = list(range(len(diagram.classes)))
    if diagram.positive is not None:
        order.insert(0, order.pop(diagram.positive))
    return order


class CaseFacts(NamedTuple):
    """Where a case ends: the trace, the answer, the way in words with its support, and whether that is of few rows.

    Where there is no answer, the trace ends at the question that met a value of no training row, with the label -1.
    """

    trace: Trace
    verdict: str
    sentence: str
    small: bool


def case_facts(diagram: Diagram, row: np.ndarray, data: Dataset, which: str = "training") -> CaseFacts:
    """The way of a case, with the rows of `data`, called `which`, that went the same way.

    `row` has matrix values, float64 (n_columns,), in the order of the diagram's schema.
    """
    trace = diagram.path(row)
    if (stop := int(diagram.stops(row.reshape(1, -1))[0])) >= 0:
        steps = trace.steps[: [step.node for step in trace.steps].index(stop)]
        return CaseFacts(Trace(steps, stop, -1), "No answer", refusal_words(diagram, stop, row), False)
    label = answer(diagram, trace.label)
    because = f"Because {' and '.join(step.words for step in trace.steps)}" if trace.steps else "For every case"
    X, here = diagram.encode(data), np.ones(data.n_samples, bool)
    for step in trace.steps:
        here &= diagram.split(step.node).predicate.holds(diagram.schema, X) == step.answer
    right = labels_of(diagram, data) == trace.label
    support = _support(rate(right[here], _weights(data, here)), label, which, "that went the same way")
    if len(diagram.parents[trace.leaf]) > 1:
        ends = diagram.apply(data) == trace.leaf
        share = rate(right[ends], _weights(data, ends))
        support += " " + _support(share, label, which, "that end here, by whichever way")
    columns = dict.fromkeys(name for step in trace.steps for name in diagram.split(step.node).predicate.columns)
    gone = [name for name in columns if np.isnan(row[diagram.schema.index(name)])]
    if gone:
        ended, among = int((diagram.apply(data) == trace.leaf).sum()), missing_in_leaves(diagram, data)[trace.leaf]
        support = " ".join((support, *(shared_words(name, among[name], ended, which) for name in gone)))
    sentence = f"{because}, the answer is {label}. {support}"
    return CaseFacts(trace, label, sentence, int(here.sum()) < SMALL)


def _weights(data: Dataset, here: np.ndarray) -> np.ndarray | None:
    return None if data.weight is None else data.weight[here]


def _support(share: Rate, label: str, which: str, how: str) -> str:
    if share.value is None:
        return f"No {which} row went the same way."
    rows, verb = count(share.n, f"{which} row"), "has" if share.k == 1 else "have"
    return f"Of {rows} {how}, {count(share.k)} {verb} {label}, {percent(share.value)}, 95 % interval {interval(share)}."
