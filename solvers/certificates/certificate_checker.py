"""Check a certificate from its files alone: cases, tree, and every proof of every claim.

Nothing of the search and of the writing of formulas is used here: the tree is walked case by case, the formula is
written a second time (`rebuilt_formula`), its proof is followed (`proof_checker`), tables of boxes are looked at box by
box (`box_checker`).
"""

from collections.abc import Callable
from dataclasses import replace

from solvers.certificates.box_checker import proves
from solvers.certificates.cases import Cases
from solvers.certificates.claims import Claim, PlainTree, depth_of, leaves_of, mistakes
from solvers.certificates.contents import Contents, Proofs, Read
from solvers.certificates.dimacs import read_formula
from solvers.certificates.proof_checker import ProofVerdict, read_proof, refutes
from solvers.certificates.rebuilt_formula import Rebuilt, differ
from solvers.certificates.reports import CertificateReport, CheckedPart, ClaimReport, Evidence, Standing, Technique
from solvers.errors import CertificateError
from solvers.methods.search.clock import Clock

MOST_PLACES = 50_000_000
"""Nodes times orders times cases of a formula that is written again; more would take hours."""

OWN_FORMULA = "formula written again from the cases, proof followed by unit propagation"
OWN_BOXES = "every box compared with its parts"
OWN_TREE = "every case led through the tree"


def check_certificate(read: Read, due: Callable[[], bool] = lambda: False) -> CertificateReport:
    """What holds of a certificate.

    `read` gives the content of a file by its name, for instance `Archive(path).read`; `due` says whether to end now.

    Raises
    ------
    CertificateError
        The main file or the cases cannot be read.
    StoppedError
        `due` said so.
    """
    clock = Clock()
    contents = Contents.read(read)
    cases = contents.cases
    tree = None if contents.tree is None else check_tree(contents.tree, cases)
    claims = tuple(check_claim(part, cases, read, due) for part in contents.proofs)
    used = sorted({i for part in contents.proofs for i in part.used or ()})
    return CertificateReport(
        conclusions=conclusions(contents.tree if tree is not None and tree.accepted else None, claims),
        claims=claims,
        tree=tree,
        n_rows=contents.n_rows,
        n_cases=len(cases.labels),
        used=() if cases.rows is None else tuple(sorted(cases.rows[i] for i in used)),
        seconds=clock.elapsed,
        finished=True,
    )


def check_tree(tree: PlainTree, cases: Cases) -> CheckedPart:
    """Whether a tree gets all cases right."""
    clock = Clock()
    size = f"a tree of depth {depth_of(tree)} with {2 * leaves_of(tree) - 1} nodes"
    try:
        wrong = mistakes(tree, cases)
    except IndexError:
        return CheckedPart(f"The tree: {size}", OWN_TREE, False, "It asks what the cases do not answer.", clock.elapsed)
    right = f"It gets all {len(cases.labels)} cases right."
    detail = (
        f"It gets {len(wrong)} of {len(cases.labels)} cases wrong, the first is case {wrong[0]}." if wrong else right
    )
    return CheckedPart(f"The tree: {size}", OWN_TREE, not wrong, detail, clock.elapsed)


def check_claim(part: Proofs, cases: Cases, read: Read, due: Callable[[], bool]) -> ClaimReport:
    """Whether the files prove a claim about the cases."""
    checks, evidence = [], []
    for technique, names in ((Technique.FORMULA, (part.formula, part.proof)), (Technique.BOXES, (part.boxes,))):
        if not any(names):
            continue
        clock = Clock()
        try:
            files = [read(name or "") for name in names]
            n_bytes, size = sum(map(len, files)), ""
            if technique is Technique.FORMULA:
                verdict, size = _check_formula(part, cases, files, due)
            else:
                verdict = proves(cases, part.claim, files[0])
        except (CertificateError, KeyError) as error:
            verdict, n_bytes, size = ProofVerdict(False, str(error), 0.0), 0, ""
        verdict = replace(verdict, seconds=clock.elapsed)
        checker = OWN_FORMULA if technique is Technique.FORMULA else OWN_BOXES
        checks.append(CheckedPart(_PART[technique], checker, verdict.accepted, verdict.detail, verdict.seconds))
        evidence.append(Evidence(technique, size, n_bytes, 0.0))
    proved = bool(checks) and all(check.accepted for check in checks)
    note = "" if checks else "The certificate has no proof of this claim."
    standing = Standing.PROVED if proved else Standing.OPEN
    return ClaimReport(part.claim, standing, tuple(evidence), tuple(checks), note)


_PART = {Technique.FORMULA: "Refutation of a formula", Technique.BOXES: "Table of boxes"}


def _check_formula(part: Proofs, cases: Cases, files: list[bytes], due: Callable[[], bool]) -> tuple[ProofVerdict, str]:
    """Whether the formula is that of the claim, and the proof refutes it; and how large both are."""
    used = list(range(len(cases.labels))) if part.used is None else sorted(set(part.used))
    if len({cases.labels[i] for i in used}) < 2 or not cases.orders:
        raise CertificateError("Cases of one class need no question, so there is nothing to refute.")
    if part.claim.depth > 24 or (len(cases.orders) << part.claim.depth) * len(used) > MOST_PLACES:
        raise CertificateError("The formula of the claim is too large to be written again.")
    formula, proof = read_formula(files[0]), read_proof(files[1])
    size = (
        f"{len(used):,} cases, {formula.n_variables:,} variables, {formula.n_clauses:,} clauses, "
        f"{proof.n_lines:,} lines of proof"
    )
    if other := differ(formula, Rebuilt(cases, used, part.claim).clauses):
        return ProofVerdict(False, f"The formula is not that of the claim. {other}", 0.0), size
    return refutes(formula, proof, due), size


def conclusions(tree: PlainTree | None, claims: tuple[ClaimReport, ...]) -> tuple[str, ...]:
    """What follows from the claims that are proved and a tree that is right, in sentences."""
    proved = [report.claim for report in claims if report.standing is Standing.PROVED]
    return tuple(_follows(tree, claim) for claim in proved)


def _follows(tree: PlainTree | None, claim: Claim) -> str:
    if tree is not None:
        depth, leaves = depth_of(tree), leaves_of(tree)
        if claim.leaves is None and claim.depth == depth - 1:
            return f"The tree has depth {depth}, and no tree that gets all cases right is less deep."
        if claim.leaves == leaves - 1 and claim.depth >= depth:
            nodes = f"The tree has {2 * leaves - 1} nodes, and no tree of depth at most {claim.depth}"
            return f"{nodes} that gets all cases right has fewer."
    return claim.words
