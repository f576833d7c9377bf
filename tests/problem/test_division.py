"""Rows are divided as by scikit-learn's splitters, and groups are never on both sides."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import (
    GroupShuffleSplit,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    train_test_split,
)

from solvers.errors import DataError
from solvers.problem import (
    Dataset,
    Division,
    DivisionRule,
    Group,
    Kind,
    MissingPolicy,
    Request,
    build,
    holdout,
    read_table,
)
from solvers.study.resamples import bootstrap_samples, folds
from tests.strategies import make_dataset


def of(codes) -> Group:
    """A column that divides rows."""
    return Group("by", (), np.asarray(codes))


def dataset(y, division: Division | None = None) -> Dataset:
    """A table with these classes."""
    return replace(make_dataset({"a": (Kind.NUMERIC, range(len(y)))}, y), division=division or Division())


@st.composite
def tables(draw: st.DrawFn, roles: tuple[str, ...]) -> tuple[Dataset, int, int]:
    """A table with columns of these roles that have few or many groups, a number of folds, and a seed."""
    n, seed = draw(st.integers(30, 80)), draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    y = rng.integers(0, draw(st.integers(2, 3)), n)
    assume(np.bincount(y).min() > 1)
    columns = {role: of(rng.integers(0, draw(st.sampled_from((3, 12, 60))), n)) for role in roles}
    return dataset(y, Division(**columns)), draw(st.integers(2, 6)), seed % 2**20


def same(found, expected) -> None:
    """Check that the parts are those of a splitter."""
    for part, (train, test) in zip(found, expected, strict=True):
        assert part.train.tolist() == sorted(train) and part.test.tolist() == sorted(test)


def split(splitter, data: Dataset, groups=None):
    """The parts of a table by a splitter of scikit-learn."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        return list(splitter.split(data.X, data.y, groups))


@given(tables(()))
def test_ungrouped_rows_are_divided_as_by_stratified_k_fold(table):
    """Each class keeps its share in each fold."""
    data, n, seed = table
    same(folds(data, n, 1, seed), split(StratifiedKFold(n, shuffle=True, random_state=seed), data))


@given(tables(("groups",)))
def test_groups_are_divided_as_by_stratified_group_k_fold(table):
    """No group is on both sides, and each row is tested once; repeats use other seeds."""
    data, n, seed = table
    codes = data.division.groups.codes
    found = list(folds(data, n, 2, seed))
    n = min(n, len(set(codes.tolist())))
    for repeat, own in enumerate((seed, seed + 7919)):
        parts = [part for part in found if part.repeat == repeat]
        same(parts, split(StratifiedGroupKFold(n, shuffle=True, random_state=own), data, codes))
        assert sorted(np.concatenate([part.test for part in parts])) == list(range(data.n_samples))
    assert not any(set(codes[part.train]) & set(codes[part.test]) for part in found)


@given(tables(("centres",)))
def test_centres_are_divided_as_by_leave_one_group_out(table):
    """The numbers of folds and repeats are ignored."""
    data, n, seed = table
    same(folds(data, n, 3, seed), split(LeaveOneGroupOut(), data, data.division.centres.codes))


@given(tables(("time",)))
def test_times_are_divided_as_by_time_series_split(table):
    """Without ties exactly; with ties each part has its own times, all after the training times."""
    data, n, seed = table
    time = data.division.time.codes
    found = list(folds(data, n, 2, seed))
    assert len(found) == min(n, len(set(time.tolist())) - 1)
    seen = -1
    for part in found:
        assert len(part.train) and time[part.train].max() < time[part.test].min() and time[part.test].min() > seen
        assert sorted(np.flatnonzero(time < time[part.test].min())) == part.train.tolist()
        seen = time[part.test].max()
    assert seen == time.max()
    order = np.random.default_rng(seed).permutation(data.n_samples)
    untied = replace(data, division=Division(time=of(order)))
    place = np.argsort(order)
    expected = [(place[train], place[test]) for train, test in split(TimeSeriesSplit(n), data)]
    same(folds(untied, n, 1, seed), expected)


@given(tables(("groups", "centres")), st.booleans())
def test_a_tested_group_is_not_used_for_training(table, in_time):
    """By centre and by time the test rows are the same as without groups; their groups leave the training rows."""
    data, n, seed = table
    groups, other = data.division.groups, data.division.centres
    plain = Division(time=other) if in_time else Division(centres=other)
    both = replace(data, division=replace(plain, groups=groups))
    assert both.division.rule is (DivisionRule.TIME if in_time else DivisionRule.CENTRES)
    expected = []
    for part in folds(replace(data, division=plain), n, 1, seed):
        expected.append((part.train[~np.isin(groups.codes[part.train], groups.codes[part.test])], part.test))
    if all(len(train) for train, _ in expected):
        same(folds(both, n, 1, seed), expected)
    else:
        with pytest.raises(DataError, match="No training rows are left"):
            list(folds(both, n, 1, seed))


