"""Each step does what its text says, cell by cell; lists of steps are saved, loaded, and refused if invalid."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from solvers.errors import DataError
from solvers.problem import Kind, Request, build, external_dataset, table_of_frame
from solvers.problem.preparation import (
    STEPS,
    Combine,
    Cut,
    Form,
    KeepRows,
    Operation,
    Preparation,
    ReadAs,
    Rename,
    Replace,
    SetType,
    preparation_of,
    read_preparation,
)

FRAME = pd.DataFrame(
    {
        "age": ["70", "17", "", "18", "40.5"],
        "crp": ["-99", "12", "-99.0", "3.5", "n/a"],
        "status": ["died", "Died", "YES", "alive", "alive"],
        "in": ["2024-01-30", "2024-02-28", "2024-01-01 12:00", "", "2023-12-31"],
        "out": ["2024-02-01", "2024-03-01", "2024-01-02", "2024-01-05", "2023-12-01"],
        "dose": ["10", "0", "5", "2", "1"],
        "lab": ["< 0,5", ">1000", "3", "", "≤.3"],
        "seen": ["03/04/2024", "3.12.2024 07:30", "2024-01-05", "", "n/a"],
    }
)
TABLE = table_of_frame(FRAME, "ward")


def after(*steps, column):
    """The cells of a column after some steps."""
    return Preparation(steps).apply(TABLE).table.frame[column].tolist()


@pytest.mark.parametrize(
    ("step", "column", "cells"),
    [
        (Replace("crp", ("-99",)), "crp", ["", "12", "", "3.5", "n/a"]),
        (Replace("status", ("Died", "YES"), "died"), "status", ["died", "died", "died", "alive", "alive"]),
        (Rename("age", "years"), "years", ["70", "17", "", "18", "40.5"]),
        (SetType("dose", "ordered"), "dose", ["10", "0", "5", "2", "1"]),
        (ReadAs("lab", "the limit", ("< 0,5", ">1000", "≤.3")), "lab", ["0.5", "1000", "3", "", "0.3"]),
        (ReadAs("lab", "half the limit", ("< 0,5", ">1000")), "lab", ["0.25", "1000", "3", "", "≤.3"]),
        (ReadAs("seen", Form.DAY_FIRST), "seen", ["2024-04-03", "2024-12-03 07:30", "2024-01-05", "", "n/a"]),
        (ReadAs("seen", Form.MONTH_FIRST), "seen", ["2024-03-04", "2024-03-12 07:30", "2024-01-05", "", "n/a"]),
        (ReadAs("seen", Form.EXCHANGED), "seen", ["03/04/2024", "3.12.2024 07:30", "2024-05-01", "", "n/a"]),
        (Cut("age", (18, 40)), "age", ["over 40", "up to 18", "", "up to 18", "over 40"]),
        (Cut("age", (18,), ("young", "old")), "age", ["old", "young", "", "young", "old"]),
        (Combine("age", "minus", "dose", "gap"), "gap", ["60", "17", "", "16", "39.5"]),
        (Combine("age", "divided by", "dose", "each"), "each", ["7", "", "", "9", "40.5"]),
        (Combine("in", "days to", "out", "stay"), "stay", ["2", "2", "0.5", "", "-30"]),
    ],
)
def test_a_step_changes_cells_as_stated(step, column, cells):
    """The cells after each kind of step, written by hand."""
    assert after(step, column=column) == cells


@pytest.mark.parametrize(
    ("step", "rows"),
    [
        (KeepRows("age", "is at least", ("18",)), [0, 3, 4]),
        (KeepRows("age", "is more than", ("18",)), [0, 4]),
        (KeepRows("age", "is at most", ("18",)), [1, 3]),
        (KeepRows("age", "is less than", ("18",)), [1]),
        (KeepRows("age", "is known"), [0, 1, 3, 4]),
        (KeepRows("in", "is at least", ("2024-01-01",)), [0, 1, 2]),
        (KeepRows("status", "is", ("died", "YES")), [0, 2]),
        (KeepRows("status", "is not", ("alive",)), [0, 1, 2]),
    ],
)
def test_kept_rows_have_the_numbers_of_the_file(step, rows):
    """A step that keeps rows stores their numbers in the file; their cells are kept with them."""
    prepared = Preparation((step,)).apply(TABLE)
    assert prepared.rows.tolist() == rows
    assert prepared.table.frame.equals(FRAME.iloc[rows].reset_index(drop=True))
    assert prepared.n_left_out == len(FRAME) - len(rows)


def test_later_steps_see_the_results_of_earlier_ones():
    """Names, rows and cells are those after the earlier steps; row numbers in errors are those of the file."""
    steps = Preparation((Rename("age", "years"), KeepRows("years", "is at least", ("18",)), Cut("years", (40,))))
    assert steps.apply(TABLE).table.frame["years"].tolist() == ["over 40", "up to 40", "over 40"]
    broken = Preparation((KeepRows("age", "is at least", ("18",)), Combine("status", "divided by", "dose", "x")))
    with pytest.raises(DataError, match=r"Step 2 .*'status' holds text where a number must be \('died' in row 1\)"):
        broken.apply(TABLE)
    late = Preparation((KeepRows("age", "is at most", ("18",)), Combine("status", "minus", "dose", "x")))
    with pytest.raises(DataError, match="'Died' in row 2"):
        late.apply(TABLE)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((Rename("age", "crp"),), "There is a column 'crp' already"),
        ((Combine("age", "minus", "dose", "status"),), "There is a column 'status' already"),
        (
            (Rename("age", "years"), Cut("age", (3,))),
            r"Step 2 of the preparation \(cut 'age' at 3\): There is no column",
        ),
        ((KeepRows("age", "is more than", ("99",)),), "No row is left"),
        ((Combine("in", "days to", "dose", "x"),), "holds a value that is not a date"),
    ],
)
def test_errors_name_the_step(steps, message):
    """The error names the step, and the row or column if there is one."""
    with pytest.raises(DataError, match=message):
        Preparation(steps).apply(TABLE)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"kind": "cutt", "column": "a", "thresholds": [1]}, "Did you mean 'cut'"),
        ({"kind": "cut", "column": "a"}, "needs the field 'thresholds'"),
        ({"kind": "cut", "column": "a", "thresholds": ["x"]}, "must be a list of one or more numbers"),
        ({"kind": "cut", "column": "a", "thresholds": [1], "names": ["b"]}, "must have 2 different names"),
        ({"kind": "cut", "column": "a", "thresholds": [1], "at": 2}, "has no field 'at'"),
        ({"kind": "replace", "column": "a", "values": ["x"], "to": "unknown"}, "means a missing value"),
        (
            {"kind": "keep", "column": "a", "condition": "is more than", "values": ["red"]},
            "needs a number such as 0.5, or a date",
        ),
        ({"kind": "keep", "column": "a", "condition": "is"}, "needs a value"),
        ({"kind": "type", "column": "a", "type": "numeric", "levels": ["x", "y"]}, "has no levels"),
        ({"kind": "type", "column": "a", "type": "binary", "levels": ["x", "y", "z"]}, "has 2 levels, but 3"),
        ({"kind": "combine", "first": "a", "operation": "plus", "second": "b", "to": "c"}, "must be one of minus"),
        ({"kind": "type", "column": "a", "type": "float"}, "must be one of numeric"),
        ({"kind": "read", "column": "a", "form": "the limit", "values": ["<5", "5"]}, "'5' names no limit"),
        ({"kind": "read", "column": "a", "form": "half the limit"}, "needs the cells to convert"),
        ({"kind": "read", "column": "a", "form": "day first", "values": ["<5"]}, "takes no limits"),
        ({"kind": "replace", "column": "a", "values": [""]}, "a list of one or more values"),
        ("cut", 'an object with a "kind"'),
    ],
)
def test_invalid_lists_are_refused(data, message):
    """The error names the step, and what it must contain."""
    with pytest.raises(DataError, match=message) as error:
        Preparation.from_json([{"kind": "rename", "column": "a", "to": "b"}, data])
    assert "step 2: " in str(error.value)


ALL = Preparation(
    (
        Replace("crp", (-99,)),
        Replace("status", ("Died", "YES"), "died"),
        Rename("age", "years"),
        SetType("dose", "ordered"),
        SetType("status", Kind.ORDERED, ("alive", "died")),
        KeepRows("years", "is known"),
        Combine("years", Operation.MINUS, "dose", "gap"),
        Combine("years", Operation.DIVIDED, "dose", "each"),
        Combine("in", Operation.DAYS, "out", "stay"),
        Cut("each", (8.0,), ("low", "high")),
        ReadAs("lab", Form.HALF, ("< 0,5", ">1000", "≤.3")),
        ReadAs("seen", Form.DAY_FIRST),
    )
)


def test_lists_are_saved_and_loaded(tmp_path):
    """Every kind of step is the same after a round trip through a file, and has a description."""
    assert {step.kind for step in ALL.steps} == set(STEPS)
    (tmp_path / "steps.json").write_text(ALL.text())
    assert read_preparation(tmp_path / "steps.json") == ALL == preparation_of(ALL.text())
    assert len(set(ALL.words)) == len(ALL)
    with pytest.raises(DataError, match="cannot be read"):
        read_preparation(tmp_path / "none.json")
    with pytest.raises(DataError, match="is not valid JSON"):
        preparation_of("{")


def test_types_and_levels_are_those_of_the_steps():
    """The types and levels of the steps hold when the rows are typed, under the last name of the column."""
    steps = Preparation((*ALL.steps, Rename("each", "strength"), Cut("stay", (1,))))
    assert steps.readings["strength"].levels == ("low", "high")
    built = build(
        TABLE, Request(target="status", prepare=tuple(steps.to_json()), features=("strength", "dose", "stay"))
    )
    assert built.dataset.classes == ("alive", "died")
    kinds = {column.name: column.kind for column in built.dataset.schema.columns}
    assert kinds == {"strength": Kind.BINARY, "dose": Kind.ORDERED, "stay": Kind.BINARY}
    assert built.dataset.rows.tolist() == [1, 2, 4, 5]
    assert built.dataset.schema.preparation == steps
    assert built.notes[0] == "1 row that the preparation steps do not keep is left out."


def test_a_second_file_is_prepared_in_the_same_manner():
    """The steps are applied to a raw second file; columns that only steps for other columns read may be absent."""
    outcome = Preparation((Replace("status", ("Died", "YES"), "died"), Cut("age", (40,))))
    choices = Request(target="status", prepare=tuple(outcome.to_json()), features=("age", "dose"))
    train = build(TABLE, choices).dataset
    second = external_dataset(TABLE, train, choices).dataset
    np.testing.assert_array_equal(second.X, train.X)
    assert second.rows.tolist() == [1, 2, 3, 4, 5]


def test_new_rows_need_only_the_columns_of_the_model():
    """Steps for other columns and for the outcome are skipped for new rows; those that keep rows are not."""
    steps = Preparation(
        (
            Rename("age", "years"),
            Cut("years", (40,)),
            KeepRows("status", "is not", ("YES",)),
            KeepRows("dose", "is known"),
            Replace("status", ("Died", "YES"), "died"),
            Combine("dose", "minus", "crp", "gap"),
        )
    )
    needed = steps.leading_to(("years",), "status")
    assert [step.kind for step in needed.steps] == ["rename", "cut", "keep"]
    assert set(needed.raw(("years",))) == {"age", "dose"}
    assert not Preparation().leading_to(("age",), "status")
