"""A good set of questions to begin with: one after the other, then exchanges, and again from elsewhere."""

from collections.abc import Callable, Iterator

import numpy as np

from solvers.methods.bdds.pairs.points import ClaimedPoints

RESTARTS = 10


def first_sets(points: ClaimedPoints, depth: int, seed: int, due: Callable[[], bool]) -> Iterator[np.ndarray]:
    """Sets of at most `depth` features, each the best that exchanging single features leads to.

    `seed` is that of the sets to begin from, besides the greedy one; `due` says whether to end.
    """
    rng = np.random.default_rng(seed)
    chosen = np.zeros(0, np.int64)
    while len(chosen) < min(depth, points.n_features) and points.cover(points.cells(chosen)) and not due():
        others = np.setdiff1d(np.arange(points.n_features), chosen)
        chosen = np.append(chosen, others[covers_with(points, chosen)[others].argmin()])
    yield chosen
    best, least = chosen, points.cover(points.cells(chosen))
    for _ in range(RESTARTS):
        for better in _exchanges(points, chosen, due):
            cover = points.cover(points.cells(better))
            if cover < least:
                best, least = better, cover
                yield best
        if due() or not least or len(best) == points.n_features:
            return
        staying = best[rng.random(len(best)) < 0.5]
        others = np.setdiff1d(np.arange(points.n_features), staying)
        chosen = np.append(staying, rng.choice(others, len(best) - len(staying), replace=False))


def covers_with(points: ClaimedPoints, chosen: np.ndarray) -> np.ndarray:
    """The least cover with one more feature, for each feature, int64 (n_features,)."""
    cell = points.cells(chosen)
    place = cell * points.n_classes + points.label
    size = (int(cell.max(initial=-1)) + 1) * points.n_classes
    whole = np.bincount(place, points.weight, size).reshape(-1, points.n_classes)
    heaviest = np.empty(points.n_features)
    for f in range(points.n_features):
        yes = np.bincount(place, points.weight * points.bits[:, f], size).reshape(-1, points.n_classes)
        heaviest[f] = yes.max(axis=1, initial=0).sum() + (whole - yes).max(axis=1, initial=0).sum()
    return np.asarray(np.rint(whole.sum() - heaviest), np.int64)


def _exchanges(points: ClaimedPoints, chosen: np.ndarray, due: Callable[[], bool]) -> Iterator[np.ndarray]:
    """Sets with ever smaller covers, until no exchange of one feature improves the last one."""
    least, at, tried = points.cover(points.cells(chosen)), 0, 0
    yield chosen
    while tried < len(chosen) and not due():
        others = np.delete(chosen, at)
        covers = covers_with(points, others)
        tried += 1
        if covers.min() < least:
            least, tried = int(covers.min()), 0
            chosen = np.insert(others, at, int(covers.argmin()))
            yield chosen
        at = (at + 1) % len(chosen)
