"""The checker of proofs, held to trying everything, to a solver and to another checker; damaged proofs."""

from __future__ import annotations

from itertools import product

import dratify
import numpy as np
import pytest
from pysat.solvers import Solver

from solvers.certificates.dimacs import Clauses, read_formula, read_proof, write_formula
from solvers.certificates.proof_checker import StoppedError, refutes
from solvers.certificates.proof_draft import refute
from solvers.errors import CertificateError
from tests.case_count import case_count

CASES = case_count(150)


def clauses(*lists: tuple[int, ...]) -> Clauses:
    """A formula from its clauses."""
    flat = [literal for clause in lists for literal in (*clause, 0)]
    return Clauses(max(map(abs, flat), default=0), np.array(flat, np.int32))


def pigeons(n: int) -> Clauses:
    """n + 1 pigeons in n holes, one each: cannot be."""
    hole = {(p, h): p * n + h + 1 for p in range(n + 1) for h in range(n)}
    sitting = [tuple(hole[p, h] for h in range(n)) for p in range(n + 1)]
    alone = [(-hole[p, h], -hole[q, h]) for h in range(n) for p in range(n + 1) for q in range(p)]
    return clauses(*sitting, *alone)


def listed(formula: Clauses) -> list[list[int]]:
    """The clauses as lists."""
    found: list[list[int]] = [[]]
    for literal in formula.literals.tolist():
        if literal:
            found[-1].append(literal)
        else:
            found.append([])
    return found[:-1]


def proof_of(formula: Clauses, solver: str = "glucose42") -> bytes:
    """What a solver wrote down while it refuted a formula."""
    with Solver(solver, bootstrap_with=listed(formula), with_proof=True) as oracle:
        assert oracle.solve() is False
        return "".join(f"{line}\n" for line in oracle.get_proof()).encode()


def other_checker(formula: Clauses, proof: bytes) -> bool:
    """What the checker of a package says that shares nothing with ours."""
    return dratify.check_proof(
        dratify.parse_dimacs(write_formula(formula).decode()), proof.decode(), check_rat=False
    ).ok


def satisfiable(formula: Clauses) -> bool:
    """Whether an assignment satisfies all clauses, by trying all."""
    wanted = listed(formula)
    return any(
        all(any((literal > 0) == true[abs(literal) - 1] for literal in clause) for clause in wanted)
        for true in product((False, True), repeat=formula.n_variables)
    )


@pytest.mark.parametrize("solver", ["glucose42", "glucose3", "cadical153", "lingeling"])
def test_proofs_of_solvers_are_accepted(solver: str) -> None:
    """Whatever solver wrote it, with its deletions and ways of writing."""
    formula = pigeons(5)
    proof = proof_of(formula, solver)
    assert refutes(formula, read_proof(proof)).accepted
    assert other_checker(formula, proof)