@given(tables(("groups", "centres")), st.sampled_from((0.2, 0.25, 0.5)))
def test_whole_groups_and_centres_are_held_out(table, share):
    """The division is one of `GroupShuffleSplit`, with classes as similar as possible to those of the table."""
    data, _, seed = table
    for division in (Division(groups=data.division.groups), Division(centres=data.division.centres)):
        train, test = division.held_out(data.y, share, seed)
        codes = division.by.codes
        choices = split(GroupShuffleSplit(30, test_size=share, random_state=seed), data, codes)

        def distance(rows: np.ndarray) -> float:
            counts = [np.count_nonzero(data.y[rows] == k) - share * np.count_nonzero(data.y == k) for k in set(data.y)]
            return float(np.abs(counts).sum())

        assert (train.tolist(), test.tolist()) in [(one.tolist(), other.tolist()) for one, other in choices]
        assert distance(test) == pytest.approx(min(distance(other) for _, other in choices))
        assert not set(codes[train]) & set(codes[test])


@given(tables(("time",)))
def test_the_latest_rows_are_held_out(table):
    """All training rows are earlier; without ties as many rows as `train_test_split` takes from the end."""
    data, _, seed = table
    time = data.division.time.codes
    train, test = data.division.held_out(data.y, 0.25, seed)
    assert time[train].max() < time[test].min() and len(train) + len(test) == data.n_samples
    distance = abs(len(test) - 0.25 * data.n_samples)
    assert distance <= np.bincount(time).max() + 1
    order = np.random.default_rng(seed).permutation(data.n_samples)
    later = Division(time=of(order)).held_out(data.y, 0.25, seed).test
    assert (
        sorted(order[later]) == train_test_split(np.arange(data.n_samples), test_size=0.25, shuffle=False)[1].tolist()
    )


@given(tables(("groups",)))
def test_bootstrap_samples_draw_whole_groups(table):
    """As many groups as there are, each with all its rows; ungrouped rows are drawn one by one."""
    data, _, seed = table
    codes = data.division.groups.codes
    for part in bootstrap_samples(data, 2, seed):
        times = np.bincount(part.train, minlength=data.n_samples)
        each = [set(times[codes == code].tolist()) for code in set(codes.tolist())]
        assert all(len(found) == 1 for found in each) and sum(min(found) for found in each) == len(each)
        drawn = np.random.default_rng((seed, part.number)).integers(0, data.n_samples, data.n_samples)
        alone = list(bootstrap_samples(replace(data, division=Division()), 2, seed))[part.number]
        assert alone.train.tolist() == sorted(drawn)


