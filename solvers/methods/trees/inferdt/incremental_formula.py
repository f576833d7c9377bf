"""A SAT formula that grows by the cases that its trees misclassify (Avellaneda, AAAI 2020, Algorithm 3)."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ...sat.formula import Formula, assignment
from ...sat.oracle import COUNTER, DECIDER
from ...sat.refusals import needed_mb
from ..exact_search import Splits
from ..smallest.cases import DistinctCases
from .perfect_tree import PerfectTree

BATCH = 500_000
"""Literals of cases added between two checks of the stop signal: about a tenth of a second."""


class Guess(NamedTuple):
    """The tree of a SAT model, consistent or not, with the splits of the perfect tree.

    `leaves`, int64 (n_cases,), is the leaf of each case. `mistaken`, int64, are the misclassified cases, ascending.
    """

    splits: Splits
    leaves: np.ndarray
    mistaken: np.ndarray


class GrowingFormula:
    """A SAT solver for trees of one depth, optionally with a leaf limit.

    Attributes
    ----------
    examples : the cases in the formula; initially the given ones.
    counted : whether leaves are counted, so that their number can be limited.
    memory_mb, out_of_memory : the memory limit of formula and solver, and whether the formula would exceed it.
    hear : called with every tree that misclassifies cases.
    guess : the last tree.
    """

    def __init__(
        self,
        distinct: DistinctCases,
        depth: int,
        examples: Iterable[int],
        *,
        counted: bool,
        memory_mb: int,
        hear: Callable[[Guess], None],
    ) -> None:
        from pysat.solvers import Solver

        self._hear, self._memory_mb = hear, memory_mb
        self._n_literals = self._n_clauses = self._n_variables = self._n_calls = 0
        self._stopped = False
        self.out_of_memory = needed_mb(PerfectTree.literals_of_nodes(distinct, depth)) > memory_mb
        self.examples: list[int] = []
        self.guess: Guess | None = None
        self._waiting = list(examples)
        self._chunks: Iterator[list[list[int]]] = iter(())
        self._solver = Solver(name=COUNTER if counted else DECIDER)
        if self.out_of_memory:
            return
        draft = Formula()
        self._tree = PerfectTree(distinct, depth, draft)
        self._more = self._tree.count_answers(draft, self._tree.n_leaves) if counted else None
        self._n_tree_variables = draft.n_variables
        self._take(draft)

    @property
    def stats(self) -> dict[str, int]:
        """Statistics of formula and solver."""
        return {
            "variables": self._n_variables,
            "clauses": self._n_clauses,
            "conflicts": self._solver.accum_stats()["conflicts"],
            "solver calls": self._n_calls,
        }

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._stopped = True
        self._solver.interrupt()

    def resume(self) -> None:
        """Undo `stop`."""
        self._stopped = False
        self._solver.clear_interrupt()

    def close(self) -> None:
        """Free the memory of the solver."""
        self._solver.delete()

    def find(self, leaves: int | None = None) -> bool | None:
        """Whether there is a tree, with at most `leaves` leaves, that is consistent with all cases; it is then `guess`.

        `None` if the search was stopped or memory is full.
        """
        limit = []
        if self._more is not None and leaves is not None and leaves < self._tree.n_leaves:
            limit = [-int(self._more[leaves])]
        while self._feed():
            self._n_calls += 1
            if not (answer := self._solver.solve_limited(assumptions=limit, expect_interrupt=True)):
                return None if answer is None else False
            guess = self.guess = self._read()
            if not len(guess.mistaken):
                return True
            # one case per leaf is enough: several cases of one leaf would correct the same error
            first = np.unique(guess.leaves[guess.mistaken], return_index=True)[1]
            self._waiting += guess.mistaken[first].tolist()
            self._hear(guess)
        return None

    def _read(self) -> Guess:
        """The tree of the solver's model."""
        true = assignment(self._solver.get_model(), self._n_tree_variables)
        splits = self._tree.splits(true)
        leaves = self._tree.leaves(splits)
        return Guess(splits, leaves, self._tree.mistaken(true, leaves))

    def _feed(self) -> bool:
        """Pass all waiting clauses to the solver; False if it was stopped or memory is full."""
        while not (self._stopped or self.out_of_memory):
            for chunk in self._chunks:
                self._solver.append_formula(chunk)
                if self._stopped:
                    return False
            if not self._waiting:
                return True
            n = max(1, BATCH // self._tree.literals_of_example)
            batch, self._waiting = self._waiting[:n], self._waiting[n:]
            draft = Formula()
            draft.n_variables = self._n_variables
            self._tree.add_examples(draft, np.array(batch))
            self.examples += batch
            self._take(draft)
        return False

    def _take(self, draft: Formula) -> None:
        """Queue clauses for the solver."""
        self._n_variables = draft.n_variables
        self._n_literals += draft.size.literals
        self._n_clauses += draft.size.clauses
        self._chunks = draft.chunks()
        self.out_of_memory = needed_mb(self._n_literals) > self._memory_mb
