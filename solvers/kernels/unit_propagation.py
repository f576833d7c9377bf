"""Reverse unit propagation: does every clause of a proof follow from those before it, by setting forced values alone?

A line of a proof follows if its literals, all taken to be false, force a contradiction (Goldberg and Novikov,
Verification of Proofs of Unsatisfiability for CNF Formulas, DATE 2003, section 3). Propagation watches two literals a
clause (Moskewicz et al., Chaff, DAC 2001, section 2.1); what is forced without an assumption stays on the trail for
good.

A literal is 2 v for the variable v and 2 v + 1 for its negation. The clauses of the formula come first, the lines of
the proof after them, additions and deletions alike.

state : int64 (5,), see below; c : the number of a clause; literal : see above.
stamp : int64 (n_literals,), by literal the clause that it was last seen in, -1 for none.
"""

from typing import NamedTuple

import numpy as np

from solvers.kernels.arrays import Int8Vector, Int32Vector, Int64Vector, int64
from solvers.kernels.compiled import allocating_njit, njit

RUNNING, ACCEPTED, NOT_FORCED, NO_END = 0, 1, 2, 3
"""Not at the end; the empty clause follows; the line does not follow; the proof ends without the empty clause."""

LINE, TRAIL, REFUTED, VISITS, STATUS = range(5)
"""The places of the state: next line, literals on the trail, whether it is contradictory, clauses looked at, end."""


class ClauseDatabase(NamedTuple):
    """Formula, proof, and what is known of them; changed in place.

    literals : int32, of all clauses; the two watched ones stand first.
    begin, size : int64 (n_lines,), where a clause stands, and its number of different literals.
    erased : int64 (n_lines,), of a deletion the clause that it takes away, -1 where there is none; -2 for an addition.
    gone : bool (n_lines,), what was taken away.
    value : int8 (n_literals,), 1 true, -1 false, 0 open.
    trail : int32 (n_variables + 1,), the true literals in the order of their setting.
    head : int64 (n_literals,), the first watch of each literal; behind : int64 (2 n_lines,), the next; -1 for none.
    """

    literals: np.ndarray
    begin: np.ndarray
    size: np.ndarray
    erased: np.ndarray
    gone: np.ndarray
    value: np.ndarray
    trail: np.ndarray
    head: np.ndarray
    behind: np.ndarray


@allocating_njit(cache=True, nogil=True)
def match_deletions(clauses: ClauseDatabase) -> None:
    """Drop repeated literals, and find what each deletion takes away: the last equal clause that is left.

    `erased` says -1 for deletions and -2 for additions when it comes in.
    """
    n_lines = len(clauses.begin)
    n_slots = 1
    while n_slots < n_lines:
        n_slots *= 2
    first = np.full(n_slots, -1, np.int64)
    after = np.full(n_lines, -1, np.int64)
    key = np.empty(n_lines, np.int64)
    stamp = np.full(len(clauses.head), -1, np.int64)
    for c in range(n_lines):
        unrepeat(clauses, c, stamp)
        total, mixed = int64(0), int64(0)
        for at in range(clauses.begin[c], clauses.begin[c] + clauses.size[c]):
            scattered = int64(clauses.literals[at] + 1) * int64(0x5851F42D4C957F2D)
            total += scattered
            mixed ^= scattered >> 7
        key[c] = total ^ mixed
        slot = (key[c] ^ (key[c] >> 29)) & (n_slots - 1)
        if clauses.erased[c] == -2:
            after[c], first[slot] = first[slot], c
            continue
        before, other = int64(-1), first[slot]
        while other >= 0 and not (key[other] == key[c] and is_same(clauses, other, c, stamp)):
            before, other = other, after[other]
        clauses.erased[c] = other
        if other >= 0 and before < 0:
            first[slot] = after[other]
        elif other >= 0:
            after[before] = after[other]


@njit(cache=True, nogil=True)
def unrepeat(clauses: ClauseDatabase, c: int, stamp: Int64Vector) -> None:
    """Keep the first of equal literals of a clause; `stamp` then marks its literals with `c`."""
    begin, kept = clauses.begin[c], 0
    for at in range(begin, begin + clauses.size[c]):
        literal = clauses.literals[at]
        if stamp[literal] != c:
            stamp[literal] = c
            clauses.literals[begin + kept] = literal
            kept += 1
    clauses.size[c] = kept


@njit(cache=True, nogil=True)
def is_same(clauses: ClauseDatabase, other: int, c: int, stamp: Int64Vector) -> bool:
    """Whether the clause `other` has the literals that are marked with `c`."""
    if clauses.size[other] != clauses.size[c]:
        return False
    n_marked = 0
    for at in range(clauses.begin[other], clauses.begin[other] + clauses.size[other]):
        n_marked += stamp[clauses.literals[at]] == c
    return n_marked == clauses.size[c]


