"""The arrays of a search whose trees must satisfy constraints that couple their leaves; see `methods.trees.coupled`.

Rows that no question tells apart are one row here. F question orders, n rows, K answers, C classes, Q sums (number 0 is
the objective), T cost tables of tests, J weightings. A mask is a set of columns that a rule speaks of, a bit each.

rows : int32 (F, m), the rows of a node in each order; order : int32 (m,), those in one order.
rank : int32 (n,), the rank of each row of the search in that order; ranks : int32 (F, n), in every order.
side : uint8 (n,), on which side of a split each row is, 0 or 1; wanted : the side that is meant, BOTH_SIDES for all.
f, g : question orders, 0 to F - 1, g for a question below one of order f; last : the highest rank on the first side.
used : the columns on the path to the rows, as a mask; spent : int64 (T,), what the tests on it cost; extra : int64
    (T,), what a question adds to that; t : a cost table, 0 to T - 1.
added : int64 (Q,), what a split adds to the sums; prices : int64 (J,), what it adds to the weighted sums.
budgets : int64 (J,), the most that weighted sums may be; active : bool (Q,), the sums by which trees are compared, or
    empty where all trees are kept.
depth : the most questions on a path; k : an answer, 0 to K - 1.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int64Vector
from .compiled import njit
from .path_rules import PathRuleArrays, extra_cost


class LeafRules(NamedTuple):
    """What the rows of a leaf must be like.

    Attributes
    ----------
    least : int64 (2,), the least number of rows and the least weight.
    number : int64 (n,), how many rows of the table each row stands for; by_class : int64 (n, C), their weight.
    pure : int64 (R, 3), answer (-1 for all), numerator and denominator of the least share of the answer's class.
    together : int64 (P, 2), rows that must share a leaf; apart : int64 (P, 2), rows that must not.
    """

    least: np.ndarray
    number: np.ndarray
    by_class: np.ndarray
    pure: np.ndarray
    together: np.ndarray
    apart: np.ndarray


class TreeRules(NamedTuple):
    """What the questions of a whole tree must be like.

    Attributes
    ----------
    column_mark : int64 (F,), the bit of each order whose use is limited; seen : int64 (F,), of each that must appear.
    climb : int64 (F, K), the place of each answer in an order that may not fall from the first side to the second; all
        0 where there is none.
    trim : int64 (), 1 where trees that give one answer everywhere need no questions, if all trees are kept.
    never : int64 (P,), masks of which a tree may not ask about all columns.
    most : int64 (), the largest number of different columns.
    """

    column_mark: np.ndarray
    seen: np.ndarray
    climb: np.ndarray
    trim: np.ndarray
    never: np.ndarray
    most: np.ndarray


class Sums(NamedTuple):
    """What is added up.

    Attributes
    ----------
    rank : int32 (F, n), the question orders.
    amount : int64 (n, K, Q), what a row adds by the answer of its leaf.
    per_split : int64 (Q,), what a split adds.
    test : int64 (Q,), the cost table of which each split adds its price, -1 for none; `test_weight` : int64 (T, n),
        how often it is paid for a row.
    """

    rank: np.ndarray
    amount: np.ndarray
    per_split: np.ndarray
    test: np.ndarray
    test_weight: np.ndarray


class Bundle(NamedTuple):
    """Weighted sums whose least values are known, which is what rules subtrees out.

    Attributes
    ----------
    cost : int64 (J, n, K), what a row adds to each weighted sum by the answer; the least of the answers is 0.
    split : int64 (J,), what a split adds; price : int64 (J, T), how often a split adds its price of a cost table.
    reach : int64 (n,), how much a row can change the first weighted sum.
    """

    cost: np.ndarray
    split: np.ndarray
    price: np.ndarray
    reach: np.ndarray


@njit(cache=True, nogil=True)
def may_ask(ruling: PathRuleArrays, used: int, spent: Int64Vector, f: int, extra: Int64Vector) -> bool:
    """Whether a question of an order may follow a path; writes what it adds to the cost of the path.

    Parameters
    ----------
    used : the columns of the path; spent : int64 (T,), what it costs; extra : int64 (T,), written.
    """
    if used & ruling.barred[f] or ruling.needed[f] & ~used:
        return False
    for t in range(len(spent)):
        extra[t] = extra_cost(ruling, t, used, f)
        if spent[t] + extra[t] > ruling.limit[t]:
            return False
    return True
