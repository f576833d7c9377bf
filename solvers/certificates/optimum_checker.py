"""Check that no tree costs less: `python check.py certificate.zip [table.csv]`, with numpy and the standard library.

A certificate holds a tree, what it costs, and `cases.csv`: distinct cases with their rank in each order of questions,
the rows they stand for and what each answer costs for them. A question sends the cases of a rank of at most r to one
side. With a table, the cases are made from it instead. Nothing is believed: the cost of the tree is counted, and a
bound is computed from the cases. C(S, d) is the least cost of a tree of depth at most d for the cases S.

1. *Leaf.* C(S, 0) is the least sum over the answers; an answer that costs no case less than another one is left out.
2. *Stump.* C(S, 1) follows from the cumulated costs along each order. Between ranks whose cases cost in the same
   proportions nothing need be tried: the cost is concave there.
3. *Spread.* Let L(p) be the least cost of the cases at or below cut p of an order, and W(p) the sum of their largest
   costs. More cases never cost less, and a case costs at most its largest cost, so
   L(p) >= L(c) - max(0, W(c) - W(p)); the other side R mirrored.
4. *Cover.* A tree whose root asks about an order costs at least min over p of L(p) + R(p), by the bounds of rule 3 for
   all p, and the price of a split. `cuts.txt` advises at which cuts to compute L and R for trees of depth two. Any cuts
   give a valid bound; where it is too low, the middle of each stretch that is too low is looked into as well.
5. *Least rows of a leaf.* A tree whose leaves have enough rows among fewer cases has them among more, so by rule 3
   its bounds spread to fewer cases only; the bounds without this limit hold, too, and spread both ways.
6. *Limit on leaves.* A tree of at most n splits costs at least what every tree costs that pays m more a split, less
   m n. The certificate names m as a fraction; whatever it is, the bound holds.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FORMAT, VERSION = "espalier-optimum", 2
MAIN, CASES, CUTS, WORDS, README = "optimum.json", "cases.csv", "cuts.txt", "tree.txt", "README.md"
EXACT, DEEPEST, NEVER, BATCH, WEIGHT = 2**52, 100, 2**60, 200_000, "units of weight"


class RejectedError(Exception):
    """The certificate is damaged, or its tree is not allowed; the message says which."""


class UndecidedError(Exception):
    """The check ended before it was done."""


class Verdict(NamedTuple):
    """The cost of the tree, the bound on that of every other one, and how many rows and cases that is about."""

    cost: int
    bound: int
    n_rows: int
    n_cases: int

    @property
    def proved(self) -> bool:
        """Whether no tree costs less."""
        return self.cost == self.bound


class Cases:
    """Distinct cases: their ranks, rows and costs, int64 (n_cases, ...). `base` is what every tree costs."""

    def __init__(self, ranks: np.ndarray, rows: np.ndarray, cost: np.ndarray) -> None:
        if not cost.size or cost.min() < 0 or ranks.min(initial=0) < 0 or rows.min(initial=1) < 1:
            raise RejectedError("Ranks and costs are whole numbers of at least 0, rows of at least 1.")
        most = max(1, ranks.shape[1]) * max(one.astype(float).sum() for one in (cost.max(axis=1), rows))
        if most > EXACT or ranks.max(initial=0) >= len(ranks):
            raise RejectedError("Costs, rows or ranks are too large to be counted exactly.")
        ranks = ranks if ranks.shape[1] else np.zeros((len(rows), 1), np.int64)  # an order of nothing to ask
        self.ranks, self.rows, self.base = np.ascontiguousarray(ranks.T), rows, int(cost.min(axis=1).sum())
        self.cost = (cost - cost.min(axis=1, keepdims=True)).T.copy()
        reach, self.small = self.cost.max(axis=0), np.int32 if most < 2**30 else np.int64
        proportion = self.cost // np.maximum(np.gcd.reduce(self.cost, axis=0), 1)
        self.ray = np.unique(proportion, axis=1, return_inverse=True)[1].ravel()
        self.counted, self.top = np.vstack((self.cost, reach, rows)), 2 * int(reach.sum()) + 2

    def all(self) -> Part:
        """All of them."""
        return Part(self, np.argsort(self.ranks, axis=1, kind="stable"))


class Part:
    """Some cases, sorted along each order, int64 (n_orders, n). A *step* holds those of equal rank; a cut ends one."""

    def __init__(self, cases: Cases, order: np.ndarray) -> None:
        self.cases, self.order, (n_orders, n) = cases, order, order.shape
        ranks = np.take_along_axis(cases.ranks, order, axis=1)
        self.new = np.concatenate((np.ones((n_orders, 1), bool), ranks[:, 1:] != ranks[:, :-1]), axis=1).ravel()
        start = np.flatnonzero(self.new)
        self.column, self.first = start // n, np.searchsorted(start, np.arange(n_orders) * n)
        self.end = np.append(start[1:], n * n_orders) - self.column * n  # cases at or below the cut
        self.total = cases.counted[:, order[0]].sum(axis=1)
        sums = np.add.reduceat(cases.counted[:, order.ravel()], start, axis=1).cumsum(axis=1)
        sums -= self.column * self.total[:, None]
        self.under, self.reach, self.rows, self.cost = sums[:-2], sums[-2], sums[-1], int(self.total[:-2].min())
        self.leaf = np.array((self.under.min(axis=0), (self.total[:-2, None] - self.under).min(axis=0)))
        self.joined, self.start = np.zeros(len(start), bool), start

    def allowed(self, least: int) -> np.ndarray:
        """The cuts that leave so many rows on both sides."""
        rest = self.total[-1] - self.rows
        allowed: np.ndarray = (self.end < self.order.shape[1]) & (self.rows >= least) & (rest >= least)
        return allowed

    def side(self, cut: int, side: int) -> Part:
        """The cases at or below a cut (0) or above it (1)."""
        inside, order = np.zeros(self.cases.ranks.shape[1], bool), self.order[self.column[cut]]
        inside[order[: self.end[cut]]] = True
        return Part(self.cases, self.order[inside[self.order] != side].reshape(len(self.order), -1))


class Stumps:
    """Rule 2 for both sides of many cuts of a part at once."""

    def __init__(self, part: Part, least: int) -> None:
        self.part, self.least, cost = part, least, part.cases.cost[:, part.order[0]]
        joined = np.zeros(len(part.start), bool)
        if least <= 1:
            ray = part.cases.ray[part.order.ravel()]
            low, high = np.minimum.reduceat(ray, part.start), np.maximum.reduceat(ray, part.start)
            pure = (low[1:] == high[:-1]) & (high[1:] == low[:-1])
            joined[1:] = pure & (part.column[1:] == part.column[:-1])
        self.last, number = np.flatnonzero(np.append(~joined[1:], True)), np.cumsum(~joined) - 1
        self.starts = np.flatnonzero(np.diff(part.column[self.last])) + 1
        self.place = np.empty(part.cases.ranks.shape[::-1], np.int64)
        number = number[np.cumsum(part.new) - 1].reshape(part.order.shape)
        self.place[part.order, np.arange(len(part.order))[:, None]] = number
        kept = list(range(len(cost)))
        for k in range(len(cost)):
            if any(j != k and (cost[j] <= cost[k]).all() for j in kept):
                kept.remove(k)
        # costs are told by how much they exceed those of the answer that most cases tell from few others
        kept.sort(key=lambda k: -sum(np.count_nonzero(cost[j] == cost[k]) for j in kept))
        self.lead, self.others, self.over = kept[0], kept[1:], part.cases.cost[kept[1:]] - part.cases.cost[kept[0]]

    def sides(self, cuts: np.ndarray, price: int) -> tuple[np.ndarray, np.ndarray]:
        """C(side, 1) of both sides, int64 (2, n_cuts), without and with the least rows of a leaf."""
        part, small, m, width = self.part, self.part.cases.small, len(cuts), len(self.last)
        if m > (per := max(1, BATCH // width)):
            batches = [self.sides(cuts[i : i + per], price) for i in range(0, m, per)]
            return np.hstack([soft for soft, _ in batches]), np.hstack([hard for _, hard in batches])
        column, end = part.column[cuts], part.end[cuts]
        # where a cut of the same order comes before, only the cases between the two are new
        again = np.append(False, column[1:] == column[:-1])
        begin = np.where(again, np.roll(end, 1), 0)
        new = [part.order[o, a:b] for o, a, b in zip(column, begin, end, strict=True)]
        cell = np.repeat(np.arange(0, m * width, width), [len(one) for one in new])
        inside = np.concatenate(new)
        cell = cell[:, None] + self.place[inside]

        def summed(weight: np.ndarray, totals: np.ndarray) -> np.ndarray:
            used = np.flatnonzero(weight[inside])
            each = np.repeat(weight[inside][used], len(part.order))
            sums: np.ndarray = np.bincount(cell[used].ravel(), each, m * width).astype(small).reshape(m, width)
            for i in np.flatnonzero(again):
                sums[i] += sums[i - 1]
            sums[:, self.starts] -= totals.astype(small)[:, None]
            np.cumsum(sums, axis=1, out=sums)
            return sums

        base, whole = part.under[self.lead, cuts], part.total[self.lead]
        totals = part.under[self.others][:, cuts] - base
        costs = [summed(one, total) for one, total in zip(self.over, totals, strict=True)]
        all_rows, rows = part.rows[cuts], None if self.least <= 1 else summed(part.cases.rows, part.rows[cuts])
        values = np.empty((2, 2, m), np.int64)
        for side in (0, 1):
            if side:
                for k, sums in zip(self.others, costs, strict=True):
                    np.subtract((part.under[k] - part.under[self.lead])[self.last].astype(small), sums, out=sums)
                totals, base = (part.total[self.others] - whole)[:, None] - totals, whole - base
                rows, all_rows = None if rows is None else part.rows[self.last] - rows, part.total[-1] - all_rows
            low, high = np.zeros((2, 1, 1), small)
            for sums, total in zip(costs, totals.astype(small), strict=True):
                low, high = np.minimum(sums, low), np.minimum(total[:, None] - sums, high)
            split = np.broadcast_to(low + high, (m, width))
            values[:, side] = np.minimum(part.leaf[side, cuts], price + base + split.min(axis=1))
            if rows is not None:
                enough = (rows >= self.least) & (all_rows[:, None] - rows >= self.least)
                best = split.min(axis=1, where=enough, initial=np.iinfo(small).max // 2)
                value = np.where(enough.any(axis=1), price + base + best, NEVER)
                values[1, side] = np.minimum(part.leaf[side, cuts], value)
        return values[0], values[1]


def spread(soft: np.ndarray, hard: np.ndarray, reach: np.ndarray, column: np.ndarray, top: int) -> np.ndarray:
    """Rules 3 and 5: bounds at all cuts, along each order, from known ones (2 sides, ..., n_cuts) or 0."""
    ahead, back = column * top, (column.max(initial=0) - column) * top  # keeps the orders apart

    def last(values: np.ndarray) -> np.ndarray:
        kept: np.ndarray = np.maximum.accumulate(values[..., ::-1], axis=-1)[..., ::-1]
        return kept

    more = np.maximum.accumulate(soft[0] + ahead, axis=-1) - ahead
    fewer = last(hard[0] - reach + back) - back + reach
    mirrored = np.maximum.accumulate(hard[1] + reach + ahead, axis=-1) - ahead - reach
    return np.array((np.maximum(more, fewer), np.maximum(last(soft[1] + back) - back, mirrored)))


def stretches(low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and last position of each run of true values."""
    edges = np.diff(np.concatenate(([0], low.astype(np.int8), [0])))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1


