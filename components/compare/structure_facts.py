"""What differs in the structure of two models, whatever their shapes: size, columns, questions, and how rows spread."""

from __future__ import annotations

from typing import NamedTuple

from components.words.text import DASH, count
from solvers.diagram import Diagram, Split
from solvers.diagram.rendering import KIND_WORDS
from solvers.metrics import Replication, fragmentation, replication
from solvers.problem import Dataset


class Line(NamedTuple):
    """A figure of two models, in words, and what it means."""

    name: str
    meaning: str
    first: str
    second: str


class Structure(NamedTuple):
    """Two models side by side.

    Attributes
    ----------
    lines : figures of both.
    both, only_first, only_second : the columns that they ask about.
    same_questions : the questions that both ask, in words.
    """

    lines: tuple[Line, ...]
    both: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    same_questions: tuple[str, ...]

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


class Figures(NamedTuple):
    """The structure of one model on some rows.

    Attributes
    ----------
    kind : its shape in words.
    questions, different, columns, leaves : how many nodes ask, how many different questions, about how many columns,
        and how many nodes answer.
    shared : the questions that more than one arc leads to.
    most, mean : the most questions for a case, and how many a row is asked on average.
    repeated : what a tree with the same answers would have to repeat.
    smallest : the rows of the question that is asked fewest; `None` without questions.
    """

    kind: str
    questions: int
    different: int
    columns: int
    leaves: int
    shared: int
    most: int
    mean: float
    repeated: Replication
    smallest: int | None


def figures(diagram: Diagram, data: Dataset) -> Figures:
    """The structure of a model, with the rows of `data`."""
    splits = [i for i, node in enumerate(diagram.nodes) if isinstance(node, Split)]
    reach = diagram.reach(data)
    return Figures(
        KIND_WORDS[diagram.kind],
        len(splits),
        len({diagram.nodes[i].predicate for i in splits}),
        len(diagram.features),
        diagram.n_leaves,
        sum(len(diagram.parents[i]) > 1 for i in splits),
        diagram.depth,
        float(reach[:, splits].sum(axis=1).mean()) if len(reach) else 0.0,
        replication(diagram),
        fragmentation(diagram, data).smallest_question,
    )


def structure(first: Diagram, second: Diagram, data: Dataset) -> Structure:
    """What differs in the structure of two models of the same table."""
    a, b = figures(first, data), figures(second, data)
    lines = tuple(Line(name, meaning, write(a), write(b)) for name, meaning, write in _LINES)
    asked = [set(diagram.features) for diagram in (first, second)]
    questions = [{n.predicate for n in diagram.nodes if isinstance(n, Split)} for diagram in (first, second)]
    return Structure(
        lines,
        tuple(name for name in first.features if name in asked[1]),
        tuple(name for name in first.features if name not in asked[1]),
        tuple(name for name in second.features if name not in asked[0]),
        tuple(sorted(question.words(first.schema) for question in questions[0] & questions[1])),
    )


def _tree_questions(found: Figures) -> str:
    size = found.repeated.tree_questions
    return "thousands" if size is None else count(size)


_LINES = (
    ("Shape", "What kind of model it is.", lambda f: f.kind),
    ("Questions", "Nodes that ask.", lambda f: count(f.questions)),
    ("Different questions", "A question that several nodes ask counts once.", lambda f: count(f.different)),
    ("Columns asked about", "What has to be known of a case at most.", lambda f: count(f.columns)),
    ("Answers", "Nodes that answer: leaves of a tree, one a class in a BDD or diagram.", lambda f: count(f.leaves)),
    ("Shared questions", "Questions that more than one way leads to; a tree has none.", lambda f: count(f.shared)),
    ("As a tree", "The questions of the tree that gives the same answers.", _tree_questions),
    ("Most questions for a case", "On the longest way.", lambda f: count(f.most)),
    ("Questions for a case", "On average over these rows.", lambda f: f"{f.mean:.1f}"),
    (
        "Fewest rows at a question",
        "The question that is asked the fewest of these rows.",
        lambda f: DASH if f.smallest is None else count(f.smallest),
    ),
)
