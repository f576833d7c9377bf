"""The supplied tables: reproduced byte for byte, and equal to those of scikit-learn."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from solvers.errors import DataError
from solvers.problem import infer_columns, load_sample, sample, sample_dataset, samples, suggest_outcome
from solvers.problem.samples import FOLDER

KEYS = [one.key for one in samples()]


def test_the_script_writes_the_same_bytes(tmp_path):
    """The script writes every table in the folder unchanged, and no other."""
    subprocess.run([sys.executable, FOLDER / "make.py", tmp_path], check=True, capture_output=True, timeout=120)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    stored = {path.name: path.read_bytes() for path in FOLDER.glob("*.csv")}
    assert made.keys() == stored.keys() == {f"{key}.csv" for key in KEYS}
    for name in stored:
        assert made[name] == stored[name], name
        assert len(stored[name]) < 300_000


@pytest.mark.parametrize("key", KEYS)
def test_every_sample_can_be_used(key):
    """It is read without issues, its outcome is the suggested one, and its note names the source."""
    one, table = sample(key), load_sample(key)
    reports = infer_columns(table)
    assert suggest_outcome(reports) == one.outcome
    assert not any(report.problem or report.identifier for report in reports)
    data = sample_dataset(key)
    assert data.n_samples == table.n_rows
    assert data.n_columns == len(table.names) - 1
    assert (None if data.positive is None else data.classes[data.positive]) == one.positive
    assert tuple(group.name for group in data.groups) == one.groups
    assert one.story.endswith((".", "?"))
    assert "**Origin.**" in one.note
    assert "**Licence.**" in one.note
    assert ("synthetic" in one.note.splitlines()[0]) == one.synthetic


@pytest.mark.parametrize(
    ("key", "load", "outcome"),
    [
        ("breast_cancer", load_breast_cancer, "diagnosis"),
        ("iris", load_iris, "species"),
        ("wine", load_wine, "cultivar"),
    ],
)
def test_measured_tables_equal_those_of_scikit_learn(key, load, outcome):
    """Every number to the last bit, and every class."""
    data, bunch = sample_dataset(key), load()
    np.testing.assert_array_equal(data.X, bunch.data)
    names = bunch.target_names if key != "wine" else np.array(["A", "B", "C"])
    assert [data.classes[k] for k in data.y] == names[bunch.target].tolist()
    assert data.outcome == outcome


def test_an_unknown_sample_is_refused():
    """The error lists the samples."""
    with pytest.raises(DataError, match=r"no sample 'titanic'\. Samples: breast_cancer"):
        sample("titanic")
