"""Diagnostic accuracy: accuracy, sensitivity and specificity, of all rows or of a group."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from ..diagram import Diagram
from ..problem import Dataset, Problem
from ..problem.dataset import cells
from .base import (
    ConfidenceRecord,
    Constraint,
    ConstraintRecord,
    Finding,
    LazySequence,
    PositiveClass,
    Proportion,
    Topic,
    parameter,
    steps,
)
from .confidence import describe_at_least, in_rows, lower_limit, need, with_confidence
from .fields import FieldType
from .model_queries import weight
from .rules import Rule, Sum
from .values import (
    Number,
    Who,
    exact,
    members_of,
    percent,
    positive_class,
    positive_name,
    shown,
    weights_of,
)

Selected = Annotated[
    Who | None,
    parameter(FieldType.WHO, "Apply to", "Leave empty for all rows, or choose a value or a range of a variable."),
]
"""The rows that a constraint applies to; `None` for all."""


def rows_of(who: Who | None) -> str:
    """The rows that a constraint applies to: 'rows', 'rows with sex = female'."""
    return "rows" if who is None else f"rows with {who.words()}"


def there_are(n: Number, rows: str, only: str = "") -> str:
    """The start of a sentence: 'There are 5 rows with sex = female', 'There is 1 row'; `rows` is their plural."""
    return f"There is {only}1 {rows.replace('rows', 'row', 1)}" if n == 1 else f"There are {only}{shown(n)} {rows}"


class MinimumShare(ConfidenceRecord, frozen=True):
    """At least a share of some rows is predicted correctly."""

    topic = Topic.FOUND
    sees_answers = True
    limited_by = "share"
    rising_eases = False
    measure: ClassVar[str]

    share: Annotated[Fraction, parameter(FieldType.SHARE)]

    @abstractmethod
    def scope(self, dataset: Dataset | None) -> str:
        """The class and the group of the limit, in words."""

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'sensitivity for critical = yes is at least 90%'."""
        words = f"{self.measure}{self.scope(dataset)} is at least {percent(self.share)}"
        return with_confidence(words, self.confidence)


class _Answers(Constraint):
    """A limit on the number of wrong predictions."""

    topic = Topic.FOUND
    sees_answers = True
    right: ClassVar[str]
    wrong: ClassVar[str]
    """The words for a row with a correct or wrong prediction: 'detected', 'missed'."""

    @abstractmethod
    def among(self, dataset: Dataset) -> np.ndarray:
        """The rows that count, bool (n_samples,)."""

    @abstractmethod
    def good(self, dataset: Dataset) -> np.ndarray:
        """The correct predictions of each row, bool (n_samples, n_classes)."""

    @abstractmethod
    def people(self, dataset: Dataset | None) -> str:
        """The rows that count, in words."""

    @abstractmethod
    def _allowed(self, dataset: Dataset) -> int:
        """The weight of permitted errors, in integer units."""

    @abstractmethod
    def _whole(self, dataset: Dataset) -> int:
        """The weight, in integer units, that changes the value by 1."""

    def step(self, dataset: Dataset) -> Number:
        """The change of the value by the row of least weight that counts."""
        counted = self._counted(dataset)
        return Fraction(int(counted.min()), self._whole(dataset)) if len(counted) else 0

    def spacing(self, dataset: Dataset) -> Number:
        """The unit that all values are multiples of."""
        counted = self._counted(dataset)
        return Fraction(int(np.gcd.reduce(counted)), self._whole(dataset)) if len(counted) else 0

    def _counted(self, dataset: Dataset) -> np.ndarray:
        """The weights of the rows that count, in integer units."""
        counted: np.ndarray = weights_of(dataset)[0][self.among(dataset)]
        return counted

    def _bad(self, dataset: Dataset) -> np.ndarray:
        """The weight of the rows that count, for predictions that are wrong for them, int64 (n_samples, n_classes)."""
        weights = np.where(self.among(dataset), weights_of(dataset)[0], 0)
        return np.where(self.good(dataset), 0, weights[:, None])

    def _wronged(self, diagram: Diagram, dataset: Dataset) -> int:
        """The weight of the rows that count and are predicted wrongly, in integer units."""
        return int(self._bad(dataset)[np.arange(dataset.n_samples), diagram.predict(dataset)].sum())

    def _hopeless(self, dataset: Dataset) -> int:
        """The weight of unavoidable errors: rows whose features equal those of rows that need another prediction."""
        cell = cells(dataset)
        by_answer = np.zeros((cell.max() + 1, dataset.n_classes), np.int64)
        np.add.at(by_answer, cell, self._bad(dataset))
        return int(by_answer.min(axis=1).sum())

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """A note on the number of rows and the limit in rows, or that the limit is impossible."""
        dataset = problem.dataset
        total, scale = int(self._counted(dataset).sum()), weights_of(dataset)[1]
        if total == 0:
            yield Finding.note(f"There are no {self.people(dataset)}, so this constraint always holds.")
            return
        allowed, hopeless = self._allowed(dataset), self._hopeless(dataset)
        there = there_are(Fraction(total, scale), f"training {self.people(dataset)}")
        if hopeless > allowed:
            least = shown(Fraction(hopeless, scale))
            why = f"At least {least} of them cannot be {self.right}: rows of another class have the same values."
            yield Finding.impossible(f"{there}. {why}")
        else:
            most = shown(Fraction(allowed, scale))
            yield Finding.note(f"{there}. At most {most} of them may be {self.wrong}.")

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """One sum over the rows that count."""
        data = problem.dataset
        return (Sum(self._bad(data), self._allowed(data), scale=weights_of(data)[1]),)


