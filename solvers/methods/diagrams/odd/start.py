"""First diagrams, so that the solver starts with an incumbent: results of short heuristics.

Every diagram is checked before it counts, and only the models give proofs: the local search of `odd-search` is used
here, its lower bounds are not.
"""

from collections.abc import Iterator
from itertools import islice

from ....constraints import rules_of
from ....problem import Problem, question_orders
from ...purity import with_purity
from ...search.context import SearchContext
from ...search.deadline import Deadline
from ..construction import constructions
from ..draft import DiagramDraft
from ..odd_search.demands import unsupported
from ..odd_search.grid import grid_of
from ..odd_search.local_search import LocalSearch
from ..odd_search.multivariate.local_search import Climber
from ..program.frame import frame_of
from ..terms import Terms

SHARE, MOST_SECONDS = 0.05, 3.0
"""Time limit for first diagrams: this share of the time, and at most this many seconds."""

MOST_BUILT, MOST_OPTIMA = 20, 40
"""The largest numbers of constructions, and of local optima of weighted sums."""

WORK, MOST_WORK, SLICE = 30_000, 20_000_000, 1_000_000
"""Elements that the local search scans per row, in all at most, and in one step."""


def first_drafts(context: SearchContext, terms: Terms | None, tree: bool) -> Iterator[DiagramDraft]:
    """Diagrams of the paper's own first step, built top-down, and of a local search.

    `terms` are those of weighted sums; `None` if splits are univariate. With `tree`, the local search over sums is
    restricted to trees.
    """
    problem, seed, left = context.problem, context.limits.seed, context.deadline.seconds_left
    brief = context.deadline.within(MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left))
    used = frame_of(problem.size, problem.dataset.n_classes).widths
    orders = question_orders(problem.dataset)
    built = islice(constructions(problem, orders, seed, brief.due), MOST_BUILT)
    yield from (draft for draft in built if draft.fits(used))
    if terms is None:
        yield from _by_column(problem, seed, brief)
    else:
        yield from _by_sums(terms, seed, brief, tree)


def _by_column(problem: Problem, seed: int, brief: Deadline) -> Iterator[DiagramDraft]:
    """A local search that re-optimises node by node; none if it does not support the constraints."""
    if any(unsupported("", problem)):
        return
    grid = grid_of(problem, with_purity(problem, rules_of(problem)))
    search = LocalSearch(grid, seed)
    budget = min(MOST_WORK, WORK * problem.dataset.n_samples)
    while search.work < budget and not brief.due():
        nodes = search.advance(min(SLICE, budget))
        if nodes is not None:
            yield grid.draft(nodes)


def _by_sums(terms: Terms, seed: int, brief: Deadline, tree: bool) -> Iterator[DiagramDraft]:
    """A local search along lines in the space of weights."""
    if not len(terms):
        return
    for diagram in islice(Climber(terms, seed, brief.due, tree=tree).optima(), MOST_OPTIMA):
        draft = diagram.draft()
        if draft is not None:
            yield draft
