"""The diagram with the panel beside it: the chosen node, or the way of a case."""

from __future__ import annotations

import streamlit as st

from components import case_panel, diagram_view, drawing, node_panel, segments, state
from components.cost_facts import unpopular_answer
from components.model_facts import case_facts, node_facts
from components.model_picker import Rows
from components.text import plain
from components.work import Model, Run
from solvers.diagram import Diagram, Trace, levels
from solvers.errors import EspalierError, RenderError
from solvers.problem import ShapeKind

_HEIGHT = 525
_PANEL_HEIGHT = 470


def show(run: Run, model: Model, rows: Rows) -> None:
    """Draw diagram and panel; only this part of the screen is drawn again on a click."""
    st.fragment(_explore, key="explorer")(run, model, rows)


def _explore(run: Run, model: Model, rows: Rows) -> None:
    left, right = st.columns([3, 1], gap="small")
    key = f"{run.number}_{model.key}"
    with right:
        trace = _panel(run, model, rows, key)
    with left:
        _draw(model, rows, key, trace)


def _panel(run: Run, model: Model, rows: Rows, key: str) -> Trace | None:
    diagram = model.solution.diagram
    with st.container(horizontal=True):
        what = segments.show("Panel", ["Node", "One case"], key="panel")
        if diagram.depth > 1:
            _levels(diagram, key)
    # there is more to say where ways meet: it is scrolled, so that what follows stays in its place
    with st.container(height="content" if diagram.kind is ShapeKind.TREE else _PANEL_HEIGHT, border=False):
        return _told(run, model, rows, key, what)


def _told(run: Run, model: Model, rows: Rows, key: str, what: str) -> Trace | None:
    """Draw the chosen node or the chosen case, whose way is returned."""
    diagram = model.solution.diagram
    try:
        if what == "Node":
            facts = node_facts(diagram, rows.data, min(state.node(key), diagram.n_nodes - 1))
            node_panel.show(facts, rows.data, key=key, note=unpopular_answer(model.problem, diagram, facts.number))
            return None
        case = case_panel.choose(diagram, rows, key=key)
        if case is None:
            return None
        facts = case_facts(diagram, case.values, run.prepared.train)
        case_panel.show(facts, case.truth)
        return facts.trace
    except EspalierError as error:
        st.error(plain(error, 400))
        return None


def _levels(diagram: Diagram, key: str) -> None:
    """Ask how many levels are drawn; large models are easier to read from the top."""
    tree = diagram.kind is ShapeKind.TREE
    most = diagram.depth if tree else len(levels(diagram)) - 1
    st.selectbox(
        "Levels",
        range(most, 0, -1),
        format_func=lambda n: "All levels" if n == most else "1 level" if n == 1 else f"{n} levels",
        # only trees grow so fast that their lower levels are too small to be read
        key=state.first(f"shown_{key}", min(most, drawing.READABLE_LEVELS) if tree else most),
        label_visibility="collapsed",
        persist_state="session",
    )


def _draw(model: Model, rows: Rows, key: str, trace: Trace | None) -> None:
    diagram = model.solution.diagram
    try:
        picture = drawing.svg(diagram, data=rows.data, highlight=trace or (), levels=state.get(f"shown_{key}"))
    except RenderError as error:
        drawing.show_rules(diagram, error)
        return
    chosen = trace.leaf if trace else state.node(key)
    diagram_view.show(
        picture, diagram, key=f"diagram_{key}", chosen=chosen, height=_HEIGHT, on_choose=lambda n: _choose(key, n)
    )


def _choose(key: str, number: int) -> None:
    state.choose_node(key, number)
    state.put("panel", "Node")
