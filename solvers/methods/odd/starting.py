"""First diagrams, so that the solver begins with something to beat: what heuristics find in little time.

A diagram counts only if it is allowed, whoever made it, and what is proved is proved by the model alone: of another
method the diagram is taken and the bound is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from solvers.methods.diagrams.construction import constructions
from solvers.methods.diagrams.drafting import Draft
from solvers.methods.mip.ending import Ending
from solvers.methods.odd.frame import frame_of
from solvers.problem import Limits, Problem, question_orders

SHARE, MOST_SECONDS = 0.05, 3.0
"""How long first diagrams may be looked for: this share of the time, and no longer than this."""

MOST_BUILT = 200
"""Constructions, which are cheap where tables are small."""


def first_drafts(problem: Problem, limits: Limits, ending: Ending) -> Iterator[Draft]:
    """Diagrams of the paper's own first step, built from the top down, in the part of the skeleton that is used."""
    left = ending.seconds_left
    brief = ending.within(MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left))
    used = frame_of(problem.size, problem.dataset.n_classes).widths
    for draft in islice(constructions(problem, question_orders(problem.dataset), limits.seed, brief.due), MOST_BUILT):
        if draft.fits(used):
            yield draft
