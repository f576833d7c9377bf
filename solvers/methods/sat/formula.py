"""Formulas in conjunctive normal form with clauses in bulk, and encodings that all models share.

A literal is a variable (1, 2, ...) or its negative. Clauses are rows of integer matrices, so that a million of them
take a few numpy calls. A soft clause may fail at a cost: it has a *selector* that is true if it fails, and several
clauses may share one. Sizes are counted as in papers, before selectors are added.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass

import numpy as np

CHUNK = 200_000
"""Literals passed to a solver at a time: a few hundredths of a second."""

BLOCK = 4_000_000
"""Literals created at a time."""


def go_on() -> None:
    """Never end."""


@dataclass(frozen=True, slots=True)
class EncodingSize:
    """The size of a formula without selectors: its variables, clauses (the soft ones among them), and literals."""

    variables: int
    clauses: int
    soft_clauses: int
    literals: int

    def to_json(self) -> dict[str, int]:
        """As plain values."""
        return asdict(self)


class Formula:
    """Clauses, and the weights of the soft ones: selector -> cost if it is true, in cost units.

    `n_variables` counts all variables, including selectors. `pause` is called before clauses are added, and raises if
    the search has to end.
    """

    def __init__(self, pause: Callable[[], None] = go_on) -> None:
        self._pause = pause
        self.n_variables = 0
        self.price: dict[int, int] = {}
        self._blocks: list[np.ndarray] = []
        self._n_clauses = self._n_soft = self._n_literals = self._n_selectors = 0

    def variables(self, *shape: int) -> np.ndarray:
        """New variables, int32 of this shape."""
        n = int(np.prod(shape, dtype=np.int64))
        first = self.n_variables + 1
        self.n_variables += n
        return np.arange(first, first + n, dtype=np.int32).reshape(shape)

    def selectors(self, prices: np.ndarray) -> np.ndarray:
        """New selectors with these costs, int32 (n,)."""
        made = self.variables(len(prices))
        self._n_selectors += len(made)
        self.price.update(zip(made.tolist(), np.asarray(prices).tolist(), strict=True))
        return made

    def add(self, clauses: np.ndarray, selectors: np.ndarray | None = None) -> None:
        """Add clauses of one length, int (n_clauses, length).

        A soft clause may fail if its selector, from int (n_clauses,), is true; `None` for hard clauses.
        """
        self._pause()
        clauses = np.atleast_2d(np.asarray(clauses, np.int32))
        if not len(clauses):
            return
        self._n_clauses += len(clauses)
        self._n_literals += clauses.size
        if selectors is not None:
            self._n_soft += len(clauses)
            clauses = np.column_stack([clauses, selectors])
        self._blocks.append(np.ascontiguousarray(clauses, np.int32))

    def chunks(self) -> Iterator[list[list[int]]]:
        """All clauses as lists of literals, with selectors, in chunks of limited size."""
        for block in self._blocks:
            step = max(1, CHUNK // block.shape[1])
            for start in range(0, len(block), step):
                yield block[start : start + step].tolist()

    @property
    def size(self) -> EncodingSize:
        """The size of the formula, as counted in papers."""
        return EncodingSize(self.n_variables - self._n_selectors, self._n_clauses, self._n_soft, self._n_literals)

    def at_most_one(self, variables: np.ndarray) -> np.ndarray | None:
        """Let at most one of each row of variables be true, by sequential counters (Sinz 2005, section 2, LT-SEQ).

        For variables int (n_groups, n), returns int32 (n_groups, n - 1), true from the position of the true variable
        on, or `None` if n is 1.
        """
        x = np.atleast_2d(variables)
        n_groups, n = x.shape
        if n < 2:
            return None
        s = self.variables(n_groups, n - 1)
        self.add(np.stack([-x[:, :-1], s], axis=-1).reshape(-1, 2))
        self.add(np.stack([-s[:, :-1], s[:, 1:]], axis=-1).reshape(-1, 2))
        self.add(np.stack([-x[:, 1:], -s], axis=-1).reshape(-1, 2))
        return s


def parts(n: int, size: int) -> Iterator[slice]:
    """Slices of n items of `size` literals each, so that none is much larger than `BLOCK`."""
    step = max(1, BLOCK // size)
    return (slice(start, start + step) for start in range(0, n, step))


def assignment(model: Iterable[int], n_variables: int) -> np.ndarray:
    """A solver's model, given as literals, as bool (n_variables + 1,); larger variables are ignored."""
    literals = np.fromiter(model, np.int64)
    true = np.zeros(n_variables + 1, bool)
    true[literals[(literals > 0) & (literals <= n_variables)]] = True
    return true


def paths(depth: int) -> np.ndarray:
    """The results of `depth` splits that lead to each cell, bool (2^depth, depth), the first split as the highest bit.

    This is rel(i, j) of Hu, Huguet and Siala (2022), equation (4).
    """
    cells = np.arange(2**depth)[:, None]
    yes: np.ndarray = (cells >> np.arange(depth - 1, -1, -1)) % 2 == 1
    return yes
