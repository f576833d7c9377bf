"""Reverse unit propagation: does every clause of a proof follow from those before it, by setting forced values alone?

A line of a proof follows if its literals, all taken to be false, force a contradiction (Goldberg and Novikov,
Verification of Proofs of Unsatisfiability for CNF Formulas, DATE 2003, section 3). Propagation watches two literals a
clause (Moskewicz et al., Chaff, DAC 2001, section 2.1); what is forced without an assumption stays on the trail for
good.

A literal is 2 v for the variable v and 2 v + 1 for its negation. The clauses of the formula come first, the lines of
the proof after them, additions and deletions alike.
"""

from typing import NamedTuple

import numpy as np

from solvers.kernels.arrays import Int8Vector, Int32Vector, Int64Vector, int64
from solvers.kernels.compiled import allocating_njit as njit

RUNNING, ACCEPTED, NOT_FORCED, NO_END = 0, 1, 2, 3
"""Not at the end; the empty clause follows; the line does not follow; the proof ends without the empty clause."""

LINE, TRAIL, REFUTED, VISITS, STATUS = range(5)
"""The places of the state: next line, literals on the trail, whether it is contradictory, clauses looked at, end."""


class Book(NamedTuple):
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


@njit(cache=True, nogil=True)
def match_deletions(book: Book) -> None:
    """Drop repeated literals, and find what each deletion takes away: the last equal clause that is left.

    `erased` says -1 for deletions and -2 for additions when it comes in.
    """
    n_lines = len(book.begin)
    n_slots = 1
    while n_slots < n_lines:
        n_slots *= 2
    first = np.full(n_slots, -1, np.int64)
    after = np.full(n_lines, -1, np.int64)
    key = np.empty(n_lines, np.int64)
    stamp = np.full(len(book.head), -1, np.int64)
    for c in range(n_lines):
        unrepeat(book, c, stamp)
        total, mixed = int64(0), int64(0)
        for at in range(book.begin[c], book.begin[c] + book.size[c]):
            scattered = int64(book.literals[at] + 1) * int64(0x5851F42D4C957F2D)
            total += scattered
            mixed ^= scattered >> 7
        key[c] = total ^ mixed
        slot = (key[c] ^ (key[c] >> 29)) & (n_slots - 1)
        if book.erased[c] == -2:
            after[c], first[slot] = first[slot], c
            continue
        before, other = int64(-1), first[slot]
        while other >= 0 and not (key[other] == key[c] and is_same(book, other, c, stamp)):
            before, other = other, after[other]
        book.erased[c] = other
        if other >= 0 and before < 0:
            first[slot] = after[other]
        elif other >= 0:
            after[before] = after[other]


@njit(cache=True, nogil=True)
def unrepeat(book: Book, c: int, stamp: Int64Vector) -> None:
    """Keep the first of equal literals of a clause; `stamp` then marks its literals with `c`."""
    begin, kept = book.begin[c], 0
    for at in range(begin, begin + book.size[c]):
        literal = book.literals[at]
        if stamp[literal] != c:
            stamp[literal] = c
            book.literals[begin + kept] = literal
            kept += 1
    book.size[c] = kept


@njit(cache=True, nogil=True)
def is_same(book: Book, other: int, c: int, stamp: Int64Vector) -> bool:
    """Whether a clause has the literals that are marked with `c`."""
    if book.size[other] != book.size[c]:
        return False
    n_marked = 0
    for at in range(book.begin[other], book.begin[other] + book.size[other]):
        n_marked += stamp[book.literals[at]] == c
    return n_marked == book.size[c]


@njit(cache=True, nogil=True)
def check_lines(book: Book, n_clauses: int, state: Int64Vector, budget: int) -> None:
    """Go on with the check until it ends, or until about `budget` clauses were looked at.

    Parameters
    ----------
    n_clauses : the lines that are clauses of the formula and hold without a check.
    state : int64 (5,), zeros at the start, see `LINE` and its neighbours; STATUS tells how it ended.
    """
    end, n_lines = state[VISITS] + budget, len(book.begin)
    while state[STATUS] == RUNNING and state[VISITS] < end:
        c = state[LINE]
        if c == n_lines:
            state[STATUS] = NO_END
            return
        state[VISITS] += 1
        if book.erased[c] != -2:
            if book.erased[c] >= 0:
                book.gone[book.erased[c]] = True
        elif c >= n_clauses and not is_forced(book, state, c):
            state[STATUS] = NOT_FORCED
            return
        elif c >= n_clauses and book.size[c] == 0:
            state[STATUS] = ACCEPTED
            return
        else:
            add(book, state, c)
        state[LINE] += 1


