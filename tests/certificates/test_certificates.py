"""Whole certificates: what they claim, what is in their files, and how damage is noticed."""

from __future__ import annotations

import csv
import io
import json
import threading
from functools import cache
from pathlib import Path

import dratify
import pytest

from solvers.certificates import (
    Archive,
    CertificateReport,
    Certify,
    MadeCertificate,
    Standing,
    Technique,
    Wanted,
    check_certificate,
    make_certificate,
    question_of,
    write_folder,
    zipped,
)
from solvers.certificates.claims import Claim
from solvers.errors import CertificateError
from solvers.methods import get
from solvers.problem import Kind, Limits, Problem, Shape
from solvers.run.answers import answer_from_json, answer_to_json
from solvers.run.tasks import task_from_json, task_to_json
from solvers.solution import Criterion
from tests.case_count import case_count
from tests.certificates.tables import asked_of, checkerboard, random_problem, smallest
from tests.methods.running import solve
from tests.strategies import make_dataset

CASES = case_count(12)
WHOLE = Wanted()
FORMULA = Wanted(techniques=(Technique.FORMULA,))


def certified(problem: Problem, wanted: Wanted = WHOLE, **options: str) -> MadeCertificate:
    """The certificate of the smallest tree."""
    return make_certificate(problem, solve(get("smallest-tree", **options), problem).solution.diagram, wanted)


@cache
def board() -> MadeCertificate:
    """The certificate of a checkerboard, by formulas alone."""
    return certified(checkerboard(), FORMULA)


@pytest.mark.parametrize("seed", range(CASES))
def test_certificates_prove_what_trying_everything_finds(seed: int) -> None:
    """Least depth and fewest nodes at that depth or at any, each by formulas and by boxes."""
    problem = random_problem(seed, depth=5)
    _, cases = asked_of(problem)
    best = smallest(cases)
    if best[0] == 1:
        return
    depth = next(d for d, n in best.items() if n < 10**6)
    report = certified(problem).report
    assert [claim.claim for claim in report.claims] == [Claim(depth - 1), Claim(depth, best[depth] - 1)]
    techniques = {Technique.FORMULA, Technique.BOXES}
    assert all({proof.technique for proof in claim.evidence} == techniques for claim in report.claims)
    assert report.accepted and report.finished and len(report.conclusions) == 2
    anywhere = certified(problem, Wanted(question=Criterion.NODES), question="nodes-at-any-depth").report
    assert [claim.claim for claim in anywhere.claims] == [Claim(5, best[5] - 1)]
    assert anywhere.accepted and anywhere.conclusions[0].endswith("has fewer.")
    by_sat = solve(get("inferdt-depth"), problem).solution
    shallow = make_certificate(problem, by_sat.diagram, Wanted(question=question_of(by_sat.method, {}))).report
    assert [claim.claim for claim in shallow.claims] == [Claim(depth - 1)] and shallow.accepted


def test_a_shape_that_is_too_small_is_certified() -> None:
    """Where every tree of the shape makes mistakes, that is the claim, also with a tree that makes few of them."""
    problem = checkerboard(depth=3)
    for diagram in (None, solve(get("smallest-tree"), problem).solution.diagram):
        files, report = make_certificate(problem, diagram)
        assert report.accepted and report.tree is None and "tree.json" not in files
        assert report.conclusions == ("No tree of depth at most 3 gets all cases right.",)


def test_a_claim_that_does_not_hold_is_not_certified() -> None:
    """A tree that is larger than needed is found out, and so is a shape that would have sufficed."""
    problem = random_problem(4, depth=6)
    tree = solve(get("cart"), problem).solution.diagram
    made = make_certificate(problem, tree, FORMULA)
    assert (tree.depth, tree.n_leaves, made.report.tree.accepted) == (4, 7, True)
    assert [claim.standing for claim in made.report.claims] == [Standing.FALSE, Standing.FALSE]
    assert not made.report.accepted and made.report.conclusions == ()
    assert not check_certificate(made.files.__getitem__).claims
    enough = make_certificate(checkerboard(depth=5), None, FORMULA).report
    assert [(claim.claim, claim.standing) for claim in enough.claims] == [(Claim(5), Standing.FALSE)]
    # boxes find no table either
    assert make_certificate(checkerboard(depth=5), None, Wanted(techniques=(Technique.BOXES,))).report.accepted is False


def test_a_single_leaf_needs_no_certificate() -> None:
    """Where all cases are of one class there is nothing to prove."""
    with pytest.raises(CertificateError, match="single leaf"):
        make_certificate(Problem(make_dataset({"a": (Kind.NUMERIC, [1, 2])}, [0, 0]), Shape(max_depth=2)), None)


def test_contradictory_rows_are_said() -> None:
    """A certificate about cases says how many rows are of another class than their case."""
    dataset = make_dataset({"a": (Kind.NUMERIC, [1, 1, 1, 2, 3, 3])}, [0, 0, 1, 1, 0, 0])
    made = certified(Problem(dataset, Shape(max_depth=3)))
    assert json.loads(made.files["certificate.json"])["mistaken_rows"] == 1
    assert "1 rows are of another class" in made.files["README.md"].decode()
    assert (made.report.n_cases, made.report.n_rows, made.report.accepted) == (3, 6, True)


