"""Find the smallest change to a row that changes the prediction of a model.

The number of changed columns is minimised first, then the total size of the changes. The minimum is exact: it is over
all possible rows, not over the rows of a table. Columns that are not tested on the new path keep their values, a known
value never becomes missing, and integers stay integers.

The search is a best-first search of the paths. The splits on a path restrict each column to a domain. Domains only
shrink along a path, so its cost never decreases, and the first leaf of another class to be expanded is the nearest
(Dijkstra 1959). Wachter, Mittelstadt and Russell (2017), 'Counterfactual explanations without opening the black box',
section 3, ask for such a nearest case; here both the count and the size are minimised exactly.
"""

import heapq
import math
from collections.abc import Collection
from dataclasses import dataclass
from itertools import count

import numpy as np

from ..diagram import ColumnDomain, Diagram, Leaf, NodeId
from ..errors import DiagramError
from ..problem import Column, Dataset, Kind, Predicate, Schema
from ..problem.predicate import limit_text
from ..problem.texts import format_list

MOST_STEPS = 200_000
"""Maximum number of expanded paths; a graph may have exponentially many."""


@dataclass(frozen=True)
class Moved:
    """A column with a changed value.

    Attributes
    ----------
    column : its header.
    before, after : matrix values; `before` is NaN if it was missing.
    size : the size of the change, see `spreads`; 1 for a change of level, or if the value was missing.
    low, high : for numbers and dates, the new value must be above `low` and at most `high`.
    """

    column: str
    before: float
    after: float
    size: float
    low: float = -math.inf
    high: float = math.inf

    def words(self, schema: Schema) -> str:
        """Describe the change, for instance 'bmi above 30 instead of 27.4'."""
        column = schema[self.column]
        was = "missing" if math.isnan(self.before) else column.format(self.before)
        if column.kind.has_levels:
            return f"{column.title} {column.format(self.after)} instead of {was}"
        ends = [f"above {limit_text(column, self.low)}"] if math.isfinite(self.low) else []
        ends += [f"at most {limit_text(column, self.high)}"] if math.isfinite(self.high) else []
        now = f"{column.title} {format_list(ends, 'and') or 'known'}"
        return f"{now} instead of {was}"


@dataclass(frozen=True)
class Counterfactual:
    """The nearest row with another prediction.

    Attributes
    ----------
    row : its matrix values, float64 (n_columns,).
    label : the index of its predicted class.
    moved : the changed columns, in the order of the schema.
    """

    row: np.ndarray
    label: int
    moved: tuple[Moved, ...]

    @property
    def size(self) -> float:
        """The total size of the changes."""
        return math.fsum(one.size for one in self.moved)


_Way = tuple[int, float, int, NodeId, dict[str, ColumnDomain], dict[str, Moved]]
"""Number of changes, their size, a number that breaks ties before the rest is compared; node, domains, changes."""


def spreads(data: Dataset) -> np.ndarray:
    """The unit for changes of each column, float64 (n_columns,).

    It is the standard deviation of numbers and dates (1 if they are constant), the number of steps between the first
    and the last ordered level, and 1 for other levels, so that all other levels are equally far.
    """
    out = np.ones(data.n_columns)
    for j, column in enumerate(data.schema.columns):
        if column.kind is Kind.ORDERED:
            out[j] = max(1, len(column.levels) - 1)
        elif not column.kind.has_levels:
            known = data.X[~np.isnan(data.X[:, j]), j]
            deviation = float(known.std()) if len(known) else 0.0
            out[j] = deviation if deviation > 0 and math.isfinite(deviation) else 1.0
    return out


