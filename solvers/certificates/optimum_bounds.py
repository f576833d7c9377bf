"""Lower bounds on the cost of all trees, for checking a certificate, with numpy and the standard library.

A certificate holds a tree, its cost, and `cases.csv`: distinct cases with their rank in each order of splits, the
number and weight of their rows, and the cost of each prediction. A split sends the cases of rank at most r to one side.
With a table, the cases are computed from it instead. Nothing is trusted: the cost of the tree is counted, and a bound
is computed from the cases. C(S, d) is the minimum cost of a tree of depth at most d for the cases S.

1. *Leaf.* C(S, 0) is the least sum over the predictions; a prediction that costs no case less than another one is
   left out.
2. *Stump.* C(S, 1) follows from the cumulative costs along each order. Thresholds between ranks whose cases have
   proportional costs need not be tried: the cost is concave there.
3. *Spread.* Let L(p) be the minimum cost of the cases at or below threshold p of an order, and W(p) the sum of their
   largest costs. More cases never cost less, and a case costs at most its largest cost, so
   L(p) >= L(c) - max(0, W(c) - W(p)); the other side R is symmetric.
4. *Cover.* A tree whose root splits along an order costs at least min over p of L(p) + R(p), by the bounds of rule 3
   for all p, plus the split penalty. If that is too low, L and R are computed in the middle of each run of
   thresholds that are too low, or for depth two at its thirds, until none is too low.
5. *Minimum rows and weight of a leaf.* A tree whose leaves have enough rows among fewer cases has them among more, so
   by rule 3 its bounds spread to fewer cases only; the bounds without these limits are also valid, and spread in
   both directions.
6. *Multipliers.* For any integers t >= 0 and u >= 1: a tree whose sums q are at most their limits b has
   u cost >= (u cost + t q) - t b, and the minimum of u cost + t q over all trees is that of modified costs. The
   same is true of the number of splits, if each one costs t more. Fractions of u are rounded up, as costs are integers.
7. *Path rules* depend only on the columns on a path, so the same splits are allowed below all thresholds of an order.
   A split with an empty side for fewer cases can be left out, and everything below it is still allowed, so rule 3 is
   valid; except for 'only below', which is treated as a limit of rule 5. Fixed first splits divide the cases first.
8. *Smaller trees.* Count each cost n + 1 times and each split once. If every tree then costs at least
   (n + 1) c + n + 1, none of at most n splits costs c or less.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

EXACT, NEVER, BATCH, MISSING = 2**52, 2**60, 60_000, sys.float_info.max
KNOWN = float(np.nextafter(MISSING, 0))
Above = frozenset[str]
"""The columns of the splits above a node."""


class RejectedError(Exception):
    """The certificate is damaged, or its tree is not allowed; the message says which."""


class UndecidedError(Exception):
    """The check was stopped before it was complete."""


class Cases:
    """Distinct cases: ranks, rows and weight (2), and costs, int64 (n_cases, ...). `base` sums the minimum costs."""

    def __init__(self, ranks: np.ndarray, counts: np.ndarray, cost: np.ndarray) -> None:
        if not cost.size or cost.min() < 0 or ranks.min(initial=0) < 0 or counts.min(initial=1) < 0:
            raise RejectedError("Ranks, rows, weights and costs are whole numbers of at least 0, and there are some.")
        most = max(1, ranks.shape[1]) * max(cost.max(axis=1).sum(dtype=float), *counts.sum(axis=0, dtype=float))
        if most > EXACT or ranks.max(initial=0) >= len(ranks):
            raise RejectedError("Costs, rows or ranks are too large to be counted exactly.")
        ranks = ranks if ranks.shape[1] else np.zeros((len(ranks), 1), np.int64)  # an order without thresholds
        self.ranks, self.base = np.ascontiguousarray(ranks.T), int(cost.min(axis=1).sum())
        self.cost, self.counts = (cost - cost.min(axis=1, keepdims=True)).T.copy(), counts.T.copy()
        reach, self.small = self.cost.max(axis=0), np.int32 if most < 2**30 else np.int64
        proportion = self.cost // np.maximum(np.gcd.reduce(self.cost, axis=0), 1)
        self.ray = np.unique(proportion, axis=1, return_inverse=True)[1].ravel()
        self.added, self.top = np.vstack((self.cost, reach, self.counts)), 2 * int(reach.sum()) + 2

    def all(self) -> Part:
        """All cases."""
        return Part(self, np.argsort(self.ranks, axis=1, kind="stable"))


class Part:
    """Some cases, sorted along each order, int64 (n_orders, n). A *step* has equal ranks; a threshold ends a step."""

    def __init__(self, cases: Cases, order: np.ndarray) -> None:
        self.cases, self.order, (n_orders, n) = cases, order, order.shape
        ranks = np.take_along_axis(cases.ranks, order, axis=1)
        self.new = np.diff(ranks, axis=1, prepend=-1).ravel() != 0
        self.start = np.flatnonzero(self.new)
        self.column = self.start // n
        self.end = np.append(self.start[1:], n * n_orders) - self.column * n  # cases at or below the threshold
        self.total = cases.added[:, order[0]].sum(axis=1)
        sums = np.add.reduceat(cases.added[:, order.ravel()], self.start, axis=1).cumsum(axis=1)
        sums -= self.column * self.total[:, None]
        self.under, self.reach, self.counts = sums[:-3], sums[-3], sums[-2:]
        self.leaf = np.array((self.under.min(axis=0), (self.total[:-3, None] - self.under).min(axis=0)))

    def side(self, order: int, end: int, side: int) -> Part:
        """The first `end` cases in an order (side 0), or the others (side 1)."""
        inside = np.zeros(self.cases.ranks.shape[1], bool)
        inside[self.order[order, :end]] = True
        return Part(self.cases, self.order[inside[self.order] != side].reshape(len(self.order), -1))


class Stumps:
    """Rule 2 for both sides of many thresholds of a part at once."""

    lanes = 16

    def __init__(self, part: Part, prover: Prover, above: Above, strict: bool) -> None:
        self.part, self.prover, self.price, cost = part, prover, prover.price, part.cases.cost[:, part.order[0]]
        self.limits = prover.limits if strict else []
        ray, same = part.cases.ray[part.order.ravel()], np.zeros(len(part.start), bool)
        low, high = np.minimum.reduceat(ray, part.start), np.maximum.reduceat(ray, part.start)
        if not self.limits:
            same[1:] = (low[1:] == high[:-1]) & (high[1:] == low[:-1]) & (part.column[1:] == part.column[:-1])
        last = np.flatnonzero(np.append(~same[1:], True))
        starts = np.flatnonzero(np.diff(part.column[last])) + 1
        # transpose neighbouring steps into lanes, so that numpy sums many columns at once
        lying = np.arange(-(-len(last) // self.lanes) * self.lanes).reshape(-1, self.lanes).T.ravel()
        self.last, lies = last[np.minimum(lying, len(last) - 1)], np.argsort(lying)
        self.starts, number = lies[starts], lies[(np.cumsum(~same) - 1)[np.cumsum(part.new) - 1]]
        self.place = np.empty(part.cases.ranks.shape[::-1], np.int64)
        self.place[part.order, np.arange(len(part.order))[:, None]] = number.reshape(part.order.shape)
        best = list(range(len(cost)))
        for k in range(len(cost)):
            if any(j != k and (cost[j] <= cost[k]).all() for j in best):
                best.remove(k)
        # costs are stored as differences from one prediction, chosen so that few cases differ
        self.lead = max(best, key=lambda k: sum(np.count_nonzero(cost[j] == cost[k]) for j in best))
        self.others = [k for k in best if k != self.lead]
        # the splits allowed below each order, bool (2, n_orders, n_last): without and with 'only below'
        self.below = None
        if prover.rules:
            below = [[prover.permitted(above | {name}, one) for name in prover.names] for one in (False, strict)]
            self.below = np.array(below)[:, prover.name_of][:, :, part.column[self.last]]

    def sides(self, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """C(side, 1) of both sides, int64 (2, n_cuts), without and with the limits of rule 5."""
        self.prover.look()
        part, small, m, width = self.part, self.part.cases.small, len(cuts), len(self.last)
        if m > (per := max(1, BATCH // width)):
            batches = [self.sides(cuts[i : i + per]) for i in range(0, m, per)]
            return np.hstack([soft for soft, _ in batches]), np.hstack([hard for _, hard in batches])
        column, end = part.column[cuts], part.end[cuts]
        # after another threshold of the same order, only the cases between the two are new
        again = np.append(False, column[1:] == column[:-1])
        begin = np.append(0, end[:-1]) * again
        new = zip(column.tolist(), begin.tolist(), end.tolist(), strict=True)
        inside = np.concatenate([part.order[order, a:b] for order, a, b in new])
        cell = self.place[inside]
        cell += np.repeat(np.arange(0, m * width, width), end - begin)[:, None]

        def summed(weight: np.ndarray, under: np.ndarray, total: np.ndarray) -> Any:
            """For both sides: the cumulative sums of these cases at each last threshold, and the totals."""
            each = weight[inside].astype(float)
            used = slice(None) if each.all() else np.flatnonzero(each)
            each = np.repeat(each[used], len(part.order))
            sums: np.ndarray = np.bincount(cell[used].ravel(), each, m * width).astype(small).reshape(m, width)
            for i in np.flatnonzero(again):
                sums[i] += sums[i - 1]
            sums[:, self.starts] -= under[cuts, None].astype(small)
            lanes = sums.reshape(m, self.lanes, -1)
            for lane in range(1, self.lanes):
                lanes[:, lane] += lanes[:, lane - 1]
            lanes[:, :, 1:] += lanes[:, -1:, :-1].cumsum(axis=2, dtype=small)
            for side in (0, 1):
                yield sums, (total - under[cuts] if side else under[cuts])[:, None].astype(small)
                np.subtract(under[self.last].astype(small), sums, out=sums)

        cost, lead, whole_lead = part.cases.cost, part.under[self.lead], part.total[self.lead]
        exceed = [
            summed(cost[k] - cost[self.lead], part.under[k] - lead, part.total[k] - whole_lead) for k in self.others
        ]
        counts = [summed(part.cases.counts[i], part.counts[i], part.total[i - 2]) for i, _ in self.limits]
        values, plain = np.empty((2, 2, m), np.int64), len(exceed) == 1 and not counts and self.below is None
        for side in (0, 1):
            base = self.price + (whole_lead - lead[cuts] if side else lead[cuts])
            if plain:  # each leaf has one of two predictions, which may be equal
                sums, total = next(exceed[0])
                least = np.minimum(sums.min(axis=1), total[:, 0] - sums.max(axis=1))
            else:
                low, high, rest = np.zeros((3, m, width), small)
                for sums, total in map(next, exceed):
                    np.minimum(low, sums, out=low)
                    np.minimum(high, np.subtract(total, sums, out=rest), out=high)
                least = (split := np.add(low, high, out=low)).min(axis=1)
            values[:, side] = np.minimum(part.leaf[side, cuts], base + least)
            for hard in (0, 1) if self.below is not None else (1,) if self.limits else ():
                fine: Any = np.True_ if self.below is None else self.below[hard][column]
                for (_, enough), (sums, total) in zip(self.limits, map(next, counts), strict=True) if hard else ():
                    fine = fine & (sums >= enough) & (total - sums >= enough)
                best = base + split.min(axis=1, where=fine, initial=0)
                values[hard, side] = np.minimum(part.leaf[side, cuts], np.where(fine.any(axis=1), best, NEVER))
        return values[0], values[1]


def spread(soft: np.ndarray, hard: np.ndarray, reach: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """Rules 3 and 5: bounds at all thresholds of each order, from known ones, int64 (2 sides, n_cuts), or 0.

    `apart` is an offset per order, included in `reach`, so large that no bound spreads from one order to another.
    """
    first = np.maximum.accumulate

    def last(values: np.ndarray) -> np.ndarray:
        return np.asarray(first(values[::-1])[::-1])

    low = np.maximum(first(soft[0] + apart) - apart, last(hard[0] - reach) + reach)
    return np.array((low, np.maximum(last(soft[1] - apart) + apart, first(hard[1] + reach) - reach)))


def whole(value: Any) -> int:
    """An integer that can be counted exactly; raises `RejectedError` for anything else."""
    if type(value) is not int or not 0 <= value <= EXACT:
        raise RejectedError(f"{value!r} is not a usable whole number.")
    return value


def permits(rule: Any, above: Above, column: str) -> bool:
    """Whether a path rule allows a split on a column below splits on others."""
    if "first" in rule:
        return bool(above) or column in rule["first"]
    if "below" in rule:
        return column != rule["column"] or (rule["below"] in above) is rule["only"]
    return sum(whole(cost) for group, cost in rule["costs"] if {column, *above} & set(group)) <= whole(rule["most"])


class Prover:
    """Computes bounds.

    `price` is the split penalty, `least` the minimum rows and weight of a leaf, `due` says whether to stop, `rules` are
    those of rule 7, and `columns` names the column of each order.
    """

    def __init__(
        self,
        cases: Cases,
        price: int,
        least: tuple[int, int] = (0, 0),
        due: Callable[[], bool] = lambda: False,
        rules: Sequence[Any] = (),
        columns: Sequence[str] = (),
    ) -> None:
        self.cases, self.price, self.least, self.due = cases, price, least, due
        self.rules, self.columns = rules, columns or [""] * len(cases.ranks)
        self.names, self.name_of = np.unique(np.array(self.columns, object), return_inverse=True)
        self.limits = [(i, n) for i, n in enumerate(least) if n > cases.counts[i].min()]
        self.one_way = bool(self.limits) or any(rule.get("only") for rule in rules)

    def permitted(self, above: Above, strict: bool) -> np.ndarray:
        """Rule 7: the orders allowed for splits below these columns, bool (n_orders,)."""
        rules = [rule for rule in self.rules if strict or not rule.get("only")]

        def fine(name: str) -> bool:
            self.look()
            return all(permits(rule, above, name) for rule in rules)

        return np.array(list(map(fine, self.names)))[self.name_of]

    def look(self) -> None:
        """Raise `UndecidedError` if time is up."""
        if self.due():
            raise UndecidedError("The time is up.")

    def below(self, tree: Any, part: Part, depth: int, goal: int, above: Above = frozenset()) -> int:
        """The same as `bound` for trees that begin with the fixed splits of this one."""
        if tree.get("fixed") is not True:
            return self.bound(part, depth, goal, above, self.one_way)
        order, found = tree["order"], self.price
        end = int((self.cases.ranks[order, part.order[0]] <= tree["last"]).sum())
        for side, name in enumerate(("low", "high")):
            inside, rest = part.side(order, end, side), max(0, goal - found)
            found += self.below(tree[name], inside, depth - 1, rest, above | {self.columns[order]})
        return min(goal, found)

    def bound(self, part: Part, depth: int, goal: int, above: Above, strict: bool) -> int:
        """A lower bound on C(part, depth) below these columns: C itself, or `goal` if that is less.

        If not `strict`, the limits of rule 5 are ignored.
        """
        goal = min(goal, int(part.total[:-3].min()))
        if depth == 0 or goal <= self.price:
            return goal
        if self.price:  # the splits of a deeper tree alone cost the goal
            depth = min(depth, -(-goal // self.price) - 1)
        may = (part.end < part.order.shape[1]) & self.permitted(above, strict)[part.column]
        for i, least in self.limits if strict else ():
            may &= (part.counts[i] >= least) & (part.total[i - 2] - part.counts[i] >= least)
        if depth == 2:
            return self.cover(part, np.flatnonzero(may), depth, goal, above, strict)
        first = np.flatnonzero(np.diff(part.column, prepend=-1))
        best = np.minimum.reduceat(np.where(may, part.leaf.sum(axis=0) + self.price, NEVER), first)
        goal = min(goal, int(best.min()))
        for order in np.argsort(best) if depth > 1 else ():
            goal = self.cover(part, np.flatnonzero(may & (part.column == order)), depth, goal, above, strict)
        return goal

    def cover(self, part: Part, at: np.ndarray, depth: int, goal: int, above: Above, strict: bool) -> int:
        """Rule 4 over the thresholds at these positions: those of one order, or of all for trees of depth two."""
        (soft, hard), stumps = np.zeros((2, 2, len(at)), np.int64), None
        while True:
            self.look()
            apart = part.column[at] * self.cases.top
            reach = part.reach[at] + apart
            hard = spread(soft, hard, reach, apart)
            soft = spread(soft, soft, reach, apart) if strict else hard
            still = hard.sum(axis=0) + self.price < goal
            at, soft, hard, reach = at[still], soft[:, still], hard[:, still], reach[still]
            if not len(at):
                return goal
            first = np.flatnonzero(np.diff(at, prepend=-2) > 1)  # starts of runs of neighbours
            last = np.append(first[1:], len(at)) - 1
            if depth > 2:  # only the widest run
                i = (reach[last] - reach[first]).argmax()
                cuts = self.within(reach, first[i : i + 1], last[i : i + 1], 2)
                one, far = cuts[0], int(np.diff(reach[[first[i], cuts[0], last[i]]]).max())
                self.deeper(part, at[one], depth, goal, far, (soft[:, one], hard[:, one]), above, strict)
            else:
                stumps, cuts = stumps or Stumps(part, self, above, strict), self.within(reach, first, last, 3)
                soft[:, cuts], hard[:, cuts] = stumps.sides(at[cuts])
            goal = min(goal, int(hard[:, cuts].sum(axis=0).min()) + self.price)

    def within(self, reach: np.ndarray, first: np.ndarray, last: np.ndarray, n: int) -> np.ndarray:
        """The thresholds that divide each run into `n` parts of nearly equal reach."""
        ends = np.arange(1, n)[:, None] * (reach[last] - reach[first]) // n
        return np.unique(np.maximum(first, np.searchsorted(reach, reach[first] + ends)))

    def deeper(
        self,
        part: Part,
        cut: int,
        depth: int,
        goal: int,
        far: int,
        known: tuple[np.ndarray, np.ndarray],
        above: Above,
        strict: bool,
    ) -> None:
        """Improve both bounds of a threshold in place, as far as useful at distance `far`, by trees one level less."""
        soft, hard = known
        end, order = part.end[cut], part.column[cut]
        for limited in (False, True) if strict else (False,):
            for side in (0, 1) if 2 * end <= part.order.shape[1] else (1, 0):
                need = min(int(part.leaf[side, cut]), goal + far - self.price - int(hard[1 - side]))
                if hard[side] < need:
                    below = above | {self.columns[order]}
                    found = self.bound(part.side(order, end, side), depth - 1, need, below, limited)
                    soft[side], hard[side] = soft[side] if limited else found, max(hard[side], found)
            if hard.sum() + self.price >= goal:
                return
