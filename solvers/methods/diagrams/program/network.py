"""The diagram and the flows of its rows: equations (1) to (12), (17) and (18) of Florio et al. (2023).

The paper has variables per sample, this model per *cell*: rows that no split distinguishes flow together.

| paper | here | |
|---|---|---|
| d_u | `on[u]` | place u has a split |
| d_v of a terminal | `used[k]` | some arc leads to the terminal of class k; the paper has 1 |
| y-_uv, y+_uv | `arcs[side, a]` | the low (0) or high (1) side of the tail of a leads to its head |
| w-_iu, w+_iu | `through[side, c, u]` | cell c passes u on this side |
| z-_iuv, z+_iuv | `flow[side, c, a]` | and takes arc a |
| w_iv | `ends[c, k]` | cell c ends at the terminal of class k |
| lambda_il | `turns[c, l]` | the side of cell c in layer l, if the form of the splits needs it |

The objective has integer costs: for each cell and class the cost above the cheapest class, and the split penalty. The
root is always on, as in the paper: there is only one diagram without splits per class, so the method tries them one by
one.

`read` and `write` convert between a draft by layers and slots and the values of all variables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np

from ....constraints.rules import Rules, TestCosts
from ....problem import Problem, Shape
from ...cases import Cases
from ...mip.cell_program import CellProgram
from ...mip.thresholds import Given
from ...permitted import tests_of
from ..draft import Arc, DiagramDraft, DraftNode, Question, leaf_arc


@dataclass(frozen=True)
class LayeredFrame:
    """The graph that contains every diagram of a skeleton, G = (V, A) of Florio et al. (2023), section 3.1.

    It has places for splits in layers, terminals, and the possible arcs between them.

    Places are numbered by layers, the root is 0; the terminal of class k has number n_nodes + k. An arc leads from a
    place to one of the next layer or to a terminal.
    """

    widths: tuple[int, ...]
    n_classes: int

    @property
    def n_nodes(self) -> int:
        """The number of places for splits."""
        return sum(self.widths)

    @property
    def n_arcs(self) -> int:
        """The number of arcs, each available to both sides of a place."""
        return sum(width * (below + self.n_classes) for width, below in pairwise((*self.widths, 0)))

    @cached_property
    def layers(self) -> tuple[np.ndarray, ...]:
        """The places of each layer, int64."""
        ends = np.cumsum((0, *self.widths))
        return tuple(np.arange(first, last) for first, last in pairwise(ends))

    @cached_property
    def layer(self) -> np.ndarray:
        """The layer of each place, int64 (n_nodes,)."""
        return np.repeat(np.arange(len(self.widths)), self.widths)

    @cached_property
    def terminals(self) -> np.ndarray:
        """The numbers of the terminals, int64 (n_classes,)."""
        return self.n_nodes + np.arange(self.n_classes)

    @cached_property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        tails, heads = [], []
        for number, places in enumerate(self.layers):
            below = self.layers[number + 1] if number + 1 < len(self.layers) else np.empty(0, np.int64)
            to = np.concatenate((below, self.terminals))
            tails.append(np.repeat(places, len(to)))
            heads.append(np.tile(to, len(places)))
        empty = [np.empty(0, np.int64)]
        return np.concatenate(tails or empty), np.concatenate(heads or empty)

    @property
    def tail(self) -> np.ndarray:
        """The tail of each arc, int64 (n_arcs,)."""
        return self._ends[0]

    @property
    def head(self) -> np.ndarray:
        """The head of each arc, int64 (n_arcs,)."""
        return self._ends[1]

    def leaving(self, place: int) -> np.ndarray:
        """The arcs that leave a place."""
        return np.flatnonzero(self.tail == place)

    def entering(self, place: int) -> np.ndarray:
        """The arcs that enter a place or terminal."""
        return np.flatnonzero(self.head == place)

    def arc(self, tail: int, head: int) -> int:
        """The arc from a tail to a head."""
        return int(np.flatnonzero((self.tail == tail) & (self.head == head))[0])

    def paths(self) -> list[list[int]]:
        """Every path from the root to a place, as its places from the root."""
        paths: list[list[int]] = []
        here = [[int(place)] for place in self.layers[0]] if self.widths else []
        for below in (*self.layers[1:], np.empty(0, np.int64)):
            paths += here
            here = [[*path, int(place)] for path in here for place in below]
        return paths


def frame_of(shape: Shape, n_classes: int) -> LayeredFrame:
    """The graph of a shape. A limit on splits narrows each layer: every layer above it needs at least one split."""
    widths = shape.layer_widths
    if shape.max_splits is not None:
        left = (shape.max_splits - layer for layer in range(len(widths)))
        widths = tuple(min(width, most) for width, most in zip(widths, left, strict=True) if most > 0)
    return LayeredFrame(widths, n_classes)


LOW, HIGH = 0, 1
"""The sides of a split: the paper's negative and positive side."""


