"""From the slots of a found tree to a `Diagram` over the user's rows."""

from dataclasses import replace

import numpy as np

from solvers.diagram import Diagram, Leaf
from solvers.methods.trees.cptree.enumeration import EnumeratedTree
from solvers.methods.trees.cptree.questions import QuestionMenu
from solvers.methods.trees.slots import Slot, no_of, yes_of
from solvers.methods.trees.tree_of_splits import Tree, assemble, is_larger, leaf_with
from solvers.problem import MissingPolicy, Predicate, Problem


def diagram_of(problem: Problem, questions: QuestionMenu, tree: EnumeratedTree, *, pruned: bool) -> Diagram:
    """The tree as a diagram, if `pruned` without splits whose two sides are leaves of one class."""

    def build(rows: np.ndarray, slot: Slot) -> Tree:
        if slot not in tree.splits:
            return (leaf_with(problem, rows, tree.labels[slot]),)
        question = tree.splits[slot]
        yes = questions.bits[rows, question]
        first, second = build(rows[yes], yes_of(slot)), build(rows[~yes], no_of(slot))
        if pruned and len(first) == 1 == len(second) and first[0].label == second[0].label:
            both = np.array(first[0].counts) + np.array(second[0].counts)
            return (Leaf(first[0].label, tuple(both.tolist())),)
        asked = questions.predicates[question]
        return (asked if question in questions.fixed else _with_missing(problem, asked, rows, yes), first, second)

    return assemble(problem, build(np.arange(problem.dataset.n_samples), 0))


def _with_missing(problem: Problem, asked: Predicate, rows: np.ndarray, yes: np.ndarray) -> Predicate:
    """The question with missing values sent to the larger side, where no training row has one."""
    dataset = problem.dataset
    values = dataset.X[:, dataset.schema.index(asked.column)]
    if dataset.schema.missing is not MissingPolicy.INFORMATION or np.isnan(values).any():
        return asked
    return replace(asked, missing=is_larger(problem, rows, yes))
