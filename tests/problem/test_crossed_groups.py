"""Crossed columns: the groups are the pairs of values that occur, in every place that accepts a group column."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import DemographicParity, Severity, Who
from solvers.errors import ConstraintError, DataError
from solvers.metrics import Criterion, fairness, subgroup_columns
from solvers.problem import Group, Problem, Request, build, build_dataset, external_dataset
from solvers.problem.groups import crossed_columns, crossed_group, with_parts
from solvers.problem.tables import table_of_frame
from tests.case_count import case_count


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(st.lists(st.tuples(*[st.integers(-1, 2)] * 3), min_size=1, max_size=12), st.integers(2, 3))
def test_groups_are_the_pairs_of_values_that_occur(rows: list[tuple[int, ...]], n_parts: int) -> None:
    """Row by row: each row is in the group of its values, or in none if a value is missing; every group has rows."""
    parts = [Group(f"c{j}", ("a", "b", "c"), [row[j] for row in rows]) for j in range(n_parts)]
    named = [" × ".join("abc"[i] for i in row[:n_parts]) if min(row[:n_parts]) >= 0 else None for row in rows]
    if not any(named):
        with pytest.raises(DataError, match="No row has a value in each column of 'c0 × c1"):
            crossed_group(parts)
        return
    group = crossed_group(parts)
    assert [None if code < 0 else group.levels[code] for code in group.codes] == named
    assert set(group.levels) == set(named) - {None}


def test_names_of_crossings_are_parsed() -> None:
    """' x ' is read as ' × '; a column of that name takes precedence; a column is not crossed with itself."""
    known = ("sex", "region", "a x b", "age")
    assert crossed_columns("sex x region", known) == crossed_columns("sex×region", known) == ("sex", "region")
    assert crossed_columns("sex × a x b", known) == ("sex", "a x b")
    assert crossed_columns("sex x region x age", known) == ("sex", "region", "age")
    assert crossed_columns("a x b", known) == crossed_columns("sex x sex", known) == crossed_columns("sex", known) == ()
    assert crossed_columns("sex x regoin", known) == ()
    assert with_parts(["region", "sex x region"], known) == ("region", "sex", "sex × region")


def people() -> pd.DataFrame:
    """Forty rows of each sex and region, but none that is 'f' and 'east'; one row has no region."""
    pairs = [(s, r) for s, r in product("fm", ("north", "south", "east")) if (s, r) != ("f", "east")]
    frame = pd.DataFrame([pairs[i % 5] for i in range(40)], columns=["sex", "region"])
    frame["age"] = np.arange(40) * 7 % 41 + 20
    frame["ill"] = np.where((np.arange(40) * 11 % 7) < 3, "yes", "no")
    frame.loc[7, "region"] = None
    return frame


def test_a_table_may_have_crossed_groups() -> None:
    """The columns come before their crossing; figures and subgroups include it; a second file has the same groups."""
    choices = Request(target="ill", positive="yes", features=("age",), groups=("sex x region",))
    dataset = build(table_of_frame(people(), "people"), choices).dataset
    assert [group.name for group in dataset.groups] == ["sex", "region", "sex × region"]
    crossed = dataset.groups[2]
    assert set(crossed.levels) == {"f × north", "f × south", "m × east", "m × north", "m × south"}
    assert (crossed.codes == -1).sum() == 1
    assert "sex × region" in subgroup_columns(dataset)
    found = fairness(dataset, dataset.y, "sex x region", min_rows=8)
    assert found.group == "sex × region" and found.disparities[Criterion.PARITY].too_few == ("m × north",)
    more = pd.DataFrame({"region": ["east", "south", "west"], "sex": ["f", "f", "m"], "age": 30, "ill": "no"})
    second = external_dataset(table_of_frame(more, "more"), dataset, choices)
    at_second = second.dataset.groups[2]
    assert at_second.levels == crossed.levels
    assert at_second.codes.tolist() == [-1, crossed.levels.index("f × south"), -1]
    lacking = external_dataset(table_of_frame(more.drop(columns="region"), "more"), dataset, choices)
    assert [group.name for group in lacking.dataset.groups] == ["sex"]
    assert any("lacks the columns of groups 'region'" in note for note in lacking.notes)


def test_invalid_crossings_are_refused() -> None:
    """Too many pairs, an unknown column, and a pair without rows are named in the error."""
    frame = pd.DataFrame({"a": np.arange(64) % 8, "b": np.arange(64) // 8, "x": np.arange(64), "y": ["u", "v"] * 32})
    kinds = {"a": "categorical", "b": "categorical"}
    with pytest.raises(DataError, match="'a × b' make 64 groups; at most 30"):
        build_dataset(table_of_frame(frame, "t"), "y", groups=("a x b",), types=kinds)
    with pytest.raises(DataError, match=r"no column 'regoin' \(chosen as group\). Did you mean 'region'"):
        build_dataset(table_of_frame(people(), "t"), "ill", groups=("sex x regoin", "sex x region"))
    with pytest.raises(DataError, match="no column 'sex x sex'"):
        build_dataset(table_of_frame(people(), "t"), "ill", groups=("sex x sex",))
    twice = [Group("a", ("u", "u × v"), [0, 1]), Group("b", ("v × w", "w"), [0, 1])]
    with pytest.raises(DataError, match="Two groups of 'a × b' have the same name"):
        crossed_group(twice)


def test_constraints_may_name_crossings() -> None:
    """A constraint crosses features and group columns itself, lists small pairs, and finds the rows of a pair."""
    dataset = build_dataset(table_of_frame(people(), "p"), "ill", positive="yes", groups=("sex",))
    found = DemographicParity("sex × region", "0.1", min_rows=8).check(Problem(dataset))
    text = " ".join(f.text for f in found)
    assert {f.severity for f in found} == {Severity.NOTE}
    assert "because the group has fewer than 8 rows: m × north" in text and "m × east (8)" in text
    assert "may use 'sex' itself" in text and "may use 'region' itself" in text
    frame = people()
    members = Who("sex x region", "f × north").members(dataset)
    assert members.tolist() == ((frame["sex"] == "f") & (frame["region"] == "north")).tolist()
    with pytest.raises(ConstraintError, match="No group of 'sex × region' is called 'f × east'"):
        Who("sex × region", "f × east").members(dataset)
    with pytest.raises(ConstraintError, match=r"There is no column 'regoin'\. Did you mean 'region'"):
        Who("sex × regoin", "f × north").members(dataset)
    with pytest.raises(ConstraintError, match="There is no column 'sex × sex'"):
        Who("sex × sex", "f × f").members(dataset)
