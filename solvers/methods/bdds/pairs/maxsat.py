"""The pairs as weighted partial MaxSAT, solved by RC2 (Ignatiev, Morgado and Marques-Silva 2019).

With x_f for 'feature f is asked about' and r_p for 'point p is passed over':

    hard   x_1 + ... + x_K <= H                               (totalizer, Bailleux and Boufkhad 2003)
    hard   r_p or r_q or some x_f with p_f != q_f             for each known pair (p, q) of different classes
    soft   not r_p, of weight w_p                             for each point p
    hard   which columns exclude each other, and how many may be asked about

RC2 proves cores one after the other, and what they cost together is a lower bound at any time. Its solution satisfies
the pairs that it knows; where it would not pay for all others it is told some of those, and goes on from where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from solvers.constraints.rules import FewColumns, NeverBoth
from solvers.methods.bdds.pairs.points import SeparatedPairs
from solvers.methods.bdds.pairs.search import PairSearch
from solvers.methods.search.watch import Watch

if TYPE_CHECKING:
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

ALL_PAIRS = 60_000
"""So many pairs are told at once; of more only those that turn out to be needed."""


def by_maxsat(search: PairSearch) -> None:
    """Search until incumbent and bound meet, or until the end."""
    pairs = search.pairs
    first = pairs.everything() if search.points.n_pairs <= ALL_PAIRS else pairs.nearest()
    with _solver(search, first) as rc2:
        _follow(rc2, search.raise_bound)
        rounds = 0
        while not search.context.over:
            with Watch(rc2.interrupt, lambda: search.context.over):
                model = rc2.compute(expect_interrupt=True)
            if model is None:
                break
            rounds += 1
            true = np.array([literal > 0 for literal in model[: search.points.n_features + len(search.points)]])
            chosen, paid = np.flatnonzero(true[: search.points.n_features]), true[search.points.n_features :]
            search.raise_bound(rc2.cost)
            search.offer(chosen)
            fresh = pairs.enforcing(search.points.cells(chosen), paid)
            for clause in _clauses(fresh, search.points.n_features):
                rc2.add_clause(clause)
        search.context.stats |= {"rounds": rounds, "sat_calls": rc2.oracle.accum_stats()}


def _solver(search: PairSearch, first: SeparatedPairs) -> RC2:
    from pysat.card import CardEnc, EncType
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    n_features, n_points = search.points.n_features, len(search.points)
    formula = WCNF()
    formula.extend([[-(n_features + p + 1)] for p in range(n_points)], search.points.weight.tolist())
    formula.extend(_clauses(first, n_features))
    if search.depth < n_features:
        features = list(range(1, n_features + 1))
        encoded = CardEnc.atmost(features, search.depth, top_id=n_features + n_points, encoding=EncType.totalizer)
        formula.extend(encoded.clauses)
    _exclude(search, formula)
    return RC2(formula, solver="g4", adapt=True, exhaust=True, minz=True, trim=5)


def _exclude(search: PairSearch, formula: WCNF) -> None:
    """Post the rules about columns, with a variable for each that is true at least where a question is about it."""
    from pysat.card import CardEnc, EncType

    rules, family = search.posted.rules, search.posted.features.family.tolist()
    uses = [formula.nv + 1 + column for column in range(search.n_columns)]
    if not uses:
        return
    formula.extend([[-(f + 1), uses[column]] for f, column in enumerate(family)])
    present = set(family)
    for both in rules.of(NeverBoth):
        if {both.first, both.second} <= present:
            formula.append([-uses[both.first], -uses[both.second]])
    for few in rules.of(FewColumns):
        if few.most < len(uses):
            top = max(formula.nv, uses[-1])
            formula.extend(CardEnc.atmost(uses, few.most, top_id=top, encoding=EncType.totalizer).clauses)


def _clauses(pairs: SeparatedPairs, n_features: int) -> list[list[int]]:
    """A clause for each pair; features are the variables 1, 2, ..., points come after them."""
    row, feature = np.nonzero(pairs.features)
    ends = np.searchsorted(row, np.arange(len(pairs.first) + 1)).tolist()
    literals = (feature + 1).tolist()
    passed = (np.column_stack([pairs.first, pairs.second]) + n_features + 1).tolist()
    return [[*both, *literals[a:b]] for both, a, b in zip(passed, ends, ends[1:], strict=False)]


def _follow(rc2: RC2, report: Callable[[int], None]) -> None:
    """Tell what the cores cost together whenever there is another one."""
    process = rc2.process_core

    def process_and_report() -> None:
        process()
        report(rc2.cost)

    rc2.process_core = process_and_report
