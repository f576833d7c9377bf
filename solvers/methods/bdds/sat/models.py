"""The models BDD1 and BDD2: an order of H questions and a truth table of 2^H cells, as clauses.

With a[i, r] for 'question r is the i-th' and c[j] for 'cell j answers the second class' (Hu, Huguet and Siala 2022):

    sum_i a[i, r] <= 1                  no question twice                                     (1)
    sum_r a[i, r] = 1                   one question a level                                  (2)
    some c[j] != c[j + 2^(H-1)]         the table is a bead: the first question matters       (3)
    BDD1: row q wants an answer that cell j does not give
          -> some a[i, r] with rel(i, j) != bit(r, q)                                         (5) (6)
    BDD2: a[i, r] -> d[i, q] = bit(r, q)                                                      (7)
          d[., q] lead to cell j -> cell j gives an answer that row q wants                   (8) (9)

With more than two classes a cell has a variable a class, exactly one of them true. The clauses of (5), (6), (8) and (9)
are hard, or soft with the price of the wrong answer. A row falls into one cell, so of its clauses at most one fails,
and one selector serves them all.

In the paper any order is a model: H! of them say the same. With `OrderPolicy.TABLE` the questions come in the order
of the table instead of (1), and (3) becomes 'not all cells give the same answer': any question that matters could be
first.
Neither excludes anything but a single answer for all rows, which needs no search.
"""

from collections.abc import Callable
from enum import StrEnum

import numpy as np

from ....diagram import Diagram
from ....problem import Problem
from ...sat.formula import EncodingSize, Formula, go_on, parts, paths
from ...sat.rows import ClassDemands, DistinctRows
from ..table import Unseen, bdd_of


class BddEncoding(StrEnum):
    """How the rows are tied to the cells."""

    BDD1 = "bdd1"
    BDD2 = "bdd2"


class OrderPolicy(StrEnum):
    """In which order the chosen questions may come."""

    TABLE = "table"
    ANY = "any"


MOST_LEVELS = 12
"""A formula has 2^H clauses a row; at 12 levels the table alone has 4,096 cells."""


