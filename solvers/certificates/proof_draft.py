"""The proofs of one claim as they come about."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from solvers.certificates.boxes import box_table
from solvers.certificates.cases import Cases
from solvers.certificates.claims import Claim
from solvers.certificates.contents import Proofs
from solvers.certificates.deciding_cases import deciding_cases
from solvers.certificates.dimacs import write_formula
from solvers.certificates.proof_checker import StoppedError
from solvers.certificates.readme import formula_comments
from solvers.certificates.refutation import formula_of, is_small, refute
from solvers.certificates.reports import CertificateReport, ClaimReport, Standing, Technique
from solvers.methods.search.clock import Clock
from solvers.methods.trees.smallest.cases import Asked

Due = Callable[[], bool]

_NAMES = {Technique.BOXES: "Boxes", Technique.FORMULA: "Formula"}


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

    def prove(self, technique: Technique, asked: Asked, cases: Cases, due: Due) -> None:
        """Look for a proof of one kind, until it is due."""
        if self.standing is Standing.FALSE:
            return
        clock, n_files = Clock(), len(self.files)
        try:
            reason = (self._by_boxes if technique is Technique.BOXES else self._by_formula)(asked, cases, due)
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

    def _by_boxes(self, asked: Asked, cases: Cases, due: Due) -> str:
        """Add a table of boxes, or say why there is none."""
        table = box_table(asked, self.claim, due)
        if table is None:
            return "there are too many boxes, or the time was up."
        name = f"{self.claim.name}.npz"
        self.files[name] = table
        self.proofs = replace(self.proofs, boxes=name)
        return ""

    def _by_formula(self, asked: Asked, cases: Cases, due: Due) -> str:
        """Add a formula over as few cases as decide and its refutation, or say why there is none."""
        if not is_small(asked, self.claim):
            return "it would be too large."
        used = deciding_cases(asked, self.claim, due)
        formula = None if used is None else formula_of(asked, used, self.claim)
        proof = None if formula is None else refute(formula, due)
        if used is None or formula is None or proof is None:
            self.standing = Standing.FALSE
            return ""
        formula_name, proof_name = f"{self.claim.name}.cnf", f"{self.claim.name}.drup"
        comments = formula_comments(cases, used.tolist(), self.claim)
        self.files |= {formula_name: write_formula(formula, comments), proof_name: proof}
        self.proofs = replace(self.proofs, used=tuple(used.tolist()), formula=formula_name, proof=proof_name)
        return ""
