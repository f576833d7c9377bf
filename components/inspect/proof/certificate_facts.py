"""What a certificate says, as the Proof tab shows it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from components.session.work import Model, Run
from components.words.text import count, seconds
from solvers.certificates import Check, ClaimReport, Report, Standing, Technique

METHODS = ("smallest-tree", "inferdt-depth", "inferdt-size")
"""The methods whose trees make no mistake that can be avoided."""

_PROOF = {Technique.FORMULA: "formula refuted", Technique.BOXES: "table of boxes"}


class ProofRow(NamedTuple):
    """A proof of a claim, or why there is none.

    Attributes
    ----------
    claim : what is claimed, in a sentence; '' where the proof before it is of the same claim.
    proof : how it is proved.
    size : how large the proof is.
    check : what the check says, and how long it took.
    ok : whether the claim is proved and this proof was accepted.
    """

    claim: str
    proof: str
    size: str
    check: str
    ok: bool


class Certificate(NamedTuple):
    """A certificate.

    Attributes
    ----------
    sentences : what is proved.
    rows : the proofs, claim by claim.
    accepted : whether every claim is proved.
    deciding : how many cases decide, in a sentence; '' where that is not known.
    positions : int64, the training rows that stand for these cases.
    name : of the file.
    size : of the file, in words.
    """

    sentences: tuple[str, ...]
    rows: tuple[ProofRow, ...]
    accepted: bool
    deciding: str
    positions: np.ndarray
    name: str
    size: str


def can_be_certified(run: Run, model: Model) -> bool:
    """Whether the model is one that certificates are about."""
    return model.key in METHODS and model.key == run.design.method


def certificate(run: Run, report: Report) -> Certificate:
    """What came of a certificate, for the screen."""
    data = run.prepared.train
    positions = np.flatnonzero(np.isin(data.rows, report.used))
    return Certificate(
        report.conclusions,
        tuple(row for claim in report.claims for row in _rows(claim)),
        report.accepted,
        _deciding(report),
        positions,
        f"espalier-run-{run.number}-certificate.zip",
        _bytes(report.n_bytes),
    )


def _rows(claim: ClaimReport) -> list[ProofRow]:
    if not claim.evidence:
        note = claim.note or "It was not proved."
        return [ProofRow(claim.claim.words, "none", "", note, claim.standing is Standing.PROVED)]
    return [
        ProofRow(
            "" if i else claim.claim.words,
            _PROOF[proof.technique],
            proof.size or _bytes(proof.n_bytes),
            *_check(check),
        )
        for i, (proof, check) in enumerate(zip(claim.evidence, claim.checks, strict=True))
    ]


def _check(check: Check) -> tuple[str, bool]:
    said = "accepted" if check.accepted else f"not accepted: {check.detail}"
    return f"{said}, {seconds(check.seconds)}", check.accepted


def _deciding(report: Report) -> str:
    """How many cases decide that there is no smaller tree."""
    if not report.used:
        return ""
    cases = f"{count(len(report.used))} of {count(report.n_cases, 'distinct case')}"
    same = "" if report.n_cases == report.n_rows else f" ({count(report.n_rows, 'row')})"
    return f"{cases}{same} decide: for these alone no smaller tree gets all of them right."


def _bytes(n: int) -> str:
    """The size of a file in the unit that suits it."""
    return f"{n / 1e6:,.1f} MB" if n >= 1e5 else f"{max(1, round(n / 1e3))} kB"
