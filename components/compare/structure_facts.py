"""What differs in the structure of models, whatever their shapes: size, columns, questions, and how rows spread."""

from collections.abc import Sequence
from typing import NamedTuple

from components.words.text import DASH, capitalised, count
from solvers.diagram import Diagram
from solvers.diagram.dot import KIND_WORDS
from solvers.metrics import fragmentation, replication
from solvers.problem import Dataset


class StructureTable(NamedTuple):
    """The structure of several models: lines of a name, its meaning, and a figure for each model; and a sentence.

    The sentence says which columns the first two share.
    """

    lines: tuple[tuple[str, str, tuple[str, ...]], ...]
    sentence: str


_LINES = (
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


def _figures(diagram: Diagram, data: Dataset) -> tuple[str, ...]:
    """The figures of a model on the rows of `data`, in the order of `_LINES`."""
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


def structure(models: Sequence[tuple[Diagram, Dataset]]) -> StructureTable:
    """The structure of two or more models of the same table, each on its rows."""
    figures = zip(*(_figures(*model) for model in models), strict=True)
    lines = tuple((name, help, of_each) for (name, help), of_each in zip(_LINES, figures, strict=True))
    return StructureTable(lines, _sentence(models[0][0], models[1][0]))


def _sentence(first: Diagram, second: Diagram) -> str:
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
