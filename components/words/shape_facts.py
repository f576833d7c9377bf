"""The three shapes of a model in the user's words, and what is asked of a model's size. No Streamlit in here."""

from __future__ import annotations

import math
from typing import NamedTuple

from components.words.text import amount, count
from solvers.problem import MAX_DEPTH, Shape, ShapeKind
from solvers.problem.skeleton import PRESETS

ONE_COLUMN, SEVERAL_COLUMNS = "one column", "several columns"
"""What a question may be about."""


class Family(NamedTuple):
    """A shape as it is offered: its name and one sentence."""

    kind: ShapeKind
    title: str
    sentence: str


FAMILIES: dict[ShapeKind, Family] = {
    family.kind: family
    for family in (
        Family(
            ShapeKind.TREE,
            "Tree",
            "Every answer leads to a question of its own. The easiest to read; large ones repeat themselves.",
        ),
        Family(
            ShapeKind.BDD,
            "BDD",
            "The same few questions in the same order for every case. Ways that come to the same are drawn once.",
        ),
        Family(
            ShapeKind.DIAGRAM,
            "Decision diagram",
            "Ways may join again, so different cases share the questions that follow, and more rows reach each one.",
        ),
    )
}
"""The shapes in the order in which they are offered; BDD is short for binary decision diagram."""


def widths_words(widths: tuple[int, ...]) -> str:
    """A skeleton by its preset's name or by its widths, for instance 'I (1 2 4 8)' or '(1 2 3)'."""
    told = f"({' '.join(map(str, widths))})"
    name = next((name for name, preset in PRESETS.items() if preset.widths == widths), None)
    return told if name is None else f"{name} {told}"


def shape_words(shape: Shape) -> list[str]:
    """What is asked of the size, a piece for each demand, for instance 'tree of depth 3', 'at most 6 leaves'."""
    if shape.kind is ShapeKind.TREE:
        parts = ["tree of any depth" if shape.max_depth == MAX_DEPTH else f"tree of depth {shape.max_depth}"]
    elif shape.kind is ShapeKind.BDD:
        parts = [f"BDD of at most {count(shape.max_depth, 'level')}"]
    else:
        parts = [f"diagram within the skeleton {widths_words(shape.layer_widths)}"]
        parts += [combining_words(shape)] if shape.split_features != 1 else []
    return parts + size_limits(shape)


def combining_words(shape: Shape) -> str:
    """How many columns a question may combine."""
    if shape.split_features is None:
        return "questions may combine all columns"
    return f"questions may combine {shape.split_features} columns"


def size_limits(shape: Shape) -> list[str]:
    """The limits besides depth and skeleton, a piece for each."""
    parts = []
    if shape.max_splits is not None:
        parts.append(f"at most {count(shape.max_splits, 'question')} in all")
    if shape.max_leaf_nodes is not None:
        parts.append(f"at most {count(shape.max_leaf_nodes, 'leaf', 'leaves')}")
    if shape.min_samples_leaf > 1:
        parts.append(f"at least {count(shape.min_samples_leaf)} rows per leaf")
    if shape.min_weight_leaf:
        parts.append(f"a weight of at least {amount(shape.min_weight_leaf)} a leaf")
    return parts


def size_title(shape: Shape) -> str:
    """The size in a run's title, for instance 'depth 3', 'BDD of 4 levels' or 'diagram (1 2 4 8)'."""
    if shape.kind is ShapeKind.TREE:
        return "any depth" if shape.max_depth == MAX_DEPTH else f"depth {shape.max_depth}"
    if shape.kind is ShapeKind.BDD:
        return f"BDD of {count(shape.max_depth, 'level')}"
    return f"diagram {widths_words(shape.layer_widths)}"


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
        asked = count(self.questions, "question")
        if self.kind is ShapeKind.TREE and self.models_log10 is None:
            return f"{asked} can be asked at each node. The search begins with small trees, and ends where one will do."
        if self.models_log10 is None:
            return "Questions that combine columns are too many to count; the search tries lines that part the rows."
        many = _power(self.models_log10)
        if self.kind is ShapeKind.TREE:
            return (
                f"{asked} can be asked at each node, which makes about {many} possible trees. "
                "One level more squares that number; the search leaves most of it out, but not always fast."
            )
        if self.kind is ShapeKind.BDD:
            return (
                f"Of {asked} about {many} sets of {self.levels} can be chosen. The best answers over a set follow from "
                "the rows at once, so that sets are compared and not BDDs."
            )
        return (
            f"{asked} can be asked at each node, which makes about {many} possible diagrams. "
            "A larger price of a question makes the search shorter."
        )


def work(questions: int, shape: Shape, n_classes: int = 2) -> Work:
    """The size of the search, an upper estimate: every node may ask every one of the questions."""
    asked = max(questions, 1)
    if shape.kind is ShapeKind.BDD:
        levels = min(shape.max_depth, asked)
        chosen = math.lgamma(asked + 1) - math.lgamma(levels + 1) - math.lgamma(asked - levels + 1)
        return Work(shape.kind, levels, questions, chosen / math.log(10))
    if shape.kind is ShapeKind.DIAGRAM:
        if shape.split_features != 1:
            return Work(shape.kind, shape.max_depth, questions, None)
        widths = (*shape.layer_widths, 0)
        targets = [2 * math.log10(below + n_classes) for below in widths[1:]]
        nodes = zip(widths, targets, strict=False)
        return Work(
            shape.kind, shape.max_depth, questions, sum(width * (math.log10(asked) + to) for width, to in nodes)
        )
    if shape.max_depth == MAX_DEPTH and shape.max_leaf_nodes is None:
        return Work(shape.kind, shape.max_depth, questions, None)
    splits = 2**shape.max_depth - 1
    if shape.max_leaf_nodes is not None:
        splits = min(splits, shape.max_leaf_nodes - 1)
    return Work(shape.kind, shape.max_depth, questions, splits * math.log10(asked))


def _power(exponent: float) -> str:
    """A power of ten with raised digits, or the number itself where it is small."""
    if exponent < 6:
        return count(round(10**exponent))
    return "10" + str(round(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
