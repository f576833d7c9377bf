"""Minimum depth and fewest leaves by SAT: a formula that grows by the cases that its trees misclassify.

This is Algorithm 3 of Avellaneda (AAAI 2020). Every formula begins with the cases that earlier ones needed. The number
of leaves decreases from that of the best tree until a formula is unsatisfiable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...sat.formula import Formula, assignment
from ...sat.oracle import COUNTER, DECIDER
from ...sat.refusals import needed_mb
from ..smallest.cases import DistinctCases
from ..smallest.search import ConsistentSearch
from ..tree_of_splits import Splits, sides_of
from .formulation import PerfectTree

if TYPE_CHECKING:
    from pysat.solvers import Solver

MOST_MB = 4096
"""Memory limit of a formula, in MiB, if the user sets none."""

BATCH = 500_000
"""Literals of cases added between two checks of the stop signal: about a tenth of a second."""


class SatSearch(ConsistentSearch):
    """Minimum depth and fewest leaves of trees that are consistent with all cases.

    `hear` is called with trees that have errors, each better than the one before. `memory_mb` is the limit for formula
    and solver, in MiB; `None` for `MOST_MB`.
    """

    name = "satisfiability"

    def __init__(self, distinct: DistinctCases, hear: Callable[[Splits], None], memory_mb: int | None = None) -> None:
        self._distinct, self._hear = distinct, hear
        self._memory_mb = MOST_MB if memory_mb is None else memory_mb
        self._label = np.unique(distinct.label, return_inverse=True)[1].ravel()
        self._n_classes = int(self._label.max()) + 1
        self._best: dict[int, Splits] = {}
        self._least: dict[int, int] = {}
        self._refuted = -1
        self._fewest_mistakes = distinct.n_cases + 1
        self._stopped = False
        # the formula: its depth and whether it counts leaves, its solver, and how many of the needed cases it has
        self._at: tuple[int, bool] | None = None
        self._solver: Solver | None = None
        self._needed: list[int] = []
        self._n_fed = self._n_literals = self._n_clauses = self._n_variables = self._n_calls = self._n_conflicts = 0

    @property
    def examples(self) -> np.ndarray:
        """The cases that the formulas needed, ascending."""
        return np.sort(np.array(self._needed, np.int64))

    @property
    def stats(self) -> dict[str, int]:
        """Statistics of the search so far; variables and clauses are those of the last formula."""
        if self._at is None or self._solver is None:
            return {"examples in use": 0, "conflicts": 0, "solver calls": 0}
        return {
            "formula depth": self._at[0],
            "examples in use": len(self._needed),
            "variables": self._n_variables,
            "clauses": self._n_clauses,
            "conflicts": self._n_conflicts + self._solver.accum_stats()["conflicts"],
            "solver calls": self._n_calls,
        }

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._stopped = True
        if solver := self._solver:
            solver.interrupt()

    def resume(self) -> None:
        """Undo `stop`."""
        self._stopped = False
        if self._solver is not None:
            self._solver.clear_interrupt()

    def feasible(self, depth: int) -> bool | None:
        """Whether there is a consistent tree of at most this depth; `None` if the search was stopped."""
        if self.best(depth) is not None:
            return True
        if depth <= self._refuted:
            return False
        answer = False if 2**depth < self._n_classes else self._ask(depth, None)
        if answer is False:
            self._refuted = depth
        return answer

    def fewest(self, depth: int, most: int | None = None) -> int | None:
        """The fewest leaves at a depth, or any number above `most` if the minimum is larger; `None` if stopped."""
        if not (feasible := self.feasible(depth)):
            return None if feasible is None else self._distinct.n_cases + 1
        while True:
            best, least = len(self.splits(depth)) + 1, self._least.get(depth, self._n_classes)
            if least >= best or (most is not None and least > most):
                return least
            if self._ask(depth, best - 1 if most is None else min(most, best - 1)) is None:
                return None

    def best(self, depth: int) -> int | None:
        """The number of leaves of the smallest known tree of this depth; `None` if none is known."""
        return min((len(splits) + 1 for of, splits in self._best.items() if of <= depth), default=None)

    def splits(self, depth: int, leaves: int | None = None) -> Splits:
        """The smallest known tree of this depth, whatever the number of `leaves`."""
        return min((splits for of, splits in self._best.items() if of <= depth), key=len)

    def _ask(self, depth: int, leaves: int | None) -> bool | None:
        """Whether there is a tree, with at most `leaves` leaves; records what the answer proves."""
        if self._at != (depth, leaves is not None):
            self._begin(depth, counted=leaves is not None)
        answer = self._find(depth, leaves)
        if answer is False and leaves is not None:
            self._least[depth] = leaves + 1
        return answer

    def _begin(self, depth: int, *, counted: bool) -> None:
        """Replace the formula by that of a depth, without cases; leaves can be limited if they are `counted`."""
        from pysat.solvers import Solver

        if self._solver is not None:
            self._n_conflicts += self._solver.accum_stats()["conflicts"]
            self._solver.delete()
        self._solver, self._at = Solver(name=COUNTER if counted else DECIDER), (depth, counted)
        self._n_fed = self._n_literals = self._n_clauses = 0
        self._chunks: Iterator[list[list[int]]] = iter(())
        self.out_of_memory = needed_mb(PerfectTree.literals_of_nodes(self._distinct, depth)) > self._memory_mb
        if not self.out_of_memory:
            draft = Formula()
            self._tree = PerfectTree(self._distinct, depth, draft)
            self._more = self._tree.count_answers(draft, self._tree.n_leaves) if counted else None
            self._n_tree_variables = draft.n_variables
            self._take(draft)

    def _find(self, depth: int, leaves: int | None) -> bool | None:
        """Whether there is a tree that is consistent with all cases; the tree is kept.

        `None` if the search was stopped or memory is full.
        """
        while self._feed() and self._solver is not None:
            limit = []
            if self._more is not None and leaves is not None and leaves < self._tree.n_leaves:
                limit = [-int(self._more[leaves])]
            self._n_calls += 1
            if not (answer := self._solver.solve_limited(assumptions=limit, expect_interrupt=True)):
                return None if answer is None else False
            true = assignment(self._solver.get_model(), self._n_tree_variables)
            splits = self._tree.splits(true)
            reached = self._tree.leaves(splits)
            mistaken = self._tree.mistaken(true, reached)
            needed = needed_splits(self._distinct, splits)
            if not len(mistaken):
                self._best[depth] = min(needed, self._best.get(depth, needed), key=len)
                return True
            # one case per leaf is enough: several cases of one leaf would correct the same error
            self._needed += mistaken[np.unique(reached[mistaken], return_index=True)[1]].tolist()
            self._report(needed, reached)
        return None

    def _report(self, splits: Splits, leaves: np.ndarray) -> None:
        """Report a tree if it has fewer errors than earlier ones, with the most frequent class in each leaf."""
        counts = np.zeros((leaves.max() + 1, self._n_classes), np.int64)
        np.add.at(counts, (leaves, self._label), 1)
        mistakes = self._distinct.n_cases - int(counts.max(axis=1).sum())
        if mistakes < self._fewest_mistakes:
            self._fewest_mistakes = mistakes
            self._hear(splits)

    def _feed(self) -> bool:
        """Pass all clauses of the needed cases to the solver; False if it was stopped or memory is full."""
        while not (self._stopped or self.out_of_memory or self._solver is None):
            for chunk in self._chunks:
                self._solver.append_formula(chunk)
                if self._stopped:
                    return False
            n = max(1, BATCH // self._tree.literals_of_example)
            batch = self._needed[self._n_fed : self._n_fed + n]
            if not batch:
                return True
            draft = Formula()
            draft.n_variables = self._n_variables
            self._tree.add_examples(draft, np.array(batch))
            self._n_fed += len(batch)
            self._take(draft)
        return False

    def _take(self, draft: Formula) -> None:
        """Queue clauses for the solver."""
        self._n_variables = draft.n_variables
        self._n_literals += draft.size.literals
        self._n_clauses += draft.size.clauses
        self._chunks = draft.chunks()
        self.out_of_memory = needed_mb(self._n_literals) > self._memory_mb


def needed_splits(distinct: DistinctCases, splits: Splits) -> Splits:
    """The splits of a tree that separate cases of several classes, moved up in place of useless splits above them."""
    needed: Splits = {}
    todo = [(0, 0, np.arange(distinct.n_cases))]
    while todo:
        node, slot, cases = todo.pop()
        if node not in splits or len(np.unique(distinct.label[cases])) == 1:
            continue
        sides = [(child, part) for child, part in sides_of(distinct.rank, splits, node, cases) if len(part)]
        if len(sides) == 1:
            todo.append((sides[0][0], slot, cases))
            continue
        needed[slot] = splits[node]
        todo += [(child, below, part) for below, (child, part) in enumerate(sides, 2 * slot + 1)]
    return needed
