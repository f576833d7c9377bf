"""The fewest questions with which a BDD makes no mistake that it could avoid, by hitting sets.

Which rows a diagram can tell apart depends on its set of questions alone, so the least depth without avoidable mistakes
is a minimum hitting set (`minimum_features`). If more questions would be needed than the shape allows, the set with
fewest errors is sought instead, as `bdd-search` does.

Example
-------
>>> BddConsistent().run(Problem(dataset, Shape(ShapeKind.BDD, max_depth=8)), Limits(), print, stop)  # doctest: +SKIP
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from solvers.methods.base import Unsupported
from solvers.methods.bdds.options import THRESHOLDS
from solvers.methods.bdds.sizes import STEPS_OF_ALL, candidate_of
from solvers.methods.bdds.subsets.method import SOLVED_UNSEEN, BddSearch
from solvers.methods.bdds.subsets.run import SearchRun
from solvers.methods.bdds.subsets.search import SetSearch
from solvers.methods.bdds.table import Unseen
from solvers.methods.bdds.unsupported import only_bdds, too_many_levels
from solvers.methods.features import Features, features_of
from solvers.methods.search.context import SearchContext
from solvers.methods.search.driver import SearchMethod
from solvers.methods.search.watch import Watch
from solvers.metrics.words import count
from solvers.problem import Problem, ShapeKind, Thresholds
from solvers.solution import FewestQuestions

SOLVER = "glucose4"

ROWS_A_CELL = 300
"""Rows of a cell among which conflicts are sought at a time."""

CONFLICTS_A_CELL = 20

FIRST_ROWS = 2_000
"""Rows whose nearest conflict is known from the start."""


class BddConsistent(SearchMethod):
    """BDDs without avoidable mistakes, of minimum depth; `options` tells its parameters."""

    name = "bdd-consistent"
    title = "BDD without mistakes (fewest questions)"
    kinds = (ShapeKind.BDD,)
    exact = True
    summary = (
        "Finds the fewest questions with which a BDD gets every row right, and proves that fewer will not do. "
        "Names rows that contradict each other. Where the depth does not suffice, it finds the fewest errors."
    )
    source = (
        "Own method, for the problem of Hu, Huguet, Siala: Optimizing Binary Decision Diagrams with MaxSAT for "
        "Classification. AAAI 2022; implicit hitting sets: Chandrasekaran et al., SODA 2011."
    )
    imports = ("pysat.examples.rc2",)
    uses = (BddSearch,)
    options = (THRESHOLDS, SOLVED_UNSEEN)

    def __init__(self, thresholds: str = THRESHOLDS.default, unseen: str = SOLVED_UNSEEN.default) -> None:
        self._thresholds, self._unseen = Thresholds(thresholds), Unseen(unseen)

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """BDDs of at most 12 levels."""
        return only_bdds(self.title, problem, nodes=False) or too_many_levels(self.title, problem)

    def search(self, context: SearchContext) -> None:
        """Look for the fewest questions, and where they are more than the depth for the fewest errors."""
        run = SearchRun(context, features_of(context.problem, self._thresholds))
        search = run.start()
        if search is not None:
            self._fewest_questions(run, search)
        elif run.cost == run.features.base:
            context.detail(fewest_questions=FewestQuestions(0, 0))
        run.finish(self._unseen)

    def _fewest_questions(self, run: SearchRun, search: SetSearch) -> None:
        """Raise the number of questions until one diagram makes no avoidable mistake."""
        context, features = run.context, run.features
        least, fewest = 0, None
        for step in minimum_features(features, context.due, context.limits.seed):
            if step.least > least:
                least = step.least
                context.log(f"At least {count(least, 'question')} needed to avoid all mistakes.")
            if least > search.size:
                break
            run.take_set(step.chosen)
            if step.done:
                fewest = context.stats["fewest questions"] = least
                context.raise_bound(run.cost)
                smaller, _, _ = candidate_of(features, step.chosen, run.best.n_splits - 1, STEPS_OF_ALL, context.due)
                run.take(smaller)
        too_few = least > search.size
        context.stats |= {"at least": least, "contradictory rows": len(features.contradictory)}
        context.detail(fewest_questions=FewestQuestions(least, fewest, too_few))
        if too_few:
            context.raise_bound(features.base + int(features.regret[features.regret > 0].min()))
            run.solve(search, 0)


class HittingSetStep(NamedTuple):
    """What is known: so many features are needed, and the set that was tried; whether it leaves no conflict."""

    least: int
    chosen: tuple[int, ...]
    done: bool


def minimum_features(features: Features, due: Callable[[], bool], seed: int = 0) -> Iterator[HittingSetStep]:
    """The fewest features that tell all rows apart which must not be answered alike: a minimum hitting set.

    Distinct rows *conflict* where no class costs each of them least. A set of features makes no avoidable mistake just
    where every conflict has a feature in the set on which its rows differ. So the fewest features are a minimum hitting
    set of the sets of differing features of all conflicts. There are far too many, but few matter (implicit hitting
    sets, Chandrasekaran et al. 2011): a minimum hitting set of those known so far is a lower bound, and where it
    divides the rows without a conflict it is the optimum; else conflicts in its cells are added, near ones first: small
    sets say most. Of the rows 00, 01, 11 with the classes a, b, a the conflicts (00, 01) and (01, 11) ask for the
    second and the first feature.

    Yields a step after each hitting set, until one hits all conflicts or `due`; its `least` never falls.
    """
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    conflicts = Conflicts(features, seed)
    soft = WCNF()
    for f in range(len(features)):
        soft.append([-1 - f], weight=1)
    with RC2(soft, solver=SOLVER) as solver, Watch(solver.interrupt, due):
        new = conflicts.first()
        while not due():
            for clause in new:
                solver.add_clause([1 + f for f in clause])
            model = solver.compute(expect_interrupt=True)
            if model is None:
                return
            chosen = tuple(literal - 1 for literal in model if literal > 0)
            new = conflicts.left_by(chosen)
            yield HittingSetStep(len(chosen), chosen, not new)
            if not new:
                return


class Conflicts:
    """Finds conflicts between the distinct rows of a problem."""

    def __init__(self, features: Features, seed: int) -> None:
        # rows that every class costs alike conflict with none
        free = features.regret == 0
        self._free = free[~free.all(axis=1)]
        self._bits = features.rows[~free.all(axis=1)]
        self._rng = np.random.default_rng(seed)
        self._known: set[frozenset[int]] = set()

    def first(self) -> list[tuple[int, ...]]:
        """The nearest conflict of each row, or of many rows."""
        rows = np.arange(len(self._bits))
        return self._among(self._rng.permutation(rows)[:FIRST_ROWS], FIRST_ROWS)

    def left_by(self, chosen: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Conflicts within the cells of a set of features, some of each cell that has any."""
        cell = np.zeros(len(self._bits), np.int64)
        for f in chosen:
            cell = np.unique(2 * cell + self._bits[:, f], return_inverse=True)[1].ravel()
        order = np.argsort(cell, kind="stable")
        starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
        possible = np.asarray(np.logical_and.reduceat(self._free[order], starts, axis=0).any(axis=1))
        new: list[tuple[int, ...]] = []
        for rows in (part for part, fine in zip(np.split(order, starts[1:]), possible, strict=True) if not fine):
            some = self._rng.permutation(rows)[:ROWS_A_CELL]
            near = self._among(some, CONFLICTS_A_CELL)
            new += near or self._of_many(rows)
        return new

    def _among(self, rows: np.ndarray, most: int) -> list[tuple[int, ...]]:
        """The nearest conflicts of pairs of these rows, one a row, as the features on which they differ."""
        bits, free = self._bits[rows].astype(np.float32), self._free[rows].astype(np.float32)
        ones = bits.sum(axis=1)
        distance = ones[:, None] + ones[None, :] - 2 * bits @ bits.T
        distance[free @ free.T > 0] = np.inf
        nearest = distance.argmin(axis=1)
        near = distance[np.arange(len(rows)), nearest]
        new = []
        for i in np.argsort(near, kind="stable")[:most]:
            if np.isfinite(near[i]):
                new += self._added(rows[[i, nearest[i]]])
        return new

    def _added(self, rows: np.ndarray) -> list[tuple[int, ...]]:
        """The features on which some rows differ, unless these are known."""
        differ = tuple(np.flatnonzero(self._bits[rows].min(axis=0) < self._bits[rows].max(axis=0)).tolist())
        if frozenset(differ) in self._known:
            return []
        self._known.add(frozenset(differ))
        return [differ]

    def _of_many(self, rows: np.ndarray) -> list[tuple[int, ...]]:
        """A conflict of at most as many rows as there are classes, in a cell that has one.

        The row at which the rows in order lose their last common class belongs to it; then those before it are looked
        at together with it.
        """
        members: list[int] = []
        common = np.ones(self._free.shape[1], bool)
        while common.any():
            agree = np.logical_and.accumulate(self._free[rows] & common, axis=0).any(axis=1)
            last = int(agree.argmin())
            members.append(rows[last])
            common, rows = common & self._free[rows[last]], rows[:last]
        return self._added(np.array(members))
