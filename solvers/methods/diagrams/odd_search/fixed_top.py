"""Splits fixed at given places of a diagram, each as an order of its own with a single threshold."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ....constraints.paths import same_question
from ....constraints.rules import FixedQuestion, Path, Rules
from ....problem import Op, Predicate, Problem
from ....problem.threshold_set import ThresholdSet
from ...permitted import EVERYWHERE


class FixedTop:
    """The fixed splits of a problem within `n_layers` layers, on `permitted` columns, with thresholds `within` sets.

    Attributes
    ----------
    ranks : for each that divides the rows, int32 (n_samples,), 0 on the yes side and 1 on the no side.
    trouble : the reason why a split cannot be at its place, empty if there is none.
    """

    def __init__(
        self,
        problem: Problem,
        rules: Rules,
        n_layers: int,
        permitted: Collection[int],
        within: Mapping[int, ThresholdSet],
    ) -> None:
        dataset = problem.dataset
        self._schema, self.trouble = dataset.schema, ""
        self._places: dict[Path, Predicate] = {}
        self.ranks: list[np.ndarray] = []
        self._parting: list[Predicate] = []
        self._passing: list[tuple[Predicate, bool]] = []
        for rule in sorted(rules.of(FixedQuestion), key=lambda rule: len(rule.place)):
            question, column = rule.predicate, self._schema.index(rule.predicate.column)
            words, thresholds = f"'{question.words(self._schema)}'", within.get(column, EVERYWHERE)
            other = self._places.setdefault(rule.place, question)
            if not same_question(other, question, dataset):
                self.trouble = f"{words} and '{other.words(self._schema)}' are fixed at the same node."
            elif len(rule.place) >= n_layers:
                self.trouble = f"{words} is too deep: at most {n_layers} questions are allowed on a path."
            elif column not in permitted or (question.op is Op.LE and question.operand not in thresholds):
                self.trouble = f"{words} is fixed and not allowed."
            if question in self._parting or any(question == known for known, _ in self._passing):
                continue
            yes = question.holds(self._schema, dataset.X)
            if yes.all() or not yes.any():
                self._passing.append((question, bool(yes.all())))
            else:
                self._parting.append(question)
                self.ranks.append((~yes).astype(np.int32))

    def numbered(
        self, first: int, passing: Sequence[Predicate]
    ) -> tuple[dict[int, tuple[Predicate, bool]], np.ndarray, np.ndarray]:
        """Splits by order with whether yes is low, their columns, and int64 (K, 3) as in `ConstraintArrays`.

        `first` is the number of the first order here; `passing` are splits with all rows on the yes side.
        """
        questions = [*((q, True) for q in self._parting), *((q, True) for q in passing), *self._passing]
        given = dict(enumerate(questions, start=first))
        number = {question: f for f, (question, _) in given.items()}
        at = {place: i for i, place in enumerate(self._places)}
        fixed = []
        for place, question in self._places.items():
            above = self._places[place[:-1]] if place else None
            low_is_yes = above is None or given[number[above]][1]
            side = int(bool(place) and place[-1] != low_is_yes)
            fixed.append((at[place[:-1]] if place else -1, side, number[question]))
        columns = np.array([self._schema.index(question.column) for question, _ in questions], np.int64)
        return given, columns, np.array(fixed, np.int64).reshape(len(fixed), 3)
