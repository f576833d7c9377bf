"""Loading from OpenML, with scikit-learn's loader replaced by what it would answer."""

from __future__ import annotations

from urllib.error import HTTPError, URLError

import pandas as pd
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from solvers.errors import DataError
from solvers.problem import Kind, build_dataset, fetch_openml_table, infer_columns, suggest_outcome


def answer(monkeypatch, result):
    """Let the loader return or raise `result`."""

    def fetch(**request):
        assert request["name"] == "heart"
        if isinstance(result, Exception):
            raise result
        return result

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)


def test_a_data_set_becomes_a_table(monkeypatch):
    """Categories become texts, missing cells stay empty, and the outcome is the one that OpenML names."""
    frame = pd.DataFrame({"class": pd.Categorical(["yes", "no", "yes"]), "bmi": [20.5, None, 31.0], "z": list("aba")})
    answer(monkeypatch, Bunch(frame=frame, target_names=["class"]))
    table = fetch_openml_table("heart")
    assert suggest_outcome(table, infer_columns(table)) == "class"
    data = build_dataset(table, "class")
    assert data.schema["bmi"].kind is Kind.NUMERIC
    assert data.schema["bmi"].has_missing
    assert data.y.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (URLError("Name or service not known"), "cannot be reached .Name or service not known.*load a CSV file"),
        (TimeoutError("timed out"), "cannot be reached .timed out"),
        (HTTPError("u", 412, "Precondition Failed", None, None), "no active data set 'heart'"),
        (ValueError("No known dataset found for 'heart'"), "no active data set 'heart'"),
        (ValueError("Sparse ARFF"), "cannot be read as a table .Sparse ARFF"),
    ],
)
def test_what_goes_wrong_is_said(monkeypatch, error, message):
    """No network and no such data set are told apart, in plain words."""
    answer(monkeypatch, error)
    with pytest.raises(DataError, match=message):
        fetch_openml_table("heart")
