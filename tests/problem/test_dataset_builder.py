"""From a table to a dataset, and a second file like the first: classes, features, weights, groups, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.diagram import Diagram, Leaf, Split
from solvers.errors import DataError, MissingValuesError
from solvers.problem import (
    Dataset,
    Kind,
    MissingPolicy,
    Op,
    Predicate,
    Preparation,
    Request,
    ShapeKind,
    build,
    build_dataset,
    external_dataset,
    load_dataset,
    read_table,
)
from solvers.problem.preparation import Replace

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
    built = build(table(), Request(target="ill", weight="w", groups=("sex",)))
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
    built = build(table(), Request(target="ill", features=("age", "bmi"), missing=MissingPolicy.COMPLETE))
    assert built.dataset.rows.tolist() == [1, 3]
    assert "2 rows with a missing value are left out." in built.notes
    whole = build(table(), Request(target="ill", features=("sex",), missing=MissingPolicy.COMPLETE))
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
        ({"target": "il"}, r"no column 'il' \(chosen as outcome\). Did you mean 'ill'"),
        ({"target": "ILL"}, "Did you mean 'ill'"),
        ({"target": "xyzzy"}, "no column 'xyzzy'.*The table has: mrn, age"),
        ({"features": ["agee"]}, r"'agee' \(chosen as feature\). Did you mean 'age'"),
        ({"weight": "weigth"}, "chosen as weight"),
        ({"groups": ["six"]}, r"'six' \(chosen as group\). Did you mean 'sex'"),
        ({"types": {"aeg": Kind.NUMERIC}}, "chosen as type"),
        ({"levels": {"pein": ["a"]}}, "chosen as level"),
        ({"features": ["age", "ill"]}, "'ill' is the outcome and cannot also be a feature"),
        ({"features": ["age", "w"], "weight": "w"}, "'w' is the weight and cannot also be a feature"),
        ({"weight": "ill"}, "cannot be both weight and outcome"),
        ({"features": []}, "No features are left"),
        (
            {"types": {"sex": Kind.NUMERIC}},
            r"'sex' holds numbers, but 5 of 5 rows have text \(first: 'female' in row 1\)",
        ),
        ({"types": {"site": Kind.DATE}, "features": ["site"]}, "'site' holds dates, but row 1 has 'X'"),
        ({"types": {"age": Kind.BINARY}}, "'age' is binary and must have 2 levels, but has 4"),
        ({"types": {"mrn": Kind.ORDERED}, "features": ["mrn"]}, "order of the levels of the column 'mrn' is not known"),
        ({"levels": {"pain": ["none", "mild"]}}, "'severe' in row 3, which is not among its levels"),
        ({"groups": ["mrn2"]}, "Did you mean 'mrn'"),
        ({"types": {"age": "float"}}, "type of 'age' must be one of numeric, binary,.*but is 'float'"),
        ({"missing": "zero"}, "policy for missing values must be one of information, complete, impute..*but is 'zero'"),
    ],
)
def test_invalid_choices_are_refused(choices, message):
    """The error quotes the choice and has a remedy."""
    with pytest.raises(DataError, match=message):
        build_dataset(table(), **({"target": "ill"} | choices))


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
        types={"code": "categorical"},
        levels={"ward": ["c", "b", "a", "z"]},
        features=np.array(["ward", "code"]),
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


def test_loading_takes_reading_options_and_refuses_fields_without_effect(tmp_path):
    """A reading option changes the table; a field of a request that does not define the rows is an error."""
    path = tmp_path / "labs.csv"
    path.write_text("crp;ill\n" + "".join(f"{i},125;{i % 2}\n" for i in range(9)))
    assert load_dataset(path, "ill", decimal=",").X[1, 0] == 1.125
    with pytest.raises(TypeError, match="no field 'max_depth', 'test_share'"):
        load_dataset(path, "ill", decimal=",", test_share=0.3, max_depth=2)


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


FIRST = b"age,sex,spo2,site,ill\n" + b"".join(
    f"{20 + i},{'fm'[i % 2]},{90 + i % 9},{'ABC'[i % 3]},{'yes' if i % 4 else 'no'}\n".encode() for i in range(24)
)


def train(choices: Request) -> Dataset:
    """The training rows of the first file."""
    return build(read_table(FIRST, name="first"), choices).dataset


def second(text: str, choices: Request | None = None, **more: object):
    """A second file, read like the training rows."""
    choices = choices or Request(target="ill", positive="yes", features=("age", "sex", "spo2"))
    return external_dataset(read_table(text.encode(), name="second", header=True), train(choices), choices, **more)


def test_rows_are_read_like_the_training_rows():
    """Columns may be in another order; levels, classes and row numbers are those of the training rows."""
    found = second("ill,spo2,sex,age\nno,95,m,40\nyes,91,f,\n").dataset
    assert found.schema == train(Request(target="ill", positive="yes", features=("age", "sex", "spo2"))).schema
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
    steps = Preparation((Replace("sex", ("f", "w"), "f"),))
    with pytest.raises(DataError, match=r"no column 'sex'. Rename 'SEX' to 'sex' first"):
        second("age,SEX,spo2,ill\n40,w,95,no\n", Request(target="ill", positive="yes", prepare=tuple(steps.to_json())))


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
    choices = Request(target="ill", features=("age", "spo2"), missing=MissingPolicy.COMPLETE)
    found = second("age,spo2,ill\n,95,no\n50,91,no\n", choices)
    assert found.dataset.rows.tolist() == [2] and "with a missing value" in found.notes[0]
    choices = Request(target="ill", features=("age", "spo2"), missing=MissingPolicy.IMPUTE)
    found = second("age,spo2,ill\n900,95,no\n,91,no\n", choices).dataset
    assert found.schema["age"].fill == train(choices).schema["age"].fill < 100


def test_groups_have_the_limits_of_the_training_rows():
    """Levels and thirds of the first file apply; other values are unknown; an absent column is reported."""
    choices = Request(target="ill", features=("spo2",), groups=("age", "sex", "site"))
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
    choices = Request(target="ill", features=("age",), groups=("seen",))
    first = build(table, choices).dataset
    text = "age,ill,seen\n20,no,2024-01-01\n20,yes,2024-12-31\n20,no,\n"
    found = external_dataset(read_table(text.encode(), name="second", header=True), first, choices).dataset
    assert found.groups[0].codes.tolist() == [0, 2, -1] and found.groups[0].cuts == first.groups[0].cuts
    again = external_dataset(table, first, choices).dataset
    assert again.groups[0].codes.tolist() == first.groups[0].codes.tolist()


def test_training_rows_are_restored():
    """The first file, used as second file, gives the same rows and groups."""
    choices = Request(target="ill", groups=("age", "sex"), weight="spo2")
    first = train(choices)
    again = external_dataset(read_table(FIRST, name="first"), first, choices).dataset
    assert again.fingerprint == first.fingerprint


def test_training_rows_in_a_second_file_are_noticed():
    """Training rows prove nothing; a note counts them. A name that is only a little similar is not suggested."""
    choices = Request(target="ill", groups=("age", "sex"))
    again = external_dataset(read_table(FIRST, name="first"), train(choices), choices)
    assert again.notes[-1].startswith("24 of 24 rows are the same as training rows")
    assert second("age,sex,spo2,ill\n140,m,95,no\n").notes == ()
    with pytest.raises(DataError, match=r"lacks 'spo2'\. It has: age, sex, speed, ill"):
        second("age,sex,speed,ill\n40,m,95,no\n")


def test_weights_are_required():
    """If the training rows have weights, the second file must have them too."""
    with pytest.raises(DataError, match="lacks 'spo2'"):
        second("age,sex,ill\n40,m,no\n", Request(target="ill", features=("age", "sex"), weight="spo2"))