def test_time_that_is_up_leaves_claims_open() -> None:
    """Without time nothing is proved, and the certificate says so."""
    problem = checkerboard()
    tree = solve(get("smallest-tree"), problem).solution.diagram
    files, report = make_certificate(problem, tree, FORMULA, seconds=0.0)
    assert [claim.standing for claim in report.claims] == [Standing.OPEN, Standing.OPEN]
    assert not report.accepted and "Not proved" in files["README.md"].decode()
    stop = threading.Event()
    stop.set()
    assert not make_certificate(problem, tree, FORMULA, stop=stop).report.accepted


def test_files_survive_folder_and_zip(tmp_path: Path) -> None:
    """Both hold the same files, and both are accepted."""
    made = board()
    write_folder(made.files, tmp_path / "folder")
    (tmp_path / "certificate.zip").write_bytes(zipped(made.files))
    assert zipped(made.files) == zipped(dict(made.files))
    for path in (tmp_path / "folder", tmp_path / "certificate.zip"):
        archive = Archive(path)
        assert all(archive.read(name) == content for name, content in made.files.items())
        report = check_certificate(archive.read)
        assert report.accepted and report.conclusions == made.report.conclusions
        for name in ("missing.cnf", "../certificate.json", "/etc/hostname", "a/b.cnf"):
            with pytest.raises(CertificateError):
                archive.read(name)
    with pytest.raises(CertificateError, match="Choose the folder"):
        Archive(tmp_path / "nothing").read("certificate.json")


def test_another_checker_accepts_the_proofs() -> None:
    """A checker of proofs that is not ours says the same of the files as they are."""
    files = board().files
    names = [name.removesuffix(".cnf") for name in files if name.endswith(".cnf")]
    assert len(names) == 2
    for name in names:
        formula = dratify.parse_dimacs(files[f"{name}.cnf"].decode())
        assert dratify.check_proof(formula, files[f"{name}.drup"].decode(), check_rat=False).ok


def standing(files: dict[str, bytes]) -> tuple[bool, str]:
    """Whether a certificate is accepted, and why not."""
    report = check_certificate(files.__getitem__)
    refused = [check.detail for claim in report.claims for check in claim.checks if not check.accepted]
    return report.accepted, " ".join([*refused, "" if report.tree is None else report.tree.detail])


