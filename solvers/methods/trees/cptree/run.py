"""One run: let the exact search bound the model and find trees, build the model, and search."""

from __future__ import annotations

from dataclasses import replace

from ....constraints import rules_of
from ....constraints.rules import Rules
from ....errors import UnsupportedError
from ....problem import Problem
from ... import cp_sat
from ...cases import cases_of
from ...cp_sat import Ended, Values
from ...search.best_known import BestKnown
from ...search.deadline import SearchEndedError
from ..coupled.greedy_start import constant_trees
from ..coupled.optimum import Coupled, CoupledOutcome, by_columns
from ..coupled.supported import refusals
from .among import AmongQuestions
from .model import CpTreeModel, Size
from .rules import POST

KILOBYTES_PER_VARIABLE = 8.0
"""Memory of model and solver together, measured on models of 30,000 to 190,000 variables."""

TIME_TO_BOUND = 0.5
"""The share of the time limit that the exact search may take."""

EFFORT_FOR_FEWER_SPLITS = 2.0
"""How long to look for a smaller tree of the same cost, in CP-SAT's deterministic time (about seconds), so that
the result is the same on every machine."""


class Solving:
    """One run: its data and its steps in their order. `bounds` is whether to use the exact search."""

    def __init__(self, rules: Rules, among: AmongQuestions, bounds: bool) -> None:
        self.rules, self.among, self.with_bounds = rules, among, bounds
        self.context, self.questions = among.context, among.questions
        self.problem, questions = self.context.problem, self.questions
        self.cells = cases_of(self.problem, questions.bits.T)
        self.size = _size(self.problem, len(self.cells))
        self.stats = self.context.stats
        self.stats |= {"questions": len(questions.predicates), "cells": len(self.cells), "levels": self.size.depth}
        if questions.bins is not None:
            self.stats["bins"] = questions.bins

    def run(self) -> bool:
        """Solve; return whether it is proved that there is no tree of the chosen splits."""
        for tree in constant_trees(self.problem):
            self.among.offer(tree)
        if self.size.depth == 0:
            # single leaves are the only trees, and all of them have been tried
            if self.context.cost is not None:
                self.among.raise_bound(self.context.cost)
            return self.context.cost is None
        if self.with_bounds and not self.among.finished and self._refuted_by_search():
            return True
        return not self.among.finished and self._search()

    def _refuted_by_search(self) -> bool:
        """Let the exact search find bounds and trees; return whether it proves that there is no tree.

        Constraints that it does not support are left out, which can only lower the bound.
        """
        among, context = self.among, self.context
        kept = [c for c in self.problem.constraints if not any(refusals("", replace(self.problem, constraints=(c,))))]
        problem = replace(self.problem, constraints=tuple(kept))
        if any(refusals("", problem)):
            return False
        context.report("Bounding the cost by exact search.")
        seconds = context.limits.seconds
        brief = context.deadline if seconds is None else context.deadline.within(TIME_TO_BOUND * seconds)
        known = BestKnown(problem, context.clock, among.on_event)
        known.diagram, known.cost = context.diagram, context.cost
        rules = rules_of(problem)
        search = Coupled(
            problem, self.questions.orders, rules, known, lambda: among.finished or brief.due(), context.gap
        )
        outcome = by_columns(search).run()
        self.stats["bound of the exact search"] = among.bound
        return outcome is CoupledOutcome.INFEASIBLE and context.cost is None

    # The search

    def _search(self) -> bool:
        """Build the model and run the solver; return whether it is proved that there is no tree."""
        among, context = self.among, self.context
        self._check_memory()
        context.report("Building the constraint model.")
        try:
            model = CpTreeModel(self.problem, self.cells, self.questions, self.size, context.pause)
            model.post(self.rules, POST)
        except SearchEndedError:
            return False
        self.stats["variables"] = len(model.cp.proto.variables)
        self.stats["constraints"] = len(model.cp.proto.constraints)
        ended = search(model, among)
        if ended is Ended.NOTHING and context.cost is not None:
            among.raise_bound(context.cost)
        if ended is Ended.EARLY or context.diagram is None:
            return ended is Ended.NOTHING
        if among.proved and self.problem.split_penalty == 0 and context.diagram.n_splits > 1 and not context.due():
            context.detail(fewest_splits=fewest_splits(model, among))
        return False

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


def _size(problem: Problem, n_cells: int) -> Size:
    """The size limits of the model; every leaf has a cell of its own."""
    depth = problem.size.max_depth
    leaves = min(2**depth, n_cells, problem.size.max_leaf_nodes or 2**depth)
    return Size(min(depth, leaves - 1), leaves, problem.size.min_samples_leaf, problem.min_weight_leaf)


def search(model: CpTreeModel, among: AmongQuestions) -> Ended:
    """Search for trees cheaper than the incumbent, until there are none, the gap is reached or the search is due.

    Returns PROVED if the search completes with a tree, NOTHING if it proves that no tree is better than the incumbent
    (or that there is no tree, if there is no incumbent), and EARLY in all other cases.
    """
    context = among.context
    model.bound_objective(among.bound, None if context.cost is None else context.cost - 1)
    model.cp.minimize(model.objective)

    def found(value: Values) -> None:
        among.offer_solution(model.read(value))

    def due() -> bool:
        among.progress()
        return context.due()

    ended, figures = cp_sat.run(model.cp, context, found, among.raise_bound, due=due, gap=context.gap)
    context.stats |= figures
    context.detail(solver=cp_sat.TITLE)
    return ended


def fewest_splits(model: CpTreeModel, among: AmongQuestions) -> bool:
    """Search for a tree of the incumbent's cost with fewer splits; return whether it is proved that none has fewer."""
    context = among.context
    assert context.cost is not None and context.diagram is not None
    context.report("Proved. Searching for a smaller tree of the same cost.")
    model.bound_objective(context.cost, context.cost)
    model.cp.add(model.n_splits <= context.diagram.n_splits - 1)
    model.cp.minimize(model.n_splits)

    def found(value: Values) -> None:
        among.offer_solution(model.read(value))

    return cp_sat.run(model.cp, context, found, effort=EFFORT_FOR_FEWER_SPLITS)[0] is not Ended.EARLY