def test_damaged_proofs_are_rejected() -> None:
    """An empty proof, half a proof, one with a bogus unit, one of a formula without a clause, one with new names."""
    formula = pigeons(5)
    proof = proof_of(formula)
    lines = proof.splitlines(keepends=True)
    damaged = {
        "without the empty clause": (formula, b""),
        "ends after": (formula, b"".join(lines[: len(lines) // 2])),
        "Line 1 of": (formula, b"1 0\n" + proof),
        "does not follow": (clauses(*listed(formula)[1:]), proof),
        "does not have": (formula, b"31 32 0\n" + proof),
    }
    for reason, (distinct, given) in damaged.items():
        verdict = refutes(distinct, read_proof(given))
        assert not verdict.accepted and reason in verdict.detail, reason
    assert not refutes(formula, read_proof(b"0\n")).accepted
    with pytest.raises(CertificateError, match=r"cut off|ends within"):
        read_proof(proof[: len(proof) // 2].rstrip(b"0 \n"))


def test_deletions_count_and_unknown_ones_do_not_harm() -> None:
    """A clause that was taken away helps no longer; one of two equal clauses stays; deletions of nothing are passed."""
    square = clauses((1, 2), (-1, 2), (1, -2), (-1, -2))
    assert refutes(square, read_proof(b"2 0\n0\n")).accepted
    assert refutes(square, read_proof(b"d 2 -1 0\n2 0\n0\n")).accepted is False
    assert refutes(square, read_proof(b"d 1 2 1 0\n2 0\n0\n")).accepted is False
    twice = clauses((1, 2), (-1, 2), (2, 1), (1, -2), (-1, -2))
    assert refutes(twice, read_proof(b"d 1 2 0\n2 0\n0\n")).accepted
    assert refutes(square, read_proof(b"d 1 0\nd 2 0\n2 0\n0\n")).accepted


def test_clauses_of_any_form_are_read() -> None:
    """Repeated literals, both signs of a variable, single literals and the empty clause."""
    assert refutes(clauses((1, 1), (-1, -1, -1)), read_proof(b"0\n")).accepted
    assert not refutes(clauses((1, -1), (2, -2)), read_proof(b"0\n")).accepted
    assert refutes(clauses((1,), (-1,)), read_proof(b"0\n")).accepted
    assert refutes(clauses((1, 2), ()), read_proof(b"0\n")).accepted
    assert not refutes(clauses(), read_proof(b"0\n")).accepted


def test_random_formulas_are_refuted_only_if_nothing_satisfies_them() -> None:
    """Solver, trying everything, our checker and another agree; a proof of one formula never refutes another."""
    random = np.random.default_rng(0)
    refuted, former = 0, b"0\n"
    for _ in range(CASES):
        n = int(random.integers(2, 7))
        lists = []
        for _ in range(int(random.integers(2 * n, 7 * n))):
            variables = random.choice(n, min(n, int(random.integers(2, 4))), replace=False) + 1
            lists.append(tuple((variables * random.choice([-1, 1], len(variables))).tolist()))
        formula = Clauses(n, clauses(*lists).literals)
        possible = satisfiable(formula)
        proof = refute(formula)
        assert (proof is None) == possible
        proof = proof or b"0\n"
        refuted += not possible
        assert refutes(formula, read_proof(proof)).accepted is not possible
        if max(np.abs(read_proof(former).literals), default=0) <= n:
            accepted = refutes(formula, read_proof(former)).accepted
            assert accepted == other_checker(formula, former)
            assert not (accepted and possible)
        lines = proof.splitlines(keepends=True)
        lines.insert(int(random.integers(len(lines))), b"%d 0\n" % (random.integers(1, n + 1) * random.choice([-1, 1])))
        changed = b"".join(lines)
        accepted = refutes(formula, read_proof(changed)).accepted
        assert accepted == other_checker(formula, changed)
        assert not (accepted and possible)
        former = proof
    assert 0.2 * CASES < refuted < 0.8 * CASES


def test_the_check_ends_where_it_is_told_to() -> None:
    """The signal is looked at before anything else."""
    with pytest.raises(StoppedError):
        refutes(pigeons(3), read_proof(b"0\n"), lambda: True)


def test_formulas_survive_being_written() -> None:
    """Variables, clauses, empty ones too, and comments that are passed over."""
    for formula in (pigeons(3), clauses((1,), (), (-2, 1), ()), clauses(), Clauses(7, np.array([-7, 0], np.int32))):
        text = write_formula(formula, ["what 'S' means", ""])
        assert text.startswith(b"c what 'S' means\nc\np cnf ")
        again = read_formula(text)
        assert (again.n_variables, again.literals.tolist()) == (formula.n_variables, formula.literals.tolist())


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"1 0\n",
        b"p cnf 2\n1 0\n",
        b"p cnf 1 1\n2 0\n",
        b"p cnf 2 2\n1 0\n",
        b"p cnf 2 1\n1 2\n",
        b"p cnf 2 1\n1 x 0\n",
        b"p cnf 2 1\n1 - 2 0\n",
        b"p cnf 2 1\n000000000001 0\n",
        b"p cnf 9999999999 1\n1 0\n",
    ],
)
def test_damaged_formulas_are_refused(text: bytes) -> None:
    """Headers, numbers and ends that are not as they must be."""
    with pytest.raises(CertificateError):
        read_formula(text)
