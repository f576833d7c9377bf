"""What came of a certificate: which claims were proved, how, and what the checkers said."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from solvers.certificates.claims import Claim
from solvers.run.json_types import fields_from_json, fields_to_json


class Standing(StrEnum):
    """What is known of a claim."""

    PROVED = "proved"
    FALSE = "false"
    OPEN = "open"


class Technique(StrEnum):
    """How a claim is proved."""

    FORMULA = "formula"
    BOXES = "boxes"


@dataclass(frozen=True)
class CheckedPart:
    """What a checker says of a part of a certificate, see `ProofVerdict`; both are told in words."""

    what: str
    checker: str
    accepted: bool
    detail: str
    seconds: float


@dataclass(frozen=True)
class Evidence:
    """A proof of a claim: how large it is, in words, the size of its files, and the wall time of making it."""

    technique: Technique
    size: str
    n_bytes: int
    seconds: float


@dataclass(frozen=True)
class ClaimReport:
    """What came of a claim: its proofs, what the checkers say of them, and what else there is to say, in a sentence.

    It is PROVED only where every proof of it was accepted, and FALSE where there is such a tree.
    """

    claim: Claim
    standing: Standing
    evidence: tuple[Evidence, ...] = ()
    checks: tuple[CheckedPart, ...] = ()
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """As plain values, the claim by its own."""
        data = fields_to_json(self)
        return {**data.pop("claim"), **data}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote; KeyError, TypeError or ValueError where it is damaged."""
        parts = {name: value for name, value in data.items() if name not in ("depth", "leaves", "words")}
        claim = {"depth": data["depth"], "leaves": data["leaves"]}
        return fields_from_json(cls, {**parts, "claim": claim})


@dataclass(frozen=True)
class CertificateReport:
    """What came of a certificate.

    Attributes
    ----------
    conclusions : what follows from the claims that were proved and the tree, in sentences.
    tree : what was checked of the tree; `None` where the certificate has none.
    n_rows, n_cases : rows of the table, and distinct cases among them.
    used : the numbers in the file of a row of each case that the formulas need, ascending; all cases where empty.
    path, n_bytes : the zip file, `None` where none was written, and its size.
    doing : what is being done until it is finished, in a sentence.
    """

    conclusions: tuple[str, ...]
    claims: tuple[ClaimReport, ...]
    tree: CheckedPart | None
    n_rows: int
    n_cases: int
    used: tuple[int, ...] = ()
    path: str | None = None
    n_bytes: int = 0
    seconds: float = 0.0
    finished: bool = False
    doing: str = ""

    @property
    def accepted(self) -> bool:
        """Whether there is a claim, all are proved, and the tree is as told."""
        proved = all(claim.standing is Standing.PROVED for claim in self.claims)
        return bool(self.claims) and proved and (self.tree is None or self.tree.accepted)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**fields_to_json(self), "accepted": self.accepted}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote; KeyError, TypeError or ValueError where it is damaged."""
        return fields_from_json(cls, {name: value for name, value in data.items() if name != "accepted"})
