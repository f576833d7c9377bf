"""ConTree: the optimal tree of a given depth over ALL thresholds of numeric columns, by branch and bound.

The problem is that of Brita, van der Linden and Demirovic (2025), 'Optimal Classification Trees for Continuous Feature
Data Using Dynamic Programming with Branch-and-Bound', AAAI-25: the tree of at most depth d with the fewest (weighted)
errors, eq. (4) to (6), without binning. The search is our own: see `kernels.search` for the bounds and
docs/methods/contree.md for their proofs. Categories and missing values have their own question orders.

Example
-------
>>> from solvers.problem import Limits, Problem, Shape
>>> solution = ConTree().run(Problem(dataset, Shape(max_depth=3)), Limits(), print, threading.Event())  # doctest: +SKIP
>>> solution.status, solution.cost == solution.bound  # doctest: +SKIP
(<Status.OPTIMAL: 'optimal'>, True)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec import structs

from ...compilation import COMPILATION
from ...constraints import impossibility, rules_of
from ...constraints.rules import FixedQuestion, RuleListRule, Rules, Sum
from ...diagram import Diagram
from ...errors import UnsupportedError
from ...problem import (
    Column,
    Dataset,
    Kind,
    Limits,
    Problem,
    Schema,
    Shape,
    ShapeKind,
    question_orders,
)
from ...solution import Bound, Emit, EndReason, Event, Solution, Stop
from ..base import Method, Unsupported
from ..capabilities import LeastSum
from ..search.best_known import BestKnown
from ..search.clock import Clock
from ..search.context import SearchContext
from ..search.deadline import Deadline
from ..search.watch import Watch
from .cart import Cart, cart_splits
from .coupled.supported import refusals
from .exact_search import as_weighted_rows, tree_search
from .fixed_splits import CLIMB_DEPTH, FIRST_WORK, PlacedSearch
from .improvement import Improvement
from .path_rules import POSTED as PATH_RULES
from .path_rules import SearchSpace, search_space
from .tree_of_splits import Splits, grow

if TYPE_CHECKING:
    from ...kernels.tree_search import TreeSearch

FEWER_SPLITS = "Proved. Searching for a smaller tree of the same cost."

TIE_SHARE, TIE_WORK = 1, 50_000_000
"""How long the search looks for a smaller tree once the cost is proved: elements scanned, as a multiple of those for
the proof, plus a constant. Counted, not timed, so that the result is the same on every machine."""

FIRST_DEPTH, STAGED_DEPTH = 3, 5
"""The depth of the first stage, and the depth limit from which on stages are used if there is a split penalty."""

QUICK = {1: 50_000_000, 2: 50_000_000, 3: 5_000_000}
"""Rows times orders squared, by depth, up to which a search may take less time than CART. At depth two, the search is
one call of a few hundredths of a second."""

LOOK = 200_000_000
"""Elements that such a search may scan before CART's tree is computed, some tenths of a second."""


class Share(NamedTuple):
    """How `width` processes share a search, which `make` creates, see `tree_search`."""

    make: Callable[..., TreeSearch]
    width: int


class Stage(NamedTuple):
    """The trees of one search: at most of the depth of `problem`, with the splits of `space`.

    `deeper` is a lower bound on the cost of permitted deeper trees; `None` if deeper trees are not permitted. `first`
    marks the first stage.
    """

    problem: Problem
    space: SearchSpace
    deeper: int | None = None
    first: bool = True

    def limited(self, bound: int) -> int:
        """The bound on all permitted trees that follows from a bound on the trees of this stage."""
        return bound if self.deeper is None else min(bound, self.deeper)


