"""The one graph for trees, binary decision diagrams and decision diagrams.

Nodes are numbered so that children come after their parents, which makes the graph acyclic by construction; node 0 is
the root. A split has a `Predicate`, or in a diagram a `LinearPredicate`; a leaf (a terminal of a diagram) predicts a
class and stores the class counts of its training rows. A diagram includes the schema of its columns, so that it
predicts on raw tables.
"""

from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np
import pandas as pd

from ..errors import DataError, DiagramError, MissingValuesError, UnknownValueError
from ..problem import Dataset, LinearPredicate, MissingPolicy, Predicate, Preparation, Schema, ShapeKind, Table
from ..problem.preparation import KeepRows, PreparedTable
from ..problem.tables import as_table
from ..problem.texts import abbreviate, format_list

NodeId = int


class Split(msgspec.Struct, frozen=True, tag="split", tag_field="type", forbid_unknown_fields=True):
    """An internal node; `yes` and `no` are the numbers of its children."""

    predicate: Predicate | LinearPredicate
    yes: NodeId
    no: NodeId


class Leaf(msgspec.Struct, frozen=True, tag="leaf", tag_field="type", forbid_unknown_fields=True):
    """A leaf with the index of its predicted class.

    `counts` is the weight of the training rows of each class that reached it (counts if rows have no weights).
    """

    label: int
    counts: tuple[float, ...]

    @property
    def shares(self) -> tuple[float, ...]:
        """The proportion of each class among these rows; if no row reached the leaf, 1 for its label."""
        total = float(sum(self.counts))
        if total > 0:
            return tuple(float(count) / total for count in self.counts)
        return tuple(float(k == self.label) for k in range(len(self.counts)))


Node = Split | Leaf


@dataclass(frozen=True, slots=True)
class Step:
    """One split on the path of a row: the node, its result, and the resulting condition in words."""

    node: NodeId
    answer: bool
    words: str


@dataclass(frozen=True, slots=True)
class Trace:
    """The path of one row through a diagram; a path that ends before a leaf has the label -1."""

    steps: tuple[Step, ...]
    leaf: NodeId
    label: int


