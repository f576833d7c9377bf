"""How thinly models cut their rows, side by side: a BDD or diagram against trees of the same accuracy."""

from dataclasses import replace
from typing import NamedTuple

from components.session.work import FinishedModel, within_reach
from components.words.text import count, percent
from solvers.diagram import Diagram
from solvers.explain import MatchTree, TreeMatch
from solvers.methods import registry
from solvers.metrics import Fragmentation, fragmentation, unfolded
from solvers.problem import Dataset, Objective, Problem, Shape, ShapeKind
from solvers.sweeps.study import as_tree

LEAST_DEPTH, DEEPEST = 4, 6
"""Trees are sought down to the depth of the tree with the same answers, but for these limits: a deeper tree may need
fewer questions, and the exact search seldom ends beyond the second in the time of a question."""

STEP = 5.0
"""Seconds for each number of leaves."""

MATCHER = "contree"
"""The method that looks for the tree of the same accuracy."""


class Spread(NamedTuple):
    """A model with its title, the rows that it gets wrong, and how the rows spread over its questions."""

    title: str
    diagram: Diagram
    wrong: int
    rows: Fragmentation


def spreads(model: FinishedModel, data: Dataset, support: int, match: TreeMatch | None = None) -> tuple[Spread, ...]:
    """A model, then the trees it is held against: the one with the same predictions, and the smallest one found.

    Each question should be asked of at least `support` rows of `data`. The first tree is left out if it is too large.
    """
    diagram = model.diagram
    shown = [(f"This {diagram.kind.noun}", diagram)]
    if (same := unfolded(diagram)) is not None:
        shown.append(("The same as a tree", same))
    if match is not None and match.diagram is not None:
        shown.append(("Smallest tree found", match.diagram))
    return tuple(
        Spread(title, one, int((one.predict(data) != data.y).sum()), fragmentation(one, data, support=support))
        for title, one in shown
    )


def sharing_words(found: tuple[Spread, ...]) -> str:
    """What sharing questions does, in a sentence."""
    own, *trees = found
    noun, rows = own.diagram.kind.noun, own.rows
    if rows.mean_question is None:
        return f"This {noun} asks nothing."
    average = f"A question of this {noun} is asked of {percent(rows.mean_question / rows.n, 0)} of the rows on average"
    if not trees:
        return f"{average}; the tree with the same answers would have thousands of questions."
    tree = trees[0]
    if tree.diagram.n_splits == own.diagram.n_splits:
        return f"{average}. It shares no question, so a tree with the same answers is no larger."
    mean = percent((tree.rows.mean_question or 0) / rows.n, 0)
    return (
        f"{average}, and at least of {count(rows.smallest_question or 0, 'row')}. The tree with the same answers "
        f"repeats questions: {count(tree.diagram.n_splits)} instead of {count(own.diagram.n_splits)}, asked of "
        f"{mean} on average and at least of {count(tree.rows.smallest_question or 0, 'row')}."
    )


def match_question(model: FinishedModel) -> tuple[Problem, MatchTree] | None:
    """What to ask `MATCHER` for the smallest tree that costs no more than a model; `None` if the model asks nothing.

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
    return trees, MatchTree(target, leaves, STEP)


def match_sentence(match: TreeMatch, depth: int) -> str:
    """What the search for a tree within a depth found."""
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
