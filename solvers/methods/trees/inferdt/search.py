"""Minimum depth and fewest leaves by SAT, with the interface of the exact searches of `smallest`."""

from collections.abc import Callable

import numpy as np

from ..exact_search import Splits
from ..smallest.cases import DistinctCases
from .incremental_formula import GrowingFormula, Guess

MOST_MB = 4096
"""Memory limit of a formula, in MiB, if the user sets none."""


class SatSearch:
    """Minimum depth and fewest leaves of trees that are consistent with all cases.

    Every formula begins with the cases that earlier ones needed. The number of leaves decreases from that of the best
    tree until a formula is unsatisfiable. `hear` is called with trees that have errors, each better than the one
    before. `memory_mb` is the limit for formula and solver, in MiB; `None` for `MOST_MB`.
    """

    name = "satisfiability"

    def __init__(
        self,
        distinct: DistinctCases,
        hear: Callable[[Splits], None],
        memory_mb: int | None = None,
    ) -> None:
        self._distinct, self._hear = distinct, hear
        self._memory_mb = MOST_MB if memory_mb is None else memory_mb
        self._n_classes = len(np.unique(distinct.label))
        self._needed: dict[int, None] = {}
        self._best: dict[int, Splits] = {}
        self._least: dict[int, int] = {}
        self._refuted = -1
        self._fewest_mistakes = distinct.n_cases + 1
        self._growing: GrowingFormula | None = None
        self._at: tuple[int, bool] | None = None
        self._done = {"conflicts": 0, "solver calls": 0}
        self._stopped = False

    @property
    def examples(self) -> np.ndarray:
        """The cases that the formulas needed, ascending."""
        growing = () if self._growing is None else self._growing.examples
        return np.array(sorted({*self._needed, *growing}), np.int64)

    @property
    def out_of_memory(self) -> bool:
        """Whether a formula would exceed the memory limit."""
        return self._growing is not None and self._growing.out_of_memory

    @property
    def stats(self) -> dict[str, int]:
        """Statistics of the search so far; variables and clauses are those of the last formula."""
        now = {} if self._growing is None else self._growing.stats
        added = {key: now.get(key, 0) + done for key, done in self._done.items()}
        depth = {} if self._at is None else {"formula depth": self._at[0]}
        return {**depth, "examples in use": len(self.examples), **now, **added}

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._stopped = True
        if growing := self._growing:
            growing.stop()

    def resume(self) -> None:
        """Undo `stop`."""
        self._stopped = False
        if self._growing is not None:
            self._growing.resume()

    def feasible(self, depth: int) -> bool | None:
        """Whether there is a consistent tree of at most this depth; `None` if the search was stopped."""
        if self.best(depth) is not None:
            return True
        if depth <= self._refuted:
            return False
        if 2**depth < self._n_classes:
            answer: bool | None = False
        else:
            answer = self._ask(depth, None)
        if answer is False:
            self._refuted = depth
        return answer

    def fewest(self, depth: int, most: int | None = None) -> int | None:
        """The fewest leaves of a consistent tree of at most this depth; `None` if the search was stopped.

        Any number above `most` if the minimum is larger, or if there is no tree.
        """
        if not (feasible := self.feasible(depth)):
            return None if feasible is None else self._distinct.n_cases + 1
        while True:
            best, least = len(self.splits(depth)) + 1, self._least.get(depth, self._n_classes)
            if least >= best or (most is not None and least > most):
                return least
            answer = self._ask(depth, best - 1 if most is None else min(most, best - 1))
            if answer is None:
                return None

    def best(self, depth: int) -> int | None:
        """The number of leaves of the smallest known consistent tree of this depth; `None` if none is known."""
        sizes = [len(splits) + 1 for of, splits in self._best.items() if of <= depth]
        return min(sizes, default=None)

    def splits(self, depth: int, leaves: int | None = None) -> Splits:
        """A known tree: any that is consistent at this depth, or the one with as many leaves as `best`."""
        return min((splits for of, splits in self._best.items() if of <= depth), key=len)

    def _ask(self, depth: int, leaves: int | None) -> bool | None:
        """Whether there is a tree, with at most `leaves` leaves; records what the answer proves."""
        growing = self._formula(depth, counted=leaves is not None)
        answer = None if growing.out_of_memory else growing.find(leaves)
        self._needed |= dict.fromkeys(growing.examples)
        if answer and growing.guess is not None:
            splits = needed_splits(self._distinct, growing.guess.splits)
            if depth not in self._best or len(splits) < len(self._best[depth]):
                self._best[depth] = splits
        elif answer is False and leaves is not None:
            self._least[depth] = leaves + 1
        return answer

    def _formula(self, depth: int, counted: bool) -> GrowingFormula:
        """The formula of a depth; a formula for other arguments is discarded."""
        growing = self._growing
        if growing is not None and self._at == (depth, counted):
            return growing
        if growing is not None:
            for key in self._done:
                self._done[key] += growing.stats[key]
            growing.close()
        growing = self._growing = GrowingFormula(
            self._distinct,
            depth,
            self._needed,
            counted=counted,
            memory_mb=self._memory_mb,
            hear=self._hear_guess,
        )
        self._at = depth, counted
        if self._stopped:
            growing.stop()
        return growing

    def _hear_guess(self, guess: Guess) -> None:
        """Report a tree if it has fewer errors than earlier ones, with the most frequent class in each leaf."""
        label = np.unique(self._distinct.label, return_inverse=True)[1].ravel()
        counts = np.zeros((guess.leaves.max() + 1, self._n_classes), np.int64)
        np.add.at(counts, (guess.leaves, label), 1)
        mistakes = self._distinct.n_cases - int(counts.max(axis=1).sum())
        if mistakes < self._fewest_mistakes:
            self._fewest_mistakes = mistakes
            self._hear(needed_splits(self._distinct, guess.splits))


def needed_splits(distinct: DistinctCases, splits: Splits) -> Splits:
    """The splits of a tree that separate cases of several classes, moved up in place of useless splits above them."""
    needed: Splits = {}
    todo = [(0, 0, np.arange(distinct.n_cases))]
    while todo:
        node, slot, cases = todo.pop()
        if node not in splits or len(np.unique(distinct.label[cases])) == 1:
            continue
        order, last = splits[node]
        low = distinct.rank[order, cases] <= last
        if low.all() or not low.any():
            todo.append((2 * node + (1 if low.all() else 2), slot, cases))
            continue
        needed[slot] = order, last
        todo += [(2 * node + 1, 2 * slot + 1, cases[low]), (2 * node + 2, 2 * slot + 2, cases[~low])]
    return needed
