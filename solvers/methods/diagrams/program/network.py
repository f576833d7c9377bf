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
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np

from ....constraints.rules import Rules, TestCosts
from ....problem import Problem
from ...cases import Cases
from ...mip.cell_program import CellProgram
from ...mip.thresholds import Given
from ...permitted import tests_of
from ..draft import Question
from .frame import LayeredFrame

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

    def some(self, columns: Collection[int], places: Collection[int]) -> np.ndarray:
        """A place may split on several of the columns, so each variable bounds the new one separately."""
        at = np.concatenate([self.asks_about(columns, place)[0] for place in places] or [np.empty(0, np.int64)])
        some = self.model.variables((1,), value=lambda x: np.array([float(x[at].sum() > 0.5)]))
        self.model.at_most([(1, at[:, None]), (-1, np.broadcast_to(some, (len(at), 1)))], 0)
        return some

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
