"""Models with preparation steps predict raw rows; `test_languages` tests every step in every language."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from solvers.diagram import Diagram, from_json, to_json, to_rules
from solvers.diagram.onnx_graph import to_onnx
from solvers.errors import DataError
from solvers.problem import Dataset, Limits, Preparation, Problem, Request, Shape, build, table_of_frame
from solvers.problem.preparation import KeepRows, Rename, Replace
from solvers.run import solve
from tests.diagram.exported import by_onnx, by_python
from tests.diagram.tasks import prepared_tasks
from tests.diagram.test_languages import as_sqlite_keeps, by_sqlite, differences, sql_differences


def test_exports_agree_on_raw_rows():
    """On raw rows Python, SQLite and the restored model agree with the model, and refuse the rows that steps remove."""
    posed = prepared_tasks("triage")
    assert differences(posed, [by_python(task.diagram, task.cases, task.unknown) for task in posed])[:5] == []
    kept = [as_sqlite_keeps(task) for task in posed]
    answers = [by_sqlite(task.diagram, task.cases, unknown=task.unknown) for task in kept]
    assert sql_differences(kept, answers)[:5] == []
    for task in posed:
        again = from_json(to_json(task.diagram))
        assert again == task.diagram and again.preparation == task.diagram.preparation


def solved(*steps: object, features: tuple[str, ...]) -> tuple[Diagram, Dataset, pd.DataFrame]:
    """A greedy tree for a raw table, the rows that the steps keep, and the raw table."""
    rng, n = np.random.default_rng(5), 200
    frame = pd.DataFrame(
        {
            "AGE": rng.integers(10, 95, n).astype(float),
            "crp": np.where(rng.random(n) < 0.1, -99.0, rng.integers(10, 400, n) / 10),
            "state": rng.choice(["died", "Died", "alive"], n, p=[0.2, 0.2, 0.6]),
        }
    )
    steps = (*steps, Replace("state", ("Died",), "died")) if steps else ()
    plain = tuple(Preparation(steps).to_json())
    data = build(table_of_frame(frame, "raw"), Request(target="state", features=features, prepare=plain))
    diagram = solve(Problem(data.dataset, Shape(max_depth=3)), "cart", Limits(seconds=20)).diagram
    assert diagram is not None
    return diagram, data.dataset, frame


def test_onnx_reads_prepared_columns():
    """The inputs of ONNX are the columns after the steps, which the file describes."""
    onnx = pytest.importorskip("onnx")
    diagram, data, _ = solved(Replace("crp", ("-99",)), features=("crp", "AGE"))
    model = onnx.load_from_string(to_onnx(diagram))
    assert "treat '-99' of 'crp' as missing" in {one.key: one.value for one in model.metadata_props}["preparation"]
    rows = [dict(zip(data.schema.names, (None if np.isnan(x) else x for x in row), strict=True)) for row in data.X]
    assert [one.leaf for one in by_onnx(diagram, rows)] == diagram.apply(data).tolist()


def test_raw_rows_without_a_prediction_are_named():
    """A row that the steps remove, and an absent raw column, are refused by name."""
    diagram, _, frame = solved(Rename("AGE", "age"), KeepRows("age", "is at least", ("18",)), features=("age",))
    with pytest.raises(DataError, match=r"Row .* gets no prediction: the model does not apply to such rows"):
        diagram.predict(frame)
    with pytest.raises(DataError, match="lacks 'AGE'"):
        diagram.predict(frame.drop(columns="AGE"))
    kept = frame[frame["AGE"] >= 18].reset_index(drop=True).drop(columns=["state", "crp"])
    assert len(diagram.predict(kept)) == len(kept)
    assert to_rules(diagram).startswith("FIRST rename 'AGE' to 'age'\n")
    assert '"preparation": null' in to_json(solved(features=("crp",))[0])
