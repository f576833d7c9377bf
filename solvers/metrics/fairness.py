"""Group fairness: how predictions differ between groups of people.

The criteria are those of Hardt, Price and Srebro (2016), 'Equality of opportunity in supervised learning', and
Chouldechova (2017), 'Fair prediction with disparate impact'; the four-fifths rule is that of the Uniform Guidelines on
Employee Selection Procedures (29 CFR 1607.4 D). A comparison includes only groups with enough rows and names the
others.
"""

from collections.abc import Callable
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


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """The predictions for one group.

    Attributes
    ----------
    name : the group.
    known : False for the rows whose group is missing; they are reported but not compared.
    n : the number of rows; those with and without the positive outcome are `tpr.n` and `fpr.n`.
    selection : the proportion that is predicted positive.
    tpr : the same among rows with the positive outcome (true positive rate, sensitivity).
    fpr : the same among the others (false positive rate).
    accuracy : the proportion that is predicted correctly.
    """

    name: str
    known: bool
    n: int
    selection: Rate
    tpr: Rate
    fpr: Rate
    accuracy: Rate


@dataclass(frozen=True, slots=True)
class Disparity:
    """The difference between the groups with the highest and the lowest rate.

    Attributes
    ----------
    name : the criterion.
    difference : the highest rate minus the lowest, with its interval; its values are `None` if fewer than two groups
        are compared. The interval is that of these two groups, not adjusted for their selection among several.
    ratio : the lowest rate divided by the highest; `None` if the highest is 0 or fewer than two groups are compared.
    highest, lowest : the names of the two groups.
    too_few : the groups that were left out because they have too few rows.
    """

    name: str
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
    min_rows : how many relevant rows a group needs to be compared: all its rows for demographic parity and accuracy,
        rows with the positive outcome for equal opportunity, the others for predictive equality.
    groups : the facts of each group, including those not compared; last the rows whose group is missing, if any.
    demographic_parity : the selection rates.
    equal_opportunity : the true positive rates.
    predictive_equality : the false positive rates.
    equalized_odds : the worse of the last two: the larger difference, and the smaller ratio.
    accuracy : the accuracies.
    """

    group: str
    positive: str
    min_rows: int
    groups: tuple[GroupFacts, ...]
    demographic_parity: Disparity
    equal_opportunity: Disparity
    predictive_equality: Disparity
    equalized_odds: Disparity
    accuracy: Disparity

    @property
    def four_fifths(self) -> FourFifths:
        """The verdict on the ratio of the selection rates."""
        if self.demographic_parity.difference.value is None:
            return FourFifths.TOO_FEW
        if self.demographic_parity.ratio is None:
            return FourFifths.UNDEFINED
        # a ratio of exactly four fifths meets the rule despite rounding
        return FourFifths.MET if self.demographic_parity.ratio >= 0.8 - 1e-12 else FourFifths.NOT_MET


def fairness(dataset: Dataset, predicted: np.ndarray, group: Group | str, *, min_rows: int = 10) -> Fairness:
    """Compare predictions between groups.

    Parameters
    ----------
    dataset : the rows; one class must be the positive one.
    predicted : int (n_samples,), the index of the predicted class of each row.
    group : a group column of the dataset, or its header; 'sex × region' crosses two.
    min_rows : how many relevant rows a group needs to be compared, at least 1.

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
    opportunity = _disparity("equal opportunity", facts, lambda f: f.tpr, min_rows)
    equality = _disparity("predictive equality", facts, lambda f: f.fpr, min_rows)
    return Fairness(
        group=group.name,
        positive=dataset.classes[dataset.positive],
        min_rows=min_rows,
        groups=facts,
        demographic_parity=_disparity("demographic parity", facts, lambda f: f.selection, min_rows),
        equal_opportunity=opportunity,
        predictive_equality=equality,
        equalized_odds=_worse(opportunity, equality),
        accuracy=_disparity("accuracy", facts, lambda f: f.accuracy, min_rows),
    )


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
    positive, called = dataset.y == dataset.positive, predicted == dataset.positive
    return GroupFacts(
        name=name,
        known=known,
        n=int(here.sum()),
        selection=rate(called, dataset.weight, here),
        tpr=rate(called, dataset.weight, here & positive),
        fpr=rate(called, dataset.weight, here & ~positive),
        accuracy=rate(predicted == dataset.y, dataset.weight, here),
    )


def _disparity(
    name: str, facts: tuple[GroupFacts, ...], rate_of: Callable[[GroupFacts], Rate], min_rows: int
) -> Disparity:
    rates = {f.name: rate_of(f) for f in facts if f.known}
    too_few = tuple(group for group, r in rates.items() if r.n < min_rows)
    shares = {group: r.value for group, r in rates.items() if r.n >= min_rows and r.value is not None}
    if len(shares) < 2:
        return Disparity(name, NOTHING, None, None, None, too_few)
    high = max(shares, key=shares.__getitem__)
    low = min((group for group in shares if group != high), key=shares.__getitem__)
    ratio = shares[low] / shares[high] if shares[high] > 0 else None
    return Disparity(name, difference(rates[high], rates[low]), ratio, high, low, too_few)


def _worse(a: Disparity, b: Disparity) -> Disparity:
    """Equalised odds requires equal rates of both kinds, so both must be comparable."""
    too_few = tuple(dict.fromkeys(a.too_few + b.too_few))
    name = "equalised odds"
    if a.difference.value is None or b.difference.value is None:
        return Disparity(name, NOTHING, None, None, None, too_few)
    worse = a if a.difference.value >= b.difference.value else b
    ratios = [d.ratio for d in (a, b) if d.ratio is not None]
    return Disparity(name, worse.difference, min(ratios, default=None), worse.highest, worse.lowest, too_few)
