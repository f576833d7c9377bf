"""Formulas and boxes of claims, held to trying everything; each is written or checked twice by code of its own."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from solvers.certificates.box_checker import proves
from solvers.certificates.cases import Cases
from solvers.certificates.claims import Claim
from solvers.certificates.dimacs import Clauses, read_proof
from solvers.certificates.proof_checker import StoppedError, refutes
from solvers.certificates.proof_draft import box_table, deciding_cases, formula_of, refute
from solvers.certificates.rebuilt_formula import Rebuilt, differ
from solvers.errors import CertificateError
from tests.case_count import case_count
from tests.certificates.tables import NONE, asked_of, checkerboard, random_problem, smallest

CASES = case_count(30)


def claims(seed: int) -> list[Claim]:
    """Claims about a table, true ones and false ones."""
    random = np.random.default_rng(seed)
    depths = random.integers(0, 4, 3).tolist()
    return [
        Claim(depth, None if n == 0 else n) for depth, n in zip(depths, random.integers(0, 7, 3).tolist(), strict=True)
    ]


def holds(best: dict[int, int], claim: Claim) -> bool:
    """Whether there is no such tree."""
    return best[claim.depth] > (NONE - 1 if claim.leaves is None else claim.leaves)


@pytest.mark.parametrize("seed", range(CASES))
def test_formulas_say_what_is_claimed(seed: int) -> None:
    """Written twice it is the same formula, and it can be refuted exactly where trying everything finds no tree."""
    distinct, cases = asked_of(random_problem(seed))
    random = np.random.default_rng(seed)
    some = np.sort(
        random.choice(distinct.n_cases, max(2, distinct.n_cases - int(random.integers(0, 4))), replace=False)
    )
    for claim in claims(seed):
        for used in (np.arange(distinct.n_cases), some):
            if len(set(distinct.label[used].tolist())) < 2:
                continue
            formula = formula_of(distinct, used, claim)
            again = Rebuilt(cases, used.tolist(), claim)
            assert differ(formula, again.clauses) == ""
            assert again.blocks[0][1] == 1 and again.blocks[-1][2] == formula.n_variables
            proof = refute(formula)
            assert (proof is not None) == holds(smallest(cases, used.tolist()), claim), (claim, used)
            assert proof is None or refutes(again.clauses, read_proof(proof)).accepted


@pytest.mark.parametrize("seed", range(CASES))
def test_deciding_cases_decide(seed: int) -> None:
    """They are found exactly where the claim holds, and there is no such tree for them alone."""
    distinct, cases = asked_of(random_problem(seed))
    if len(set(distinct.label.tolist())) < 2:
        return
    best = smallest(cases)
    for claim in claims(seed):
        used = deciding_cases(distinct, claim)
        assert (used is not None) == holds(best, claim)
        if used is not None:
            assert used.tolist() == sorted(set(used.tolist()))
            assert holds(smallest(cases, used.tolist()), claim)


@pytest.mark.parametrize("seed", range(CASES))
def test_boxes_prove_what_holds(seed: int) -> None:
    """There is a table exactly where the claim holds; it proves that claim and none that does not hold."""
    distinct, cases = asked_of(random_problem(seed))
    best = smallest(cases)
    for claim in claims(seed):
        table = box_table(distinct, claim)
        assert (table is not None) == holds(best, claim)
        if table is None:
            continue
        assert proves(cases, claim, table).accepted
        for other in (Claim(claim.depth + 1, claim.leaves), Claim(claim.depth, (claim.leaves or 99) + 1)):
            assert not proves(cases, other, table).accepted or holds(best, other)


def rewritten(file: bytes, **changed: Any) -> bytes:
    """A table of boxes with other arrays."""
    with np.load(io.BytesIO(file)) as parts:
        arrays = {**parts, **changed}
    out = io.BytesIO()
    np.savez(out, **{name: array for name, array in arrays.items() if array is not None})
    return out.getvalue()


@pytest.mark.parametrize("claim", [Claim(3), Claim(4, 15)])
def test_no_number_of_a_table_may_be_larger(claim: Claim) -> None:
    """On a checkerboard every number counts: raised by one, the table is rejected or says nothing new."""
    distinct, cases = asked_of(checkerboard())
    file = box_table(distinct, claim)
    with np.load(io.BytesIO(file)) as parts:
        table = parts["table"]
    rejected = 0
    for at in range(table.size):
        raised = table.copy()
        raised.flat[at] += 1
        rejected += not proves(cases, claim, rewritten(file, table=raised)).accepted
    assert rejected > 0.5 * table.size
    assert proves(cases, claim, file).accepted
    # a table that claims one more of everything is no proof of more
    more = Claim(claim.depth + 1) if claim.leaves is None else Claim(claim.depth, 16)
    assert not proves(cases, more, rewritten(file, table=table + 1)).accepted


def test_damaged_tables_are_rejected() -> None:
    """Half a file, missing states, other kinds of numbers, states without all values, and other cases."""
    distinct, cases = asked_of(checkerboard())
    claim, n = Claim(3), len(cases.labels)
    file = box_table(distinct, claim)
    with np.load(io.BytesIO(file)) as parts:
        table, states = parts["table"], parts["states_0"]
    damaged = [
        file[: len(file) // 2],
        b"",
        rewritten(file, states_0=None),
        rewritten(file, table=table.astype(np.int64)),
        rewritten(file, table=table[:-1]),
        rewritten(file, states_0=states[:-1], table=table[:-1]),
        rewritten(file, states_0=states[1:], table=table[1:]),
        rewritten(file, states_0=states[::-1]),
        rewritten(file, states_0=np.array(list("abcdefghij"), object)),
    ]
    assert [proves(cases, claim, given).accepted for given in damaged] == [False] * len(damaged)
    flat = Cases(cases.orders, cases.classes, cases.ranks, (*cases.labels[: n - 1], 1 - cases.labels[-1]), None)
    assert not proves(flat, Claim(3), file).accepted or holds(smallest(flat), Claim(3))
    plain = Cases(cases.orders, cases.classes, cases.ranks, tuple(ranks[0] % 2 for ranks in cases.ranks), None)
    assert not proves(plain, Claim(3), file).accepted


def test_searches_end_where_they_are_told_to() -> None:
    """The signal ends formulas, refutations and boxes."""
    distinct, _ = asked_of(checkerboard())
    with pytest.raises(StoppedError):
        deciding_cases(distinct, Claim(3), lambda: True)
    with pytest.raises(StoppedError):
        refute(formula_of(distinct, np.arange(16), Claim(3)), lambda: True)


def test_formulas_that_differ_are_told_apart() -> None:
    """Variables, the number of clauses, or the clauses themselves."""
    one = Clauses(3, np.array([1, 2, 0, -3, 0], np.int32))
    assert differ(one, Clauses(3, np.array([-3, 0, 2, 1, 0, -3, 0], np.int32))) == ""
    assert "4 variables" in differ(Clauses(4, one.literals), one)
    assert "1 literals there are 0 instead of 1" in differ(Clauses(3, one.literals[:3]), one)
    assert "other ones" in differ(Clauses(3, np.array([1, 3, 0, -3, 0], np.int32)), one)


def test_claims_are_about_trees() -> None:
    """A depth is not negative, and a tree has a leaf."""
    for depth, leaves in ((-1, None), (2, 0)):
        with pytest.raises(CertificateError):
            Claim(depth, leaves)
    assert Claim(2, 3).words == "No tree of depth at most 2 with at most 5 nodes gets all cases right."
