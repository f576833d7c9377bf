"""Diagrams that are checked in exact arithmetic, and valid lower bounds, while a solver works."""

import numpy as np

from ....diagram import Diagram
from ....problem import LinearPredicate, Predicate
from ...mip.model import Program
from ...search.context import SearchContext
from ..draft import DiagramDraft, allowed, leaf_arc
from ..terms import LEAST_MARGIN, Terms
from .network import Network, read, write


class DiagramOffers:
    """Diagrams and lower bounds offered to a search, including the constant diagrams that the model omits.

    A solver's solution counts only as the diagram that it describes: read from the variables, it must send every row
    where the flows go, be allowed, as the diagram and the table alone show, and have the cost given by `Problem.cost`.
    `terms` are those of weighted sums, `None` if splits are univariate; `tree` is whether there must be only one path
    to every split. `draft` is that of the best diagram, and `constant` the cost of the cheapest constant diagram; both
    are `None` if there is none.
    """

    def __init__(self, context: SearchContext, terms: Terms | None = None, *, tree: bool = False) -> None:
        self.context, self.terms, self._tree = context, terms, tree
        self.draft: DiagramDraft | None = None
        self.constant: int | None = None
        context.raise_bound(0)

    def constants(self) -> None:
        """Try the constant diagrams."""
        problem = self.context.problem
        for label in range(problem.dataset.n_classes):
            draft = DiagramDraft([], leaf_arc(label))
            diagram = draft.diagram(problem)
            if self._allows(draft, diagram):
                cost = self.context.cost_of(diagram)
                self.constant = cost if self.constant is None else min(cost, self.constant)
                self.offer(draft)

    def offer(self, draft: DiagramDraft) -> bool:
        """Accept a diagram, or a simpler one with the same predictions, as incumbent if it is better and allowed."""
        context = self.context
        for candidate in (draft.tidied(context.problem), draft):
            diagram = candidate.diagram(context.problem)
            better = context.cost is None or context.cost_of(diagram) < context.cost
            if better and self._allows(candidate, diagram):
                self.draft = candidate
                return context.offer(diagram)
        return False

    def raise_bound(self, bound: int) -> None:
        """A proved bound for diagrams with splits, combined with the constants, is a bound for all diagrams."""
        known = [cost for cost in (self.constant, self.context.cost) if cost is not None]
        self.context.raise_bound(min([bound, *known]))

    def _allows(self, draft: DiagramDraft, diagram: Diagram) -> bool:
        """Whether it satisfies skeleton, sizes, margins and all constraints, and no split has equal children."""
        if any(split.yes == split.no for _, split in diagram.splits):
            return False
        if self._tree and any(len(arcs) > 1 for arcs in diagram.parents[: diagram.n_splits]):
            return False
        return self._keeps_margins(draft) and allowed(self.context.problem, draft, diagram)

    def _keeps_margins(self, draft: DiagramDraft) -> bool:
        problem = self.context.problem
        most = problem.size.split_features
        for number, slot, yes, no in draft.walk(problem.dataset):
            question = draft.layers[number][slot].question
            if most is not None and len(set(question.columns)) > most:
                return False
            if isinstance(question, LinearPredicate):
                rows = np.concatenate((yes, no))
                if self.terms is None or self.terms.margin(question, rows) < LEAST_MARGIN:
                    return False
            elif self.terms is not None and len(yes) and len(no) and not _is_in_model(self.terms, question, yes, no):
                return False
        return True


def _is_in_model(terms: Terms, question: Predicate, yes: np.ndarray, no: np.ndarray) -> bool:
    """Whether a univariate split is a sum of the model: a split on missing values is not.

    It must have the margin like all others; if not, proofs would not hold for the diagrams found.
    """
    weights = terms.weights(question)
    if weights is None:
        return False
    sums = terms.scaled @ weights
    gap = max(sums[no].min() - sums[yes].max(), sums[yes].min() - sums[no].max())
    return bool(gap >= LEAST_MARGIN)


class Listener:
    """The results of a solver in a network, as diagrams and integer costs; `reached` is the network's lower bound.

    `beyond` is a lower bound for diagrams with more splits than the network allows; `None` if there are none.
    """

    def __init__(self, net: Network, program: Program, offers: DiagramOffers, beyond: int | None) -> None:
        self.net, self.program, self.offers, self._beyond = net, program, offers, beyond
        self._reach(net.least)

    @property
    def start(self) -> np.ndarray | None:
        """The incumbent in the variables of the program, if the model contains it."""
        if self.offers.draft is None:
            return None
        values = write(self.net, self.offers.draft)
        return values[self.program.kept] if values is not None and self.program.keeps(values) else None

    @property
    def whole(self) -> bool:
        """Whether the network contains all diagrams with splits."""
        return self._beyond is None

    @property
    def exhausted(self) -> bool:
        """Whether the network is done: its bound reaches the incumbent's cost or `beyond`."""
        known = [cost for cost in (self.offers.context.cost, self._beyond) if cost is not None]
        return bool(known) and self.reached >= min(known)

    @property
    def finished(self) -> bool:
        """Whether no work is left for the network."""
        return self.exhausted or self.offers.context.finished

    def found(self, x: np.ndarray) -> None:
        """Take a solution of the solver."""
        draft, context = read(self.net, self.program.expand(x)), self.offers.context
        if draft is None or not self.offers.offer(draft):
            cost = self.net.least + self.net.unit * round(float(self.program.cost @ x) + self.program.offset)
            context.stats["turned_down"] += context.cost is None or cost < context.cost

    def bound(self, value: float, nodes: int) -> None:
        """Take a lower bound on the objective."""
        self._reach(self.net.least + self.net.unit * int(value))
        self.offers.context.progress(stats={"nodes": nodes})

    def nothing(self) -> None:
        """Take the solver's proof that no diagram of the network is allowed."""
        known = [cost for cost in (self._beyond, self.offers.constant) if cost is not None]
        if known:
            self._reach(min(known))

    def _reach(self, bound: int) -> None:
        self.reached = bound
        self.offers.raise_bound(bound if self._beyond is None else min(bound, self._beyond))
