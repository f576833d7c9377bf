"""One run: enumerate what bounds the search, build the model, and search."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from solvers.constraints.rules import Rules
from solvers.errors import UnsupportedError
from solvers.methods import cp_sat
from solvers.methods.cp_sat import Ended, Values
from solvers.methods.search.deadline import SearchEndedError
from solvers.methods.trees.cart import cart_splits
from solvers.methods.trees.cptree.among import AmongQuestions
from solvers.methods.trees.cptree.cells import cell_sum, cells_of
from solvers.methods.trees.cptree.cuts import Cuts
from solvers.methods.trees.cptree.enumeration import EnumeratedTree, Permission, Size, SubtreeEnumeration
from solvers.methods.trees.cptree.model import CpTreeModel
from solvers.methods.trees.cptree.multipliers import Priced, best_multipliers, excesses, most_at, priced
from solvers.methods.trees.cptree.rules import post_rules
from solvers.methods.trees.slots import no_of, yes_of
from solvers.methods.trees.tree_of_splits import leaf_of, may_be_leaf
from solvers.problem import Orders, Problem

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


MOST_WORK = 5e9
"""Up to so many multiplications the enumeration is exact; some seconds."""

KILOBYTES_PER_VARIABLE = 8.0
"""Of the model and the solver together, measured on models of 30,000 to 190,000 variables."""

TIME_TO_ENUMERATE = 0.5
"""The share of the time limit after which no more prices are tried."""

BUNDLE = 3
"""For so many of the best multipliers bounds are posted, beside those without."""

EFFORT_FOR_FEWER_SPLITS = 2.0
"""How long a smaller tree of the same cost is looked for, in CP-SAT's deterministic time (about seconds), so that the
result is the same on every machine."""


class Solving:
    """One run: what it is about, and its steps in their order."""

    def __init__(self, rules: Rules, among: AmongQuestions, cuts: bool) -> None:
        self.rules, self.among, self.with_cuts = rules, among, cuts
        self.context, self.questions = among.context, among.questions
        self.problem, questions = self.context.problem, self.questions
        self.cells = cells_of(self.problem, questions.bits)
        self.size = _size(self.problem, len(self.cells))
        self.sums = [cell_sum(self.cells, rule) for rule in rules.sums]
        self.stats = self.context.stats
        self.stats |= {"questions": len(questions.predicates), "cells": len(self.cells), "levels": self.size.depth}
        if questions.bins is not None:
            self.stats["bins"] = questions.bins

    def run(self) -> bool:
        """Solve; whether it is proved that there is no tree of the chosen questions."""
        for label in range(self.problem.dataset.n_classes):
            if 0 not in self.questions.fixed.values():
                self.among.offer(EnumeratedTree({}, {0: label}))
        if self.size.depth == 0:
            # all trees have been tried: those of a single leaf
            if self.context.cost is not None:
                self.among.raise_bound(self.context.cost)
            return self.context.cost is None
        rounds: list[Priced] | None = []
        if self.with_cuts and not self.context.due():
            rounds = self._enumerate()
        if rounds is None:
            return self.context.cost is None
        return not self.among.over and self._search(rounds)

    def _enough(self) -> bool:
        """Whether the enumeration has had its share of the time."""
        seconds = self.context.limits.seconds
        return self.context.due() or (seconds is not None and self.context.elapsed > TIME_TO_ENUMERATE * seconds)

    # The bounds of the enumeration

    def _enumerate(self) -> list[Priced] | None:
        """Bounds at several prices, the best last; `None` where they prove that there is no tree, or none better."""
        among = self.among
        self.context.report("Enumerating subtrees.")
        enumeration = SubtreeEnumeration(
            self.cells,
            Permission(self.questions, self.rules, self.problem.dataset.n_columns),
            self.rules,
            self.size,
            self._exact_height(),
            self.context.due,
        )
        split_cost = self.problem.split_cost
        most = int(self.cells.cost.max(axis=1).sum()) + split_cost * (self.size.leaves - 1)

        def evaluate(multipliers: tuple[int, ...], unit: int) -> Priced:
            at = priced(enumeration, self.cells, self.sums, split_cost, multipliers, unit)
            if at.bound is not None and at.bound <= most:
                among.raise_bound(at.bound)
            if at.tree is not None:
                among.offer(at.tree)
            return at

        def most_of(multipliers: tuple[int, ...], unit: int) -> int:
            return most_at(self.cells, self.sums, split_cost, multipliers, unit, 2**self.size.depth)

        rounds: list[Priced] = []
        try:
            with _linear_algebra().limit(limits=self.context.limits.threads, user_api="blas"):
                rounds.append(evaluate((0,) * len(self.sums), 1))
                if rounds[0].tree is not None and self.sums and not among.over:
                    rounds = best_multipliers(evaluate, self._excess, rounds[0], most_of, most, self._enough)
                    self._try_near(rounds)
                elif rounds[0].tree is None and rounds[0].bound is not None:
                    self._greedy()
        except SearchEndedError:
            pass
        if rounds and (rounds[-1].bound is None or rounds[-1].bound > most):
            return None
        self.stats["bound of the enumeration"] = among.bound
        return rounds

    def _exact_height(self) -> int:
        """Up to which height all subtrees are enumerated in good time."""
        n_questions, n_cells = self.cells.bits.shape[1], len(self.cells)
        figures = 4 + self.problem.dataset.n_classes + len(self.sums)
        for height in range(self.size.depth, 2, -1):
            nodes = (2 * n_questions) ** (height - 2)
            work = nodes * (2e5 + n_cells / 2 ** (height - 2) * n_questions**2 * figures)
            if work <= MOST_WORK:
                return height
        return 2

    def _excess(self, tree: EnumeratedTree) -> tuple[int, tuple[int, ...]]:
        """The cost of a tree, and by how much each sum is over its limit."""
        return excesses(tree, self.problem, self.questions, self.cells, self.sums)

    def _try_near(self, rounds: list[Priced]) -> None:
        """Trees that are nearly best at some prices: among them some may be within all limits."""
        context = self.context
        for one in reversed([one for one in rounds if one.tree is not None][-BUNDLE:]):
            for tree in one.pricing.trees_near(one.root):
                if self.among.over or self._enough():
                    return
                cost, over = self._excess(tree)
                if max(over) <= 0 and (context.cost is None or cost < context.cost):
                    self.among.offer(tree)

    def _greedy(self) -> None:
        """CART's tree over the same questions, where the enumeration gives none."""
        if self.questions.fixed:
            return
        rank = np.ascontiguousarray(~self.questions.bits.T).astype(np.int32)
        nothing = np.empty(0, np.int32)
        splits = cart_splits(self.problem, Orders((), rank, nothing, nothing, nothing), self.context.limits.seed)
        questions, labels, stack = {}, {}, [(0, np.arange(self.problem.dataset.n_samples))]
        while stack:
            slot, rows = stack.pop()
            yes = self.questions.bits[rows, splits[slot][0]] if slot in splits else np.ones(len(rows), bool)
            if may_be_leaf(self.problem, rows[yes]) and may_be_leaf(self.problem, rows[~yes]):
                questions[slot] = splits[slot][0]
                stack += [(yes_of(slot), rows[yes]), (no_of(slot), rows[~yes])]
            else:
                labels[slot] = leaf_of(self.problem, rows).label
        self.among.offer(EnumeratedTree(questions, labels))

    # The search

    def _search(self, rounds: list[Priced]) -> bool:
        """Build the model and run the solver; whether it is proved that there is no tree."""
        among, context = self.among, self.context
        self._check_memory()
        context.report("Building the constraint model.")
        try:
            model = self._model(rounds)
        except SearchEndedError:
            return False
        self.stats["variables"] = len(model.cp.proto.variables)
        self.stats["constraints"] = len(model.cp.proto.constraints)
        self.stats["constraints of the paper's model"] = sum(
            literal_constraints(
                self.problem.dataset.n_samples,
                len(self.questions.predicates),
                self.problem.dataset.n_classes,
                self.size.depth,
                self.size.leaves,
            ).values()
        )
        ended = search(model, among)
        if ended is Ended.NOTHING and context.cost is not None:
            among.raise_bound(context.cost)
        if ended is Ended.EARLY or context.diagram is None:
            return ended is Ended.NOTHING
        if among.proved and self.problem.split_cost == 0 and context.diagram.n_splits > 1 and not context.due():
            context.detail(fewest_splits=fewest_splits(model, among))
        return False

    def _model(self, rounds: list[Priced]) -> CpTreeModel:
        """The tree, its rules, what is known of its subtrees, and a tree to start from."""
        model = CpTreeModel(self.problem, self.cells, self.questions, self.size, self.context.pause)
        cuts = Cuts(model, post_rules(model, self.rules))
        for one in ([rounds[0]] if len(rounds) > BUNDLE else []) + rounds[-BUNDLE:]:
            self.context.pause()
            cuts.post(one)
        start = next((one.tree for one in reversed(rounds) if one.tree is not None), None)
        if start is not None:
            model.hint(start)
        return model

    def _check_memory(self) -> None:
        n_cells, n_slots, n_branches = len(self.cells), 2**self.size.depth - 1, 2**self.size.depth
        n_variables = n_cells * (n_slots + n_branches) + n_slots * len(self.questions.predicates)
        need, limit = int(n_variables * KILOBYTES_PER_VARIABLE / 1024), self.context.limits.memory_mb
        if limit is not None and need > limit:
            raise UnsupportedError(
                f"The model of {n_cells} different rows at depth {self.size.depth} has {n_variables} variables and "
                f"needs about {need} MiB; the limit is {limit} MiB. "
                f"Raise the memory limit, lower the depth, or use fewer columns or rows."
            )


