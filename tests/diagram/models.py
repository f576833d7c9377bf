"""Diagrams for the tests of drawings and exports: a few small ones, and random trees with hostile names."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from solvers.diagram import Diagram, Leaf, Split
from solvers.problem import Column, Kind, LinearPredicate, MissingPolicy, Op, Predicate, Schema, ShapeKind

HOSTILE = (
    '"];evil[label="x',
    '\\"];evil[label=\\"x',
    "<b>bold</b>",
    "<<TABLE><TR><TD>x</TD></TR></TABLE>>",
    "</text><script>alert(1)</script>",
    '" onclick="alert(1)',
    "javascript:alert(1)",
    "a&amp;b&lt;c&#60;d",
    "\\N \\G \\L \\E \\T \\H \\l \\r \\n",
    "ends with a backslash \\",
    "two \\\\ backslashes",
    "line\nbreak\r\tand tab",
    "nul \x00 bell \x07 escape \x1b[31m",
    "lone \ud800 surrogate",
    "turned \u202egnp.exe",
    "emoji 👩‍⚕️ and 漢字 and ελληνικά",
    "]]><!-- & --> <?xml?>",
    "${x} {record|field} %s",
    "digraph",
    " ",
    "",
    "very long " * 400,
)
"""Names that break out of quotes, tags, lines or escapes if they are not escaped."""


def tree(
    names: tuple[str, str] = ("age", "sex"),
    levels: tuple[str, str] = ("female", "male"),
    classes: tuple[str, ...] = ("healthy", "ill"),
    outcome: str = "diagnosis",
) -> Diagram:
    """A tree of three splits and four leaves; age has missing values; the second class is positive."""
    schema = Schema((Column(names[0], Kind.NUMERIC, has_missing=True), Column(names[1], Kind.BINARY, levels)))
    nodes = (
        Split(Predicate(names[0], Op.LE, 40.5, True), 1, 2),
        Split(Predicate(names[1], Op.IS, 0.0, False), 3, 4),
        Split(Predicate(names[0], Op.LE, 60.0, False), 5, 6),
        Leaf(0, (30.0, 0.0)),
        Leaf(0, (12.0, 8.0)),
        Leaf(1, (2.0, 1.0)),
        Leaf(1, (0.0, 47.0)),
    )
    return Diagram(ShapeKind.TREE, schema, classes, outcome, 1, nodes)


def diamond() -> Diagram:
    """A decision diagram in which two splits lead to the same leaf."""
    schema = Schema((Column("a", Kind.BINARY, ("off", "on")), Column("b", Kind.BINARY, ("off", "on"))))
    b = Predicate("b", Op.IS, 1.0, False)
    nodes = (
        Split(Predicate("a", Op.IS, 1.0, False), 1, 2),
        Split(b, 3, 4),
        Split(b, 4, 3),
        Leaf(0, (4.0, 0.0)),
        Leaf(1, (0.0, 6.0)),
    )
    return Diagram(ShapeKind.DIAGRAM, schema, ("even", "odd"), "parity", None, nodes)


def majority() -> Diagram:
    """The BDD of 'two of three signs': ill with at least two of fever, cough and rash."""
    names = ("fever", "cough", "rash")
    schema = Schema(tuple(Column(name, Kind.BINARY, ("no", "yes")) for name in names))
    fever, cough, rash = (Predicate(name, Op.IS, 1.0, False) for name in names)
    nodes = (
        Split(fever, 1, 2),
        Split(cough, 5, 3),
        Split(cough, 3, 4),
        Split(rash, 5, 4),
        Leaf(0, (50.0, 2.0)),
        Leaf(1, (3.0, 45.0)),
    )
    return Diagram(ShapeKind.BDD, schema, ("healthy", "ill"), "state", 1, nodes)


def combined(n_columns: int = 2, missing: bool = False) -> Diagram:
    """A decision diagram whose first two layers have weighted sums of the same columns."""
    names = ("age", "bmi", *(f"blood value {i}" for i in range(3, n_columns + 1)))[:n_columns]
    schema = Schema(tuple(Column(name, Kind.NUMERIC, has_missing=missing) for name in names))
    weights = (0.3, 0.7, *(-1.5 * i for i in range(3, n_columns + 1)))[:n_columns]
    nodes = (
        Split(LinearPredicate(names, weights, 42.0, missing), 1, 2),
        Split(LinearPredicate(names, weights, 30.0, missing), 3, 4),
        Split(Predicate("age", Op.LE, 50.0, False), 4, 3),
        Leaf(0, (7.0, 3.0)),
        Leaf(1, (1.0, 9.0)),
    )
    return Diagram(ShapeKind.DIAGRAM, schema, ("healthy", "ill"), "state", 1, nodes)


def ladder(n_layers: int) -> Diagram:
    """A decision diagram with two splits per layer, each a child of both splits of the layer before: 2^n paths."""
    columns = tuple(Column(f"x{i}", Kind.NUMERIC) for i in range(n_layers))
    nodes = [Split(Predicate("x0", Op.LE, 0.0, False), 1, 2)]
    for i in range(1, n_layers):
        below = 2 * i + 1
        nodes += [Split(Predicate(f"x{i}", Op.LE, value, False), below, below + 1) for value in (1.0, 2.0)]
    leaves = (Leaf(0, (3.0, 1.0)), Leaf(1, (0.0, 2.0)))
    return Diagram(ShapeKind.DIAGRAM, Schema(columns), ("healthy", "ill"), "diagnosis", 1, (*nodes, *leaves))


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30))


@st.composite
def columns(draw: st.DrawFn, name: str, texts: st.SearchStrategy[str] = TEXTS) -> Column:
    """A column of any type and any levels."""
    kind = draw(st.sampled_from(list(Kind)))
    levels: tuple[str, ...] = ()
    if kind.has_levels:
        size = 2 if kind is Kind.BINARY else draw(st.integers(1, 4))
        levels = tuple(draw(st.lists(texts, min_size=size, max_size=size, unique=True)))
    fills = st.integers(0, len(levels) - 1).map(float) if levels else FLOATS
    return Column(name, kind, levels, draw(st.none() | fills), draw(st.booleans()), draw(st.booleans()))


@st.composite
def predicates(draw: st.DrawFn, column: Column) -> Predicate:
    """A split that fits the column."""
    ops = [Op.MISSING, Op.IS if column.kind in (Kind.BINARY, Kind.CATEGORICAL) else Op.LE]
    op = draw(st.sampled_from(ops))
    if op is Op.MISSING:
        return Predicate(column.name, op, None, True)
    # not every calendar has dates beyond the year 2100
    numbers = st.floats(-40000, 40000) if column.kind is Kind.DATE else FLOATS
    values = st.integers(0, len(column.levels) - 1).map(float) if column.kind.has_levels else numbers
    return Predicate(column.name, op, draw(values), draw(st.booleans()))


@st.composite
def diagrams(draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS, max_splits: int = 5) -> Diagram:
    """Random trees over random columns, with names of all kinds."""
    names = draw(st.lists(texts, min_size=1, max_size=3, unique=True))
    table = tuple(draw(columns(name, texts)) for name in names)
    classes = tuple(draw(st.lists(texts, min_size=1, max_size=3, unique=True)))
    weights = st.lists(st.floats(0, 1e6), min_size=len(classes), max_size=len(classes))
    open_ends, nodes = [(-1, True)], []
    n_splits = draw(st.integers(0, max_splits))
    while open_ends:
        parent, side = open_ends.pop(0)
        if parent >= 0:
            split = nodes[parent]
            yes, no = (len(nodes), split.no) if side else (split.yes, len(nodes))
            nodes[parent] = Split(split.predicate, yes, no)
        if n_splits > 0 and (draw(st.booleans()) or not open_ends):
            n_splits -= 1
            open_ends += [(len(nodes), True), (len(nodes), False)]
            nodes.append(Split(draw(predicates(draw(st.sampled_from(table)))), 0, 0))
        else:
            nodes.append(Leaf(draw(st.integers(0, len(classes) - 1)), tuple(draw(weights))))
    positive = draw(st.none() | st.integers(0, len(classes) - 1))
    schema = Schema(table, draw(st.sampled_from(list(MissingPolicy))))
    return Diagram(ShapeKind.TREE, schema, classes, draw(texts), positive, tuple(nodes))


@st.composite
def graphs(
    draw: st.DrawFn, schema: Schema, questions: st.SearchStrategy[Predicate], classes: tuple[str, ...] = ("no", "yes")
) -> Diagram:
    """Small graphs whose arcs lead to any later node, so that nodes are shared and some paths are contradictory."""
    n, m = draw(st.integers(1, 6)), draw(st.integers(2, 4))
    nodes: list[Split | Leaf] = [
        Split(draw(questions), draw(st.integers(i + 1, n + m - 1)), draw(st.integers(i + 1, n + m - 1)))
        for i in range(n)
    ]
    nodes += [Leaf(draw(st.integers(0, len(classes) - 1)), (1.0,) * len(classes)) for _ in range(m)]
    reached = {0}
    for i in range(n):
        if i in reached:
            reached |= {nodes[i].yes, nodes[i].no}
    number = {old: new for new, old in enumerate(sorted(reached))}
    kept = (nodes[i] for i in sorted(reached))
    nodes = [Split(k.predicate, number[k.yes], number[k.no]) if isinstance(k, Split) else k for k in kept]
    return Diagram(ShapeKind.DIAGRAM, schema, classes, "y", None, tuple(nodes))


def case(**values: float) -> np.ndarray:
    """A row for `tree()`: age, sex; missing unless given."""
    return np.array([values.get("age", np.nan), values.get("sex", np.nan)])
