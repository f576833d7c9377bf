"""The multipliers of the best Lagrangian bound, by cutting planes.

For a multiplier p the bound is the least weighted sum over all trees minus what the limits may add. As a function of
p / p_0 it is concave and piecewise linear, a piece a tree. Each search for one p gives a tree, and a small linear
program over the trees found so far says where the bound may be highest; see Kelley (1960), 'The cutting-plane method
for solving convex programs'. Every p on the way gives a valid bound, and its tree may satisfy all limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from solvers.kernels.coupling import extra_cost
from solvers.kernels.ruling import joined
from solvers.methods.fronts.posting import NO_LIMIT, Posted
from solvers.methods.fronts.weighting import LARGEST, Tree, Weighting

MOST_STEPS = 25
ENOUGH = 0.1
"""The cutting planes end when the bound cannot rise by more than this, in units of the objective's gap of 1."""


@dataclass
class Dual:
    """The search for multipliers.

    Attributes
    ----------
    posted : the problem; depth : of its trees; active : the numbers of the sums that take part.
    bound : the best lower bound on the cost so far.
    weightings : those that were solved, with their bounds.
    least : by sum, the least value that it can have at all, where it was asked for.
    """

    posted: Posted
    depth: int
    active: list[int]
    halt: np.ndarray
    unit: int
    bound: int = 0
    weightings: list[tuple[float, Weighting]] = field(default_factory=list)
    least: dict[int, int] = field(default_factory=dict)
    _cuts: list[np.ndarray] = field(default_factory=list)

    def trees(self) -> Iterator[Tree]:
        """Solve one weighting after the other and yield the tree of each; the bound rises on the way.

        Ends when the bound cannot rise much more, or when some limit is proved to be out of reach (`impossible`).

        Raises
        ------
        Interrupted
        """
        n_sums = len(self.posted.limits)
        yield from self._solve(self._unit(0, n_sums))
        for q in self.active:
            yield from self._solve(self._unit(q, n_sums))
            if self.impossible:
                return
        tried = set()
        for _ in range(MOST_STEPS if self.active else 0):
            multiplier, promise = self._next()
            proportions = tuple((multiplier // np.gcd.reduce(multiplier)).tolist())
            if promise <= self.best + ENOUGH * self.unit or proportions in tried:
                return
            tried.add(proportions)
            yield from self._solve(multiplier)

    @property
    def best(self) -> float:
        """The best bound before it is rounded up."""
        return max((bound for bound, _ in self.weightings), default=0.0)

    @property
    def impossible(self) -> bool:
        """Whether some sum exceeds its limit in every tree."""
        return any(self.least[q] > self.posted.limits[q] for q in self.least)

    def bundle(self, most: int = 6) -> list[Weighting]:
        """The weightings to bound subtrees with: the best ones, and each sum alone."""
        ranked = sorted(self.weightings, key=lambda pair: -pair[0])
        mixed = [w for _, w in ranked if w.multiplier[0]]
        alone = [w for _, w in ranked if not w.multiplier[0]]
        plain = [w for w in mixed if not w.multiplier[1:].any()]
        return list({id(w): w for w in (*mixed[: most // 2], *plain, *alone)}.values())

    def _unit(self, q: int, n_sums: int) -> np.ndarray:
        multiplier = np.zeros(n_sums, np.int64)
        multiplier[q] = 1
        return multiplier

    def _solve(self, multiplier: np.ndarray) -> Iterator[Tree]:
        weighting = Weighting(self.posted, multiplier, self.depth, self.halt)
        least, tree = weighting.whole()
        if multiplier[0]:
            limits = self.posted.limits.copy()
            limits[0] = 0
            exact = (least + weighting.constant - int(limits @ multiplier)) / int(multiplier[0])
            self.bound = max(self.bound, weighting.bound(least))
        else:
            exact = -np.inf
            q = int(np.flatnonzero(multiplier)[0])
            self.least[q] = least + weighting.constant
        self.weightings.append((exact, weighting))
        self._cuts.append(sums_of(self.posted, tree))
        yield tree

    def _next(self) -> tuple[np.ndarray, float]:
        """The multiplier at which the bound may be highest as far as the known trees say, and that height."""
        from scipy.optimize import linprog

        cuts = np.array(self._cuts, float)
        over = cuts[:, self.active] - self.posted.limits[self.active]
        # maximise z with z <= cost of the tree + multiplier . (sums - limits), tree by tree
        matrix = np.column_stack((np.ones(len(cuts)), -over))
        top = cuts[:, 0].max() + 1.0
        highest = self._highest()
        found = linprog(
            [-1.0, *([0.0] * len(self.active))],
            A_ub=matrix,
            b_ub=cuts[:, 0],
            bounds=[(0, top), *((0, h) for h in highest)],
            method="highs",
        )
        real = found.x[1:]
        return self._whole_numbers(real), float(found.x[0])

    def _highest(self) -> list[float]:
        """No multiplier need be larger than what one unit of the sum can be worth: all of the objective."""
        everything = float(self.posted.sums.amount[:, :, 0].max(axis=1).sum()) + 1.0
        return [everything] * len(self.active)

    def _whole_numbers(self, real: np.ndarray) -> np.ndarray:
        """Real multipliers as whole numbers, as precise as the kernels can count."""
        sums = self.posted.sums
        spread = (sums.amount.max(axis=1) - sums.amount.min(axis=1)).sum(axis=0).astype(float)
        spread += sums.per_split * 2.0**self.depth
        weight = np.concatenate(([1.0], np.zeros(len(self.posted.limits) - 1)))
        weight[self.active] = real
        for q, t in enumerate(sums.test.tolist()):
            if t >= 0:
                dearest = self.posted.ruling.own[t].sum() + self.posted.ruling.shared[t].sum()
                spread[q] += float(sums.test_weight[t].sum()) * float(dearest)
        largest = LARGEST / max(float(weight @ spread), 1e-9) / 2
        # of many scales the one that changes the proportions least
        scales = largest * np.linspace(0.25, 1.0, 400)
        whole = np.maximum(np.rint(weight * scales[:, None]), 0)
        whole[:, 0] = np.maximum(whole[:, 0], 1)
        wrong = np.abs(whole / whole[:, :1] - weight) @ spread
        return whole[wrong.argmin()].astype(np.int64)


def costliest(posted: Posted) -> int:
    """What no tree that satisfies all limits costs more than, whatever its questions.

    For multipliers p of at least 0, a tree within the limits costs at most sum over rows of the largest (cost - p .
    sums) of any answer, plus p . limits; the cheapest such bound is a small linear program. It tells at once that, say,
    few missed and few false alarms together mean few errors; below 0 it says that no answers satisfy the limits.
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_array, csr_array, eye_array

    limited = np.flatnonzero(posted.limits < NO_LIMIT)
    amount, limits = posted.sums.amount[:, :, [0, *limited]], (posted.limits - posted.fixed)[limited]
    n, n_answers, n_sums = amount.shape
    cost = amount[:, :, 0].astype(float)
    splits = float(posted.sums.per_split[0]) * 2**posted.depth
    most = cost.max(axis=1).sum()
    if n_sums > 1:
        # minimise sum(t) + p . limits with t_i >= cost_ik - p . sums_ik for all answers k
        blocks = [[csr_array(-amount[:, k, 1:].astype(float)), -eye_array(n)] for k in range(n_answers)]
        found = linprog(
            np.concatenate((limits, np.ones(n))),
            A_ub=block_array(blocks, format="csr"),
            b_ub=-cost.T.ravel(),
            bounds=[(0, most + 1)] * (n_sums - 1) + [(None, None)] * n,
            method="highs",
        )
        if found.status == 0:
            p = np.maximum(found.x[: n_sums - 1], 0)
            most = min(most, (cost - amount[:, :, 1:] @ p).max(axis=1).sum() + float(p @ limits))
    return int(np.ceil(most + abs(most) * 1e-12 + splits + float(posted.fixed[0]) + 1e-6))


def sums_of(posted: Posted, tree: Tree) -> np.ndarray:
    """What a tree adds to each sum, int64 (Q,)."""
    sums, ruling = posted.sums, posted.ruling

    def add(node: Tree, rows: np.ndarray, used: int) -> np.ndarray:
        if len(node) == 1:
            return sums.amount[rows, node[0]].sum(axis=0)
        order, last, first, second = node
        total = sums.per_split.copy()
        for q, t in enumerate(sums.test.tolist()):
            if t >= 0:
                total[q] += extra_cost(ruling, t, np.int64(used), order) * sums.test_weight[t, rows].sum()
        low = posted.orders.rank[order, rows] <= last
        below = int(joined(ruling, np.int64(used), order))
        return total + add(first, rows[low], below) + add(second, rows[~low], below)

    return posted.fixed + add(tree, np.arange(posted.orders.rank.shape[1]), 0)
