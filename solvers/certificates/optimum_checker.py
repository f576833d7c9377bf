"""Check a certificate that no tree costs less: `python check.py certificate.zip`. numpy and the standard library only.

A certificate holds a tree, what it costs, and `cases.csv`: distinct cases with their rank in each order of questions,
the rows that they stand for and what each answer costs for them. A question sends the cases of a rank of at most r in
an order to one side. Nothing is believed: the cost of the tree is counted, and a bound is computed here, from the
cases. C(S, d) is the least cost of a tree of depth at most d for the cases S.

1. *Leaf.* C(S, 0) is the least sum over the answers.
2. *Stump.* C(S, 1) follows from the cumulated costs along each order. Between ranks whose cases cost in the same
   proportions nothing need be tried: the cost is concave there.
3. *Spread.* Let L(p) be the least cost of the cases at or below cut p of an order, and W(p) the sum of the largest
   costs of these cases. More cases never cost less, and a case costs at most its largest cost, so
   L(p) >= L(c) - max(0, W(c) - W(p)); the other side mirrored.
4. *Cover.* A tree whose root asks about an order costs at least min over p of L(p) + R(p), by the bounds of rule 3 for
   all p, and the price of a split. Cuts are looked into until that reaches what is to be proved.
5. *By root.* For trees below whose root asks about order g, at any cut or none, rule 3 holds for each g by itself, and
   L(p) is at least the least over g.
6. *Least rows of a leaf.* A tree whose leaves have enough rows among fewer cases has them among more, so by rule 3
   its bounds spread to fewer cases only; the bounds without this limit hold, too, and spread both ways.
7. *Limit on leaves.* A tree of at most n splits costs at least what every tree costs that pays m more a split, less
   m n. The certificate names m as a fraction; whatever it is, the bound holds.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FORMAT, VERSION = "espalier-optimum", 1
MAIN, CASES = "optimum.json", "cases.csv"
EXACT = 2**52
"""Sums of floats that hold whole numbers are exact below twice this."""

_DEEPEST = 100
_NEVER = 2**60
_BATCH = 1_000_000
"""Cells of the cumulated costs of stumps that are computed at once."""


class RejectedError(Exception):
    """The certificate is damaged, or its tree is not allowed; the message says which."""


class UndecidedError(Exception):
    """The check ended before it was done."""


@dataclass(frozen=True)
class Verdict:
    """What was found: the cost of the tree, and the bound on that of every other one, of rows and classes so many."""

    cost: int
    bound: int
    n_rows: int
    n_cases: int
    allowed: str

    @property
    def proved(self) -> bool:
        """Whether no tree costs less."""
        return self.cost == self.bound


class Cases:
    """What a tree is about.

    Attributes
    ----------
    ranks : int64 (n_cases, n_orders); rows : int64 (n_cases,); base : what every tree costs.
    cost : int64 (n_cases, n_classes), above the least of each case; weight : the largest of each case.
    ray : a number for each proportion of costs, int64 (n_cases,).
    """

    def __init__(self, ranks: np.ndarray, rows: np.ndarray, cost: np.ndarray) -> None:
        if cost.min(initial=0) < 0 or ranks.min(initial=0) < 0 or rows.min(initial=1) < 1 or not cost.size:
            raise RejectedError("Ranks and costs are whole numbers of at least 0, rows of at least 1.")
        # sums along all orders are taken at once
        most = max(1, ranks.shape[1]) * max(cost.astype(np.float64).sum(), rows.astype(np.float64).sum())
        if most > EXACT or ranks.max(initial=0) >= len(ranks):
            raise RejectedError("Costs, rows or ranks are too large to be counted exactly.")
        self.ranks, self.rows, self.base = ranks, rows, int(cost.min(axis=1).sum())
        self.cost = cost - cost.min(axis=1, keepdims=True)
        self.weight = self.cost.max(axis=1)
        proportion = self.cost // np.maximum(np.gcd.reduce(self.cost, axis=1), 1)[:, None]
        self.ray = np.unique(proportion, axis=0, return_inverse=True)[1].ravel()
        self.first = np.concatenate(([0], np.cumsum(ranks.max(axis=0, initial=0) + 1)))
        self.bins = ranks + self.first[:-1]


class Prover:
    """Computes bounds; `price` is that of a split, and `due` says whether to end."""

    def __init__(self, cases: Cases, price: int, due: Callable[[], bool] = lambda: False) -> None:
        self.cases, self.price, self.due = cases, price, due
        self.every = np.arange(cases.ranks.shape[1])

    def bound(self, here: np.ndarray, depth: int, goal: int, least: int) -> int:
        """A bound on C(here, depth) with leaves of at least so many rows: itself, or `goal` if that is less."""
        leaf = int(self.cases.cost[here].sum(axis=0).min())
        if depth == 0 or not len(self.every) or min(leaf, goal) <= self.price:
            return min(leaf, goal)
        if depth == 1:
            _, stump = Stumps(self.cases, here, least).sides([(0, len(here))], np.arange(len(here)), self.price)
            return min(leaf, goal, int(stump[0, 0]))
        return min(leaf, goal, int(self.by_root(here, depth, min(leaf, goal), self.every, least).min()))

    def by_root(self, here: np.ndarray, depth: int, goal: int, roots: np.ndarray, least: int) -> np.ndarray:
        """Bounds on the trees that ask about each of these orders first, int64 (n_roots,); up to `goal` at least.

        Without a limit on the rows of a leaf a tree of less depth counts as one of each root.
        """
        found = np.full(len(roots), _NEVER)
        if least <= 1:
            found[:] = self.bound(here, depth - 1, goal, 1)
            goal = min(goal, int(found[0]))
        if depth == 2:
            two: np.ndarray = np.minimum(found, self._two(here, goal, roots, least))
            return two
        for i, order in enumerate(roots):
            found[i] = min(found[i], self._deeper(here, depth, goal, order, least))
            goal = min(goal, int(found[i]))
        return found

    def _end_if_due(self) -> None:
        if self.due():
            raise UndecidedError("The time is up before the check is done.")

    def _two(self, here: np.ndarray, goal: int, roots: np.ndarray, least: int) -> np.ndarray:
        """Rule 4 over the stumps of both sides, for all roots at once; cuts in the middle of what is open."""
        stumps = Stumps(self.cases, here, least)
        covers = [Cover(self.cases, here, order, least, 1) for order in roots]
        best, spare = int(self.cases.cost[here].sum(axis=0).min()), 1 + goal // 50
        lowest = [_NEVER] * len(roots)
        while True:
            self._end_if_due()
            cap = min(goal, best + spare)
            limits = [min(cap, low) - self.price for low in lowest]
            todo = [(i, p) for i, cover in enumerate(covers) for p in cover.middles(limits[i])]
            if not todo:
                return np.array(
                    [min(low, cover.least_sum() + self.price) for low, cover in zip(lowest, covers, strict=True)]
                )
            per = max(1, _BATCH // stumps.size)
            for part in (todo[k : k + per] for k in range(0, len(todo), per)):
                order = np.concatenate([covers[i].order for i, _ in part])
                start = np.cumsum([0] + [len(here)] * (len(part) - 1))
                cuts = [(int(at), int(at) + int(covers[i].ends[p]) + 1) for at, (i, p) in zip(start, part, strict=True)]
                soft, hard = stumps.sides(cuts, order, self.price)
                for (i, p), one, two in zip(part, soft, hard, strict=True):
                    covers[i].spread(p, one[:, None], two[:, None], np.zeros(1, np.int64))
                    lowest[i] = min(lowest[i], int(two.sum()) + self.price)
                best = min(best, *lowest)

    def _deeper(self, here: np.ndarray, depth: int, goal: int, order: int, least: int) -> int:
        """Rule 4 over trees of one level less on both sides; the widest stretch that is open is cut in its middle."""
        cover = Cover(self.cases, here, order, least, len(self.every))
        while cover.middles(goal - self.price):
            self._end_if_due()
            p, reach = cover.widest(goal - self.price)
            for limit in sorted({1, least}):
                for side in np.argsort([cover.ends[p], len(here) - cover.ends[p]]):
                    bounds, leaf = cover.at(p)
                    other = int(min(bounds[1 - side].min(), leaf[1 - side]))
                    need = min(int(leaf[side]), goal - self.price + reach - other)
                    open_ = np.flatnonzero(bounds[side] < need)
                    if not len(open_):
                        continue
                    inside = here[cover.order[: cover.ends[p] + 1] if side == 0 else cover.order[cover.ends[p] + 1 :]]
                    values = np.full((2, len(open_)), -_NEVER)
                    values[side] = self.by_root(inside, depth - 1, need, open_, limit)
                    unknown = np.full_like(values, -_NEVER)
                    cover.spread(p, values if limit == 1 else unknown, values, open_)
                if cover.sum_at(p) + self.price >= goal:
                    break
            goal = min(goal, cover.sum_at(p) + self.price)
        return cover.least_sum() + self.price


class Cover:
    """What is known of both sides of every cut of an order: `bounds` by root of the side, int64 (2, n_roots, n_cuts).

    `order` sorts the cases by rank, and cut p comes behind the case at `ends[p]`; `reach` is W.
    """

    def __init__(self, cases: Cases, here: np.ndarray, order: int, least: int, n_roots: int) -> None:
        ranks = cases.ranks[here, order]
        self.order = np.argsort(ranks, kind="stable")
        ends = np.flatnonzero(np.diff(ranks[self.order]))
        rows = np.cumsum(cases.rows[here][self.order])
        self.ends = ends[(rows[ends] >= least) & (rows[-1] - rows[ends] >= least)] if least > 1 else ends
        cost = np.cumsum(cases.cost[here][self.order], axis=0)
        self.leaf = np.array([cost[self.ends].min(axis=1), (cost[-1] - cost[self.ends]).min(axis=1)])
        self.reach = np.cumsum(cases.weight[here][self.order])[self.ends]
        self.bounds = np.zeros((2, n_roots, len(self.ends)), np.int64)

    def spread(self, p: int, soft: np.ndarray, hard: np.ndarray, roots: np.ndarray) -> None:
        """Rules 3 and 6 from cut p: bounds without and with least rows, (2, n) by side and root."""
        away = self.reach - self.reach[p]
        for side, fewer in ((0, np.minimum(away, 0)), (1, -np.maximum(away, 0))):
            known = self.bounds[side, roots]
            known = np.maximum(known, soft[side][:, None] + fewer)
            toward = (slice(0, p + 1), slice(p, None))[side]
            known[:, toward] = np.maximum(known[:, toward], hard[side][:, None] + fewer[toward])
            self.bounds[side, roots] = known

    def sums(self) -> np.ndarray:
        """What each cut costs at least, int64 (n_cuts,)."""
        sums: np.ndarray = np.minimum(self.bounds.min(axis=1), self.leaf).sum(axis=0)
        return sums

    def least_sum(self) -> int:
        """The least of them."""
        return int(self.sums().min(initial=_NEVER))

    def sum_at(self, p: int) -> int:
        """What cut p costs at least."""
        bounds, leaf = self.at(p)
        return int(np.minimum(bounds.min(axis=1), leaf).sum())

    def at(self, p: int) -> tuple[np.ndarray, np.ndarray]:
        """The bounds at cut p by side and root, and the cost of a leaf on each side."""
        return self.bounds[:, :, p], self.leaf[:, p]

    def _open(self, goal: int) -> tuple[np.ndarray, np.ndarray]:
        """The first and last cut of each stretch of cuts below a goal."""
        edges = np.diff(np.concatenate(([0], self.sums() < goal, [0])).astype(np.int8))
        return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1

    def middles(self, goal: int) -> list[int]:
        """The middle cut of each stretch of cuts below a goal."""
        first, last = self._open(goal)
        return [int(p) for p in (first + last) // 2]

    def widest(self, goal: int) -> tuple[int, int]:
        """The middle of the stretch that weighs most, and by how much more than the goal it would be covered whole."""
        first, last = self._open(goal)
        i = int((self.reach[last] - self.reach[first]).argmax())
        p = int(first[i] + last[i]) // 2
        return p, int(max(self.reach[p] - self.reach[first[i]], self.reach[last[i]] - self.reach[p]))


class Stumps:
    """The cumulated costs of some cases along all orders, from which the stumps of their parts follow (rule 2)."""

    def __init__(self, cases: Cases, here: np.ndarray, least: int) -> None:
        self.least, self.cost, self.rows = least, cases.cost[here], cases.rows[here]
        bins = cases.bins[here]
        used, place = np.unique(bins, return_inverse=True)
        place = place.reshape(bins.shape)
        column = np.searchsorted(cases.first, used, side="right") - 1
        joined = np.zeros(len(used), bool)
        if least <= 1:
            ray = cases.ray[here]
            low, high = np.full(len(used), _NEVER), np.full(len(used), -1)
            for one in place.T:
                np.minimum.at(low, one, ray)
                np.maximum.at(high, one, ray)
            joined[1:] = (low[1:] == high[:-1]) & (high[1:] == low[:-1]) & (column[1:] == column[:-1])
        number = np.cumsum(~joined) - 1
        self.place, self.column = number[place], column[~joined]
        self.n_bins = len(self.column)
        self.size = self.n_bins * self.cost.shape[1]
        self.total, self.n_rows = self.cost.sum(axis=0), int(self.rows.sum())
        self.full, self.full_rows = (
            self._cumulated(self.place, np.zeros(len(here), np.int64), counted, 1)
            for counted in (self.cost, self.rows[:, None])
        )

    def _cumulated(self, place: np.ndarray, part: np.ndarray, cost: np.ndarray, n: int) -> np.ndarray:
        """Costs of the cases at or below each bin of its order, int64 (n_classes, n_parts, n_bins)."""
        cell = (place + (part * self.n_bins)[:, None]).ravel()
        n_orders = place.shape[1]
        sums = [np.bincount(cell, np.repeat(one, n_orders), n * self.n_bins).reshape(n, -1) for one in cost.T]
        cumulated: np.ndarray = np.array(sums).astype(np.int64).cumsum(axis=2)
        cumulated -= self.column * (cumulated[:, :, -1:] // n_orders)
        return cumulated

    def sides(self, cuts: list[tuple[int, int]], order: np.ndarray, price: int) -> tuple[np.ndarray, np.ndarray]:
        """C(side, 1) of the cases `order[start:end]` of each cut, and of the others; int64 (n_cuts, 2).

        Without, and with the least rows of a leaf.
        """
        cases = [order[start:end] for start, end in cuts]
        part = np.repeat(np.arange(len(cuts)), [len(one) for one in cases])
        inside = np.concatenate(cases)
        under = self._cumulated(self.place[inside], part, self.cost[inside], len(cuts))
        total = under[:, :, -1:]
        soft, hard = np.empty((len(cuts), 2), np.int64), np.empty((len(cuts), 2), np.int64)
        rows = all_rows = None
        if self.least > 1:
            rows = self._cumulated(self.place[inside], part, self.rows[inside][:, None], len(cuts))
            all_rows = rows[:, :, -1:]
        for side in (0, 1):
            if side:
                under, total = self.full - under, self.total[:, None, None] - total
                if rows is not None and all_rows is not None:
                    rows, all_rows = self.full_rows - rows, self.n_rows - all_rows
            leaf = total.min(axis=0)[:, 0]
            split = price + under.min(axis=0) + (total - under).min(axis=0)
            soft[:, side] = np.minimum(leaf, split.min(axis=1))
            hard[:, side] = soft[:, side]
            if rows is not None and all_rows is not None:
                enough = ((rows >= self.least) & (all_rows - rows >= self.least))[0]
                hard[:, side] = np.minimum(leaf, np.where(enough, split, _NEVER).min(axis=1))
        return soft, hard


def check(read: Callable[[str], bytes], due: Callable[[], bool] = lambda: False) -> Verdict:
    """Whether no tree costs less than that of a certificate.

    Parameters
    ----------
    read : gives the content of a file by its name.
    due : says whether to end, whatever is known.

    Raises
    ------
    RejectedError
        The certificate is damaged, or its tree is not allowed.
    UndecidedError
        `due` said so.
    """
    try:
        claim = json.loads(read(MAIN))
        if (claim["format"], claim["version"]) != (FORMAT, VERSION) or not _whole(claim["scale"]):
            raise RejectedError(f"This checker reads version {VERSION} of '{FORMAT}'.")
        lines = list(csv.reader(io.StringIO(read(CASES).decode())))
        names = [name.rstrip("0123456789") for name in lines[0]]
        if names != sorted(names, key=("rank_", "rows", "cost_").index) or names.count("rows") != 1:
            raise RejectedError("The columns of the cases must be ranks, rows and costs, in this order.")
        table = np.array(lines[1:], dtype=object).astype(np.int64)
        n = sum(name.startswith("rank_") for name in lines[0])
        cases = Cases(table[:, :n].copy(), table[:, n].copy(), table[:, n + 1 :].copy())
        depth, least, price, more, parts = (
            _whole(claim[name]) for name in ("depth", "least_rows", "price", "more", "parts")
        )
        tree, most = claim["tree"], None if claim["max_splits"] is None else _whole(claim["max_splits"])
        # more levels than there are cases part nothing
        depth = min(depth, len(table))
        if depth > _DEEPEST:
            raise RejectedError(f"A depth of more than {_DEEPEST} cannot be checked.")
        if not parts or (more and most is None) or (most is not None and _splits(tree) > most):
            raise RejectedError("The tree has more splits than are allowed, or the limit on them is not well told.")
        cost = cases.base + _cost(cases, tree, np.arange(len(table)), depth, least, price)
    except RejectedError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, RecursionError, OverflowError, csv.Error) as error:
        raise RejectedError(f"The certificate is damaged: {error!r}.") from None
    limit, every = more * (most or 0), np.arange(len(table))
    goal = (cost - cases.base) * parts + limit
    if max(goal, price * parts + more, parts * int(cases.cost.sum())) > EXACT:
        raise RejectedError("The multiplier of the limit on splits is too fine to be counted exactly.")
    scaled = Cases(cases.ranks, cases.rows, cases.cost * parts) if parts > 1 else cases
    prover = Prover(scaled, price * parts + more, due)
    bound = cases.base - (limit - prover.bound(every, depth, goal, least)) // parts
    allowed = f"of depth at most {depth} with at least {least} rows in each leaf, at a price of {price} a split"
    allowed += "" if most is None else f" and of at most {most} splits"
    return Verdict(cost, bound, int(cases.rows.sum()), len(cases.rows), allowed)


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= EXACT:
        raise RejectedError(f"{value!r} is no whole number that can be used here.")
    return value


def _splits(tree: Any) -> int:
    return 0 if "class" in tree else 1 + _splits(tree["low"]) + _splits(tree["high"])


def _cost(cases: Cases, tree: Any, here: np.ndarray, depth: int, least: int, price: int) -> int:
    """What a tree costs above `base` for the cases at these positions, counted; `RejectedError` if not allowed."""
    if "class" in tree:
        if cases.rows[here].sum() < least or not 0 <= _whole(tree["class"]) < cases.cost.shape[1]:
            raise RejectedError("A leaf of the tree has too few rows, or answers no class.")
        return int(cases.cost[here, tree["class"]].sum())
    if depth == 0:
        raise RejectedError("The tree is deeper than the certificate says.")
    low = cases.ranks[here, _whole(tree["order"])] <= _whole(tree["last"])
    sides = ((tree["low"], here[low]), (tree["high"], here[~low]))
    return price + sum(_cost(cases, part, inside, depth - 1, least, price) for part, inside in sides)


def main(arguments: list[str]) -> int:
    """Check the archive or folder that is named, within so many seconds if any are; 0 where no tree costs less."""
    try:
        place, end = Path(arguments[0]), time.monotonic() + float([*arguments, "inf"][1])
        if place.is_dir():
            found = check(lambda name: (place / name).read_bytes(), lambda: time.monotonic() > end)
        else:
            with zipfile.ZipFile(place) as archive:
                found = check(archive.read, lambda: time.monotonic() > end)
    # a damaged file may end the unpacking in whatever exception its bytes lead to
    except Exception as error:
        print(f"REJECTED: {error}")
        return 1
    print(f"The tree costs {found.cost}. No tree {found.allowed} costs less than {found.bound}.")
    print("PROVED: it is optimal." if found.proved else "NOT PROVED.")
    return 0 if found.proved else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
