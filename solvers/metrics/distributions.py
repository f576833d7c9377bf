"""Histograms of the rows at each split, for detailed drawings."""

import math

import numpy as np

from ..diagram import Diagram, NodeId
from ..diagram.labels import Bars, cut
from ..diagram.words import plain, quantity
from ..problem import Column, Dataset, Kind, LinearPredicate, Op, Predicate
from .counts import labels_of

MOST_BARS = 12
_LETTERS = 12
_NO_WEIGHTS = np.empty((0, 0))


def node_bars(diagram: Diagram, dataset: Dataset, only: NodeId | None = None) -> dict[NodeId, Bars]:
    """The histogram of each split that rows reach, or of one of them; bars of the yes side come first.

    Each bar has rows of one side only, so the bars of a side add up to its rows, except for rows that miss the value.

    Raises
    ------
    DataError
        The dataset has an outcome that the diagram does not have.
    """
    X, reach, labels = diagram.encode(dataset), diagram.reach(dataset), labels_of(diagram, dataset)
    weight = dataset.row_weights
    out = {}
    for i, split in diagram.splits if only is None else ((only, diagram.split(only)),):
        here = np.flatnonzero(reach[:, i])
        predicate = split.predicate
        if isinstance(predicate, LinearPredicate):
            values, column = predicate.values(diagram.schema, X[here]), None
        else:
            values, column = X[here, diagram.schema.index(predicate.column)], diagram.schema[predicate.column]
        known = np.isfinite(values) | (isinstance(predicate, Predicate) and predicate.op is Op.MISSING)
        if not known.any():
            continue
        yes = predicate.holds(diagram.schema, X[here])[known]
        position, n, bars = _bars(predicate, column, values[known], yes)
        sums = np.zeros((n, len(diagram.classes)))
        np.add.at(sums, (position, labels[here][known]), weight[here][known])
        unknown = float(weight[here][~known].sum())
        words = bars.words + (f", {quantity(unknown)} missing" if unknown else "")
        out[i] = bars._replace(weights=sums, words=words)
    return out


def _bars(
    predicate: Predicate | LinearPredicate, column: Column | None, values: np.ndarray, yes: np.ndarray
) -> tuple[np.ndarray, int, Bars]:
    """The bar of each known value, int64 (n_values,), the number of bars, and the bars without weights."""
    if isinstance(predicate, LinearPredicate):
        return _intervals(values, yes, predicate.threshold, None)
    assert column is not None
    if predicate.op is Op.MISSING:
        return np.where(yes, 0, 1), 2, Bars(_NO_WEIGHTS, 1, "missing | known", 0.5, names=("missing", "known"))
    if predicate.op is Op.LE:
        return _intervals(values, yes, predicate.operand, column)
    level, n = int(predicate.operand), len(column.levels)
    # the level of the split comes first; the others follow in order, several per bar if there are many
    others = np.where(values > level, values - 1, values).astype(np.int64)
    most = min(n - 1, MOST_BARS - 1)
    names = [column.levels[level], column.levels[1 - level] if n == 2 else "others"]
    position, words = np.where(yes, 0, 1 + others * most // max(n - 1, 1)), " | ".join(map(_short, names))
    rest = [name for j, name in enumerate(column.levels) if j != level]
    rest = rest if most == n - 1 else [names[1], *[""] * (most - 1)]
    return position, 1 + most, Bars(_NO_WEIGHTS, 1, words, 0.5, names=(names[0], *rest))


def _intervals(
    values: np.ndarray, yes: np.ndarray, threshold: float, column: Column | None
) -> tuple[np.ndarray, int, Bars]:
    """Bars of equal width on both sides of a threshold; one bar per value if there are few integers or levels."""
    low, high = float(values.min()), float(values.max())
    levels = () if column is None else column.levels
    if levels:
        low, high = 0.0, len(levels) - 1.0
    each = (bool(levels) or (column is not None and column.integral)) and high - low < MOST_BARS
    width = 1.0 if each or high == low else (high - low) / MOST_BARS
    at = min(max(math.floor(threshold), low - 1), high) if each else min(max(threshold, low), high)
    left = max(math.ceil((at - low) / width + each), int(yes.any()))
    right = max(math.ceil((high - at) / width), int(not yes.all()))
    before = np.clip(np.floor((at - values) / width), 0, max(left - 1, 0)).astype(np.int64)
    beyond = np.clip(np.ceil((values - at) / width) - 1, 0, max(right - 1, 0)).astype(np.int64)
    position = np.where(yes, left - 1 - before, left + beyond)
    words = f"{_value(low, column)} to {_value(high, column)}"
    names = levels if left + right == len(levels) else ()
    at = left - 0.5 if names else at + 0.5 * each
    return position, left + right, Bars(_NO_WEIGHTS, left, words, at, width, names)


def _value(value: float, column: Column | None) -> str:
    """An end of the bars, formatted for the user."""
    if column is None or (column.kind is Kind.NUMERIC and not column.integral):
        return f"{value:.4g}"
    return _short(column.format(value))


def _short(text: str) -> str:
    return cut(plain(text), _LETTERS)