class ConTree(Method):
    """The exact engine for trees on numbers, categories and missing values."""

    name = "contree"
    title = "ConTree (exact)"
    kinds = (ShapeKind.TREE,)
    exact = True
    priced_depth = True
    summary = (
        "Finds the tree of the chosen depth with the fewest training errors, over every threshold of every feature, "
        "and proves it."
    )
    source = (
        "Brita, van der Linden, Demirovic: Optimal Classification Trees for Continuous Feature Data Using Dynamic "
        "Programming with Branch-and-Bound. AAAI 2025."
    )

    share: Share | None = None

    def refusals(self, problem: Problem) -> Iterator[Unsupported]:
        """Supports trees of at most 64 classes, under all rules; class costs only without a minimum leaf weight."""
        yield from refusals(self.title, problem)
        if problem.min_weight_leaf > 1 and problem.scaled.error_cost is None:
            yield Unsupported(
                "A minimum weight per leaf together with class costs",
                f"{self.title} supports only one of them.",
                "Set a minimum number of rows per leaf instead.",
            )

    def search(self, context: SearchContext) -> None:
        """Start from CART's tree and search until incumbent and bound meet, the gap is reached, or the search is due.

        Raises `UnsupportedError` if the search needs more memory than the limit.
        """
        problem, rules = context.problem, rules_of(context.problem)
        whole = Stage(problem, search_space(problem, question_orders(problem.dataset), rules))
        if whole.space.trouble:
            context.refute(whole.space.trouble)
            return
        context.raise_bound(problem.unavoidable_cost)
        for stage in [whole] if self.share else _stages(whole, rules):
            if _couples(rules):
                _search_coupled(stage, rules, context)
            else:
                context.detail(fewest_splits=_solve(stage, context, self.share))
            if context.finished or stage.deeper is None or context.lower_bound < stage.deeper:
                return

    def resume(
        self, problem: Problem, limits: Limits, emit: Emit, stop: Stop, diagram: Diagram, bound: int | None
    ) -> Solution:
        """Continue from a known model and bound, see `capabilities.SupportsWarmStart`."""
        context = SearchContext(self.name, problem, limits, emit, stop, exact=self.exact)
        return self._run_search(context, diagram, bound)

    def parallel(self, problem: Problem) -> bool:
        """Whether several threads are used; the search under rules that couple leaves has one thread."""
        return not _couples(rules_of(problem))

    def least_sum(self, problem: Problem, rule: Sum, limits: Limits, stop: Stop) -> LeastSum | None:
        """The minimum of a sum, ignoring its limit; `None` if this sum cannot be minimised."""
        from .coupled.least_sum import countable, least_sum

        if not countable(rule):
            return None
        if impossibility(problem):
            return LeastSum(None, None, None)
        clock = Clock()
        return least_sum(problem, rules_of(problem), rule, clock, Deadline(limits, clock, stop).due)

    def precompile(self, constraints: bool = False) -> None:
        """Import scikit-learn, and compile the kernels or load them from their cache, by solving tables of ten rows."""
        Cart().precompile()
        for dataset in small_tables():
            for depth in (2, 3):
                problem = Problem(dataset, Shape(max_depth=depth))
                self.run(problem, Limits(), lambda event: None, threading.Event())
                # the run may end before the search begins
                search = tree_search(
                    problem, question_orders(dataset), as_weighted_rows(problem), ceiling=dataset.n_samples
                )
                while not search.advance():
                    pass
            space = search_space(problem, question_orders(dataset), rules_of(problem))
            Improvement(problem, space, as_weighted_rows(problem), {}).advance()
            if constraints:
                from .coupled.optimum import prepare

                prepare(dataset)


def small_tables() -> Iterator[Dataset]:
    """Tables of ten rows to compile kernels with, one of two classes and one of three."""
    values = np.array([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]], np.float64).T
    schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)))
    for classes, labels in (("ab", [0, 1, 1, 0, 0, 1, 0, 1, 1, 0]), ("abc", [0, 1, 2, 0, 1, 2, 0, 1, 2, 2])):
        yield Dataset("warm-up", schema, values, np.array(labels), tuple(classes), "class")


def _couples(rules: Rules) -> bool:
    """Whether a rule couples different parts of a tree."""
    others = rules.kinds - {*PATH_RULES, RuleListRule}
    # below fixed splits, a rule list continues at one place only
    return bool(others) or {RuleListRule, FixedQuestion} <= rules.kinds


def _can_split(space: SearchSpace) -> bool:
    return len(space.searched) > 0 and any(place.depth > 0 for place in space.places)


def _stages(whole: Stage, rules: Rules) -> Iterator[Stage]:
    """Stages of increasing depth if there is a split penalty, and the whole problem last.

    A tree of depth d has at least d splits. Once their penalties exceed the cost of a known tree, no deeper tree needs
    to be searched, whatever depth is permitted. Rule lists are always searched in stages, because short ones take
    almost no time.
    """
    problem, depth, first = whole.problem, whole.problem.size.max_depth, True
    chain = whole.space.chain and not _couples(rules)
    if chain or (problem.split_penalty and depth >= STAGED_DEPTH):
        for less in range(2 if chain else FIRST_DEPTH, depth):
            part = replace(problem, shape=replace(problem.shape, max_depth=less))
            if not impossibility(part):
                deeper = problem.unavoidable_cost + problem.splits_cost(less + 1)
                yield Stage(part, search_space(part, whole.space.orders, rules), deeper, first)
                first = False
    yield whole._replace(first=first)