class Prover:
    """Computes bounds; `price` is that of a split, `advice` gives cuts for rule 4, and `due` says whether to end."""

    def __init__(
        self, cases: Cases, price: int, due: Callable[[], bool] = lambda: False, advice: Iterable[np.ndarray] = ()
    ) -> None:
        self.cases, self.price, self.due, self.advice = cases, price, due, iter(advice)

    def bound(self, part: Part, depth: int, goal: int, least: int) -> int:
        """A bound on C(part, depth) with leaves of at least so many rows: itself, or `goal` if that is less."""
        goal = min(goal, part.cost)
        if depth == 0 or goal <= self.price:
            return goal
        if depth == 2:
            return self._two(part, goal, least)
        split = np.where(part.allowed(least), part.leaf.sum(axis=0) + self.price, NEVER)
        best = np.minimum.reduceat(split, part.first)
        goal = min(goal, int(best.min()))
        for order in np.argsort(best) if depth > 1 else ():
            goal = self._deeper(part, depth, goal, order, least)
        return goal

    def _two(self, part: Part, goal: int, least: int) -> int:
        """Rule 4 over the stumps of both sides, for all orders at once."""
        allowed, done, stumps = part.allowed(least), np.zeros(len(part.column), bool), None
        soft, hard = np.zeros((2, 2, len(part.column)), np.int64)
        while True:
            if self.due():
                raise UndecidedError("The time is up.")
            known = spread(soft, hard, part.reach, part.column, self.cases.top)
            sums = np.minimum(known, part.leaf).sum(axis=0) + self.price
            first, last = stretches(allowed & (sums < goal))
            if not len(first):
                self.proved(part, allowed, np.array((soft, hard)), done, goal)
                return goal
            cuts = (first + last) // 2
            if stumps is None:
                stumps, advised = Stumps(part, least), next(self.advice, cuts)
                advised = np.unique(advised[(advised >= 0) & (advised < len(allowed))])
                cuts = advised if len(advised := advised[allowed[advised]]) else cuts
            soft[:, cuts], hard[:, cuts] = stumps.sides(cuts, self.price)
            done[cuts] = True
            goal = min(goal, int(hard[:, cuts].sum(axis=0).min()) + self.price)

    def proved(self, part: Part, allowed: np.ndarray, known: np.ndarray, done: np.ndarray, goal: int) -> None:
        """Told what was computed of trees of depth two; whoever makes a certificate writes the cuts down."""

    def _deeper(self, part: Part, depth: int, goal: int, order: int, least: int) -> int:
        """Rule 4 over trees of one level less on both sides; the widest stretch that is too low is cut first."""
        at = np.flatnonzero(part.allowed(least) & (part.column == order))
        reach, leaf, apart = part.reach[at], part.leaf[:, at], np.zeros(len(at), np.int64)
        soft, hard = np.zeros((2, 2, len(at)), np.int64)
        while True:
            known = np.minimum(spread(soft, hard, reach, apart, self.cases.top), leaf)
            first, last = stretches(known.sum(axis=0) + self.price < goal)
            if not len(first):
                return goal
            widest = (reach[last] - reach[first]).argmax()
            p = (first[widest] + last[widest]) // 2
            far = int(max(reach[p] - reach[first[widest]], reach[last[widest]] - reach[p]))
            for limit in sorted({1, least}):
                for side in (0, 1) if 2 * part.end[at[p]] <= part.order.shape[1] else (1, 0):
                    need = min(int(leaf[side, p]), goal - self.price + far - int(known[1 - side, p]))
                    if known[side, p] < need:
                        hard[side, p] = max(hard[side, p], self.bound(part.side(at[p], side), depth - 1, need, limit))
                        soft[side, p] = hard[side, p] if limit == 1 else soft[side, p]
                        known = np.minimum(spread(soft, hard, reach, apart, self.cases.top), leaf)
                if known[:, p].sum() + self.price >= goal:
                    break
            goal = min(goal, int(known[:, p].sum()) + self.price)