@cache
def _linear_algebra() -> ThreadpoolController:
    """What limits the threads of numpy's matrix products, which would otherwise take every processor."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _size(problem: Problem, n_cells: int) -> Size:
    """What the model needs to know of `Problem.size`; every leaf has a cell of its own."""
    depth = problem.size.max_depth
    leaves = min(2**depth, n_cells, problem.size.max_leaf_nodes or 2**depth)
    return Size(min(depth, leaves - 1), leaves, problem.size.min_samples_leaf, problem.min_weight_leaf)


def literal_constraints(rows: int, questions: int, classes: int, depth: int, branches: int) -> dict[str, int]:
    """The number of constraints of each equation (1) to (19) of Nanfack, Temple and Frénay (2023), section 3.

    Every index set is counted as it is printed, with two values a question; relations between branches are counted once
    for each pair, as the paper's footnote 5 says of its program. Of the binary table there are rows, questions and
    classes; the depth is K, and the branches are L.
    """
    pairs, values = comb(branches, 2), 2
    earlier = comb(depth, 2)  # pairs of depths j1 < j
    return {
        "1": pairs * questions,
        "2": branches * depth,
        "3": branches * questions,
        "4": branches * (depth - 1),
        "5": pairs,
        "6": pairs * depth,
        "7": pairs * (earlier + depth) * questions * values,
        "8": pairs * (depth - 1),
        "9": pairs * earlier,
        "10": branches * depth,
        "11": pairs * earlier * questions * values,
        "12": pairs * depth * questions,
        "13": pairs * depth * questions * values,
        "14": pairs * depth,
        "15": rows,
        "16": rows * branches * depth * questions * values * 2,
        "17": branches,
        "18": branches * classes * (classes - 1),
        "19": rows * classes * branches * 2,
    }


def search(model: CpTreeModel, among: AmongQuestions) -> Ended:
    """Look for trees that cost less than the incumbent, until there are none, the gap is reached or the time is up.

    Returns PROVED where the search came to its end with a tree, NOTHING where it proved that there is no tree better
    than the incumbent (or none at all, if there is no incumbent), EARLY elsewhere.
    """
    context = among.context
    model.bound_objective(among.bound, None if context.cost is None else context.cost - 1)
    model.cp.minimize(model.objective)

    def found(value: Values) -> None:
        among.offer(model.read(value))

    def due() -> bool:
        among.progress()
        return context.due()

    ended, figures = cp_sat.run(model.cp, context, found, among.raise_bound, due=due, gap=context.gap)
    context.stats |= figures
    context.detail(solver=cp_sat.TITLE)
    return ended


def fewest_splits(model: CpTreeModel, among: AmongQuestions) -> bool:
    """Look for a tree of the incumbent's cost with fewer splits; whether it is proved that none has fewer."""
    context = among.context
    assert context.cost is not None and context.diagram is not None
    context.report("Proved; looking for a smaller tree of the same cost.")
    model.bound_objective(context.cost, context.cost)
    model.cp.add(model.n_splits <= context.diagram.n_splits - 1)
    model.cp.minimize(model.n_splits)

    def found(value: Values) -> None:
        among.offer(model.read(value))

    return cp_sat.run(model.cp, context, found, effort=EFFORT_FOR_FEWER_SPLITS)[0] is not Ended.EARLY
