"""Whether a proof refutes a formula: a checker that knows nothing of the solver that wrote the proof.

It goes through the lines in order (forward) and takes each only if it follows from the clauses before it by unit
propagation alone. A deletion is honoured where the clause is there and otherwise passed over: clauses that stay too
long can only make more follow, and all that follows from the formula is true of it.

Example
-------
>>> square = Clauses(2, np.array([1, 2, 0, -1, 2, 0, 1, -2, 0, -1, -2, 0], np.int32))
>>> refutes(square, read_proof(b"2 0\\n0\\n")).accepted
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from solvers.certificates.dimacs import Clauses, Proof, read_proof
from solvers.methods.search.clock import Clock

if TYPE_CHECKING:
    from solvers.kernels.unit_propagation import ClauseDatabase

__all__ = ["ProofVerdict", "read_proof", "refutes"]

VISITS = 20_000_000
"""Clauses that are looked at between two looks at the stop signal: about half a second."""


@dataclass(frozen=True)
class ProofVerdict:
    """What a checker says: whether the claim holds, why, in a sentence, and the wall time of the check."""

    accepted: bool
    detail: str
    seconds: float


class StoppedError(Exception):
    """The work was told to end; whoever told it catches this."""


def refutes(formula: Clauses, proof: Proof, due: Callable[[], bool] = lambda: False) -> ProofVerdict:
    """Whether each line of the proof follows, and the last is the empty clause; `StoppedError` where `due` said so.

    What stands behind the first empty clause is not looked at.
    """
    from solvers.kernels.unit_propagation import (
        ACCEPTED,
        LINE,
        NOT_FORCED,
        RUNNING,
        STATUS,
        check_lines,
        match_deletions,
    )

    clock = Clock()
    n_clauses, n_variables = formula.n_clauses, formula.n_variables
    if np.abs(proof.literals).max(initial=0) > n_variables:
        return ProofVerdict(False, "The proof speaks of variables that the formula does not have.", clock.elapsed)
    clauses = _clause_database(formula, proof)
    match_deletions(clauses)
    state = np.zeros(5, np.int64)
    while state[STATUS] == RUNNING:
        if due():
            raise StoppedError
        check_lines(clauses, n_clauses, state, VISITS)
    line = int(state[LINE]) - n_clauses + 1
    if state[STATUS] == ACCEPTED:
        detail = f"All {line} lines follow by unit propagation, and the last is the empty clause."
    elif state[STATUS] == NOT_FORCED:
        detail = f"Line {line} of the proof does not follow from the clauses before it."
    else:
        detail = f"The proof ends after {proof.n_lines} lines without the empty clause."
    return ProofVerdict(bool(state[STATUS] == ACCEPTED), detail, clock.elapsed)


def _clause_database(formula: Clauses, proof: Proof) -> ClauseDatabase:
    """Formula and proof as the kernel reads them."""
    from solvers.kernels.unit_propagation import ClauseDatabase

    signed = np.concatenate([formula.literals, proof.literals])
    ends = np.flatnonzero(signed == 0)
    begin = np.append(0, ends[:-1] + 1).astype(np.int64)
    n_literals, n_lines = 2 * (formula.n_variables + 1), len(ends)
    erased = np.full(n_lines, -2, np.int64)
    erased[formula.n_clauses :][proof.deletes] = -1
    return ClauseDatabase(
        literals=(2 * np.abs(signed) + (signed < 0)).astype(np.int32),
        begin=begin[:n_lines],
        size=(ends - begin[:n_lines]).astype(np.int64),
        erased=erased,
        gone=np.zeros(n_lines, bool),
        value=np.zeros(n_literals, np.int8),
        trail=np.empty(formula.n_variables + 1, np.int32),
        head=np.full(n_literals, -1, np.int64),
        behind=np.full(2 * n_lines, -1, np.int64),
    )
