"""What is asked of a solver besides the table: the shape of the model, the objective, the limits of the search."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

import numpy as np

from solvers.errors import DataError, LimitError, ShapeError
from solvers.problem.dataset import Dataset, cells

MAX_DEPTH = 20


class ShapeKind(StrEnum):
    """The family of models."""

    TREE = "tree"
    BDD = "bdd"
    DIAGRAM = "diagram"


@dataclass(frozen=True)
class Shape:
    """How large the model may be.

    Attributes
    ----------
    kind : tree, binary decision diagram or decision diagram.
    depth : the largest number of questions on a path, 0 to 20.
    leaves : the largest number of leaves; `None` for no limit besides the depth.
    """

    kind: ShapeKind = ShapeKind.TREE
    depth: int = 3
    leaves: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", ShapeKind(self.kind))
        if not isinstance(self.depth, int) or not 0 <= self.depth <= MAX_DEPTH:
            raise ShapeError(f"max_depth must be a whole number between 0 and {MAX_DEPTH}. Got {self.depth}.")
        if self.leaves is not None and (not isinstance(self.leaves, int) or self.leaves < 1):
            raise ShapeError(f"The number of leaves must be at least 1. Got {self.leaves}.")


@dataclass(frozen=True)
class Objective:
    """What is minimised, in integers, so that methods agree exactly and not 'almost'.

    The cost of a model is the total weight of the rows that it gets wrong. Weights that are decimal fractions are
    scaled to whole numbers, so `cost / scale` is the weighted number of errors; without weights cost and errors are
    equal. Of two models with equal cost the smaller is preferred; only the cost is proved.
    """

    largest_total: int = field(default=2**31 - 1, repr=False)

    def weights(self, dataset: Dataset) -> tuple[np.ndarray, int]:
        """Whole-number weights of the rows and their scale.

        Returns
        -------
        int64 (n_samples,) of at least 1, and the factor by which the user's weights were multiplied.

        Raises
        ------
        DataError
            The weights have so many digits, or are so large, that whole numbers would overflow.
        """
        if dataset.weight is None:
            return np.ones(dataset.n_samples, np.int64), 1
        for digits in range(7):
            scale = 10**digits
            scaled = np.rint(dataset.weight * scale)
            if np.abs(scaled - dataset.weight * scale).max() <= 1e-9 * scale and scaled.min() >= 1:
                break
        else:
            raise DataError("Sample weights must have at most 6 decimals. Round them, or multiply them by a constant.")
        whole = np.minimum(scaled, 2.0**62).astype(np.int64)
        common = int(np.gcd.reduce(np.append(whole, scale)))
        if scaled.sum() / common > self.largest_total:
            raise DataError(
                f"The sample weights sum to {scaled.sum() / common:.3g} in their smallest unit; the limit is "
                f"{self.largest_total:.3g}. Round them to fewer decimals."
            )
        return whole // common, scale // common


@dataclass(frozen=True)
class Limits:
    """What a run may use.

    Attributes
    ----------
    seconds : the wall time of the solving; `None` for no limit.
    threads : the number of processor threads.
    memory_mb : the memory of the worker process in MiB; `None` for no limit.
    gap : how far from the optimum the result may be: 0 proves it, a share below 1 is of the total weight, and 1 or more
        is a number of samples (in cost units).
    seed : for the methods that draw random numbers.
    """

    seconds: float | None = 60.0
    threads: int = 1
    memory_mb: int | None = 4096
    gap: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise LimitError(f"The time limit must be more than 0 seconds. Got {self.seconds}.")
        if self.threads < 1:
            raise LimitError(f"The number of threads must be at least 1. Got {self.threads}.")
        if self.memory_mb is not None and self.memory_mb < 256:
            raise LimitError(f"The memory limit must be at least 256 MiB. Got {self.memory_mb}.")
        if not 0 <= self.gap < float("inf"):
            raise LimitError(f"The gap must be 0 or more. Got {self.gap}.")

    def gap_cost(self, total: int) -> int:
        """The permitted gap in cost units, for a total weight of `total`."""
        return int(Fraction(self.gap) * total) if self.gap < 1 else int(self.gap)


@dataclass(frozen=True)
class Problem:
    """A question to a solver: table, shape, objective and constraints.

    Attributes
    ----------
    dataset : the training rows.
    shape : how large the model may be.
    objective : what is minimised.
    constraints : what the model must satisfy besides its shape.
    """

    dataset: Dataset
    shape: Shape = Shape()
    objective: Objective = Objective()
    constraints: tuple = ()

    @cached_property
    def id(self) -> str:
        """A hash of the whole question."""
        parts = [self.dataset.fingerprint, asdict(self.shape), repr(self.objective), repr(self.constraints)]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    @cached_property
    def weights(self) -> np.ndarray:
        """Whole-number weights of the rows, int64 (n_samples,)."""
        return self.objective.weights(self.dataset)[0]

    @cached_property
    def scale(self) -> int:
        """Cost units a unit of the user's weight."""
        return self.objective.weights(self.dataset)[1]

    @cached_property
    def unavoidable_cost(self) -> int:
        """The cost of rows that no model can tell apart from rows of another class: a bound for every model."""
        table = np.zeros((self.dataset.n_samples, self.dataset.n_classes), np.int64)
        np.add.at(table, (cells(self.dataset), self.dataset.y), self.weights)
        return int((table.sum(axis=1) - table.max(axis=1)).sum())

    def cost(self, predicted: np.ndarray) -> int:
        """The cost of predicted class indices, int (n_samples,), for the training rows."""
        return int(self.weights[np.asarray(predicted) != self.dataset.y].sum())
