"""Rows per split of a BDD or diagram beside trees of the same accuracy."""

from dataclasses import replace
from typing import NamedTuple

from components.session.work import FinishedModel
from components.words.text import count, percent
from solvers.diagram import Diagram
from solvers.explain import MatchTree, TreeMatch
from solvers.methods import registry
from solvers.metrics import Fragmentation, fragmentation, unfolded
from solvers.problem import Dataset, Objective, Problem, Shape, ShapeKind
from solvers.report.rivals import within_reach
from solvers.sweeps.study import as_tree

LEAST_DEPTH, DEEPEST = 4, 6
"""Trees are sought down to the depth of the equivalent tree, within these limits: a deeper tree may need fewer splits,
and the exact search seldom ends beyond the second in time."""

STEP = 5.0
"""Seconds for each number of leaves."""

MATCHER = "contree"
"""The method that looks for the tree of the same accuracy."""


class Spread(NamedTuple):
    """A model with its title, its errors, and how the rows spread over its splits."""

    title: str
    diagram: Diagram
    wrong: int
    rows: Fragmentation


def spreads(model: FinishedModel, data: Dataset, support: int, match: TreeMatch | None = None) -> tuple[Spread, ...]:
    """A model, then the trees for comparison: the one with the same predictions, and the smallest one found.

    Each split should have at least `support` rows of `data`. The first tree is left out if it is too large.
    """
    diagram = model.diagram
    shown = [(f"This {diagram.kind.noun}", diagram)]
    if (same := unfolded(diagram)) is not None:
        shown.append(("Equivalent tree", same))
    if match is not None and match.diagram is not None:
        shown.append(("Smallest tree found", match.diagram))
    return tuple(
        Spread(title, one, int((one.predict(data) != data.y).sum()), fragmentation(one, data, support=support))
        for title, one in shown
    )


def sharing_words(found: tuple[Spread, ...]) -> str:
    """What sharing splits does, in a sentence."""
    own, *trees = found
    noun, rows = own.diagram.kind.noun, own.rows
    if rows.mean_question is None:
        return f"This {noun} has no splits."
    average = f"A split of this {noun} has {percent(rows.mean_question / rows.n, 0)} of the rows on average"
    if not trees:
        return f"{average}. The equivalent tree would have thousands of splits."
    tree = trees[0]
    if tree.diagram.n_splits == own.diagram.n_splits:
        return f"{average}. No split is shared, so the equivalent tree has the same size."
    mean = percent((tree.rows.mean_question or 0) / rows.n, 0)
    return (
        f"{average} (at least {count(rows.smallest_question or 0, 'row')}). The equivalent tree has "
        f"{count(tree.diagram.n_splits)} splits instead of {count(own.diagram.n_splits)}, with {mean} on average "
        f"(at least {count(tree.rows.smallest_question or 0, 'row')})."
    )


def match_question(model: FinishedModel) -> tuple[Problem, MatchTree] | None:
    """What to ask `MATCHER` for the smallest tree that costs no more than a model; `None` if the model has no splits.

    The tree has the misclassification costs of the model and no split penalty. Constraints that the method does not
    support are left out, as for the greedy trees.
    """
    diagram = model.diagram
    if not diagram.n_splits or diagram.kind is ShapeKind.TREE:
        return None
    same = unfolded(diagram)
    depth = DEEPEST if same is None else min(DEEPEST, max(same.depth, LEAST_DEPTH))
    summed = any(len(split.predicate.columns) > 1 for _, split in diagram.splits)
    # one split on a sum takes trees many splits
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
        return f"Trying trees with {count(match.leaves, 'leaf', 'leaves')}."
    if match.diagram is None:
        if match.proved:
            return f"No tree of depth {depth} or less is as accurate (proved)."
        return f"Time limit reached: no tree of depth {depth} or less that is as accurate was found."
    size = count(match.diagram.n_splits, "split")
    if match.proved:
        return f"The smallest tree of depth {depth} or less that is as accurate has {size} (proved)."
    return f"A tree with {size} is as accurate. Smaller ones are not ruled out."