def test_a_single_centre_or_time_is_ignored():
    """So that rows without a centre can be divided further."""
    y, groups = np.arange(40) % 2, of(np.arange(40) // 4)
    for role in ("centres", "time"):
        common = Division(groups, **{role: of(np.zeros(40))})
        assert common.rule is DivisionRule.GROUPS
        splitter, data = StratifiedGroupKFold(4, shuffle=True, random_state=0), dataset(y, common)
        same(folds(data, 4, 1, 0), split(splitter, data, groups.codes))
    with pytest.raises(DataError, match="All rows have the same 'by'"):
        list(folds(dataset(y, Division(of(np.zeros(40)))), 4, 1, 0))
    with pytest.raises(DataError, match="by centre or by time"):
        Division(None, groups, groups)


def test_a_class_without_training_rows_is_refused():
    """This happens if all its rows are the latest, or in the held-out group."""
    with pytest.raises(DataError, match="No row of the class 'class 1' would be left"):
        holdout(dataset([0] * 15 + [1] * 5, Division(time=of(range(20)))), 0.25)
    with pytest.raises(DataError, match="too few to keep 90% of 'by'"):
        holdout(dataset([0, 1] * 10, Division(of([0, 1] * 10))), 0.9)


VISITS = """patient,hospital,visit,bp,ill
a,north,2020-01-05,1,yes
a,north,2021-01-05,2,no
b,south,2020-03-01,3,no
b,south,,4,yes
?,south,2022-03-01,5,yes
c,south,2019-03-01,6,no
"""


def test_columns_that_divide_rows_are_not_features():
    """Rows without a value are dropped, times become ranks, and only centres keep their names."""
    built = build(read_table(VISITS.encode()), Request(target="ill", group_rows="patient", time="visit"))
    data, division = built.dataset, built.dataset.division
    assert data.schema.names == ("hospital", "bp") and data.rows.tolist() == [1, 2, 3, 6]
    assert "1 row without a value of 'patient' is left out." in built.notes
    assert "1 row without a value of 'visit' is left out." in built.notes
    assert (division.groups.codes.tolist(), division.groups.levels) == ([0, 0, 1, 2], ())
    assert division.time.codes.tolist() == [1, 3, 2, 0] and division.rule is DivisionRule.TIME
    chosen = Request(target="ill", features=("bp", "hospital"), centres="hospital")
    data = build(read_table(VISITS.encode()), chosen).dataset
    assert data.schema.names == ("bp", "hospital") and data.division.centres.levels == ("north", "south")
    assert data.take([2, 3]).division.rule is DivisionRule.ROWS and data.take([0, 3]).division.column == "hospital"


@pytest.mark.parametrize(
    ("name", "rows_each", "warned"),
    [("patient", 3, True), ("PatientID", 2, True), ("patient_id", 1, False), ("age", 3, False)],
)
def test_a_column_that_may_identify_persons_is_reported(name, rows_each, warned):
    """Unless rows are already divided by it, or each person has one row."""
    text = f"{name},bp,ill\n" + "".join(f"p{i // rows_each},{i % 7},{'yes' if i % 3 else 'no'}\n" for i in range(90))
    table = read_table(text.encode())
    assert any("is one person" in note for note in build(table, Request(target="ill")).notes) is warned
    if rows_each > 1:
        assert not any("one person" in note for note in build(table, Request(target="ill", group_rows=name)).notes)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"time": "hospital"}, "must be a number or a date"),
        ({"group_rows": "patint"}, "Did you mean 'patient'"),
        ({"centres": "ill"}, "cannot be divided by the outcome"),
        ({"centres": "hospital", "time": "visit"}, "Choose one of them"),
    ],
)
def test_invalid_dividing_columns_are_refused(choices, message):
    """The error has the reason."""
    with pytest.raises(DataError, match=message):
        build(read_table(VISITS.encode()), Request(target="ill", **choices))


def test_only_a_division_changes_the_fingerprint():
    """Tables without a division keep theirs, so that earlier files are still valid."""
    data = dataset([0, 1] * 5, Division())
    prints = {data.fingerprint}
    for division in (Division(of(range(10))), Division(centres=of(range(10))), Division(time=of(range(10)))):
        prints.add(replace(data, division=division).fingerprint)
    assert len(prints) == 4


def test_parts_are_stratified_and_disjoint():
    """Each class keeps its share, every row is in one part, and the order of the file is kept."""
    data = dataset([0] * 80 + [1] * 20)
    train, test = holdout(data, 0.25)
    assert (train.class_counts.tolist(), test.class_counts.tolist()) == ([60, 15], [20, 5])
    assert sorted([*train.rows, *test.rows]) == data.rows.tolist()
    assert (np.diff(train.rows) > 0).all()
    assert (train.X[:, 0] + 1 == train.rows).all()


def test_columns_learn_nothing_from_the_test_rows():
    """Fill values come from the training rows, and both parts have the same schema."""
    values = [*range(39), float("nan")]
    data = make_dataset({"a": (Kind.NUMERIC, values)}, [0, 1] * 20, missing=MissingPolicy.IMPUTE)
    train, test = holdout(data, 0.5, 3)
    assert train.schema == test.schema
    assert train.schema["a"].fill == np.nanmedian(train.X)
    assert train.schema["a"].has_missing == bool(np.isnan(train.X).any())


def test_a_class_of_one_row_is_for_training():
    """One row cannot be in both parts."""
    train, test = holdout(dataset([0] * 10 + [1] * 10 + [2]), 0.3)
    assert (train.class_counts[2], test.class_counts[2]) == (1, 0)


@pytest.mark.parametrize(
    ("y", "share", "message"),
    [
        ([0, 1] * 5, 0, "more than 0"),
        ([0, 1] * 5, 1.0, "less than 1"),
        ([0, 0, 1, 1], 0.1, "too few"),
        ([0, 1], 0.5, "few"),
    ],
)
def test_invalid_shares_are_refused(y, share, message):
    """A share out of range, or one that leaves no row of some class."""
    with pytest.raises(DataError, match=message):
        holdout(dataset(y), share)