def check(
    read: Callable[[str], bytes],
    due: Callable[[], bool] = lambda: False,
    table: str | None = None,
    prover: type[Prover] = Prover,
) -> Verdict:
    """Check a certificate, whose files `read` gives by name; the cases are those of a CSV text `table`, if any."""
    try:
        claim, texts = json.loads(read(MAIN)), {name: read(name).decode() for name in (CASES, CUTS, WORDS, README)}
        sorts = (FORMAT, VERSION, "rows"), (FORMAT, VERSION, WEIGHT)
        if (claim["format"], claim["version"], claim["least_of"]) not in sorts or not _whole(claim["scale"]):
            raise RejectedError(f"This checker reads version {VERSION} of '{FORMAT}'.")
        cases = cases_of_file(texts[CASES]) if table is None else cases_of_table(table, claim)
        least, price, more, parts = (_whole(claim[name]) for name in ("least_rows", "price", "more", "parts"))
        most, depth = claim["max_splits"], min(_whole(claim["depth"]), len(cases.rows))  # more levels part nothing
        if not parts or (more and most is None) or (most is not None and _splits(claim["tree"]) > _whole(most)):
            raise RejectedError("The tree has more splits than are allowed, or the limit on them is not well told.")
        cost = cases.base + _cost(cases, claim["tree"], np.arange(len(cases.rows)), depth, least, price)
        if depth > DEEPEST or statement(claim, cost) not in texts[README]:
            raise RejectedError(f"{README} says something else, or the tree is too deep to be checked.")
        if texts[WORDS] != in_words(claim["tree"], claim):
            raise RejectedError(f"{WORDS} tells of another tree.")
        lines = [np.array(line.split(), dtype=object).astype(np.int64) for line in texts[CUTS].splitlines()]
    except (KeyError, TypeError, ValueError, IndexError, RecursionError, OverflowError, csv.Error) as error:
        raise RejectedError(f"The certificate is damaged: {error!r}.") from None
    limit = more * (most or 0)
    goal = (cost - cases.base) * parts + limit
    if max(goal, price * parts + more, parts * int(cases.cost.sum())) > EXACT:
        raise RejectedError("The multiplier of the limit on splits is too fine to be counted exactly.")
    scaled = Cases(cases.ranks.T, cases.rows, cases.cost.T * parts) if parts > 1 else cases
    used = prover(scaled, price * parts + more, due, map(np.cumsum, lines))
    bound = cases.base - (limit - used.bound(scaled.all(), depth, goal, least)) // parts
    return Verdict(cost, bound, int(cases.rows.sum()), len(cases.rows))


