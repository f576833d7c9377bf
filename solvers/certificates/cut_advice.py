"""Where the checker of a certificate should compute its bounds: found by running it, and thinned out.

The checker is run as it is, without advice: it looks into the middle of whatever is too low. Of the cuts that it came
to, those are left out that the rest makes superfluous: from each cut that stays, the next one is the farthest up to
which every cut between the two is bounded well enough by rule 3.
"""

from collections.abc import Callable

import numpy as np

from solvers.certificates.optimum_checker import Part, Prover, UndecidedError, Verdict, check


def advised_cuts(read: Callable[[str], bytes], due: Callable[[], bool]) -> tuple[bytes, Verdict | None]:
    """The advice for a certificate whose files are read by their names, and what its check found.

    Where `due` ended it, the advice goes as far as it came, and nothing was found.
    """
    lines: list[str] = []

    class Recorder(Prover):
        """Writes down which cuts were enough."""

        def proved(self, part: Part, at: np.ndarray, known: np.ndarray, done: np.ndarray, goal: int) -> None:
            if done.any():
                kept = enough(part, at, known, np.flatnonzero(done), goal - self.price)
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

    soft, hard = np.ascontiguousarray(np.asarray(known)[:, :, cuts])
    kept = np.zeros(len(cuts), np.int64)
    kept[np.flatnonzero(hard.sum(axis=0) <= goal)[:1]] = 1
    leaf, reach, column = (np.ascontiguousarray(one) for one in (part.leaf[:, at], part.reach[at], part.column[at]))
    must = np.ones(len(at), np.int64)
    keep_cuts(CutBounds(cuts, soft, hard, leaf, reach, column, must, np.array(goal, np.int64)), kept)
    return cuts[kept > 0]
