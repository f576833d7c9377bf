"""Exported models executed in their targets: Python, SQLite and onnxruntime."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from solvers.diagram import Diagram, Leaf, Node, Split
from solvers.diagram.onnx_graph import input_names, to_onnx
from solvers.diagram.python_code import to_python
from solvers.diagram.sql import to_sql
from solvers.problem import (
    Column,
    Dataset,
    Kind,
    LinearPredicate,
    MissingPolicy,
    Op,
    Predicate,
    Schema,
    ShapeKind,
    Unknown,
)

Case = Mapping[str, Any]


class Found(NamedTuple):
    """The result of an exported model for a row; if it refuses, `leaf` is `None` and `label` ''."""

    leaf: int | None
    label: str
    shares: tuple[float, ...]


REFUSED = Found(None, "", ())


def by_diagram(diagram: Diagram, X: np.ndarray, refused: np.ndarray, unknown: Unknown = Unknown.ERROR) -> list[Found]:
    """The results of the model itself for rows of its matrix; those in `refused` (bool) are skipped."""
    if unknown is Unknown.ERROR:
        refused = refused | (diagram.stops(X) >= 0)
    leaves, labels, shares = diagram.apply(X), diagram.predict(X), diagram.predict_proba(X)
    return [
        REFUSED if no else Found(int(leaf), diagram.classes[label], tuple(share.tolist()))
        for no, leaf, label, share in zip(refused, leaves, labels, shares, strict=True)
    ]


def by_python(diagram: Diagram, cases: Sequence[Case], unknown: Unknown = Unknown.ERROR) -> list[Found]:
    """The results of the Python module."""
    module: dict[str, Any] = {}
    exec(compile(to_python(diagram, unknown).encode(), "model", "exec"), module)
    out = []
    for case in cases:
        try:
            leaf = module["leaf"](case)
        except ValueError:
            out.append(REFUSED)
        else:
            label, shares = module["LEAVES"][leaf]
            out.append(Found(leaf, module["CLASSES"][label], shares))
    return out


def by_sqlite(diagram: Diagram, cases: Sequence[Case], table: str = "patients", **options: Any) -> list[Found]:
    """The results of SQLite; the only share is that of the positive class."""

    def quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    names = list(cases[0])
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE {quoted(table)} ({', '.join(map(quoted, names))})")
        places = ", ".join("?" * len(names))
        base.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", [[c[n] for n in names] for c in cases])
        cursor = base.execute(to_sql(diagram, table=table, **options))
        n_added = 2 if diagram.positive is None else 3
        rows = [row[-n_added:] for row in cursor.fetchall()]
    assert len(rows) == len(cases)
    return [REFUSED if row[-1] is None else Found(row[-1], row[0], tuple(row[1:-1])) for row in rows]


def by_onnx(diagram: Diagram, cases: Sequence[Case], unknown: Unknown = Unknown.ERROR) -> list[Found]:
    """The results of onnxruntime. Levels are given unchanged, dates as days since 1970-01-01."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    session = onnxruntime.InferenceSession(to_onnx(diagram, unknown), options, providers=["CPUExecutionProvider"])
    feed = {
        given: _tensor(diagram.schema[name], [case[name] for case in cases])
        for name, given in input_names(diagram).items()
    }
    labels, shares, leaves = session.run(["label", "probabilities", "leaf"], feed)
    return [
        REFUSED if leaf == -1 else Found(int(leaf), label, tuple(share.tolist()))
        for label, share, leaf in zip(labels, shares, leaves, strict=True)
    ]


def _tensor(column: Column, cells: list[Any]) -> np.ndarray:
    if column.kind.has_levels:
        # a lone surrogate has no encoding
        texts = ["" if cell is None else str(cell).encode("utf-8", "backslashreplace").decode() for cell in cells]
        return np.array([[text] for text in texts], object)
    if column.kind is Kind.DATE:
        return np.array([[_days(cell)] for cell in cells])
    return np.array([[math.nan if cell is None else cell] for cell in cells], np.float64)


def _days(cell: str | None) -> float:
    if cell is None:
        return math.nan
    return (np.datetime64(cell, "us") - np.datetime64(0, "us")) / np.timedelta64(1, "D")


def raw_cases(schema: Schema, X: np.ndarray) -> list[dict[str, Any]]:
    """Rows of the matrix as raw cells: numbers, texts of levels, ISO dates, `None` if missing."""
    return [
        {
            column.name: None if math.isnan(x) else x if column.kind is Kind.NUMERIC else column.format(x)
            for column, x in zip(schema.columns, row.tolist(), strict=True)
        }
        for row in X
    ]


