"""Frames of other packages, and columns whose names are not strings."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import OptimalTreeClassifier
from solvers.constraints import DemographicParity
from solvers.errors import DataError
from solvers.problem import Kind, build_dataset, table_of_frame
from tests.case_count import case_count

pl = pytest.importorskip("polars")

N = 20
Y = np.array([0, 1] * (N // 2))
MOMENTS = [dt.datetime(2024, 1, 1, 5) + dt.timedelta(hours=7 * i) for i in range(N)]
UNITS, ZONES = st.sampled_from(["ns", "us", "ms"]), ["Europe/Berlin", "America/New_York"]
ZONE_PAIRS = st.one_of(st.just((None, None)), st.tuples(st.sampled_from(ZONES), st.sampled_from(ZONES)))


def times(unit: str, zone: str | None) -> Any:
    """The same times in a unit and a time zone."""
    moments = pl.Series("t", MOMENTS).cast(pl.Datetime(unit))
    if zone is not None:
        moments = moments.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    return pl.DataFrame({"t": moments})


@given(UNITS, UNITS, ZONE_PAIRS, st.sampled_from(["polars", "pandas", "arrow"]))
@settings(max_examples=case_count(40), deadline=None)
def test_times_are_the_same_in_every_unit_and_zone(
    fit_unit: str, unit: str, zones: tuple[str | None, str | None], package: str
) -> None:
    """A tree fitted to times in one unit predicts them in any other, in any package."""
    fit_zone, zone = zones
    y = np.arange(N) > 11
    model = OptimalTreeClassifier(max_depth=1, method="cart").fit(times(fit_unit, fit_zone), y)
    assert model.diagram_.schema["t"].kind is Kind.DATE and model.cost_ == 0
    new = times(unit, zone)
    new = {"polars": new, "pandas": new.to_pandas(), "arrow": new.to_arrow()}[package]
    assert model.predict(new).tolist() == y.tolist()
    assert model.diagram_.predict(new).tolist() == y.tolist()


@pytest.mark.parametrize("zones", [(None, "Europe/Berlin"), ("Europe/Berlin", None)])
@pytest.mark.parametrize("package", ["polars", "pandas"])
def test_times_with_a_zone_are_not_compared_with_times_without(zones: tuple[str | None, str | None], package: str):
    """The hours between UTC and the local time are unknown; midnight is a time, too."""
    old, new = times("us", zones[0]), times("us", zones[1])
    midnight = pl.DataFrame({"t": new["t"].dt.truncate("1d")})
    model = OptimalTreeClassifier(max_depth=1, method="cart").fit(old, np.arange(N) > 11)
    for rows in (new, midnight):
        with pytest.raises(DataError, match=r"'t' have .*time zone, but row 1 has '2024-01-01"):
            model.predict(rows if package == "polars" else rows.to_pandas())


def mixed() -> Any:
    """A polars frame with a column of every type, each with a missing cell."""
    return pl.DataFrame(
        {
            "size": pl.Series(["small", "large", "middle", None] * 5, dtype=pl.Enum(["small", "middle", "large"])),
            "ward": pl.Series(["b", "a", None, "k"] * 5, dtype=pl.Categorical),
            "count": [1, None, 3, 4] * 5,
            "share": pl.Series([0.5, None, 1.5, 2.5] * 5, dtype=pl.Float32),
            "smoker": [True, None] * 10,
            "text": ["x", None, "y", "z"] * 5,
            "day": [dt.date(2024, 1, 1), None] * 10,
            "price": pl.Series(["1.5", None] * 10).cast(pl.Decimal(10, 2)),
            "empty": [None] * N,
        }
    )


def test_a_polars_frame_keeps_the_types_of_its_columns() -> None:
    """Enumerations keep their order, and missing cells do not change a type."""
    model = OptimalTreeClassifier(max_depth=2, method="cart").fit(mixed(), pl.Series("ill", Y))
    kinds = [(column.name, column.kind.value, column.levels) for column in model.diagram_.schema.columns]
    assert kinds == [
        ("size", "ordered", ("small", "middle", "large")),
        ("ward", "categorical", ("b", "a", "k")),
        ("count", "numeric", ()),
        ("share", "numeric", ()),
        ("smoker", "binary", ("false", "true")),
        ("text", "categorical", ("x", "y", "z")),
        ("day", "date", ()),
        ("price", "numeric", ()),
        ("empty", "numeric", ()),
    ]
    assert model.diagram_.outcome == "ill" and model.feature_names_in_.tolist() == mixed().columns
    for other in (mixed().to_pandas(), mixed().to_arrow(), mixed().to_pandas(use_pyarrow_extension_array=True)):
        assert model.predict(other).tolist() == model.predict(mixed()).tolist()


def test_polars_frames_are_accepted_as_tables_and_groups() -> None:
    """`table_of_frame` and `sensitive_features` take the same frames."""
    assert build_dataset(table_of_frame(mixed().with_columns(y=pl.Series(Y)), "t"), "y").n_samples == N
    parity = OptimalTreeClassifier(max_depth=1, constraints=[DemographicParity("sex", 0, min_rows=1)])
    sex = pl.DataFrame({"sex": ["f", "m"] * (N // 2)})
    assert parity.fit(np.arange(N)[:, None] % 2, Y, sensitive_features=sex).cost_ > 0


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (pl.DataFrame({"a": pl.Series(range(N), dtype=pl.Int128)}), "type that Arrow cannot convert"),
        (pl.DataFrame({"a": pl.Series(range(N)).cast(pl.Duration("us"))}), "'a' has the type"),
        (pl.DataFrame({"a": [[1]] * N}), "'a' holds a ndarray in row 1"),
    ],
)
def test_unsupported_polars_columns_are_refused(X: Any, words: str) -> None:
    """The error names the column, or says to which type to cast it."""
    with pytest.raises((DataError, TypeError), match=words):
        OptimalTreeClassifier(max_depth=1).fit(X, Y)


def test_an_arrow_dictionary_column_is_a_category() -> None:
    """A pandas frame with such a column is read by its levels."""
    levels = pd.arrays.ArrowExtensionArray(pa.array(["a", "b"] * 10).dictionary_encode())
    model = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"g": levels}, index=np.arange(N) * 3), Y)
    assert model.cost_ == 0 and model.diagram_.schema["g"].levels == ("a", "b")


def test_a_missing_number_under_complete_names_its_row() -> None:
    """The message names the column, the row and the policies, and does not mention other estimators."""
    X = np.arange(N, dtype=float)[:, None]
    model = OptimalTreeClassifier(max_depth=1, missing="complete").fit(X, Y)
    X[6] = np.nan
    for call in (model.predict, lambda X: model.fit(X, Y)):
        with pytest.raises(DataError, match=r"column 'x0', row 7.*missing='information'") as error:
            call(X)
        assert "estimator" not in str(error.value)


def test_the_message_on_a_single_row_is_correct_english() -> None:
    """It says '1 row'."""
    with pytest.raises(ValueError, match="the table has 1 row, and"):
        OptimalTreeClassifier(max_depth=1, min_samples_leaf=2).fit([[1.0]], ["a"])


def wards() -> pd.DataFrame:
    """Three columns that together determine the class `Y`, in no particular order."""
    rng = np.random.default_rng(3)
    return pd.DataFrame({"a": rng.integers(0, 9, N), "b": Y * 3 + rng.integers(0, 2, N), "c": rng.integers(0, 9, N)})


@pytest.mark.parametrize(
    "names",
    [
        [0, 1, 2],
        [2, 0, 1],
        [2020, 2021, 2022],
        [0.5, 1.5, 2.5],
        pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01"]),
        pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]),
        [("a", 1), 2020, "c"],
    ],
    ids=["range", "permuted", "years", "numbers", "dates", "levels", "mixed"],
)
def test_columns_with_other_names_than_strings_are_matched(names: Any) -> None:
    """Columns in another order give the same predictions; an unknown name is refused."""
    X = wards().set_axis(names, axis=1)
    model = OptimalTreeClassifier(max_depth=2).fit(X, Y)
    assert model.cost_ == 0
    for order in ([1, 2, 0], [2, 1, 0], [0, 2, 1]):
        assert model.predict(X.iloc[:, order]).tolist() == Y.tolist()
    with pytest.raises(ValueError, match="but fit had"):
        model.predict(X.set_axis([*list(X.columns)[:2], 77], axis=1))


def test_numbered_columns_are_not_guessed() -> None:
    """Columns 0, 1, 2 in this order are an array; in another order they are refused."""
    X = wards().set_axis([0, 1, 2], axis=1)
    model = OptimalTreeClassifier(max_depth=2).fit(X.to_numpy(), Y)
    assert model.predict(X).tolist() == Y.tolist()
    with pytest.raises(DataError, match="X has the columns 2, 0, 1, but fit had no names"):
        model.predict(X[[2, 0, 1]])


def test_names_with_the_same_text_are_refused() -> None:
    """The year 2020 and the text '2020' cannot both be columns."""
    with pytest.raises(DataError, match="'2020' appears twice"):
        OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({2020: range(N), "2020": range(N)}), Y)


def test_printed_missing_values_are_not_a_group() -> None:
    """'None' and 'nan' in `sensitive_features` are missing, so no constraint compares them."""
    X = np.arange(N)[:, None] % 2
    parity = OptimalTreeClassifier(max_depth=1, constraints=[DemographicParity("G", 0, min_rows=1)])
    for missing in ("None", "nan", "none", "NaN"):
        group = np.where(Y == 1, missing, "a")
        group[:2] = "a"
        assert parity.fit(X, Y, sensitive_features={"G": group}).cost_ == 0
    assert parity.fit(X, Y, sensitive_features={"G": np.where(Y == 1, "b", "a")}).cost_ > 0
