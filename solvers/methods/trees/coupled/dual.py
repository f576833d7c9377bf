"""The Lagrangian bound of trees: the proposals of `multipliers`, each solved by the exact search.

Every multiplier tried gives a valid bound, and its tree may satisfy all limits. Each tree is a piece of the bound as a
function of the multiplier, not only for its own. So the known trees give a search its ceiling, and a search is
abandoned once its tree reduces the increase that the proposal promises far enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ....kernels.path_rules import extra_cost, joined
from ....magnitude import LARGEST_SUM, LARGEST_TOTAL, LARGEST_WEIGHTED, sum_of
from ...multipliers import CuttingPlanes
from ..tree_of_splits import SplitTree, nodes_of
from .rule_arrays import NO_LIMIT, Posted
from .weighted_sums import Weighting

SHARE = 0.5
"""A search is abandoned when its tree leaves at most this share of the promised increase of the bound."""

FIRST_SHARE = 0.93
"""The same while no feasible tree is known: many rough weightings find one sooner than few precise ones."""

MIXED = 3
"""How many of the best weightings of the objective with other sums are used to bound subtrees."""


@dataclass
class Dual:
    """The search for multipliers, with the best lower bound on the cost so far.

    Attributes
    ----------
    active : the numbers of the active sums, which may change between two calls of `trees`.
    unit : the cost of an error.
    bound : the best lower bound; cost : the cost of the best known tree.
    weightings : the solved ones, with their bounds; least : the minimum of each sum on its own, if computed. They and
        the cuts remain valid for other active sums.
    planes : has the sums of all trees found.
    """

    posted: Posted
    depth: int
    active: list[int]
    halt: np.ndarray
    unit: int
    bound: int = 0
    cost: int | None = None
    weightings: list[tuple[float, Weighting]] = field(default_factory=list)
    least: dict[int, int] = field(default_factory=dict)
    planes: CuttingPlanes = field(init=False)

    def __post_init__(self) -> None:
        sums, ruling = self.posted.sums, self.posted.ruling
        spread = np.abs(sums.amount).max(axis=1).astype(float).sum(axis=0)
        spread += np.abs(sums.per_split) * 2.0**self.depth
        for q, t in enumerate(sums.test.tolist()):
            if t >= 0:
                dearest = ruling.own[t].sum() + ruling.shared[t].sum()
                spread[q] += float(sums.test_weight[t].sum()) * float(dearest)
        self.planes = CuttingPlanes(self.posted.limits, spread, self.unit, (LARGEST_TOTAL, LARGEST_WEIGHTED))

    def trees(self, share: float = SHARE) -> Iterator[SplitTree | None]:
        """Solve one weighting after the other, each until its tree leaves at most this share; the bound rises.

        Yields each tree found, also while a weighting is being solved, and `None` after steps without one.

        Mixed weightings come first, from the trees without splits: their bounds are higher than that of the objective
        alone, which is solved only if no sum is active. Ends if the bound cannot rise much more, or if some limit is
        proved unreachable (`impossible`). May raise `SearchEndedError`.
        """
        if self.active and not self.planes.cuts:
            n_classes = self.posted.sums.amount.shape[1]
            self.planes.cuts += [sums_of(self.posted, SplitTree({}, {0: label})) for label in range(n_classes)]
        yield from self._mixed(share)
        for q in self.active or (0,):
            if q not in self.least:
                yield from self._solve(np.eye(len(self.posted.limits), dtype=np.int64)[q])
            if self.impossible:
                return
        yield from self._mixed(share)

    def _mixed(self, share: float) -> Iterator[SplitTree | None]:
        """Solve weightings of the objective with the active sums, at the multipliers that the known trees propose."""
        for multiplier, promise in self.planes.proposals(self.active, lambda: self.best, lambda: self.cost):
            yield from self._solve(multiplier, self.best + (promise - self.best) * share)

    @property
    def _usable(self) -> list[tuple[float, Weighting]]:
        """The weightings of the objective and active sums only."""
        others = np.delete(np.arange(len(self.posted.limits)), [0, *self.active])
        return [pair for pair in self.weightings if not pair[1].multiplier[others].any()]

    @property
    def best(self) -> float:
        """The best bound from active sums, before rounding up."""
        return max([0.0, *(bound for bound, _ in self._usable)])

    @property
    def impossible(self) -> bool:
        """Whether some sum exceeds its limit in every tree."""
        return any(self.least[q] > self.posted.limits[q] for q in self.least)

    def bundle(self) -> list[Weighting]:
        """The weightings for bounding subtrees: the best ones, and each sum on its own."""
        ranked = sorted(self._usable, key=lambda pair: -pair[0])
        mixed = [w for _, w in ranked if w.multiplier[0]]
        alone = [w for _, w in ranked if not w.multiplier[0]]
        plain = [w for w in mixed if not w.multiplier[1:].any()]
        return list({id(w): w for w in (*mixed[:MIXED], *plain, *alone)}.values())

    def _solve(self, multiplier: np.ndarray, enough: float = -np.inf) -> Iterator[SplitTree | None]:
        weighting, mixed = Weighting(self.posted, multiplier, self.depth, self.halt), bool(multiplier[0])
        limits = self.posted.limits.copy()
        limits[0] = 0
        known = min((int(cut @ multiplier) - weighting.constant for cut in self.planes.cuts), default=None)
        for least, tree in weighting.steps(known):
            # unfinished searches give bounds, too: the objective alone takes longest, and comes first
            if mixed:
                self.bound = max(self.bound, weighting.bound(least))
            yield tree
            if tree is not None:
                self.planes.cuts.append(sums_of(self.posted, tree))
                if int((self.planes.cuts[-1] - limits) @ multiplier) <= enough * max(1, int(multiplier[0])):
                    return
        over = weighting.constant - int(limits @ multiplier)
        self.weightings.append(((least + over) / int(multiplier[0]) if mixed else -np.inf, weighting))
        if multiplier.sum() == 1:
            self.least[int(np.flatnonzero(multiplier)[0])] = least + weighting.constant
        yield None


def costliest(posted: Posted) -> int:
    """An upper bound on the cost of any tree that satisfies all limits, whatever its splits.

    For multipliers p of at least 0, a tree within the limits costs at most the sum over rows of the largest (cost - p .
    sums) of any prediction, plus p . limits; the lowest such bound is a small linear program. It shows at once that,
    for example, few false negatives and few false positives together mean few errors. A negative bound means that no
    predictions satisfy the limits.
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
        # minimise sum(t) + p . limits with t_i >= cost_ik - p . sums_ik for all predictions k
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
    """An upper bound on the cost within the limits, by rounded multipliers; `most` if they cannot be rounded.

    amount : int64 (n, K, 1 + Q), with the cost first; limits : int64 (Q,); multipliers : float64 (Q,).
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


def sums_of(posted: Posted, tree: SplitTree) -> np.ndarray:
    """The sums of a tree whose leaves have predictions, int64 (Q,)."""
    sums, ruling, total, used = posted.sums, posted.ruling, posted.fixed.copy(), {0: 0}
    for slot, rows in nodes_of(posted.orders.rank, tree.splits, np.arange(len(sums.amount))):
        if slot not in tree.splits:
            total += sums.amount[rows, tree.labels[slot]].sum(axis=0)
            continue
        order = tree.splits[slot][0]
        total += sums.per_split
        for q, t in enumerate(sums.test.tolist()):
            if t >= 0:
                total[q] += extra_cost(ruling, t, used[slot], order) * sums.test_weight[t, rows].sum()
        used[2 * slot + 1] = used[2 * slot + 2] = int(joined(ruling, used[slot], order))
    return total
