"""MaxSAT-DT, a baseline of the BDD paper: the minimum-cost decision tree up to a depth, by MaxSAT.

Hu, Siala, Hebrard, Huguet: Learning Optimal Decision Trees with MaxSAT and its Integration in AdaBoost. IJCAI 2020,
doi:10.24963/ijcai.2020/163. They number the nodes of the tree; this encoding uses the positions of the complete tree,
which is proved faster. A position may have no split. Positions are numbered as in a heap: the children of s are 2 s + 1
and 2 s + 2. With a[s, r] for 'feature r is the split at position s', asks[s] for 'position s has a split', and d[s, q]
for 'row q takes the yes branch of s':

    sum_r a[s, r] = asks[s]                         at most one split
    asks[2 s + 1] or asks[2 s + 2] -> asks[s]       no split below a position without one
    a[s, r] -> d[s, q] = bit(r, q)                  branches of the rows
    not asks[s] -> not d[s, q]                      without a split all rows take the first branch
    d[., q] lead to leaf l -> l makes a prediction that row q wants          soft, with the cost of the wrong prediction

A split may have a penalty (soft 'not asks[s]'), and 'at most L leaves' is 'at most L - 1 splits'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.base import Method, Unsupported, only_trees
from solvers.methods.bdds.sat.formulation import Answers, answers_of_rows
from solvers.methods.features import Features, add_facts, features_of
from solvers.methods.sat.demands import ClassDemands
from solvers.methods.sat.formula import Formula, go_on, paths
from solvers.methods.sat.refusals import refuse_larger
from solvers.methods.sat.search import search
from solvers.methods.sat.totalizer import totalizer
from solvers.methods.search.context import SearchContext
from solvers.methods.search.deadline import SearchEndedError
from solvers.methods.trees.cart import class_stakes, splits_of
from solvers.methods.trees.tree_of_splits import diagram_of, diagram_of_questions, pruned
from solvers.problem import Problem, ShapeKind

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

MOST_LEVELS = 8
"""A complete tree of 8 levels has 255 positions for splits."""


class MaxSatTree(Method):
    """Minimum-cost decision trees by MaxSAT, starting from a CART tree."""

    name = "maxsat-dt"
    title = "MaxSAT-DT"
    kinds = (ShapeKind.TREE,)
    imports = ("pysat.examples.rc2", "sklearn.tree")
    exact = True

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Supports any minimum leaf size, with or without a leaf limit and a split penalty."""
        yield from only_trees(self.title, problem)
        if problem.size.max_depth > MOST_LEVELS:
            depth = f"Depth {problem.size.max_depth}"
            yield Unsupported(depth, f"{self.title} takes at most {MOST_LEVELS}.", "Lower the depth.")
        if problem.size.min_samples_leaf > 1 or problem.size.min_weight_leaf > 0:
            yield Unsupported(
                "A minimum size of leaves",
                f"{self.title} does not count the rows of a leaf.",
                "Set the minimum to 1 row and no weight, or choose the method 'contree'.",
            )

    def search(self, context: SearchContext) -> None:
        """Search; reports incumbents and bounds as they are found.

        Raises `UnsupportedError` if the formula would need more memory than the limit allows.
        """
        problem, limits = context.problem, context.limits
        depth, leaves = problem.size.max_depth, problem.size.max_leaf_nodes
        features = features_of(problem)
        n_rows, n_features = len(features.cases), len(features)
        context.stats |= {"questions": n_features, "distinct rows": n_rows}
        context.offer(diagram_of_questions(problem, {}))
        with suppress(SearchEndedError):
            single = depth == 0 or leaves == 1 or not n_features
            context.prove(context.incumbent_cost if single else features.cases.base)
            refuse_larger(literals_of(n_rows, n_features, depth), limits)
            context.offer(tree_of(problem, features, cart_places(problem, features, depth, limits.seed)))
            context.prove(features.cases.base)
            model = CompleteTree(
                features, depth, leaves=leaves, split_penalty=problem.split_penalty, pause=context.pause
            )
            context.stats["encoding"] = model.formula.size.to_json()
            search(model, lambda true: model.diagram(problem, true), context, features.cases.base)
        add_facts(context, features)


