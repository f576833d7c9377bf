"""The tree as a constraint model: the branch matrices of the paper, without redundant variables.

Nanfack, Temple and Frénay (2023), section 3, describe a tree by its branches: Q_ijlp is 1 if branch i has split l at
depth j and takes side p, Z relates the branches, S assigns rows to branches, H is the prediction of each branch, and R
marks misclassified rows. Here branch i of 2^K is the one with the i-th sequence of sides. This changes four things:

- Two branches share their splits down to where they diverge. So Q_ijlp is one variable `asks[slot][l]` for all branches
  through the slot at depth j with the sides p, Z is constant, and (1), (5) to (9) and (11) to (14) hold by
  construction. Exchanging branches gives no second description of a tree, so no ordering constraints are needed.
- A branch with fewer than K splits passes the empty slots on the no side (4). The branches on their yes sides are
  unused, so (10) is the count of leaves.
- Rows that no split separates are one cell (`Cases`). S is `leaf_of[cell][branch]`, and (15) and (16) use
  `yes[cell][slot]`, the side of a cell at the split of a slot: one constraint per split and slot instead of one per
  row, branch, depth, split and value.
- H is `answers[branch][label]` (17). The cost of a branch is bounded from below by that of its prediction, which
  replaces R, (19) and (20). The prediction has the lowest cost unless a constraint requires another, so (18) is not
  posted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....constraints.rules import FixedQuestion, PathCost, Pure, Sum
from ....problem import Problem
from ...cases import Cases
from ...cp_rules import RuledModel
from ...cp_sat import total
from ...permitted import tests_of
from ..slots import (
    Slot,
    above,
    branch_steps,
    branches_below,
    depth_within,
    last_yes,
    leaves_within,
    no_of,
    slot_of,
    yes_of,
)
from ..tree_of_splits import SplitTree, leaves_of
from .questions import QuestionMenu

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import IntVar, LinearExpr


class CpTreeModel(RuledModel):
    """The variables of a tree, and the constraints that make it one.

    Parameters
    ----------
    problem, cells, questions : the problem.
    pause : called while the model is built; it may raise to abort.

    Attributes
    ----------
    cp : the model of CP-SAT.
    asks : bool variables (n_slots, n_questions), Q of the paper.
    asked : bool variables (n_slots,), whether a slot has a split.
    yes : bool variables (n_cells, n_slots); false if the slot has no split.
    leaf_of : bool variables (n_cells, n_branches), S of the paper.
    used : bool variables (n_branches,), whether a branch ends in a leaf.
    answers : bool variables (n_branches, n_classes), H of the paper; none is true for an unused branch.
    cost : int variables (n_branches,), the cost of the rows of a branch.
    objective : int variable, the cost of the tree (20).
    """

    def __init__(self, problem: Problem, cells: Cases, questions: QuestionMenu, pause: Callable[[], None]) -> None:
        from ortools.sat.python.cp_model import CpModel

        self.problem, self.pause, self.columns = problem, pause, np.unique(questions.family).tolist()
        self.cells, self.questions, self.depth = cells, questions, depth_within(problem.size, len(cells))
        self.n_slots, self.n_branches, self.n_classes = 2**self.depth - 1, 2**self.depth, problem.dataset.n_classes
        self.cp = cp = CpModel()
        n_questions = questions.bits.shape[1]
        self.asks = [[cp.new_bool_var(f"asks[{s},{q}]") for q in range(n_questions)] for s in range(self.n_slots)]
        self.asked = [cp.new_bool_var(f"asked[{s}]") for s in range(self.n_slots)]
        self.yes = [[cp.new_bool_var("") for _ in range(self.n_slots)] for _ in range(len(cells))]
        self.leaf_of = [[cp.new_bool_var("") for _ in range(self.n_branches)] for _ in range(len(cells))]
        self.answers = [
            [cp.new_bool_var(f"answers[{b},{k}]") for k in range(self.n_classes)] for b in range(self.n_branches)
        ]
        ends = [last_yes(branch, self.depth) for branch in range(self.n_branches)]
        self.used = [cp.new_constant(1) if slot is None else self.asked[slot] for slot in ends]
        self.cost = self.branch_sum(cells.cost, "cost")
        self._most = int(cells.cost.max(axis=1).sum()) + self.problem.split_penalty * self.n_slots
        self.objective = cp.new_int_var(0, self._most, "objective")
        self._question_slots()
        self._ways()
        self._leaves()

    # The tree

    def _question_slots(self) -> None:
        """At most one split per slot, only below a slot that has one (2, 4), and the side of each cell."""
        cp = self.cp
        groups = [(questions, self._by_answers(questions)) for questions in map(self.questions.of_column, self.columns)]
        for slot, asks in enumerate(self.asks):
            cp.add_exactly_one([*asks, ~self.asked[slot]])
            if slot:
                cp.add_implication(self.asked[slot], self.asked[(slot - 1) // 2])
            for questions, cells_by_answers in groups:
                self._tell(slot, questions, cells_by_answers)
                self.pause()
            cp.add_bool_and([~yes[slot] for yes in self.yes]).only_enforce_if(~self.asked[slot])
        for question, place in self.questions.fixed.items():
            for slot in range(self.n_slots):
                if slot != place:
                    cp.add(self.asks[slot][question] == 0)
        cp.add(self.n_splits <= leaves_within(self.problem.size, len(self.cells)) - 1)
        cp.add(self.objective == total(self.cost) + self.problem.split_penalty * self.n_splits)

    def _by_answers(self, questions: list[int]) -> dict[tuple[bool, ...], np.ndarray]:
        """The cells by their sides at these splits."""
        answers, of_cell = np.unique(self.questions.bits[self.cells.first][:, questions], axis=0, return_inverse=True)
        of_cell = of_cell.ravel()
        return {tuple(line.tolist()): np.flatnonzero(of_cell == i) for i, line in enumerate(answers)}

    def _tell(self, slot: Slot, questions: list[int], cells: dict[tuple[bool, ...], np.ndarray]) -> None:
        """Cells on the same sides of all splits on a column share their constraints for that column."""
        for answers, members in cells.items():
            for side in (True, False):
                asks = [self.asks[slot][q] for q, answer in zip(questions, answers, strict=True) if answer is side]
                if not asks:
                    continue
                some = asks[0] if len(asks) == 1 else self.cp.new_bool_var("")
                if len(asks) > 1:
                    self.cp.add_bool_and([~chosen for chosen in asks]).only_enforce_if(~some)
                yes = [self.yes[cell][slot] for cell in members]
                self.cp.add_bool_and(yes if side else [~one for one in yes]).only_enforce_if(some)

    def _ways(self) -> None:
        """Each cell is in one branch, which takes the sides of the cell (15, 16)."""
        ways = [branch_steps(branch, self.depth) for branch in range(self.n_branches)]
        for yes, at in zip(self.yes, self.leaf_of, strict=True):
            self.cp.add_exactly_one(at)
            self.pause()
            for here, way in zip(at, ways, strict=True):
                self.cp.add_bool_and([yes[slot] if answer else ~yes[slot] for slot, answer in way]).only_enforce_if(
                    here
                )

    def _leaves(self) -> None:
        """Used branches have one prediction (17), and the minimum size of a leaf."""
        for answers, used in zip(self.answers, self.used, strict=True):
            self.cp.add_exactly_one([*answers, ~used])
        self.post_leaf_sizes(self.problem.size.min_samples_leaf, self.problem.min_weight_leaf)

    # Interface for rules

    @property
    def n_splits(self) -> LinearExpr:
        """The number of splits."""
        return total(self.asked)

    def about(self, node: Slot, *columns: int) -> LinearExpr:
        """1 if the split of a slot is on one of these columns, else 0."""
        return total(self.asks[node][question] for column in columns for question in self.questions.of_column(column))

    def on_some_path(self, node: Slot, column: int) -> list[LinearExpr]:
        """For each ancestor of a slot, whether its split is on the column."""
        return [self.about(slot, column) for slot in above(node)]

    def on_every_path(self, node: Slot, column: int) -> LinearExpr:
        """The number of ancestors of a slot with a split on the column: there is one path."""
        return total(self.on_some_path(node, column))

    def reaching(self, by_cell: np.ndarray, node: Slot) -> LinearExpr:
        """The sum of the values of cells (n_cells,) in all branches through a slot."""
        return total(self.over(by_cell, branch) for branch in branches_below(node, self.depth))

    def answers_below(self, node: Slot) -> list[list[IntVar]]:
        """By class, whether each branch below a slot predicts it."""
        return [[self.answers[b][k] for b in branches_below(node, self.depth)] for k in range(self.n_classes)]

    def leaf_sides(self, node: Slot) -> list[Any]:
        """For each child of a slot, whether it has no split."""
        below = [slot for slot in (yes_of(node), no_of(node)) if slot < self.n_slots]
        return [~self.asked[slot] for slot in below] or [self.cp.new_constant(1)]

    def rows_sum(self, rule: Sum) -> LinearExpr:
        """The sums of all branches, and the test costs of the rows at each slot that no slot above has paid."""
        paid: list[LinearExpr] = [*self.branch_sum(self.cells.total(rule.by_label), "sum")]
        weight = np.zeros(0, np.int64) if rule.test_weight is None else self.cells.total(rule.test_weight)
        most = int(weight.sum())
        for slot in range(self.n_slots if most else 0):
            rows = self.reaching(weight, slot)
            for columns, price in () if rule.tests is None else tests_of(rule.tests):
                before = total(self.about(up, *columns) for up in above(slot))
                # each ancestor has at most one split, so a test is paid first at the slot where `before` is 0
                new = self.cp.new_bool_var("")
                self.cp.add(new >= self.about(slot, *columns) - before)
                paid.append(self.cp.new_int_var(0, price * most, ""))
                self.cp.add(paid[-1] >= price * rows).only_enforce_if(new)
        return total(paid)

    def limit_paths(self, rule: PathCost) -> None:
        """Section 4.2, with every column and every group paid once."""
        for lowest in range(self.n_slots // 2, self.n_slots):
            paid = []
            for columns, price in tests_of(rule.costs):
                pays = self.cp.new_bool_var("")
                for slot in (*above(lowest), lowest):
                    self.cp.add(self.about(slot, *columns) <= pays)
                paid.append(price * pays)
            self.cp.add(total(paid) <= rule.limit)

    def fix(self, rule: FixedQuestion) -> None:
        """The slot has the fixed split, and must exist."""
        place = slot_of(rule.place)
        fixed = {(self.questions.predicates[q], at): q for q, at in self.questions.fixed.items()}
        question = fixed.get((rule.predicate, place))
        if question is None or place >= self.n_slots:
            self.cp.add_bool_or([])
        else:
            self.cp.add(self.asks[place][question] == 1)

    def keep_pure(self, rule: Pure) -> None:
        """The prediction of a branch has its share of the weight: share.denominator * held >= numerator * all."""
        for label in range(self.n_classes) if rule.label is None else (rule.label,):
            held = rule.share.denominator * self.cells.class_weight[:, label]
            short = held - rule.share.numerator * self.cells.weight
            for branch, answers in enumerate(self.answers):
                self.cp.add(self.over(short, branch) >= 0).only_enforce_if(answers[label])

    def branch_sum(self, by_label: np.ndarray, name: str) -> list[IntVar]:
        """One variable per branch, at least the sum of its cells under its prediction.

        `by_label` is int (n_cells, n_classes). The variable may exceed the sum, so it can only be used in objectives
        and upper limits.
        """
        low, high = int(np.minimum(by_label, 0).min(axis=1).sum()), int(np.maximum(by_label, 0).max(axis=1).sum())
        sums = [self.cp.new_int_var(low, high, f"{name}[{branch}]") for branch in range(self.n_branches)]
        for branch, branch_sum in enumerate(sums):
            for label, answer in enumerate(self.answers[branch]):
                self.cp.add(branch_sum >= self.over(by_label[:, label], branch)).only_enforce_if(answer)
            if low < 0:
                self.cp.add(branch_sum >= 0).only_enforce_if(~self.used[branch])
        return sums

    def bound_objective(self, low: int, high: int | None) -> None:
        """Restrict the objective to [low, high]; by default up to the cost of the costliest tree."""
        from ortools.sat.python.cp_model import Domain

        self.objective.with_domain(Domain(low, self._most if high is None else high))

    def read(self, value: Callable[[IntVar], int]) -> SplitTree:
        """The tree of a solution, with splits in place of orders; `value` returns the value of a variable."""

        def chosen(variables: list[IntVar]) -> int:
            return next(i for i, variable in enumerate(variables) if value(variable))

        splits = {slot: (chosen(asks), 0) for slot, asks in enumerate(self.asks) if value(self.asked[slot])}
        ends = {slot: branches_below(slot, self.depth)[-1] for slot in leaves_of(splits)}
        return SplitTree(splits, {slot: chosen(self.answers[branch]) for slot, branch in ends.items()})
