"""Valid types of X and y, and the errors for invalid ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from solvers import (
    BinaryDecisionDiagramClassifier,
    DecisionDiagramClassifier,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
)
from solvers.errors import (
    CellTypeError,
    DataError,
    EspalierError,
    FileError,
    MissingValuesError,
    UnknownValueError,
)
from solvers.problem import Kind

SIZES = pd.CategoricalDtype(["small", "medium", "large"], ordered=True)


def patients() -> pd.DataFrame:
    """Twelve rows with a column of every type."""
    return pd.DataFrame(
        {
            "age": np.arange(30, 42),
            "weight": pd.array([60, 70, None] * 4, "Int64"),
            "ward": ["A", "B", "C", "A", "B", "C", "A", "B", "C", "A", "B", "C"],
            "smoker": [True, False] * 6,
            "consent": pd.array([True, None, False] * 4, "boolean"),
            "size": pd.Series(["small", "medium", "large", None] * 3, dtype=SIZES),
            "group": pd.Categorical(["x", "y", "z"] * 4),
            "seen": pd.to_datetime("2024-01-01") + pd.to_timedelta(np.arange(12), "D"),
            "empty": [None] * 12,
        }
    )


def only(column: str) -> pd.DataFrame:
    """One column of the patients."""
    return patients()[[column]]


def test_columns_keep_their_types() -> None:
    """Each column of a frame has the kind of its type, with all levels of a category and of a text column."""
    model = OptimalTreeClassifier(max_depth=1).fit(patients(), [0, 1] * 6)
    kinds = {column.name: (column.kind, column.levels) for column in model.diagram_.schema.columns}
    assert kinds == {
        "age": (Kind.NUMERIC, ()),
        "weight": (Kind.NUMERIC, ()),
        "ward": (Kind.CATEGORICAL, ("A", "B", "C")),
        "smoker": (Kind.BINARY, ("false", "true")),
        "consent": (Kind.BINARY, ("false", "true")),
        "size": (Kind.ORDERED, ("small", "medium", "large")),
        "group": (Kind.CATEGORICAL, ("x", "y", "z")),
        "seen": (Kind.DATE, ()),
        "empty": (Kind.NUMERIC, ()),
    }
    assert list(model.feature_names_in_) == list(patients().columns)


@pytest.mark.parametrize(
    ("column", "label", "question"),
    [
        ("age", np.arange(12) < 5, "age is at most 34"),
        ("weight", np.arange(12) % 3 == 2, "weight is missing"),
        ("ward", np.arange(12) % 3 == 1, "ward is B"),
        ("smoker", np.arange(12) % 2 == 0, "smoker is true"),
        ("consent", np.arange(12) % 3 == 1, "consent is missing"),
        ("size", np.arange(12) % 4 == 2, "size is small or medium, or missing"),
        ("seen", np.arange(12) < 5, "seen is 2024-01-05 or earlier"),
    ],
)
def test_each_type_has_its_own_splits(column: str, label: np.ndarray, question: str) -> None:
    """A tree of one split separates the classes, with splits on values, levels and missing values."""
    model = OptimalTreeClassifier(max_depth=1).fit(only(column), label)
    assert model.cost_ == 0
    assert model.rules().splitlines()[0] == f"if {question}:"
    np.testing.assert_array_equal(model.predict(only(column)), label)


def test_the_container_of_the_numbers_does_not_matter() -> None:
    """Arrays of any number type and order, nested lists, objects and frames give the same predictions."""
    X = np.random.default_rng(0).integers(0, 9, (40, 3))
    y = (X[:, 0] > 4) ^ (X[:, 1] > 3)
    expected = OptimalTreeClassifier(max_depth=2).fit(X, y)
    for same in (X.astype(np.float32), np.asfortranarray(X), X.tolist(), X.astype(object), pd.DataFrame(X)):
        model = OptimalTreeClassifier(max_depth=2).fit(same, y)
        assert model.diagram_ == expected.diagram_
        np.testing.assert_array_equal(model.predict_proba(same), expected.predict_proba(X))
        assert not hasattr(model, "feature_names_in_")


def test_nested_lists_may_mix_numbers_and_texts() -> None:
    """Each column of a list of rows has its own type: numbers remain numbers beside texts."""
    rows = [[1, "a"], [2, "b"], [3, "a"], [4, "b"]]
    model = OptimalTreeClassifier(max_depth=1).fit(rows, [0, 0, 0, 1])
    assert [column.kind for column in model.diagram_.schema.columns] == [Kind.NUMERIC, Kind.BINARY]
    assert model.rules().startswith("if x0 is at most 3:")
    assert model.predict([[9, "a"], [0, "b"]]).tolist() == [1, 0]


def test_marks_of_missing_values_count_in_text_columns_only() -> None:
    """'?' is missing in a text column, and a level if a category has it."""
    texts = pd.DataFrame({"pain": ["mild", "?", "severe", "?"]})
    y = [0, 1, 0, 1]
    assert OptimalTreeClassifier(max_depth=1).fit(texts, y).rules().startswith("if pain is missing:")
    model = OptimalTreeClassifier(max_depth=1).fit(texts.astype("category"), y)
    assert model.rules().startswith("if pain is ?:")


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [3, 7], [1.0, 2.0], pd.Categorical(["b", "a"])])
def test_predictions_are_the_original_labels(labels: Any) -> None:
    """Labels may have any type; classes are sorted."""
    y = pd.Series(labels).sample(20, replace=True, random_state=0).to_numpy()
    X = np.array([[float(label == y.max())] for label in y])
    model = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert model.classes_.tolist() == sorted(set(y.tolist()))


def test_the_outcome_has_the_name_of_y_and_never_that_of_a_column() -> None:
    """Rules use the name of y; if a column has it, the outcome gets another name."""
    y = pd.Series([0, 1], name="age")
    assert OptimalTreeClassifier(1).fit([[1.0], [2.0]], y).diagram_.outcome == "age"
    assert OptimalTreeClassifier(1).fit(pd.DataFrame({"age": [1.0, 2.0]}), y).diagram_.outcome == "age'"
    assert OptimalTreeClassifier(1).fit([[1.0], [2.0]], [0, 1]).diagram_.outcome == "y"


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (csr_array(np.diag([1.0, np.inf, 1.0, 1.0])), ValueError, "infinity"),
        (pd.DataFrame({"a": [1, np.inf, 3, 4]}), DataError, "'a' has an infinite value in row 2"),
        (np.array([[1.0], [2.0], [np.inf], [4.0]]), ValueError, "infinity"),
        (pd.DataFrame({"a": [1, "x", 3, 4]}), DataError, "'a' mixes text with other values .*'x' in row 2"),
        (pd.DataFrame({"a": [1, {}, 3, 4]}), TypeError, "'a' holds a dict in row 2"),
        (pd.DataFrame({"a": [1j, 2, 3, 4]}), DataError, "'a' has the type"),
        (pd.DataFrame({"a": pd.to_timedelta([1, 2, 3, 4], "D")}), DataError, "'a' has the type"),
        (pd.DataFrame([[1, 2]] * 4, columns=["a", "a"]), DataError, "'a' appears twice"),
        (pd.DataFrame(index=range(4)), DataError, "at least 1 row and 1 column"),
        (pd.DataFrame({"a": []}), DataError, "at least 1 row and 1 column"),
        ([1.0, 2.0, 3.0, 4.0], ValueError, "Expected 2D array"),
        ([["a", 1], ["b"], ["c", 2], ["d", 3]], ValueError, "2D array"),
    ],
)
def test_unusable_features_are_refused_with_column_and_row(X: Any, error: type[Exception], words: str) -> None:
    """Some errors are the usual ones of scikit-learn."""
    with pytest.raises(error, match=words):
        OptimalTreeClassifier(max_depth=1).fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y to be passed"),
        (["a", None, "b"], "missing in 1 of 3 rows .first: row 2"),
        ([0.5, 1.25, 3.1], "Unknown label type"),
        ([[0, 1], [1, 0], [1, 1]], "1d array"),
        ([0, 1], "inconsistent numbers of samples"),
    ],
)
def test_unusable_outcomes_are_refused(y: Any, words: str) -> None:
    """The error says what is wrong with y."""
    with pytest.raises(ValueError, match=words):
        OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0], [3.0]], y)


def test_prediction_needs_the_columns_of_the_fit() -> None:
    """A missing column, another order and another number of columns are errors that say so."""
    frame = patients()[["age", "ward"]]
    model = OptimalTreeClassifier(max_depth=1).fit(frame, frame["ward"] == "B")
    with pytest.raises(ValueError, match="now missing:\n- ward"):
        model.predict(frame[["age"]])
    with pytest.raises(ValueError, match="same order"):
        model.predict(frame[["ward", "age"]])
    with pytest.raises(ValueError, match="1 features, but OptimalTreeClassifier is expecting 2"):
        OptimalTreeClassifier(max_depth=1).fit([[1, 2], [3, 4]], [0, 1]).predict([[1]])


def test_an_unknown_level_is_an_error_if_the_tree_uses_it() -> None:
    """The error names the row; in unused columns an unknown level is ignored."""
    frame = patients()[["age", "ward"]]
    model = OptimalTreeClassifier(max_depth=1).fit(frame, frame["ward"] == "B")
    with pytest.raises(DataError, match="'ward' has the level 'Z' in row 3"):
        model.predict(frame.replace({"ward": {"C": "Z"}}))
    model = OptimalTreeClassifier(max_depth=1).fit(frame, frame["age"] > 35)
    assert model.predict(frame.assign(ward="Z")).tolist() == (frame["age"] > 35).tolist()


def test_incomplete_rows_are_refused_under_complete_cases() -> None:
    """With missing='complete' a missing value is an error in `fit`, and in `predict` if the tree needs it."""
    frame = patients()[["age", "weight"]]
    model = OptimalTreeClassifier(max_depth=1, missing="complete")
    with pytest.raises(DataError, match="'weight' has missing values"):
        model.fit(frame, frame["age"] > 35)
    model.fit(frame.fillna({"weight": 65}), frame["age"] > 35)
    assert model.predict(frame).tolist() == (frame["age"] > 35).tolist()
    with pytest.raises(MissingValuesError, match="'age' is missing in row 1"):
        model.predict(frame.assign(age=np.nan))


@pytest.mark.parametrize(
    "model",
    [OptimalTreeClassifier(2), BinaryDecisionDiagramClassifier(2), DecisionDiagramClassifier("I")],
    ids=lambda one: type(one).__name__,
)
def test_values_without_training_rows_are_refused_or_followed(model: OptimalTreeClassifier) -> None:
    """If a split needs such a value, all methods that take X refuse it by name, or follow a branch."""
    wards = pd.Series(pd.Categorical(["A", "B"] * 12, ["A", "B", "C"]))
    frame = pd.DataFrame({"ward": wards, "age": np.arange(24.0)})
    y = (frame["ward"] == "A") ^ (frame["age"] > 11)
    assert (model.fit(frame, y).predict(frame) == y).all()
    for name, cell, words in (("ward", "C", "C"), ("ward", None, "missing"), ("age", None, "missing")):
        strange = frame.copy()
        strange.loc[9, name] = cell
        model.set_params(handle_unknown="error")
        for ask in (model.predict, model.predict_proba, model.apply, model.decision_path):
            with pytest.raises(UnknownValueError, match=f"'{name}' is {words} in row 10"):
                ask(strange)
        assert (model.set_params(handle_unknown="ignore").predict(strange) == y).drop(9).all()
    with pytest.raises(DataError, match="error, ignore"):
        model.set_params(handle_unknown="guess").fit(frame, y)


def test_missing_training_values_are_predicted_under_each_policy() -> None:
    """If training rows have missing values, `missing` defines their meaning, and nothing is refused."""
    frame = patients()[["weight"]]
    y = frame["weight"].fillna(0) > 65
    for missing in ("information", "impute"):
        model = OptimalTreeClassifier(max_depth=2, missing=missing).fit(frame, y)
        assert model.predict(frame).tolist() == y.tolist()


NAN = float("nan")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (DecisionDiagramClassifier(skeleton=None), "skeleton"),
        (DecisionDiagramClassifier(skeleton=3), "skeleton"),
        (DecisionDiagramClassifier(alpha="x"), "alpha"),
        (BinaryDecisionDiagramClassifier(split_penalty="x"), "split_penalty"),
        (OptimalTreeClassifier(options=3), "options"),
        (OptimalTreeClassifier(time_limit="a"), "time_limit"),
        (OptimalTreeClassifier(gap="a"), "gap"),
        (OptimalTreeClassifier(gap=NAN), "gap"),
        (OptimalTreeClassifier(min_weight_fraction_leaf="x"), "min_weight_fraction_leaf"),
        (OptimalTreeClassifier(n_jobs="x"), "n_jobs"),
        (OptimalTreeClassifier(memory_limit="x"), "memory_limit"),
        (OptimalTreeClassifier(random_state="x"), "random_state"),
        (OptimalTreeClassifier(class_weight=3), "class_weight"),
        (OptimalTreeClassifier(class_costs={"p": {"q": NAN}}), "Class costs"),
        (OptimalTreeClassifier(class_costs=[[0, "a"], [1, 0]]), "Class costs"),
        (OptimalTreeClassifierCV(cv="3"), "cv"),
        (OptimalTreeClassifierCV(estimator=3), "estimator"),
    ],
)
def test_a_parameter_of_another_type_is_named(model: Any, words: str) -> None:
    """The error is one of ours, and a ValueError as scikit-learn expects."""
    with pytest.raises(EspalierError, match=words) as caught:
        model.fit(only("age"), ["p", "q"] * 6)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("cell", [[1], {"k": 1}, np.array([1, 2])])
def test_predict_names_a_cell_that_is_a_container(cell: Any) -> None:
    """A list, a dict or an array in a cell is reported: it can be neither hashed nor compared with the levels."""
    model = OptimalTreeClassifier(max_depth=1).fit(only("ward"), [0, 1, 1] * 4)
    strange = pd.DataFrame({"ward": pd.Series(["A", cell], dtype=object)})
    with pytest.raises(CellTypeError, match=f"'ward' holds a {type(cell).__name__} in row 2"):
        model.predict(strange)
    with pytest.raises(CellTypeError, match="'ward'"):
        model.fit(strange, [0, 1])


def test_a_lazy_frame_is_refused() -> None:
    """It has no rows until it is collected; the error names the method to call."""
    lazy = pytest.importorskip("polars").from_pandas(only("ward")).lazy()
    with pytest.raises(DataError, match=r"collect\(\)"):
        OptimalTreeClassifier().fit(lazy, [0, 1] * 6)
    with pytest.raises(DataError, match=r"collect\(\)"):
        OptimalTreeClassifier(max_depth=1).fit(only("ward"), [0, 1, 1] * 4).predict(lazy)


@pytest.mark.parametrize("groups", ["x", {"s": 1}, {"s": [1], "t": [1, 2]}, 3])
def test_invalid_sensitive_features_are_refused(groups: Any) -> None:
    """A column name or a number has no value for each row."""
    model = OptimalTreeClassifier(constraints=[{"kind": "min-sensitivity", "share": 0.1}])
    with pytest.raises(DataError, match="sensitive_features"):
        model.fit(only("age"), [0, 1] * 6, sensitive_features=groups)


def test_an_unwritable_drawing_names_the_file(tmp_path: Path) -> None:
    """The error is an OSError."""
    model = OptimalTreeClassifier(max_depth=1).fit(only("age"), [0, 1] * 6)
    path = tmp_path / "none" / "x.svg"
    with pytest.raises(FileError, match=r"x\.svg': No such file") as caught:
        model.plot(path)
    assert isinstance(caught.value, OSError)
