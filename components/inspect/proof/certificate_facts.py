"""What a certificate says, as the Proof tab shows it."""

from typing import NamedTuple

import numpy as np

from components.session.work import FinishedModel, Run
from components.words.text import count, seconds, storage
from solvers.certificates import CertificateReport, ClaimReport, OptimumReport, Standing, Technique
from solvers.problem import ShapeKind

METHODS = ("smallest-tree", "inferdt-depth", "inferdt-size")
"""The methods whose trees make no mistake that can be avoided."""

_PROOF = {Technique.FORMULA: "formula refuted", Technique.BOXES: "table of boxes"}


class ProofRow(NamedTuple):
    """A proof of a claim, how large it is and what its check says, or why there is none; `ok` if it was accepted.

    The claim is '' where the proof before it is of the same claim.
    """

    claim: str
    proof: str
    size: str
    check: str
    ok: bool


class Certificate(NamedTuple):
    """A certificate: what is proved, in sentences, and the proofs, claim by claim.

    Attributes
    ----------
    accepted : whether every claim is proved.
    deciding : how many cases are enough for the proof, in a sentence; '' where that is not known.
    positions : int64, the training rows that stand for these cases.
    name, size : of the file, the size in words.
    """

    sentences: tuple[str, ...]
    rows: tuple[ProofRow, ...]
    accepted: bool
    deciding: str
    positions: np.ndarray
    name: str
    size: str


def certified_optimum(report: OptimumReport, kind: ShapeKind) -> str:
    """What came of a certificate that no tree costs less, in a sentence."""
    if not report.accepted:
        return f"Not certified. {report.fault}"
    if report.gap:
        words = (
            f"Certified up to a gap of {report.gap:g}: no {kind.noun} that is allowed costs less than "
            f"{report.bound or 0:g}, and this one costs {report.cost or 0:g}. That none lies between the two "
            "rests on the search alone."
        )
        without = f"The proof leaves out: {'; '.join(report.left_out)}."
        return f"{words} {without}" if report.left_out else words
    of = f"{count(report.n_cases, 'distinct case')} of {count(report.n_rows, 'row')}"
    if kind is not ShapeKind.TREE:
        return (
            f"Computed anew from {of}: no tree with so many questions on a path costs less, and so no "
            f"{kind.noun}, which unfolds to such a tree, in {seconds(report.seconds)}."
        )
    return f"Computed anew from {of}: no tree of this size costs less, in {seconds(report.seconds)}."


def can_be_certified(run: Run, model: FinishedModel) -> bool:
    """Whether the model is one that certificates are about."""
    return model.key in METHODS and model.key == run.design.method


def file_name(run: Run) -> str:
    """What the file of a certificate is called."""
    return f"espalier-run-{run.number}-certificate.zip"


def certificate(run: Run, report: CertificateReport) -> Certificate:
    """What came of a certificate, for the screen."""
    data = run.prepared.train
    positions = np.flatnonzero(np.isin(data.rows, report.used))
    return Certificate(
        report.conclusions,
        tuple(row for claim in report.claims for row in _rows(claim)),
        report.accepted,
        _deciding(report),
        positions,
        file_name(run),
        storage(report.n_bytes),
    )


def _rows(claim: ClaimReport) -> list[ProofRow]:
    if not claim.evidence:
        note = claim.note or "It was not proved."
        return [ProofRow(claim.claim.words, "none", "", note, claim.standing is Standing.PROVED)]
    rows = []
    for i, (proof, check) in enumerate(zip(claim.evidence, claim.checks, strict=True)):
        accepted = "accepted" if check.accepted else f"not accepted: {check.detail}"
        rows.append(
            ProofRow(
                "" if i else claim.claim.words,
                _PROOF[proof.technique],
                proof.size or storage(proof.n_bytes),
                f"{accepted}, {seconds(check.seconds)}",
                check.accepted,
            )
        )
    return rows


def _deciding(report: CertificateReport) -> str:
    if not report.used:
        return ""
    cases = f"{count(len(report.used))} of {count(report.n_cases, 'distinct case')}"
    same = "" if report.n_cases == report.n_rows else f" ({count(report.n_rows, 'row')})"
    return f"{cases}{same} are enough for the proof: no smaller tree gets all of them right."
