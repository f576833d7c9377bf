"""Constraints on differences between the predictions for groups of people.

The criteria are those of `solvers.metrics.fairness`, and the constraints limit exactly its figures: demographic parity
compares how often the positive class is predicted, equal opportunity the same among rows of the positive class,
predictive equality among the others, and equalised odds both (Hardt, Price and Srebro 2016; Chouldechova 2017). Groups
need a minimum number of rows to be compared; rows with a missing group are not compared.
"""

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from ..diagram import Diagram
from ..errors import ConstraintError
from ..problem import Dataset, Problem
from .base import (
    ConfidenceRecord,
    Constraint,
    ConstraintRecord,
    Finding,
    PositiveClass,
    Proportion,
    Topic,
    parameter,
    steps,
)
from .confidence import DECIMALS, in_rows, margin, with_confidence
from .fields import LARGEST_DENOMINATOR, FieldType
from .paths import NeverColumns, OnlyColumns
from .rules import Rule, Sum
from .values import Number, columns_of, grouping, percent, positive_class, positive_name, weights_of

MOST_VALUES = 20_000
"""The maximum number of differences with confidence to list; beyond it, `limits` uses an even grid."""

_COLUMN = "A column with groups, such as sex, or two crossed: sex × region."
_MIN_ROWS = "Groups with fewer rows are not compared."
_SOURCE = "Hardt, Price and Srebro (2016), 'Equality of opportunity in supervised learning'"


class Criterion(NamedTuple):
    """The rates that a fairness criterion compares.

    Attributes
    ----------
    words : all rates together, with a place for the class name.
    rates : the words of each rate, with a place for the class name; and whether it counts rows of that class (True),
        the others (False), or all (`None`).
    """

    words: str
    rates: tuple[tuple[str, bool | None], ...]


_TRUE_POSITIVE = ("the true positive rates of '{}'", True)
_FALSE_POSITIVE = ("the false positive rates of '{}'", False)

PARITY = Criterion("the shares of {} predictions", (("the shares of '{}' predictions", None),))
OPPORTUNITY = Criterion("the true positive rates of {}", (_TRUE_POSITIVE,))
EQUALITY = Criterion("the false positive rates of {}", (_FALSE_POSITIVE,))
ODDS = Criterion("the true and the false positive rates of {}", (_TRUE_POSITIVE, _FALSE_POSITIVE))


class GroupRows(NamedTuple):
    """The rows of a group that count for a rate: the group's name, bool (n_samples,), and their weight."""

    name: str
    rows: np.ndarray
    weight: int


class Compared(NamedTuple):
    """A rate to compare: its words, the groups, and the groups with too few rows."""

    rate: str
    parts: tuple[GroupRows, ...]
    left_out: tuple[str, ...]


class PairSum(NamedTuple):
    """A sum over two groups of at most `limit`.

    Each unit of weight with a positive prediction adds `first` in the first group and subtracts `second` in the other.
    A difference of 1 between the rates makes `scale`.
    """

    first: int
    second: int
    limit: int
    scale: int


