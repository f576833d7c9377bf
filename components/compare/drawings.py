"""Two models drawn side by side; a question that both ask can be found in both."""

import streamlit as st

from components.compare.common_facts import SharedQuestion, shared_questions
from components.compare.facts import Predictions
from components.model import drawing
from components.model.diagram_view import Marks
from components.model.run_facts import pill
from components.session import state
from components.widgets import style
from components.words.text import html, labelled, plain
from solvers.diagram import NodeId
from solvers.words.shapes import size_found

_WIDTH = 640
_LETTERS = 40


def show(first: Predictions, second: Predictions) -> None:
    """Draw both; only this part of the screen is drawn again when a question is chosen."""
    st.fragment(_show, key="drawings")(first, second)


def _show(first: Predictions, second: Predictions) -> None:
    shared = shared_questions([first.diagram, second.diagram])
    key = f"question_{first.entry.key}_{second.entry.key}"
    marked = _marked(shared, key)
    for position, (column, one) in enumerate(zip(st.columns(2, gap="medium"), (first, second), strict=True)):
        with column:
            proof = pill(one.entry.model.solution, one.entry.model.exact, one.entry.model.problem)
            status = style.pill(proof.words, proof.tone)
            size = size_found(one.diagram)
            st.html(f'<b>{html(one.title)}</b> &nbsp;{status} <span class="known">&nbsp;{size}</span>')
            _draw(one, marked, shared, position, key)


def _marked(shared: tuple[SharedQuestion, ...], key: str) -> SharedQuestion | None:
    """The shared question that was chosen, here or by a click on one of its nodes."""
    if not shared:
        st.caption("The two share no question.")
        return None
    words = [question.words for question in shared]
    if state.get(key) not in words:
        state.put(key, None)
    chosen = st.pills(
        "Asked by both",
        words,
        key=key,
        format_func=lambda name: plain(labelled(words, longest=_LETTERS)(name)),
        help="Choose a question, or click a node that asks it, to see where it stands in both.",
    )
    return next((question for question in shared if question.words == chosen), None)


def _draw(
    one: Predictions, marked: SharedQuestion | None, shared: tuple[SharedQuestion, ...], position: int, key: str
) -> None:
    nodes = () if marked is None else marked.nodes[position]
    dimmed = frozenset(range(one.diagram.n_nodes)) - set(nodes) if nodes else frozenset()
    drawing.show(
        one.diagram,
        key=f"compare_{position}_{one.entry.key}",
        place="compare",
        width=_WIDTH,
        data=one.data,
        marks=Marks(dimmed=dimmed),
        on_choose=lambda node: _choose(node, shared, position, key),
    )


def _choose(node: NodeId, shared: tuple[SharedQuestion, ...], position: int, key: str) -> None:
    """Mark the question of a node in both drawings, or none where only one of them asks it."""
    chosen = next((question for question in shared if node in question.nodes[position]), None)
    state.put(key, None if chosen is None else chosen.words)
