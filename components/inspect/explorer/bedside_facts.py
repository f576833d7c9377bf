"""One question at a time: what is asked next, given the answers so far, and where they lead."""

from typing import NamedTuple

from components.model.facts import SMALL
from components.words.text import count, interval, percent
from solvers.diagram import ColumnDomain, Diagram, NodeId, Split
from solvers.metrics import Rate, leaf_risks
from solvers.problem import Dataset, LinearPredicate, MissingPolicy, Op


class GivenAnswer(NamedTuple):
    """An answer to a question: the node, which way it leads, and whether the value is not known."""

    node: NodeId
    yes: bool
    unknown: bool = False


class BedsideQuestion(NamedTuple):
    """What is asked next.

    Attributes
    ----------
    node : the node that asks.
    words : the question.
    number, most : its place among the questions, and how many there are at most in all.
    yes, no : what each answer says.
    may_be_unknown : whether there is a way for those who do not know.
    columns : the columns of a weighted sum, whose values are asked for instead; empty for other questions.
    """

    node: NodeId
    words: str
    number: int
    most: int
    yes: str
    no: str
    may_be_unknown: bool
    columns: tuple[str, ...]


class BedsideEnd(NamedTuple):
    """Where the answers end: the leaf, its answer, and the risk of a class, also in a sentence.

    `small` says whether few rows ended there, `because` has the answers in words.
    """

    node: NodeId
    verdict: str
    risk: Rate
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
        at = node.yes if answer.yes else node.no
    return at, tuple(way)


def _implied(diagram: Diagram, way: list[GivenAnswer], at: NodeId) -> GivenAnswer | None:
    """The answer that can be told from the earlier ones; `None` where it has to be asked."""
    predicate = diagram.split(at).predicate
    if isinstance(predicate, LinearPredicate):
        return None
    domain = None
    for answer in way:
        earlier = diagram.split(answer.node).predicate
        if isinstance(earlier, LinearPredicate) or earlier.column != predicate.column:
            continue
        if answer.unknown:
            return GivenAnswer(at, predicate.missing, True)
        # whoever answered knew the value
        column = diagram.schema[predicate.column]
        whole = ColumnDomain.whole(column, missing=False)
        domain = (domain or whole).within(earlier, answer.yes)
    if domain is None:
        return None
    possible = [yes for yes in (True, False) if domain.within(predicate, yes).has_known]
    return GivenAnswer(at, possible[0]) if len(possible) == 1 else None


def next_question(diagram: Diagram, answers: tuple[GivenAnswer, ...]) -> BedsideQuestion | None:
    """What is asked after these answers; `None` where they have led to a leaf."""
    at, way = where(diagram, answers)
    node = diagram.nodes[at]
    if not isinstance(node, Split):
        return None
    predicate, schema = node.predicate, diagram.schema
    combined = isinstance(predicate, LinearPredicate)
    words = predicate.words(schema, mention_missing=False).replace(" <= ", " \u2264 ")
    n_asked = sum(answer in answers for answer in way)
    return BedsideQuestion(
        at,
        f"{words}?",
        n_asked + 1,
        n_asked + _longest(diagram, at),
        predicate.words_for(schema, True),
        predicate.words_for(schema, False),
        _may_be_unknown(diagram, at),
        tuple(dict.fromkeys(predicate.columns)) if combined else (),
    )


def _may_be_unknown(diagram: Diagram, at: NodeId) -> bool:
    """Whether a question has an answer for a value that is not known; 'is missing' asks for just that."""
    predicate, schema = diagram.split(at).predicate, diagram.schema
    if schema.missing is MissingPolicy.COMPLETE or getattr(predicate, "op", None) is Op.MISSING:
        return False
    return any(schema[name].has_missing for name in predicate.columns)


def answered(diagram: Diagram, node: NodeId, yes: bool | None) -> GivenAnswer:
    """The answer to a question; `None` stands for a value that is not known."""
    predicate = diagram.split(node).predicate
    if yes is None:
        return GivenAnswer(node, predicate.missing, True)
    return GivenAnswer(node, yes, yes and getattr(predicate, "op", None) is Op.MISSING)


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
    if isinstance(node, Split):
        return None
    found = next(leaf for leaf in leaf_risks(diagram, data) if leaf.node == at)
    name = diagram.classes[found.of_class]
    risk = found.risk
    if risk.value is None:
        support = f"None of the {count(data.n_samples, f'{which} row')} ended here, so there is no risk to tell."
    else:
        support = (
            f"Of {count(risk.n, f'{which} row')} that ended here, {count(risk.k)} "
            f"{'has' if risk.k == 1 else 'have'} {diagram.outcome} {name}: {percent(risk.value)} "
            f"(95 % interval {interval(risk)})."
        )
    because = tuple(_answer_words(diagram, answer) for answer in way)
    verdict = f"{diagram.outcome}: {diagram.classes[node.label]}"
    return BedsideEnd(at, verdict, risk, name, support, risk.n < SMALL, because)


def _answer_words(diagram: Diagram, answer: GivenAnswer) -> str:
    predicate = diagram.split(answer.node).predicate
    if answer.unknown:
        return f"{' or '.join(dict.fromkeys(predicate.columns))} is not known"
    return predicate.words_for(diagram.schema, answer.yes).removesuffix(" or missing")
