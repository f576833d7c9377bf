"""A set of H splits in table order, and a truth table of 2^H cells, as clauses.

With a[i, r] for 'split r is the i-th', c[j] for 'cell j predicts the second class', and d[i, q] for 'row q satisfies
the i-th split' (model BDD2 of Hu, Huguet and Siala 2022):

    sum_r a[i, r] = 1                   one split per level                                   (2)
    a[i + 1, r] -> the i-th is before r the splits are in table order
    not all c[j] are the same           a constant table needs no search
    a[i, r] -> d[i, q] = bit(r, q)                                                            (7)
    d[., q] lead to cell j -> cell j predicts a class that row q demands                      (8) (9)

With more than two classes a cell has one variable per class, exactly one of them true. The clauses of (8) and (9) are
hard, or soft with the cost of the wrong class. A row falls into one cell, so at most one of its clauses fails, and one
selector serves them all.

In the paper any order is a model, so each diagram occurs H! times. Here each set of splits has one order, and condition
(3) of the paper, that the first split matters, becomes 'the table is not constant'.
"""

from collections.abc import Callable

import numpy as np

from ....diagram import Diagram
from ....problem import Problem
from ...features import Features
from ...sat.demands import ClassDemands
from ...sat.formula import EncodingSize, Formula, go_on, parts, paths
from ..table import Unseen, bdd_of


class Answers:
    """The variables for the predictions of cells or leaves.

    Attributes
    ----------
    classes : int64 (n_classes,), the classes that may be predicted, at least two.
    literal : int32 (n_cells, n_classes), true if the cell predicts the class.
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
        """The class of each cell, int64 (n_cells,), from an assignment bool (n_variables + 1,)."""
        holds = true[np.abs(self.literal)] == (self.literal > 0)
        return np.asarray(self.classes[holds.argmax(axis=1)])

    def post(
        self,
        formula: Formula,
        demands: ClassDemands,
        selectors: np.ndarray | None,
        elsewhere: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        """Require each cell that a row reaches to predict a class that the row demands.

        `elsewhere` gives the literals of 'the row does not reach this cell', int32 (n, n_cells, k), for some demands.
        """
        patterns, which = np.unique(demands.wanted, axis=0, return_inverse=True)
        for g, classes in enumerate(patterns):
            group, literal = np.flatnonzero(which.ravel() == g), self.literal[:, classes]
            for part in parts(len(group), len(literal) * len(literal).bit_length() + literal.size):
                chosen = group[part]
                wanted = np.broadcast_to(literal, (len(chosen), *literal.shape))
                clauses = np.concatenate([elsewhere(chosen), wanted], axis=2)
                by_cell = None if selectors is None else np.repeat(selectors[chosen], len(literal))
                formula.add(clauses.reshape(-1, clauses.shape[2]), by_cell)


def answers_of_rows(formula: Formula, asks: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """New variables for the split results of rows at each place, int32 (n_places, n_rows).

    `asks`, int32 (n_places, n_features), has the variables for the split at each place, and `bits`, uint8 (n_rows,
    n_features), the results of the rows.
    """
    d = formula.variables(len(asks), len(bits))
    for a, yes in zip(asks, d, strict=True):
        answer = np.where(bits.T, yes, -yes)
        formula.add(np.stack([np.broadcast_to(-a[:, None], answer.shape), answer], axis=-1).reshape(-1, 2))
    return d


class BddModel:
    """A formula whose models are BDDs with a given number of splits.

    Attributes
    ----------
    formula : the clauses.
    order : int32 (depth, n_features), a[i, r].
    answers : the truth table.
    """

    def __init__(self, features: Features, depth: int, *, soft: bool, pause: Callable[[], None] = go_on) -> None:
        """Write the clauses.

        Parameters
        ----------
        features : the candidate splits and the distinct rows; at least `depth` features and two useful classes.
        depth : the number of splits, at least 1.
        soft : whether wrong classes have a cost; if not, every row gets a class of least cost.
        pause : called regularly; raises if the search has to end.
        """
        self.features, self.depth = features, depth
        self.formula = Formula(pause)
        self.order = self.formula.variables(depth, len(features))
        self.answers = Answers(self.formula, 2**depth, features.cases.useful_classes)
        self._post_order()
        self.formula.add(-self.answers.literal.T)
        demands = ClassDemands.soft(features.cases) if soft else ClassDemands.hard(features.cases)
        selectors = self.formula.selectors(demands.price) if soft else None
        demanding, place = np.unique(demands.row, return_inverse=True)
        d = answers_of_rows(self.formula, self.order, features.rows[demanding])
        leads = np.where(paths(depth), -1, 1).astype(np.int32)
        self.answers.post(self.formula, demands, selectors, lambda which: d.T[place[which], None, :] * leads)

    def _post_order(self) -> None:
        """Post (2) and the table order of the splits."""
        formula, a = self.formula, self.order
        formula.add(a)
        taken = formula.at_most_one(a)
        if taken is not None and len(a) > 1:
            # taken[i, r] excludes all splits after r, so the i-th is one of the first r + 1
            formula.add(-a[1:, :1])
            formula.add(np.stack([-a[1:, 1:], taken[:-1]], axis=-1).reshape(-1, 2))

    def chosen(self, true: np.ndarray) -> np.ndarray:
        """The splits of an assignment bool (n_variables + 1,) in order, int64 (depth,) features."""
        return np.asarray(true[self.order].argmax(axis=1))

    def cost(self, true: np.ndarray) -> int:
        """The cost of the best table for the splits of an assignment."""
        bits = self.features.rows[:, self.chosen(true)]
        return self.features.cases.cost_by_cell(bits @ (1 << np.arange(self.depth - 1, -1, -1)), 2**self.depth)

    def diagram(self, problem: Problem, true: np.ndarray, unseen: Unseen) -> Diagram:
        """The BDD of the splits of an assignment, with the best classes for the rows."""
        questions = [self.features.predicates[f] for f in self.chosen(true)]
        return bdd_of(problem, questions, unseen, self.answers.read(true))


def size_of(n_rows: int, n_features: int, depth: int) -> EncodingSize:
    """The size of a model for two classes in closed form, if every row demands one of them."""
    n_cells = 2**depth
    counted = depth * (3 * n_features - 4) if n_features > 1 else 0
    ordered = (depth - 1) * (n_features - 1)
    variables = depth * (2 * n_features - 1) + n_cells + depth * n_rows
    clauses = depth + counted + (depth - 1) + ordered + 2 + n_rows * (depth * n_features + n_cells)
    literals = depth * n_features + 2 * counted + (depth - 1) + 2 * ordered + 2 * n_cells
    literals += n_rows * (2 * depth * n_features + n_cells * (depth + 1))
    return EncodingSize(variables, clauses, n_rows * n_cells, literals)
