"""The diagram with the panel beside it: the chosen node, the way of a case, or one question at a time."""

import streamlit as st

from components.inspect.explorer import bedside, case_panel, leaf_filter, node_panel, views_panel, what_if_panel
from components.inspect.explorer.what_if_facts import changed
from components.inspect.export import export_panel
from components.model import drawing
from components.model.diagram_view import Marks
from components.model.facts import case_facts, node_facts
from components.session import state
from components.session.contained import contained
from components.session.work import FinishedModel, Run
from components.widgets import segments
from components.widgets.rows_choice import NamedRows
from components.words.text import count, plain
from solvers.diagram import Diagram, NodeId, above, levels
from solvers.errors import EspalierError
from solvers.problem import ShapeKind
from solvers.report.drawing import Detail
from solvers.words.costs import unpopular_answer

PANEL = "panel"
"""The key under which the session has what the panel beside the diagram shows."""

_HEIGHT, _WIDTH = 440, 960
"""Pixels: on a screen of 768, what a tab below the drawing opens can still be seen to open."""
_PANELS = ("Node", "One case", "Bedside")
_VIEWS = ("Rules by risk", "Who gets what", "Areas")
"""Other ways to tell the model, in the place of the drawing."""


def show(run: Run, model: FinishedModel, rows: NamedRows) -> None:
    """Draw diagram and panel; only this part of the screen is drawn again on a click."""
    st.fragment(contained(_explore), key="explorer")(run, model, rows)


def _explore(run: Run, model: FinishedModel, rows: NamedRows) -> None:
    diagram, key = model.diagram, f"{run.number}_{model.key}"
    with st.container(horizontal=True, vertical_alignment="center", key="explorer_tools"):
        what = segments.show("Panel", (*_PANELS, *_VIEWS), key=PANEL)
        if what == "Bedside":
            st.caption(
                "One question at a time, for use at the bedside or on a phone. Shares are those of the training rows.",
                width="stretch",
            )
        elif what in _PANELS:
            _levels(diagram, f"diagram_{key}")
            _detail()
            wanted = leaf_filter.show(diagram, key=key)
            dimmed: frozenset[NodeId] = frozenset()
            sought: frozenset[NodeId] = frozenset()
            if wanted.is_on:
                _, dimmed, words = leaf_filter.matching_leaves(diagram, rows.data, wanted)
                if wanted.column is not None:
                    sought = above(diagram, leaf_filter.asking(diagram, wanted.column))
                st.caption(words, width="stretch")
    if what == "Bedside":
        bedside.show(export_panel.material(run, model), file=run.file_name(model.key, ending="bedside.html"))
        return
    if what in _VIEWS:
        _view(what, diagram, rows, key)
        return
    left, right = st.columns([3, 1], gap="small")
    # there may be more to say than the drawing is high: it is scrolled, so that what follows stays in its place
    with right, st.container(height=_HEIGHT, border=False, key="explorer_panel"):
        try:
            marks = _node(model, rows, key) if what == "Node" else _case(run, model, rows, key)
        except EspalierError as error:
            st.error(plain(error, 400))
            marks = Marks()
    with left:
        name = f"diagram_{key}"
        drawing.show(
            diagram,
            key=name,
            place="inspect",
            width=_WIDTH,
            data=rows.data,
            detail=drawing.chosen_detail(),
            least_height=_HEIGHT,
            chosen=marks.way.leaf if marks.way else state.node(key),
            marks=marks._replace(dimmed=dimmed, sought=sought),
            on_choose=lambda n: _show_node(key, n),
        )
    others = (run.prepared.train, run.prepared.test, state.external(run))
    unseen = [data for data in others if data is not None and data is not rows.data]
    detail = drawing.chosen_detail()
    drawing.prepare(diagram, unseen, key=name, place="inspect", width=_WIDTH, detail=detail)


def _show_node(key: str, node: NodeId) -> None:
    """Look at a node of the diagram, in the panel of nodes."""
    state.choose_node(key, node)
    state.put(PANEL, "Node")


def _view(what: str, diagram: Diagram, rows: NamedRows, key: str) -> None:
    try:
        if what == "Areas":
            views_panel.show_icicle(diagram, rows, key)
        else:
            (views_panel.show_rules if what == "Rules by risk" else views_panel.show_table)(diagram, rows)
    except EspalierError as error:
        st.error(plain(error, 400))


def _node(model: FinishedModel, rows: NamedRows, key: str) -> Marks:
    """Draw the panel of the chosen node, and return what it marks in the drawing."""
    diagram = model.diagram
    facts = node_facts(diagram, rows.data, min(state.node(key), diagram.n_nodes - 1))
    note = unpopular_answer(model.problem, diagram, facts.number)
    node_panel.show(facts, diagram, rows.data, key=key, note=note)
    return Marks()


def _case(run: Run, model: FinishedModel, rows: NamedRows, key: str) -> Marks:
    diagram = model.diagram
    case = case_panel.choose(diagram, rows, key=key)
    if case is None:
        return Marks()
    edits = what_if_panel.edits(case.values, key=key)
    facts = case_facts(diagram, changed(diagram, case.values, edits), rows.data, rows.name)
    former = case_facts(diagram, case.values, rows.data, rows.name) if edits else None
    case_panel.show(facts, case.truth, former)
    st.toggle(
        "Draw only this way",
        key=drawing.draw_way_only(f"diagram_{key}"),
        help="The questions that this case is asked, and nothing else.",
        persist_state="session",
    )
    what_if_panel.show(diagram, case.values, facts.trace, run.prepared.train, key=key)
    return Marks(facts.trace, None if former is None else former.trace)


def _detail() -> None:
    """Ask how much a node says, here, in files and in reports."""
    st.selectbox(
        "What nodes show",
        list(Detail),
        format_func=lambda detail: detail.words,
        key=state.first(drawing.DETAIL, Detail.STANDARD),
        label_visibility="collapsed",
        width=210,
        help="Also in the pictures and the report of the tab Export.",
        persist_state="session",
    )


def _levels(diagram: Diagram, key: str) -> None:
    """Ask how many levels are drawn, at first as many as can be read."""
    if diagram.depth < 2:
        return
    most = diagram.depth if diagram.kind is ShapeKind.TREE else len(levels(diagram)) - 1
    st.selectbox(
        "Levels",
        [0, *range(most, 0, -1)],
        format_func=lambda n: "Levels that fit" if n == 0 else "All levels" if n == most else count(n, "level"),
        key=state.first(drawing.levels_key(key), 0),
        label_visibility="collapsed",
        width=150,
        on_change=lambda: drawing.forget_folds(key),
        persist_state="session",
    )
