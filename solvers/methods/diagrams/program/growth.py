"""The proof by a sequence of programs, each with one more split, as long as that can pay.

Let U be the cost of the best diagram known. If the program for at most k splits shows that none of its diagrams costs
less than U, then every better one has at least k + 1 splits. It costs at least their penalty plus the unavoidable cost
of indistinguishable rows. So k grows until this sum reaches U. With a large split penalty, a k of 1 or 2 suffices even
if the program for the whole skeleton is out of reach. Without a split penalty there is one program, for the whole
skeleton.
"""

from collections.abc import Iterable
from dataclasses import replace

from ....constraints import rules_of
from ....errors import UnsupportedError
from ....solution import EndReason, PartialScope, Scope
from ...mip.backend import Backend, End, SolverRequest, TooLarge
from ...mip.exact import solve_by
from ...search.context import SearchContext
from ...search.deadline import Deadline
from .frame import frame_of
from .hyperplanes import Hyperplanes
from .limits import questions_of, too_large, too_many_ways, with_at_most
from .network import Network
from .offers import DiagramOffers, Judge, Listener
from .rules import POSTS


def first_offers(context: SearchContext, *, tree: bool) -> DiagramOffers | None:
    """The offers of a search, with the constant diagrams; `None` if there are no others, which ends the search."""
    problem = context.problem
    questions, terms = questions_of(problem, rules_of(problem)), None
    if isinstance(questions, Hyperplanes):
        terms = questions.terms
        context.detail(part=PartialScope(Scope.MARGIN))
    offers = DiagramOffers(context, Judge(problem, terms, tree=tree))
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