class _Fairness(Constraint):
    """A comparison of the rate at which the positive class is predicted."""

    topic = Topic.FAIRNESS
    sees_answers = True
    criterion: ClassVar[Criterion]

    column: str
    positive: str | None
    min_rows: int

    def left_out(self, dataset: Dataset) -> frozenset[str]:
        """The groups that are left out for some rate."""
        return frozenset(name for rate in self.compared(dataset) for name in rate.left_out)

    def compared(self, dataset: Dataset) -> tuple[Compared, ...]:
        """The rates with the groups that have enough rows for them."""
        group, weights = grouping(dataset, self.column), weights_of(dataset)[0]
        out = []
        for rate, of_class in self.criterion.rates:
            counted = np.ones(dataset.n_samples, bool)
            if of_class is not None:
                counted = (dataset.y == positive_class(dataset, self.positive)) == of_class
            masks = [(name, counted & (group.codes == code)) for code, name in enumerate(group.levels)]
            parts = [GroupRows(name, rows, int(weights[rows].sum())) for name, rows in masks]
            compared = tuple(part for part in parts if part.rows.sum() >= self.min_rows)
            left_out = tuple(part.name for part in parts if part.rows.sum() < self.min_rows)
            out.append(Compared(rate.format(positive_name(dataset, self.positive)), compared, left_out))
        return tuple(out)

    def rates(self, predicted: np.ndarray, dataset: Dataset) -> Iterator[tuple[str, list[tuple[Fraction, GroupRows]]]]:
        """Each rate by group, exactly and in ascending order; only rates with two groups or more."""
        weights = weights_of(dataset)[0]
        called = predicted == positive_class(dataset, self.positive)
        for rate, parts, _ in self.compared(dataset):
            if len(parts) > 1:
                by = [(Fraction(int(weights[part.rows & called].sum()), part.weight), part) for part in parts]
                yield rate, sorted(by, key=lambda one: one[0])

    def step(self, dataset: Dataset) -> Number:
        """The change by one row of the largest group."""
        weights = weights_of(dataset)[0]
        parts = [part for rate in self.compared(dataset) for part in rate.parts]
        return min((Fraction(int(weights[part.rows].min()), part.weight) for part in parts), default=Fraction(0))

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """The groups that are compared and left out, and whether the model may use the group column."""
        dataset = problem.dataset
        positive_class(dataset, self.positive)
        for rate, parts, left_out in self.compared(dataset):
            if left_out:
                few = "has no row" if max(self.min_rows, 1) == 1 else f"has fewer than {self.min_rows} rows"
                names = ", ".join(left_out)
                yield Finding.note(f"Not compared, because the group {few}: {names}.")
            for a, b in permutations(parts, 2):
                self._bound(a, b, dataset)
            if len(parts) < 2:
                note = f"Fewer than two groups can be compared, so {rate} always agree."
                yield Finding.note(note, "column")
            else:
                sizes = ", ".join(f"{part.name} ({part.rows.sum()})" for part in parts)
                yield Finding.note(f"Groups compared by {rate}: {sizes}.")
        missing = int((grouping(dataset, self.column).codes == -1).sum())
        if missing:
            rows = "1 row has" if missing == 1 else f"{missing} rows have"
            yield Finding.note(f"{rows} no group and {'is' if missing == 1 else 'are'} not compared.")
        for column in columns_of(dataset, self.column):
            if not _forbidden(problem, column):
                note = f"The model may use '{column}' itself, unless you forbid it."
                yield Finding.note(note)

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """A sum for every ordered pair of groups, for every rate."""
        dataset, sums = problem.dataset, []
        positive, weights = positive_class(dataset, self.positive), weights_of(dataset)[0]
        for a, b in (pair for rate in self.compared(dataset) for pair in permutations(rate.parts, 2)):
            bound = self._bound(a, b, dataset)
            by_label = np.zeros((dataset.n_samples, dataset.n_classes), np.int64)
            by_label[:, positive] = weights * np.where(a.rows, bound.first, np.where(b.rows, -bound.second, 0))
            sums.append(Sum(by_label, bound.limit, scale=bound.scale))
        return tuple(sums)

    def _bound(self, a: GroupRows, b: GroupRows, dataset: Dataset) -> PairSum:
        """The sum for two groups; raises `ConstraintError` if it would not fit into 64 bits."""
        bound = self._pair(a, b, dataset)
        if max(bound.first * a.weight, bound.second * b.weight) >= 2**62:
            raise ConstraintError("The weights are too fine for this comparison. Round the weights, or the limit.")
        return bound

    @abstractmethod
    def _pair(self, a: GroupRows, b: GroupRows, dataset: Dataset) -> PairSum:
        """The same, without the size check."""

    def _rate_words(self, dataset: Dataset | None) -> str:
        name = self.positive if dataset is None else positive_name(dataset, self.positive)
        return self.criterion.words.format("positive" if name is None else f"'{name}'")


def fairness_columns(constraints: Iterable[Constraint]) -> tuple[str, ...]:
    """The names of the groups that constraints compare, as they are written."""
    return tuple(dict.fromkeys(one.column for one in constraints if isinstance(one, _Fairness)))


def _compare(rate: str, high: tuple[Fraction, GroupRows], low: tuple[Fraction, GroupRows]) -> str:
    """The rates of two groups, as the beginning of a sentence."""
    return f"{rate} are {percent(high[0])} for {high[1].name} and {percent(low[0])} for {low[1].name}"


def _forbidden(problem: Problem, column: str) -> bool:
    """Whether a constraint prevents the model from using a column."""
    never = any(isinstance(c, NeverColumns) and column in c.columns for c in problem.constraints)
    return never or any(isinstance(c, OnlyColumns) and column not in c.columns for c in problem.constraints)


