"""The proof by a sequence of programs, each with one more split, as long as that can pay; and the refusals of programs.

Let U be the cost of the best diagram known. If the program for at most k splits shows that none of its diagrams costs
less than U, then every better one has at least k + 1 splits. It costs at least their penalty plus the unavoidable cost
of indistinguishable rows. So k grows until this sum reaches U. With a large split penalty, a k of 1 or 2 suffices even
if the program for the whole skeleton is out of reach. Without a split penalty there is one program, for the whole
skeleton.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ....constraints import rules_of
from ....constraints.rules import FixedQuestion, Monotone, PathCost, PrerequisiteRule, Rules, ThresholdRange
from ....errors import UnsupportedError
from ....problem import MissingPolicy, Problem, ShapeKind
from ....solution import EndReason, PartialScope, Scope
from ...base import Unsupported, only_kind, unposted
from ...mip.backend import Backend, End, SolverRequest, TooLarge
from ...mip.cell_program import POSTS
from ...mip.exact import solve_by
from ...mip.menu import surely_has_more_cells
from ...permitted import permitted_columns
from ...search.context import SearchContext
from ...search.deadline import Deadline
from .hyperplanes import Hyperplanes
from .network import Network, Separation, frame_of
from .offers import DiagramOffers, Listener
from .univariate import Univariate

MOST_FLOWS = 2_000_000
"""The largest number of flow variables of a model: such a model takes a gigabyte, and no solver makes progress."""

ABOUT_ONE_COLUMN = (FixedQuestion, PrerequisiteRule, ThresholdRange, Monotone)
"""Rules that do not apply to splits on several columns."""

MOST_WAYS = 2_000
"""The largest number of paths through a skeleton for which path costs are posted."""


def refusals(title: str, problem: Problem) -> tuple[Unsupported, ...]:
    """The reasons why no program can be built for a problem; empty if it can."""
    sums = problem.size.split_features != 1
    posts = {*POSTS, *ABOUT_ONE_COLUMN} if sums else POSTS
    reasons = (*only_kind(ShapeKind.DIAGRAM, title, problem), *unposted(title, problem, posts))
    if sums and not reasons:
        reasons = tuple(against_sums(problem))
    return reasons or (*too_many_ways(problem), *too_large(problem))


def with_at_most(problem: Problem, questions: int) -> Problem:
    """The problem with at most `questions` splits."""
    most = questions if problem.shape.max_splits is None else min(questions, problem.shape.max_splits)
    return replace(problem, shape=replace(problem.shape, max_splits=most))


def questions_of(problem: Problem, rules: Rules) -> Separation:
    """The form of the splits for a problem."""
    if problem.size.split_features != 1:
        return Hyperplanes(problem, rules)
    return Univariate(problem, rules)


def against_sums(problem: Problem) -> Iterator[Unsupported]:
    """The reasons against splits on several columns."""
    dataset = problem.dataset
    for constraint, kind in ((c, type(r)) for c in problem.constraints for r in c.rules(problem)):
        if kind in ABOUT_ONE_COLUMN:
            yield Unsupported(
                f"'{constraint.words(dataset)}'",
                "A split that combines columns has no threshold of one column.",
                "Remove the constraint, or let each split use one column.",
            )
    used = permitted_columns(rules_of(problem), dataset.n_columns)
    for j in sorted(used if dataset.schema.missing is not MissingPolicy.IMPUTE else ()):
        gone = np.flatnonzero(np.isnan(dataset.X[:, j]))
        if len(gone):
            yield Unsupported(
                f"The column '{dataset.schema.names[j]}' is missing in row {dataset.rows[gone[0]]}"
                f"{f' and {len(gone) - 1} more' if len(gone) > 1 else ''}",
                "A weighted sum needs every value.",
                "Impute missing values, leave out these rows or the column, or let each split use one column.",
            )


def too_many_ways(problem: Problem) -> Iterator[Unsupported]:
    """Refuse path costs if there are too many paths: they are posted for every path through the skeleton."""
    frame = frame_of(problem.size, problem.dataset.n_classes)
    ways = int(np.cumprod(frame.widths, dtype=np.float64).sum())
    limits = rules_of(problem).of(PathCost)
    if ways > MOST_WAYS and limits:
        yield Unsupported(
            f"'{problem.constraints[limits[0].source].words(problem.dataset)}'",
            f"There are {ways:,} paths through the skeleton, each with its own cost; the maximum is {MOST_WAYS:,}.",
            "Choose a smaller skeleton, limit the number of splits, or remove the constraint.",
        )


def too_large(problem: Problem, n_cells: int | None = None) -> Iterator[Unsupported]:
    """Refuse models that are too large to build: by the number of cells, or by the cells in a sample of the rows."""
    frame, rules = frame_of(problem.size, problem.dataset.n_classes), rules_of(problem)
    most = MOST_FLOWS // max(2 * frame.n_arcs, 1)
    if n_cells is None and problem.size.split_features != 1:
        n_cells = len(Hyperplanes(problem, rules).cases)
    if surely_has_more_cells(problem, rules, most) if n_cells is None else n_cells > most:
        yield Unsupported(
            f"More than {most:,} different rows in a skeleton of {frame.n_nodes} questions",
            f"The model would need more than {MOST_FLOWS:,} variables for the paths of the rows.",
            "Choose a smaller skeleton or fewer rows, or the method 'odd-search'.",
        )


def first_offers(context: SearchContext, *, tree: bool) -> DiagramOffers | None:
    """The offers of a search, with the constant diagrams; `None` if there are no others, which ends the search."""
    problem = context.problem
    questions, terms = questions_of(problem, rules_of(problem)), None
    if isinstance(questions, Hyperplanes):
        terms = questions.terms
        context.detail(part=PartialScope(Scope.MARGIN))
    offers = DiagramOffers(context, terms, tree=tree)
    offers.constants()
    if frame_of(problem.size, problem.dataset.n_classes).n_nodes and len(questions.cases) > 1:
        return offers
    if context.cost is None:
        context.refute("no constant prediction satisfies all constraints.")
    else:
        offers.raise_bound(context.cost)
    return None


class ProgramGrowth:
    """A proof that can be continued with more time.

    The first of the `backends` that accepts a program solves it. With `tree`, there is one path to every split.

    Attributes
    ----------
    offers : diagrams and bounds so far.
    count : how many splits the next program allows, out of `total`.
    """

    def __init__(self, offers: DiagramOffers, backends: Iterable[Backend], *, tree: bool) -> None:
        self.offers, self._backends, self._tree = offers, list(backends), tree
        problem = offers.context.problem
        self.total = frame_of(problem.size, problem.dataset.n_classes).n_nodes
        self.count = 1 if problem.split_penalty else self.total
        self._cells = len(questions_of(problem, rules_of(problem)).cases)
        offers.context.stats |= {"models": 0, "nodes": 0, "iterations": 0, "turned_down": 0}

    @property
    def complete(self) -> bool:
        """Whether the proof is complete."""
        return self.offers.context.proved or self.count > self.total

    @property
    def _fits(self) -> bool:
        """Whether the next program is small enough to be built."""
        problem = with_at_most(self.offers.context.problem, self.count)
        return not any((*too_many_ways(problem), *too_large(problem, self._cells)))

    def refuse_larger(self) -> None:
        """Raise `UnsupportedError` if the last program would be too large."""
        for reason in too_large(self.offers.context.problem, self._cells):
            raise UnsupportedError(str(reason))

    def go_on(self, deadline: Deadline) -> None:
        """Solve one program after another until the proof is complete, or it is due.

        Raises `UnsupportedError` if the chosen solver is not available, or its licence does not allow the size.
        """
        context = self.offers.context
        while self._fits and not (self.complete or context.finished or deadline.due()):
            listener = self._listener()
            try:
                if not listener.finished:
                    self._solve(listener, deadline)
            except TooLarge as reason:
                if not context.details.solver:
                    raise UnsupportedError(f"{reason} Choose the solver 'highs', or 'auto'.") from reason
                context.detail(reason=str(reason))
                context.end(EndReason.TOO_LARGE)
                return
            if listener.exhausted:
                self.count += 1
            else:
                return

    def _listener(self) -> Listener:
        """The next program."""
        context = self.offers.context
        problem = context.problem
        size = with_at_most(problem, self.count).size if self.count < self.total else problem.size
        rules, frame = rules_of(problem), frame_of(size, problem.dataset.n_classes)
        questions = questions_of(problem, rules)
        net = Network(problem, rules, questions, frame, tree=self._tree, most=size.max_splits)
        net.post(POSTS)
        program = net.model.program()
        context.stats["models"] += 1
        context.stats |= {"variables": program.n_variables, "whole_variables": int(program.whole.sum())}
        context.stats |= {"rows": program.n_rows, "cells": net.n_cells}
        beyond = net.least + problem.splits_cost(self.count + 1) if self.count < self.total else None
        return Listener(net, program, self.offers, beyond)

    def _solve(self, listener: Listener, deadline: Deadline) -> None:
        """Solve a program with the first backend that accepts it; refusals are logged with their reasons.

        Later programs are larger, so a backend that refuses this one is not tried again.
        """
        context = self.offers.context
        request = SolverRequest.of(
            context,
            listener.net.unit,
            listener.start,
            listener.found,
            listener.bound,
            lambda: listener.finished or deadline.due(),
        )
        request = replace(request, seconds=deadline.seconds_left)
        outcome, solver = solve_by(self._backends, listener.program, request, context.log)
        context.detail(solver=solver)
        context.stats["solver"] = solver
        context.stats["nodes"] += outcome.nodes
        context.stats["iterations"] += outcome.iterations
        if outcome.end is End.INFEASIBLE:
            listener.nothing()
            if listener.whole and context.cost is None:
                context.refute(solver=solver)
        short = context.cost is None or context.cost - listener.reached > context.gap
        if outcome.end is End.COARSE or (outcome.end is End.PROVED and short and not listener.exhausted):
            context.end(EndReason.IMPRECISE)
