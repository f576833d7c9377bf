"""A mixed-integer linear program in plain arrays: built in bulk, independent of solvers.

Variables and rows are made in blocks. A *term* is a coefficient and the positions of variables; a block of rows limits
a sum of terms:

    model.at_most([(1, q), (-1, active[:, None])], 0)    # for every row i: sum over j of q[i, j] - active[i] <= 0

Every variable has a function that computes its value from earlier variables (`value`). So a tree, given by its splits
and leaf classes, can be completed to a solution, and the rows show whether it satisfies all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...magnitude import LARGEST_LINEAR

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Term = tuple[float | np.ndarray, np.ndarray]
"""Coefficients and positions of variables, each (n_rows, k) or broadcast to it: a row adds up its k products."""

Value = Callable[[np.ndarray], np.ndarray]
"""The values of variables, computed from all earlier variables."""

SLACK = 1e-7
"""Tolerance when a solution is checked: above rounding errors, far below any integer step."""


@dataclass(frozen=True)
class Program:
    """Minimise `cost @ x` subject to `low <= x <= high`, `row_low <= A x <= row_high` and integrality.

    Variables of the model with only one possible value are removed, and so are rows that have no other variables.

    Attributes
    ----------
    cost, low, high : float64 (n_variables,)
    whole : bool (n_variables,), the integer variables.
    matrix : the matrix A by rows, float64 (n_rows, n_variables).
    row_low, row_high : float64 (n_rows,), infinite for no limit.
    kept : int64 (n_variables,), the positions of the variables in the model.
    fixed : float64 (n_model_variables,), the values of the removed variables; NaN for those that are kept.
    offset : the cost of the removed variables.
    """

    cost: np.ndarray
    low: np.ndarray
    high: np.ndarray
    whole: np.ndarray
    matrix: csr_array
    row_low: np.ndarray
    row_high: np.ndarray
    kept: np.ndarray
    fixed: np.ndarray
    offset: float

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.cost)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.row_low)

    @property
    def fractional(self) -> bool:
        """Whether some cost, coefficient or limit is not an integer."""
        numbers = np.concatenate((self.cost, self.matrix.data, self.row_low, self.row_high, (self.offset,)))
        return bool((numbers != np.rint(numbers)).any())

    @cached_property
    def exact(self) -> bool:
        """Whether a float solver's bounds are reliable: integers within `magnitude.LARGEST_LINEAR`."""
        if self.fractional:
            return False
        most = np.maximum(np.abs(self.low), np.abs(self.high))
        most = np.where(np.isfinite(most), most, 1.0)
        return bool(max((abs(self.matrix) @ most).max(initial=0), np.abs(self.cost) @ most) <= LARGEST_LINEAR)

    def expand(self, x: np.ndarray) -> np.ndarray:
        """The values of all variables of the model from those of the program."""
        values = self.fixed.copy()
        values[self.kept] = x
        return values

    def keeps(self, values: np.ndarray) -> bool:
        """Whether values of all variables of the model, float64 (n_model_variables,), are feasible."""
        if (np.abs(values - self.fixed) > SLACK).any():  # comparison with NaN is false for free variables
            return False
        x = values[self.kept]
        total = self.matrix @ x
        inside = (self.low - SLACK <= x) & (x <= self.high + SLACK)
        return bool(inside.all() and ((self.row_low - SLACK <= total) & (total <= self.row_high + SLACK)).all())