class CompleteTree:
    """A formula whose models are trees up to a depth: positions with splits, and `answers` of the leaves.

    `questions`, int32 (n_places, n_columns), are a[s, r]; `asks`, int32 (n_places,), whether a position has a split.
    """

    def __init__(
        self,
        features: Features,
        depth: int,
        *,
        leaves: int | None = None,
        split_penalty: int = 0,
        pause: Callable[[], None] = go_on,
    ) -> None:
        """Write the clauses for rows with at least one column and two classes, and trees of a depth of at least 1.

        If `leaves` is `None`, there is no leaf limit. `pause` is called regularly, and raises if the work must end.
        """
        self.features, self.depth, self.split_penalty = features, depth, split_penalty
        self.formula, n_places = Formula(pause), 2**depth - 1
        self.questions = self.formula.variables(n_places, len(features))
        self.asks = self.formula.variables(n_places)
        if split_penalty:
            self.formula.add(-self.asks[:, None], self.formula.selectors(np.full(n_places, split_penalty)))
        a = self.questions
        self.formula.add(np.column_stack([a, -self.asks]))
        self.formula.add(np.stack([-a, np.broadcast_to(self.asks[:, None], a.shape)], axis=-1).reshape(-1, 2))
        self.formula.at_most_one(a)
        self.answers = Answers(self.formula, 2**depth, features.cases.useful_classes)
        below = np.arange(1, n_places)
        self.formula.add(np.column_stack([-self.asks[below], self.asks[(below - 1) // 2]]))
        if leaves is not None and leaves < 2**depth:
            counted = totalizer(self.formula, self.asks, np.ones(n_places, np.int64), leaves)
            self.formula.add(-counted.outputs[counted.sums >= leaves][:, None])
        self._classify()

    def _classify(self) -> None:
        """Send the rows to the leaves, and post the predictions that they want there."""
        demands = ClassDemands.soft(self.features.cases)
        selectors = self.formula.selectors(demands.price)
        demanded, index = np.unique(demands.row, return_inverse=True)
        d = answers_of_rows(self.formula, self.questions, self.features.rows[demanded])
        for asks, goes in zip(self.asks, d, strict=True):
            self.formula.add(np.column_stack([np.full(len(demanded), asks), -goes]))
        yes = paths(self.depth)
        place = _places(yes)

        def elsewhere(which: np.ndarray) -> np.ndarray:
            goes = d.T[index[which]][:, place]
            return np.asarray(np.where(yes, -goes, goes))

        self.answers.post(self.formula, demands, selectors, elsewhere)

    def places(self, true: np.ndarray) -> np.ndarray:
        """The split of each position of an assignment, as a column of the rows or -1 for none, int64 (n_places,)."""
        return np.where(true[self.asks], true[self.questions].argmax(axis=1), -1)

    def cost(self, true: np.ndarray) -> int:
        """The cost of the splits of an assignment with the best predictions."""
        question = self.places(true)
        at = np.zeros(len(self.features.cases), np.int64)
        for _ in range(self.depth):
            feature = question[at]
            at = 2 * at + 1 + ((feature >= 0) & self.features.rows[np.arange(len(at)), feature])
        errors = self.features.cases.cost_by_cell(at - len(question), 2**self.depth)
        return errors + self.split_penalty * int((question >= 0).sum())

    def diagram(self, problem: Problem, true: np.ndarray) -> Diagram:
        """The tree of the splits of an assignment; see `tree_of`."""
        return tree_of(problem, self.features, self.places(true))


def cart_places(problem: Problem, features: Features, depth: int, seed: int) -> np.ndarray:
    """The splits of a CART tree by position (as in a heap), -1 for none, int64 (2^depth - 1,)."""
    places = np.full(2**depth - 1, -1, np.int64)
    # 'bit <= 0.5' is the left side, and the no branch comes first below a position
    splits = splits_of(fitted_cart(problem, features, depth, seed, problem.size.max_leaf_nodes))
    for place, (feature, _) in splits.items():
        places[place] = feature
    return places


def fitted_cart(
    problem: Problem, features: Features, depth: int, seed: int, leaves: int | None = None
) -> DecisionTreeClassifier:
    """A CART tree over the features, with the row weights of `solvers.methods.trees.cart`."""
    from sklearn.tree import DecisionTreeClassifier

    weights = problem.weights * class_stakes(problem)[problem.dataset.y]
    tree = DecisionTreeClassifier(criterion="gini", max_depth=depth, max_leaf_nodes=leaves, random_state=seed)
    return tree.fit(features.bits, problem.dataset.y, sample_weight=weights)


def tree_of(problem: Problem, features: Features, question: np.ndarray) -> Diagram:
    """The tree of splits, int (n_places,), with the best predictions, without splits that save nothing.

    Splits are features by position (as in a heap); -1 for none.
    """
    # the first side is no
    rank, splits = features.bits.T, {place: (int(f), 0) for place, f in enumerate(question) if f >= 0}
    tree = pruned(problem, rank, splits)
    return diagram_of(problem, rank, tree, lambda slot, place, rows: (features.predicates[tree.splits[slot][0]], False))


def _places(yes: np.ndarray) -> np.ndarray:
    """The positions on the path to each leaf, int64 (n_leaves, depth), and its branches, bool (n_leaves, depth)."""
    place = np.zeros(yes.shape, np.int64)
    for level in range(1, yes.shape[1]):
        place[:, level] = 2 * place[:, level - 1] + 1 + yes[:, level - 1]
    return place


def literals_of(n_rows: int, n_columns: int, depth: int) -> int:
    """Number of literals of a complete tree for two classes and at least two columns, if all rows want one class.

    Excludes the leaf counter of a limit and the split penalty.
    """
    n_places = (1 << depth) - 1
    by_row = 2 * n_places * (n_columns + 1) + (n_places + 1) * (depth + 1)
    return n_rows * by_row + n_places * (9 * n_columns - 5) - 2
