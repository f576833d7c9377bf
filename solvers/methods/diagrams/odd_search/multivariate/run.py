"""The search for diagrams whose questions combine columns: it looks for better ones and proves in turns."""

import math
from collections.abc import Iterator
from itertools import chain, islice

import numpy as np

from .....constraints import rules_of
from .....problem import Problem, question_orders
from .....solution import PartialScope, Scope
from ....base import Unsupported, unposted
from ....cases import class_weights
from ....mip.backend import WHOLE_GAP, End, SolverRequest
from ....mip.exact import solve_by
from ....mip.highs import HiGHS
from ....mip.model import Program
from ....permitted import permitted_columns
from ....search.context import SearchContext
from ....search.deadline import Deadline
from ...construction import constructions
from ...draft import DiagramDraft
from ...program.forms import read
from ...program.frame import frame_of
from ...program.hyperplanes import Hyperplanes
from ...program.limits import refusals, with_at_most
from ...program.network import Network
from ...program.offers import DiagramOffers, Judge
from ...program.rules import POSTS
from ...terms import LEAST_MARGIN, terms_of
from .local_search import Climber
from .planes import FORBIDDEN, PlaneDiagram

PATIENCE, PROVING, GROWTH = 40, 5.0, 4
"""In the first round so many local optima in a row may be no better, and the proof may take so many seconds; in each
round after it so many times as many."""

SHARE, MOST_SECONDS, MOST_BUILT = 0.1, 3.0, 20
"""Diagrams to begin from may take this share of the time, at most so many seconds, and be so many."""


def unsupported(title: str, problem: Problem) -> tuple[Unsupported, ...]:
    """Why a problem whose questions may combine columns cannot be taken; empty where it can."""
    reasons = tuple(unposted(title, problem, POSTS))
    # the size of the program does not matter: without a proof there is still the search
    return reasons or refusals(title, with_at_most(problem, 1))


def warm() -> None:
    """Compile what the search needs, or load it."""
    from .....kernels.odd_lines import best_on_lines

    points, plane = np.array([[0.0, -1.0], [1.0, -1.0]]), np.array([[1.0, 0.0]])
    costs, charges = np.array([[0, 1], [1, 0]]), np.array([[FORBIDDEN, 0], [0, FORBIDDEN]])
    best_on_lines(points, plane, plane[:, ::-1], costs, charges, 1, LEAST_MARGIN)


def search(context: SearchContext, *, tree: bool = False) -> None:
    """Search and prove until incumbent and bound meet, the gap is reached, or time is up; among trees if asked to."""
    problem = context.problem
    terms = terms_of(problem, permitted_columns(rules_of(problem), problem.dataset.n_columns))
    context.detail(part=PartialScope(Scope.MARGIN))
    context.stats |= {"local optima": 0, "diagrams without the margin": 0}
    offers = DiagramOffers(context, Judge(problem, terms, tree=tree))
    offers.constants()
    proof = MultivariateProof(offers, tree=tree)
    if not len(terms) or not proof.most:
        # nothing can be asked
        if context.cost is not None:
            offers.raise_bound(context.cost)
        else:
            context.refute()
        return
    # every tree is a diagram, and where the best one is a tree, a search among trees finds it sooner
    climbers = [Climber(terms, context.limits.seed, lambda: context.over, tree=only) for only in sorted({tree, True})]
    climbers[0].begin_from(_first(climbers[0], offers))
    optima = chain.from_iterable(zip(*(climber.optima() for climber in climbers), strict=False))
    patience, seconds = PATIENCE, PROVING
    while not (proof.complete or context.over):
        _search(optima, offers, patience)
        proof.go_on(context.deadline.within(seconds))
        patience, seconds = patience * GROWTH, seconds * GROWTH
    if context.cost is None and proof.complete:
        context.refute(solver=context.details.solver)


def _first(climber: Climber, offers: DiagramOffers) -> list[DiagramDraft]:
    """Diagrams built from the top down, the cheapest first; those that keep the margin are offered as they are."""
    context, problem = offers.context, offers.context.problem
    left = context.deadline.seconds_left
    brief = context.deadline.within(MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left))
    orders = question_orders(problem.dataset)
    built: list[tuple[int, int, DiagramDraft]] = []
    for draft in islice(constructions(problem, orders, context.limits.seed, brief.due), MOST_BUILT):
        if climber.diagram.write(draft):
            built.append((climber.diagram.cost, len(built), draft))
            _offered(climber.diagram, offers)
    return [draft for *_, draft in sorted(built, key=lambda entry: entry[:2])]


def _search(optima: Iterator[PlaneDiagram], offers: DiagramOffers, patience: int) -> None:
    """Take in local optima until so many in a row were no better, or the search ends."""
    context, vain = offers.context, 0
    for diagram in optima:
        context.stats["local optima"] += 1
        vain = 0 if _offered(diagram, offers) else vain + 1
        context.progress(stats=dict(context.stats))
        if vain >= patience:
            return


def _offered(diagram: PlaneDiagram, offers: DiagramOffers) -> bool:
    """Whether a local optimum became the incumbent."""
    context = offers.context
    if context.cost is not None and diagram.cost >= context.cost:
        return False
    draft = diagram.draft()
    context.stats["diagrams without the margin"] += draft is None
    return draft is not None and offers.offer(draft)


