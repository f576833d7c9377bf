"""Brute force: the optimal tree by trying every question at every node. Slow on purpose, so that it can be trusted.

The best tree of depth d with at most L leaves for a set of rows R is the best of the leaf, and of every question q with
every way to share out the leaves:

    best(R, d, L) = min of  the cost of the leaf, with the class that costs least
                    and of  best(R and q, d - 1, l) + best(R and not q, d - 1, L - l) + the cost of a split
                            over all q and 0 < l < L whose two sides are as large as a leaf must be

Among trees of equal cost the one with the fewest splits wins. The only trick is that a set of rows is solved once for
each (d, L). Sets of rows are the bits of Python integers.

Under domain constraints the best of a part is no part of the best: then all trees are tried, see `exhaustive`.

Example
-------
On XOR, best(all rows, 1, 2) = 2 errors of 4, the same as the leaf, and best(all rows, 2, 4) = 0.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from solvers.constraints import rules_of
from solvers.constraints.rules import EVERY_RULE
from solvers.diagram import Diagram
from solvers.methods.base import Unsupported, only_trees
from solvers.methods.search.context import SearchContext
from solvers.methods.search.deadline import SearchEndedError
from solvers.methods.search.driver import SearchMethod
from solvers.methods.trees.tree_of_splits import Tree, assemble, leaf_of
from solvers.problem import BinaryView, Problem, ShapeKind, binary_view
from tests.oracle.exhaustive import Enumeration, n_candidates

MAX_ROWS = 64
MAX_TREE_DEPTH = 4
MAX_CANDIDATES = 3_000_000
"""The largest number of trees with answers under constraints. Most are passed over; it is minutes at the worst."""

MAX_PATHS = 50_000_000
"""The largest (number of questions) ** depth. The memory saves most of them, so that it is minutes at the worst."""

RowSet = int
"""A set of rows: bit i stands for row i."""


class Choice(NamedTuple):
    """The best that can be done with a set of rows; compared by cost, then by the number of splits.

    `question` is `None` for a leaf; `yes_leaves` is the largest number of leaves of the yes side.
    """

    cost: int
    n_splits: int
    question: int | None = None
    yes_leaves: int = 0


class Brute(SearchMethod):
    """The oracle: every tree is tried."""

    name = "brute"
    title = "Brute force"
    kinds = (ShapeKind.TREE,)
    exact = True

    def refusals(self, problem: Problem) -> Iterator[Unsupported]:
        """Trees on tables so small that enumeration ends; under constraints of any kind, on still smaller ones."""
        reasons = tuple(only_trees(self.title, problem, EVERY_RULE))
        yield from reasons
        n, depth = problem.dataset.n_samples, problem.size.max_depth
        remedy = "Choose the method 'contree', which proves the optimum on large tables too"
        if n > MAX_ROWS:
            yield Unsupported(f"{n} rows", f"Enumeration takes at most {MAX_ROWS} rows.", f"{remedy}.")
        if depth > MAX_TREE_DEPTH:
            text = f"Enumeration goes down to depth {MAX_TREE_DEPTH}."
            yield Unsupported(f"Depth {depth}", text, f"{remedy}, or lower the depth.")
        if reasons or n > MAX_ROWS or depth > MAX_TREE_DEPTH:
            return
        if rules_of(problem):
            if (count := n_candidates(problem)) > MAX_CANDIDATES:
                yield Unsupported(
                    f"{count:,} trees",
                    f"Under constraints enumeration tries at most {MAX_CANDIDATES:,}.",
                    f"{remedy}, or lower the depth or leave columns out.",
                )
        elif (n_questions := len(binary_view(problem.dataset).predicates)) ** depth > MAX_PATHS:
            yield Unsupported(
                f"{n_questions} questions at depth {depth}",
                f"There would be more than {MAX_PATHS:,} paths of questions to try.",
                f"{remedy}, or lower the depth or leave columns out.",
            )

    def search(self, context: SearchContext) -> None:
        """Enumerate; better trees are told as the questions at the root are tried."""
        problem = context.problem
        context.raise_bound(problem.unavoidable_cost)
        constrained = bool(rules_of(problem))
        with suppress(SearchEndedError):
            if constrained:
                self._try_all(context)
            else:
                self._enumerate(context)
            if context.cost is None:
                context.refute()
            else:
                context.raise_bound(context.cost)

    def _enumerate(self, context: SearchContext) -> None:
        """By dynamic programming over sets of rows."""
        search = _Enumeration(context.problem, context.due)
        best = search.leaf(search.everything)
        try:
            for best in search.improvements(search.everything, context.problem.size.max_depth, search.most_leaves):
                if context.cost is None or best.cost < context.cost:
                    context.offer(search.diagram(best))
        finally:
            context.offer(search.diagram(best))
            context.stats = {"n_questions": len(search.questions), "n_subproblems": len(search.solved)}

    def _try_all(self, context: SearchContext) -> None:
        """Try every tree, and keep the cheapest that nothing is against."""
        trees = Enumeration(context.problem, context.pause)
        try:
            for _, diagram in trees.best_trees():
                context.offer(diagram)
        finally:
            context.stats = {"n_questions": len(trees.predicates), "n_trees": trees.n_tried}


@dataclass
class _Enumeration:
    """The recursion and its memory."""

    problem: Problem
    interrupted: Callable[[], bool]

    def __post_init__(self) -> None:
        dataset, size = self.problem.dataset, self.problem.size
        self.view: BinaryView = binary_view(dataset)
        self.questions = [row_set(self.view.bits[:, q]) for q in range(self.view.bits.shape[1])]
        self.everything = row_set(np.ones(dataset.n_samples, bool))
        self.weights = self.problem.weights.tolist()
        self.members = [row_set(dataset.y == k) for k in range(dataset.n_classes)]
        self.most_leaves = min(size.max_leaf_nodes or dataset.n_samples, 2**size.max_depth, dataset.n_samples)
        self.solved: dict[tuple[RowSet, int, int], Choice] = {}

    def weight(self, rows: RowSet) -> int:
        """The weight of these rows."""
        return sum(weight for i, weight in enumerate(self.weights) if rows >> i & 1)

    def may_be_leaf(self, rows: RowSet) -> bool:
        """Whether these rows are as many, and as heavy, as a leaf must be."""
        enough = rows.bit_count() >= self.problem.size.min_samples_leaf
        return enough and self.weight(rows) >= self.problem.min_weight_leaf

    def leaf(self, rows: RowSet) -> Choice:
        """The cost of one leaf for all these rows."""
        by_class = np.array([self.weight(rows & member) for member in self.members])
        return Choice(int(self.problem.leaf_costs(by_class).min()), 0)

    def best(self, rows: RowSet, depth: int, leaves: int) -> Choice:
        """The best tree of at most this depth and number of leaves; the rows must be as large as a leaf must be."""
        leaves = min(leaves, 2**depth, rows.bit_count())
        key = (rows, depth, leaves)
        if key not in self.solved:
            *_, self.solved[key] = self.improvements(rows, depth, leaves)
        return self.solved[key]

    def improvements(self, rows: RowSet, depth: int, leaves: int) -> Iterator[Choice]:
        """The leaf, then every tree that is better than those before it; the last one is optimal."""
        best = self.leaf(rows)
        yield best
        if depth == 0 or leaves == 1 or best.cost == 0:
            return
        for question, yes in enumerate(self.questions):
            if self.interrupted():
                raise SearchEndedError
            if rows & yes in (0, rows) or not (self.may_be_leaf(rows & yes) and self.may_be_leaf(rows & ~yes)):
                continue
            for yes_leaves in range(1, leaves):
                left = self.best(rows & yes, depth - 1, yes_leaves)
                right = self.best(rows & ~yes, depth - 1, leaves - yes_leaves)
                cost = left.cost + right.cost + self.problem.split_cost
                choice = Choice(cost, 1 + left.n_splits + right.n_splits, question, yes_leaves)
                if choice[:2] < best[:2]:
                    best = choice
                    yield best

    def diagram(self, root: Choice) -> Diagram:
        """The tree of a choice for all rows."""

        def tree(rows: RowSet, depth: int, leaves: int, choice: Choice) -> Tree:
            if choice.question is None:
                return (leaf_of(self.problem, np.flatnonzero([rows >> i & 1 for i in range(rows.bit_length())])),)
            yes, no = rows & self.questions[choice.question], rows & ~self.questions[choice.question]
            left, right = choice.yes_leaves, leaves - choice.yes_leaves
            return (
                self.view.predicates[choice.question],
                tree(yes, depth - 1, left, self.best(yes, depth - 1, left)),
                tree(no, depth - 1, right, self.best(no, depth - 1, right)),
            )

        return assemble(self.problem, tree(self.everything, self.problem.size.max_depth, self.most_leaves, root))


def row_set(bits: np.ndarray) -> RowSet:
    """The rows at which a mask is true."""
    return sum(1 << int(i) for i in np.flatnonzero(bits))


BRUTE = Brute()
"""The oracle, which has no options."""
