"""One question at a time: what is asked next, given the answers so far, and where they lead."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from components.model.facts import SMALL
from solvers.diagram import ColumnDomain, Diagram, NodeId, Split, possible_labels, possible_words
from solvers.diagram.labels import spoken
from solvers.metrics import Rate, leaf_risks, missing_in_leaves, risk_words, shared_words
from solvers.problem import Dataset, LinearPredicate, MissingPolicy, Op, Predicate
from solvers.problem.texts import listed
from solvers.report.bedside import other_words


class GivenAnswer(NamedTuple):
    """An answer to a question: the node, which way it leads, and the columns whose values are not known.

    `yes` is `None` where it leads no further, as no training row has such a value: an unknown one, or without unknown
    columns a level of none.
    """

    node: NodeId
    yes: bool | None
    unknown: tuple[str, ...] = ()


class BedsideQuestion(NamedTuple):
    """What is asked next.

    Attributes
    ----------
    node : the node that asks.
    words : the question.
    number, most : its place among the questions, and how many there are at most in all.
    yes, no : what each answer says.
    not_known : the button for those who do not know; '' where 'is missing' is the question.
    other : the button for a level that no training row has; '' where there are no levels.
    possible, ruled_out : the classes that can still be answered, and the others.
    columns : the columns of a weighted sum, whose values are asked for instead; empty for other questions.
    """

    node: NodeId
    words: str
    number: int
    most: int
    yes: str
    no: str
    not_known: str
    other: str
    possible: tuple[str, ...]
    ruled_out: tuple[str, ...]
    columns: tuple[str, ...]


class BedsideEnd(NamedTuple):
    """Where the answers end: the leaf, its answer, and the risk of a class, also in a sentence.

    `small` says whether few rows ended there, `because` has the answers in words. Where no answer is given, there is no
    risk, the node is the question, and `support` says why.
    """

    node: NodeId
    verdict: str
    risk: Rate | None
    of_class: str
    support: str
    small: bool
    because: tuple[str, ...]


def where(diagram: Diagram, answers: tuple[GivenAnswer, ...]) -> tuple[NodeId, tuple[GivenAnswer, ...]]:
    """The node that the answers lead to, and all answers on the way, with those that follow from earlier ones.

    An answer that does not belong to the way is left out.
    """
    given = {answer.node: answer for answer in answers}
    at: NodeId = 0
    way: list[GivenAnswer] = []
    while isinstance(node := diagram.nodes[at], Split):
        answer = _implied(diagram, way, at) or given.get(at)
        if answer is None:
            break
        way.append(answer)
        if answer.yes is None:
            break
        at = node.yes if answer.yes else node.no
    return at, tuple(way)


def _domains(diagram: Diagram, way: Iterable[GivenAnswer]) -> dict[str, ColumnDomain]:
    """What the answers tell of columns; whoever answered knew the value."""
    out: dict[str, ColumnDomain] = {}
    for answer in way:
        predicate = diagram.split(answer.node).predicate
        if isinstance(predicate, LinearPredicate) or answer.yes is None:
            continue
        column = diagram.schema[predicate.column]
        if answer.unknown:
            out[column.name] = replace(ColumnDomain.whole(column), known=False)
        else:
            before = out.get(column.name) or ColumnDomain.had(column, missing=False)
            out[column.name] = before.within(predicate, answer.yes)
    return out


def _implied(diagram: Diagram, way: list[GivenAnswer], at: NodeId) -> GivenAnswer | None:
    """The answer that can be told from the earlier ones; `None` where it has to be asked."""
    predicate = diagram.split(at).predicate
    domain = None if isinstance(predicate, LinearPredicate) else _domains(diagram, way).get(predicate.column)
    if domain is None or isinstance(predicate, LinearPredicate):
        return None
    found = {yes: domain.within(predicate, yes) for yes in (True, False)}
    possible = [yes for yes, left in found.items() if left.has_known or left.missing]
    unknown = () if domain.known else (predicate.column,)
    return GivenAnswer(at, possible[0], unknown) if len(possible) == 1 else None


def next_question(diagram: Diagram, answers: tuple[GivenAnswer, ...]) -> BedsideQuestion | None:
    """What is asked after these answers; `None` where they have led to a leaf, or lead no further."""
    at, way = where(diagram, answers)
    node = diagram.nodes[at]
    if not isinstance(node, Split) or (way and way[-1].yes is None):
        return None
    predicate, schema = node.predicate, diagram.schema
    combined = isinstance(predicate, LinearPredicate)
    n_answered = sum(answer in answers for answer in way)
    return BedsideQuestion(
        at,
        f"{spoken(predicate, schema, missing=False)}?",
        n_answered + 1,
        n_answered + _longest(diagram, at),
        spoken(predicate, schema, True, missing=False),
        spoken(predicate, schema, False, missing=False),
        *_ways_out(diagram, at),
        *_still_possible(diagram, at, way),
        tuple(dict.fromkeys(predicate.columns)) if combined else (),
    )


def _ways_out(diagram: Diagram, at: NodeId) -> tuple[str, str]:
    """The buttons for an unknown value and for a level that no training row has; 'is missing' asks for the first."""
    predicate = diagram.split(at).predicate
    if isinstance(predicate, LinearPredicate) or predicate.op is Op.MISSING:
        return "", ""
    return "Not known", other_words(diagram.schema[predicate.column])


def _still_possible(
    diagram: Diagram, at: NodeId, way: tuple[GivenAnswer, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The classes that can be answered from a node on after these answers, and the others that the model has."""
    found = possible_labels(diagram, lambda _: None, at, _domains(diagram, way))
    others = sorted({leaf.label for _, leaf in diagram.leaves}.difference(found))
    return tuple(diagram.classes[k] for k in found), tuple(diagram.classes[k] for k in others)