def counterfactual(
    diagram: Diagram,
    row: np.ndarray,
    unit: np.ndarray | None = None,
    *,
    fixed: Collection[str] = (),
) -> Counterfactual | None:
    """Find the nearest row with another prediction: fewest columns changed, then the smallest change.

    Parameters
    ----------
    diagram : the model.
    row : the original row, float64 (n_columns,), in the order of the diagram's schema.
    unit : float64 (n_columns,), see `spreads`; 1 each by default.
    fixed : columns that must keep their values.

    Returns
    -------
    The nearest row, or `None` if no change of the other columns changes the prediction.

    Raises
    ------
    DiagramError
        The model has oblique splits, or the search exceeds its limit.
    MissingValuesError
        The row lacks a value that the model requires.
    """
    predicates = {i: split.predicate for i, split in diagram.splits if isinstance(split.predicate, Predicate)}
    if len(predicates) < diagram.n_splits:
        raise DiagramError(
            "The smallest change is available for splits on one column only, but this model splits on sums."
        )
    row = np.asarray(row, np.float64)
    unit = np.ones(len(diagram.schema)) if unit is None else np.asarray(unit, np.float64)
    now = diagram.path(row).label
    order = count()
    waiting: list[_Way] = [(0, 0.0, next(order), 0, {}, {})]
    while waiting:
        _, _, step, at, rooms, moved = heapq.heappop(waiting)
        node = diagram.nodes[at]
        if isinstance(node, Leaf):
            if node.label != now:
                changed = row.copy()
                for one in moved.values():
                    changed[diagram.schema.index(one.column)] = one.after
                in_order = (moved[name] for name in diagram.schema.names if name in moved)
                return Counterfactual(changed, node.label, tuple(in_order))
            continue
        if step > MOST_STEPS:
            raise DiagramError("The model has too many paths to find the smallest change. Fix some columns.")
        name = predicates[at].column
        column, j = diagram.schema[name], diagram.schema.index(name)
        for answer, child in ((True, node.yes), (False, node.no)):
            room = rooms.get(name, ColumnDomain.whole(column)).within(predicates[at], answer)
            change = _nearest(column, row[j], room, unit[j])
            if change is None or (change.size > 0 and name in fixed):
                continue
            others = {k: v for k, v in moved.items() if k != name} | ({name: change} if change.size > 0 else {})
            size = math.fsum(one.size for one in others.values())
            heapq.heappush(waiting, (len(others), size, next(order), child, rooms | {name: room}, others))
    return None


def crossing(schema: Schema, predicate: Predicate, value: float, answer: bool, unit: float = 1.0) -> Moved | None:
    """The smallest change of a column that gives a split this result; `None` if no known value does.

    Parameters
    ----------
    value : the current matrix value of the column.
    answer : the required result of the split.
    unit : as in `spreads`.
    """
    column = schema[predicate.column]
    return _nearest(column, value, ColumnDomain.whole(column).within(predicate, answer), unit)


def _nearest(column: Column, value: float, room: ColumnDomain, unit: float) -> Moved | None:
    """The value of a domain nearest to `value`; size 0 if `value` is in it, `None` if it contains no known value."""
    if room.holds(value):
        return Moved(column.name, value, value, 0.0)
    if not room.known:
        return None
    missing = math.isnan(value)
    start = (0.0 if column.fill is None else column.fill) if missing else value
    after = _nearest_level(column, start, room) if room.levels is not None else _nearest_number(column, start, room)
    if after is None:
        return None
    whole = missing or column.kind in (Kind.BINARY, Kind.CATEGORICAL)
    # a change whose size rounds to 0 still counts
    size = 1.0 if whole else max(abs(after - value) / unit, np.finfo(float).tiny)
    return Moved(column.name, value, after, size, room.low, room.high)


def _nearest_level(column: Column, value: float, room: ColumnDomain) -> float | None:
    if column.kind is Kind.ORDERED:
        return float(min(room.levels, key=lambda k: (abs(k - value), k))) if room.levels else None
    return float(int(value) if int(value) in room.levels else min(room.levels)) if room.levels else None


def _nearest_number(column: Column, value: float, room: ColumnDomain) -> float | None:
    if room.low < value <= room.high:
        return value
    if value > room.high:
        after = math.floor(room.high) if column.integral else room.high
    else:
        after = math.floor(room.low) + 1 if column.integral else float(np.nextafter(room.low, np.inf))
    return float(after) if room.low < after <= room.high else None