def test_damage_is_noticed() -> None:
    """Empty and halved proofs, a bogus unit, a missing example, a formula with one more clause, another formula."""
    files = dict(board().files)
    name = "depth-3"
    cnf, drup = files[f"{name}.cnf"], files[f"{name}.drup"]
    lines, clauses = drup.splitlines(keepends=True), cnf.splitlines(keepends=True)
    head = next(i for i, line in enumerate(clauses) if line.startswith(b"p"))
    n_variables, n_clauses = map(int, clauses[head].split()[2:])

    def with_clauses(kept: list[bytes], drop: int) -> bytes:
        return b"".join([*clauses[:head], b"p cnf %d %d\n" % (n_variables, n_clauses - drop), *kept])

    last_case = json.loads(files["certificate.json"])["claims"][0]["cases"][-1]
    first = next(line for line in clauses[:head] if b"X[%d, j]" % last_case in line).split()[1]
    kept = [c for c in clauses[head + 1 :] if max(abs(int(x)) for x in c.split()) < int(first)]
    damaged = {
        "without the empty clause": {f"{name}.drup": b""},
        "does not follow|without the empty": {f"{name}.drup": b"".join(lines[: len(lines) // 2])},
        "Line 1 of the proof": {f"{name}.drup": b"1 0\n-1 0\n0\n"},
        "not that of the claim": {f"{name}.cnf": with_clauses(kept, n_clauses - len(kept))},
        "not that of the claim.": {f"{name}.cnf": with_clauses([*clauses[head + 1 :], b"1 0\n", b"-1 0\n"], -2)},
        "instead of": {f"{name}.cnf": b"p cnf 1 2\n1 0\n-1 0\n", f"{name}.drup": b"0\n"},
        "ends within": {f"{name}.drup": b"".join(lines[:-1])[:-3]},
    }
    for reason, changed in damaged.items():
        accepted, why = standing({**files, **changed})
        assert not accepted and any(part in why for part in reason.split("|")), (reason, why)
    gone = {n: content for n, content in files.items() if n != f"{name}.drup"}
    assert not standing(gone)[0]


def changed(files: dict[str, bytes], **parts: object) -> dict[str, bytes]:
    """A certificate whose main file says something else."""
    return {**files, "certificate.json": json.dumps({**json.loads(files["certificate.json"]), **parts}).encode()}


def test_formulas_are_tied_to_cases_and_claims() -> None:
    """Other cases, other labels, another claim or another tree are noticed, though formula and proof are whole."""
    files = dict(board().files)
    claim = json.loads(files["certificate.json"])
    claims = claim["claims"]
    rows = list(csv.reader(io.StringIO(files["cases.csv"].decode())))
    for column, value in (("class", lambda v: 1 - int(v)), ("rank_0", lambda v: (int(v) + 1) % 4)):
        at = rows[0].index(column)
        table = [rows[0], *([*row[:at], str(value(row[at])), *row[at + 1 :]] for row in rows[1:])]
        text = "\n".join(map(",".join, table)).encode()
        assert not standing({**files, "cases.csv": text})[0]
    deeper = [{**claims[0], "depth": claims[0]["depth"] + 1}, *claims[1:]]
    assert "not that of the claim" in standing(changed(files, claims=deeper))[1]
    fewer = [claims[0], {**claims[1], "leaves": claims[1]["leaves"] + 1}]
    assert "not that of the claim" in standing(changed(files, claims=fewer))[1]
    other_cases = [{**claims[0], "cases": claims[0]["cases"][:-1]}, *claims[1:]]
    assert "not that of the claim" in standing(changed(files, claims=other_cases))[1]
    for listed in ([99], [-1], []):
        with pytest.raises(CertificateError, match="cases that there are not"):
            check_certificate(changed(files, claims=[{**claims[0], "cases": listed}, claims[1]]).__getitem__)
    alike = [i for i, row in enumerate(rows[1:]) if row[rows[0].index("class")] == "0"]
    assert "one class" in standing(changed(files, claims=[{**claims[0], "cases": alike}, claims[1]]))[1]
    assert not standing(changed(files, tree={"class": 0}))[0]
    assert not standing(changed(files, tree={"order": 7, "last": 0, "low": {"class": 0}, "high": {"class": 1}}))[0]
    assert not standing(changed(files, claims=[{**claims[0], "formula": None, "proof": None}]))[0]
    assert not standing(changed(files, claims=[]))[0]
    huge = [{**claims[0], "depth": 60}]
    assert "too large" in standing(changed(files, claims=huge))[1]


@pytest.mark.parametrize(
    "parts",
    [
        {"format": "other"},
        {"version": 2},
        {"orders": []},
        {"claims": [{}]},
        {"tree": 5},
        {"classes": []},
        {"rows": "x"},
    ],
    ids=str,
)
def test_damaged_main_files_are_refused(parts: dict[str, object]) -> None:
    """Each with a sentence."""
    with pytest.raises(CertificateError):
        check_certificate(changed(dict(board().files), **parts).__getitem__)


@pytest.mark.parametrize("text", ["", "case,class\n", "case,row,class,rank_0,rank_1\n0,1,0,0,x\n"])
def test_damaged_cases_are_refused(text: str) -> None:
    """Missing columns and cells that are no numbers."""
    with pytest.raises(CertificateError):
        check_certificate({**board().files, "cases.csv": text.encode()}.__getitem__)


def test_only_answers_are_told() -> None:
    """No value of the table is in the files; rows and questions can be left out, and the check still passes."""
    problem = Problem(
        make_dataset({"=SUM(A1)": (Kind.NUMERIC, [1.25, 2.5, 3.75, 5.125])}, [0, 1, 0, 1]), Shape(max_depth=3)
    )
    made = certified(problem)
    assert "row" in made.files["cases.csv"].decode().splitlines()[0]
    assert made.files["questions.csv"].decode().splitlines()[1] == "0,0,0,'=SUM(A1) is 2 or less"
    hidden = certified(problem, Wanted(rows=False, words=False))
    assert "questions.csv" not in hidden.files and hidden.report.used == ()
    text = b"".join(content for name, content in hidden.files.items() if not name.startswith("tree")).decode("latin-1")
    assert not any(value in text for value in ("5.125", "1.25", "SUM"))
    assert hidden.report.accepted


def test_a_worker_makes_certificates(tmp_path: Path) -> None:
    """The task and its answer survive being written, and the zip file is where it was asked for."""
    problem = checkerboard()
    tree = solve(get("smallest-tree"), problem).solution.diagram
    task = Certify(str(tmp_path / "certificate.zip"), tree, techniques=("boxes",))
    task = task_from_json(json.loads(json.dumps(task_to_json(task))))
    heard: list[CertificateReport] = []
    report = task.answer(problem, None, Limits(seconds=20), threading.Event(), heard.append)
    assert report.accepted and report.n_bytes == (tmp_path / "certificate.zip").stat().st_size
    assert "Checking" in heard[-1].doing and not heard[-1].finished
    assert answer_from_json(json.loads(json.dumps(answer_to_json(report)))) == report
    assert check_certificate(Archive(Path(report.path)).read).conclusions == report.conclusions
    missing = Certify(str(tmp_path / "none" / "certificate.zip"), tree, techniques=("boxes",))
    with pytest.raises(CertificateError, match="cannot be written"):
        missing.answer(problem, None, Limits(), threading.Event(), heard.append)