def answered(diagram: Diagram, node: NodeId, yes: bool | None, *, other: bool = False) -> GivenAnswer:
    """The answer to a question; `None` stands for a value that is not known, `other` for a level of no training row."""
    predicate, schema = diagram.split(node).predicate, diagram.schema
    if other:
        return GivenAnswer(node, None)
    if yes is not None and not (yes and isinstance(predicate, Predicate) and predicate.op is Op.MISSING):
        had = isinstance(predicate, LinearPredicate) or (
            ColumnDomain.had(schema[predicate.column], missing=False).within(predicate, yes).has_known
        )
        return GivenAnswer(node, yes if had else None)
    sends = all(schema[name].has_missing for name in predicate.columns) and schema.missing is not MissingPolicy.COMPLETE
    return GivenAnswer(node, predicate.missing if sends else None, predicate.columns)


def _longest(diagram: Diagram, at: NodeId) -> int:
    """The most questions from a node on."""
    longest = [0] * diagram.n_nodes
    for i, split in reversed(diagram.splits):
        longest[i] = 1 + max(longest[split.yes], longest[split.no])
    return longest[at]


def outcome(diagram: Diagram, answers: tuple[GivenAnswer, ...], data: Dataset, which: str) -> BedsideEnd | None:
    """Where the answers end, with the rows of `data` that end there; `None` while there is more to ask."""
    at, way = where(diagram, answers)
    node = diagram.nodes[at]
    if way and way[-1].yes is None:
        return _no_answer(diagram, at, way)
    if isinstance(node, Split):
        return None
    found = next(leaf for leaf in leaf_risks(diagram, data) if leaf.node == at)
    name = diagram.classes[found.of_class]
    risk = found.risk
    support = risk_words(diagram, found, data.n_samples, which)
    because = tuple(_answer_words(diagram, answer) for answer in way)
    if risk.n:
        missing = missing_in_leaves(diagram, data)[at]
        unknown = dict.fromkeys(name for answer in way for name in answer.unknown)
        support = " ".join((support, *(shared_words(name, missing[name], risk.n, which) for name in unknown)))
    verdict = f"{diagram.outcome}: {diagram.classes[node.label]}"
    return BedsideEnd(at, verdict, risk, name, support, risk.n < SMALL, because)


def _no_answer(diagram: Diagram, at: NodeId, way: tuple[GivenAnswer, ...]) -> BedsideEnd:
    """The end at a question whose value is unknown or another one than in training."""
    stop = way[-1]
    names = listed(stop.unknown or diagram.split(at).predicate.columns, "or")
    if diagram.schema.missing is MissingPolicy.COMPLETE and stop.unknown:
        why = f"{names} is not known, and the model was made from complete cases only."
    else:
        had = (
            "is not known here. All training rows had it"
            if stop.unknown
            else "has another value here than in any training row"
        )
        why = f"{names} {had}: the model has learned nothing of such a case."
    labels = possible_labels(diagram, lambda _: None, at, _domains(diagram, way))
    because = tuple(_answer_words(diagram, answer) for answer in way[:-1])
    return BedsideEnd(at, "No answer", None, "", f"{why} {possible_words(diagram, labels)}", False, because)


def _answer_words(diagram: Diagram, answer: GivenAnswer) -> str:
    predicate, schema = diagram.split(answer.node).predicate, diagram.schema
    assert answer.yes is not None
    row = np.where(np.isin(schema.names, answer.unknown), np.nan, 0.0)
    return predicate.words_at(schema, row, answer.yes)
