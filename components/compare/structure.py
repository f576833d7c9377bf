"""What differs in the structure of models, whatever their shapes: size, columns, questions, and how rows spread."""

from collections.abc import Sequence

from components.words.text import DASH, capitalised, count
from solvers.diagram import Diagram, NodeId
from solvers.diagram.dot import KIND_WORDS
from solvers.diagram.labels import spoken
from solvers.metrics import fragmentation, replication
from solvers.problem import Dataset

LINES = (
    ("Shape", "What kind of model it is."),
    ("Questions", "Nodes that ask."),
    ("Different questions", "A question that several nodes ask counts once."),
    ("Columns asked about", "What has to be known of a case at most."),
    ("Answers", "Nodes that answer: the leaves of a tree, or one for each class."),
    ("Shared questions", "Questions that more than one way leads to; a tree has none."),
    ("As a tree", "The questions of the tree that gives the same answers."),
    ("Most questions for a case", "On the longest way."),
    ("Questions for a case", "On average over these rows."),
    ("Fewest rows at a question", "The question that is asked the fewest of these rows."),
)
"""The figures of a model: the name of each, and what it means."""


def figures_of(diagram: Diagram, data: Dataset) -> tuple[str, ...]:
    """The figures of a model on the rows of `data`, in the order of `LINES`."""
    asking, reach = [i for i, _ in diagram.splits], diagram.reach(data)
    as_tree = replication(diagram).tree_questions
    fewest = fragmentation(diagram, data).smallest_question
    return (
        KIND_WORDS[diagram.kind],
        count(diagram.n_splits),
        count(len({split.predicate for _, split in diagram.splits})),
        count(len(diagram.features)),
        count(diagram.n_leaves),
        count(sum(len(diagram.parents[i]) > 1 for i in asking)),
        "thousands" if as_tree is None else count(as_tree),
        count(diagram.depth),
        f"{float(reach[:, asking].sum(axis=1).mean()) if len(reach) else 0.0:.1f}",
        DASH if fewest is None else count(fewest),
    )


def shared_columns(first: Diagram, second: Diagram) -> str:
    """Which columns two models share."""
    both = [name for name in first.features if name in second.features]
    only_first = [name for name in first.features if name not in both]
    only_second = [name for name in second.features if name not in both]
    if not (only_first or only_second):
        return "Both ask about the same columns." if both else "Neither asks about any column."
    named = (
        ("both ask about", both),
        ("only the first about", only_first),
        ("only the second about", only_second),
    )
    sentence = "; ".join(f"{what} {', '.join(names)}" for what, names in named if names)
    return f"{capitalised(sentence)}."


def shared_questions(diagrams: Sequence[Diagram]) -> dict[str, tuple[tuple[NodeId, ...], ...]]:
    """The questions in words that at least two models ask, from the root of the first on, and the nodes of each."""
    places_of: dict[object, list[list[NodeId]]] = {}
    words: dict[object, str] = {}
    for position, diagram in enumerate(diagrams):
        for number, split in diagram.splits:
            places = places_of.setdefault(split.predicate, [[] for _ in diagrams])
            places[position].append(number)
            words.setdefault(split.predicate, spoken(split.predicate, diagram.schema))
    return {
        words[predicate]: tuple(map(tuple, places))
        for predicate, places in places_of.items()
        if sum(map(bool, places)) > 1
    }


def other_limits(first: Diagram, second: Diagram) -> dict[str, tuple[list[str], list[str]]]:
    """The columns that both ask about, but not with the same questions: those of only the first, and of the second."""
    a, b = _by_column(first), _by_column(second)
    return {
        column: (
            [words for predicate, words in a[column].items() if predicate not in b[column]],
            [words for predicate, words in b[column].items() if predicate not in a[column]],
        )
        for column in first.features
        if column in b and set(a[column]) != set(b[column])
    }


def _by_column(diagram: Diagram) -> dict[str, dict[object, str]]:
    """The questions about each column, with their words."""
    questions: dict[str, dict[object, str]] = {name: {} for name in diagram.features}
    for _, split in diagram.splits:
        for column in split.predicate.columns:
            questions[column].setdefault(split.predicate, spoken(split.predicate, diagram.schema))
    return questions