class Answers:
    """The variables that say what cells or leaves answer.

    Attributes
    ----------
    classes : int64 (n_classes,), the classes that may be answered, at least two.
    literal : int32 (n_cells, n_classes), true where the cell answers the class.
    """

    def __init__(self, formula: Formula, n_cells: int, classes: np.ndarray) -> None:
        self.classes = classes
        if len(classes) == 2:
            second = formula.variables(n_cells)
            self.literal = np.column_stack([-second, second])
            return
        self.literal = formula.variables(n_cells, len(classes))
        formula.add(self.literal)
        for k in range(len(classes)):
            for other in range(k):
                formula.add(-self.literal[:, [other, k]])

    def read(self, true: np.ndarray) -> np.ndarray:
        """The class of each cell, int64 (n_cells,), of an assignment bool (n_variables + 1,)."""
        holds = true[np.abs(self.literal)] == (self.literal > 0)
        return np.asarray(self.classes[holds.argmax(axis=1)])

    def post(
        self,
        formula: Formula,
        demands: ClassDemands,
        selectors: np.ndarray | None,
        elsewhere: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        """Let each cell that a row comes to give an answer that the row wants.

        `elsewhere` gives the literals of 'the row does not come here', int32 (n, n_cells, k), of some demands.
        """
        for group, literal in self.groups(demands):
            for part in parts(len(group), len(literal) * len(literal).bit_length() + literal.size):
                which = group[part]
                wanted = np.broadcast_to(literal, (len(which), *literal.shape))
                clauses = np.concatenate([elsewhere(which), wanted], axis=2)
                by_cell = None if selectors is None else np.repeat(selectors[which], len(literal))
                formula.add(clauses.reshape(-1, clauses.shape[2]), by_cell)

    def groups(self, demands: ClassDemands) -> list[tuple[np.ndarray, np.ndarray]]:
        """Demands that want the same: their positions, int64, and what a cell must hold, int32 (n_cells, n_wanted)."""
        patterns, which = np.unique(demands.wanted, axis=0, return_inverse=True)
        return [(np.flatnonzero(which.ravel() == g), self.literal[:, wanted]) for g, wanted in enumerate(patterns)]


def answers_of_rows(formula: Formula, asks: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """New variables for what rows answer at each place, int32 (n_places, n_rows).

    `asks`, int32 (n_places, n_columns), says which question stands there, and `bits`, bool (n_rows, n_columns), what
    the rows answer to it.
    """
    d = formula.variables(len(asks), len(bits))
    for a, yes in zip(asks, d, strict=True):
        answer = np.where(bits.T, yes, -yes)
        formula.add(np.stack([np.broadcast_to(-a[:, None], answer.shape), answer], axis=-1).reshape(-1, 2))
    return d


def post_order(formula: Formula, a: np.ndarray, order: OrderPolicy) -> None:
    """Post (1) and (2) for a[i, r], int32 (depth, n_columns)."""
    formula.add(a)
    taken = formula.at_most_one(a)
    if order is OrderPolicy.ANY:
        formula.at_most_one(a.T)
    elif taken is not None and len(a) > 1:
        # taken[i, r] excludes all questions after r, so it says that the i-th is one of the first r + 1
        formula.add(-a[1:, :1])
        formula.add(np.stack([-a[1:, 1:], taken[:-1]], axis=-1).reshape(-1, 2))


class BddModel:
    """A formula whose models are BDDs of a given number of questions.

    Attributes
    ----------
    formula : the clauses.
    order : int32 (depth, n_columns), a[i, r].
    answers : the truth table.
    """

    def __init__(
        self,
        rows: DistinctRows,
        depth: int,
        encoding: BddEncoding,
        order: OrderPolicy,
        *,
        soft: bool,
        pause: Callable[[], None] = go_on,
    ) -> None:
        """Write the clauses.

        Parameters
        ----------
        rows : what is asked; at least `depth` columns and two classes.
        depth : the number of questions, at least 1.
        soft : whether wrong answers have a price; else every row gets a class of least cost.
        pause : is called now and then, and raises where the work has to end.
        """
        self.rows, self.depth = rows, depth
        self.formula = Formula(pause)
        self.order = self.formula.variables(depth, len(rows.columns))
        self.answers = Answers(self.formula, 2**depth, rows.classes)
        post_order(self.formula, self.order, order)
        self._different(order)
        demands = rows.demands if soft else rows.strict
        selectors = self.formula.selectors(demands.price) if soft else None
        (self._bdd1 if encoding is BddEncoding.BDD1 else self._bdd2)(demands, selectors)

    def _different(self, order: OrderPolicy) -> None:
        """Post (3)."""
        literal = self.answers.literal
        if order is OrderPolicy.TABLE:
            self.formula.add(-literal.T)
            return
        low, high = np.split(literal, 2)
        differ = self.formula.variables(len(low))
        self.formula.add(differ)
        both = np.stack([np.broadcast_to(-differ[:, None], low.shape), -low, -high], axis=-1)
        self.formula.add(both.reshape(-1, 3))

    def _bdd1(self, demands: ClassDemands, selectors: np.ndarray | None) -> None:
        """Post (5) and (6)."""
        unlike = {bit: paths(self.depth)[:, :, None] != bit for bit in (False, True)}
        for which, literal in self.answers.groups(demands):
            for demand in which.tolist():
                bits = self.rows.bits[demands.row[demand]]
                escapes = np.where(bits, unlike[True], unlike[False]).reshape(len(literal), -1)
                parts = [np.broadcast_to(self.order.ravel(), escapes.shape), literal]
                present = [escapes, np.ones(literal.shape, bool)]
                if selectors is not None:
                    parts.append(np.full((len(literal), 1), selectors[demand]))
                    present.append(np.ones((len(literal), 1), bool))
                chosen = np.column_stack(present)
                self.formula.add_ragged(np.column_stack(parts)[chosen], chosen.sum(axis=1), soft=selectors is not None)

    def _bdd2(self, demands: ClassDemands, selectors: np.ndarray | None) -> None:
        """Post (7), (8) and (9)."""
        demanded, place = np.unique(demands.row, return_inverse=True)
        d = answers_of_rows(self.formula, self.order, self.rows.bits[demanded])
        leads = np.where(paths(self.depth), -1, 1).astype(np.int32)
        self.answers.post(self.formula, demands, selectors, lambda which: d.T[place[which], None, :] * leads)

    def chosen(self, true: np.ndarray) -> np.ndarray:
        """The questions of an assignment bool (n_variables + 1,) in their order, int64 (depth,) columns of the rows."""
        return np.asarray(true[self.order].argmax(axis=1))

    def cost(self, true: np.ndarray) -> int:
        """What the best table for the questions of an assignment costs."""
        bits = self.rows.bits[:, self.chosen(true)]
        return self.rows.cost_of(bits @ (1 << np.arange(self.depth - 1, -1, -1)), 2**self.depth)

    def diagram(self, problem: Problem, true: np.ndarray, unseen: Unseen) -> Diagram:
        """The BDD of the questions of an assignment, with the best answers for the rows."""
        return bdd_of(problem, self.rows.questions(self.chosen(true)), unseen, self.answers.read(true))


def size_of(n_rows: int, n_columns: int, depth: int, encoding: BddEncoding) -> EncodingSize:
    """The size of a model for two classes in closed form (propositions 2 and 3), where all rows want one of them."""
    n_cells = 2**depth
    counters = [(depth, n_columns), (n_columns, depth)]
    variables = depth * n_columns + n_cells + n_cells // 2 + sum(g * (n - 1) for g, n in counters)
    binary = sum(g * (3 * n - 4) for g, n in counters if n > 1)
    clauses = depth + binary + 1 + n_cells
    literals = depth * n_columns + 2 * binary + n_cells // 2 + 3 * n_cells
    if encoding is BddEncoding.BDD1:
        # over all cells, each question escapes as often from the one answer as from the other
        tied, used, more = n_rows * n_cells, n_rows * (n_cells // 2 * depth * n_columns + n_cells), 0
    else:
        tied = n_rows * (depth * n_columns + n_cells)
        used, more = n_rows * (2 * depth * n_columns + n_cells * (depth + 1)), depth * n_rows
    return EncodingSize(variables + more, clauses + tied, n_rows * n_cells, literals + used)
