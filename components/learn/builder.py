"""Build your own tree: choose a node, add a split, undo; and compare it with the proved optimum."""

from typing import Any

import numpy as np
import streamlit as st

from components.learn import answers
from components.learn.classroom import Classroom, tree_key
from components.learn.facts import score, verdict
from components.learn.models import Side, found_side, greedy_side, show_plane, show_scores, show_tree
from components.messages.text import count, label_with, plain
from components.session import state
from solvers.diagram import NodeId, describe
from solvers.errors import EspalierError
from solvers.methods.trees.slots import depth_of
from solvers.problem import Column, Kind, Op, Predicate
from solvers.teaching import Drawn, History, Recipe, Sketch

_OWN, _AT, _PLACE = "_learn_own", "_learn_at", "own_place"
_HEIGHT, _WIDTH = 380, 800
_DECIMALS = 3


def show(room: Classroom) -> None:
    """Draw the student's tree with its editing controls and the score."""
    answers.watch(room, _show)


def _show(room: Classroom) -> None:
    history = own_history(room)
    drawn = history.now.drawn(room.problem)
    at = _chosen(room, drawn)
    left, right = st.columns([1.7, 1], gap="medium")
    with left:
        show_tree(
            drawn.diagram,
            room,
            key=f"own_tree_{room.table_key}",
            width=_WIDTH,
            height=_HEIGHT,
            chosen=at,
            on_choose=lambda node: _choose(room, drawn, node),
        )
    with right:
        _edit(room, history, drawn, at)
    left, right = st.columns([1.7, 1], gap="medium")
    with left:
        _score(room, drawn)
    with right:
        show_plane(drawn.diagram, room, key="own_plane", height=320)


def own_history(room: Classroom) -> History:
    """The student's tree for this table, with its history; splits below the allowed depth are removed."""
    history = _by_table(_OWN).get(room.setting.recipe, History())
    deep = [slot for slot in history.now.questions if depth_of(slot) >= room.problem.size.max_depth]
    if not deep:
        return history
    return History(Sketch({slot: question for slot, question in history.now.questions.items() if slot not in deep}))


def take(room: Classroom, sketch: Sketch) -> None:
    """Show a tree for a table; the former one can be restored with Undo."""
    _set(room, own_history(room).then(sketch))


def _by_table(name: str) -> dict[Recipe, Any]:
    """The session's dictionary by table: the student's trees, or the node being edited."""
    return state.get(state.first(name, {}))


def _chosen(room: Classroom, drawn: Drawn) -> NodeId:
    """The node being edited; the root if there is none."""
    slot = _by_table(_AT).get(room.setting.recipe, 0)
    return drawn.slots.index(slot) if slot in drawn.slots else 0


def _choose(room: Classroom, drawn: Drawn, node: NodeId) -> None:
    _by_table(_AT)[room.setting.recipe] = drawn.slots[node]
    state.put(_PLACE, node)


def _edit(room: Classroom, history: History, drawn: Drawn, at: NodeId) -> None:
    state.put(_PLACE, at)
    place = st.selectbox(
        "Node",
        range(drawn.diagram.n_nodes),
        format_func=label_with(
            range(drawn.diagram.n_nodes),
            lambda node: (
                ("Split" if drawn.slots[node] in history.now.questions else "Leaf")
                + f": {describe(drawn.diagram, node)}"
            ),
        ),
        key=_PLACE,
        on_change=lambda: _choose(room, drawn, state.get(_PLACE)),
        help="Or click a node in the drawing.",
    )
    slot = drawn.slots[place]
    rows = history.now.rows_at(room.problem, slot)
    if depth_of(slot) >= room.problem.size.max_depth:
        st.caption(f"{count(len(rows), 'row')}. Maximum depth {room.setting.depth} reached: a leaf.")
    elif len(set(room.train.y[rows].tolist())) == 1:
        st.caption(f"{count(len(rows), 'row')} of one class: no split needed.")
    else:
        st.caption(f"{count(len(rows), 'row')}. Add a split.")
        _ask(room, history, slot, rows)
    _steps(room, history, slot)


def _ask(room: Classroom, history: History, slot: int, rows: np.ndarray) -> None:
    # align the bottom of the fields with the button
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        names = room.train.schema.names
        name = st.selectbox("Split on", names, format_func=label_with(names), key="own_column", width=120)
        column = room.train.schema[name]
        value = _value(room, column, rows)
        st.button("Add split", type="primary", key="own_ask", on_click=state.press, args=("own_ask",))
        if state.pressed("own_ask"):
            op = Op.LE if column.kind is Kind.NUMERIC else Op.IS
            _do(room, history, slot, Predicate(column.name, op, float(value), False))


def _value(room: Classroom, column: Column, rows: np.ndarray) -> float:
    if column.kind is Kind.NUMERIC:
        values = room.train.X[rows, room.train.schema.index(column.name)]
        low, high = float(values.min()), float(values.max())
        return st.number_input(
            "is at most",
            value=round((low + high) / 2, _DECIMALS),
            step=0.01,
            format=f"%.{_DECIMALS}f",
            key=f"own_value_{column.name}_{len(rows)}",
            width=130,
            help=f"Values here: {low:g} to {high:g}.",
        )
    last = len(column.levels) - 1
    return st.selectbox(
        "is",
        range(last + 1),
        index=last,
        format_func=label_with(range(last + 1), column.levels.__getitem__),
        key=f"own_level_{column.name}",
        width=130,
    )


def _do(room: Classroom, history: History, slot: int, predicate: Predicate) -> None:
    try:
        sketch = history.now.asking(room.problem, slot, predicate)
    except EspalierError as error:
        st.error(plain(error, 300), icon=":material/error:")
        return
    _set(room, history.then(sketch))
    # continue at the next leaf: that of the yes branch, if it may be split
    _by_table(_AT)[room.setting.recipe] = 2 * slot + 1 if depth_of(slot) + 1 < room.problem.size.max_depth else slot
    st.rerun()


def _set(room: Classroom, history: History) -> None:
    _by_table(_OWN)[room.setting.recipe] = history


def _steps(room: Classroom, history: History, slot: int) -> None:
    asks = slot in history.now.questions
    with st.container(horizontal=True, gap="small"):
        for name, label, icon, after, able in (
            ("undo", "Undo", "undo", history.undone(), bool(history.past)),
            ("redo", "Redo", "redo", history.redone(), bool(history.future)),
            ("prune", "Prune here", "content_cut", history.then(history.now.pruned(slot)), asks),
            ("start", "Start again", "restart_alt", history.then(Sketch()), bool(history.now.questions)),
        ):
            key, icon = f"own_{name}", f":material/{icon}:"
            st.button(label, icon=icon, key=key, disabled=not able, on_click=_set, args=(room, after))


def _score(room: Classroom, drawn: Drawn) -> None:
    best, trouble = answers.optimum(room, tree_key(room.setting.depth)), answers.trouble(room)
    you, greedy = (score(one, room).errors for one in (drawn.diagram, room.greedy.result))
    st.markdown(f"**{plain(verdict(you, room.setting.method.label, greedy, best), 300)}**")
    show_scores([Side("You", drawn.diagram), greedy_side(room), found_side("Optimal", best)], room)
    if trouble:
        st.error(plain(trouble, 300), icon=":material/error:")
