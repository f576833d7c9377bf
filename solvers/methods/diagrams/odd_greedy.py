"""The heuristic of the decision diagram paper: random top-down constructions, of which the best is kept.

See `solvers.methods.diagrams.construction`. Other methods for diagrams use its results as starts.
"""

from collections.abc import Iterable

import numpy as np

from ...problem import Problem, ShapeKind, question_orders
from ..base import Method, Option, Unsupported, only_kind, unposted
from ..search.context import SearchContext
from .construction import constructions, end_of
from .draft import DiagramDraft, allowed

PATIENCE = 60
"""Successive constructions without improvement before a run with the default option ends."""


class OddGreedy(Method):
    """The first step of the paper's two-step strategy as a method of its own; `options` has its parameter."""

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
        """Refuse all but decision diagrams without domain constraints; limits on the size are supported."""
        return (*only_kind(ShapeKind.DIAGRAM, self.title, problem), *unposted(self.title, problem, ()))

    def search(self, context: SearchContext) -> None:
        """Build diagrams until there is no improvement for a while, time is up, or the cost cannot be improved."""
        problem = context.problem
        context.stats["diagrams"] = 0
        _offer(context, DiagramDraft(root=end_of(problem, np.arange(problem.dataset.n_samples))))
        if context.due() or (context.cost is not None and context.cost <= problem.unavoidable_cost):
            return
        # without a time limit only patience ends the search
        patience = None if self._until == "time" and context.limits.seconds is not None else PATIENCE
        in_vain = 0
        for draft in constructions(problem, question_orders(problem.dataset), context.limits.seed, context.due):
            context.stats["diagrams"] += 1
            in_vain = 0 if _offer(context, draft) else in_vain + 1
            if in_vain == patience:
                return
            context.progress(stats=dict(context.stats))


def _offer(context: SearchContext, draft: DiagramDraft) -> bool:
    """Offer a diagram if it is better and satisfies the size limits; returns whether it was accepted."""
    problem, best = context.problem, context.diagram
    # most are not better, and a draft shows this faster
    if best is not None and (draft.cost(problem), draft.n_questions) >= (context.cost, best.n_splits):
        return False
    diagram = draft.diagram(problem)
    return allowed(problem, draft, diagram) and context.offer(diagram)
