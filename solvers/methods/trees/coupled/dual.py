"""The multipliers of the best Lagrangian bound, by cutting planes.

For a multiplier p the bound is the least weighted sum over all trees minus what the limits may add. As a function of
p / p_0 it is concave and piecewise linear, a piece a tree. Each search for one p gives a tree, and a small linear
program over the trees found so far says where the bound may be highest; see Kelley (1960), 'The cutting-plane method
for solving convex programs'. Every p on the way gives a valid bound, and its tree may satisfy all limits.

Each tree is a piece of the function for every p, whatever it was found for. So the trees known tell a search what it
must be cheaper than, and a search is left once its tree takes enough off the promise of the linear program.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ....kernels.path_rules import extra_cost, joined
from ....magnitude import LARGEST_SUM, LARGEST_TOTAL, LARGEST_WEIGHTED, sum_of
from ...multipliers import highest_bound
from ..tree_of_splits import RankTree
from .rule_arrays import NO_LIMIT, Posted
from .weighted_sums import Weighting

MOST_STEPS = 25
ENOUGH = 0.1
"""The cutting planes end when the bound cannot rise by more than this, in units of the objective's gap of 1."""

WORTH = 0.25
"""Nor where it cannot rise by this part of the way to the best tree known, if that is at most one unit."""

SHARE = 0.5
"""A search is left when its tree leaves no more than this of what the bound was promised to rise by."""

FIRST_SHARE = 0.93
"""The same while no tree within all limits is known: many hasty weightings find one sooner than few good ones."""

MIXED = 3
"""How many of the best weightings of the objective and some sums bound subtrees."""


