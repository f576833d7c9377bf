"""Formulas and proofs as text, in the formats that other programs read: DIMACS and DRUP.

A formula is a line 'p cnf VARIABLES CLAUSES' and a line of literals a clause, each closed by 0; comments begin with
'c'. A proof has a line a clause that follows, and a line with a leading 'd' for a clause that is no longer needed.

Source: Heule, Hunt and Wetzler, Trimming while Checking Clausal Proofs, FMCAD 2013, section 2.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from solvers.errors import CertificateError

MOST_VARIABLES = (1 << 30) - 1
MOST_DIGITS = 11
_NUMBERS = b"-0123456789 \t\r\n"


@dataclass(frozen=True)
class Clauses:
    """A formula in conjunctive normal form, over the variables 1 to `n_variables`.

    `literals`, int32, are the clauses one after the other, each closed by 0.
    """

    n_variables: int
    literals: np.ndarray

    @property
    def n_clauses(self) -> int:
        """The number of clauses."""
        return int(np.count_nonzero(self.literals == 0))


@dataclass(frozen=True)
class Proof:
    """A proof as a list of lines: `literals`, int32, one line after the other, each closed by 0.

    `deletes`, bool (n_lines,), says whether the line takes a clause away.
    """

    literals: np.ndarray
    deletes: np.ndarray

    @property
    def n_lines(self) -> int:
        """The number of lines."""
        return len(self.deletes)


def write_formula(formula: Clauses, comments: Iterable[str] = ()) -> bytes:
    """The DIMACS text of a formula, with comments of one line each in front."""
    lines = "".join(f"c {comment}".rstrip() + "\n" for comment in comments)
    head = f"{lines}p cnf {formula.n_variables} {formula.n_clauses}\n"
    clauses = re.sub(r"(?<!\S)0(?: |$)", "0\n", " ".join(map(str, formula.literals.tolist())))
    return (head + clauses).encode()


def read_formula(text: bytes) -> Clauses:
    """Read what `write_formula` wrote, or any other DIMACS text; `CertificateError` where it is damaged."""
    lines = text.splitlines(keepends=True)
    at = next((i for i, line in enumerate(lines) if not line.startswith(b"c")), len(lines))
    head = lines[at].split() if at < len(lines) else []
    if len(head) != 4 or head[:2] != [b"p", b"cnf"] or not all(part.isdigit() for part in head[2:]):
        raise CertificateError("The formula must begin with 'p cnf VARIABLES CLAUSES'. Make the certificate again.")
    n_variables, n_clauses = int(head[2]), int(head[3])
    if n_variables > MOST_VARIABLES:
        raise CertificateError(f"The formula has {n_variables} variables; at most {MOST_VARIABLES} can be checked.")
    literals = _literals(b"".join(lines[at + 1 :]), "The formula")
    formula = Clauses(n_variables, literals)
    if np.abs(literals.astype(np.int64)).max(initial=0) > n_variables or formula.n_clauses != n_clauses:
        raise CertificateError("The formula does not have the variables and clauses that its first line announces.")
    return formula


def read_proof(text: bytes) -> Proof:
    """Read a DRUP text; `CertificateError` where it is damaged, or ends within a line."""
    lines = [line for line in text.splitlines() if line and not line.startswith(b"c")]
    deletes = np.array([line.startswith(b"d") for line in lines], bool)
    literals = _literals(b"\n".join(line.lstrip(b"d") for line in lines), "The proof")
    if np.count_nonzero(literals == 0) != len(lines) or any(not line.endswith(b"0") for line in lines):
        raise CertificateError("The proof must have a clause in each line, closed by 0. The file seems to be cut off.")
    return Proof(literals, deletes)


def _literals(text: bytes, what: str) -> np.ndarray:
    """The numbers of a text; the last of them closes a clause."""
    words = text.split()
    try:
        if text.translate(None, _NUMBERS) or max(map(len, words), default=0) > MOST_DIGITS:
            raise ValueError
        literals = np.array(words or [b"0"], bytes).astype(np.int64)[: len(words)]
    except ValueError:
        raise CertificateError(f"{what} holds something that is no literal. Make the certificate again.") from None
    if np.abs(literals).max(initial=0) > MOST_VARIABLES or (len(literals) and literals[-1] != 0):
        raise CertificateError(f"{what} is damaged: it ends within a clause. Make the certificate again.")
    return literals.astype(np.int32)
