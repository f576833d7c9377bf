"""Fairness by group, against written-out definitions; test_diagnosis compares differences and ratios with fairlearn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import DataError
from solvers.metrics import Criterion, FourFifths, fairness
from solvers.problem import Group
from tests.case_count import case_count
from tests.metrics.tables import performance, table


def case(*blocks: tuple[int, int, int, int]):
    """A dataset with a group column, and predictions, from (group, true class, predicted class, rows)."""
    codes, y, predicted = (np.repeat([b[i] for b in blocks], [b[3] for b in blocks]) for i in range(3))
    levels = tuple("abc"[: codes.max() + 1])
    return table(y, groups=(Group("sex", levels, codes),)), predicted


def test_four_fifths_satisfy_the_rule():
    """A ratio of 0.8 is enough, even if the quotient of the floats is slightly below."""
    dataset, predicted = case((0, 1, 1, 4), (0, 1, 0, 6), (1, 1, 1, 8), (1, 1, 0, 17))
    facts = fairness(dataset, predicted, "sex")
    assert facts.disparities[Criterion.PARITY].ratio < 0.8
    assert (facts.disparities[Criterion.PARITY].highest, facts.disparities[Criterion.PARITY].lowest) == ("a", "b")
    assert facts.four_fifths is FourFifths.MET
    unfair = fairness(*case((0, 1, 1, 10), (1, 1, 1, 7), (1, 1, 0, 3)), "sex")
    assert unfair.four_fifths is FourFifths.NOT_MET


def test_small_groups_are_reported_but_not_compared():
    """A group with too few relevant rows is listed as omitted, for each criterion."""
    dataset, predicted = case((0, 1, 1, 20), (0, 0, 0, 20), (1, 1, 1, 15), (1, 0, 0, 5), (2, 0, 1, 4))
    facts = fairness(dataset, predicted, "sex", min_rows=10)
    assert facts.disparities[Criterion.PARITY].too_few == ("c",)
    assert facts.disparities[Criterion.OPPORTUNITY].too_few == ("c",)
    assert facts.disparities[Criterion.EQUALITY].too_few == ("b", "c")
    assert facts.disparities[Criterion.EQUALITY].difference.value is None
    assert facts.disparities[Criterion.ODDS].difference.value is None
    assert facts.disparities[Criterion.ODDS].too_few == ("c", "b")
    assert facts.groups[2].rates[Criterion.PARITY].value == 1.0
    assert facts.groups[2].rates[Criterion.OPPORTUNITY].value is None


def test_a_ratio_without_predicted_positives_does_not_exist():
    """If no group has predicted positives, the ratio does not exist and the verdict says why."""
    dataset, predicted = case((0, 0, 0, 20), (1, 0, 0, 20))
    facts = fairness(dataset, predicted, "sex")
    assert facts.four_fifths is FourFifths.UNDEFINED
    assert facts.disparities[Criterion.PARITY].ratio is None
    assert facts.disparities[Criterion.PARITY].difference.value == 0


def test_rows_without_a_group_are_reported_and_not_compared():
    """The rows whose group is missing come last, and change no comparison."""
    blocks = [(0, 1, 1, 10), (0, 0, 0, 10), (1, 1, 0, 12), (1, 0, 1, 8)]
    dataset, predicted = case(*blocks, (-1, 1, 1, 30))
    facts = fairness(dataset, predicted, "sex")
    assert [(g.name, g.known, g.n) for g in facts.groups] == [("a", True, 20), ("b", True, 20), ("unknown", False, 30)]
    assert facts.disparities[Criterion.PARITY] == fairness(*case(*blocks), "sex").disparities[Criterion.PARITY]


@settings(derandomize=True, deadline=None, max_examples=case_count(50))
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_rates_are_those_of_the_group_alone(seed, weighted):
    """Each group's rates are the performance on its rows; a criterion is the largest difference of any two groups."""
    rng = np.random.default_rng(seed)
    y, predicted = rng.integers(0, 2, (2, 90))
    codes = rng.integers(0, 3, 90)
    weight = rng.choice([0.5, 1.0, 2.0], 90) if weighted else None
    dataset = table(y, groups=(Group("g", ("a", "b", "c"), codes),), weight=weight)
    facts = fairness(dataset, predicted, "g", min_rows=1)
    for code, group in enumerate(facts.groups):
        alone = performance(dataset.take(codes == code), predicted[codes == code])
        assert group.rates[Criterion.OPPORTUNITY] == alone.sensitivity
        assert group.rates[Criterion.ACCURACY] == alone.accuracy
        if alone.specificity.value is not None:
            assert group.rates[Criterion.EQUALITY].value == pytest.approx(1 - alone.specificity.value)
    selection = [g.rates[Criterion.PARITY].value for g in facts.groups]
    assert facts.disparities[Criterion.PARITY].difference.value == max(a - b for a in selection for b in selection)
    odds = facts.disparities[Criterion.ODDS]
    parts = [facts.disparities[one] for one in (Criterion.OPPORTUNITY, Criterion.EQUALITY)]
    assert odds.ratio == min(part.ratio for part in parts if part.ratio is not None)
    assert odds.difference.value == max(part.difference.value for part in parts)


def test_invalid_comparisons_are_refused():
    """No positive class, an unknown column, an invalid minimum, or a group column of other rows."""
    dataset, predicted = case((0, 1, 1, 20), (1, 0, 0, 20))
    with pytest.raises(DataError, match=r"no group column 'age'.* \(chosen: sex\)"):
        fairness(dataset, predicted, "age")
    with pytest.raises(DataError, match="at least 1"):
        fairness(dataset, predicted, "sex", min_rows=0)
    with pytest.raises(DataError, match="one value for each of 40 rows"):
        fairness(dataset, predicted, Group("sex", ("a",), np.zeros(3)))
    with pytest.raises(DataError, match="Choose the positive class"):
        fairness(table([0, 1], positive=None), np.array([0, 1]), "sex")
