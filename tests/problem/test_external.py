"""A second file is read with the columns, levels and classes of the first, or refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.errors import DataError
from solvers.problem import Choices, Dataset, MissingPolicy, Preparation, build, external_dataset, read_table
from solvers.problem.preparation import JoinLevels

FIRST = b"age,sex,spo2,site,ill\n" + b"".join(
    f"{20 + i},{'fm'[i % 2]},{90 + i % 9},{'ABC'[i % 3]},{'yes' if i % 4 else 'no'}\n".encode() for i in range(24)
)


def train(choices: Choices) -> Dataset:
    """The training rows of the first file."""
    return build(read_table(FIRST, name="first"), choices).dataset


def second(text: str, choices: Choices | None = None, **more: object):
    """A second file, read like the training rows."""
    choices = choices or Choices("ill", positive="yes", features=("age", "sex", "spo2"))
    return external_dataset(read_table(text.encode(), name="second", header=True), train(choices), choices, **more)


def test_rows_are_read_like_the_training_rows():
    """Columns may be in another order; levels, classes and row numbers are those of the training rows."""
    found = second("ill,spo2,sex,age\nno,95,m,40\nyes,91,f,\n").dataset
    assert found.schema == train(Choices("ill", positive="yes", features=("age", "sex", "spo2"))).schema
    assert found.classes[found.positive] == "yes"
    assert [found.classes[k] for k in found.y] == ["no", "yes"]
    assert np.array_equal(found.X, [[40, 1, 95], [np.nan, 0, 91]], equal_nan=True)
    assert found.rows.tolist() == [1, 2]


def test_a_file_of_one_class_is_accepted():
    """Validation rows need not have both classes, because nothing is learned from them."""
    assert set(second("age,sex,spo2,ill\n40,m,95,no\n50,f,91,no\n").dataset.y) == {0}


def test_an_absent_column_is_named_with_its_likely_header():
    """The error lists what is missing, what exists, and which header was probably meant."""
    with pytest.raises(DataError, match=r"lacks 'spo2' \('SpO2' may be 'spo2': rename the column"):
        second("age,sex,SpO2,ill\n40,m,95,no\n")
    with pytest.raises(DataError, match="lacks 'ill'"):
        second("age,sex,spo2\n40,m,95\n")


def test_refusals_have_a_remedy():
    """An unknown level, a limit among numbers, and a column that a step does not find."""
    with pytest.raises(DataError, match=r"'x' in row 2.*merge the level with a known one in a preparation step"):
        second("age,sex,spo2,ill\n40,m,95,no\n40,x,95,no\n")
    with pytest.raises(DataError, match="'ill' has the level 'perhaps' in row 1"):
        second("age,sex,spo2,ill\n40,m,95,perhaps\n")
    with pytest.raises(DataError, match=r"'<90' in row 1.*--parse-censored"):
        second("age,sex,spo2,ill\n40,m,<90,no\n")
    steps = Preparation((JoinLevels("sex", ("f", "w"), "f"),))
    with pytest.raises(DataError, match=r"no column 'sex'. Rename 'SEX' to 'sex' first"):
        second("age,SEX,spo2,ill\n40,w,95,no\n", Choices("ill", positive="yes", preparation=steps))


def test_columns_that_no_model_uses_may_be_absent():
    """All their values are missing, and a note says so."""
    found = second("age,ill\n40,no\n50,yes\n", needed={"age"})
    assert any("lacks 'sex', 'spo2'" in note for note in found.notes)
    assert np.isnan(found.dataset.X[:, 1:]).all() and "'sex', 'spo2'" in found.notes[0]


def test_rows_without_an_outcome_are_dropped_and_counted():
    """The others keep their numbers; a file without any outcome is refused."""
    found = second("age,sex,spo2,ill\n40,m,95,\n50,f,91,no\n")
    assert found.dataset.rows.tolist() == [2]
    assert found.notes == ("1 row without an outcome is left out.",)
    with pytest.raises(DataError, match="No row of 'second' can be used"):
        second("age,sex,spo2,ill\n40,m,95,\n50,f,91,\n")


def test_the_missing_value_policy_is_that_of_the_training_rows():
    """Complete cases drop rows; other policies keep them, with the fill values of the training rows."""
    choices = Choices("ill", features=("age", "spo2"), missing=MissingPolicy.COMPLETE)
    found = second("age,spo2,ill\n,95,no\n50,91,no\n", choices)
    assert found.dataset.rows.tolist() == [2] and "with a missing value" in found.notes[0]
    choices = Choices("ill", features=("age", "spo2"), missing=MissingPolicy.IMPUTE)
    found = second("age,spo2,ill\n900,95,no\n,91,no\n", choices).dataset
    assert found.schema["age"].fill == train(choices).schema["age"].fill < 100


def test_groups_have_the_limits_of_the_training_rows():
    """Levels and thirds of the first file apply; other values are unknown; an absent column is reported."""
    choices = Choices("ill", features=("spo2",), groups=("age", "sex", "site"))
    groups = train(choices).groups
    found = second("age,sex,spo2,ill\n20,f,95,no\n999,x,91,no\n,m,91,no\n", choices)
    age, sex = found.dataset.groups
    assert age.levels == groups[0].levels and age.codes.tolist() == [0, 2, -1]
    assert sex.levels == ("f", "m") and sex.codes.tolist() == [0, -1, 1]
    assert "'site'" in found.notes[-1]


def test_groups_of_dates_have_the_limits_of_the_training_rows():
    """Dates that are not features are read as dates, whatever the names of the groups."""
    header, *lines = FIRST.decode().splitlines()
    rows = [f"{line},2024-{1 + i // 2:02}-{1 + i:02}" for i, line in enumerate(lines)]
    table = read_table("\n".join([f"{header},seen", *rows]).encode(), name="first", header=True)
    choices = Choices("ill", features=("age",), groups=("seen",))
    first = build(table, choices).dataset
    text = "age,ill,seen\n20,no,2024-01-01\n20,yes,2024-12-31\n20,no,\n"
    found = external_dataset(read_table(text.encode(), name="second", header=True), first, choices).dataset
    assert found.groups[0].codes.tolist() == [0, 2, -1] and found.groups[0].cuts == first.groups[0].cuts
    again = external_dataset(table, first, choices).dataset
    assert again.groups[0].codes.tolist() == first.groups[0].codes.tolist()


def test_training_rows_are_restored():
    """The first file, used as second file, gives the same rows and groups."""
    choices = Choices("ill", groups=("age", "sex"), weight="spo2")
    first = train(choices)
    again = external_dataset(read_table(FIRST, name="first"), first, choices).dataset
    assert again.fingerprint == first.fingerprint


def test_training_rows_in_a_second_file_are_noticed():
    """Training rows prove nothing; a note counts them. A name that is only a little similar is not suggested."""
    choices = Choices("ill", groups=("age", "sex"))
    again = external_dataset(read_table(FIRST, name="first"), train(choices), choices)
    assert again.notes[-1].startswith("24 of 24 rows are the same as training rows")
    assert second("age,sex,spo2,ill\n140,m,95,no\n").notes == ()
    with pytest.raises(DataError, match=r"lacks 'spo2'\. It has: age, sex, speed, ill"):
        second("age,sex,speed,ill\n40,m,95,no\n")


def test_weights_are_required():
    """If the training rows have weights, the second file must have them too."""
    with pytest.raises(DataError, match="lacks 'spo2'"):
        second("age,sex,ill\n40,m,no\n", Choices("ill", features=("age", "sex"), weight="spo2"))
