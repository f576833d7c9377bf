"""The diagram with the panel next to it: the selected node, the path of a row, the bedside page, the decision table."""

import streamlit as st

from components.inspect import export_panel
from components.inspect.explorer import case_panel, decision_table, edit_panel, node_panel, what_if_panel
from components.messages.text import count, label_with, plain
from components.model import drawing
from components.model.drawing import Marks
from components.session import state
from components.session.contained import contain
from components.session.work import FinishedModel, Run
from components.widgets import segments, shown_rows, style
from components.widgets.shown_rows import NamedRows
from solvers.diagram import Diagram, NodeId, above, levels
from solvers.errors import EspalierError
from solvers.messages.costs import unpopular_answer
from solvers.problem import ShapeKind
from solvers.report.drawing import Detail
from solvers.report.exports import Material

PANEL = "panel"
"""State key of the content of the panel next to the diagram."""

_HEIGHT, _WIDTH = 440, 960
"""Pixels: on a screen 768 pixels high, the top of the content below the drawing is still visible."""
_PAGE_HEIGHT = 640
_NODE, _ROW, _BEDSIDE, _TABLE = "Node", "Trace a row", "Bedside", "Decision table"


def show(run: Run, model: FinishedModel, rows: NamedRows) -> None:
    """Draw diagram and panel; a click redraws only this part of the screen."""
    st.fragment(contain(_explore), key="explorer")(run, model, rows)


def _explore(run: Run, model: FinishedModel, rows: NamedRows) -> None:
    diagram, key = model.diagram, f"{run.number}_{model.key}"
    sought: tuple[NodeId, ...] = ()
    with st.container(horizontal=True, vertical_alignment="center", key="explorer_tools"):
        what = segments.show("View", (_NODE, _ROW, _BEDSIDE, _TABLE), key=PANEL)
        if what in (_NODE, _ROW):
            _levels(diagram, f"diagram_{key}")
            _detail()
            sought = _find_feature(diagram, key)
    if what == _BEDSIDE:
        _bedside(export_panel.material(run, model))
        return
    left, right = (st.container(), None) if what == _TABLE else st.columns([3, 1], gap="small")
    marks = Marks()
    # the panel may be longer than the drawing: it scrolls, so that the content below keeps its place
    with left if right is None else right.container(height=_HEIGHT, border=False, key="explorer_panel"):
        try:
            if what == _TABLE:
                decision_table.show(diagram, rows)
            elif what == _NODE:
                number = min(state.node(key), diagram.n_nodes - 1)
                note = unpopular_answer(model.problem, diagram, number)
                node_panel.show(diagram, rows.data, number, note=note)
                edit_panel.show(run, model, number, key=key)
                node_panel.show_rows(run, diagram, rows, number, key)
            else:
                marks = _case(run, model, rows, key)
        except EspalierError as error:
            st.error(plain(error, 400))
    if right is not None:
        with left:
            _draw(run, diagram, rows, key, marks, sought)


def _draw(run: Run, diagram: Diagram, rows: NamedRows, key: str, marks: Marks, sought: tuple[NodeId, ...]) -> None:
    """Draw the diagram; nodes that are not on a path to the nodes sought are dimmed."""
    name, detail = f"diagram_{key}", drawing.chosen_detail()
    if sought:
        way = above(diagram, sought)
        marks = marks._replace(dimmed=frozenset(range(diagram.n_nodes)) - way, sought=way)
    drawing.show(
        diagram,
        key=name,
        place="inspect",
        width=_WIDTH,
        data=rows.data,
        detail=detail,
        least_height=_HEIGHT,
        chosen=marks.way.leaf if marks.way else state.node(key),
        marks=marks,
        on_choose=lambda n: _show_node(key, n),
    )
    unseen = [data for data in shown_rows.rows_of(run).values() if data is not rows.data]
    drawing.prepare(diagram, unseen, key=name, place="inspect", width=_WIDTH, detail=detail)


def _bedside(material: Material) -> None:
    """Draw the bedside page in a frame, as Export saves it."""
    with st.columns([1, 4, 1])[1], st.container(key="bedside"):
        try:
            page = material.bedside("dark" if state.dark() else "light")
        except EspalierError as error:
            st.error(plain(error, 400))
            return
        style.page(page, _PAGE_HEIGHT)


def _show_node(key: str, node: NodeId) -> None:
    """Select a node of the diagram, in the node panel."""
    state.choose_node(key, node)
    state.put(PANEL, _NODE)


def _case(run: Run, model: FinishedModel, rows: NamedRows, key: str) -> Marks:
    diagram = model.diagram
    case = case_panel.choose(diagram, rows, key=key)
    if case is None:
        return Marks()
    edits = what_if_panel.edits(case.values, key=key)
    facts = case_panel.facts_of(diagram, what_if_panel.changed(diagram, case.values, edits), rows)
    former = case_panel.facts_of(diagram, case.values, rows) if edits else None
    case_panel.show(facts, case.truth, former)
    st.toggle("Show only this path", key=drawing.draw_way_only(f"diagram_{key}"), persist_state="session")
    what_if_panel.show(diagram, case.values, facts.trace, run.prepared.train, key=key)
    return Marks(facts.trace, None if former is None else former.trace)


def _find_feature(diagram: Diagram, key: str) -> tuple[NodeId, ...]:
    """The splits on the feature that the user searches for."""
    name = st.selectbox(
        "Find a feature",
        diagram.features,
        index=None,
        format_func=label_with(diagram.features, lambda name: diagram.schema[name].title),
        key=f"find_{key}",
        placeholder="Find a feature",
        label_visibility="collapsed",
        width=180,
        persist_state="session",
    )
    return tuple(i for i, split in diagram.splits if name in split.predicate.columns)


def _detail() -> None:
    """Ask for the level of detail of nodes, here, in files and in reports."""
    st.selectbox(
        "Node details",
        list(Detail),
        format_func=lambda detail: detail.words,
        key=state.first(drawing.DETAIL, Detail.STANDARD),
        label_visibility="collapsed",
        width=210,
        help="Also applies to exported pictures and the report.",
        persist_state="session",
    )


def _levels(diagram: Diagram, key: str) -> None:
    """Ask how many levels are drawn, by default as many as are readable."""
    if diagram.depth < 2:
        return
    most = diagram.depth if diagram.kind is ShapeKind.TREE else len(levels(diagram)) - 1
    st.selectbox(
        "Levels",
        [0, *range(most, 0, -1)],
        format_func=lambda n: "Levels: auto" if n == 0 else "All levels" if n == most else count(n, "level"),
        key=state.first(drawing.levels_key(key), 0),
        label_visibility="collapsed",
        width=150,
        on_change=lambda: drawing.forget_folds(key),
        persist_state="session",
    )
