"""A screen of drawings only, in frames as wide as those of the dashboard, of models that need no search."""

from __future__ import annotations

from itertools import zip_longest
from threading import Event

import numpy as np
import streamlit as st

from components.model import drawing
from components.session import state
from components.widgets import style
from solvers.diagram import Diagram, Leaf, Node, Split
from solvers.methods import get
from solvers.problem import (
    Column,
    Dataset,
    Kind,
    Limits,
    MissingPolicy,
    Op,
    Predicate,
    Problem,
    Schema,
    Shape,
    ShapeKind,
)
from solvers.problem.skeleton import PRESETS
from solvers.report.drawing import Detail
from tests.browser.plots.cases import figures
from tests.pages.handmade import bdd, counted, greedy_questions

SIZES = range(2, 9)


def patients(n: int = 600) -> Dataset:
    """Rows whose outcome is random; names as long as those of users."""
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(18, 95, n), rng.integers(0, 4, n), *rng.normal(50, 20, (4, n)).round(2)])
    columns = (
        Column("age at admission", Kind.NUMERIC, integral=True),
        Column("stage", Kind.ORDERED, ("none", "mild", "moderate", "severe")),
        Column("creatinine_umol_per_l", Kind.NUMERIC),
        Column("mean arterial pressure", Kind.NUMERIC),
        Column("bmi", Kind.NUMERIC),
        Column("worst concave points of all", Kind.NUMERIC),
    )
    schema = Schema(columns, MissingPolicy.COMPLETE)
    return Dataset("noise", schema, X, rng.integers(0, 2, n).astype(np.int32), ("0", "1"), "died in hospital", 1)


def halved(data: Dataset, depth: int) -> Diagram:
    """A full tree: each split halves the rows of its node."""
    nodes: list[Node] = []

    def grow(rows: np.ndarray, level: int) -> int:
        here = len(nodes)
        nodes.append(Leaf(int(data.y[rows].mean() > 0.5), (0.0, 0.0)))
        if level < depth:
            # the stage has too few values
            j = (0, 2, 3, 4, 5)[level % 5]
            question = Predicate(data.schema.names[j], Op.LE, float(np.median(data.X[rows, j])), False)
            yes = question.answer(data.X[rows, j])
            nodes[here] = Split(question, grow(rows[yes], level + 1), grow(rows[~yes], level + 1))
        return here

    grow(np.arange(data.n_samples), 0)
    return counted(Diagram(ShapeKind.TREE, data.schema, data.classes, data.outcome, data.positive, tuple(nodes)), data)


@st.cache_resource
def models() -> tuple[Dataset, dict[str, Diagram]]:
    """The models by name: trees by depth, BDDs by levels, diagrams by skeleton."""
    data = patients()
    found = {f"tree{depth}": halved(data, depth) for depth in SIZES}
    questions = greedy_questions(Problem(data, Shape(ShapeKind.BDD, max_depth=SIZES[-1])), SIZES[-1])
    for n in SIZES:
        found[f"bdd{n}"] = bdd(Problem(data, Shape(ShapeKind.BDD, max_depth=n)), questions[:n])
    for name, skeleton in PRESETS.items():
        problem = Problem(data, skeleton.shape())
        solution = get("odd-greedy").run(problem, Limits(), lambda event: None, Event())
        assert solution.diagram is not None
        found[f"diagram{name}"] = solution.diagram
    return data, found


def show(name: str, width: int) -> None:
    """Draw a model with selectable nodes."""
    data, found = models()
    key = f"{name}_{width}"
    with st.container(key=key):
        drawing.show(
            found[name],
            key=f"drawing_{key}",
            place=f"place_{width}",
            width=width,
            data=data,
            detail=Detail(st.query_params.get("detail", "standard")),
            chosen=state.get(f"node_{key}"),
            on_choose=lambda node: state.put(f"node_{key}", node),
        )


def show_drawings() -> None:
    """Draw all models in a wide frame, and some in narrow ones."""
    for name in models()[1]:
        with st.columns([3, 1], gap="small")[0]:
            show(name, 960)
    for name in ("tree3", "tree8", "bdd6", "diagramIV"):
        for columns, width in (([1, 1.35], 740), (2, 640), (3, 420)):
            with st.columns(columns)[-1]:
                show(name, width)


def show_plots() -> None:
    """Draw all plots, two per row, as on most screens."""
    found = list(figures(state.dark()).items())
    for pair in zip_longest(found[::2], found[1::2]):
        for place, (name, figure) in zip(st.columns([1.1, 1], gap="large"), filter(None, pair), strict=False):
            with place, st.container(key=f"plot_{name.replace(' ', '_')}"):
                st.plotly_chart(figure, key=name, config={"displayModeBar": False})


st.set_page_config(layout="wide")
style.apply(state.dark())
if st.query_params.get("part") == "plots":
    show_plots()
else:
    show_drawings()
st.markdown("All are drawn.")
