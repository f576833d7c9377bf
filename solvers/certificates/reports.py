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
    """What a checker says of a part of a certificate.

    Attributes
    ----------
    what : the part, in words.
    checker : who checks it, in words.
    accepted, detail, seconds : see `Verdict`.
    """

    what: str
    checker: str
    accepted: bool
    detail: str
    seconds: float


@dataclass(frozen=True)
class Evidence:
    """A proof of a claim.

    Attributes
    ----------
    technique : how it is proved.
    size : how large the proof is, in words.
    n_bytes : the size of its files.
    seconds : wall time of making it.
    """

    technique: Technique
    size: str
    n_bytes: int
    seconds: float


@dataclass(frozen=True)
class ClaimReport:
    """What came of a claim.

    Attributes
    ----------
    claim : what is claimed.
    standing : PROVED only where every proof of it was accepted; FALSE where there is such a tree.
    evidence : the proofs.
    checks : what the checkers say of them.
    note : what else there is to say, in a sentence.
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
    claims : the claims one by one.
    tree : what was checked of the tree; `None` where the certificate has none.
    n_rows, n_cases : rows of the table, and distinct cases among them.
    used : the numbers in the file of a row of each case that the formulas need, ascending; all cases where empty.
    path : the zip file; `None` where none was written.
    n_bytes : its size.
    seconds : wall time of it all.
    finished : whether nothing is left to do.
    doing : what is being done until then, in a sentence.
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
