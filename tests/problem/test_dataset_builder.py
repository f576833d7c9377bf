"""From a table to a dataset: classes, features, weights, groups, dropped rows, and all refusals."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.diagram import Diagram, Leaf, Split
from solvers.errors import DataError, MissingValuesError
from solvers.problem import (
    Choices,
    Kind,
    MissingPolicy,
    Op,
    Predicate,
    ShapeKind,
    build,
    build_dataset,
    load_dataset,
    read_table,
)

NAN = float("nan")
WARD = """mrn;age;sex;bmi;pain;site;w;ill
A1;50;female;20,5;none;X;1;yes
A2;61;male;;mild;X;2;no
A3;70;male;31,0;severe;X;0,5;no
A4;;female;28,5;mild;X;1;no
A5;45;male;25,0;;X;3;
"""


def table(text: str = WARD, **options):
    """A table parsed from text."""
    return read_table(text.encode(), name="ward", **options)


def outcome_table(cells, **options):
    """A table with one feature and these outcomes."""
    return table("a,out\n" + "".join(f"{i % 5},{cell}\n" for i, cell in enumerate(cells)), header=True, **options)


def test_a_table_becomes_a_typed_matrix():
    """Numbers, levels and missing values are in place; ids, constants and the weight are not features."""
    built = build(table(), Choices("ill", weight="w", groups=("sex",)))
    data = built.dataset
    assert data.schema.names == ("age", "sex", "bmi", "pain")
    assert [c.kind for c in data.schema.columns] == [Kind.NUMERIC, Kind.BINARY, Kind.NUMERIC, Kind.ORDERED]
    np.testing.assert_array_equal(data.X, [[50, 0, 20.5, 0], [61, 1, NAN, 1], [70, 1, 31, 2], [NAN, 0, 28.5, 1]])
    assert (data.classes, data.y.tolist(), data.positive) == (("no", "yes"), [1, 0, 0, 0], 1)
    assert data.weight.tolist() == [1, 2, 0.5, 1]
    assert (data.groups[0].levels, data.groups[0].codes.tolist()) == (("female", "male"), [0, 1, 1, 0])
    assert data.rows.tolist() == [1, 2, 3, 4]
    assert "1 row without an outcome is left out." in built.notes
    assert any("The column 'mrn' is left out: likely an identifier" in note for note in built.notes)
    assert built.notes[0] == "1 row without an outcome is left out."
    assert "The column 'site' is left out: it has the same value in every row." in built.notes


def test_columns_describe_their_rows():
    """The median, the most frequent level, whether values are missing, and whether they are whole numbers."""
    columns = {c.name: c for c in build_dataset(table(), "ill", features=["age", "sex", "bmi", "pain"]).schema.columns}
    assert (columns["age"].fill, columns["age"].has_missing, columns["age"].integral) == (61, True, True)
    assert (columns["bmi"].fill, columns["bmi"].has_missing, columns["bmi"].integral) == (28.5, True, False)
    assert (columns["sex"].fill, columns["sex"].has_missing) == (0, False)
    assert (columns["pain"].fill, columns["pain"].levels) == (1, ("none", "mild", "severe"))


def test_incomplete_rows_are_dropped():
    """Rows with a missing feature are dropped and counted; columns that are not features do not matter."""
    built = build(table(), Choices("ill", features=("age", "bmi"), missing=MissingPolicy.COMPLETE))
    assert built.dataset.rows.tolist() == [1, 3]
    assert "2 rows with a missing value are left out." in built.notes
    whole = build(table(), Choices("ill", features=("sex",), missing=MissingPolicy.COMPLETE))
    assert not any("missing value" in note for note in whole.notes)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (",7,0\n,7,0\n1,7,1\n1,7,1\n", "complete rows are all of one class"),
        (",7,0\n,8,1\n", "'a' holds no values"),
        ("1,,0\n,2,1\n,3,1\n", r"No row is complete. The column 'a' has most values missing \(2 of 3\)"),
    ],
)
def test_the_column_that_leaves_too_few_rows_is_named(rows, message):
    """The error names the column with the most missing values."""
    with pytest.raises(DataError, match=message):
        build_dataset(table("a,b,out\n" + rows, header=True), "out", features=["a", "b"], missing="complete")


@pytest.mark.parametrize(
    ("cells", "classes", "positive"),
    [
        (["yes", "no", "yes", "yes"], ("no", "yes"), "yes"),
        (["1", "0", "1", "1"], ("0", "1"), "1"),
        (["1.0", "0.0", "1.0"], ("0", "1"), "1"),
        (["-1", "1", "1"], ("-1", "1"), "1"),
        (["1", "2", "1"], ("1", "2"), "2"),
        (["1", "2", "2"], ("1", "2"), "1"),
        (["malignant", "benign", "malignant"], ("benign", "malignant"), "malignant"),
        (["survived", "died", "died"], ("died", "survived"), "died"),
        (["no disease", "heart disease", "heart disease"], ("heart disease", "no disease"), "heart disease"),
        (["cat", "dog", "cat"], ("cat", "dog"), "dog"),
        (["cat", "dog"], ("cat", "dog"), "dog"),
        (["10", "9", "8"], ("8", "9", "10"), None),
        (["high", "low", "medium"], ("low", "medium", "high"), None),
    ],
)
def test_classes_are_sorted_and_one_is_positive(cells, classes, positive):
    """Of two classes the name decides which is positive, else the rarer one is."""
    data = build_dataset(outcome_table(cells), "out")
    assert data.classes == classes
    assert (None if data.positive is None else data.classes[data.positive]) == positive
    assert [data.classes[k] for k in data.y] == [c.removesuffix(".0") for c in cells]


def test_the_positive_class_can_be_chosen():
    """By its text or its number; for another name the error lists the classes."""
    assert build_dataset(outcome_table(["a", "b", "c"]), "out", positive="b").positive == 1
    assert build_dataset(outcome_table(["0", "1", "0"]), "out", positive="0").positive == 0
    with pytest.raises(DataError, match=r"'d' is not a class of the outcome 'out'\. Its classes are: a, b, c"):
        build_dataset(outcome_table(["a", "b", "c"]), "out", positive="d")


def test_classes_can_be_ordered():
    """The levels of the outcome are its classes, and 'none' is one if the user says so."""
    data = build_dataset(outcome_table(["none", "flu", "none"]), "out", levels={"out": ["none", "flu"]})
    assert (data.classes, data.y.tolist()) == (("none", "flu"), [0, 1, 0])
    with pytest.raises(DataError, match=r"'none' count as missing; name them among its levels"):
        build_dataset(outcome_table(["none", "flu", "none"]), "out")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a"] * 5, "only one class, 'a'"),
        (["", "?", ""], "has no value"),
        ([f"{i / 7:.3f}" for i in range(30)], "30 different numbers and looks like a measurement.*threshold"),
        (range(800), "800 different numbers and looks like a measurement"),
        ([f"t{i}" for i in range(60)], "60 different texts and looks like an identifier"),
    ],
)
def test_invalid_outcomes_are_refused(cells, message):
    """One class, none, or hundreds of values."""
    with pytest.raises(DataError, match=message):
        build_dataset(outcome_table(cells), "out")


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"outcome": "il"}, r"no column 'il' \(chosen as outcome\). Did you mean 'ill'"),
        ({"outcome": "ILL"}, "Did you mean 'ill'"),
        ({"outcome": "xyzzy"}, "no column 'xyzzy'.*The table has: mrn, age"),
        ({"features": ["agee"]}, r"'agee' \(chosen as feature\). Did you mean 'age'"),
        ({"weight": "weigth"}, "chosen as weight"),
        ({"groups": ["six"]}, r"'six' \(chosen as group\). Did you mean 'sex'"),
        ({"kinds": {"aeg": Kind.NUMERIC}}, "chosen as type"),
        ({"levels": {"pein": ["a"]}}, "chosen as level"),
        ({"features": ["age", "ill"]}, "'ill' is the outcome and cannot also be a feature"),
        ({"features": ["age", "w"], "weight": "w"}, "'w' is the weight and cannot also be a feature"),
        ({"weight": "ill"}, "cannot be both weight and outcome"),
        ({"features": []}, "No features are left"),
        (
            {"kinds": {"sex": Kind.NUMERIC}},
            r"'sex' holds numbers, but 5 of 5 rows have text \(first: 'female' in row 1\)",
        ),
        ({"kinds": {"site": Kind.DATE}, "features": ["site"]}, "'site' holds dates, but row 1 has 'X'"),
        ({"kinds": {"age": Kind.BINARY}}, "'age' is binary and must have 2 levels, but has 4"),
        ({"kinds": {"mrn": Kind.ORDERED}, "features": ["mrn"]}, "order of the levels of the column 'mrn' is not known"),
        ({"levels": {"pain": ["none", "mild"]}}, "'severe' in row 3, which is not among its levels"),
        ({"groups": ["mrn2"]}, "Did you mean 'mrn'"),
        ({"kinds": {"age": "float"}}, "type of 'age' must be one of numeric, binary,.*but is 'float'"),
        ({"missing": "zero"}, "policy for missing values must be one of information, complete, impute..*but is 'zero'"),
    ],
)
def test_invalid_choices_are_refused(choices, message):
    """The error quotes the choice and has a remedy."""
    with pytest.raises(DataError, match=message):
        build_dataset(table(), **({"outcome": "ill"} | choices))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["1", "0", "2"], "positive number in every row. 1 row does not .first: '0' in row 2"),
        (["1", "-1", "0"], "2 rows do not .first: '-1' in row 2"),
        (["", "1", "1"], "an empty cell in row 1"),
        (["1", "1", "inf"], "'inf' in row 3"),
        (["1", "many", "1"], "'many' in row 2"),
    ],
)
def test_invalid_weights_are_refused(cells, message):
    """Weights must be positive numbers in all rows."""
    text = "a,w,out\n" + "".join(f"{i},{cell},{i % 2}\n" for i, cell in enumerate(cells))
    with pytest.raises(DataError, match=message):
        build_dataset(table(text, header=True), "out", weight="w")


def test_weights_of_rows_without_an_outcome_are_ignored():
    """A dropped row may have no weight."""
    data = build_dataset(table("a,w,out\n1,2,x\n2,,\n3,4,y\n", header=True), "out", weight="w")
    assert data.weight.tolist() == [2, 4]


def test_kinds_and_levels_can_be_chosen():
    """Codes may be categories, a category may be ordered, and levels may include some that no row has."""
    text = "code,ward,out\n1,b,x\n2,a,y\n3,c,y\n"
    data = build_dataset(
        table(text),
        "out",
        kinds={"code": "categorical"},
        levels={"ward": ["c", "b", "a", "z"]},
        features=["ward", "code"],
    )
    assert [(c.kind, c.levels) for c in data.schema.columns] == [
        (Kind.ORDERED, ("c", "b", "a", "z")),
        (Kind.CATEGORICAL, ("1", "2", "3")),
    ]
    assert data.X.tolist() == [[1, 0], [2, 1], [0, 2]]


@pytest.mark.parametrize(
    ("cells", "levels", "codes"),
    [
        (range(1, 10), ("up to 3", "over 3 to 6", "over 6"), [0, 0, 0, 1, 1, 1, 2, 2, 2]),
        ([1, 1, 1, 1, 1, 2, 3, 4, 5, 6], ("up to 1", "over 1 to 3", "over 3"), [0, 0, 0, 0, 0, 1, 1, 2, 2, 2]),
        ([1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6, 6], ("up to 4", "over 4"), [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]),
        ([30, 10, "", 20], ("10", "20", "30"), [2, 0, -1, 1]),
        (["m", "f", "?", "m"], ("f", "m"), [1, 0, -1, 1]),
    ],
)
def test_groups_are_levels_or_thirds(cells, levels, codes):
    """A level is a group; a number is divided into thirds with readable names; missing is not a group."""
    text = "a,g,out\n" + "".join(f"{i},{cell},{'xy'[i % 2]}\n" for i, cell in enumerate(cells))
    group = build_dataset(table(text, header=True), "out", groups=["g"]).groups[0]
    assert (group.levels, group.codes.tolist()) == (levels, codes)


def test_invalid_group_columns_are_refused():
    """Too many levels, or no value."""
    text = "a,g,h,out\n" + "".join(f"{i % 7},t{i},,{i % 2}\n" for i in range(40))
    with pytest.raises(DataError, match="'g' has 40 levels; at most 30"):
        build_dataset(table(text, header=True), "out", groups=["g"])
    with pytest.raises(DataError, match="'h' holds no values"):
        build_dataset(table(text, header=True), "out", groups=["h"])


def test_files_without_a_header_are_read(tmp_path):
    """Separated by blanks, with the class first: columns are named by position, and numbers keep every bit."""
    values = np.random.default_rng(0).random((50, 3))
    path = tmp_path / "bank.txt"
    path.write_text("\n".join(" ".join([str(i % 3), *map(repr, row)]) for i, row in enumerate(values.tolist())))
    data = load_dataset(path, "0", header=False)
    assert (data.name, data.schema.names, data.classes) == ("bank", ("1", "2", "3"), ("0", "1", "2"))
    np.testing.assert_array_equal(data.X, values)


def stump(data, predicate) -> Diagram:
    """A tree with one split."""
    leaves = tuple(Leaf(k, tuple(float(i == k) for i in range(len(data.classes)))) for k in (0, 1))
    nodes = (Split(predicate, 1, 2), *leaves)
    return Diagram(ShapeKind.TREE, data.schema, data.classes, data.outcome, data.positive, nodes)


def test_unknown_and_missing_values_in_prediction_files_are_refused():
    """A level unknown to the model is refused, and under 'complete cases' a missing value is too."""
    data = build_dataset(table(), "ill", features=["sex", "age"], missing="complete")
    with pytest.raises(DataError, match="'diverse' in row 2, which was not in the training data"):
        stump(data, Predicate("sex", Op.IS, 1.0, False)).predict(table("sex,age\nmale,1\ndiverse,2\n").frame)
    with pytest.raises(MissingValuesError, match="'age' is missing in row 1"):
        stump(data, Predicate("age", Op.LE, 26.0, False)).predict(table("sex,age\nmale,?\nmale,2\n").frame)
