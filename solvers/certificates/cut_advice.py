"""Where the checker of a certificate should compute its bounds: found by running it, and thinned out.

The checker is run without advice, its stumps compiled: it looks into the middle of whatever is too low. Of the cuts
that it came to, those are left out that the rest makes superfluous: from each cut that stays, the next one is the
farthest up to which every cut between the two is bounded well enough by rule 3.
"""

from collections.abc import Callable

import numpy as np

from solvers.certificates.optimum_bounds import Above, Part, Prover, Stumps, UndecidedError
from solvers.certificates.optimum_checker import Verdict, check

ROUNDS = 4
"""So many times cuts are looked into before the clock is."""


def advised_cuts(read: Callable[[str], bytes], due: Callable[[], bool]) -> tuple[bytes, Verdict | None]:
    """The advice for a certificate whose files are read by their names, and what its check found.

    Where `due` ended it, the advice goes as far as it came, and nothing was found.
    """
    lines: list[str] = []

    class Recorder(Prover):
        """Writes down which cuts were enough, which are computed by compiled code at depth two."""

        def cover(self, part: Part, at: np.ndarray, depth: int, goal: int, above: Above, strict: bool) -> int:
            if depth != 2 or not len(at):
                return super().cover(part, at, depth, goal, above, strict)
            goal, known, done = CompiledStumps(part, self, above, strict).cover(at, goal, due)
            kept = enough(part, at, known, np.flatnonzero(done), goal - self.price)
            lines.append(" ".join(map(str, np.diff(at[kept], prepend=0).tolist())))
            return goal

    try:
        found = check(read, due, prover=Recorder)
    except UndecidedError:
        return "\n".join(lines).encode(), None
    return "\n".join(lines).encode(), found


def enough(part: Part, at: np.ndarray, known: np.ndarray, cuts: np.ndarray, goal: int) -> np.ndarray:
    """Those of the cuts that cover all up to a goal, and one whose sides cost no more, if any.

    Parameters
    ----------
    at : int64 (n_cuts,), the positions in the part of the cuts to be covered.
    known : int64 (2, 2, n_cuts), bounds without and with limits on leaves, by side.
    cuts : int64 (n_computed,), where they were computed, as positions in `at`.
    """
    from solvers.kernels.cover_cuts import CutBounds, keep_cuts

    soft, hard = np.ascontiguousarray(known[:, :, cuts])
    kept = np.zeros(len(cuts), np.int64)
    kept[np.flatnonzero(hard.sum(axis=0) <= goal)[:1]] = 1
    leaf, reach, column = (np.ascontiguousarray(one) for one in (part.leaf[:, at], part.reach[at], part.column[at]))
    must = np.ones(len(at), np.int64)
    keep_cuts(CutBounds(cuts, soft, hard, leaf, reach, column, must, np.array(goal, np.int64)), kept)
    return cuts[kept > 0]


class CompiledStumps(Stumps):
    """The same numbers sooner."""

    lanes = 1

    def __init__(self, part: Part, prover: Prover, above: Above, strict: bool) -> None:
        super().__init__(part, prover, above, strict)
        from solvers.kernels.stump_bounds import StumpCases

        cases, n_orders, limits = part.cases, len(part.order), [i for i, _ in self.limits]
        self.sums = np.vstack((part.under[self.others] - part.under[self.lead], part.counts[limits]))
        added, total = (cases.added[self.others] - cases.added[self.lead]), part.total[self.others]
        first = np.concatenate(([0], self.starts, [len(self.last)]))
        self.compiled = StumpCases(
            np.ascontiguousarray(part.order),
            self.place,
            first,
            np.ascontiguousarray(np.vstack((added, cases.counts[limits])).T),
            len(self.others),
            np.ascontiguousarray(self.sums[:, self.last].T),
            np.concatenate((total - part.total[self.lead], part.total[-2:][limits])),
            np.array([0] * len(self.others) + [least for _, least in self.limits], np.int64),
            np.ones((2, n_orders, n_orders), bool) if self.below is None else self.below[:, :, first[:-1]].copy(),
        )

    def cover(self, at: np.ndarray, goal: int, due: Callable[[], bool]) -> tuple[int, np.ndarray, np.ndarray]:
        """The bound on trees of depth two that begin with these cuts, or `goal` if that is less.

        Also the bounds on both sides, int64 (2, 2, n_cuts), without and with limits, and where they were computed.
        Raises `UndecidedError` where `due` ended it.
        """
        from solvers.kernels.stump_bounds import CoveredCuts, cover_cuts

        part, known, done = self.part, np.zeros((2, 2, len(at)), np.int64), np.zeros(len(at), bool)
        lead, whole_lead = part.under[self.lead, at], part.total[self.lead]
        base, below = self.price + np.array((lead, whole_lead - lead)), np.ascontiguousarray(self.sums[:, at].T)
        told = (part.column[at], part.end[at], below, base, part.leaf[:, at].copy(), part.reach[at])
        cuts, open_cuts = CoveredCuts(*told, known[0], known[1], done), True
        while open_cuts:
            if due():
                raise UndecidedError("The time is up.")
            goal, closed = cover_cuts(self.compiled, cuts, self.price, goal, ROUNDS)
            open_cuts = not closed
        return int(goal), known, done
