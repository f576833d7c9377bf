"""The search: let the exact search bound the model and find trees, build the model, and run the solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from msgspec import structs

from ....constraints import rules_of
from ....constraints.rules import Rules
from ....diagram import Diagram
from ....errors import UnsupportedError
from ....problem import MissingPolicy, Predicate, Problem
from ....solution import Bound, Event, Incumbent
from ... import cp_sat
from ...cases import cases_of
from ...cp_sat import Ended, Values
from ...search.best_known import BestKnown
from ...search.context import SearchContext
from ...search.deadline import SearchEndedError
from ..coupled.greedy_start import constant_trees
from ..coupled.optimum import Coupled, CoupledOutcome, by_columns
from ..coupled.supported import refusals
from ..slots import Slot, depth_within
from ..tree_of_splits import SplitTree, diagram_of, is_larger, merged
from .formulation import CpTreeModel
from .monotone import POST
from .questions import QuestionMenu

KILOBYTES_PER_VARIABLE = 8.0
"""Memory of model and solver together, measured on models of 30,000 to 190,000 variables."""

TIME_TO_BOUND = 0.5
"""The share of the time limit that the exact search may take."""

EFFORT_FOR_FEWER_SPLITS = 2.0
"""How long to look for a smaller tree of the same cost, in CP-SAT's deterministic time (about seconds), so that
the result is the same on every machine."""


class QuestionSearch:
    """The search among the trees of the chosen splits.

    The bound of the context applies to all trees, whatever their splits; `bound` only to those of the chosen splits.
    """

    def __init__(self, context: SearchContext, rules: Rules, questions: QuestionMenu) -> None:
        self.context, self.rules, self.questions, self.problem = context, rules, questions, context.problem
        self.bound = self.problem.unavoidable_cost
        context.raise_bound(self.bound)
        self.cells = cases_of(self.problem, questions.bits.T)
        self.depth = depth_within(self.problem.size, len(self.cells))
        self.stats = context.stats
        self.stats |= {"questions": len(questions.predicates), "cells": len(self.cells), "levels": self.depth}
        if questions.bins is not None:
            self.stats["bins"] = questions.bins

    @property
    def proved(self) -> bool:
        """Whether it is proved that no tree of the chosen splits is better."""
        return self.context.cost is not None and self.context.cost <= self.bound

    @property
    def gap_reached(self) -> bool:
        """Whether none of these trees is better by more than the permitted gap."""
        return self.context.cost is not None and self.context.cost - self.bound <= self.context.gap

    @property
    def finished(self) -> bool:
        """Whether the search is over: gap reached, or due."""
        return self.gap_reached or self.context.due()

    def run(self, with_bounds: bool) -> bool:
        """Solve; return whether it is proved that there is no tree of the chosen splits.

        `with_bounds` is whether to use the exact search.
        """
        for tree in constant_trees(self.problem):
            self._offer(tree)
        if self.depth == 0:
            # single leaves are the only trees, and all of them have been tried
            if self.context.cost is not None:
                self._raise_bound(self.context.cost)
            return self.context.cost is None
        if with_bounds and not self.finished and self._refuted_by_search():
            return True
        return not self.finished and self._search()

    def _offer(self, *diagrams: Diagram) -> None:
        """Offer the first of these trees that satisfies the constraints."""
        for diagram in diagrams:
            if not any(constraint.violations(diagram, self.problem.dataset) for constraint in self.problem.constraints):
                self.context.offer(diagram)
                return

    def _raise_bound(self, bound: int) -> None:
        """Take a lower bound over the chosen splits; if all splits are chosen, it applies to every tree."""
        self.bound = max(self.bound, bound)
        if self.questions.complete:
            self.context.raise_bound(bound)

    def _refuted_by_search(self) -> bool:
        """Let the exact search find bounds and trees; return whether it proves that there is no tree.

        Constraints that it does not support are left out, which can only lower the bound.
        """
        context = self.context
        kept = [c for c in self.problem.constraints if not any(refusals("", replace(self.problem, constraints=(c,))))]
        problem = replace(self.problem, constraints=tuple(kept))
        if any(refusals("", problem)):
            return False
        context.report("Bounding the cost by exact search.")
        seconds = context.limits.seconds
        brief = context.deadline if seconds is None else context.deadline.within(TIME_TO_BOUND * seconds)

        def hear(event: Event) -> None:
            if isinstance(event, Incumbent):
                self._offer(event.diagram)
            elif isinstance(event, Bound):
                self._raise_bound(event.value)

        known = BestKnown(problem, context.clock, hear)
        known.diagram, known.cost = context.diagram, context.cost
        rules = rules_of(problem)
        search = Coupled(
            problem, self.questions.orders, rules, known, lambda: self.finished or brief.due(), context.gap
        )
        outcome = by_columns(search).run()
        self.stats["bound of the exact search"] = self.bound
        return outcome is CoupledOutcome.INFEASIBLE and context.cost is None

    def _search(self) -> bool:
        """Build the model and run the solver; return whether it is proved that there is no tree."""
        context = self.context
        self._check_memory()
        context.report("Building the constraint model.")
        try:
            model = CpTreeModel(self.problem, self.cells, self.questions, context.pause)
            model.post(self.rules, POST)
        except SearchEndedError:
            return False
        self.stats["variables"] = len(model.cp.proto.variables)
        self.stats["constraints"] = len(model.cp.proto.constraints)
        ended = self._find_cheaper(model)
        if ended is Ended.NOTHING and context.cost is not None:
            self._raise_bound(context.cost)
        if ended is Ended.EARLY or context.diagram is None:
            return ended is Ended.NOTHING
        if self.proved and self.problem.split_penalty == 0 and context.diagram.n_splits > 1 and not context.due():
            context.detail(fewest_splits=self._find_smaller(model))
        return False

    def _check_memory(self) -> None:
        n_cells, n_slots, n_branches = len(self.cells), 2**self.depth - 1, 2**self.depth
        n_variables = n_cells * (n_slots + n_branches) + n_slots * len(self.questions.predicates)
        need, limit = int(n_variables * KILOBYTES_PER_VARIABLE / 1024), self.context.limits.memory_mb
        if limit is not None and need > limit:
            raise UnsupportedError(
                f"The model of {n_cells} different rows at depth {self.depth} has {n_variables} variables and "
                f"needs about {need} MiB; the limit is {limit} MiB. "
                f"Raise the memory limit, lower the depth, or use fewer columns or rows."
            )

    def _find_cheaper(self, model: CpTreeModel) -> Ended:
        """Search for trees cheaper than the incumbent, until there are none, the gap is reached or the search is due.

        Returns PROVED if the search completes with a tree, NOTHING if it proves that no tree is better than the
        incumbent (or that there is no tree, if there is no incumbent), and EARLY in all other cases.
        """
        context = self.context
        model.bound_objective(self.bound, None if context.cost is None else context.cost - 1)
        model.cp.minimize(model.objective)

        def due() -> bool:
            best = "No tree yet" if context.cost is None else f"Best tree so far: cost {context.cost}"
            context.progress(f"{best}; no tree with these splits can cost less than {self.bound}.")
            return context.due()

        ended, figures = cp_sat.run(
            model.cp, context, lambda value: self._take(model, value), self._raise_bound, due=due, gap=context.gap
        )
        context.stats |= figures
        context.detail(solver=cp_sat.TITLE)
        return ended

    def _find_smaller(self, model: CpTreeModel) -> bool:
        """Search for a tree of the incumbent's cost with fewer splits; return whether it is proved that none exists."""
        context = self.context
        context.report("Proved. Searching for a smaller tree of the same cost.")
        model.bound_objective(context.incumbent_cost, context.incumbent_cost)
        model.cp.add(model.n_splits <= context.incumbent.n_splits - 1)
        model.cp.minimize(model.n_splits)
        effort = EFFORT_FOR_FEWER_SPLITS
        ended, _ = cp_sat.run(model.cp, context, lambda value: self._take(model, value), effort=effort)
        return ended is not Ended.EARLY

    def _take(self, model: CpTreeModel, value: Values) -> None:
        """Offer the tree of a solution, without useless splits if the constraints permit it."""
        tree = model.read(value)
        self._offer(*(self._diagram(form) for form in (merged(tree), tree)))

    def _diagram(self, tree: SplitTree) -> Diagram:
        """A tree of the chosen splits as a diagram."""
        problem, bits = self.problem, self.questions.bits

        def question(slot: Slot, place: Slot, rows: np.ndarray) -> tuple[Predicate, bool]:
            number = tree.splits[slot][0]
            predicate = self.questions.predicates[number]
            fixed = number in self.questions.fixed
            return predicate if fixed else _with_missing(problem, predicate, rows, bits[rows, number]), True

        return diagram_of(problem, ~bits.T, tree, question)


def _with_missing(problem: Problem, predicate: Predicate, rows: np.ndarray, yes: np.ndarray) -> Predicate:
    """The split with missing values on the heavier side, if no training row has one."""
    dataset = problem.dataset
    values = dataset.X[:, dataset.schema.index(predicate.column)]
    if dataset.schema.missing is not MissingPolicy.INFORMATION or np.isnan(values).any():
        return predicate
    return structs.replace(predicate, missing=is_larger(problem, rows, yes))
