"""A claim proved by a SAT solver: the formula, and what the solver wrote down while it refuted it.

The solver gets the whole formula at once, the limit of leaves as a clause of its own, so that its notes are a proof
from the formula alone.
"""

from collections.abc import Callable, Iterator

import numpy as np

from solvers.certificates.claims import Claim
from solvers.certificates.dimacs import Clauses
from solvers.certificates.proof_checker import StoppedError
from solvers.errors import CertificateError
from solvers.methods.trees.smallest.cases import Asked

SOLVER = "glucose42"
"""It writes proofs, takes an interrupt, and refutes these formulas fastest."""

MOST_CLAUSES = 20_000_000
"""Clauses of a formula about all cases; where there are more, even the few cases that decide are too many."""

DEEPEST = 12
"""Deeper trees have more places than a formula can speak of."""

_PART = 20_000


def is_small(asked: Asked, claim: Claim) -> bool:
    """Whether the formula of a claim about all cases is small enough to be tried."""
    if claim.depth > DEEPEST:
        return False
    clauses_of_case = 2 ** (claim.depth + 1) * len(asked.rank) + 2**claim.depth
    return bool(clauses_of_case * asked.n_cases <= MOST_CLAUSES)


def formula_of(asked: Asked, used: np.ndarray, claim: Claim) -> Clauses:
    """The formula of a claim, which is proved with the cases `used`, int (n,)."""
    from solvers.methods.trees.inferdt import encodings

    made, _ = encodings.formula_of(asked, used, claim.depth, claim.leaves)
    return Clauses(made.n_variables, made.flat())


def refute(formula: Clauses, due: Callable[[], bool] = lambda: False) -> bytes | None:
    """The proof that a formula cannot be satisfied, as DRUP text; `None` where it can be satisfied.

    Raises
    ------
    StoppedError
        `due` said so before the solver was done.
    CertificateError
        The package of the solver is missing.
    """
    from solvers.methods.search.watch import Watch

    try:
        from pysat.solvers import Solver
    except ImportError:
        raise CertificateError("Proofs need the package 'python-sat'. Install it, or ask for boxes instead.") from None
    with Solver(name=SOLVER, with_proof=True) as solver:
        for part in _parts(formula):
            if due():
                raise StoppedError
            solver.append_formula(part, no_return=True)
        with Watch(solver.interrupt, due):
            satisfied = solver.solve_limited(expect_interrupt=True)
        if satisfied is None:
            raise StoppedError
        if satisfied:
            return None
        lines = solver.get_proof()
    if not lines or lines[-1].strip() != "0":
        lines = [*lines, "0"]
    return "".join(f"{line.strip()}\n" for line in lines).encode()


def _parts(formula: Clauses) -> Iterator[list[list[int]]]:
    """The clauses as lists, many at a time."""
    ends = np.flatnonzero(formula.literals == 0).tolist()
    for first in range(0, len(ends), _PART):
        last = ends[first : first + _PART]
        start = ends[first - 1] + 1 if first else 0
        literals, part = formula.literals[start : last[-1]].tolist(), []
        at = 0
        for end in last:
            part.append(literals[at : end - start])
            at = end - start + 1
        yield part
