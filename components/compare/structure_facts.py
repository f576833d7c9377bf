"""What differs in the structure of two models, whatever their shapes: size, columns, questions, and how rows spread."""

from typing import NamedTuple

from components.words.text import DASH, count
from solvers.diagram import Diagram
from solvers.diagram.dot import KIND_WORDS
from solvers.metrics import fragmentation, replication
from solvers.problem import Dataset


class StructureLine(NamedTuple):
    """A figure of two models, in words, and what it means."""

    name: str
    meaning: str
    first: str
    second: str


class Structure(NamedTuple):
    """Two models side by side: figures of both, and the columns that they ask about."""

    lines: tuple[StructureLine, ...]
    both: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Which columns they share."""
        if not (self.only_first or self.only_second):
            return "Both ask about the same columns." if self.both else "Neither asks about any column."
        parts = [
            f"{what} {', '.join(names)}"
            for what, names in (
                ("both ask about", self.both),
                ("only the first about", self.only_first),
                ("only the second about", self.only_second),
            )
            if names
        ]
        sentence = "; ".join(parts)
        return f"{sentence[0].upper()}{sentence[1:]}."


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


def structure(first: Diagram, second: Diagram, data: Dataset) -> Structure:
    """What differs in the structure of two models of the same table."""
    figures = zip(_LINES, _figures(first, data), _figures(second, data), strict=True)
    return Structure(
        tuple(StructureLine(*line, a, b) for line, a, b in figures),
        tuple(name for name in first.features if name in second.features),
        tuple(name for name in first.features if name not in second.features),
        tuple(name for name in second.features if name not in first.features),
    )