def cases_of_file(text: str) -> Cases:
    """The cases as a certificate tells them."""
    names, *lines = csv.reader(io.StringIO(text))
    kinds = [name.rstrip("0123456789") for name in names]
    if kinds != sorted(kinds, key=("rank_", "rows", "cost_").index) or kinds.count("rows") != 1:
        raise RejectedError("The columns of the cases must be ranks, rows and costs, in this order.")
    cells, n = np.array(lines, dtype=object).astype(np.int64), kinds.index("rows")
    return Cases(cells[:, :n].copy(), cells[:, n].copy(), cells[:, n + 1 :].copy())


def cases_of_table(text: str, claim: Any) -> Cases:
    """The cases as a table has them, by the columns, levels and rows that the certificate names."""
    names, *lines = (line for line in csv.reader(io.StringIO(text.removeprefix("\ufeff"))) if line)
    about = claim["table"]
    rows = [lines[i - 1] for first, last in about["rows"] for i in range(_whole(first), _whole(last) + 1)]
    label = [claim["classes"].index(row[names.index(about["outcome"])].strip()) for row in rows]
    weight = [1] * len(rows) if about["weights"] is None else [_whole(one) for one in about["weights"]]
    columns = [[row[names.index(one["column"])].strip() for row in rows] for one in claim["orders"]]
    keys = [order_keys(*one, about["missing"]) for one in zip(columns, claim["orders"], strict=True)]
    ranks = np.array([np.unique(key, return_inverse=True)[1].ravel() for key in keys]).reshape(len(keys), len(rows)).T
    check_bounds(claim["tree"], keys, ranks, np.arange(len(rows)))
    different, case = np.unique(ranks, axis=0, return_inverse=True)
    cost = np.array(about["class_costs"], dtype=object)[label] * np.array(weight, dtype=object)[:, None]
    sums = np.zeros((len(different), cost.shape[1]), dtype=object)
    np.add.at(sums, case.ravel(), cost)
    counted = np.bincount(case.ravel(), weight if claim["least_of"] == WEIGHT else None).astype(np.int64)
    return Cases(different, counted, sums.astype(np.int64))


