"""The proofs of one claim as they come about: a table of boxes, and a formula with its refutation by a SAT solver."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from solvers.certificates.cases import Cases
from solvers.certificates.claims import Claim
from solvers.certificates.contents import Proofs
from solvers.certificates.dimacs import Clauses, write_formula
from solvers.certificates.proof_checker import StoppedError
from solvers.certificates.readme import formula_comments
from solvers.certificates.reports import CertificateReport, ClaimReport, Standing, Technique
from solvers.errors import CertificateError
from solvers.methods.search.clock import Clock
from solvers.methods.trees.smallest.boxes import BoxSearch, attributes_of
from solvers.methods.trees.smallest.cases import DistinctCases

Due = Callable[[], bool]

_NAMES = {Technique.BOXES: "Boxes", Technique.FORMULA: "Formula"}

MOST_MB = 4096
"""What formula and solver may take."""

SOLVER = "glucose42"
"""It writes proofs, takes an interrupt, and refutes these formulas fastest."""

MOST_CLAUSES = 20_000_000
"""Clauses of a formula about all cases; where there are more, even the few cases that decide are too many."""

DEEPEST = 12
"""Deeper trees have more places than a formula can speak of."""

_PART = 20_000


@dataclass
class ProofDraft:
    """A claim with the proofs that were found, and their files.

    It is FALSE once a tree was found that the claim rules out.
    """

    claim: Claim
    proofs: Proofs = field(init=False)
    files: dict[str, bytes] = field(default_factory=dict)
    standing: Standing = Standing.OPEN
    _seconds: dict[Technique, float] = field(default_factory=dict)
    _notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.proofs = Proofs(self.claim)

    def prove(self, technique: Technique, distinct: DistinctCases, cases: Cases, due: Due) -> None:
        """Look for a proof of one kind, until it is due."""
        if self.standing is Standing.FALSE:
            return
        clock, n_files = Clock(), len(self.files)
        try:
            reason = (self._by_boxes if technique is Technique.BOXES else self._by_formula)(distinct, cases, due)
        except StoppedError:
            reason = "the time was up."
        if len(self.files) > n_files:
            self.standing = Standing.PROVED
            self._seconds[technique] = clock.elapsed
        elif reason:
            self._notes.append(f"{_NAMES[technique]}: {reason}")

    def report(self, checked: CertificateReport) -> ClaimReport:
        """What came of it, with what the checker said."""
        if self.standing is Standing.FALSE:
            return ClaimReport(self.claim, self.standing, note="There is such a tree that gets all cases right.")
        note = " ".join(self._notes)
        for seen in checked.claims:
            if seen.claim == self.claim:
                evidence = (replace(proof, seconds=self._seconds[proof.technique]) for proof in seen.evidence)
                return replace(seen, evidence=tuple(evidence), note=note)
        return ClaimReport(self.claim, self.standing, note=note)

    def _by_boxes(self, distinct: DistinctCases, cases: Cases, due: Due) -> str:
        """Add a table of boxes, or say why there is none."""
        table = box_table(distinct, self.claim, due)
        if table is None:
            return "there are too many boxes, or the time was up."
        name = f"{self.claim.name}.npz"
        self.files[name] = table
        self.proofs = replace(self.proofs, boxes=name)
        return ""

    def _by_formula(self, distinct: DistinctCases, cases: Cases, due: Due) -> str:
        """Add a formula over as few cases as decide and its refutation, or say why there is none."""
        if not is_small(distinct, self.claim):
            return "it would be too large."
        used = deciding_cases(distinct, self.claim, due)
        formula = None if used is None else formula_of(distinct, used, self.claim)
        proof = None if formula is None else refute(formula, due)
        if used is None or formula is None or proof is None:
            self.standing = Standing.FALSE
            return ""
        formula_name, proof_name = f"{self.claim.name}.cnf", f"{self.claim.name}.drup"
        comments = formula_comments(cases, used.tolist(), self.claim)
        self.files |= {formula_name: write_formula(formula, comments), proof_name: proof}
        self.proofs = replace(self.proofs, used=tuple(used.tolist()), formula=formula_name, proof=proof_name)
        return ""


def box_table(distinct: DistinctCases, claim: Claim, due: Callable[[], bool] = lambda: False) -> bytes | None:
    """The table of a claim as an npz file; `due` says whether to end now.

    Whatever was asked before, the cases at a node of a tree are those of a *box*: a set of values, its state, for each
    column. The table says for every box a number that no tree for its cases is below:

        depth    a tree for the box has at least this depth
        leaves   a tree for the box of at most d questions a path has at least so many leaves, for d = 0, 1, ...

    That holds, by induction over trees, if it holds for single leaves and if no question makes a box better than its
    two parts allow. So a checker looks at each box and each question once and trusts nobody. There is no table where
    columns have too many values, the time is up, or the claim does not hold.

    `states_j` is int64 (n_states,), the sets of values of the j-th column that is asked about, a bit a value; values
    are numbered in the order of their ranks. `table` has an axis a column, with the states in this order; for leaves
    one more, the depth limit. Numbers above what the claim needs are cut to one more than that.
    """
    from solvers.methods.search.watch import Watch

    label = np.unique(distinct.label, return_inverse=True)[1].ravel().astype(np.int32)
    attributes = attributes_of(distinct.rank, distinct.orders.column[distinct.kept])
    if attributes is None or not attributes:
        return None
    search = BoxSearch(attributes, label)
    with Watch(search.stop, due):
        least = search.feasible(claim.depth) if claim.leaves is None else search.fewest(claim.depth)
    if least is None:
        return None
    depth, leaves = search.tables()
    if claim.leaves is None:
        table, limit = depth.astype(np.int64), claim.depth + 1
    else:
        table, limit = leaves[:, : claim.depth + 1].astype(np.int64), claim.leaves + 1
    if table[-1].max() < limit or (claim.leaves is not None and table[-1, -1] < limit):
        return None
    shape = [len(attribute.states) for attribute in attributes]
    table = np.minimum(table, limit).astype(np.min_scalar_type(limit))
    out = io.BytesIO()
    arrays: dict[str, Any] = {f"states_{j}": attribute.states for j, attribute in enumerate(attributes)}
    np.savez_compressed(out, table=table.reshape(*shape, *table.shape[1:]), **arrays)
    return out.getvalue()


def deciding_cases(distinct: DistinctCases, claim: Claim, due: Callable[[], bool] = lambda: False) -> np.ndarray | None:
    """Cases for which the claim holds, int64, ascending; `None` where it does not hold.

    They are few, so that the formula is small: a tree is sought for some cases; those that it gets wrong are taken in,
    one a leaf, until there is no tree for them or one that gets all cases right (Avellaneda, AAAI 2020, Algorithm 3).
    There must be at least one question and two classes. Raises `StoppedError` where `due` said so, or memory is full.
    """
    from solvers.methods.search.watch import Watch
    from solvers.methods.trees.inferdt.encodings import Encoding
    from solvers.methods.trees.inferdt.incremental_formula import GrowingFormula

    if due():
        raise StoppedError
    first = np.unique(distinct.label, return_index=True)[1].tolist()
    growing = GrowingFormula(
        distinct,
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


def is_small(distinct: DistinctCases, claim: Claim) -> bool:
    """Whether the formula of a claim about all cases is small enough to be tried."""
    if claim.depth > DEEPEST:
        return False
    clauses_of_case = 2 ** (claim.depth + 1) * len(distinct.rank) + 2**claim.depth
    return bool(clauses_of_case * distinct.n_cases <= MOST_CLAUSES)


def formula_of(distinct: DistinctCases, used: np.ndarray, claim: Claim) -> Clauses:
    """The formula of a claim, which is proved with the cases `used`, int (n,)."""
    from solvers.methods.trees.inferdt import encodings

    made, _ = encodings.formula_of(distinct, used, claim.depth, claim.leaves)
    return Clauses(made.n_variables, made.flat())


def refute(formula: Clauses, due: Callable[[], bool] = lambda: False) -> bytes | None:
    """The proof that a formula cannot be satisfied, as DRUP text; `None` where it can be satisfied.

    The solver gets the whole formula at once, the limit of leaves as a clause of its own, so that its notes are a proof
    from the formula alone.

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
