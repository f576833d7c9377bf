"""What the main file of a certificate says: `certificate.json`, from which all other files are found."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from solvers.certificates.cases import Cases, QuestionOrder, questions_to_csv, whole
from solvers.certificates.claims import Claim, PlainTree, tree_from_json, tree_to_json
from solvers.errors import CertificateError

FORMAT, VERSION = "espalier-certificate", 1
MAIN, CASES, QUESTIONS = "certificate.json", "cases.csv", "questions.csv"

Read = Callable[[str], bytes]
"""Gives the content of a file of a certificate."""


@dataclass(frozen=True)
class Proofs:
    """The names of the files that prove a claim: a formula and its refutation, a table of boxes, or all of them.

    `used` are the cases that the formula speaks of; `None` for all.
    """

    claim: Claim
    used: tuple[int, ...] | None = None
    formula: str | None = None
    proof: str | None = None
    boxes: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        used = None if self.used is None else list(self.used)
        files = {"formula": self.formula, "proof": self.proof, "boxes": self.boxes}
        return {**self.claim.to_json(), "cases": used, **files}

    @classmethod
    def from_json(cls, data: Any) -> Proofs:
        """Read what `to_json` wrote; KeyError, TypeError or ValueError where it is damaged."""
        used = None if data["cases"] is None else tuple(map(whole, data["cases"]))
        leaves = None if data["leaves"] is None else whole(data["leaves"])
        return cls(Claim(whole(data["depth"]), leaves), used, data["formula"], data["proof"], data["boxes"])


@dataclass(frozen=True)
class Contents:
    """What a certificate says: a tree that gets the labelled cases right, if there is one, and claims with their files.

    `n_mistaken` of the `n_rows` of the table are of another class than their case, because equal rows contradict each
    other.
    """

    cases: Cases
    tree: PlainTree | None
    proofs: tuple[Proofs, ...]
    n_rows: int
    n_mistaken: int = 0

    def files(self) -> dict[str, bytes]:
        """The files that say so, without the proofs."""
        payload = {
            "format": FORMAT,
            "version": VERSION,
            "claims": [part.to_json() for part in self.proofs],
            "tree": None if self.tree is None else tree_to_json(self.tree),
            "classes": list(self.cases.classes),
            "orders": [order.to_json() for order in self.cases.orders],
            "rows": self.n_rows,
            "mistaken_rows": self.n_mistaken,
        }
        files = {MAIN: json.dumps(payload, indent=1, ensure_ascii=False).encode(), CASES: self.cases.to_csv().encode()}
        if any(order.words for order in self.cases.orders):
            files[QUESTIONS] = questions_to_csv(self.cases.orders).encode()
        return files

    @classmethod
    def read(cls, read: Read) -> Contents:
        """Read them back; `CertificateError` where a file is missing or damaged."""
        try:
            payload = json.loads(read(MAIN))
            if payload["format"] != FORMAT or payload["version"] != VERSION:
                raise CertificateError(f"This version reads certificates of version {VERSION} only. Make it again.")
            orders = tuple(QuestionOrder.from_json(order) for order in payload["orders"])
            cases = Cases.from_csv(read(CASES).decode(), orders, tuple(map(str, payload["classes"])))
            tree = None if payload["tree"] is None else tree_from_json(payload["tree"])
            proofs = tuple(Proofs.from_json(part) for part in payload["claims"])
            listed = {i for part in proofs if part.used is not None for i in part.used or (-1,)}
            if not listed <= set(range(len(cases.labels))):
                raise CertificateError("A claim speaks of cases that there are not. Make the certificate again.")
            return cls(cases, tree, proofs, whole(payload["rows"]), whole(payload["mistaken_rows"]))
        except CertificateError:
            raise
        # csv.Error is none of the others
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError, csv.Error) as error:
            raise CertificateError(f"The file '{MAIN}' is damaged: {error!r}. Make the certificate again.") from None