class MaxDifference(_Fairness, ConfidenceRecord, frozen=True):
    """A limit on the difference between the highest and the lowest rate."""

    limited_by = "difference"

    column: Annotated[str, parameter(FieldType.GROUPING, "Groups", _COLUMN)]
    difference: Annotated[Fraction, parameter(FieldType.SHARE, "Maximum difference")]
    positive: PositiveClass = None
    min_rows: Annotated[int, parameter(FieldType.COUNT, "Minimum rows per group", _MIN_ROWS, unit="rows", low=1)] = 1

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'the shares of 'yes' predictions differ by at most 5% between the groups of sex'."""
        differ = f"differ by at most {percent(self.difference)} between the groups of {self.column}"
        words = f"{self._rate_words(dataset)} {differ}"
        return with_confidence(words, self.confidence)

    def value(self, diagram: Diagram, dataset: Dataset) -> Fraction | None:
        """The largest difference, or its upper confidence limit; `None` if nothing is compared."""
        return max((gap for _, gap, *_ in self._gaps(diagram.predict(dataset), dataset)), default=None)

    def proportions(self, predicted: np.ndarray, dataset: Dataset) -> tuple[Proportion, ...]:
        """The positive predictions in the two groups that differ most."""
        called = predicted == positive_class(dataset, self.positive)
        widest = max(self._gaps(predicted, dataset), key=lambda found: found[1], default=())
        return tuple(Proportion(called, group.rows) for _, group in widest[2:])

    def _gaps(
        self, predicted: np.ndarray, dataset: Dataset
    ) -> Iterator[tuple[str, Fraction, tuple[Fraction, GroupRows], tuple[Fraction, GroupRows]]]:
        """The largest difference of each rate, at most 1, and the two groups with their rates, the higher one first."""
        for rate, by in self.rates(predicted, dataset):
            pairs = [
                (self._at_most(two[0] - one[0], one[1], two[1], dataset), two, one) for one, two in combinations(by, 2)
            ]
            yield rate, *max(pairs, key=lambda pair: pair[0])

    def _at_most(self, apart: Fraction, a: GroupRows, b: GroupRows, dataset: Dataset) -> Fraction:
        """The observed difference of two groups, or its upper confidence limit."""
        if self.confidence is None:
            return apart
        return min(Fraction(1), Fraction(math.ceil((apart + self._margin(a, b, dataset)) * DECIMALS), DECIMALS))

    def _margin(self, a: GroupRows, b: GroupRows, dataset: Dataset) -> Fraction:
        """The margin to add to the observed difference; 0 without confidence."""
        if self.confidence is None:
            return Fraction(0)
        weights, scale = weights_of(dataset)
        of_a, of_b = (int(in_rows(weights[part.rows], scale).sum()) for part in (a, b))
        return margin(of_a, of_b, self.confidence)

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The rates that differ too much."""
        found = []
        for rate, gap, high, low in self._gaps(diagram.predict(dataset), dataset):
            if gap > self.difference:
                between = _compare(rate, high, low)
                by = percent(gap) if self.confidence is None else f"up to {percent(gap)} with confidence"
                found.append(f"{between}: the difference is {by}; the limit is {percent(self.difference)}")
        return tuple(found)

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Also whether the groups are large enough for the confidence."""
        yield from super().findings(problem)
        pairs = (pair for rate in self.compared(problem.dataset) for pair in combinations(rate.parts, 2))
        margins = [self._margin(a, b, problem.dataset) for a, b in pairs]
        widest = min(max(margins, default=Fraction(0)), Fraction(1))
        if widest > self.difference:
            few = "The groups are too small: even with equal rates, the difference can be up to"
            text = f"{few} {percent(widest)} at this confidence."
            yield Finding.impossible(text, "confidence")

    def _pair(self, a: GroupRows, b: GroupRows, dataset: Dataset) -> PairSum:
        common = math.gcd(a.weight, b.weight)
        whole = a.weight * b.weight // common
        gap = self.difference
        if self.confidence is not None and gap < 1:
            gap = Fraction(math.floor(gap * DECIMALS), DECIMALS) - self._margin(a, b, dataset)
        return PairSum(b.weight // common, a.weight // common, math.floor(gap * whole), whole)

    def limits(self, problem: Problem) -> Sequence[Number]:
        """Every possible difference above the limit, up to 100%."""
        rates = self.compared(problem.dataset)
        pairs = [pair for rate in rates for pair in combinations(rate.parts, 2)]
        wholes = [math.lcm(a.weight, b.weight) for a, b in pairs]
        if self.confidence is not None and sum(wholes) <= MOST_VALUES:
            apart = (
                self._at_most(Fraction(k, whole), *pair, problem.dataset)
                for pair, whole in zip(pairs, wholes, strict=True)
                for k in range(whole + 1)
            )
            return sorted({value for value in (*apart, Fraction(1)) if value > self.difference})
        whole = math.lcm(*(part.weight for rate in rates for part in rate.parts))
        if whole > LARGEST_DENOMINATOR:
            whole = 10**6
        return steps(Fraction(math.floor(self.difference * whole) + 1, whole), Fraction(1), Fraction(1, whole))


class MinRatio(_Fairness, ConstraintRecord, frozen=True):
    """A limit on the ratio of the lowest to the highest rate; satisfied if no row is predicted positive."""

    limited_by = "ratio"
    rising_eases = False

    column: Annotated[str, parameter(FieldType.GROUPING, "Groups", _COLUMN)]
    ratio: Annotated[
        Fraction,
        parameter(
            FieldType.SHARE, "Minimum ratio", "Lowest rate divided by highest rate. 80% is the four-fifths rule."
        ),
    ]
    positive: PositiveClass = None
    min_rows: Annotated[int, parameter(FieldType.COUNT, "Minimum rows per group", _MIN_ROWS, unit="rows", low=1)] = 1

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'the shares of 'yes' predictions in the groups of sex have a ratio of at least 80%'."""
        rates = f"{self._rate_words(dataset)} in the groups of {self.column}"
        return f"{rates} have a ratio of at least {percent(self.ratio)}"

    def value(self, diagram: Diagram, dataset: Dataset) -> Fraction | None:
        """The smallest ratio; `None` if nothing is compared, or the highest rate is 0."""
        ratios = [by[0][0] / by[-1][0] for _, by in self.rates(diagram.predict(dataset), dataset) if by[-1][0] > 0]
        return min(ratios, default=None)

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The rates that differ too much."""
        found = []
        for rate, by in self.rates(diagram.predict(dataset), dataset):
            low, high = by[0], by[-1]
            if low[0] < self.ratio * high[0]:
                ratio = f"the ratio is {percent(low[0] / high[0])}; the limit is {percent(self.ratio)}"
                found.append(f"{_compare(rate, high, low)}: {ratio}")
        return tuple(found)

    def _pair(self, a: GroupRows, b: GroupRows, dataset: Dataset) -> PairSum:
        # ratio * rate of a <= rate of b, times both weights and the denominator of the ratio
        up, down = self.ratio.numerator * b.weight, self.ratio.denominator * a.weight
        common = math.gcd(up, down)
        return PairSum(up // common, down // common, 0, 1)


class DemographicParity(MaxDifference, frozen=True):
    """Maximum difference between groups in the share of positive predictions."""

    criterion = PARITY
    title = "Demographic parity"
    formula = r"-\varepsilon N_z N_{\bar z} \le N_{\bar z} N_z^+ - N_z N_{\bar z}^+ \le \varepsilon N_z N_{\bar z}"
    source = "Nanfack, Temple and Frénay (2023), section 4.7.1; for each pair of groups"


class DemographicParityRatio(MinRatio, frozen=True):
    """Minimum ratio of the lowest to the highest share of positive predictions (four-fifths rule: 80%)."""

    criterion = PARITY
    title = "Demographic parity ratio"
    formula = r"r \, N_{\bar z} N_z^+ \le N_z N_{\bar z}^+ \quad \text{for each ordered pair of groups}"
    source = "Uniform Guidelines on Employee Selection Procedures, 29 CFR 1607.4 D"


class EqualOpportunity(MaxDifference, frozen=True):
    """Maximum difference between groups in the true positive rate (sensitivity)."""

    criterion = OPPORTUNITY
    title = "Equal opportunity"
    formula = r"|TPR_z - TPR_{z'}| \le \varepsilon"
    source = f"{_SOURCE}, definition 2.2"


class EqualOpportunityRatio(MinRatio, frozen=True):
    """Minimum ratio of the lowest to the highest true positive rate of the groups."""

    criterion = OPPORTUNITY
    title = "Equal opportunity ratio"
    formula = r"TPR_z \ge r \, TPR_{z'}"
    source = f"{_SOURCE}, definition 2.2, as a ratio"


class PredictiveEquality(MaxDifference, frozen=True):
    """Maximum difference between groups in the false positive rate."""

    criterion = EQUALITY
    title = "Predictive equality"
    formula = r"|FPR_z - FPR_{z'}| \le \varepsilon"
    source = "Chouldechova (2017), 'Fair prediction with disparate impact'"


class PredictiveEqualityRatio(MinRatio, frozen=True):
    """Minimum ratio of the lowest to the highest false positive rate of the groups."""

    criterion = EQUALITY
    title = "Predictive equality ratio"
    formula = r"FPR_z \ge r \, FPR_{z'}"
    source = "Chouldechova (2017), 'Fair prediction with disparate impact', as a ratio"


class EqualisedOdds(MaxDifference, frozen=True):
    """Maximum difference between groups in the true and in the false positive rate."""

    criterion = ODDS
    title = "Equalised odds"
    formula = r"|TPR_z - TPR_{z'}| \le \varepsilon, \quad |FPR_z - FPR_{z'}| \le \varepsilon"
    source = f"{_SOURCE}, definition 2.1"


class EqualisedOddsRatio(MinRatio, frozen=True):
    """Minimum ratio of the lowest to the highest true and false positive rate of the groups."""

    criterion = ODDS
    title = "Equalised odds ratio"
    formula = r"TPR_z \ge r \, TPR_{z'}, \quad FPR_z \ge r \, FPR_{z'}"
    source = f"{_SOURCE}, definition 2.1, as ratios"
