"""Figures of subgroups are those of their rows alone, in the groups of the training rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.constraints import DemographicParity, EqualOpportunity
from solvers.constraints.values import grouping
from solvers.errors import DataError
from solvers.metrics import compared_groups, diagnose, group_by, subgroups
from solvers.problem import Column, Group, Kind, Problem, sample_dataset
from solvers.problem.groups import cut_names, thirds
from tests.metrics.test_diagnosis import tree


def test_figures_of_a_group_are_those_of_its_rows():
    """Each subgroup has the figures of its rows alone; each row is in one subgroup."""
    diagram, dataset = tree("triage")
    group = group_by(dataset, dataset, "sex")
    found = subgroups(dataset, diagram.predict(dataset), diagram.predict_proba(dataset), dataset.positive, group)
    assert [part.name for part in found] == ["female", "male"] and sum(part.n for part in found) == dataset.n_samples
    for code, part in enumerate(found):
        rows = dataset.take(group.codes == code)
        assert part.figures == diagnose(diagram, rows, dataset.positive)
        risks = diagram.predict_proba(rows)[:, dataset.positive]
        assert part.expected == pytest.approx(risks.mean())
        assert part.in_the_large.value == pytest.approx((rows.y == dataset.positive).mean() - risks.mean())


def names(group: Group) -> list[str]:
    """The name of the group of each row; '' if it is missing."""
    return [group.levels[code] if code >= 0 else "" for code in group.codes]


def test_groups_of_fairness_constraints_are_those_that_the_constraints_compare():
    """A crossing follows its columns; the groups of new rows have the limits of the training rows."""
    dataset = tree("triage")[1]
    limit = EqualOpportunity("sex x age", Fraction(1, 5))
    problem = Problem(dataset, constraints=(limit, DemographicParity("sex", Fraction(1, 5))))
    found = compared_groups(problem, dataset)
    assert [group.name for group in found] == ["language", "sex", "age", "sex × age"]
    for group in found:
        assert names(group) == names(grouping(dataset, group.name))
    few = np.arange(0, dataset.n_samples, 7)
    for group, whole in zip(compared_groups(problem, dataset.take(few)), found, strict=True):
        assert names(group) == np.array(names(whole))[few].tolist()
    assert compared_groups(Problem(dataset), dataset) == dataset.groups


def test_missing_values_form_a_subgroup_and_empty_subgroups_have_no_figures():
    """Rows whose group is unknown come last."""
    diagram, dataset = tree("triage")
    group = group_by(dataset, dataset, "lactate")
    found = subgroups(dataset, diagram.predict(dataset), diagram.predict_proba(dataset), dataset.positive, group)
    assert [part.known for part in found] == [True, True, True, False]
    missing = np.isnan(dataset.X[:, dataset.schema.index("lactate")])
    assert found[-1].n == missing.sum()
    known = dataset.take(~missing)
    empty = Group("none", ("a", "b"), np.zeros(known.n_samples))
    parts = subgroups(known, diagram.predict(known), diagram.predict_proba(known), dataset.positive, empty)
    assert (parts[1].n, parts[1].figures, parts[1].observed) == (0, None, None)


def test_numbers_are_divided_as_in_the_training_rows():
    """Other rows are divided at the same limits, whatever their own distribution."""
    dataset = sample_dataset("triage")
    old = dataset.take(dataset.X[:, dataset.schema.index("age")] > 80)
    whole, part = group_by(dataset, dataset, "age"), group_by(dataset, old, "age")
    assert whole.levels == part.levels and len(whole.levels) == 3
    assert set(part.codes) == {2}
    sizes = np.bincount(whole.codes)
    assert sizes.min() > dataset.n_samples / 4


def test_each_of_few_values_is_a_group():
    """A number with few values is not divided; a value that no training row has counts as unknown."""
    dataset = sample_dataset("balance_scale")
    name = dataset.schema.names[0]
    found = group_by(dataset.take(dataset.X[:, 0] != 3), dataset, name)
    assert found.levels == ("1", "2", "4", "5")
    assert (found.codes[dataset.X[:, 0] == 3] == -1).all()


def test_group_columns_that_are_not_features_can_be_used():
    """They are stored with the rows."""
    names = [name for name in sample_dataset("lending").schema.names if name != "sex"]
    dataset = sample_dataset("lending", features=tuple(names))
    assert group_by(dataset, dataset, "sex") == dataset.groups[0]
    with pytest.raises(DataError, match="no column 'shoe'"):
        group_by(dataset, dataset, "shoe")


def test_without_a_positive_class_there_is_no_calibration():
    """Three classes without a positive one have accuracy, but no risk to compare."""
    diagram, dataset = tree("iris")
    group = group_by(dataset, dataset, dataset.schema.names[0])
    found = subgroups(dataset, diagram.predict(dataset), diagram.predict_proba(dataset), None, group)
    assert all(part.expected is None and part.figures.accuracy.n == part.n for part in found)


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=40).filter(lambda values: len(set(values)) > 1))
def test_each_third_of_any_column_has_a_name_and_rows(values):
    """Also if more than two thirds of the rows equal the maximum, as for a coma scale of 15 in most hospitals."""
    known = np.array(values, float)
    cuts = thirds(known)
    names = cut_names(Column("gcs", Kind.NUMERIC), cuts)
    counts = np.bincount(np.searchsorted(cuts, known), minlength=len(names))
    assert 2 <= len(names) == len(set(names)) <= 3 and counts.min() > 0 and len(counts) == len(names)