def disturbed(
    diagram: Diagram, data: Dataset, rng: np.random.Generator
) -> tuple[list[dict[str, Any]], np.ndarray, np.ndarray]:
    """All rows, and some again with missing cells and unknown levels: raw cells, matrix, refused rows."""
    again = data.X[rng.permutation(data.n_samples)[:200]]
    again[rng.random(again.shape) < 0.15] = np.nan
    X = np.vstack((data.X, again))
    cases = raw_cases(data.schema, X)
    refused = np.zeros(len(X), bool)
    for j, column in enumerate(data.schema.columns):
        is_feature = column.name in diagram.features
        if column.kind.has_levels:
            for i in np.flatnonzero(rng.random(len(X)) < 0.03):
                cases[i][column.name] = "a level nobody has seen"
                refused[i] |= is_feature
        if diagram.schema.missing is MissingPolicy.COMPLETE and is_feature:
            refused |= np.isnan(X[:, j]) & np.array([case[column.name] is None for case in cases])
    if diagram.schema.missing is MissingPolicy.COMPLETE:
        X = np.where(np.isnan(X), 0.0, X)
    return cases, X, refused


def random_model(data: Dataset, kind: ShapeKind, rng: np.random.Generator, depth: int = 4) -> Diagram:
    """A model of random splits on a table, sometimes with thresholds at values of the table; leaves count its rows."""
    widths = [2**k for k in range(depth)] if kind is ShapeKind.TREE else [min(2**k, 3) for k in range(depth)]
    n_leaves = 2 * widths[-1] if kind is ShapeKind.TREE else 4
    nodes: list[Node] = []
    for k, width in enumerate(widths):
        below = len(nodes) + width
        n_below = widths[k + 1] if k + 1 < depth else n_leaves
        shared = random_question(data, kind, rng)
        for i in range(width):
            # a BDD has the same split in a whole layer
            predicate = shared if kind is ShapeKind.BDD else random_question(data, kind, rng)
            arcs = (2 * i, 2 * i + 1) if kind is ShapeKind.TREE else (2 * i % n_below, (2 * i + 1) % n_below)
            nodes.append(Split(predicate, below + arcs[0], below + arcs[1]))
    nodes += [Leaf(int(rng.integers(data.n_classes)), (0.0,) * data.n_classes) for _ in range(n_leaves)]
    bare = Diagram(kind, data.schema, data.classes, data.outcome, data.positive, tuple(nodes))
    ends = bare.apply(data.X) if data.schema.missing is not MissingPolicy.COMPLETE else bare.apply(data)
    counted = [
        Leaf(node.label, tuple(np.bincount(data.y[ends == i], minlength=data.n_classes).astype(float).tolist()))
        if isinstance(node, Leaf)
        else node
        for i, node in enumerate(nodes)
    ]
    return Diagram(kind, data.schema, data.classes, data.outcome, data.positive, tuple(counted))


def random_question(data: Dataset, kind: ShapeKind, rng: np.random.Generator) -> Predicate | LinearPredicate:
    """A split of any kind; only decision diagrams combine columns."""
    if kind is ShapeKind.DIAGRAM and rng.random() < 0.5:
        return _random_sum(data, rng)
    column = data.schema.columns[rng.integers(data.n_columns)]
    known = _known(data, column)
    if not len(known) or rng.random() < 0.1:
        return Predicate(column.name, Op.MISSING, None, True)
    missing = bool(rng.integers(2))
    if column.kind in (Kind.BINARY, Kind.CATEGORICAL):
        return Predicate(column.name, Op.IS, float(rng.integers(len(column.levels))), missing)
    cut = _cut(known, rng)
    return Predicate(column.name, Op.LE, float(np.floor(cut)) if column.kind.has_levels else cut, missing)


def _cut(known: np.ndarray, rng: np.random.Generator) -> float:
    low, high = rng.choice(known, 2)
    return float(low if rng.random() < 0.5 else low + rng.random() * (high - low))


def _known(data: Dataset, column: Column) -> np.ndarray:
    values = data.X[:, data.schema.index(column.name)]
    return values[~np.isnan(values)]


def _random_sum(data: Dataset, rng: np.random.Generator) -> LinearPredicate:
    chosen = rng.permutation(data.n_columns)[: rng.integers(2, 6)]
    names, levels, weights = [], [], []
    for j in chosen:
        column = data.schema.columns[j]
        of_level = column.kind is Kind.CATEGORICAL or (column.kind.has_levels and rng.random() < 0.5)
        names.append(column.name)
        levels.append(int(rng.integers(len(column.levels))) if of_level else None)
        weights.append(float(rng.normal()))
    given = tuple(levels) if any(level is not None for level in levels) else ()
    unlimited = LinearPredicate(tuple(names), tuple(weights), 0.0, bool(rng.integers(2)), given)
    sums = unlimited.values(data.schema, data.X)
    sums = sums[~np.isnan(sums)]
    # if a row's sum equals the threshold, the last bit decides
    limit = float(rng.choice(sums)) if len(sums) else 0.0
    return LinearPredicate(unlimited.columns, unlimited.weights, limit, unlimited.missing, given)
