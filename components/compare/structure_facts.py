"""What differs in the structure of two models, whatever their shapes: size, columns, questions, and how rows spread."""

from collections.abc import Callable
from typing import NamedTuple

from components.words.text import DASH, count
from solvers.diagram import Diagram, Split
from solvers.diagram.dot import KIND_WORDS
from solvers.metrics import Replication, fragmentation, replication
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
    splits = {i: node.predicate for i, node in enumerate(diagram.nodes) if isinstance(node, Split)}
    reach = diagram.reach(data)
    return Figures(
        KIND_WORDS[diagram.kind],
        len(splits),
        len(set(splits.values())),
        len(diagram.features),
        diagram.n_leaves,
        sum(len(diagram.parents[i]) > 1 for i in splits),
        diagram.depth,
        float(reach[:, list(splits)].sum(axis=1).mean()) if len(reach) else 0.0,
        replication(diagram),
        fragmentation(diagram, data).smallest_question,
    )


def structure(first: Diagram, second: Diagram, data: Dataset) -> Structure:
    """What differs in the structure of two models of the same table."""
    a, b = figures(first, data), figures(second, data)
    lines = tuple(StructureLine(name, meaning, write(a), write(b)) for name, meaning, write in _LINES)
    return Structure(
        lines,
        tuple(name for name in first.features if name in second.features),
        tuple(name for name in first.features if name not in second.features),
        tuple(name for name in second.features if name not in first.features),
    )


_LINES: tuple[tuple[str, str, Callable[[Figures], str]], ...] = (
    ("Shape", "What kind of model it is.", lambda f: f.kind),
    ("Questions", "Nodes that ask.", lambda f: count(f.questions)),
    ("Different questions", "A question that several nodes ask counts once.", lambda f: count(f.different)),
    ("Columns asked about", "What has to be known of a case at most.", lambda f: count(f.columns)),
    (
        "Answers",
        "Nodes that answer: the leaves of a tree, or one for each class.",
        lambda f: count(f.leaves),
    ),
    ("Shared questions", "Questions that more than one way leads to; a tree has none.", lambda f: count(f.shared)),
    (
        "As a tree",
        "The questions of the tree that gives the same answers.",
        lambda f: "thousands" if f.repeated.tree_questions is None else count(f.repeated.tree_questions),
    ),
    ("Most questions for a case", "On the longest way.", lambda f: count(f.most)),
    ("Questions for a case", "On average over these rows.", lambda f: f"{f.mean:.1f}"),
    (
        "Fewest rows at a question",
        "The question that is asked the fewest of these rows.",
        lambda f: DASH if f.smallest is None else count(f.smallest),
    ),
)
