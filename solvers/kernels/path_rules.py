"""Path rules for the search: which splits are allowed below which others, and their test costs.

A path is represented by the set of its features that a rule mentions, as a bit mask. Whether a split is allowed, and
its test cost, depend on this mask only, not on the rows. So bounds are valid (see docs/methods/contree-bounds.md)
between subsets of the rows at the same node of the same path: the positions of one order at one node.

The exception is `needed`: a split that separates no rows is removed, so with fewer rows a later split may lose a
feature that it needs above it. Lower bounds are computed without this rule, as they are without the minimum leaf size.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int64Vector, int64
from .compiled import njit
from .workspace import FAR

BITS = 62


class PathRuleArrays(NamedTuple):
    """The path rules of F orders, with T tables of test costs and at most G groups of features that share a cost.

    Attributes
    ----------
    number : int64 (F,), the bit of each order's feature, below `BITS`; -1 if no rule mentions it.
    barred : int64 (F,), a mask: an order must not be used below any of these features.
    needed : int64 (F,), a mask: it must be used only below all of these.
    root : int64 (F,), 1 if an order may be at the root.
    own : int64 (T, BITS), the cost of each feature's test, paid once per path.
    members, shared : int64 (T, G), the features of a group as a mask, and the cost that they share, paid once per path.
    limit : int64 (T,), the maximum test cost of a path, FAR for none.
    price : int64 (T,), cost units per unit of test cost and unit of `RankedRows.tested`.
    """

    number: np.ndarray
    barred: np.ndarray
    needed: np.ndarray
    root: np.ndarray
    own: np.ndarray
    members: np.ndarray
    shared: np.ndarray
    limit: np.ndarray
    price: np.ndarray

    @property
    def binds(self) -> bool:
        """Whether any split is forbidden somewhere or has a test cost."""
        return bool(self.barred.any() or self.needed.any() or not self.root.all() or len(self.limit))

    def dearest(self, depth: int, used: int = 0) -> int:
        """The maximum test cost of `depth` more splits on a path, in cost units per unit of `RankedRows.tested`."""
        total = 0
        for own, members, shared, limit, price in zip(
            self.own, self.members, self.shared, self.limit, self.price, strict=True
        ):
            free = np.array([not used >> k & 1 for k in range(BITS)])
            in_group = members[:, None] >> np.arange(BITS) & 1
            unpaid = np.where(members & used == 0, shared, 0)
            each = np.where(free, own + unpaid @ in_group, 0)
            every = int((own * free).sum() + unpaid.sum())
            total += int(price) * min(every, int(np.sort(each)[::-1][:depth].sum()), int(limit))
        return total


def no_ruling(n_orders: int) -> PathRuleArrays:
    """Rules that allow every split everywhere, without test costs."""
    return PathRuleArrays(
        number=np.full(n_orders, -1, np.int64),
        barred=np.zeros(n_orders, np.int64),
        needed=np.zeros(n_orders, np.int64),
        root=np.ones(n_orders, np.int64),
        own=np.zeros((0, BITS), np.int64),
        members=np.zeros((0, 0), np.int64),
        shared=np.zeros((0, 0), np.int64),
        limit=np.zeros(0, np.int64),
        price=np.zeros(0, np.int64),
    )


@njit(cache=True, nogil=True)
def joined(ruling: PathRuleArrays, used: int, f: int) -> int:
    """The mask of a path after a split on an order."""
    number = ruling.number[f]
    return used if number < 0 else used | int64(1) << number


@njit(cache=True, nogil=True)
def cost_of(own: Int64Vector, members: Int64Vector, shared: Int64Vector, used: int) -> int:
    """The test cost of a set of features, a mask, by one table of `PathRuleArrays`."""
    cost = int64(0)
    for k in range(len(own)):
        cost += own[k] if used >> k & 1 else 0
    for g in range(len(members)):
        cost += shared[g] if members[g] & used else 0
    return cost


@njit(cache=True, nogil=True)
def extra_cost(ruling: PathRuleArrays, t: int, used: int, f: int) -> int:
    """What a split on an order adds to the test cost of a path with the mask `used`, by table `t`."""
    number = ruling.number[f]
    if number < 0 or used >> number & 1:
        return int64(0)
    extra = ruling.own[t, number]
    for g in range(ruling.members.shape[1]):
        members = ruling.members[t, g]
        if members >> number & 1 and not members & used:
            extra += ruling.shared[t, g]
    return extra


@njit(cache=True, nogil=True)
def charge(ruling: PathRuleArrays, used: int, top: bool, strict: bool, worth: int, costs: Int64Vector) -> None:
    """Add to the cost of each order the test cost of a split on it right below a path.

    Parameters
    ----------
    used : the features on the path, a mask.
    top : whether the split would be the root.
    strict : whether `needed` is enforced.
    worth : the sum of `RankedRows.tested` over the rows.
    costs : int64 (F,), FAR for an order that cannot split the rows; set to FAR for an order that is not allowed.
    """
    for f in range(len(costs)):
        missing = ruling.needed[f] & ~used
        if ruling.barred[f] & used or (strict and missing) or (top and ruling.root[f] == 0):
            costs[f] = FAR
    for t in range(len(ruling.limit)):
        spent = cost_of(ruling.own[t], ruling.members[t], ruling.shared[t], used)
        for f in range(len(costs)):
            if costs[f] < FAR:
                extra = extra_cost(ruling, t, used, f)
                if spent + extra > ruling.limit[t]:
                    costs[f] = FAR
                else:
                    costs[f] += ruling.price[t] * extra * worth