@njit(cache=True, nogil=True)
def check_lines(clauses: ClauseDatabase, n_clauses: int, state: Int64Vector, budget: int) -> None:
    """Go on with the check until it ends, or until about `budget` clauses were looked at.

    Parameters
    ----------
    n_clauses : the lines that are clauses of the formula and hold without a check.
    state : int64 (5,), zeros at the start, see `LINE` and its neighbours; STATUS tells how it ended.
    """
    end, n_lines = state[VISITS] + budget, len(clauses.begin)
    while state[STATUS] == RUNNING and state[VISITS] < end:
        c = state[LINE]
        if c == n_lines:
            state[STATUS] = NO_END
            return
        state[VISITS] += 1
        if clauses.erased[c] != -2:
            if clauses.erased[c] >= 0:
                clauses.gone[clauses.erased[c]] = True
        elif c >= n_clauses and not is_forced(clauses, state, c):
            state[STATUS] = NOT_FORCED
            return
        elif c >= n_clauses and clauses.size[c] == 0:
            state[STATUS] = ACCEPTED
            return
        else:
            add(clauses, state, c)
        state[LINE] += 1


@njit(cache=True, nogil=True)
def is_forced(clauses: ClauseDatabase, state: Int64Vector, c: int) -> bool:
    """Whether a contradiction follows where all literals of a clause are false; the trail is as before afterwards."""
    if state[REFUTED]:
        return True
    before, contradiction = state[TRAIL], False
    for at in range(clauses.begin[c], clauses.begin[c] + clauses.size[c]):
        literal = clauses.literals[at]
        if clauses.value[literal] == 1:
            contradiction = True
            break
        if clauses.value[literal] == 0:
            set_true(clauses, state, literal ^ 1)
    if not contradiction:
        contradiction = propagate(clauses, state, before)
    for at in range(before, state[TRAIL]):
        literal = clauses.trail[at]
        clauses.value[literal] = clauses.value[literal ^ 1] = 0
    state[TRAIL] = before
    return contradiction


@njit(cache=True, nogil=True)
def add(clauses: ClauseDatabase, state: Int64Vector, c: int) -> None:
    """Take a clause in; nothing is assumed at this time, so what it forces stays."""
    if state[REFUTED]:
        return
    begin, n_open = clauses.begin[c], 0
    for at in range(begin, begin + clauses.size[c]):
        literal = clauses.literals[at]
        if clauses.value[literal] == 1:
            return  # it holds for good and will never force anything
        if clauses.value[literal] == 0:
            if n_open < 2:
                clauses.literals[at] = clauses.literals[begin + n_open]
                clauses.literals[begin + n_open] = literal
            n_open += 1
    if n_open == 0:
        state[REFUTED] = 1
    elif n_open == 1:
        before = state[TRAIL]
        set_true(clauses, state, clauses.literals[begin])
        if propagate(clauses, state, before):
            state[REFUTED] = 1
    else:
        for side in range(2):
            watch(clauses, 2 * c + side, clauses.literals[begin + side])


@njit(cache=True, nogil=True)
def set_true(clauses: ClauseDatabase, state: Int64Vector, literal: int) -> None:
    """Put a literal on the trail."""
    clauses.value[literal] = 1
    clauses.value[literal ^ 1] = -1
    clauses.trail[state[TRAIL]] = literal
    state[TRAIL] += 1


@njit(cache=True, nogil=True)
def watch(clauses: ClauseDatabase, node: int, literal: int) -> None:
    """Let a clause c be looked at once a literal of it is false; `node` : 2 c or 2 c + 1, the watch."""
    clauses.behind[node] = clauses.head[literal]
    clauses.head[literal] = node


@njit(cache=True, nogil=True)
def propagate(clauses: ClauseDatabase, state: Int64Vector, place: int) -> bool:
    """Set what the trail forces from a `place` on; whether that is a contradiction."""
    literals, value = clauses.literals, clauses.value
    while place < state[TRAIL]:
        false = clauses.trail[place] ^ 1
        place += 1
        before, node = int64(-1), clauses.head[false]
        while node >= 0:
            following = clauses.behind[node]
            c, side = node >> 1, node & 1
            begin = clauses.begin[c]
            state[VISITS] += 1
            stays = False
            if not clauses.gone[c]:
                other = literals[begin + 1 - side]
                stays = value[other] == 1
                if not stays:
                    at = new_watch(literals, value, begin, clauses.size[c])
                    if at >= 0:
                        literals[begin + side], literals[at] = literals[at], false
                        watch(clauses, node, literals[begin + side])
                    elif value[other] == -1:
                        return True
                    else:
                        set_true(clauses, state, other)
                        stays = True
            if stays:
                before = node
            elif before < 0:
                clauses.head[false] = following
            else:
                clauses.behind[before] = following
            node = following
    return False


@njit(cache=True, nogil=True)
def new_watch(literals: Int32Vector, value: Int8Vector, begin: int, size: int) -> int:
    """The place of a literal that is not false behind the watched ones; -1 where there is none.

    literals, value : see `ClauseDatabase`; begin, size : where the clause begins, and its number of literals.
    """
    for at in range(begin + 2, begin + size):
        if value[literals[at]] != -1:
            return at
    return -1
