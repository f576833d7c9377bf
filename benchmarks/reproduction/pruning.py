"""ConTree's own pruning at depth two, each technique by itself: number of calls of the subroutine for two splits.

This is algorithm 1 of Brita et al. (2025) for a root with subtrees of one split, separate from the program's engine,
which has other bounds. For a column, z[u] rows are below split point u. Let l[u] and r[u] be the fewest errors of the
two sides at a known split point, and U the errors of the incumbent. Then for another split point

    NB  the sum at v is at least l[u] + r[u] - |z[u] - z[v]|, for points around the last evaluated one
    IS  the same from the nearest known points on both sides of an interval, and from sides without any errors
    SP  between known points u < v the sum is at least l[u] + r[v]
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numba import njit

from benchmarks.data import Task

TECHNIQUES = ("NB", "IS", "SP")


class Pruned(NamedTuple):
    """The errors of the best tree of depth two, the calls of the subroutine, and the number of split points."""

    errors: int
    calls: int
    points: int


@njit(cache=True)
def _two_sides(rank: np.ndarray, order: np.ndarray, label: np.ndarray, low: np.ndarray, n_classes: int):
    """The fewest errors of a tree of one split on the rows below the split point, and on the others."""
    n = len(label)
    totals = np.zeros((2, n_classes), np.int64)
    for i in range(n):
        totals[0 if low[i] else 1, label[i]] += 1
    best = np.array([totals[0].sum() - totals[0].max(), totals[1].sum() - totals[1].max()])
    for f in range(len(rank)):
        counts, last = np.zeros((2, n_classes), np.int64), np.full(2, -1)
        for at in range(n):
            i = order[f, at]
            side = 0 if low[i] else 1
            if last[side] >= 0 and rank[f, i] != last[side]:
                below, above = counts[side], totals[side] - counts[side]
                errors = totals[side].sum() - below.max() - above.max()
                if errors < best[side]:
                    best[side] = errors
            counts[side, label[i]] += 1
            last[side] = rank[f, i]
    return best[0], best[1]


def prune(task: Task, techniques: Collection[str]) -> Pruned:
    """The search at depth two with some of `TECHNIQUES`, column by column."""
    order = np.argsort(task.rank, axis=1, kind="stable").astype(np.int32)
    least = task.n_rows - int(np.bincount(task.label).max())
    calls = points = 0
    for f in range(task.n_columns):
        z = np.cumsum(np.bincount(task.rank[f]))[:-1]
        points += len(z)
        least, more = _column(task, order, f, z, least, techniques)
        calls += more
    return Pruned(least, calls, points)


def _column(
    task: Task, order: np.ndarray, f: int, z: np.ndarray, least: int, techniques: Collection[str]
) -> tuple[int, int]:
    """The fewest errors so far including this column at the root, and the number of calls."""
    known: dict[int, tuple[int, int]] = {}
    clean = [-1, len(z)]
    queue = [(0, len(z) - 1)]
    while queue and least:
        i, j = queue.pop()
        u = max((k for k in known if k < i), default=None)
        v = min((k for k in known if k > j), default=None)
        if "IS" in techniques:
            i, j = max(i, clean[0] + 1), min(j, clean[1] - 1)
            if u is not None:
                i = max(i, _after(z, u, sum(known[u]) - least))
            if v is not None:
                j = min(j, _before(z, v, sum(known[v]) - least))
        if i > j or ("SP" in techniques and u is not None and v is not None and known[u][0] + known[v][1] >= least):
            continue
        w = (i + j) // 2
        left, right = _two_sides(task.rank, order, task.label, task.rank[f] <= w, task.n_classes)
        known[w] = int(left), int(right)
        least = min(least, sum(known[w]))
        clean = [max(clean[0], w) if not left else clean[0], min(clean[1], w) if not right else clean[1]]
        far = sum(known[w]) - least if "NB" in techniques else 0
        queue += [(i, _before(z, w, far)), (_after(z, w, far), j)]
    return least, len(known)


def _before(z: np.ndarray, u: int, gap: int) -> int:
    """The last split point far enough below u to be better by more than a gap."""
    return int(np.searchsorted(z, z[u] - gap, side="left")) - 1


def _after(z: np.ndarray, u: int, gap: int) -> int:
    """The first split point far enough above u to be better by more than a gap."""
    return int(np.searchsorted(z, z[u] + gap, side="right"))
