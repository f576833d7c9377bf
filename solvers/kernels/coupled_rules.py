"""The arrays of a search for trees with constraints that couple their leaves; see `methods.trees.coupled`.

Rows with equal features are merged into one. Dimensions: F orders, n rows, K predictions, C classes, Q sums (sum 0 is
the objective), T tables of test costs, J weightings. A mask is a set of the features that rules mention, one bit each.

rows : int32 (F, m), the rows of a node in each order; order : int32 (m,), the same in one order.
rank : int32 (n,), the rank of each row of the search in that order; ranks : int32 (F, n), in every order.
side : uint8 (n,), the side of a split of each row, 0 or 1; wanted : a side, or BOTH_SIDES for all rows.
f, g : orders, 0 to F - 1; g is the order of a split below a split on f; last : the highest rank on the first side.
used : the features on the path to the rows, as a mask; spent : int64 (T,), the test costs of that path; extra : int64
    (T,), what a split adds to them; t : a table, 0 to T - 1.
added : int64 (Q,), what a split adds to the sums; prices : int64 (J,), what it adds to the weighted sums.
budgets : int64 (J,), the upper limits of the weighted sums; active : bool (Q,), the sums by which trees are compared;
    empty if all trees are kept.
depth : the maximum depth; k : a prediction, 0 to K - 1.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int64Vector
from .compiled import njit
from .path_rules import PathRuleArrays, extra_cost


class LeafRules(NamedTuple):
    """What each leaf must satisfy.

    Attributes
    ----------
    least : int64 (2,), the minimum number of rows and the minimum weight.
    number : int64 (n,), how many rows of the table are merged into each row; by_class : int64 (n, C), their weight by
        class.
    pure : int64 (R, 3), the prediction (-1 for all), and numerator and denominator of the minimum share of its class.
    together : int64 (P, 2), must-link pairs of rows; apart : int64 (P, 2), cannot-link pairs.
    """

    least: np.ndarray
    number: np.ndarray
    by_class: np.ndarray
    pure: np.ndarray
    together: np.ndarray
    apart: np.ndarray


class TreeRules(NamedTuple):
    """What the splits of a whole tree must satisfy.

    Attributes
    ----------
    column_mark : int64 (F,), the bit of each order whose use is limited; seen : int64 (F,), of each order that must
        appear.
    climb : int64 (F, K), a rank of each prediction that must not decrease from the first side to the second; all 0
        without such a rule.
    trim : int64 (), 1 if a tree with a single prediction must be one leaf, when all trees are kept.
    few : int64 (P, 2), a mask, and how many of its features a tree may use.
    """

    column_mark: np.ndarray
    seen: np.ndarray
    climb: np.ndarray
    trim: np.ndarray
    few: np.ndarray


class Sums(NamedTuple):
    """The sums that limits and the objective are about.

    Attributes
    ----------
    rank : int32 (F, n), the rank of each row in each order.
    amount : int64 (n, K, Q), what a row adds, by the prediction of its leaf.
    per_split : int64 (Q,), what a split adds.
    test : int64 (Q,), the table whose test costs a sum includes, -1 for none; `test_weight` : int64 (T, n), how often a
        row pays them.
    """

    rank: np.ndarray
    amount: np.ndarray
    per_split: np.ndarray
    test: np.ndarray
    test_weight: np.ndarray


class Bundle(NamedTuple):
    """Weighted sums with known minimum values; subtrees above a budget of one are pruned.

    Attributes
    ----------
    cost : int64 (J, n, K), what a row adds to each weighted sum, by prediction; the minimum over the predictions is 0.
    split : int64 (J,), what a split adds; price : int64 (J, T), how often a split adds its test cost of a table.
    reach : int64 (n,), the largest change of the first weighted sum by a row.
    """

    cost: np.ndarray
    split: np.ndarray
    price: np.ndarray
    reach: np.ndarray


class CoupledRules(NamedTuple):
    """The problem: the rules of paths, leaves and trees, the sums, and the weighted sums with known minima."""

    ruling: PathRuleArrays
    leaves: LeafRules
    trees: TreeRules
    sums: Sums
    bundle: Bundle


@njit(cache=True, nogil=True)
def may_ask(ruling: PathRuleArrays, used: int, spent: Int64Vector, f: int, extra: Int64Vector) -> bool:
    """Whether a split on an order may follow a path; writes what it adds to the test costs of the path.

    Parameters
    ----------
    used : the features on the path; spent : int64 (T,), its test costs; extra : int64 (T,), written.
    """
    if used & ruling.barred[f] or ruling.needed[f] & ~used:
        return False
    for t in range(len(spent)):
        extra[t] = extra_cost(ruling, t, used, f)
        if spent[t] + extra[t] > ruling.limit[t]:
            return False
    return True
