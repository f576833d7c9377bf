"""What a certificate says, as the Proof tab shows it."""

from typing import NamedTuple

import numpy as np

from components.session.work import FinishedModel, Run
from components.words.text import count, seconds, storage
from solvers.certificates import CertificateReport, ClaimReport, OptimumReport, Standing, Technique
from solvers.language import msgid, numeral, tr, translation
from solvers.problem import ShapeKind

METHODS = ("smallest-tree", "inferdt-depth", "inferdt-size")
"""The methods whose trees make no mistake that can be avoided."""

_PROOF = {Technique.FORMULA: msgid("formula refuted"), Technique.BOXES: msgid("table of boxes")}


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
        return tr("Not certified. {fault}", fault=translation(report.fault))
    if report.gap:
        words = tr(
            "Certified up to a gap of {gap}: no {noun} that is allowed costs less than {bound}, and this one costs "
            "{cost}. That none lies between the two rests on the search alone.",
            noun=kind.noun,
            gap=numeral(report.gap, "g"),
            bound=numeral(report.bound or 0, "g"),
            cost=numeral(report.cost or 0, "g"),
        )
        without = tr("The proof leaves out: {constraints}.", constraints="; ".join(report.left_out))
        return f"{words} {without}" if report.left_out else words
    of = tr("{cases} of {rows}", cases=count(report.n_cases, "distinct case"), rows=count(report.n_rows, "row"))
    if kind is not ShapeKind.TREE:
        return tr(
            "Computed anew from {of}: no tree with so many questions on a path costs less, and so no {noun}, which "
            "unfolds to such a tree, in {seconds}.",
            of=of,
            noun=kind.noun,
            seconds=seconds(report.seconds),
        )
    return tr(
        "Computed anew from {of}: no tree of this size costs less, in {seconds}.",
        of=of,
        seconds=seconds(report.seconds),
    )


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
        note = claim.note or tr("It was not proved.")
        return [ProofRow(claim.claim.words, tr("none"), "", note, claim.standing is Standing.PROVED)]
    rows = []
    for i, (proof, check) in enumerate(zip(claim.evidence, claim.checks, strict=True)):
        accepted = tr("accepted") if check.accepted else tr("not accepted: {detail}", detail=check.detail)
        rows.append(
            ProofRow(
                "" if i else claim.claim.words,
                tr(_PROOF[proof.technique]),
                proof.size or storage(proof.n_bytes),
                f"{accepted}, {seconds(check.seconds)}",
                check.accepted,
            )
        )
    return rows


def _deciding(report: CertificateReport) -> str:
    if not report.used:
        return ""
    cases = tr("{count} of {cases}", count=count(len(report.used)), cases=count(report.n_cases, "distinct case"))
    same = "" if report.n_cases == report.n_rows else f" ({count(report.n_rows, 'row')})"
    return tr("{cases}{same} are enough for the proof: no smaller tree gets all of them right.", cases=cases, same=same)