class Separation(Protocol):
    """A form of the splits, equations (13) to (16).

    Attributes
    ----------
    oriented : whether the split determines its low side; if not, (11) determines it, and (4) and (5) must make the
        sides of rows integral.
    cases : the cells, rows that no split distinguishes.
    """

    oriented: ClassVar[bool]
    cases: Cases

    def post(self, net: Network) -> None:
        """Make the variables of the splits and tie them to the rows."""

    def asks_about(self, columns: Collection[int], place: int) -> np.ndarray:
        """Variables (1, n): one is 1 if the place splits on one of these columns.

        At most one is 1 per column.
        """

    def question(
        self, values: np.ndarray, place: int, low: np.ndarray, high: np.ndarray
    ) -> tuple[Question, bool] | None:
        """The split that the values of all variables describe at a place, and whether its yes side is the low one.

        `low` and `high` are the rows (positions) that the diagram sends to either side there. `None` if there is no
        reliable split.
        """

    def given(self, place: int, question: Question, rows: np.ndarray) -> tuple[Given, bool] | None:
        """The values that encode a split at a place, and whether its yes side is the low one.

        `None` if the form does not contain the split; `rows` are those that reach it.
        """

    def flip_sides(self, values: Given) -> Given:
        """The same split with its sides swapped; called only for forms that are not oriented."""