@dataclass(frozen=True)
class Diagram:
    """A readable model.

    Attributes
    ----------
    kind : tree, BDD or diagram.
    schema : the columns that splits may use, with the policy for missing values.
    classes : the class names.
    outcome : the header of the outcome.
    positive : the index of the positive class, or `None`.
    nodes : the nodes, children after parents, node 0 the root.
    """

    kind: ShapeKind
    schema: Schema
    classes: tuple[str, ...]
    outcome: str
    positive: int | None
    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        self.validate()

    def validate(self) -> None:
        """Check that the graph is well formed.

        Raises
        ------
        DiagramError
            No nodes, an arc that does not lead to a later node, an unreachable node, a label that is not a class,
            counts that do not fit, a tree with a node of two parents, or a split that does not fit the columns.
        """
        if not self.nodes:
            raise DiagramError("A diagram needs at least one node.")
        if not self.classes or len(set(self.classes)) != len(self.classes):
            raise DiagramError("The classes must be different, and there must be at least one.")
        if self.positive is not None and not 0 <= self.positive < len(self.classes):
            raise DiagramError("The positive class must be one of the classes.")
        parents = np.zeros(len(self.nodes), np.int64)
        for i, node in enumerate(self.nodes):
            if isinstance(node, Split):
                for child in (node.yes, node.no):
                    if not i < child < len(self.nodes):
                        raise DiagramError(
                            f"Node {i} points to node {child}, but children must come after their parents."
                        )
                    parents[child] += 1
                if misfit := node.predicate.misfit(self.schema):
                    raise DiagramError(f"Node {i} does not fit the columns: {misfit}.")
            elif not 0 <= node.label < len(self.classes) or len(node.counts) != len(self.classes):
                raise DiagramError(f"Leaf {i} does not fit the classes {', '.join(self.classes)}.")
            elif any(count < 0 for count in node.counts):
                raise DiagramError(f"The counts of leaf {i} must not be negative.")
        if (parents[1:] == 0).any():
            raise DiagramError(f"Node {int(np.flatnonzero(parents[1:] == 0)[0]) + 1} cannot be reached.")
        if self.kind is ShapeKind.TREE and (parents > 1).any():
            raise DiagramError(f"Node {int(np.flatnonzero(parents > 1)[0])} of a tree has two parents.")

    @property
    def n_nodes(self) -> int:
        """The number of splits and leaves."""
        return len(self.nodes)

    @cached_property
    def splits(self) -> tuple[tuple[NodeId, Split], ...]:
        """The splits with their node numbers."""
        return tuple((i, node) for i, node in enumerate(self.nodes) if isinstance(node, Split))

    @cached_property
    def leaves(self) -> tuple[tuple[NodeId, Leaf], ...]:
        """The leaves or terminals with their node numbers."""
        return tuple((i, node) for i, node in enumerate(self.nodes) if isinstance(node, Leaf))

    def split(self, node: NodeId) -> Split:
        """The split with this node number."""
        found = self.nodes[node]
        assert isinstance(found, Split)
        return found

    def leaf(self, node: NodeId) -> Leaf:
        """The leaf with this node number."""
        found = self.nodes[node]
        assert isinstance(found, Leaf)
        return found

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return len(self.splits)

    @property
    def n_leaves(self) -> int:
        """The number of leaves or terminals."""
        return len(self.leaves)

    @cached_property
    def layer(self) -> np.ndarray:
        """The length of the longest path from the root to each node, int64 (n_nodes,)."""
        layer = np.zeros(self.n_nodes, np.int64)
        for i, split in self.splits:
            for child in (split.yes, split.no):
                layer[child] = max(layer[child], layer[i] + 1)
        return layer

    @cached_property
    def parents(self) -> tuple[tuple[tuple[NodeId, bool], ...], ...]:
        """The arcs to each node, as (split, result); none for the root, exactly one for the other nodes of a tree."""
        arcs: list[list[tuple[NodeId, bool]]] = [[] for _ in self.nodes]
        for i, split in self.splits:
            arcs[split.yes].append((i, True))
            arcs[split.no].append((i, False))
        return tuple(tuple(into) for into in arcs)

    @cached_property
    def answers_below(self) -> tuple[frozenset[int], ...]:
        """For each node, the classes that the leaves below it, or the leaf itself, predict."""
        below: list[frozenset[int]] = [frozenset()] * self.n_nodes
        for i in reversed(range(self.n_nodes)):
            node = self.nodes[i]
            below[i] = frozenset({node.label}) if isinstance(node, Leaf) else below[node.yes] | below[node.no]
        return tuple(below)

    @property
    def depth(self) -> int:
        """The largest number of splits on a path."""
        return int(self.layer.max())

    @cached_property
    def may_miss(self) -> frozenset[NodeId]:
        """The splits that a row without one of their values can reach: no earlier split sent it elsewhere."""
        found = set[NodeId]()
        for name in self.features:
            reached = {0}
            for i, split in self.splits:
                if i in reached:
                    reads = name in split.predicate.columns
                    # a sum of values with a filled one decides by its total
                    filled = isinstance(split.predicate, LinearPredicate) and self.schema.fill(name) is not None
                    both = filled or not reads
                    reached |= {split.yes, split.no} if both else {split.yes if split.predicate.missing else split.no}
                    found |= {i} if reads else set()
        return frozenset(found)

    @cached_property
    def features(self) -> tuple[str, ...]:
        """The columns that the splits use, in the order of the schema."""
        used = {column for _, split in self.splits for column in split.predicate.columns}
        return tuple(name for name in self.schema.names if name in used)

    @cached_property
    def preparation(self) -> Preparation:
        """The steps that compute the columns of the splits from a raw table, and those that exclude rows."""
        steps = self.schema.preparation
        return Preparation() if steps is None else steps.leading_to(self.features, self.outcome)

    @property
    def scope(self) -> str:
        """The rows that the model applies to, in words, if preparation steps exclude others."""
        kept = [step.words() for step in self.preparation.steps if isinstance(step, KeepRows)]
        return f"the model does not apply to such rows ({'; '.join(kept)})"

    @property
    def raw_features(self) -> tuple[str, ...]:
        """The raw columns from which the columns of the splits are computed."""
        return tuple(self.preparation.raw(self.features)) if self.preparation else self.features

    def prepared(self, table: Table, refused: dict[int, str] | None = None) -> PreparedTable:
        """Apply the preparation steps to raw rows.

        Raises `DataError` if a column that the steps need is missing, or a cell is invalid. If `refused` is given,
        invalid cells count as missing, and `refused` collects the reasons by row position.
        """
        absent = [name for name in self.raw_features if name not in table.names] if self.preparation else []
        if absent:
            lacked, there = format_list([repr(name) for name in absent], "and"), abbreviate(table.names)
            raise DataError(f"The table lacks {lacked}, which the preparation steps need. The table has: {there}.")
        return self.preparation.apply(table, refused, check=False)

    def encode(self, data: Dataset | Table | pd.DataFrame | np.ndarray) -> np.ndarray:
        """Encode rows as the float matrix of the schema, float64 (n_samples, n_columns).

        A table or data frame has raw rows, which are read like the training rows and then prepared; datasets and
        matrices are already prepared.

        Raises
        ------
        DataError
            A column that the splits use is missing, a cell does not fit its column, or the steps exclude a row.
        MissingValuesError
            The policy is 'complete cases' and a value that the splits use is missing.
        """
        if isinstance(data, Dataset):
            X = self._reorder(data)
        elif isinstance(data, np.ndarray):
            X = np.atleast_2d(np.asarray(data, np.float64))
            if X.shape[1] != len(self.schema):
                raise DiagramError(f"Rows must have {len(self.schema)} values, but have {X.shape[1]}.")
        else:
            table = self.schema.as_trained(as_table(data), self.raw_features)
            prepared = self.prepared(table)
            X = self.schema.encode(prepared.table, frozenset(self.features))
            if prepared.n_left_out:
                lost = int(np.setdiff1d(np.arange(table.n_rows), prepared.rows)[0])
                raise DataError(f"Row {lost + 1} gets no prediction: {self.scope}. Remove such rows from the table.")
        if self.schema.missing is MissingPolicy.COMPLETE:
            for name in self.features:
                gone = np.flatnonzero(np.isnan(X[:, self.schema.index(name)]))
                if len(gone):
                    raise MissingValuesError(
                        f"The column '{name}' is missing in row {gone[0] + 1}. This model was trained on complete rows "
                        f"only. Fill in the value, or train a model with another policy for missing values."
                    )
        return X

    def _reorder(self, data: Dataset) -> np.ndarray:
        if data.schema.columns == self.schema.columns:
            return data.X
        if all(c.name in data.schema.names and data.schema[c.name].levels == c.levels for c in self.schema.columns):
            return data.X[:, [data.schema.index(name) for name in self.schema.names]]
        return self.schema.encode(data.frame(), frozenset(self.features))

    def reach(self, data: Dataset | Table | pd.DataFrame | np.ndarray) -> np.ndarray:
        """Whether each row passes through each node, bool (n_samples, n_nodes)."""
        X = self.encode(data)
        reached = np.zeros((len(X), self.n_nodes), bool)
        reached[:, 0] = True
        for i, split in self.splits:
            here = np.flatnonzero(reached[:, i])
            yes = split.predicate.holds(self.schema, X[here])
            reached[here[yes], split.yes] = True
            reached[here[~yes], split.no] = True
        return reached

    def apply(self, data: Dataset | Table | pd.DataFrame | np.ndarray) -> np.ndarray:
        """The leaf of each row, int64 (n_samples,) node numbers."""
        X = self.encode(data)
        at = np.zeros(len(X), np.int64)
        for i, split in self.splits:
            here = np.flatnonzero(at == i)
            # avoid copying the table if all rows are here
            yes = split.predicate.holds(self.schema, X[here] if len(here) < len(X) else X)
            at[here] = np.where(yes, split.yes, split.no)
        return at

    def stops(self, data: Dataset | Table | pd.DataFrame | np.ndarray) -> np.ndarray:
        """The first split for each row that needs a value no training row has, int64 (n_samples,), -1 for none.

        The other methods follow such a split regardless; see `refuse_unknown`.
        """
        X = self.encode(data)
        out = np.full(len(X), -1, np.int64)
        # most rows have no such value
        some = np.flatnonzero(self.schema.never_had(self.features, X))
        reached = self.reach(X[some])
        for i, split in reversed(self.splits):
            out[some[reached[:, i] & self.schema.never_had(split.predicate.columns, X[some])]] = i
        return out

    def refuse_unknown(self, data: Dataset | Table | pd.DataFrame | np.ndarray) -> None:
        """Raise an error for rows whose path depends on a value that no training row has.

        Raises
        ------
        UnknownValueError
            There is such a row: the message names the first one and its column.
        """
        X = self.encode(data)
        stops = self.stops(X)
        rows = np.flatnonzero(stops >= 0)
        if len(rows):
            first = X[rows[0]]
            name, what = self.never_had(int(stops[rows[0]]), first)[0]
            more = f" ({len(rows)} such rows)" if len(rows) > 1 else ""
            raise UnknownValueError(
                f"The column '{name}' is {what} in row {rows[0] + 1}{more}, as in no training row, so the model makes "
                f"no prediction. Correct the value, or choose handle_unknown='ignore' to follow the condition of the "
                f"split."
            )

    def never_had(self, node: NodeId, row: np.ndarray) -> tuple[tuple[str, str], ...]:
        """The values of a row, float64 (n_columns,), that a split uses and no training row has.

        Each is the column and its value in words, for instance ('age', 'missing').
        """
        found = []
        for name in dict.fromkeys(self.split(node).predicate.columns):
            column, value = self.schema[name], row[self.schema.index(name)]
            if column.never_had(np.array([value]))[0]:
                found.append((name, column.format(value) or "missing"))
        return tuple(found)

    def predict(self, data: Dataset | Table | pd.DataFrame | np.ndarray) -> np.ndarray:
        """The index of the predicted class of each row, int64 (n_samples,)."""
        labels = np.array([node.label if isinstance(node, Leaf) else -1 for node in self.nodes], np.int64)
        predicted: np.ndarray = labels[self.apply(data)]
        return predicted

    def predict_proba(self, data: Dataset | Table | pd.DataFrame | np.ndarray) -> np.ndarray:
        """The proportion of each class among the training rows of the leaf, float64 (n_samples, n_classes).

        A leaf without training rows has 1 for its label.
        """
        shares = np.zeros((self.n_nodes, len(self.classes)))
        for i, leaf in self.leaves:
            shares[i] = leaf.shares
        by_row: np.ndarray = shares[self.apply(data)]
        return by_row

    def path(self, row: np.ndarray) -> Trace:
        """The path of one row, given as its matrix values float64 (n_columns,)."""
        X = self.encode(np.asarray(row, np.float64).reshape(1, -1))
        steps: list[Step] = []
        at = 0
        while isinstance(node := self.nodes[at], Split):
            answer = bool(node.predicate.holds(self.schema, X)[0])
            steps.append(Step(at, answer, node.predicate.words_at(self.schema, X[0], answer)))
            at = node.yes if answer else node.no
        return Trace(tuple(steps), at, node.label)
