"""The multipliers of the best Lagrangian bound, by cutting planes.

For a multiplier p the bound is the least weighted sum over all trees minus what the limits may add. As a function of
p / p_0 it is concave and piecewise linear, a piece a tree. Each search for one p gives a tree, and a small linear
program over the trees found so far says where the bound may be highest; see Kelley (1960), 'The cutting-plane method
for solving convex programs'. Every p on the way gives a valid bound, and its tree may satisfy all limits.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from solvers.kernels.coupled_rules import extra_cost
from solvers.kernels.path_rules import joined
from solvers.magnitude import LARGEST_SUM, LARGEST_TOTAL, LARGEST_WEIGHTED, sum_of
from solvers.methods.trees.coupled.rule_arrays import NO_LIMIT, Posted
from solvers.methods.trees.coupled.weighted_sums import Tree, Weighting

MOST_STEPS = 25
ENOUGH = 0.1
"""The cutting planes end when the bound cannot rise by more than this, in units of the objective's gap of 1."""

MIXED = 3
"""How many of the best weightings of the objective and some sums bound subtrees."""


@dataclass
class Dual:
    """The search for multipliers, with the best lower bound on the cost so far.

    `active` are the numbers of the sums that take part, `weightings` those that were solved, with their bounds, and
    `least` is by sum the least value that it can have at all, where it was asked for.
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

    def trees(self) -> Iterator[Tree | None]:
        """Solve one weighting after the other; the bound rises on the way.

        Yields each tree that is found, also while a weighting is being solved, and `None` after steps without one.

        Ends when the bound cannot rise much more, or when some limit is proved to be out of reach (`impossible`), and
        by `SearchEndedError`.
        """
        n_sums = len(self.posted.limits)
        yield from self._solve(self._unit(0, n_sums))
        for q in self.active:
            yield from self._solve(self._unit(q, n_sums))
            if self.impossible:
                return
        tried = set()
        for _ in range(MOST_STEPS if self.active else 0):
            proposal = self._next()
            if proposal is None:
                return
            multiplier, promise = proposal
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

    def bundle(self) -> list[Weighting]:
        """The weightings to bound subtrees with: the best ones, and each sum alone."""
        ranked = sorted(self.weightings, key=lambda pair: -pair[0])
        mixed = [w for _, w in ranked if w.multiplier[0]]
        alone = [w for _, w in ranked if not w.multiplier[0]]
        plain = [w for w in mixed if not w.multiplier[1:].any()]
        return list({id(w): w for w in (*mixed[:MIXED], *plain, *alone)}.values())

    def _unit(self, q: int, n_sums: int) -> np.ndarray:
        multiplier = np.zeros(n_sums, np.int64)
        multiplier[q] = 1
        return multiplier

    def _solve(self, multiplier: np.ndarray) -> Iterator[Tree | None]:
        weighting = Weighting(self.posted, multiplier, self.depth, self.halt)
        for least, tree in weighting.steps():
            # what is not solved yet bounds, too: the objective alone takes longest, and is the first
            if multiplier[0]:
                self.bound = max(self.bound, weighting.bound(least))
            yield tree
        assert tree is not None
        if multiplier[0]:
            limits = self.posted.limits.copy()
            limits[0] = 0
            exact = (least + weighting.constant - int(limits @ multiplier)) / int(multiplier[0])
        else:
            exact = -np.inf
            q = int(np.flatnonzero(multiplier)[0])
            self.least[q] = least + weighting.constant
        self.weightings.append((exact, weighting))
        self._cuts.append(sums_of(self.posted, tree))
        yield None

    def _next(self) -> tuple[np.ndarray, float] | None:
        """The multiplier at which the bound may be highest as far as the known trees say, and that height.

        A proposal, since it is found in floats: the bound is that of the whole numbers which it is rounded to. `None`
        where the linear program has no answer.
        """
        from scipy.optimize import linprog

        cuts = np.array(self._cuts, float)
        over = cuts[:, self.active] - self.posted.limits[self.active]
        # sums are as large as products of group sizes, costs as small as 1: both in units of their largest number
        most, unit = cuts[:, 0].max() + 1.0, np.maximum(np.abs(over).max(axis=0), 1.0)
        # no multiplier need be larger than what one unit of its sum can be worth: all of the objective
        everything = float(self.posted.sums.amount[:, :, 0].max(axis=1).sum()) + 1.0
        # maximise z with z <= cost of the tree + multiplier . (sums - limits), tree by tree
        solved = linprog(
            [-1.0, *([0.0] * len(self.active))],
            A_ub=np.column_stack((np.ones(len(cuts)), -over / unit)),
            b_ub=cuts[:, 0] / most,
            bounds=[(0, 1), *((0, everything / most * u) for u in unit)],
            method="highs",
        )
        if solved.x is None:
            return None
        return self._whole_numbers(solved.x[1:] * most / unit), float(solved.x[0]) * most

    def _whole_numbers(self, real: np.ndarray) -> np.ndarray:
        """Real multipliers as whole numbers: for sums of 32 bits where these are precise enough, else of 64."""
        sums = self.posted.sums
        spread = np.abs(sums.amount).max(axis=1).astype(float).sum(axis=0)
        spread += np.abs(sums.per_split) * 2.0**self.depth
        weight = np.concatenate(([1.0], np.zeros(len(self.posted.limits) - 1)))
        weight[self.active] = real
        for q, t in enumerate(sums.test.tolist()):
            if t >= 0:
                dearest = self.posted.ruling.own[t].sum() + self.posted.ruling.shared[t].sum()
                spread[q] += float(sums.test_weight[t].sum()) * float(dearest)
        for largest in (LARGEST_TOTAL, LARGEST_WEIGHTED):
            # of many scales the one that changes the proportions least
            scales = largest / max(float(weight @ spread), 1e-9) / 4 * np.linspace(0.25, 1.0, 400)
            whole = np.maximum(np.rint(weight * scales[:, None]), 0)
            whole[:, 0] = np.maximum(whole[:, 0], 1)
            whole = whole[whole @ spread <= largest / 2]
            wrong = np.abs(whole / whole[:, :1] - weight) @ spread
            if len(wrong) and (wrong.min() <= ENOUGH * self.unit or largest == LARGEST_WEIGHTED):
                return np.asarray(whole[wrong.argmin()], np.int64)
        return self._unit(0, len(spread))


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


def sums_of(posted: Posted, tree: Tree) -> np.ndarray:
    """What a tree adds to each sum, int64 (Q,)."""
    sums, ruling = posted.sums, posted.ruling

    def add(node: Tree, rows: np.ndarray, used: int) -> np.ndarray:
        if len(node) == 1:
            return np.asarray(sums.amount[rows, node[0]].sum(axis=0))
        order, last, first, second = node
        total = sums.per_split.copy()
        for q, t in enumerate(sums.test.tolist()):
            if t >= 0:
                total[q] += extra_cost(ruling, t, used, order) * sums.test_weight[t, rows].sum()
        low = posted.orders.rank[order, rows] <= last
        below = int(joined(ruling, used, order))
        return np.asarray(total + add(first, rows[low], below) + add(second, rows[~low], below))

    return np.asarray(posted.fixed + add(tree, np.arange(posted.orders.rank.shape[1]), 0))