class AtLeast(MinimumShare, _Answers, frozen=True):
    """At least a share of the rows that count is predicted correctly."""

    def words_in_rows(self, dataset: Dataset) -> str:
        """The sentence with rows, such as 'sensitivity for critical = yes is at least 53.0% (98 of 185)'."""
        total, scale = int(self._counted(dataset).sum()), weights_of(dataset)[1]
        if self.confidence is not None or not total:
            return self.words(dataset)
        least = shown(Fraction(total - self._allowed(dataset), scale))
        share = f"{float(100 * self.share):.1f}% ({least} of {shown(Fraction(total, scale))})"
        return f"{self.measure}{self.scope(dataset)} is at least {share}"

    def value(self, diagram: Diagram, dataset: Dataset) -> Fraction | None:
        """The share predicted correctly, or its lower confidence limit; `None` if no row counts."""
        total = int(self._counted(dataset).sum())
        if not total:
            return None
        good = total - self._wronged(diagram, dataset)
        if self.confidence is None:
            return Fraction(good, total)
        return lower_limit(good // weights_of(dataset)[1], self._rows(dataset), self.confidence)

    def proportions(self, predicted: np.ndarray, dataset: Dataset) -> tuple[Proportion, ...]:
        """The correct predictions among the rows that count."""
        return (Proportion(self.good(dataset)[np.arange(dataset.n_samples), predicted], self.among(dataset)),)

    def _rows(self, dataset: Dataset) -> int:
        """The number of rows that count, if there is a confidence."""
        return int(in_rows(self._counted(dataset), weights_of(dataset)[1]).sum())

    def _whole(self, dataset: Dataset) -> int:
        return int(self._counted(dataset).sum())

    def step(self, dataset: Dataset) -> Number:
        """At most the change by the row of least weight that counts."""
        return super().step(dataset) if self.confidence is None else Fraction(super().step(dataset)) / 2

    def spacing(self, dataset: Dataset) -> Number:
        """The unit that all values are multiples of; 0 with confidence, as limits may be as close as nine decimals."""
        return super().spacing(dataset) if self.confidence is None else 0

    def binds(self, diagram: Diagram, dataset: Dataset) -> bool | None:
        """Whether one more error would violate the constraint; `None` if no row counts."""
        counted = self._counted(dataset)
        if not len(counted):
            return None
        return self._wronged(diagram, dataset) + int(counted.min()) > self._allowed(dataset)

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Whether there are enough rows for the confidence; then the limit in rows."""
        rows = 0 if self.confidence is None else self._rows(problem.dataset)
        if self._shows_nothing(problem.dataset):
            yield Finding.impossible(
                f"There are no {self.people(problem.dataset)}, so the data cannot show this share."
            )
        elif self.confidence is not None and rows and need(self.share, rows, self.confidence) > rows:
            most = percent(lower_limit(rows, rows, self.confidence))
            few, confident = there_are(rows, self.people(problem.dataset), "only "), percent(self.confidence)
            shows = f"Even if all of them are {self.right}, they show only {most} with {confident} confidence."
            yield Finding.impossible(f"{few}. {shows}")
        else:
            yield from super().findings(problem)

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The share, if it is too small."""
        if self._shows_nothing(dataset):
            return (
                f"there are no {self.people(dataset)}, so there is no evidence; the limit is {percent(self.share)}",
            )
        value = self.value(diagram, dataset)
        if value is None or value >= self.share:
            return ()
        total, scale = int(self._counted(dataset).sum()), weights_of(dataset)[1]
        good = Fraction(total - self._wronged(diagram, dataset), scale)
        return (
            (
                f"{self.measure} is {percent(value)}{describe_at_least(self.confidence)}: {shown(good)} of "
                f"{shown(Fraction(total, scale))} {self.people(dataset)} are {self.right}; "
                f"the limit is {percent(self.share)}"
            ),
        )

    def _allowed(self, dataset: Dataset) -> int:
        if self.confidence is None:
            return math.floor((1 - self.share) * int(self._counted(dataset).sum()))
        if self._shows_nothing(dataset):
            return -1
        rows = self._rows(dataset)
        return (rows - need(self.share, rows, self.confidence)) * weights_of(dataset)[1] if rows else 0

    def _shows_nothing(self, dataset: Dataset) -> bool:
        """Whether there is a confidence but no row that could show the share."""
        return self.confidence is not None and self.share > 0 and not len(self._counted(dataset))

    def limits(self, problem: Problem) -> Sequence[Number]:
        """One more permitted error, two more, and so on up to all rows."""
        dataset = problem.dataset
        total = int(self._counted(dataset).sum())
        if not total:
            return (Fraction(0),) if self._shows_nothing(dataset) else ()
        if self.confidence is None:
            return steps(Fraction(total - self._allowed(dataset) - 1, total), 0, Fraction(-1, total))
        rows, confidence = self._rows(dataset), self.confidence
        return LazySequence(
            range(need(self.share, rows, confidence) - 1, -1, -1), lambda k: lower_limit(k, rows, confidence)
        )


class _AtMost(_Answers, ConstraintRecord, frozen=True):
    """At most a number of the rows that count is predicted wrongly."""

    limited_by = "most"

    most: Annotated[Number, parameter(FieldType.NUMBER, help="Number of rows, or their total weight.", low=0)]

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'at most 2 of the rows with critical = yes are missed'."""
        return f"at most {shown(self.most)} of the {self.people(dataset)} are {self.wrong}"

    def value(self, diagram: Diagram, dataset: Dataset) -> Number:
        """The weight of the errors; without weights, their number."""
        return exact(Fraction(self._wronged(diagram, dataset), weights_of(dataset)[1]))

    def _whole(self, dataset: Dataset) -> int:
        return weights_of(dataset)[1]

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The number, if it is too large."""
        value = self.value(diagram, dataset)
        if value <= self.most:
            return ()
        total = shown(weight(dataset, self.among(dataset)))
        return (
            (f"{shown(value)} of {total} {self.people(dataset)} are {self.wrong}; the limit is {shown(self.most)}"),
        )

    def _allowed(self, dataset: Dataset) -> int:
        return min(int(self._counted(dataset).sum()), math.floor(self.most * weights_of(dataset)[1]))

    def limits(self, problem: Problem) -> Sequence[Number]:
        """One more permitted error, two more, and so on up to all rows."""
        unit = Fraction(1, weights_of(problem.dataset)[1])
        total = weight(problem.dataset, self.among(problem.dataset))
        return steps((self._allowed(problem.dataset) + 1) * unit, total, unit)


class _Right(Constraint):
    """Counts correct predictions."""

    right, wrong = "predicted correctly", "misclassified"

    who: Who | None

    def among(self, dataset: Dataset) -> np.ndarray:
        """The selected rows."""
        return members_of(dataset, self.who)

    def good(self, dataset: Dataset) -> np.ndarray:
        """The true class."""
        good: np.ndarray = np.arange(dataset.n_classes) == dataset.y[:, None]
        return good

    def people(self, dataset: Dataset | None) -> str:
        """'rows', 'rows with sex = female'."""
        return rows_of(self.who)

    def scope(self, dataset: Dataset | None) -> str:
        """The group, such as ' among rows with sex = female'; '' for all rows."""
        return "" if self.who is None else f" among {rows_of(self.who)}"


class OneSide(_Right):
    """Counts the positive rows, or the negative ones."""

    of_positive: ClassVar[bool]

    positive: str | None

    def side(self, dataset: Dataset) -> np.ndarray:
        """The positive class, or all other classes, bool (n_classes,)."""
        is_positive = np.arange(dataset.n_classes) == positive_class(dataset, self.positive)
        side: np.ndarray = is_positive == self.of_positive
        return side

    def among(self, dataset: Dataset) -> np.ndarray:
        """The selected rows of this side."""
        among: np.ndarray = self.side(dataset)[dataset.y] & super().among(dataset)
        return among

    def good(self, dataset: Dataset) -> np.ndarray:
        """The classes of this side, for every row."""
        return np.tile(self.side(dataset), (dataset.n_samples, 1))

    def people(self, dataset: Dataset | None) -> str:
        """The rows, such as 'rows with critical = yes and sex = female'."""
        link = "and" if self.of_positive else "and with"
        outcome, name = "outcome", self.positive or "positive"
        if dataset is not None:
            outcome, name = dataset.outcome, positive_name(dataset, self.positive)
        others = "" if self.who is None else f" {link} {self.who.words()}"
        return f"rows {'with' if self.of_positive else 'without'} {outcome} = {name}{others}"

    def scope(self, dataset: Dataset | None) -> str:
        """The class and the group, such as ' for critical = yes among rows with sex = female'."""
        name = self.positive if dataset is None else f"{dataset.outcome} = {positive_name(dataset, self.positive)}"
        return f"{f' for {name}' if name else ''}{super().scope(dataset)}"


class _Found(OneSide):
    right, wrong, of_positive = "detected", "missed", True


class _Cleared(OneSide):
    right, wrong, of_positive = "predicted negative", "false alarms", False


class MinSensitivity(_Found, AtLeast, frozen=True):
    """Minimum sensitivity, overall or in a group."""

    title = "Minimum sensitivity"
    measure = "sensitivity"
    formula = r"\sum_{i \in G,\, y_i = 1} w_i [\hat y_i \ne 1] \le (1 - \varepsilon) \sum_{i \in G,\, y_i = 1} w_i"
    source = "Nanfack, Temple and Frénay (2023), sections 4.7.2 and 5.4"

    who: Selected = None
    positive: PositiveClass = None


class MaxMissed(_Found, _AtMost, frozen=True):
    """Maximum number of false negatives, overall or in a group."""

    title = "Maximum missed cases"
    formula = r"\sum_{i \in G,\, y_i = 1} w_i [\hat y_i \ne 1] \le m"
    source = "Nanfack, Temple and Frénay (2023), section 4.7.2, as a number"

    who: Selected = None
    positive: PositiveClass = None


class MinSpecificity(_Cleared, AtLeast, frozen=True):
    """Minimum specificity, overall or in a group."""

    title = "Minimum specificity"
    measure = "specificity"
    formula = r"\sum_{i \in G,\, y_i \ne 1} w_i [\hat y_i = 1] \le (1 - \varepsilon) \sum_{i \in G,\, y_i \ne 1} w_i"
    source = "Nanfack, Temple and Frénay (2023), section 4.7.2, rate constraints"

    who: Selected = None
    positive: PositiveClass = None


class MaxFalseAlarms(_Cleared, _AtMost, frozen=True):
    """Maximum number of false positives, overall or in a group."""

    title = "Maximum false alarms"
    formula = r"\sum_{i \in G,\, y_i \ne 1} w_i [\hat y_i = 1] \le m"
    source = "Nanfack, Temple and Frénay (2023), section 4.7.2, rate constraints"

    who: Selected = None
    positive: PositiveClass = None


class MinAccuracy(_Right, AtLeast, frozen=True):
    """Minimum accuracy, overall or in a group."""

    title = "Minimum accuracy"
    measure = "accuracy"
    formula = r"\sum_{i \in G} w_i [\hat y_i \ne y_i] \le (1 - \varepsilon) \sum_{i \in G} w_i"
    source = "Nanfack, Temple and Frénay (2023), section 4.7.2"

    who: Selected = None


class MaxErrors(_Right, _AtMost, frozen=True):
    """Maximum number of misclassified rows, overall or in a group."""

    title = "Maximum errors"
    formula = r"\sum_{i \in G} w_i [\hat y_i \ne y_i] \le m"
    source = "Nanfack, Temple and Frénay (2023), section 4.7.2, as a number"

    who: Selected = None


class _Passed(_Right):
    right, wrong = "predicted negative", "predicted positive"


class MaxPositive(_Passed, _AtMost, frozen=True):
    """Maximum number of rows predicted positive, overall or in a group."""

    title = "Maximum positive predictions"
    formula = r"\sum_{i \in G} w_i [\hat y_i = 1] \le m"
    source = "Nanfack, Temple and Frénay (2023), section 4.7.2, rate constraints"

    who: Selected = None
    positive: PositiveClass = None

    def good(self, dataset: Dataset) -> np.ndarray:
        """All classes except the positive one."""
        others = np.arange(dataset.n_classes) != positive_class(dataset, self.positive)
        return np.tile(others, (dataset.n_samples, 1))

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'at most 40 of the rows are predicted critical = yes'."""
        name = self.positive or "positive"
        if dataset is not None:
            name = f"{dataset.outcome} = {positive_name(dataset, self.positive)}"
        return f"at most {shown(self.most)} of the {self.people(dataset)} are predicted {name}"
