"""The search for diagrams with multivariate splits: local search and proof in turns."""

from collections.abc import Iterator
from itertools import chain, islice

import numpy as np

from .....problem import Problem, question_orders
from ....base import Unsupported, unposted
from ....mip.highs import HiGHS
from ....search.context import SearchContext
from ...construction import constructions
from ...draft import DiagramDraft
from ...program.growth import ProgramGrowth, first_offers
from ...program.limits import ABOUT_ONE_COLUMN, refusals, with_at_most
from ...program.offers import DiagramOffers
from ...program.rules import POSTS
from ...terms import LEAST_MARGIN
from .local_search import Climber
from .planes import FORBIDDEN, PlaneDiagram

PATIENCE, PROVING, GROWTH = 40, 5.0, 4
"""Successive local optima without improvement, and seconds of the proof, in the first round; and the factor of both
from round to round."""

SHARE, MOST_SECONDS, MOST_BUILT = 0.1, 3.0, 20
"""Limits on initial diagrams: share of the time, seconds, and number."""


def unsupported(title: str, problem: Problem) -> tuple[Unsupported, ...]:
    """The reasons why a problem with multivariate splits is refused; empty if there are none."""
    reasons = tuple(unposted(title, problem, {*POSTS, *ABOUT_ONE_COLUMN}))
    # the size of the program does not matter: the search can run without a proof
    return reasons or refusals(title, with_at_most(problem, 1))


def precompile() -> None:
    """Compile the kernels of the search, or load them."""
    from .....kernels.odd_lines import best_on_lines

    points, plane = np.array([[0.0, -1.0], [1.0, -1.0]]), np.array([[1.0, 0.0]])
    costs, charges = np.array([[0, 1], [1, 0]]), np.array([[FORBIDDEN, 0], [0, FORBIDDEN]])
    best_on_lines(points, plane, plane[:, ::-1], costs, charges, 1, LEAST_MARGIN)


def search(context: SearchContext, *, tree: bool = False) -> None:
    """Search and prove until incumbent and bound meet, the gap is reached, or time is up; with `tree`, among trees."""
    offers = first_offers(context, tree=tree)
    if offers is None:
        return
    terms, growth = offers.terms, ProgramGrowth(offers, [HiGHS()], tree=tree)
    assert terms is not None
    context.stats |= {"local optima": 0, "diagrams without the margin": 0}
    # every tree is a diagram, and if the best one is a tree, a search among trees finds it sooner
    climbers = [
        Climber(terms, context.limits.seed, lambda: context.finished, tree=only) for only in sorted({tree, True})
    ]
    climbers[0].begin_from(_first(climbers[0], offers))
    optima = chain.from_iterable(zip(*(climber.optima() for climber in climbers), strict=False))
    patience, seconds = PATIENCE, PROVING
    while not (growth.complete or context.finished):
        _search(optima, offers, patience)
        growth.go_on(context.deadline.within(seconds))
        patience, seconds = patience * GROWTH, seconds * GROWTH


def _first(climber: Climber, offers: DiagramOffers) -> list[DiagramDraft]:
    """Diagrams built top-down, cheapest first; those with the margin are also offered unchanged."""
    context, problem = offers.context, offers.context.problem
    left = context.deadline.seconds_left
    brief = context.deadline.within(MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left))
    orders = question_orders(problem.dataset)
    built: list[tuple[int, int, DiagramDraft]] = []
    for draft in islice(constructions(problem, orders, context.limits.seed, brief.due), MOST_BUILT):
        if climber.diagram.write(draft):
            built.append((climber.diagram.cost, len(built), draft))
            _offer(climber.diagram, offers)
    return [draft for *_, draft in sorted(built, key=lambda entry: entry[:2])]


def _search(optima: Iterator[PlaneDiagram], offers: DiagramOffers, patience: int) -> None:
    """Offer local optima until `patience` successive ones are no better, or the search ends."""
    context, vain = offers.context, 0
    for diagram in optima:
        context.stats["local optima"] += 1
        vain = 0 if _offer(diagram, offers) else vain + 1
        context.progress(stats=dict(context.stats))
        if vain >= patience:
            return


def _offer(diagram: PlaneDiagram, offers: DiagramOffers) -> bool:
    """Offer a local optimum; returns whether it became the incumbent."""
    context = offers.context
    if context.cost is not None and diagram.cost >= context.cost:
        return False
    draft = diagram.draft()
    context.stats["diagrams without the margin"] += draft is None
    return draft is not None and offers.offer(draft)
