"""The three shapes of a model in the user's words, and what is asked of a model's size. No Streamlit in here."""

import math
from typing import NamedTuple

from components.words.text import count
from solvers.problem import MAX_DEPTH, Shape, ShapeKind

ONE_COLUMN, SEVERAL_COLUMNS = "one column", "several columns"
"""What a question may be about."""


class ShapeChoice(NamedTuple):
    """A shape as it is offered: its name and one sentence."""

    kind: ShapeKind
    title: str
    sentence: str


SHAPE_CHOICES: dict[ShapeKind, ShapeChoice] = {
    family.kind: family
    for family in (
        ShapeChoice(
            ShapeKind.TREE,
            "Tree",
            "Every answer leads to a question of its own. The easiest to read; large ones repeat themselves.",
        ),
        ShapeChoice(
            ShapeKind.BDD,
            "BDD",
            "The same few questions in the same order for every case. Ways that come to the same are drawn once.",
        ),
        ShapeChoice(
            ShapeKind.DIAGRAM,
            "Decision diagram",
            "Ways may join again, so different cases share the questions that follow, and more rows reach each one.",
        ),
    )
}
"""The shapes in the order in which they are offered; BDD is short for binary decision diagram."""


class Work(NamedTuple):
    """How large the search is: the questions that can be asked, and the number of models, as 10^x.

    Of BDDs not the models are counted, but the sets of `levels` questions. `models_log10` is `None` where the questions
    are not countable, and where trees of any depth are asked for.
    """

    kind: ShapeKind
    levels: int
    questions: int
    models_log10: float | None

    @property
    def sentence(self) -> str:
        """The size in words, with a rough expectation."""
        many = count(self.questions, "question")
        if self.kind is ShapeKind.TREE and self.models_log10 is None:
            return f"{many} can be asked at each node. The search begins with small trees, and ends where one will do."
        if self.models_log10 is None:
            return "Questions that combine columns are too many to count; the search tries lines that part the rows."
        models = _power(self.models_log10)
        if self.kind is ShapeKind.TREE:
            return (
                f"{many} can be asked at each node, which makes about {models} possible trees. One level more "
                "squares that number; the search leaves most of it out, but not always fast."
            )
        if self.kind is ShapeKind.BDD:
            return (
                f"Of {many} about {models} sets of {self.levels} can be chosen. The best answers over a set "
                "follow from the rows at once, so that sets are compared and not BDDs."
            )
        return (
            f"{many} can be asked at each node, which makes about {models} possible diagrams. A larger price "
            "of a question makes the search shorter."
        )


def work(questions: int, shape: Shape, n_classes: int = 2) -> Work:
    """The size of the search, an upper estimate: every node may ask every one of the questions."""
    n_questions = max(questions, 1)
    if shape.kind is ShapeKind.BDD:
        levels = min(shape.max_depth, n_questions)
        chosen = math.lgamma(n_questions + 1) - math.lgamma(levels + 1) - math.lgamma(n_questions - levels + 1)
        return Work(shape.kind, levels, questions, chosen / math.log(10))
    if shape.kind is ShapeKind.DIAGRAM:
        if shape.split_features != 1:
            return Work(shape.kind, shape.max_depth, questions, None)
        widths = (*shape.layer_widths, 0)
        targets = [2 * math.log10(below + n_classes) for below in widths[1:]]
        nodes = zip(widths, targets, strict=False)
        return Work(
            shape.kind, shape.max_depth, questions, sum(width * (math.log10(n_questions) + to) for width, to in nodes)
        )
    if shape.max_depth == MAX_DEPTH and shape.max_leaf_nodes is None:
        return Work(shape.kind, shape.max_depth, questions, None)
    splits = 2**shape.max_depth - 1
    if shape.max_leaf_nodes is not None:
        splits = min(splits, shape.max_leaf_nodes - 1)
    return Work(shape.kind, shape.max_depth, questions, splits * math.log10(n_questions))


def _power(exponent: float) -> str:
    """A power of ten with raised digits, or the number itself where it is small."""
    if exponent < 6:
        return count(round(10**exponent))
    return "10" + str(round(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
