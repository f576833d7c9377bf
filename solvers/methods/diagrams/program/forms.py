"""Conversion between a draft by layers and slots, and the values of a model's variables."""

from dataclasses import dataclass

import numpy as np

from ...mip.thresholds import Given
from ..draft import Arc, DiagramDraft, DraftNode, Question, leaf_arc
from .network import HIGH, LOW, Network


def read(net: Network, values: np.ndarray) -> DiagramDraft | None:
    """The diagram described by the values of all variables, float64 (n_variables,).

    `None` if some row does not reach the terminal that the flows give, or if a split is not reliable.
    """
    frame, cell = net.frame, net.cases.of_row
    arcs, side_of = values[net.arcs], values[net.through[LOW]] > 0.5
    draft = DiagramDraft([{} for _ in frame.widths])
    here: dict[int, list[np.ndarray]] = {0: [np.arange(len(cell))]}
    for number, places in enumerate(frame.layers):
        for place in sorted(set(here) & set(places.tolist())):
            rows = np.sort(np.concatenate(here[place]))
            on_low = side_of[cell[rows], place]
            sides = (rows[on_low], rows[~on_low])
            chosen = net.questions.question(values, place, *sides)
            if chosen is None:
                return None
            leaving = frame.leaving(place)
            heads = [int(frame.head[leaving[arcs[side, leaving].argmax()]]) for side in (LOW, HIGH)]
            for head, passing in zip(heads, sides, strict=True):
                here.setdefault(head, []).append(passing)
            question, low_is_yes = chosen
            low, high = (_arc(net, head) for head in heads)
            yes, no = (low, high) if low_is_yes else (high, low)
            draft.layers[number][place - int(places[0])] = DraftNode(question, yes, no)
    while draft.layers and not draft.layers[-1]:
        draft.layers.pop()
    labels = values[net.ends].argmax(axis=1)[cell]
    return draft if np.array_equal(draft.predict(net.problem.dataset), labels) else None


def _arc(net: Network, head: int) -> Arc:
    """A head as an arc of a draft."""
    frame = net.frame
    if head >= frame.n_nodes:
        return leaf_arc(head - frame.n_nodes)
    return head - int(frame.layers[frame.layer[head]][0])


@dataclass
class _Placed:
    """A split at its place, the arcs of its sides and later their heads, and the values that encode it."""

    question: Question
    low_is_yes: bool
    arcs: list[Arc]
    values: Given
    heads: tuple[int, int] = (0, 0)

    def flip(self, net: Network) -> None:
        """Swap the sides."""
        self.low_is_yes, self.arcs, self.values = (
            not self.low_is_yes,
            self.arcs[::-1],
            net.questions.flip_sides(self.values),
        )


def write(net: Network, draft: DiagramDraft) -> np.ndarray | None:
    """The values of all variables for a diagram, float64 (n_variables,); `None` if the model does not contain it.

    Diagrams without splits are not in the model.
    """
    if draft.root < 0 or not draft.fits(net.frame.widths):
        return None
    rows = {(number, slot): np.concatenate((yes, no)) for number, slot, yes, no in draft.walk(net.problem.dataset)}
    placed: dict[int, _Placed] = {}
    at: dict[int, int] = {0: 0}
    for number, slots in enumerate(draft.reachable()):
        layer: dict[int, _Placed] = {}
        for slot in slots:
            node = draft.layers[number][slot]
            given = net.questions.given(at[slot], node.question, rows[number, slot])
            if given is None or node.yes == node.no:
                return None
            arcs = [node.yes, node.no] if given[1] else [node.no, node.yes]
            layer[at[slot]] = _Placed(node.question, given[1], arcs, given[0])
        at = _next_places(net, number, layer)
        placed |= layer
    return _values(net, placed)


def _next_places(net: Network, number: int, layer: dict[int, _Placed]) -> dict[int, int]:
    """The place in the next layer of each slot that arcs of a layer lead to, as symmetry breaking requires.

    Sides are swapped if (11) requires it, and heads are stored.
    """
    frame, free = net.frame, not net.questions.oriented
    for one in layer.values():
        if free and one.arcs[0] < 0 <= one.arcs[1]:
            one.flip(net)
    reached = [arc for place in sorted(layer) for arc in layer[place].arcs if arc >= 0]
    at: dict[int, int] = {}
    if reached:
        order = sorted(dict.fromkeys(reached), key=lambda slot: -reached.count(slot))
        at = {slot: int(frame.layers[number + 1][i]) for i, slot in enumerate(order)}
    for one in layer.values():
        low, high = (frame.n_nodes + ~arc if arc < 0 else at[arc] for arc in one.arcs)
        if free and low > high:
            one.flip(net)
            low, high = high, low
        one.heads = low, high
    return at


def _values(net: Network, placed: dict[int, _Placed]) -> np.ndarray:
    """All values from the splits at their places: each cell follows its path."""
    frame, schema, n = net.frame, net.problem.dataset.schema, net.n_cells
    on, used, arcs = np.zeros(frame.n_nodes), np.zeros(frame.n_classes), np.zeros(net.arcs.shape)
    through, flow, ends = np.zeros(net.through.shape), np.zeros(net.flow.shape), np.zeros(net.ends.shape)
    turns = np.zeros((n, len(frame.widths)))
    shown = net.problem.dataset.X[net.cases.first]
    at = np.zeros(n, np.int64)
    for place in sorted(placed):
        one, cells = placed[place], np.flatnonzero(at == place)
        on[place] = 1
        low = one.question.holds(schema, shown[cells]) == one.low_is_yes
        for side, passing in ((LOW, cells[low]), (HIGH, cells[~low])):
            arc = frame.arc(place, one.heads[side])
            arcs[side, arc] = 1
            through[side, passing, place] = flow[side, passing, arc] = 1
            turns[passing, frame.layer[place]] = side
            at[passing] = one.heads[side]
            if one.heads[side] >= frame.n_nodes:
                used[one.heads[side] - frame.n_nodes] = 1
    ends[np.arange(n), at - frame.n_nodes] = 1
    given = [
        (net.on, on),
        (net.used, used),
        (net.arcs, arcs),
        (net.through, through),
        (net.flow, flow),
        (net.ends, ends),
    ]
    if net.turns is not None:
        given.append((net.turns, turns))
    return net.model.complete([*given, *(pair for one in placed.values() for pair in one.values)])