@dataclass
class Dual:
    """The search for multipliers, with the best lower bound on the cost so far.

    `active` are the numbers of the sums that take part, which may be changed between two calls of `trees`; `weightings`
    those that were solved, with their bounds, `cuts` the sums of all trees found, and `least` is by sum the least value
    that it can have at all, where it was asked for. What is known holds for other active sums, too. `dearest` is what
    the best tree known costs.
    """

    posted: Posted
    depth: int
    active: list[int]
    halt: np.ndarray
    unit: int
    bound: int = 0
    dearest: float = math.inf
    weightings: list[tuple[float, Weighting]] = field(default_factory=list)
    least: dict[int, int] = field(default_factory=dict)
    cuts: list[np.ndarray] = field(default_factory=list)

    def trees(self, share: float = SHARE) -> Iterator[RankTree | None]:
        """Solve one weighting after the other, each until its tree leaves no more than this share; the bound rises.

        Yields each tree that is found, also while a weighting is being solved, and `None` after steps without one.

        Ends when the bound cannot rise much more, or when some limit is proved to be out of reach (`impossible`), and
        by `SearchEndedError`.
        """
        for q in (0, *self.active):
            if q not in self.least:
                yield from self._solve(np.eye(len(self.posted.limits), dtype=np.int64)[q])
            if self.impossible:
                return
        tried = set()
        for _ in range(MOST_STEPS if self.active else 0):
            proposal = steepest(self.posted, self.depth, self.active, self.cuts, self.unit)
            if proposal is None:
                return
            multiplier, promise = proposal
            proportions = tuple((multiplier // np.gcd.reduce(multiplier)).tolist())
            worth = min(max(ENOUGH * self.unit, WORTH * (self.dearest - self.best)), self.unit)
            if promise <= self.best + worth or proportions in tried:
                return
            tried.add(proportions)
            yield from self._solve(multiplier, self.best + (promise - self.best) * share)

    @property
    def _usable(self) -> list[tuple[float, Weighting]]:
        """The weightings of the objective and active sums alone."""
        others = np.delete(np.arange(len(self.posted.limits)), [0, *self.active])
        return [pair for pair in self.weightings if not pair[1].multiplier[others].any()]

    @property
    def best(self) -> float:
        """The best bound by active sums before it is rounded up."""
        return max((bound for bound, _ in self._usable), default=0.0)

    @property
    def impossible(self) -> bool:
        """Whether some sum exceeds its limit in every tree."""
        return any(self.least[q] > self.posted.limits[q] for q in self.least)

    def bundle(self) -> list[Weighting]:
        """The weightings to bound subtrees with: the best ones, and each sum alone."""
        ranked = sorted(self._usable, key=lambda pair: -pair[0])
        mixed = [w for _, w in ranked if w.multiplier[0]]
        alone = [w for _, w in ranked if not w.multiplier[0]]
        plain = [w for w in mixed if not w.multiplier[1:].any()]
        return list({id(w): w for w in (*mixed[:MIXED], *plain, *alone)}.values())

    def _solve(self, multiplier: np.ndarray, enough: float = -np.inf) -> Iterator[RankTree | None]:
        weighting, mixed = Weighting(self.posted, multiplier, self.depth, self.halt), bool(multiplier[0])
        limits = self.posted.limits.copy()
        limits[0] = 0
        known = min((int(cut @ multiplier) - weighting.constant for cut in self.cuts), default=None)
        for least, tree in weighting.steps(known):
            # what is not solved yet bounds, too: the objective alone takes longest, and is the first
            if mixed:
                self.bound = max(self.bound, weighting.bound(least))
            yield tree
            if tree is not None:
                self.cuts.append(sums_of(self.posted, tree))
                if int((self.cuts[-1] - limits) @ multiplier) <= enough * max(1, int(multiplier[0])):
                    return
        over = weighting.constant - int(limits @ multiplier)
        self.weightings.append(((least + over) / int(multiplier[0]) if mixed else -np.inf, weighting))
        if multiplier.sum() == 1:
            self.least[int(np.flatnonzero(multiplier)[0])] = least + weighting.constant
        yield None


def steepest(
    posted: Posted, depth: int, active: list[int], cuts: list[np.ndarray], unit: int
) -> tuple[np.ndarray, float] | None:
    """The multiplier at which the bound may be highest as far as the sums of known trees say, and that height.

    A proposal, since it is found in floats: the bound is that of the whole numbers which it is rounded to. `None`
    where the linear program has no answer.
    """
    known = np.array(cuts, float)
    everything = float(posted.sums.amount[:, :, 0].max(axis=1).sum()) + 1.0
    proposal = highest_bound(known[:, 0], known[:, active] - posted.limits[active], everything)
    return proposal and (_whole_numbers(posted, depth, active, unit, proposal[1]), proposal[0])


def _whole_numbers(posted: Posted, depth: int, active: list[int], unit: int, real: np.ndarray) -> np.ndarray:
    """Real multipliers as whole numbers: for sums of 32 bits where these are precise enough, else of 64."""
    sums = posted.sums
    spread = np.abs(sums.amount).max(axis=1).astype(float).sum(axis=0)
    spread += np.abs(sums.per_split) * 2.0**depth
    weight = np.concatenate(([1.0], np.zeros(len(posted.limits) - 1)))
    weight[active] = real
    for q, t in enumerate(sums.test.tolist()):
        if t >= 0:
            dearest = posted.ruling.own[t].sum() + posted.ruling.shared[t].sum()
            spread[q] += float(sums.test_weight[t].sum()) * float(dearest)
    for largest in (LARGEST_TOTAL, LARGEST_WEIGHTED):
        # of many scales the one that changes the proportions least
        scales = largest / max(float(weight @ spread), 1e-9) / 4 * np.linspace(0.25, 1.0, 400)
        whole = np.maximum(np.rint(weight * scales[:, None]), 0)
        whole[:, 0] = np.maximum(whole[:, 0], 1)
        whole = whole[whole @ spread <= largest / 2]
        wrong = np.abs(whole / whole[:, :1] - weight) @ spread
        if len(wrong) and (wrong.min() <= ENOUGH * unit or largest == LARGEST_WEIGHTED):
            return np.asarray(whole[wrong.argmin()], np.int64)
    return np.asarray(np.eye(len(spread), dtype=np.int64)[0])


def costliest(posted: Posted) -> int:
    """What no tree that satisfies all limits costs more than, whatever its questions.

    For multipliers p of at least 0, a tree within the limits costs at most sum over rows of the largest (cost - p .
    sums) of any answer, plus p . limits; the cheapest such bound is a small linear program. It shows at once that, say,
    few missed and few false alarms together mean few errors; below 0 it says that no answers satisfy the limits.
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_array, csr_array, eye_array

    limited = np.flatnonzero(posted.limits < NO_LIMIT)
    amount, limits = posted.sums.amount[:, :, [0, *limited]], (posted.limits - posted.fixed)[limited]
    n, n_answers, n_sums = amount.shape
    cost = amount[:, :, 0]
    most = sum_of(cost.max(axis=1))
    if n_sums > 1:
        unit = np.maximum(np.abs(amount[:, :, 1:]).max(axis=(0, 1)), 1).astype(float)
        # minimise sum(t) + p . limits with t_i >= cost_ik - p . sums_ik for all answers k
        blocks = [[csr_array(-amount[:, k, 1:] / unit), -eye_array(n)] for k in range(n_answers)]
        solved = linprog(
            np.concatenate((limits / unit, np.ones(n))),
            A_ub=block_array(blocks, format="csr"),
            b_ub=-cost.T.ravel().astype(float),
            bounds=[(0, (most + 1) * u) for u in unit] + [(None, None)] * n,
            method="highs",
        )
        if solved.x is not None:
            most = min(most, _dearest_at(amount, limits, np.maximum(solved.x[: n_sums - 1], 0) / unit, most))
    return most + (int(posted.sums.per_split[0]) << posted.depth) + int(posted.fixed[0])


def _dearest_at(amount: np.ndarray, limits: np.ndarray, multipliers: np.ndarray, most: int) -> int:
    """What no answers within the limits cost more than, by multipliers that are rounded first; `most` where none fit.

    amount : int64 (n, K, 1 + Q), of the cost first; limits : int64 (Q,); multipliers : float64 (Q,).
    """
    spread = np.abs(amount[:, :, 1:]).max(axis=1).astype(float).sum(axis=0) + np.abs(limits)
    room = LARGEST_SUM / max(most + float(multipliers @ spread), 1.0) / 4
    if room < 1:
        return most
    scale = 1 << min(int(np.log2(room)), 20)
    whole = np.rint(multipliers * scale).astype(np.int64)
    if float(whole @ spread) + most * scale > LARGEST_SUM:
        return most
    dearest = (amount[:, :, 0] * scale - amount[:, :, 1:] @ whole).max(axis=1).sum() + limits @ whole
    return int(dearest) // scale


def sums_of(posted: Posted, tree: RankTree) -> np.ndarray:
    """What a tree adds to each sum, int64 (Q,)."""
    sums, ruling = posted.sums, posted.ruling

    def add(node: RankTree, rows: np.ndarray, used: int) -> np.ndarray:
        if len(node) == 1:
            return np.asarray(sums.amount[rows, node[0]].sum(axis=0))
        assert len(node) == 4, "the leaves of these trees have answers"
        order, last, first, second = node
        total = sums.per_split.copy()
        for q, t in enumerate(sums.test.tolist()):
            if t >= 0:
                total[q] += extra_cost(ruling, t, used, order) * sums.test_weight[t, rows].sum()
        low = posted.orders.rank[order, rows] <= last
        below = int(joined(ruling, used, order))
        return np.asarray(total + add(first, rows[low], below) + add(second, rows[~low], below))

    return np.asarray(posted.fixed + add(tree, np.arange(posted.orders.rank.shape[1]), 0))
