"""Which cases decide that there is no smaller tree: few of them, so that the formula is small.

A tree is sought for few cases; those that it gets wrong are taken in, one a leaf, until there is no tree for them or
one that gets all cases right.

Source: Avellaneda, Efficient Inference of Optimal Decision Trees, AAAI 2020, Algorithm 3.
"""

from collections.abc import Callable

import numpy as np

from solvers.certificates.claims import Claim
from solvers.certificates.proof_checker import StoppedError
from solvers.certificates.refutation import SOLVER
from solvers.methods.trees.smallest.cases import Asked

MOST_MB = 4096
"""What formula and solver may take."""


def deciding_cases(asked: Asked, claim: Claim, due: Callable[[], bool] = lambda: False) -> np.ndarray | None:
    """Cases for which the claim holds, int64, ascending; `None` where it does not hold.

    There must be at least one question and two classes. Raises `StoppedError` where `due` said so, or memory is full.
    """
    from solvers.methods.search.watch import Watch
    from solvers.methods.trees.inferdt.encodings import Encoding
    from solvers.methods.trees.inferdt.incremental_formula import GrowingFormula

    if due():
        raise StoppedError
    first = np.unique(asked.label, return_index=True)[1].tolist()
    growing = GrowingFormula(
        asked,
        claim.depth,
        Encoding.ORDER,
        SOLVER,
        first,
        counted=claim.leaves is not None,
        memory_mb=MOST_MB,
        hear=lambda guess: None,
    )
    try:
        with Watch(growing.stop, due):
            tree_found = growing.find(claim.leaves)
    finally:
        growing.close()
    if tree_found is None:
        raise StoppedError
    return None if tree_found else np.sort(np.array(growing.examples, np.int64))
