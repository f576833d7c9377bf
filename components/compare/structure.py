"""Two models drawn side by side, with the features and splits that they share."""

from collections.abc import Sequence

import streamlit as st

from components.compare.facts import Predictions
from components.messages.text import capitalise, html, label_with, plain
from components.model import drawing
from components.model.drawing import Marks
from components.session import state
from components.widgets import style
from solvers.diagram import Diagram, NodeId
from solvers.diagram.labels import spoken
from solvers.messages.results import Tone, status_badge
from solvers.messages.shapes import size_found

_WIDTH = 640
_LETTERS = 40

SharedQuestions = dict[str, tuple[tuple[NodeId, ...], ...]]


def shared_columns(first: Diagram, second: Diagram) -> str:
    """A sentence on the features that two models share."""
    both = [name for name in first.features if name in second.features]
    only_first = [name for name in first.features if name not in both]
    only_second = [name for name in second.features if name not in both]
    if not (only_first or only_second):
        return "Both use the same features." if both else "Neither uses any feature."
    named = (
        ("both use", both),
        ("only the first uses", only_first),
        ("only the second uses", only_second),
    )
    titles = {name: one.schema[name].title for one in (first, second) for name in one.features}
    sentence = "; ".join(f"{what} {', '.join(map(titles.__getitem__, names))}" for what, names in named if names)
    return f"{capitalise(sentence)}."


def shared_questions(first: Diagram, second: Diagram) -> SharedQuestions:
    """The splits of both models as text, from the root of the first on, with the nodes of each."""
    places: list[dict[object, list[NodeId]]] = [{}, {}]
    for diagram, nodes in zip((first, second), places, strict=True):
        for number, split in diagram.splits:
            nodes.setdefault(split.predicate, []).append(number)
    predicates = {split.predicate: spoken(split.predicate, first.schema) for _, split in first.splits}
    both = {predicate: words for predicate, words in predicates.items() if predicate in places[1]}
    return {words: (tuple(places[0][one]), tuple(places[1][one])) for one, words in both.items()}


def show_pair(pair: Sequence[Predictions]) -> None:
    """Draw both, with the constraints that each violates; a click on a split redraws only this part of the screen."""
    st.fragment(_show, key="drawings")(pair)


def _show(pair: Sequence[Predictions]) -> None:
    first, second = pair
    shared = shared_questions(first.diagram, second.diagram)
    key = f"question_{first.entry.key}_{second.entry.key}"
    marked = _mark(shared, key)
    for position, (column, one) in enumerate(zip(st.columns(2, gap="medium"), pair, strict=True)):
        with column:
            proof = status_badge(one.entry.model.solution, one.entry.model.exact, one.entry.model.problem)
            status = style.pill(proof.words, proof.tone)
            if broken := "; ".join(one.violated):
                status += f" {style.pill(f'violates: {broken}', Tone.BAD)}"
            size = size_found(one.diagram)
            st.html(f'<b>{html(one.title)}</b> &nbsp;{status} <span class="known">&nbsp;{size}</span>')
            _draw(one, marked, shared, position, key)


def _mark(shared: SharedQuestions, key: str) -> str | None:
    """The selected shared split, chosen here or by a click on one of its nodes."""
    if not shared:
        st.caption("No shared splits.")
        return None
    if state.get(key) not in shared:
        state.put(key, None)
    chosen = st.pills(
        "Shared splits",
        list(shared),
        key=key,
        format_func=lambda name: plain(label_with(shared, longest=_LETTERS)(name)),
        help="Choose a split or click its node to mark it in both models.",
    )
    return chosen if chosen in shared else None


def _draw(one: Predictions, marked: str | None, shared: SharedQuestions, position: int, key: str) -> None:
    nodes = () if marked is None else shared[marked][position]
    dimmed = frozenset(range(one.diagram.n_nodes)) - set(nodes) if nodes else frozenset()
    drawing.show(
        one.diagram,
        key=f"compare_{position}_{one.entry.key}",
        place="compare",
        width=_WIDTH,
        data=one.data,
        marks=Marks(dimmed=dimmed),
        # a split that only one model has selects none
        on_choose=lambda node: state.put(
            key, next((q for q, nodes in shared.items() if node in nodes[position]), None)
        ),
    )