def _solve(stage: Stage, context: SearchContext, share: Share | None) -> bool:
    """Find the best tree of a stage within the limits; return whether, at its cost, the fewest splits are proved.

    A single leaf, or the fixed splits alone, is offered first, so that only trees that save something are kept. The
    search below fixed splits has no greedy start. A search of two or three levels that may end sooner than CART, and
    one for a nearly perfect tree, run before it, but not while their kernels are being compiled; CART's tree follows if
    the search does not end.
    """
    problem, space, greedy = stage.problem, stage.space, cache(lambda: _greedy(stage, context))
    context.offer(_tree(problem, space, {}))
    size = problem.dataset.n_samples * len(space.searched) ** 2
    quick, deep = size <= QUICK.get(problem.size.max_depth, 0), problem.size.max_depth >= CLIMB_DEPTH
    look = None if share else LOOK if quick else FIRST_WORK if deep else None
    if look is None:
        greedy()
    # an incumbent of one split costs less than a leaf; larger ones may have smaller equals
    small = context.incumbent.n_splits <= max(1, len(space.fixed))
    smallest = not _can_split(space) or (context.proved and small)
    if smallest:
        context.raise_bound(stage.limited(context.incumbent_cost))
    elif context.proved or not context.gap_reached:
        with COMPILATION.reported_to(lambda begins: begins and greedy()):
            smallest = _search(stage, context, greedy, look, share)
    if not context.gap_reached:
        greedy()  # the search may have been stopped before it
    return smallest


def _greedy(stage: Stage, context: SearchContext) -> Splits | None:
    """CART's tree of the same size, or what path rules permit of it: the result is never worse than the greedy tree.

    `None` with fixed splits or rule lists, which CART does not support.
    """
    problem, space = stage.problem, stage.space
    if space.fixed or space.chain or problem.size.max_leaf_nodes == 1 or not _can_split(space):
        return None
    splits = space.without_forbidden(cart_splits(problem, space.searched, context.limits.seed))
    context.offer(_tree(problem, space, splits))
    return splits


def _tree(problem: Problem, space: SearchSpace, splits: Splits) -> Diagram:
    """The tree of these splits, given in the numbers of the search."""
    chosen = space.original(splits)
    return grow(problem, space.orders, chosen, fixed=space.fixed, within=space.within)


def _search(
    stage: Stage, context: SearchContext, greedy: Callable[[], Splits | None], look: int | None, share: Share | None
) -> bool:
    """Search for the lowest cost and, at this cost, the fewest splits; return whether both are proved.

    Trees better than the greedy one are sought before the search, or alongside it from the start if the search rarely
    ends; see `improvement`. With `look`, the greedy tree comes after that number of scanned elements; at low depths it
    is not improved then.
    """
    problem, space, rows = stage.problem, stage.space, as_weighted_rows(stage.problem)
    threads = context.limits.threads if problem.size.max_depth > 2 else 1
    # each thread has its own rows and scratch, in addition to the shared ones
    searches = threads + (threads > 1)
    if look is not None and not _fits(stage, context, searches, needed=False):
        look = None
        greedy()  # it may be proved without a search
    if not _fits(stage, context, searches, needed=stage.first):
        context.end(EndReason.TOO_LARGE)
        return False
    depth, improvement = problem.size.max_depth, None
    unit = 2**depth

    def improved() -> Improvement | None:
        """The greedy tree, to be improved."""
        splits = greedy()
        if not splits or depth <= 2 or context.gap_reached or not _fits(stage, context, threads + 2, needed=False):
            return None
        return Improvement(problem, space, rows, splits, unit=unit, seed=context.limits.seed)

    if look is None:
        improvement = improved()
        if context.gap_reached and not context.proved:
            return False

    def least() -> int:
        """The ceiling: trees must cost less than this, in the unit."""
        return int((context.incumbent_cost - rows.constant) * unit + context.incumbent.n_splits)

    known, gap = (context.lower_bound - rows.constant) * unit, context.gap * unit
    limits = {"ceiling": least(), "known": known, "gap": gap, "unit": unit}
    search = PlacedSearch(problem, space, rows, **limits, threads=threads, make=share and share.make)

    def stop() -> None:
        search.stop()
        if improvement:
            improvement.stop()

    most_work, ended = None, False
    with Watch(stop, context.due) as watch:
        while not ended:
            scanned = search.work
            # only what the search itself has proved counts, not earlier bounds
            if look is not None and scanned >= look and search.bound // unit < search.cost // unit:
                look, improvement = None, improved() if depth >= CLIMB_DEPTH else None
                if greedy():
                    search.lower(least())
                ended = context.gap_reached and not context.proved
                continue
            scanned //= share.width if share else 1
            if improvement and not context.proved and improvement.its_turn(scanned, search.bound):
                if _advance(improvement, stage, context):
                    improvement = None
                search.lower(least())
                ended = context.gap_reached and not context.proved
                continue
            ended = _advance(search, stage, context)
            # a tree has fewer than `unit` splits
            bound = search.bound // unit + rows.constant
            context.raise_bound(stage.limited(bound))
            # look for fewer splits only if no deeper tree can be cheaper
            ended = ended or (bound >= context.incumbent_cost and not context.proved)
            scanned = search.work
            if context.proved:
                most_work = (TIE_SHARE + 1) * scanned + TIE_WORK if most_work is None else most_work
                ended = ended or scanned > most_work
            ended = ended or (context.gap_reached and not context.proved)
    context.stats = search.stats
    return not watch.fired and search.bound >= search.cost