class Network(CellProgram):
    """The model of a problem: variables, topology, flows and objective; then the splits, and later the rules.

    Parameters
    ----------
    tree : whether there is one path to every split: the special case of trees.
    most : the largest number of splits; by default that of the problem.
    """

    def __init__(
        self,
        problem: Problem,
        rules: Rules,
        questions: Separation,
        frame: LayeredFrame,
        *,
        tree: bool,
        most: int | None = None,
    ) -> None:
        super().__init__(problem, rules, questions.cases, frame.n_nodes)
        self.questions, self.frame = questions, frame
        self._seen: dict[int, np.ndarray] = {}
        model, n, n_classes = self.model, self.n_cells, problem.dataset.n_classes
        self.on = model.variables((frame.n_nodes,), whole=True)
        self.used = model.variables((n_classes,))
        self.arcs = model.variables((2, frame.n_arcs), whole=True)
        self.through = model.variables((2, n, frame.n_nodes))
        self.flow = model.variables((2, n, frame.n_arcs))
        self.ends = model.variables((n, n_classes))
        self._topology()
        self._flows()
        self.model.charge(self.costs, self.ends)
        self.model.charge(problem.split_penalty // self.unit, self.charged)
        self._size(most)
        self._tighten()
        self.turns = None if questions.oriented else self._turns()
        questions.post(self)
        self._break_symmetry(tree)

    @property
    def charged(self) -> np.ndarray:
        """The places with a split penalty, equation (18)."""
        return self.on[1:] if self.problem.objective.free_root else self.on

    def asks_about(self, columns: Collection[int], place: int) -> np.ndarray:
        """The variables of the form of the splits."""
        return self.questions.asks_about(columns, place)

    def on_some_path(self, place: int, column: int) -> Sequence[np.ndarray]:
        """A variable that is 1 if a split above the place uses the column."""
        if column not in self._seen:
            uses = [self.asks_about({column}, v) for v in range(self.n_places)]
            seen = self.model.variables((self.n_places,), value=partial(self._spread, uses))
            for tail, head, arcs in self._links():
                for upper in (uses[tail], seen[[[tail]]]):
                    self.model.at_most([(1, upper), (1, arcs), (-1, seen[[head]])], 1)
            self._seen[column] = seen
        return [self._seen[column][[[place]]]]

    def _spread(self, uses: Sequence[np.ndarray], x: np.ndarray) -> np.ndarray:
        """For each place, 1 if a place on some path to it has one of the variables set, else 0."""
        out = np.zeros(len(uses))
        for tail, head, arcs in self._links():
            if x[arcs].sum() > 0.5:
                out[head] = max(out[head], out[tail], x[uses[tail]].sum() > 0.5)
        return out

    def paths(self) -> Iterator[tuple[Sequence[int], np.ndarray]]:
        """Every path through the skeleton, and the two arcs of each link, of which at most one is used."""
        links = {(tail, head): arcs for tail, head, arcs in self._links()}
        for path in self.frame.paths():
            yield path, np.vstack([np.empty((0, 2), np.int64), *(links[pair] for pair in pairwise(path))])

    def _links(self) -> list[tuple[int, int, np.ndarray]]:
        """Tail, head and both variables, (1, 2), of each arc between two places, by tail."""
        frame = self.frame
        inner = np.flatnonzero(frame.head < frame.n_nodes)
        return [(int(frame.tail[a]), int(frame.head[a]), self.arcs[:, a][None]) for a in inner]

    def classes_below(self, place: int) -> np.ndarray:
        """1 only if paths from the place lead to the terminal of the class."""
        return self._gives[[place]]

    @cached_property
    def _gives(self) -> np.ndarray:
        """`classes_below` of all places, int64 (n_places, n_classes): an arc hands on the classes of its head."""
        frame, model = self.frame, self.model
        inner = np.flatnonzero(frame.head < frame.n_nodes)

        def given(x: np.ndarray) -> np.ndarray:
            given = np.vstack((np.zeros((frame.n_nodes, frame.n_classes)), np.eye(frame.n_classes)))
            for place in reversed(range(frame.n_nodes)):
                taken = [a for a in frame.leaving(place) if x[self.arcs[:, a]].sum() > 0.5]
                given[place] = given[frame.head[taken]].max(axis=0, initial=0)
            return given[: frame.n_nodes]

        def handed_on(x: np.ndarray) -> np.ndarray:
            return np.asarray(x[gives][frame.head[inner]] * (x[self.arcs[:, inner]].sum(axis=0) > 0.5)[:, None])

        gives = model.variables((frame.n_nodes, frame.n_classes), value=given)
        handed = model.variables((len(inner), frame.n_classes), value=handed_on)
        for k, terminal in enumerate(frame.terminals):
            model.at_most([(1, handed[:, [k]]), (-1, self.arcs[:, inner].T)], 0)
            model.at_most([(1, handed[:, [k]]), (-1, gives[frame.head[inner], k][:, None])], 0)
            for place in range(frame.n_nodes):
                leaving = frame.leaving(place)
                ends, on = self.arcs[:, leaving[frame.head[leaving] == terminal]], handed[frame.tail[inner] == place, k]
                model.at_most([(1, gives[[place], k][None]), (-1, ends.reshape(1, -1)), (-1, on[None])], 0)
        return gives

    def splits_below(self, place: int) -> np.ndarray:
        """The arcs that lead to places."""
        leaving = self.frame.leaving(place)
        return self.arcs[:, leaving[self.frame.head[leaving] < self.n_places]].reshape(1, -1)

    def passing(self, place: int) -> np.ndarray:
        """The two sides."""
        return np.asarray(self.through[:, :, place].T)

    def asking(self, place: int) -> np.ndarray:
        """Whether it is on."""
        return np.asarray(self.on[[[place]]])

    @property
    def answers_of_cells(self) -> np.ndarray:
        """There is one terminal per class, so one branch suffices."""
        return self.ends[:, None]

    @property
    def leaves(self) -> np.ndarray:
        """The terminals in use."""
        return self.used[None]

    def in_leaves(self, cell: int) -> np.ndarray:
        """The terminals."""
        return self.ends[cell, :, None]

    def paid(self, costs: TestCosts, weight: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """A cell pays for a test if it passes a place that splits on it."""
        cells = np.flatnonzero(weight)
        terms = []
        for columns, cost in tests_of(costs):
            by_place = [self.some(columns, [place]) for place in range(self.n_places)]
            some = np.concatenate(by_place)

            def value(x: np.ndarray, some: np.ndarray = some) -> np.ndarray:
                passes = (x[self.through].sum(axis=0) > 0.5) & (x[some] > 0.5)[None]
                return np.asarray(passes.any(axis=1)[cells], float)

            paid = self.model.variables((len(cells),), value=value)
            for place, at in enumerate(by_place):
                here = np.broadcast_to(at, (len(cells), 1))
                self.model.at_most([(1, self.through[:, cells, place].T), (1, here), (-1, paid[:, None])], 1)
            terms += [(cost * int(weight[cell]), paid[[i]][None]) for i, cell in enumerate(cells)]
        return terms

    def _topology(self) -> None:
        """Equations (6) to (8): two arcs per split, to different heads, and splits only at places that arcs enter."""
        model, frame = self.model, self.frame
        model.limit(self.on[:1], low=1)
        for place in range(frame.n_nodes):
            leaving = frame.leaving(place)
            for side in (LOW, HIGH):
                model.equal([(1, self.arcs[side, leaving][None]), (-1, self.on[[place]])], 0)
            if place:
                model.at_most([(1, self.on[[place]]), (-1, self.arcs[:, frame.entering(place)].reshape(1, -1))], 0)
        there = np.concatenate((self.on, self.used))[frame.head]
        model.at_most([(1, self.arcs.T), (-1, there[:, None])], 0)
        for k, terminal in enumerate(frame.terminals):
            model.at_most([(1, self.used[[k]]), (-1, self.arcs[:, frame.entering(terminal)].reshape(1, -1))], 0)

    def _flows(self) -> None:
        """Equations (1) to (3), (9), (10) and (17)."""
        model, frame, n = self.model, self.frame, self.n_cells

        def into(place: int) -> np.ndarray:
            return self.flow[:, :, frame.entering(place)].transpose(1, 0, 2).reshape(n, -1)

        for place in range(frame.n_nodes):
            here = (1, self.through[:, :, place].T)
            model.equal([here], 1) if place == 0 else model.equal([here, (-1, into(place))], 0)
            leaving = frame.leaving(place)
            for side in (LOW, HIGH):
                model.equal([(1, self.flow[side][:, leaving]), (-1, self.through[side, :, place, None])], 0)
        for k, terminal in enumerate(frame.terminals):
            model.equal([(1, self.ends[:, [k]]), (-1, into(terminal))], 0)
        arcs = np.broadcast_to(self.arcs[:, None], self.flow.shape)
        model.at_most([(1, self.flow.reshape(-1, 1)), (-1, arcs.reshape(-1, 1))], 0)

    def _turns(self) -> np.ndarray:
        """Equations (4) and (5): in each layer a cell is on the low side of one split or on the high side of one."""
        turns = self.model.variables((self.n_cells, len(self.frame.widths)), whole=True)
        for layer, places in enumerate(self.frame.layers):
            self.model.at_most([(1, self.through[LOW][:, places]), (1, turns[:, [layer]])], 1)
            self.model.at_most([(1, self.through[HIGH][:, places]), (-1, turns[:, [layer]])], 0)
        return turns

    def _tighten(self) -> None:
        """Constraints that all diagrams satisfy but some relaxations violate; without them the bound may remain 0.

        A row ends only at a terminal in use, it passes only places with a split, and n splits distinguish at most n + 1
        classes.
        """
        model = self.model
        model.at_most([(1, self.ends.reshape(-1, 1)), (-1, np.tile(self.used, self.n_cells)[:, None])], 0)
        model.at_most([(1, self.used[None]), (-1, self.on[None])], 1)
        passing = self.through.transpose(1, 2, 0).reshape(-1, 2)
        model.at_most([(1, passing), (-1, np.tile(self.on, self.n_cells)[:, None])], 0)

    def _size(self, most: int | None) -> None:
        """Limits on the number of splits and leaves, and on the rows and weight of every leaf."""
        size, model = self.problem.size, self.model
        most = size.max_splits if most is None else most
        if most is not None:
            model.at_most([(1, self.on[None])], most)
        if size.max_leaf_nodes is not None:
            model.at_most([(1, self.used[None])], size.max_leaf_nodes)
        for per_cell, least in (
            (self.cases.rows, size.min_samples_leaf),
            (self.cases.weight, self.problem.min_weight_leaf),
        ):
            for k in range(len(self.used) if least else 0):
                model.at_most([(-per_cell[None], self.ends[None, :, k]), (least, self.used[[k]])], 0)

    def _break_symmetry(self, tree: bool) -> None:
        """Keep one of the diagrams that differ only in the numbers of their places, or in the labels of the sides."""
        frame, model = self.frame, self.model
        if tree:
            for place in range(1, frame.n_nodes):
                model.at_most([(1, self.arcs[:, frame.entering(place)].reshape(1, -1))], 1)
        if not self.questions.oriented:
            self._order_sides()
        if self.questions.oriented and len(frame.widths) > 1 and frame.widths[1] > 1:
            # the low side of the root leads to the first place of the next layer, if it leads to that layer
            model.limit(self.arcs[LOW, [frame.arc(0, 2)]], high=0)
        self._order_layers()

    def _order_sides(self) -> None:
        """Equation (11): the low side leads to the head of the smaller number."""
        for place in range(self.frame.n_nodes):
            leaving = self.frame.leaving(place)
            for i, arc in enumerate(leaving):
                self.model.at_most([(1, self.arcs[LOW, [arc]]), (1, self.arcs[HIGH, leaving[: i + 1]][None])], 1)

    def _order_layers(self) -> None:
        """Equation (12): of any two adjacent places in a layer, the second has at most as many incoming arcs."""
        frame = self.frame
        for places in frame.layers[1:]:
            for first, second in pairwise(places):
                into = [self.arcs[:, frame.entering(place)].reshape(1, -1) for place in (first, second)]
                self.model.at_most([(1, into[1]), (-1, into[0])], 0)


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
