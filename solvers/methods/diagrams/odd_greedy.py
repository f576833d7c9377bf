"""The heuristic of the decision diagram paper: built from the top down at random again and again, the best one kept.

See `solvers.methods.diagrams.construction`. Other methods for diagrams start from what it finds.
"""

from collections.abc import Iterable

import numpy as np

from ...problem import Problem, ShapeKind, question_orders
from ..base import Method, Option, Unsupported, only_kind, unposted
from ..search.context import SearchContext
from .construction import constructions, end_of
from .draft import DiagramDraft, allowed

PATIENCE = 60
"""Constructions in a row without a better diagram after which the usual run ends."""


class OddGreedy(Method):
    """The two-step strategy's first step as a method of its own; `options` tells its parameter."""

    name = "odd-greedy"
    title = "Greedy diagrams"
    kinds = (ShapeKind.DIAGRAM,)
    exact = False
    summary = (
        "Builds decision diagrams from the top down at random, with merging, and prunes them from the bottom up. A "
        "fast baseline without a proof."
    )
    source = (
        "Florio, Martins, Schiffer, Serra, Vidal: Optimal Decision Diagrams for Classification. AAAI 2023, "
        "doi:10.1609/aaai.v37i6.25920."
    )
    options = (
        Option.among(
            "until",
            "Stop",
            "Diagrams are built one after another, and the best is kept. The paper builds them for 60 seconds.",
            {"settled": "without further improvement", "time": "at the time limit"},
        ),
    )

    def __init__(self, until: str = "settled") -> None:
        self._until = until

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Decision diagrams without domain constraints; limits of the size are kept."""
        return (*only_kind(ShapeKind.DIAGRAM, self.title, problem), *unposted(self.title, problem, ()))

    def search(self, context: SearchContext) -> None:
        """Build diagrams until none has been better for a while, or the time is up; none where none can be better."""
        problem = context.problem
        context.stats["diagrams"] = 0
        _offer(context, DiagramDraft(root=end_of(problem, np.arange(problem.dataset.n_samples))))
        if context.due() or (context.cost is not None and context.cost <= problem.unavoidable_cost):
            return
        # without a time limit only patience ends it
        patience = None if self._until == "time" and context.limits.seconds is not None else PATIENCE
        in_vain = 0
        for draft in constructions(problem, question_orders(problem.dataset), context.limits.seed, context.due):
            context.stats["diagrams"] += 1
            in_vain = 0 if _offer(context, draft) else in_vain + 1
            if in_vain == patience:
                return
            context.progress(stats=dict(context.stats))


def _offer(context: SearchContext, draft: DiagramDraft) -> bool:
    """Offer a diagram that is better and keeps the limits of the size; whether it was taken."""
    problem, best = context.problem, context.diagram
    # most are not, and that is told faster of a draft
    if best is not None and (draft.cost(problem), draft.n_questions) >= (context.cost, best.n_splits):
        return False
    diagram = draft.diagram(problem)
    return allowed(problem, draft, diagram) and context.offer(diagram)
