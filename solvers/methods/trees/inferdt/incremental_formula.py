"""A formula in a SAT solver that grows by the cases that its trees get wrong (Avellaneda, AAAI 2020, Algorithm 3)."""

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
"""Literals of the cases that are added between two looks at the stop signal: about a tenth of a second."""


class Guess(NamedTuple):
    """The tree of a model, right or wrong, with the questions of the perfect tree.

    `leaves`, int64 (n_cases,), is the leaf of each case, and `mistaken`, int64, are the cases that it gets wrong,
    ascending.
    """

    splits: Splits
    leaves: np.ndarray
    mistaken: np.ndarray


class GrowingFormula:
    """Trees of one depth, and of so many leaves, in a solver.

    Attributes
    ----------
    examples : the cases in the formula; it begins with those that are given.
    counted : whether leaves are counted, so that their number can be limited.
    memory_mb, out_of_memory : what formula and solver may take, and whether the formula would take more.
    hear : is called with every tree that gets cases wrong.
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
        """Figures of formula and solver."""
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
        """Take back `stop`."""
        self._stopped = False
        self._solver.clear_interrupt()

    def close(self) -> None:
        """Free the memory of the solver."""
        self._solver.delete()

    def find(self, leaves: int | None = None) -> bool | None:
        """Whether there is a tree, of at most so many leaves, that gets all cases right; it is `guess` then.

        `None` where it was stopped, and where memory is full.
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
            # the first of each leaf is as good as any; several from one leaf would correct the same thing
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
        """Hand all that waits to the solver; False where it was stopped, or memory is full."""
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
        """Let clauses wait for the solver."""
        self._n_variables = draft.n_variables
        self._n_literals += draft.size.literals
        self._n_clauses += draft.size.clauses
        self._chunks = draft.chunks()
        self.out_of_memory = needed_mb(self._n_literals) > self._memory_mb
