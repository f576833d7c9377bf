"""Where the checker of a certificate should compute its bounds: found by running it, and thinned out.

The checker is run as it is, without advice: it looks into the middle of whatever is too low. Of the cuts that it came
to, those are left out that the rest makes superfluous: from each cut that stays, the next one is the farthest up to
which every cut between the two is bounded well enough by rule 3.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from solvers.certificates.optimum_checker import Part, Prover, UndecidedError, Verdict, check


def advised_cuts(read: Callable[[str], bytes], due: Callable[[], bool]) -> tuple[bytes, Verdict | None]:
    """The advice for a certificate whose files are read by their names, and what its check found.

    Where `due` ended it, the advice goes as far as it came, and nothing was found.
    """
    lines: list[str] = []

    class Recorder(Prover):
        """Writes down which cuts were enough."""

        def proved(self, part: Part, allowed: np.ndarray, known: np.ndarray, done: np.ndarray, best: int) -> None:
            cuts = np.flatnonzero(done)
            if len(cuts):
                kept = enough(part, allowed, known, cuts, best - self.price)
                lines.append(" ".join(map(str, np.diff(kept, prepend=0).tolist())))

    try:
        found = check(read, due, prover=Recorder)
    except UndecidedError:
        return "\n".join(lines).encode(), None
    return "\n".join(lines).encode(), found


def enough(part: Part, allowed: np.ndarray, known: np.ndarray, cuts: np.ndarray, goal: int) -> np.ndarray:
    """Those of the cuts that cover every allowed one up to a goal, and one whose sides cost no more, if any.

    Parameters
    ----------
    allowed : bool (n_cuts,); known : int64 (2, 2, n_cuts), bounds without and with least rows, by side.
    cuts : int64 (n_cuts,), where they were computed.
    """
    from solvers.kernels.cover_cuts import CutBounds, keep_cuts

    soft, hard = np.ascontiguousarray(known[:, :, cuts])
    kept = np.zeros(len(cuts), np.int64)
    kept[np.flatnonzero(hard.sum(axis=0) <= goal)[:1]] = 1
    arrays: list[Any] = [part.leaf, part.reach, part.column, allowed]
    leaf, reach, column, must = (np.ascontiguousarray(one, np.int64) for one in arrays)
    keep_cuts(CutBounds(cuts, soft, hard, leaf, reach, column, must, np.array(goal, np.int64)), kept)
    return cuts[kept > 0]