@njit(cache=True, nogil=True)
def is_forced(book: Book, state: Int64Vector, c: int) -> bool:
    """Whether a contradiction follows where all literals of a clause are false; the trail is as before afterwards."""
    if state[REFUTED]:
        return True
    before, contradiction = state[TRAIL], False
    for at in range(book.begin[c], book.begin[c] + book.size[c]):
        literal = book.literals[at]
        if book.value[literal] == 1:
            contradiction = True
            break
        if book.value[literal] == 0:
            set_true(book, state, literal ^ 1)
    if not contradiction:
        contradiction = propagate(book, state, before)
    for at in range(before, state[TRAIL]):
        literal = book.trail[at]
        book.value[literal] = book.value[literal ^ 1] = 0
    state[TRAIL] = before
    return contradiction


@njit(cache=True, nogil=True)
def add(book: Book, state: Int64Vector, c: int) -> None:
    """Take a clause in; nothing is assumed at this time, so what it forces stays."""
    if state[REFUTED]:
        return
    begin, n_open = book.begin[c], 0
    for at in range(begin, begin + book.size[c]):
        literal = book.literals[at]
        if book.value[literal] == 1:
            return  # it holds for good and will never force anything
        if book.value[literal] == 0:
            if n_open < 2:
                book.literals[at] = book.literals[begin + n_open]
                book.literals[begin + n_open] = literal
            n_open += 1
    if n_open == 0:
        state[REFUTED] = 1
    elif n_open == 1:
        before = state[TRAIL]
        set_true(book, state, book.literals[begin])
        if propagate(book, state, before):
            state[REFUTED] = 1
    else:
        for side in range(2):
            watch(book, 2 * c + side, book.literals[begin + side])


@njit(cache=True, nogil=True)
def set_true(book: Book, state: Int64Vector, literal: int) -> None:
    """Put a literal on the trail."""
    book.value[literal] = 1
    book.value[literal ^ 1] = -1
    book.trail[state[TRAIL]] = literal
    state[TRAIL] += 1


@njit(cache=True, nogil=True)
def watch(book: Book, node: int, literal: int) -> None:
    """Let a clause be looked at once a literal of it is false."""
    book.behind[node] = book.head[literal]
    book.head[literal] = node


@njit(cache=True, nogil=True)
def propagate(book: Book, state: Int64Vector, place: int) -> bool:
    """Set what the trail forces from a place on; whether that is a contradiction."""
    literals, value = book.literals, book.value
    while place < state[TRAIL]:
        false = book.trail[place] ^ 1
        place += 1
        before, node = int64(-1), book.head[false]
        while node >= 0:
            following = book.behind[node]
            c, side = node >> 1, node & 1
            begin = book.begin[c]
            state[VISITS] += 1
            stays = False
            if not book.gone[c]:
                other = literals[begin + 1 - side]
                stays = value[other] == 1
                if not stays:
                    at = new_watch(literals, value, begin, book.size[c])
                    if at >= 0:
                        literals[begin + side], literals[at] = literals[at], false
                        watch(book, node, literals[begin + side])
                    elif value[other] == -1:
                        return True
                    else:
                        set_true(book, state, other)
                        stays = True
            if stays:
                before = node
            elif before < 0:
                book.head[false] = following
            else:
                book.behind[before] = following
            node = following
    return False


@njit(cache=True, nogil=True)
def new_watch(literals: Int32Vector, value: Int8Vector, begin: int, size: int) -> int:
    """The place of a literal that is not false behind the watched ones; -1 where there is none."""
    for at in range(begin + 2, begin + size):
        if value[literals[at]] != -1:
            return at
    return -1
