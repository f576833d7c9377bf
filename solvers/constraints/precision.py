"""Predictive values over all rows with a prediction: PPV and NPV."""

from collections.abc import Iterator
from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np

from ..diagram import Diagram
from ..errors import ConstraintError
from ..problem import Dataset, Problem
from .accuracy import MinimumShare, OneSide, Selected, rows_of, there_are
from .base import Constraint, Finding, PositiveClass, Proportion
from .confidence import AnswerLines, Line, describe_at_least, in_rows
from .rules import Rule, Sum
from .values import (
    Number,
    members_of,
    percent,
    positive_name,
    shown,
    weights_of,
)


class _Counts(NamedTuple):
    """The weight of correct and of wrong predictions, in integer units, and the units per row."""

    right: int
    wrong: int
    scale: int


class PredictiveValue(OneSide, MinimumShare, frozen=True):
    """Of the rows with a prediction of this side, at least a share is predicted correctly."""

    source = "Clopper and Pearson (1934) for the limit with confidence; r and A of the line: docs/confidence.md"

    who: Selected = None
    positive: PositiveClass = None

    def _prediction_words(self, dataset: Dataset) -> str:
        name = positive_name(dataset, self.positive)
        return f"the prediction '{name}'" if self.of_positive else f"another prediction than '{name}'"

    def _counts(self, dataset: Dataset, diagram: Diagram | None = None) -> _Counts:
        """The predictions of a model for the selected rows; with `None` the maximum counts."""
        weights, scale = weights_of(dataset)
        counted = members_of(dataset, self.who)
        if diagram is not None:
            counted = counted & self.side(dataset)[diagram.predict(dataset)]
        right = counted & self.among(dataset)
        return _Counts(int(weights[right].sum()), int(weights[counted & ~right].sum()), scale)

    def _lines(self, dataset: Dataset, confidence: Fraction) -> AnswerLines:
        """The lines for these rows; raises `ConstraintError` if their weights are not numbers of rows."""
        in_rows(weights_of(dataset)[0][members_of(dataset, self.who)], weights_of(dataset)[1])
        right, wrong, scale = self._counts(dataset)
        return AnswerLines(right // scale, wrong // scale, confidence)

    def _line(self, dataset: Dataset) -> Line:
        """The line that the counts must satisfy, in integer units; raises `ConstraintError` beyond 64 bits."""
        every, (up, down) = self._counts(dataset), self.share.as_integer_ratio()
        lines = None if self.confidence is None else self._lines(dataset, self.confidence)
        line = Line(up, down - up, 0) if lines is None else lines.showing(self.share)
        common, least = gcd(line.wrong, line.right), line.least * every.scale
        if max(line.wrong * every.wrong, line.right * max(every.right, least)) >= common * 2**62:
            raise ConstraintError("The weights are too fine for this share. Round the weights, or the share.")
        return Line(line.wrong // common, line.right // common, least)

    def tightened(self, done: Fraction) -> Constraint:
        """The constraint at a point of its confirmation sequence, with its confidence.

        Without confidence, hardly any model would satisfy the strictest share.
        """
        return self if self.confidence is None else self._at(done, self)

    def value(self, diagram: Diagram, dataset: Dataset) -> Fraction | None:
        """The share, `None` if no row has the prediction; or its lower confidence limit, 0 if no row has it."""
        right, wrong, scale = self._counts(dataset, diagram)
        if self.confidence is not None:
            return self._lines(dataset, self.confidence).shown(right // scale, wrong // scale)
        return Fraction(right, right + wrong) if right + wrong else None

    def step(self, dataset: Dataset) -> Number:
        """0: unknown, as it depends on the number of predictions."""
        return 0

    def binds(self, diagram: Diagram, dataset: Dataset) -> bool | None:
        """Whether one more wrong prediction would violate the constraint; `None` if it has no value."""
        right, wrong, scale = self._counts(dataset, diagram)
        known = super().binds(diagram, dataset)
        return known if known is not False else not self._line(dataset).passes(right, wrong + scale)

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The share, if it is too small."""
        right, wrong, scale = self._counts(dataset, diagram)
        if self._line(dataset).passes(right, wrong):
            return ()
        limit, value = f"the limit is {percent(self.share)}", self.value(diagram, dataset)
        if value is None or not right + wrong:
            return (f"no {rows_of(self.who)} have {self._prediction_words(dataset)}, so there is no evidence; {limit}",)
        predicted, correct = (shown(Fraction(units, scale)) for units in (right + wrong, right))
        figure = f"{percent(value)}{describe_at_least(self.confidence)}"
        rows = f"{predicted} {rows_of(self.who)} with {self._prediction_words(dataset)}"
        return (f"{self.measure} is {figure}: {correct} of {rows} are correct; {limit}",)

    def proportions(self, predicted: np.ndarray, dataset: Dataset) -> tuple[Proportion, ...]:
        """The correct ones among the predictions."""
        side = self.side(dataset)
        return (Proportion(side[dataset.y], side[predicted] & members_of(dataset, self.who)),)

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """A note that no row needs the prediction; with confidence, how many need it, and whether there are enough."""
        dataset = problem.dataset
        line = self._line(dataset)
        name = positive_name(dataset, self.positive)
        if self.confidence is None or not self.share:
            never = f"never predicts '{name}'" if self.of_positive else f"always predicts '{name}'"
            yield Finding.note(f"A model that {never} also satisfies this.")
            return
        right, wrong, scale = self._counts(dataset)
        there = there_are(right // scale, self.people(dataset))
        if right < line.least:
            most = percent(self._lines(dataset, self.confidence).shown(right // scale, 0))
            confident = f"with {percent(self.confidence)} confidence"
            yield Finding.impossible(f"{there}. Even selecting exactly these rows shows only {most} {confident}.")
        else:
            most = shown(min(wrong, line.right * (right - line.least) // line.wrong) // scale)
            select = f"The model must select at least {line.least // scale} of them; with all of them, {most} errors"
            yield Finding.note(f"{there}. {select} are allowed.")

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """One sum over the rows with the prediction."""
        dataset, line = problem.dataset, self._line(problem.dataset)
        side = self.side(dataset)
        amount = np.where(side[dataset.y], -line.right, line.wrong) * weights_of(dataset)[0]
        by_label = np.where(members_of(dataset, self.who)[:, None] & side, amount[:, None], 0)
        return (Sum(by_label, -line.right * line.least),)


class MinPPV(PredictiveValue, frozen=True):
    """Minimum positive predictive value: the share of predicted positives that are positive."""

    title = "Minimum PPV"
    formula = (
        r"\sum_{i \in G,\, \hat y_i = 1,\, y_i = 1} w_i \ge p \sum_{i \in G,\, \hat y_i = 1} w_i, \quad"
        r"\text{with confidence } \sum_{i \in G,\, \hat y_i = 1,\, y_i \ne 1} w_i \le "
        r"r \Bigl( \sum_{i \in G,\, \hat y_i = 1,\, y_i = 1} w_i - A \Bigr)"
    )
    measure, of_positive = "PPV", True


class MinNPV(PredictiveValue, frozen=True):
    """Minimum negative predictive value: the share of predicted negatives that are negative."""

    title = "Minimum NPV"
    formula = (
        r"\sum_{i \in G,\, \hat y_i \ne 1,\, y_i \ne 1} w_i \ge p \sum_{i \in G,\, \hat y_i \ne 1} w_i, \quad"
        r"\text{with confidence } \sum_{i \in G,\, \hat y_i \ne 1,\, y_i = 1} w_i \le "
        r"r \Bigl( \sum_{i \in G,\, \hat y_i \ne 1,\, y_i \ne 1} w_i - A \Bigr)"
    )
    measure, of_positive = "NPV", False
