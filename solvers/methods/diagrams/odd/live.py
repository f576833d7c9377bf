"""Incumbents that are checked in whole numbers, and honest bounds, while a solver works."""

from __future__ import annotations

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.diagrams.draft import Draft, leaf_arc
from solvers.methods.diagrams.odd.forms import read, write
from solvers.methods.diagrams.odd.network import Network
from solvers.methods.diagrams.terms import LEAST_MARGIN, Terms
from solvers.methods.mip.model import Program
from solvers.methods.search.clock import Clock
from solvers.methods.search.live import Live
from solvers.problem import LinearPredicate, Predicate, Problem
from solvers.solution import Emit, Progress

PULSE = 0.2
"""Seconds between two signs of life."""


class Judge:
    """Whether a diagram is allowed, from the diagram and the table alone.

    Parameters
    ----------
    terms : what weighted sums are made of; `None` where questions are about one column each.
    tree : whether every question must have one way to it.
    """

    def __init__(self, problem: Problem, terms: Terms | None, *, tree: bool) -> None:
        self._problem, self._terms, self._tree = problem, terms, tree

    def allows(self, draft: Draft, diagram: Diagram) -> bool:
        """Whether it keeps skeleton, sizes, margins and all constraints."""
        problem, size = self._problem, self._problem.size
        if not draft.fits(size.layer_widths) or (size.max_splits is not None and diagram.n_splits > size.max_splits):
            return False
        if size.max_leaf_nodes is not None and diagram.n_leaves > size.max_leaf_nodes:
            return False
        rows = np.bincount(diagram.predict(problem.dataset), minlength=problem.dataset.n_classes)
        weight = np.bincount(diagram.predict(problem.dataset), problem.weights, problem.dataset.n_classes)
        labels = [node.label for node in diagram.nodes[diagram.n_splits :]]
        if min(rows[labels]) < size.min_samples_leaf or min(weight[labels]) < problem.min_leaf_weight:
            return False
        if self._tree and any(len(arcs) > 1 for arcs in diagram.parents[: diagram.n_splits]):
            return False
        if not self._keeps_margins(draft):
            return False
        return not any(constraint.violations(diagram, problem.dataset) for constraint in problem.constraints)

    def _keeps_margins(self, draft: Draft) -> bool:
        most = self._problem.size.split_features
        for number, slot, yes, no in draft.walk(self._problem.dataset):
            question = draft.layers[number][slot].question
            if most is not None and len(set(question.columns)) > most:
                return False
            if isinstance(question, LinearPredicate):
                rows = np.concatenate((yes, no))
                if self._terms is None or self._terms.margin(question, rows) < LEAST_MARGIN:
                    return False
            elif self._terms is not None and len(yes) and len(no) and not self._is_in_model(question, yes, no):
                return False
        return True

    def _is_in_model(self, question: Predicate, yes: np.ndarray, no: np.ndarray) -> bool:
        """Whether a question about one column is a sum of the model: one that asks for a missing value is not.

        It keeps the margin like all others, or what is proved would not hold for the diagrams that are found.
        """
        weights = self._terms.weights(question)
        if weights is None:
            return False
        sums = self._terms.scaled @ weights
        gap = max(sums[no].min() - sums[yes].max(), sums[yes].min() - sums[no].max())
        return bool(gap >= LEAST_MARGIN)


class Best(Live):
    """Incumbent and bound of a problem, with the constants that the model leaves out.

    A solver's solution counts only as the diagram that it describes: read from the variables, it must send every row
    where the flows go, be allowed, and cost what `Problem.cost` says.
    """

    def __init__(self, problem: Problem, judge: Judge, clock: Clock, emit: Emit) -> None:
        super().__init__(problem, clock, emit)
        self._judge = judge
        self.draft: Draft | None = None
        self.constant: int | None = None
        self.told, self.turned_down = 0.0, 0
        self.raise_bound(0)

    @property
    def proved(self) -> bool:
        """Whether incumbent and bound meet."""
        return self.cost == self.bound

    def close(self, gap: int) -> bool:
        """Whether they are no further apart than this."""
        return self.cost is not None and self.cost - self.bound <= gap

    def constants(self) -> None:
        """Try the diagrams that ask nothing."""
        for label in range(self.problem.dataset.n_classes):
            draft = Draft([], leaf_arc(label))
            diagram = draft.diagram(self.problem)
            if self._judge.allows(draft, diagram):
                cost = self.cost_of(diagram)
                self.constant = cost if self.constant is None else min(cost, self.constant)
                self.offer(draft)

    def offer(self, draft: Draft) -> bool:
        """Take a diagram, or a simpler one of the same answers, as the incumbent if it is better and allowed."""
        for candidate in (draft.tidied(self.problem), draft):
            diagram = candidate.diagram(self.problem)
            if self.cost is not None and self.cost_of(diagram) >= self.cost:
                continue
            if self._judge.allows(candidate, diagram):
                self.draft = candidate
                self.adopt(diagram)
                return True
        return False

    def above(self, bound: int) -> None:
        """What the model has proved of the diagrams that ask something is a bound for all with the constants."""
        known = [cost for cost in (self.constant, self.cost) if cost is not None]
        bound = min([bound, *known])
        if bound > self.bound:
            self.raise_bound(bound)

    def beat(self, nodes: int) -> None:
        """A sign of life now and then."""
        if self.clock.elapsed - self.told > PULSE:
            self.told = self.clock.elapsed
            best = "No diagram yet" if self.cost is None else f"Best diagram so far: cost {self.cost}"
            self.emit(Progress(self.told, f"{best}; none can cost less than {self.bound}.", {"nodes": nodes}))


class Listener:
    """What a solver finds in a network, as diagrams and whole costs.

    Parameters
    ----------
    beyond : no diagram with more questions than the network has room for costs less; `None` where there is none.

    Attributes
    ----------
    reached : no diagram of the network costs less.
    """

    def __init__(self, net: Network, program: Program, best: Best, beyond: int | None) -> None:
        self.net, self.program, self.best, self._beyond = net, program, best, beyond
        self._reach(net.base)

    @property
    def start(self) -> np.ndarray | None:
        """The incumbent in the variables of the program, if the model has it."""
        if self.best.draft is None:
            return None
        values = write(self.net, self.best.draft)
        return values[self.program.kept] if values is not None and self.program.keeps(values) else None

    @property
    def whole(self) -> bool:
        """Whether the network has room for all diagrams that ask something."""
        return self._beyond is None

    @property
    def exhausted(self) -> bool:
        """Whether the network has nothing more to tell: its bound is as high as the incumbent or what lies beyond."""
        known = [cost for cost in (self.best.cost, self._beyond) if cost is not None]
        return bool(known) and self.reached >= min(known)

    def found(self, x: np.ndarray) -> None:
        """A solution of the solver."""
        draft = read(self.net, self.program.expand(x))
        if draft is None or not self.best.offer(draft):
            cost = self.net.base + self.net.unit * round(float(self.program.cost @ x) + self.program.offset)
            self.best.turned_down += self.best.cost is None or cost < self.best.cost

    def bound(self, value: int, nodes: int) -> None:
        """A lower bound of the objective."""
        self._reach(self.net.base + self.net.unit * value)
        self.best.beat(nodes)

    def nothing(self) -> None:
        """The solver has proved that no diagram of the network is allowed."""
        known = [cost for cost in (self._beyond, self.best.constant) if cost is not None]
        if known:
            self._reach(min(known))

    def _reach(self, bound: int) -> None:
        self.reached = bound
        self.best.above(bound if self._beyond is None else min(bound, self._beyond))