class ProgramBuilder:
    """A program under construction."""

    def __init__(self) -> None:
        self.n_variables = self.n_rows = 0
        self._bounds: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._values: list[tuple[np.ndarray, Value]] = []
        self._entries: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._limits: list[tuple[np.ndarray, np.ndarray]] = []
        self._costs: list[tuple[np.ndarray, np.ndarray]] = []
        self._fixed: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def variables(
        self,
        shape: tuple[int, ...],
        *,
        low: float = 0.0,
        high: float = 1.0,
        whole: bool = False,
        value: Value | None = None,
    ) -> np.ndarray:
        """New variables, by their positions, int64 of this shape.

        `value` computes their values in this shape; without it, values are given to `complete`.
        """
        size = int(np.prod(shape))
        at = np.arange(self.n_variables, self.n_variables + size).reshape(shape)
        self.n_variables += size
        self._bounds.append((np.full(size, low), np.full(size, high), np.full(size, whole)))
        if value is not None:
            self._values.append((at, value))
        return at

    def charge(self, cost: float | np.ndarray, at: np.ndarray) -> None:
        """Add variables at these positions, each one once, to the objective."""
        self._costs.append((np.broadcast_to(np.asarray(cost, np.float64), at.shape).ravel(), at.ravel()))

    def limit(self, at: np.ndarray, low: float = -np.inf, high: float = np.inf) -> None:
        """Narrow the bounds of variables."""
        at = np.asarray(at).ravel()
        self._fixed.append((at, np.full(len(at), low), np.full(len(at), high)))

    def at_most(self, terms: Sequence[Term], limit: float | np.ndarray) -> None:
        """Rows `sum of terms <= limit`; one limit per row, or one for all."""
        self._post(terms, -np.inf, limit)

    def equal(self, terms: Sequence[Term], limit: float | np.ndarray) -> None:
        """Rows `sum of terms == limit`."""
        self._post(terms, limit, limit)

    def never(self) -> None:
        """Add a row that nothing satisfies: the problem is infeasible."""
        self._post([(0.0, np.zeros((1, 0), np.int64))], 1.0, np.inf)

    def _post(self, terms: Sequence[Term], low: float | np.ndarray, high: float | np.ndarray) -> None:
        at = [np.atleast_2d(columns) for _, columns in terms]
        n = max([len(columns) for columns in at] + [np.size(low), np.size(high)])
        for (factor, _), columns in zip(terms, at, strict=True):
            shape = np.broadcast_shapes((n, 1), columns.shape, np.shape(factor))
            row = np.broadcast_to(np.arange(self.n_rows, self.n_rows + n)[:, None], shape)
            value = np.broadcast_to(np.asarray(factor, np.float64), shape)
            self._entries.append((row.ravel(), np.broadcast_to(columns, shape).ravel(), value.ravel()))
        lowest, highest = (np.broadcast_to(np.asarray(one, np.float64), n) for one in (low, high))
        self._limits.append((lowest, highest))
        self.n_rows += n

    def complete(self, given: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """The values of all variables, float64 (n_variables,), from (positions, values) of those without `value`."""
        x = np.zeros(self.n_variables)
        for at, held in given:
            x[at] = held
        for at, value in self._values:
            x[at] = value(x)
        return x

    def program(self) -> Program:
        """The program, with one entry per variable of a row, and without fixed variables."""
        from scipy.sparse import coo_array

        low, high, whole = (np.concatenate(part) for part in zip(*self._bounds, strict=True))
        for at, lowest, highest in self._fixed:
            np.maximum.at(low, at, lowest)
            np.minimum.at(high, at, highest)
        cost = np.zeros(self.n_variables)
        for factor, at in self._costs:
            np.add.at(cost, at, factor)
        row, index, value = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        row_low, row_high = (np.concatenate(part) for part in zip(*self._limits, strict=True))
        matrix = coo_array((value, (row, index)), (self.n_rows, self.n_variables)).tocsr()
        matrix.eliminate_zeros()

        free = low != high
        kept, fixed = np.flatnonzero(free), np.flatnonzero(~free)
        known = matrix[:, fixed] @ low[fixed]
        row_low, row_high, matrix = row_low - known, row_high - known, matrix[:, kept]
        # a row without variables is dropped if it is satisfied, and otherwise left for the solver to find infeasible
        stays = (np.diff(matrix.indptr) > 0) | (row_low > SLACK) | (row_high < -SLACK)
        return Program(
            cost[kept],
            low[kept],
            high[kept],
            whole[kept],
            matrix[stays],
            row_low[stays],
            row_high[stays],
            kept,
            np.where(free, np.nan, low),
            float(cost[fixed] @ low[fixed]),
        )
