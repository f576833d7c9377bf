"""The problem that a solver gets with a table: shape of the model, objective, limits of the search."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LimitError, ShapeError
from ..magnitude import LARGEST_TOTAL
from .dataset import Dataset, cells
from .decimals import decimal
from .objective import Objective, ScaledCosts

if TYPE_CHECKING:
    from ..constraints import Constraint
    from ..diagram import Diagram

MAX_DEPTH = 20
_SIZES = (
    ("max_leaf_nodes", "The number of leaves", 1),
    ("min_samples_leaf", "The minimum number of rows per leaf", 1),
    ("max_splits", "The number of splits", 0),
    ("split_features", "The number of columns per split", 1),
)
"""The integer fields of a shape: name, description and minimum."""


class ShapeKind(StrEnum):
    """The family of models."""

    TREE = "tree"
    BDD = "bdd"
    DIAGRAM = "diagram"

    @property
    def noun(self) -> str:
        """The noun for a model of this family in a sentence."""
        return "BDD" if self is ShapeKind.BDD else self.value


@dataclass(frozen=True)
class Shape:
    """The size limits of the model.

    Attributes
    ----------
    kind : tree, binary decision diagram or decision diagram.
    max_depth : the maximum number of splits on a path, 0 to 20.
    max_leaf_nodes : the maximum number of leaves; `None` for no limit beyond the depth.
    min_samples_leaf : the minimum number of training rows in a leaf.
    min_weight_leaf : the minimum weight of the training rows in a leaf, in the user's units; 0 for no minimum.
    max_splits : the maximum number of splits (internal nodes) of the model; `None` for no limit.
    widths : for diagrams only, the skeleton: the maximum number of splits in each layer, from the root. It sets
        `max_depth`. An arc leads to the next layer or to a leaf. If `None`, each layer may have twice the splits of the
        layer before.
    split_features : for diagrams only, the maximum number of columns that a split may combine; `None` for no limit.
    """

    kind: ShapeKind = ShapeKind.TREE
    max_depth: int = 3
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    max_splits: int | None = None
    widths: tuple[int, ...] | None = None
    split_features: int | None = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", ShapeKind(self.kind))
        if self.widths is not None:
            widths = tuple(self.widths)
            object.__setattr__(self, "widths", widths)
            self._check_widths(widths)
            object.__setattr__(self, "max_depth", len(widths))
        if not isinstance(self.max_depth, int) or not 0 <= self.max_depth <= MAX_DEPTH:
            raise ShapeError(f"max_depth must be a whole number between 0 and {MAX_DEPTH}, but is {self.max_depth}.")
        for name, what, least in _SIZES:
            value = getattr(self, name)
            if value is None and name != "min_samples_leaf":
                continue
            if not isinstance(value, int) or value < least:
                raise ShapeError(f"{what} must be a whole number of at least {least}, but is {value}.")
            if value > LARGEST_TOTAL:
                raise ShapeError(f"{what} must be at most {LARGEST_TOTAL:,}, but is {value}.")
        if not 0 <= self.min_weight_leaf < float("inf"):
            raise ShapeError(f"The minimum weight of a leaf must be 0 or more, but is {self.min_weight_leaf}.")
        if self.split_features != 1 and self.kind is not ShapeKind.DIAGRAM:
            raise ShapeError("Only splits of a decision diagram may combine columns. Choose that shape.")
        # 5 and 5.0 are the same limit, so they must give the same `Problem.id`
        object.__setattr__(self, "min_weight_leaf", float(self.min_weight_leaf))

    def _check_widths(self, widths: tuple[int, ...]) -> None:
        listed = ", ".join(map(str, widths))
        if self.kind is not ShapeKind.DIAGRAM:
            raise ShapeError(
                f"Only decision diagrams have layer widths, but the shape is '{self.kind}'. Leave the widths out."
            )
        if not all(isinstance(width, int) and width >= 1 for width in widths):
            raise ShapeError(f"Layer widths must be whole numbers of at least 1, but are {listed}.")
        if len(widths) > MAX_DEPTH:
            raise ShapeError(f"A diagram may have at most {MAX_DEPTH} layers, but has {len(widths)}.")
        for layer, (before, width) in enumerate(pairwise((0, *widths)), start=1):
            most = max(1, 2 * before)
            if width > most:
                what = "The first layer holds only the root" if layer == 1 else "A split has two branches"
                fits = "1 question" if most == 1 else f"{most} questions"
                raise ShapeError(f"{what}, so layer {layer} can have at most {fits}, but has {width} in {listed}.")

    @property
    def most_splits(self) -> int:
        """The maximum number of splits of a tree of this size; for other kinds, of a tree without merged paths."""
        limits = (self.max_splits, None if self.max_leaf_nodes is None else self.max_leaf_nodes - 1)
        return min([(1 << self.max_depth) - 1, *(limit for limit in limits if limit is not None)])

    @property
    def layer_widths(self) -> tuple[int, ...]:
        """The maximum number of splits in each layer; without `widths`, twice that of the layer before."""
        return tuple(2**layer for layer in range(self.max_depth)) if self.widths is None else self.widths


@dataclass(frozen=True)
class Limits:
    """The limits of a run.

    Attributes
    ----------
    seconds : the wall time for solving; `None` for no limit.
    threads : the number of processor threads.
    memory_mb : the memory of the worker process in MiB; `None` for no limit.
    gap : the permitted distance to the optimum: 0 requires a proof, a number below 1 is a share of the cost of all rows
        at 1 each, and 1 or more is a number of errors of cost 1.
    seed : for methods that draw random numbers.
    """

    seconds: float | None = 60.0
    threads: int = 1
    memory_mb: int | None = 4096
    gap: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise LimitError(f"The time limit must be more than 0 seconds, but is {self.seconds}.")
        if self.threads < 1:
            raise LimitError(f"The number of threads must be at least 1, but is {self.threads}.")
        if self.memory_mb is not None and self.memory_mb < 256:
            raise LimitError(f"The memory limit must be at least 256 MiB, but is {self.memory_mb}.")
        if not 0 <= self.gap < float("inf"):
            raise LimitError(f"The gap must be 0 or more, but is {self.gap}.")
        if not 0 <= self.seed < 2**32:
            raise LimitError(f"The seed must be between 0 and {2**32 - 1}, but is {self.seed}.")

    def gap_cost(self, problem: Problem) -> int:
        """The permitted gap in the cost units of a problem."""
        whole = problem.total if self.gap < 1 else problem.scale
        return min(int(decimal(self.gap) * whole), LARGEST_TOTAL)


@dataclass(frozen=True)
class Problem:
    """The input of a solver: table, shape, objective and constraints.

    Attributes
    ----------
    dataset : the training rows.
    shape : the size limits of the model.
    objective : what is minimised.
    constraints : further requirements on the model, see `solvers.constraints`.
    """

    dataset: Dataset
    shape: Shape = Shape()
    objective: Objective = field(default_factory=Objective)
    constraints: tuple[Constraint, ...] = ()

    @cached_property
    def id(self) -> str:
        """A hash of the whole problem."""
        parts: list[Any] = [self.dataset.fingerprint, asdict(self.shape), repr(self.objective)]
        if self.constraints:
            # constraints may name rows by number, and row numbers are not in the fingerprint
            numbers = hashlib.sha256(self.dataset.rows.tobytes()).hexdigest()
            parts += [numbers, [c.to_json() if hasattr(c, "to_json") else repr(c) for c in self.constraints]]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    @cached_property
    def asked_size(self) -> Shape:
        """The shape, tightened by constraints on size: the limits that a model must satisfy."""
        size = self.shape
        for constraint in self.constraints:
            # an object that is no constraint sets no limit; no method accepts it
            size = constraint.tighten(size) if hasattr(constraint, "tighten") else size
        if size.kind is ShapeKind.TREE and size.max_splits is not None:
            # a tree has one leaf more than splits, so methods only need the limit on leaves
            leaves = size.max_splits + 1
            size = replace(size, max_leaf_nodes=min(leaves, size.max_leaf_nodes or leaves))
        if size.kind is ShapeKind.BDD and size.max_leaf_nodes == 1:
            # a split whose two sides lead to the same leaf is redundant
            size = replace(size, max_depth=0)
        return size

    @cached_property
    def size(self) -> Shape:
        """`asked_size` with depth and leaves limited to what the rows allow: the size that a method searches.

        Every leaf of a tree has its own rows, and every split on a path leaves out a leaf. Other models need no more
        splits on a path than a tree that separates all rows, unless constraints require splits that separate none.
        """
        size, leaves = self.asked_size, self.dataset.n_samples
        if size.kind is ShapeKind.TREE:
            leaves //= size.min_samples_leaf
            if size.min_weight_leaf:
                least = math.ceil(decimal(size.min_weight_leaf) * self.scaled.weight_scale)
                leaves = min(leaves, int(self.weights.sum()) // least)
            leaves = max(1, leaves)
            if size.max_leaf_nodes is not None:
                leaves = min(leaves, size.max_leaf_nodes)
                size = replace(size, max_leaf_nodes=leaves)
        elif self.constraints or size.widths is not None:
            return size
        return replace(size, max_depth=min(size.max_depth, leaves - 1))

    @cached_property
    def scaled(self) -> ScaledCosts:
        """The objective in integers for this dataset."""
        return self.objective.scaled(self.dataset)

    @property
    def weights(self) -> np.ndarray:
        """Integer weights of the rows, int64 (n_samples,)."""
        return self.scaled.weights

    @property
    def class_costs(self) -> np.ndarray:
        """The cost per unit of weight by true and predicted class, int64 (n_classes, n_classes)."""
        return self.scaled.class_costs

    @property
    def split_penalty(self) -> int:
        """The split penalty, in cost units."""
        return self.scaled.split_penalty

    @property
    def scale(self) -> int:
        """Cost units per unit of the user's cost: by default the cost of one error in a row of weight 1."""
        return self.scaled.scale

    @cached_property
    def total(self) -> int:
        """The cost of an error in every row at a cost of 1 each: the total that gaps are shares of."""
        return int(self.weights.sum()) * (self.scale // self.scaled.weight_scale)

    @cached_property
    def min_weight_leaf(self) -> int:
        """The minimum leaf weight of `size` in units of `weights`, rounded up."""
        return math.ceil(decimal(self.size.min_weight_leaf) * self.scaled.weight_scale)

    @cached_property
    def unavoidable_cost(self) -> int:
        """The unavoidable cost of rows with the same features but different classes: a lower bound for every model."""
        table = np.zeros((self.dataset.n_samples, self.dataset.n_classes), np.int64)
        np.add.at(table, (cells(self.dataset), self.dataset.y), self.weights)
        return int(self.leaf_costs(table).min(axis=1).sum())

    def leaf_costs(self, class_weights: np.ndarray) -> np.ndarray:
        """The costs of leaves by the class that they predict, int64 (..., n_classes).

        `class_weights`, int (..., n_classes), are the weights of the rows of each class in each leaf, in units of
        `weights`.
        """
        costs: np.ndarray = np.asarray(class_weights, np.int64) @ self.class_costs
        return costs

    def cost(self, predicted: np.ndarray, n_splits: int = 0) -> int:
        """The cost of predicted class indices, int (n_samples,), on the training rows, plus the cost of the splits."""
        by_row = self.class_costs[self.dataset.y, np.asarray(predicted)]
        return int((self.weights * by_row).sum()) + self.splits_cost(n_splits)

    def cost_of(self, diagram: Diagram) -> int:
        """The cost of a model on the training rows."""
        return self.cost(diagram.predict(self.dataset), diagram.n_splits)

    def splits_cost(self, n_splits: int) -> int:
        """The cost of this number of splits; the first split may be free."""
        return self.split_penalty * (max(0, n_splits - 1) if self.objective.free_root else n_splits)


def leaf_floor(n_samples: int) -> int:
    """The default minimum of rows per leaf: 1% and at least 5, but at most 10%, and at least 1.

    The 95% interval of a proportion from five rows covers half the scale; the maximum of 10% keeps small tables, such
    as those of lessons, solvable.
    """
    return max(1, min(max(5, math.ceil(n_samples / 100)), n_samples // 10))