class MultivariateProof:
    """A proof that goes on for as long as it is given time, for diagrams or trees whose questions may combine columns.

    A better diagram has few questions, or its questions alone cost too much. Let U be the cost of the best diagram that
    is known. If the linear program of the paper (`odd`), restricted to at most k questions, shows that no diagram costs
    less than U, then every better one has at least k + 1 questions, and costs at least what these cost and the rows
    that no question tells apart. So k grows until that is U. With dear questions a k of 1 or 2 does, where the program
    for the whole skeleton is out of reach. The program is asked only for diagrams that cost less than U: a row says so,
    and where nothing satisfies it, that is the proof.

    Every diagram costs `least`, however many questions it has, for the rows that no question tells apart. At most
    `most` questions are permitted, and no diagram of at most `shown` costs less than the incumbent.
    """

    def __init__(self, offers: DiagramOffers, *, tree: bool = False) -> None:
        self.offers, self._context, self._tree = offers, offers.context, tree
        problem = self._problem = offers.context.problem
        self.shown = 0
        cell = Hyperplanes(problem, rules_of(problem)).cell
        weights = class_weights(problem, cell, int(cell.max()) + 1)
        self.least = int(problem.leaf_costs(weights).min(axis=1).sum())
        places = frame_of(problem.size, problem.dataset.n_classes).n_nodes
        self.most = places if problem.size.max_splits is None else min(places, problem.size.max_splits)
        self._context.stats |= {"most questions refuted": 0, "solver nodes": 0}
        offers.raise_bound(self.beyond(1))

    def beyond(self, questions: int) -> int:
        """What diagrams of at least so many questions cost at the least."""
        return self.least + self._problem.splits_cost(questions)

    @property
    def complete(self) -> bool:
        """Whether nothing is left to show."""
        return self._context.proved or self.shown >= self.most

    def next_is_posable(self) -> bool:
        """Whether the program for one question more is of a size that can be built."""
        return not refusals("", with_at_most(self._problem, self.shown + 1))

    def go_on(self, deadline: Deadline) -> None:
        """Refute one number of questions after the other until it is due."""
        while not (self.complete or self._context.over or deadline.due()) and self.next_is_posable():
            count = self.shown + 1
            if not self._refute(count, deadline):
                return
            self.shown = count
            self._context.stats["most questions refuted"] = count
            self.raise_bound(count, math.inf)

    def raise_bound(self, count: int, value: float) -> None:
        """Raise the bound of all diagrams: `value` is one for at most `count` questions."""
        bounds = [value, math.inf if self._context.cost is None else self._context.cost]
        if count < self.most:
            bounds.append(self.beyond(count + 1))
        if math.isfinite(min(bounds)):
            self.offers.raise_bound(int(min(bounds)))

    def _refute(self, count: int, deadline: Deadline) -> bool:
        """Whether no diagram of at most so many questions is better than the incumbent; better ones are taken."""
        problem = with_at_most(self._problem, count)
        rules = rules_of(problem)
        frame = frame_of(problem.size, problem.dataset.n_classes)
        net = Network(problem, rules, Hyperplanes(problem, rules), frame, tree=self._tree)
        net.post(POSTS)
        context = self._context
        if context.cost is not None:
            self._ask_for_less(net, context.cost)
        run = _Run(net, net.model.program(), self, count)
        request = SolverRequest(
            start=None,
            gap=WHOLE_GAP,
            seconds=deadline.seconds_left,
            threads=context.limits.threads,
            seed=context.limits.seed,
            due=lambda: context.over or deadline.due(),
            found=run.found,
            bound=run.bound,
        )
        outcome, by = solve_by([HiGHS()], run.program, request)
        context.detail(solver=by)
        context.stats["solver nodes"] += outcome.nodes
        if outcome.end is End.PROVED:
            # the program's best is the incumbent, unless a question of it could not be relied on
            return context.cost is not None and run.refused >= context.cost
        return outcome.end is End.INFEASIBLE

    def _ask_for_less(self, net: Network, cost: int) -> None:
        """Post that the diagram costs less than the incumbent."""
        price = self._problem.split_cost // net.unit
        limit = (cost - 1 - net.least) // net.unit
        net.model.at_most([(net.costs.reshape(1, -1), net.ends.reshape(1, -1)), (price, net.charged[None])], limit)


class _Run:
    """What the solver says about a number of questions.

    `refused` is the least cost of a solution that is no diagram which is allowed; infinite where there is none.
    """

    def __init__(self, net: Network, program: Program, proof: MultivariateProof, count: int) -> None:
        self._net, self.program, self._proof, self._count = net, program, proof, count
        self.refused = math.inf

    def found(self, x: np.ndarray) -> None:
        """A diagram that costs less than the incumbent; the solver may tell it again at the end."""
        offers, draft = self._proof.offers, read(self._net, self.program.expand(x))
        if draft is not None:
            offers.offer(draft)
        cost = self._net.least + self._net.unit * round(float(self.program.cost @ x) + self.program.offset)
        if offers.context.cost is None or cost < offers.context.cost:
            self.refused = min(self.refused, cost)

    def bound(self, value: float, nodes: int) -> None:
        """A lower bound of the program."""
        self._proof.raise_bound(self._count, self._net.least + self._net.unit * value)
        self._proof.offers.context.progress(stats={"nodes": nodes})
