"""Certificates with damage anywhere: a sentence instead of an exception, and never another claim accepted."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from solvers.certificates import Archive, Technique, Wanted, check_certificate, make_certificate, zipped
from solvers.certificates.claims import Claim
from solvers.certificates.contents import Contents, Read
from solvers.errors import CertificateError
from solvers.methods import get
from solvers.solution import Criterion
from tests.case_count import case_count
from tests.certificates.tables import checkerboard
from tests.methods.running import solve

CASES = case_count(40)
KINDS = {
    "boxes": Wanted(techniques=(Technique.BOXES,)),
    "formula": Wanted(techniques=(Technique.FORMULA,)),
    "both, nodes at any depth": Wanted(question=Criterion.NODES),
}


@cache
def whole(kind: str) -> dict[str, bytes]:
    """The files of a certificate of a checkerboard without the texts that the checker does not read."""
    problem = checkerboard()
    made = make_certificate(problem, solve(get("smallest-tree"), problem).solution.diagram, KINDS[kind])
    assert made.report.accepted
    return {
        name: made.files[name] for name in made.files if name.endswith((".npz", ".cnf", ".drup", "ate.json", "es.csv"))
    }


def tells_no_more(read: Read, original: Read) -> bool:
    """Whether cases are the same, the tree is the same or left out, and every claim follows from those before."""
    found, known = Contents.read(read), Contents.read(original)
    cases = [(one.cases.ranks, one.cases.labels, [o.n_questions for o in one.cases.orders]) for one in (found, known)]
    follow = all(any(follows(part.claim, other.claim) for other in known.proofs) for part in found.proofs)
    return cases[0] == cases[1] and found.tree in (None, known.tree) and follow


def follows(claim: Claim, other: Claim) -> bool:
    """Whether all trees that a claim rules out are ruled out by another."""
    leaves = [2**one.depth if one.leaves is None else min(one.leaves, 2**one.depth) for one in (claim, other)]
    return claim.depth <= other.depth and leaves[0] <= leaves[1]


def damaged_bytes(data: bytes, rng: np.random.Generator) -> tuple[str, bytes]:
    """A file with a few bytes changed, in one of several ways."""
    way = rng.choice(["flip", "delete", "insert", "truncate", "duplicate", "swap", "replace"])
    i, j = sorted(rng.integers(0, len(data), 2).tolist())
    n = int(rng.integers(1, 9))
    return str(way), {
        "flip": data[:i] + bytes([data[i] ^ 1 << int(rng.integers(8))]) + data[i + 1 :],
        "delete": data[:i] + data[i + n :],
        "insert": data[:i] + rng.bytes(n) + data[i:],
        "truncate": data[:i],
        "duplicate": data[:j] + data[i:j] + data[j:],
        "swap": data[:i] + data[j : j + 1] + data[i + 1 : j] + data[i : i + 1] + data[j + 1 :],
        "replace": data[:i] + rng.bytes(n) + data[i + n :],
    }[str(way)]


ODD = (None, True, -1, 0, 1, 1.5, 10**30, 1e400, "", "x", "1", [], {}, [[0]])


def damaged_json(data: bytes, rng: np.random.Generator) -> tuple[str, bytes]:
    """The main file with one value replaced by another or left out, anywhere in it."""
    claim = here = json.loads(data)
    while True:
        key = list(here)[rng.integers(len(here))] if isinstance(here, dict) else int(rng.integers(len(here)))
        if not isinstance(here[key], dict | list) or not here[key] or rng.random() < 0.2:
            break
        here = here[key]
    if rng.random() < 0.2:
        del here[key]
        return "left out", json.dumps(claim).encode()
    here[key] = ODD[rng.integers(len(ODD))]
    return "another value", json.dumps(claim).encode()


def damaged(files: dict[str, bytes], rng: np.random.Generator, folder: Path) -> tuple[str, Read]:
    """A reader of the damaged certificate: of its files, of its zip file, or of one with other arrays."""
    name = sorted(files)[rng.integers(len(files))]
    part = rng.choice(["file", "zip", "json", "arrays"])
    if part == "zip":
        way, data = damaged_bytes(zipped(files), rng)
        (folder / "damaged.zip").write_bytes(data)
        return f"zip {way}", Archive(folder / "damaged.zip").read
    if part == "json":
        way, data = damaged_json(files["certificate.json"], rng)
        return f"main file {way}", {**files, "certificate.json": data}.__getitem__
    if part == "arrays" and name.endswith(".npz"):
        # the arrays themselves, behind the sums by which zip files notice damage
        with zipfile.ZipFile(io.BytesIO(files[name])) as packed:
            arrays = {member: packed.read(member) for member in packed.namelist()}
        out, chosen = io.BytesIO(), sorted(arrays)[rng.integers(len(arrays))]
        way, arrays[chosen] = damaged_bytes(arrays[chosen], rng)
        with zipfile.ZipFile(out, "w") as packed:
            for member, data in arrays.items():
                packed.writestr(member, data)
        return f"array {way}", {**files, name: out.getvalue()}.__getitem__
    way, data = damaged_bytes(files[name], rng)
    return f"{name.rsplit('.')[-1]} {way}", {**files, name: data}.__getitem__


@pytest.mark.parametrize("kind", KINDS)
def test_damage_ends_in_a_sentence(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes and values changed anywhere are refused in a sentence, or what is accepted is what was claimed before.

    What may be accepted: times and padding of a zip file, comments and blanks, other numbers in a proof that still
    proves the claim, numbers of rows and columns and words, which the checker does not judge, a claim or the tree left
    out, and a weaker claim that the same proof proves. Cases are then the same, and so is the tree that is left.
    """
    files, rng = whole(kind), np.random.default_rng(len(kind))
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(CASES):
            way, read = damaged(files, rng, Path(folder))
            try:
                report = check_certificate(read)
            except CertificateError as error:
                assert str(error).endswith(".")
                ends["refused"] += 1
                continue
            if report.accepted:
                assert tells_no_more(read, files.__getitem__), way
                ends["the same claims"] += 1
                continue
            checks = [check for claim in report.claims for check in claim.checks]
            notes = [check.detail for check in checks if not check.accepted] + [c.note for c in report.claims if c.note]
            assert notes or not report.claims or not report.tree.accepted, way
            ends["rejected"] += 1
    with capsys.disabled():
        print(f"\n{kind}: {CASES} damages, {dict(ends)}")
    assert ends["refused"] and ends["rejected"]
