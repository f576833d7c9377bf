"""How thinly models cut their rows, side by side: a BDD or diagram against trees of the same accuracy."""

from dataclasses import replace
from typing import NamedTuple

from components.session.work import FinishedModel, within_reach
from components.words.text import count, percent
from solvers.diagram import Diagram, levels
from solvers.explain import MatchTree, TreeMatch
from solvers.methods import registry
from solvers.metrics import fragmentation, unfolded
from solvers.problem import Dataset, Objective, Problem, Shape, ShapeKind
from solvers.sweeps.grid import as_tree

LEAST_DEPTH, DEEPEST = 4, 6
"""Trees are sought down to the depth of the tree with the same answers, but for these limits: a deeper tree may need
fewer questions, and the exact search seldom ends beyond the second in the time of a question."""

STEP = 5.0
"""Seconds for each number of leaves."""

MATCHER = "contree"
"""The method that looks for the tree of the same accuracy."""


class QuestionPoint(NamedTuple):
    """A question as a point of the figure: its level from 1 on, its share of all rows, and its number of rows."""

    level: int
    share: float
    n: int


class Spread(NamedTuple):
    """How the rows spread over the questions of a model.

    `smallest`, `median` and `mean` are of the rows that come to a question, `None` where nothing is asked; `small`
    counts the questions that fewer rows come to than they should.
    """

    title: str
    questions: int
    depth: int
    wrong: int
    smallest: int | None
    median: float | None
    mean: float | None
    small: int
    dots: tuple[QuestionPoint, ...]


def spread(title: str, diagram: Diagram, data: Dataset, support: int) -> Spread:
    """How the rows of `data` spread over the questions of a model; each should be asked at least `support` rows."""
    measured = fragmentation(diagram, data, support=support)
    line = {i: k for k, level in enumerate(levels(diagram), start=1) for i in level.nodes}
    n = max(measured.n, 1)
    return Spread(
        title,
        diagram.n_splits,
        diagram.depth,
        int((diagram.predict(data) != data.y).sum()),
        measured.smallest_question,
        measured.median_question,
        measured.mean_question,
        measured.n_small_questions,
        tuple(QuestionPoint(line[node.node], node.n / n, node.n) for node in measured.questions),
    )


class Contrast(NamedTuple):
    """A model that shares questions, and trees that answer as well.

    These are the tree that gives the same answers, where it is not too large, and the smallest one that was found. Of
    `n` rows `support` should come to a question.
    """

    noun: str
    own: Spread
    trees: tuple[Spread, ...]
    n: int
    support: int

    @property
    def spreads(self) -> tuple[Spread, ...]:
        """All of them, the model first."""
        return (self.own, *self.trees)

    @property
    def sentence(self) -> str:
        """What sharing does, in a sentence."""
        if self.own.mean is None or self.own.smallest is None:
            return f"This {self.noun} asks nothing."
        average = (
            f"A question of this {self.noun} is asked of {percent(self.own.mean / self.n, 0)} of the rows on average"
        )
        if not self.trees:
            return f"{average}; the tree with the same answers would have thousands of questions."
        tree = self.trees[0]
        if tree.questions == self.own.questions:
            return f"{average}. It shares no question, so a tree with the same answers is no larger."
        mean = percent((tree.mean or 0) / self.n, 0)
        return (
            f"{average}, and at least of {count(self.own.smallest, 'row')}. The tree with the same answers "
            f"repeats questions: {count(tree.questions)} instead of {count(self.own.questions)}, asked of "
            f"{mean} on average and at least of {count(tree.smallest or 0, 'row')}."
        )


def contrast(model: FinishedModel, data: Dataset, support: int, match: TreeMatch | None = None) -> Contrast:
    """A model against the tree that gives the same answers, and the tree that a search found, on the rows of `data`."""
    diagram = model.diagram
    trees = []
    same = unfolded(diagram)
    if same is not None:
        trees.append(spread("The same as a tree", same, data, support))
    if match is not None and match.diagram is not None:
        trees.append(spread("Smallest tree found", match.diagram, data, support))
    noun = diagram.kind.noun
    own = spread(f"This {noun}", diagram, data, support)
    return Contrast(noun, own, tuple(trees), data.n_samples, support)


class MatchQuestion(NamedTuple):
    """The question for the smallest tree that is as accurate: about which problem, to which method, and the task."""

    problem: Problem
    method: str
    task: MatchTree


def match_question(model: FinishedModel) -> MatchQuestion | None:
    """What to ask for the smallest tree that costs no more than a model; `None` where the model asks nothing.

    The tree counts mistakes as the model does, and questions cost nothing. Constraints that the method cannot take are
    left out, as for the greedy trees.
    """
    diagram = model.diagram
    if not diagram.n_splits or diagram.kind is ShapeKind.TREE:
        return None
    same = unfolded(diagram)
    depth = DEEPEST if same is None else min(DEEPEST, max(same.depth, LEAST_DEPTH))
    summed = any(len(split.predicate.columns) > 1 for _, split in diagram.splits)
    # what one question about a sum says takes trees many questions
    leaves = 2**depth if same is None or summed else min(2**depth, same.n_leaves)
    trees = replace(
        as_tree(model.problem), shape=Shape(max_depth=depth), objective=Objective(model.problem.objective.class_costs)
    )
    trees = within_reach(registry.get(MATCHER), trees)
    target = trees.cost(diagram.predict(trees.dataset))
    return MatchQuestion(trees, MATCHER, MatchTree(target, leaves, STEP))


def match_sentence(match: TreeMatch, question: MatchQuestion) -> str:
    """What the search for a tree came to."""
    depth = question.problem.shape.max_depth
    if not match.finished:
        return f"Looking among trees of {count(match.leaves, 'leaf', 'leaves')}."
    if match.diagram is None:
        if match.proved:
            return f"Proved: no tree of depth {depth} or less is as accurate."
        return f"No tree of depth {depth} or less that is as accurate was found in time."
    size = count(match.diagram.n_splits, "question")
    if match.proved:
        return f"Proved: no tree of depth {depth} or less with fewer than {size} is as accurate."
    return f"A tree of {size} is as accurate; whether a smaller one is was not decided in time."