def _advance(search: PlacedSearch | Improvement, stage: Stage, context: SearchContext) -> bool:
    """Continue a search for a while, take and report its trees; return whether it has ended."""
    found = search.found
    ended = search.advance()
    if search.found > found:
        tree = _tree(stage.problem, stage.space, search.splits)
        known = context.cost, context.incumbent.n_splits
        if not context.offer(tree) and (context.cost_of(tree), tree.n_splits) == known:
            # CART's tree may come first if kernels had to be compiled; every run must give the same tree
            context.prefer(tree)
    context.progress(FEWER_SPLITS if context.proved else "", search.stats)
    return ended


def _fits(stage: Stage, context: SearchContext, searches: int, needed: bool = True) -> bool:
    """Whether the memory limit permits this number of searches.

    Raises `UnsupportedError` if it does not, they are needed, and the incumbent is not proved optimal.
    """
    from ...kernels.tree_search import memory_mb

    problem = stage.problem
    dataset, depth, limit = problem.dataset, problem.size.max_depth, context.limits.memory_mb
    n_orders, n_labels = len(stage.space.searched), as_weighted_rows(problem).n_labels
    need = searches * memory_mb(n_orders, dataset.n_samples, n_labels, depth)
    if needed and limit is not None and need > limit and not context.proved:
        shallow = searches * memory_mb(n_orders, dataset.n_samples, n_labels, 2)
        less = f"Lower the depth of {depth}" if shallow <= limit else "Use fewer columns or rows"
        raise UnsupportedError(
            f"The exact search over {dataset.n_samples} rows and {n_orders} question orders needs about {need} MiB at "
            f"depth {depth}; the limit is {limit} MiB. {less}, or raise the memory limit."
        )
    return limit is None or need <= limit


def _search_coupled(stage: Stage, rules: Rules, context: SearchContext) -> None:
    """Search a stage under rules about leaves, sums and whole trees, see `solvers.methods.trees.coupled`."""
    from .coupled.greedy_start import first_trees
    from .coupled.optimum import Coupled, CoupledOutcome, by_columns

    problem = stage.problem
    first = takewhile(lambda tree: not context.due(), first_trees(problem))
    # costlier trees add nothing, and the first one offered would be drawn first
    if best := min(first, key=context.cost_of, default=None):
        context.offer(best)
    known = context if stage.deeper is None else _known(stage, context)
    search = by_columns(Coupled(problem, stage.space.orders, rules, known, context.due, context.gap))
    outcome = search.run()
    context.stats = search.stats
    if outcome is CoupledOutcome.INTERRUPTED and not context.due():
        # neither a proof nor a limit: the list of trees grew too long
        context.end(EndReason.TOO_LARGE)
    if outcome is CoupledOutcome.INFEASIBLE:
        if stage.deeper is None:
            context.refute(search.reason)
        else:
            context.raise_bound(stage.deeper if context.cost is None else stage.limited(context.cost))


def _known(stage: Stage, context: SearchContext) -> BestKnown:
    """The incumbent and bound of a stage: better trees count for the whole problem, bounds up to `deeper`."""

    def follow(event: Event) -> None:
        context.follow(structs.replace(event, value=stage.limited(event.value)) if isinstance(event, Bound) else event)

    known = BestKnown(stage.problem, context.clock, follow)
    known.diagram, known.cost = context.diagram, context.cost
    return known
