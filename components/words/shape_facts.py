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
            "Each answer leads to its own next question. Easiest to read; large trees repeat questions.",
        ),
        ShapeChoice(
            ShapeKind.BDD,
            "BDD",
            "Every patient gets the same questions in the same order. Equivalent branches are merged.",
        ),
        ShapeChoice(
            ShapeKind.DIAGRAM,
            "Decision diagram",
            "Branches can rejoin, so later questions rest on more patients.",
        ),
    )
}
"""The shapes in the order in which they are offered; BDD is short for binary decision diagram."""


def models_log10(questions: int, shape: Shape, n_classes: int = 2) -> float | None:
    """The number of models as 10^x, an upper estimate: every node may ask every one of the questions.

    Of BDDs the sets of questions are counted. `None` if questions combine columns, or trees may have any depth.
    """
    n_questions = max(questions, 1)
    if shape.kind is ShapeKind.BDD:
        levels = min(shape.max_depth, n_questions)
        chosen = math.lgamma(n_questions + 1) - math.lgamma(levels + 1) - math.lgamma(n_questions - levels + 1)
        return chosen / math.log(10)
    if shape.kind is ShapeKind.DIAGRAM:
        if shape.split_features != 1:
            return None
        widths = (*shape.layer_widths, 0)
        targets = [2 * math.log10(below + n_classes) for below in widths[1:]]
        nodes = zip(widths, targets, strict=False)
        return sum(width * (math.log10(n_questions) + to) for width, to in nodes)
    if shape.max_depth == MAX_DEPTH and shape.max_leaf_nodes is None:
        return None
    splits = 2**shape.max_depth - 1
    if shape.max_leaf_nodes is not None:
        splits = min(splits, shape.max_leaf_nodes - 1)
    return splits * math.log10(n_questions)


def work_words(questions: int, shape: Shape, n_classes: int = 2) -> str:
    """How large the search is, with a rough expectation."""
    many, size = count(questions, "question"), models_log10(questions, shape, n_classes)
    if size is None:
        if shape.kind is ShapeKind.TREE:
            return f"{many} can be asked at each node. The search begins with small trees, and ends where one will do."
        return "Questions that combine columns are too many to count; the search tries lines that part the rows."
    models = _power(size)
    match shape.kind:
        case ShapeKind.BDD:
            levels = min(shape.max_depth, max(questions, 1))
            return (
                f"Of {many} about {models} sets of {levels} can be chosen. The best answers over a set follow from the "
                "rows at once, so that sets are compared and not BDDs."
            )
        case ShapeKind.TREE:
            rest = "One level more squares that number; the search leaves most of it out, but not always fast."
        case ShapeKind.DIAGRAM:
            rest = "A larger price of a question makes the search shorter."
    noun = "tree" if shape.kind is ShapeKind.TREE else "diagram"
    return f"{many} can be asked at each node, which makes about {models} possible {noun}s. {rest}"


def _power(exponent: float) -> str:
    """A power of ten with raised digits, or the number itself where it is small."""
    if exponent < 6:
        return count(round(10**exponent))
    return "10" + str(round(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
