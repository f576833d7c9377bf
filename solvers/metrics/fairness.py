"""Group fairness: how predictions differ between groups of people.

The criteria are those of Hardt, Price and Srebro (2016), 'Equality of opportunity in supervised learning', and
Chouldechova (2017), 'Fair prediction with disparate impact'; the four-fifths rule is that of the Uniform Guidelines on
Employee Selection Procedures (29 CFR 1607.4 D). A comparison includes only groups with enough rows and names the
others.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..errors import DataError
from ..problem import Dataset, Group
from ..problem.groups import named_group
from .diagnosis import checked_predictions
from .intervals import NOTHING, Estimate, Rate, difference, rate

UNKNOWN = "unknown"


class FourFifths(StrEnum):
    """Whether the lowest selection rate is at least four fifths of the highest."""

    MET = "met"
    NOT_MET = "not met"
    UNDEFINED = "no row is predicted positive"
    TOO_FEW = "too few to compare"


class Criterion(StrEnum):
    """What groups are compared by, each a rate of the rows of a group except for equalised odds."""

    PARITY = "demographic parity"
    """The proportion that is predicted positive."""
    OPPORTUNITY = "equal opportunity"
    """The same among rows with the positive outcome (true positive rate, sensitivity)."""
    EQUALITY = "predictive equality"
    """The same among the others (false positive rate)."""
    ODDS = "equalised odds"
    """The worse of the last two: the larger difference, and the smaller ratio."""
    ACCURACY = "accuracy"
    """The proportion that is predicted correctly."""


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """The predictions for one group.

    Attributes
    ----------
    name : the group.
    known : False for the rows whose group is missing; they are reported but not compared.
    n : the number of rows; those with and without the positive outcome are the `n` of their rates.
    rates : the rate of each criterion except equalised odds.
    """

    name: str
    known: bool
    n: int
    rates: dict[Criterion, Rate]


@dataclass(frozen=True, slots=True)
class Disparity:
    """The difference between the groups with the highest and the lowest rate.

    Attributes
    ----------
    difference : the highest rate minus the lowest, with its interval; its values are `None` if fewer than two groups
        are compared. The interval is that of these two groups, not adjusted for their selection among several.
    ratio : the lowest rate divided by the highest; `None` if the highest is 0 or fewer than two groups are compared.
    highest, lowest : the names of the two groups.
    too_few : the groups that were left out because they have too few rows.
    """

    difference: Estimate
    ratio: float | None
    highest: str | None
    lowest: str | None
    too_few: tuple[str, ...]


@dataclass(frozen=True)
class Fairness:
    """How predictions differ between groups.

    Attributes
    ----------
    group : the header of the group column.
    positive : the name of the positive class.
    groups : the facts of each group, including those not compared; last the rows whose group is missing, if any.
    disparities : the differences between groups by each criterion.
    """

    group: str
    positive: str
    groups: tuple[GroupFacts, ...]
    disparities: dict[Criterion, Disparity]

    @property
    def four_fifths(self) -> FourFifths:
        """The verdict on the ratio of the selection rates."""
        parity = self.disparities[Criterion.PARITY]
        if parity.difference.value is None:
            return FourFifths.TOO_FEW
        if parity.ratio is None:
            return FourFifths.UNDEFINED
        # a ratio of exactly four fifths meets the rule despite rounding
        return FourFifths.MET if parity.ratio >= 0.8 - 1e-12 else FourFifths.NOT_MET


def fairness(dataset: Dataset, predicted: np.ndarray, group: Group | str, *, min_rows: int = 10) -> Fairness:
    """Compare predictions between groups.

    Parameters
    ----------
    dataset : the rows; one class must be the positive one.
    predicted : int (n_samples,), the index of the predicted class of each row.
    group : a group column of the dataset, or its header; 'sex × region' crosses two.
    min_rows : how many rows a group needs to be compared, at least 1; only those that count for the rate.

    Raises
    ------
    DataError
        No class is positive, there is no such group column, or the predictions do not fit the rows.
    """
    predicted = checked_predictions(dataset, predicted)
    if dataset.positive is None:
        raise DataError("Fairness compares predictions of the positive class. Choose the positive class first.")
    if min_rows < 1:
        raise DataError(f"The minimum number of rows per group must be at least 1, but is {min_rows}.")
    group = _group(dataset, group)
    names = [*enumerate(group.levels), *([(-1, UNKNOWN)] if (group.codes == -1).any() else [])]
    facts = tuple(_facts(dataset, predicted, name, group.codes == code, code >= 0) for code, name in names)
    single: list[Criterion] = [one for one in Criterion if one is not Criterion.ODDS]
    found = {one: _disparity(one, facts, min_rows) for one in single}
    odds = _worse(found[Criterion.OPPORTUNITY], found[Criterion.EQUALITY])
    in_order = {one: found.get(one, odds) for one in Criterion}
    return Fairness(group.name, dataset.classes[dataset.positive], facts, in_order)


def _group(dataset: Dataset, group: Group | str) -> Group:
    if isinstance(group, Group):
        if group.codes.shape != (dataset.n_samples,):
            raise DataError(
                f"The group column '{group.name}' must have one value for each of {dataset.n_samples} rows."
            )
        return group
    found = named_group(dataset.groups, group)
    if found is None:
        known = ", ".join(candidate.name for candidate in dataset.groups) or "none"
        raise DataError(f"There is no group column '{group}'. Choose one with the data (chosen: {known}).")
    return found


def _facts(dataset: Dataset, predicted: np.ndarray, name: str, here: np.ndarray, known: bool) -> GroupFacts:
    positive, called, weight = dataset.y == dataset.positive, predicted == dataset.positive, dataset.weight
    rates = {
        Criterion.PARITY: rate(called, weight, here),
        Criterion.OPPORTUNITY: rate(called, weight, here & positive),
        Criterion.EQUALITY: rate(called, weight, here & ~positive),
        Criterion.ACCURACY: rate(predicted == dataset.y, weight, here),
    }
    return GroupFacts(name, known, int(here.sum()), rates)


def _disparity(criterion: Criterion, facts: tuple[GroupFacts, ...], min_rows: int) -> Disparity:
    rates = {f.name: f.rates[criterion] for f in facts if f.known}
    too_few = tuple(group for group, r in rates.items() if r.n < min_rows)
    shares = {group: r.value for group, r in rates.items() if r.n >= min_rows and r.value is not None}
    if len(shares) < 2:
        return Disparity(NOTHING, None, None, None, too_few)
    high = max(shares, key=shares.__getitem__)
    low = min((group for group in shares if group != high), key=shares.__getitem__)
    ratio = shares[low] / shares[high] if shares[high] > 0 else None
    return Disparity(difference(rates[high], rates[low]), ratio, high, low, too_few)


def _worse(a: Disparity, b: Disparity) -> Disparity:
    """Equalised odds requires equal rates of both kinds, so both must be comparable."""
    too_few = tuple(dict.fromkeys(a.too_few + b.too_few))
    if a.difference.value is None or b.difference.value is None:
        return Disparity(NOTHING, None, None, None, too_few)
    worse = a if a.difference.value >= b.difference.value else b
    ratios = [d.ratio for d in (a, b) if d.ratio is not None]
    return Disparity(worse.difference, min(ratios, default=None), worse.highest, worse.lowest, too_few)