def order_keys(cells: list[str], order: Any, marks: list[str]) -> np.ndarray:
    """The numbers by which an order ranks the cells of its column."""
    levels, values = order["levels"], np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        if levels is not None and cell in levels:
            values[i] = levels.index(cell)
        elif cell.lower() not in marks:
            values[i] = np.datetime64(cell, "us").astype(float) / 86400e6 if order["dates"] else float(cell)
    missing = np.isnan(values)
    if order["fill"] is not None:
        values[missing] = order["fill"]
    if order["by"] == "missing":
        values = np.where(missing, 0.0, 1.0)
    elif order["by"] == "level":
        values = np.where(np.isnan(values), not order["or_missing"], values != order["level"]).astype(float)
    elif order["by"] == "falling":
        values = -values
    values[np.isnan(values)] = -1e300 if order["or_missing"] else 1e300
    return values


def check_bounds(tree: Any, keys: list[np.ndarray], ranks: np.ndarray, here: np.ndarray) -> None:
    """That the numbers in the words of a tree part these rows of the table as its ranks do."""
    if "class" not in tree:
        low = ranks[here, tree["order"]] <= tree["last"]
        if tree["bound"] is not None and (low != (keys[tree["order"]][here] <= tree["bound"])).any():
            raise RejectedError("A number in the words of the tree parts rows of the table otherwise than its rank.")
        check_bounds(tree["low"], keys, ranks, here[low])
        check_bounds(tree["high"], keys, ranks, here[~low])


