"""Where the checker of a certificate should compute its bounds: found by running it, and thinned out.

The checker is run without advice, its stumps compiled: it looks into the middle of whatever is too low. Of the cuts
that it came to, those are left out that the rest makes superfluous: from each cut that stays, the next one is the
farthest up to which every cut between the two is bounded well enough by rule 3.
"""

from collections.abc import Callable

import numpy as np

from solvers.certificates.optimum_bounds import NEVER, Above, Part, Prover, Stumps, UndecidedError
from solvers.certificates.optimum_checker import Verdict, check


def advised_cuts(read: Callable[[str], bytes], due: Callable[[], bool]) -> tuple[bytes, Verdict | None]:
    """The advice for a certificate whose files are read by their names, and what its check found.

    Where `due` ended it, the advice goes as far as it came, and nothing was found.
    """
    lines: list[str] = []

    class Recorder(Prover):
        """Writes down which cuts were enough."""

        def stumps(self, part: Part, above: Above, strict: bool) -> Stumps:
            return CompiledStumps(part, self, above, strict)

        def looked(self, part: Part, at: np.ndarray, known: np.ndarray, done: np.ndarray, goal: int) -> None:
            if done.any() and (known[2].sum(axis=0) + self.price >= goal).all():
                kept = enough(part, at, known[:2], np.flatnonzero(done), goal - self.price)
                lines.append(" ".join(map(str, np.diff(at[kept], prepend=0).tolist())))

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

    def sides(self, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """C(side, 1) of both sides, int64 (2, n_cuts), without and with limits."""
        from solvers.kernels.stump_bounds import NONE, least_splits

        part, found = self.part, np.empty((2, 2, len(cuts)), np.int64)
        below = np.ascontiguousarray(self.sums[:, cuts].T)
        least_splits(self.compiled, part.column[cuts], part.end[cuts], below, found)
        lead = part.under[self.lead, cuts]
        base = self.price + np.array((lead, part.total[self.lead] - lead))
        soft, hard = np.minimum(part.leaf[:, cuts], np.where(found < NONE, base + found, NEVER))
        return soft, hard
