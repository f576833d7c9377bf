"""How often an answer is right: the predictive value over all rows that get it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np

from ..diagram import Diagram
from ..errors import ConstraintError
from ..problem import Dataset, Problem
from ..problem.texts import plural
from .accuracy import OF_WHOM, rows_of
from .base import (
    Constraint,
    Finding,
    Proportion,
    Topic,
    confidence_field,
    parameter,
)
from .confidence import AnswerLines, Line, at_least_words, in_rows, with_confidence
from .fields import FieldType
from .rules import Rule, Sum
from .values import (
    Number,
    Who,
    members_of,
    percent,
    positive_class,
    positive_name,
    shown,
    weights_of,
)

_POSITIVE = "Leave it empty for the positive class of the data (PPV); the other class makes it the NPV."
_CONFIDENCE = (
    "Leave it empty to ask it of these rows alone; then it also holds where nobody gets the answer. With 95 %, so many "
    "more must be right that the share is at least as large with 95 % confidence (exact binomial limit, or a few rows "
    "stricter) for a model given in advance; one that is chosen for it keeps it less often on new rows, so look at "
    "held-out rows."
)


class _Counts(NamedTuple):
    """The weight of right and of wrong answers, in whole units, and how many of these a row has."""

    right: int
    wrong: int
    scale: int


@dataclass(frozen=True)
class MinPrecision(Constraint):
    """An answer is right for at least a share of the rows that get it."""

    kind = "min-precision"
    title = "Predictive value (PPV, NPV)"
    summary = "Of all who get an answer at least this share have it: the PPV of the positive one, the NPV of the other."
    formula = (
        r"\sum_{i \in G,\, \hat y_i = k,\, y_i = k} w_i \ge p \sum_{i \in G,\, \hat y_i = k} w_i, \quad"
        r"\text{with confidence } \sum_{i \in G,\, \hat y_i = k,\, y_i \ne k} w_i \le "
        r"r \Bigl( \sum_{i \in G,\, \hat y_i = k,\, y_i = k} w_i - A \Bigr)"
    )
    source = "Clopper and Pearson (1934) for the limit with confidence; r and A of the line: docs/confidence.md"
    topic = Topic.FOUND
    sees_answers = True
    limited_by = "share"
    rising_eases = False

    share: Fraction = parameter(FieldType.SHARE, "Right at least", unit="%", low=0, high=1)
    confidence: Fraction | None = confidence_field(_CONFIDENCE)
    who: Who | None = parameter(FieldType.WHO, "Of whom", OF_WHOM, default=None)
    positive: str | None = parameter(FieldType.CLASS, "For the answer", _POSITIVE, default=None)

    def words(self, dataset: Dataset | None = None) -> str:
        """'the answer 'yes' is right for at least 80 % of the rows that get it'."""
        words = (
            f"{self._answer(dataset)} is right for at least {percent(self.share)} of the {rows_of(self.who)} "
            "that get it"
        )
        return with_confidence(words, self.confidence)

    def _answer(self, dataset: Dataset | None) -> str:
        name = self.positive if dataset is None else positive_name(dataset, self.positive)
        return f"the answer '{name}'" if name else "the positive answer"

    def _counts(self, dataset: Dataset, diagram: Diagram | None = None) -> _Counts:
        """The answers of a model to those who are meant, or with `None` all that there can be."""
        weights, scale = weights_of(dataset)
        answer, counted = positive_class(dataset, self.positive), members_of(dataset, self.who)
        if diagram is not None:
            counted = counted & (diagram.predict(dataset) == answer)
        right = counted & (dataset.y == answer)
        return _Counts(int(weights[right].sum()), int(weights[counted & ~right].sum()), scale)

    def _lines(self, dataset: Dataset, confidence: Fraction) -> AnswerLines:
        """The lines for these rows; raises `ConstraintError` where their weights are no rows."""
        in_rows(weights_of(dataset)[0][members_of(dataset, self.who)], weights_of(dataset)[1])
        right, wrong, scale = self._counts(dataset)
        return AnswerLines(right // scale, wrong // scale, confidence)

    def _line(self, dataset: Dataset) -> Line:
        """What right and wrong answers must keep, in whole units; raises `ConstraintError` beyond 64 bits."""
        every, (up, down) = self._counts(dataset), self.share.as_integer_ratio()
        lines = None if self.confidence is None else self._lines(dataset, self.confidence)
        line = Line(up, down - up, 0) if lines is None else lines.showing(self.share)
        common, least = gcd(line.wrong, line.right), line.least * every.scale
        if max(line.wrong * every.wrong, line.right * max(every.right, least)) >= common * 2**62:
            raise ConstraintError("The weights are too fine for this share. Round the weights, or the share.")
        return Line(line.wrong // common, line.right // common, least)

    def tightened(self, done: Fraction) -> Constraint:
        """It keeps its confidence there: the strictest share of these rows alone is right for hardly anyone."""
        return self if self.confidence is None else self._at(done, self)

    def value(self, diagram: Diagram, dataset: Dataset) -> Fraction | None:
        """The share, `None` where nobody gets the answer; or what it is at least with confidence, 0 for nobody."""
        right, wrong, scale = self._counts(dataset, diagram)
        if self.confidence is not None:
            return self._lines(dataset, self.confidence).shown(right // scale, wrong // scale)
        return Fraction(right, right + wrong) if right + wrong else None

    def step(self, dataset: Dataset) -> Number:
        """Not known: it depends on how many get the answer."""
        return 0

    def binds(self, diagram: Diagram, dataset: Dataset) -> bool | None:
        """Whether one more row with the wrong answer would break it; `None` where there is no figure."""
        right, wrong, scale = self._counts(dataset, diagram)
        known = super().binds(diagram, dataset)
        return known if known is not False else not self._line(dataset).passes(right, wrong + scale)

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The share, where it is too small."""
        right, wrong, scale = self._counts(dataset, diagram)
        if self._line(dataset).passes(right, wrong):
            return ()
        limit, value = f"at least {percent(self.share)} was asked for", self.value(diagram, dataset)
        if value is None or not right + wrong:
            return (f"no {rows_of(self.who)} get {self._answer(dataset)}, which shows nothing; {limit}",)
        called, found = (shown(Fraction(units, scale)) for units in (right + wrong, right))
        figure = f"{percent(value)}{at_least_words(self.confidence)}"
        return (f"{self._answer(dataset)} is right for {found} of {called} {rows_of(self.who)} ({figure}); {limit}",)

    def proportions(self, predicted: np.ndarray, dataset: Dataset) -> tuple[Proportion, ...]:
        """The right ones of those who get the answer."""
        answer = positive_class(dataset, self.positive)
        return (Proportion(dataset.y == answer, (predicted == answer) & members_of(dataset, self.who)),)

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """That nobody need get the answer; with confidence, how many must, and whether there are enough."""
        dataset = problem.dataset
        line, name = self._line(dataset), positive_name(dataset, self.positive)
        if self.confidence is None or not self.share:
            yield Finding.note(f"A model that never answers '{name}' keeps this, too.")
            return
        right, wrong, scale = self._counts(dataset)
        who = "" if self.who is None else f" and {self.who.words()}"
        there = f"The table has {plural(right // scale, 'row')} with {dataset.outcome} = {name}{who}"
        if right < line.least:
            most = percent(self._lines(dataset, self.confidence).shown(right // scale, 0))
            few = f"even if just these got the answer, the share would be at least {most}"
            yield Finding.impossible(f"{there}: {few} with {percent(self.confidence)} confidence.")
        else:
            most = shown(min(wrong, line.right * (right - line.least) // line.wrong) // scale)
            text = f"at least {line.least // scale} of them must get the answer; if all do, {most} others may."
            yield Finding.note(f"{there}: {text}")

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """One sum over the rows that get the answer."""
        dataset, line = problem.dataset, self._line(problem.dataset)
        answer, by_label = positive_class(dataset, self.positive), np.zeros((dataset.n_samples, dataset.n_classes), int)
        amount = np.where(dataset.y == answer, -line.right, line.wrong) * weights_of(dataset)[0]
        by_label[:, answer] = np.where(members_of(dataset, self.who), amount, 0)
        return (Sum(by_label, -line.right * line.least),)
