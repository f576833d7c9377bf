"""Every source gives the same dataset as the CSV file of the same rows."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from solvers.problem import Dataset, build, infer_columns, read_table, sample, samples
from tests.problem.sources.files import FORMATS, typed_sample

KEYS = [one.key for one in samples()]
ODD = pd.DataFrame(
    {
        "age": [50, 61, None, 70, 44, 39],
        "crp": [0.1, 1e-7, 2.5, None, 1234567.25, 3.0],
        "sex": ["f", "m", "f", None, "m", "f"],
        "smoker": [True, False, True, False, True, True],
        "seen": [dt.datetime(2024, 1, day) for day in (31, 1, 2, 3, 4, 5)],
        "price": ["1,5", "2,25", "3", "4", "1.000,5", "6"],
        "ill": ["yes", "no", "yes", "no", "yes", "no"],
    }
)
"""Missing values in each type, small and large numbers, Booleans, dates, and decimal commas in texts."""


def same(a: Dataset, b: Dataset) -> bool:
    """Whether two datasets are equal for every method."""
    return (
        a.schema == b.schema
        and a.classes == b.classes
        and np.array_equal(a.X, b.X, equal_nan=True)
        and np.array_equal(a.y, b.y)
    )


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("key", KEYS)
def test_a_sample_is_the_same_from_every_source(key, kind, tmp_path):
    """The typed tables are equal, and therefore every model."""
    one = sample(key)
    table = read_table(FORMATS[kind](typed_sample(key), tmp_path), name=key)
    known = read_table(one.path, header=True)
    assert table.names == known.names and table.n_rows == known.n_rows
    assert same(build(table, one.request).dataset, build(known, one.request).dataset)
    assert [type(cells) for cells in table.columns.values()] == [type(cells) for cells in known.columns.values()]


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "sqlite"])
def test_types_are_those_of_the_text_file(kind, tmp_path):
    """Numbers are numbers, dates are year-month-day, Booleans true and false, missing is missing."""
    known = read_table(ODD.to_csv(index=False, date_format="%Y-%m-%d", sep=";").encode())
    frame = ODD.astype({"smoker": bool})
    found = read_table(FORMATS[kind](frame, tmp_path))
    assert [report.kind for report in infer_columns(found)] == [report.kind for report in infer_columns(known)]
    spelled = known.frame.replace({"True": "true", "False": "false"})
    for name in known.names:
        if name == "crp" or name == "age":
            assert pd.to_numeric(found.frame[name]).equals(pd.to_numeric(spelled[name]))
        else:
            assert found.frame[name].tolist() == spelled[name].tolist(), name


@pytest.mark.parametrize("kind", FORMATS)
def test_paths_and_compressed_files_are_read(kind, tmp_path):
    """The content determines the format, not the name, and gzip makes no difference."""
    import gzip

    frame = typed_sample("iris")
    content = FORMATS[kind](frame, tmp_path)
    path = tmp_path / "iris.dat"
    path.write_bytes(content)
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(content))
    tables = [read_table(one) for one in (path, str(path), content, packed)]
    assert all(table.frame.equals(tables[0].frame) for table in tables)
    assert tables[0].name == "iris" and tables[3].name == "packed"
