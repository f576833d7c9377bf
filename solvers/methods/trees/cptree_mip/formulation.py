"""CPTree's variables and the constraints that make them a tree (Nanfack, Temple and Frénay 2023, section 3, A.1).

The paper describes a tree by its branches: Q is the split of branch i at depth j and the side it takes, Z the common
part of two branches, S the branch of each row, H the prediction of a branch, R the rows it misclassifies. Any branch
may be any path, so equations (1) to (14) relate them, and every tree has one description for each numbering.

Here the branches are numbered from left to right, as the leaves of a complete tree of depth K: branch i takes the yes
side at depth j if bit j of i, from the top, is 0. This fixes Z. Two branches with the same first j bits have the same
split at depth j, and share the variable. So

- `asks[m, f]` is Q: node m has a split of family f; a node has at most one (2), and none below a node without one (4);
- (1) and (5) to (14) hold by construction, and each tree has one description;
- `ends[c, i, k]` is S and H at once: the rows of cell c end in branch i, which predicts k. Each cell ends once (15),
  follows the splits (16), and ends only in a branch with this prediction (17), (19). This makes every cost linear: (20)
  is a plain sum;
- `answers[i, k]` is H; a branch through a node without a split is used only if it takes the no side from there on.

The paper uses one threshold per node and large constants; `mip.thresholds` has a tighter form. The majority vote (18)
is not posted: it follows from the objective, and under constraints another prediction may be right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial

import numpy as np

from ....constraints.rules import (
    Allowed,
    ApartRule,
    FewColumns,
    FixedQuestion,
    Path,
    PathCost,
    PrecedenceRule,
    PrerequisiteRule,
    Rules,
    TestCosts,
    ThresholdRange,
)
from ....problem import Predicate, Problem
from ...mip import cell_program
from ...mip.cell_program import CellProgram
from ...mip.menu import Menu
from ...mip.model import Term
from ...mip.thresholds import Ladders
from ...permitted import fixed_places, tests_of
from ..slots import above, branches_below, last_yes, no_of, yes_of

BLIND = frozenset({PrecedenceRule, PathCost, Allowed, ThresholdRange, FewColumns})
"""Rules that do not depend on rows and cannot be violated by removing splits: a split that separates no rows can go."""


class Branches(CellProgram):
    """The model of a problem: variables, tree, objective; rules are posted on top of it.

    The places for splits are numbered as in a heap, see `slots`, the yes side first.

    Attributes
    ----------
    menu, depth : the permitted splits, and the depth of the complete tree; n_branches : the number of its branches.
    asks : int64 (n_places, n_families), positions of Q.
    answers : int64 (n_branches, n_classes), positions of H.
    ends : int64 (n_cells, n_branches, n_classes), positions of S and H together.
    questions : the splits of the places.
    counted : bool (n_cells, n_classes), which of `ends` are used.
    base : a solution of objective v costs `unit * v + base`.
    """

    def __init__(self, problem: Problem, rules: Rules, menu: Menu, depth: int) -> None:
        super().__init__(problem, rules, menu.cases, 2**depth - 1)
        self.menu, self.depth, self.n_branches = menu, depth, 2**depth
        n_classes = problem.dataset.n_classes
        self.questions = Ladders(self.model, menu, self.n_places)
        self.asks = self.questions.asks
        self.answers = self.model.variables((self.n_branches, n_classes), whole=True)
        self.ends = self.model.variables((menu.n_cells, self.n_branches, n_classes))
        self._tree()
        self.questions.tie(self._sides)
        self._rows()
        if not rules.kinds & {FixedQuestion, ApartRule}:
            self._answers_differ()

    def asks_about(self, columns: Collection[int], place: int) -> np.ndarray:
        """At most one variable is 1, whatever the columns are."""
        return np.asarray(self.asks[place, self.menu.of(columns)][None])

    def on_some_path(self, place: int, column: int) -> Sequence[np.ndarray]:
        """The splits of the places above; each has one inequality of its own."""
        return [self.asks_about({column}, upper) for upper in above(place)]

    def paths(self) -> Iterator[tuple[Sequence[int], np.ndarray]]:
        """The path to each place of the last level, including the place: it has all splits of its two branches."""
        for last in range(self.n_places // 2, self.n_places):
            yield (*above(last), last), np.empty((0, 1), np.int64)

    def classes_below(self, place: int) -> np.ndarray:
        """1 only if a branch below predicts the class."""
        below = self.answers[self.branches(place)].T
        classes = self.model.variables((len(below),), value=lambda x: np.asarray(x[below].max(axis=1)))
        self.model.at_most([(1, classes[:, None]), (-1, below)], 0)
        return classes[None]

    def splits_below(self, place: int) -> np.ndarray:
        """The variables of the two places below."""
        return self.asks[yes_of(place) : no_of(place) + 1].reshape(1, -1)

    def branches(self, place: int) -> np.ndarray:
        """The branches below a place, int64."""
        return np.array(branches_below(place, self.depth))

    def branch_of(self, place: int) -> int:
        """The branch that represents a leaf at this place."""
        return branches_below(place, self.depth)[-1]

    def reach(self, branches: np.ndarray) -> np.ndarray:
        """Variables, one of which is 1 if a cell ends in one of these branches, (n_cells, n)."""
        return self.ends[:, branches].reshape(self.n_cells, -1)

    def passing(self, place: int) -> np.ndarray:
        """As `reach`, for the branches below."""
        return self.reach(self.branches(place))

    def asking(self, place: int) -> np.ndarray:
        """The variables of the families."""
        return self.asks[[place]]

    @property
    def answers_of_cells(self) -> np.ndarray:
        """S and H together."""
        return self.ends

    @property
    def leaves(self) -> np.ndarray:
        """Each used branch predicts one class."""
        return self.answers.reshape(1, -1)

    def in_leaves(self, cell: int) -> np.ndarray:
        """The variables of the branches, with any prediction."""
        return np.asarray(self.ends[cell])

    def paid(self, costs: TestCosts, weight: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """N of section 4.3: a test is paid at a place that uses it if no place above does.

        The rows that pass the place pay for it. For each test and place: paid >= weight of the cells that pass -
        everything * (1 - first use here).
        """
        everything = int(weight.sum())
        terms = []
        for columns, cost in tests_of(costs):
            for place in range(self.n_places):
                here, passing = self.asks_about(columns, place), self.passing(place).reshape(1, -1)
                upper = np.concatenate([self.asks_about(columns, m)[0] for m in above(place)] or [here[0, :0]])[None]
                factor = np.repeat(weight, passing.size // len(weight))[None]
                paid = self.model.variables(
                    (1,), high=float(everything), value=partial(_paid_first, here, upper, passing, factor)
                )
                terms_here: list[Term] = [(factor, passing), (everything, here), (-everything, upper), (-1, paid[None])]
                self.model.at_most(terms_here, everything)
                terms.append((cost, paid[None]))
        return terms

    def _sides(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        """The variables, one of which is 1 if a cell passes a place to the yes side, and to the no side."""
        yes, no = np.split(self.branches(place), 2)
        return self.reach(yes), self.reach(no)

    def _tree(self) -> None:
        model, asks = self.model, self.asks
        if self.n_places:
            model.at_most([(1, asks)], 1)
        if self.n_places > 1:
            below = np.arange(1, self.n_places)
            model.at_most([(1, asks[below]), (-1, asks[(below - 1) // 2])], 0)
        if self.problem.size.max_leaf_nodes is not None:
            model.at_most([(1, asks.reshape(1, -1))], self.problem.size.max_leaf_nodes - 1)
        for i in range(self.n_branches):
            gate = last_yes(i, self.depth)
            if gate is None:
                model.equal([(1, self.answers[[i]])], 1)
            else:
                model.equal([(1, self.answers[[i]]), (-1, asks[[gate]])], 0)

    def _rows(self) -> None:
        """Every row ends in one branch and gets its prediction, (15), (17), (19), at its cost, (20).

        If no rule refers to the positions of rows, it is enough to know which rows end in a branch whose prediction
        costs less than the costliest one: all other rows end nowhere. For two classes this halves the variables.
        """
        size, worst = self.problem.size, self.costs.max(axis=1)
        everywhere = bool(self.rules.kinds - BLIND) or size.min_samples_leaf > 1 or self.problem.min_weight_leaf > 1
        self.counted = np.full(self.costs.shape, True) if everywhere else self.costs < worst[:, None]
        self.base = self.least + self.unit * (0 if everywhere else int(worst.sum()))
        price = self.costs if everywhere else self.costs - worst[:, None]
        self.model.charge(np.broadcast_to(price[:, None], self.ends.shape), self.ends)
        self.model.charge(self.problem.split_penalty // self.unit, self.asks)
        cell, label = np.nonzero(~self.counted)
        self.model.limit(self.ends[cell, :, label], high=0)
        if everywhere:
            self.model.equal([(1, self.ends.reshape(len(self.ends), -1))], 1)
        cell, label = np.nonzero(self.counted)
        ends, answers = self.ends[cell, :, label], self.answers[:, label].T
        self.model.at_most([(1, ends.reshape(-1, 1)), (-1, answers.reshape(-1, 1))], 0)
        if everywhere:
            self._leaf_size(self.cases.rows, max(1, size.min_samples_leaf))
            self._leaf_size(self.cases.weight, self.problem.min_weight_leaf)

    def _leaf_size(self, per_cell: np.ndarray, least: int) -> None:
        """Every leaf has at least this sum (section 4.4)."""
        for i in range(self.n_branches if least else 0):
            held: Term = (np.repeat(-per_cell, self.ends.shape[2])[None], self.ends[:, i].reshape(1, -1))
            self.model.at_most([held, (least, self.answers[[i]])], 0)

    def _answers_differ(self) -> None:
        """No split is useless: two leaves with the same parent have different predictions.

        Two leaves of one prediction could be merged: this raises no cost and violates no rule, except fixed splits and
        cannot-link rules. So this is not posted with those.
        """
        for place in range(self.n_places):
            sides = yes_of(place), no_of(place)
            pair = self.answers[[self.branch_of(side) for side in sides]]
            below = self.asks[[side for side in sides if side < self.n_places]].reshape(1, -1)
            self.model.at_most([(1, pair.T), (-1, below)], 1)

    def only_below(self, rule: PrerequisiteRule) -> None:
        """The stronger order of section 4.1: a node splits on the column only if a node above splits on `upper`."""
        for place in range(self.n_places):
            upper = [(-1, at) for at in self.on_some_path(place, rule.upper)]
            self.model.at_most([(1, self.asks_about({rule.column}, place)), *upper], 0)

    @cached_property
    def _fixed(self) -> tuple[dict[Path, Predicate], str]:
        return fixed_places(self.rules, self.problem.dataset)

    def fix(self, rule: FixedQuestion) -> None:
        """This place has this split, or one with the same training rows on each side."""
        node, places = self.place_of(rule), self.menu.places(rule.predicate)
        if node >= self.n_places or not places or self._fixed[1]:
            self.model.never()
            return
        self.questions.fix(node, places[0][:2])

    def place_of(self, rule: FixedQuestion) -> int:
        """The place of a fixed split. The low ranks come first; its path follows the yes sides of the splits above."""
        fixed, node = self._fixed[0], 0
        for depth, answer in enumerate(rule.place):
            upper = fixed.get(rule.place[:depth])
            places = () if upper is None else self.menu.places(upper)
            low_is_yes = places[0][2] if places else True
            node = yes_of(node) if answer == low_is_yes else no_of(node)
        return node


POSTS = cell_program.POSTS | {PrerequisiteRule: Branches.only_below, FixedQuestion: Branches.fix}
"""The function that posts each class of rule: in a tree, one path leads to each place."""


def _paid_first(
    here: np.ndarray, upper: np.ndarray, passing: np.ndarray, factor: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """The value of `paid` at a place, from the values of all variables; 0 unless the test is first used here."""
    first = x[here].sum() > 0.5 and x[upper].sum() < 0.5
    return np.array([(factor * x[passing]).sum() if first else 0.0])
