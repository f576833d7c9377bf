"""Path rules for the search: which questions may be asked right below which others, and at what price.

A path is known by the set of its columns that a rule speaks of, as a mask of bits. Whether a question may be asked, and
what it adds to the cost of the tests, depends on that mask alone and not on the rows. So the bounds of the search stand
(see docs/methods/contree.md) as long as they pass between parts of the rows at the same place of the same path: the
positions of one order at one node.

Only 'needed below' is otherwise: a question that all rows answer alike is not asked, so fewer rows may lose what a
later question needs. Bounds are taken without this rule, as they are without the minimum leaf size.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int64Vector, int64
from .compiled import njit
from .workspace import FAR

BITS = 62


class PathRuleArrays(NamedTuple):
    """The path rules of F orders, with T tables of test costs and at most G groups of columns that share a cost.

    Attributes
    ----------
    number : int64 (F,), the bit number of each order's column, below `BITS`; -1 where no rule needs to know it.
    barred : int64 (F,), a mask: an order may not be asked below any of these columns.
    needed : int64 (F,), a mask: it may be asked only below all of these.
    root : int64 (F,), 1 where an order may be asked at the root.
    own : int64 (T, BITS), what the test of each column costs, paid once on a path.
    members, shared : int64 (T, G), the columns of a group as a mask, and what they share: paid once on a path.
    limit : int64 (T,), what no path may exceed, FAR for none.
    price : int64 (T,), what a row pays a unit of test cost and of `Rows.tested`, in cost units.
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
        """Whether any question is forbidden somewhere or has a price."""
        return bool(self.barred.any() or self.needed.any() or not self.root.all() or len(self.limit))

    def dearest(self, depth: int, used: int = 0) -> int:
        """What one path of so many further questions can cost a row at most, in cost units a unit of `Rows.tested`."""
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
    """Every question may be asked everywhere, and is free."""
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
    """The columns of a path after a question of an order."""
    number = ruling.number[f]
    return used if number < 0 else used | int64(1) << number


@njit(cache=True, nogil=True)
def extra_cost(ruling: PathRuleArrays, t: int, used: int, f: int) -> int:
    """What asking a question of an order adds to the cost of a path with the columns `used`, by table `t`."""
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
    """Add to the cost of each order what asking it right below a path costs rows of a total `Rows.tested`.

    Parameters
    ----------
    used : the columns on the path, a mask.
    top : whether the question would be the root.
    strict : whether `needed` holds.
    worth : the sum of `Rows.tested`.
    costs : int64 (F,), FAR where an order cannot be asked; it becomes FAR where it may not be asked.
    """
    for f in range(len(costs)):
        missing = ruling.needed[f] & ~used
        if ruling.barred[f] & used or (strict and missing) or (top and ruling.root[f] == 0):
            costs[f] = FAR
    for t in range(len(ruling.limit)):
        spent = int64(0)
        for k in range(ruling.own.shape[1]):
            spent += ruling.own[t, k] if used >> k & 1 else 0
        for g in range(ruling.members.shape[1]):
            spent += ruling.shared[t, g] if ruling.members[t, g] & used else 0
        for f in range(len(costs)):
            if costs[f] < FAR:
                extra = extra_cost(ruling, t, used, f)
                if spent + extra > ruling.limit[t]:
                    costs[f] = FAR
                else:
                    costs[f] += ruling.price[t] * extra * worth
