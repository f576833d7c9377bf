"""Monotone predictions as constraints: over all conceivable inputs, not only over the rows.

Two inputs that differ in one column are separated only by a split on it, so only such splits matter. Take one branch
below the side for smaller values and one below the side for larger values. Their predictions may be in the wrong order
only if no input can reach the first and, with a larger value, the second: if the splits of both branches leave no value
of some other column, or the splits of one branch leave no value of this column except a missing one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....constraints.rules import FixedQuestion, Monotone, PathCost, Pure
from ....problem import Dataset, Op
from ... import cp_rules
from ..slots import Branch, branch_steps, branches_below, no_of, yes_of
from .formulation import CpTreeModel

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import IntVar


def post_monotone(model: CpTreeModel, rule: Monotone) -> None:
    """The predictions of branches for smaller and for larger values are never in the wrong order."""
    wrong = np.argwhere(rule.height[:, None] > rule.height).tolist()
    cases = _Cases(model, model.problem.dataset)
    others = [column for column in model.columns if column != rule.column]
    for slot in range(model.n_slots):
        sides = [branches_below(child, model.depth) for child in (yes_of(slot), no_of(slot))]
        for yes_is_low in (True, False):
            # the yes side of a threshold has the smaller values; that of a level may have either
            predicates = [
                question
                for question in model.questions.of_column(rule.column)
                if (op := model.questions.predicates[question].op) is Op.IS or (op is Op.LE and yes_is_low)
            ]
            if not predicates:
                continue
            parts = model.cp.new_bool_var("")
            for question in predicates:
                model.cp.add_implication(model.asks[slot][question], parts)
            lower, higher = sides if yes_is_low else sides[::-1]
            for low in lower:
                for high in higher:
                    excuses = [e for column in others if (e := cases.none((low, high), column)) is not None]
                    excuses += cases.never_rises(low, high, rule.column)
                    for first, second in wrong:
                        answers = [~model.answers[low][first], ~model.answers[high][second]]
                        model.cp.add_bool_or([~parts, *answers, *excuses])


class _Cases:
    """Which conceivable values of a column reach a branch, as literals."""

    def __init__(self, model: CpTreeModel, dataset: Dataset) -> None:
        self.model, self.dataset = model, dataset
        self._by_column: dict[int, tuple[np.ndarray, int]] = {}
        self._literals: dict[tuple[tuple[Branch, ...], int, tuple[int, ...]], IntVar | None] = {}

    def none(self, branches: tuple[Branch, ...], column: int, values: range | None = None) -> IntVar | None:
        """A literal that implies that none of these values (by position) satisfies the splits of all the branches.

        `None` if some value always does. By default all values, including a missing one if the column has any.
        """
        answers, _ = self._answers(column)
        wanted = tuple(range(len(answers)) if values is None else values)
        key = branches, column, wanted
        if key not in self._literals:
            self._literals[key] = self._none(branches, column, answers[list(wanted)])
        return self._literals[key]

    def never_rises(self, low: Branch, high: Branch, column: int) -> list[IntVar]:
        """Literals, each of which implies that no known value of branch `low` is below one of branch `high`.

        This holds if, for some value, all values of `low` are at least as large, and all of `high` at most as large.
        """
        _, n_known = self._answers(column)
        literals = []
        for cut in range(n_known):
            ends = ((low, range(cut)), (high, range(cut + 1, n_known)))
            sides = [(branch, values) for branch, values in ends if len(values)]
            parts = [p for branch, values in sides if (p := self.none((branch,), column, values)) is not None]
            if len(parts) == len(sides):
                literals.append(self.model.cp.new_bool_var(""))
                self.model.cp.add_bool_and(parts).only_enforce_if(literals[-1])
        return literals

    def _none(self, branches: tuple[Branch, ...], column: int, by_value: np.ndarray) -> IntVar | None:
        """Some split on the paths excludes each value; `by_value` are their sides, bool (n_values, n_questions)."""
        questions = self.model.questions.of_column(column)
        ways = {step for branch in branches for step in branch_steps(branch, self.model.depth)}
        stops = [
            [
                self.model.asks[slot][question]
                for slot, answer in ways
                for question, yes in zip(questions, answers, strict=True)
                if yes != answer
            ]
            for answers in by_value
        ]
        if not all(stops):
            return None
        literal = self.model.cp.new_bool_var("")
        for some in stops:
            self.model.cp.add_bool_or(some).only_enforce_if(literal)
        return literal

    def _answers(self, column: int) -> tuple[np.ndarray, int]:
        """The sides of the conceivable values of a column, bool (n_values, n_questions), and how many values are known.

        The known values come first, in ascending order; of numbers, there is one per interval between thresholds.
        """
        if column not in self._by_column:
            spec, x = self.dataset.schema.columns[column], self.dataset.X[:, column]
            predicates = [self.model.questions.predicates[q] for q in self.model.questions.of_column(column)]
            if spec.kind.has_levels:
                values = np.arange(len(spec.levels), dtype=float)
            else:
                ends = sorted({predicate.value for predicate in predicates if predicate.value is not None})
                values = np.array([*ends, np.inf])
            n_known = len(values)
            if np.isnan(x).any():
                values = np.append(values, np.nan)
            by_value = np.array([predicate.answer(values) for predicate in predicates], bool)
            self._by_column[column] = by_value.reshape(len(predicates), len(values)).T, n_known
        return self._by_column[column]


POST = cp_rules.POST | {
    FixedQuestion: CpTreeModel.fix,
    PathCost: CpTreeModel.limit_paths,
    Pure: CpTreeModel.keep_pure,
    Monotone: post_monotone,
}
"""The function that posts each class of rule; `refusals` rejects all other rules."""