def in_words(tree: Any, claim: Any, indent: str = "") -> str:
    """A tree as `tree.txt` tells it."""
    if "class" in tree:
        return f"{indent}{claim['table']['outcome']} = {claim['classes'][tree['class']]}\n"
    order, bound = claim["orders"][_whole(tree["order"])], tree["bound"]
    if order["by"] == "level":
        test = f"is {order['levels'][order['level']]}"
    elif order["by"] == "falling" and bound is None:
        test = f"is {order['levels'][-1]}"
    elif bound is None:
        test = "is missing" if order["or_missing"] or order["by"] == "missing" else "is known"
    elif order["dates"]:
        test = f"is {np.datetime64(int(bound // 1), 'D')} or earlier"
    else:
        test = f"is {bound!r} or less" if order["levels"] is None else f"is {order['levels'][bound]} or lower"
    test += ", or missing" if order["or_missing"] and test != "is missing" else ""
    low, high = (in_words(tree[side], claim, indent + "    ") for side in ("low", "high"))
    return f"{indent}if {order['column']} {test}:\n{low}{indent}else:\n{high}"


def statement(claim: Any, cost: int) -> str:
    """What is claimed, in a sentence, as `README.md` tells it."""
    allowed = f"of depth at most {claim['depth']}"
    allowed += (
        "" if claim["least_rows"] <= 1 else f" with at least {claim['least_rows']} {claim['least_of']} in each leaf"
    )
    allowed += "" if claim["max_splits"] is None else f" and at most {claim['max_splits']} splits"
    paid = f" A split costs {claim['price']}." if claim["price"] else ""
    return f"The tree costs {cost}, and no tree {allowed} costs less; {claim['scale']} is what one error costs.{paid}"


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= EXACT:
        raise RejectedError(f"{value!r} is no whole number that can be used here.")
    return value


def _splits(tree: Any) -> int:
    return 0 if "class" in tree else 1 + _splits(tree["low"]) + _splits(tree["high"])


def _cost(cases: Cases, tree: Any, here: np.ndarray, depth: int, least: int, price: int) -> int:
    """What a tree costs above `base` for the cases at these positions, counted; `RejectedError` if not allowed."""
    if "class" in tree:
        if cases.rows[here].sum() < least or not 0 <= _whole(tree["class"]) < len(cases.cost):
            raise RejectedError("A leaf of the tree has too few rows, or answers no class.")
        return int(cases.cost[tree["class"], here].sum())
    if depth == 0:
        raise RejectedError("The tree is deeper than the certificate says.")
    low = cases.ranks[_whole(tree["order"]), here] <= _whole(tree["last"])
    sides = ((tree["low"], here[low]), (tree["high"], here[~low]))
    return price + sum(_cost(cases, part, inside, depth - 1, least, price) for part, inside in sides)


def main(arguments: list[str]) -> int:
    """Check an archive or folder, by a table if one is named; 0 where no tree costs less."""
    try:
        table = Path(arguments[1]).read_text("utf-8") if len(arguments) > 1 else None
        place = Path(arguments[0])
        read = (lambda name: (place / name).read_bytes()) if place.is_dir() else zipfile.ZipFile(place).read
        found = check(read, table=table)
        words = statement(json.loads(read(MAIN)), found.cost)
    # a damaged file may end the unpacking in whatever exception its bytes lead to
    except Exception as error:
        print(f"REJECTED: {error}")
        return 1
    about = "the cases of the certificate" if table is None else f"'{arguments[1]}'"
    print(f"{found.n_cases} cases of {found.n_rows} rows, from {about}. The bound on every tree is {found.bound}.")
    print(f"PROVED: {words}" if found.proved else f"NOT PROVED: {words}")
    return 0 if found.proved else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
