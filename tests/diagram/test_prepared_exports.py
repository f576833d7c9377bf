"""Models with steps of preparation answer raw rows alike: the model itself, its JSON, Python, and SQL in databases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from solvers.diagram import Diagram, from_json, to_json, to_rules
from solvers.diagram.dialects import Dialect
from solvers.diagram.onnx_graph import to_onnx
from solvers.diagram.sql import to_sql
from solvers.errors import DataError
from solvers.problem import Choices, Limits, Preparation, Problem, Shape, build, table_of_frame
from solvers.problem.preparation import (
    Combine,
    Cut,
    Form,
    JoinLevels,
    KeepRows,
    ReadAs,
    Rename,
    SetType,
    TreatAsMissing,
)
from solvers.problem.tables import as_table
from solvers.run import solve
from tests.case_count import case_count
from tests.diagram.exported import REFUSED, Found, by_onnx, by_python, by_sqlite
from tests.store.servers import running


def dates(rng: np.random.Generator, month: int, n: int) -> list[str]:
    """Days of three months of 2024."""
    return [f"2024-0{m}-{d:02}" for m, d in rng.integers((month, 1), (month + 3, 28), (n, 2)).tolist()]


def raw_frame(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """A table as it came: codes for missing values, spellings, dates, numbers that belong together, gaps."""
    signs = zip(rng.choice(list("./-"), n), rng.choice(["", " 07:30", "T12:00:00"], n), strict=True)
    spelled = [(day.split("-"), *marks) for day, marks in zip(dates(rng, 1, n), signs, strict=True)]
    frame = pd.DataFrame(
        {
            "AGE": rng.integers(10, 95, n).astype(float),
            "crp": np.where(rng.random(n) < 0.1, -99.0, rng.integers(10, 400, n) / 10),
            "weight": rng.integers(45, 110, n).astype(float),
            "height": rng.choice([0.0, 1.5, 1.62, 1.7, 1.81], n),
            "admitted": dates(rng, 1, n),
            "left": dates(rng, 3, n),
            "triage": rng.choice(["red", "Red", "yellow", "green"], n),
            "site": rng.choice([1.0, 2.0, 3.0], n),
            "seen": [f"{d.lstrip('0')}{sep}{m.lstrip('0')}{sep}{y}{time}" for (y, m, d), sep, time in spelled],
            "lab": rng.choice(["< 0.5", ">1000", "<0,1", "1", "2.5", "17", "0.25"], n),
            "state": rng.choice(["died", "Died", "YES", "alive"], n, p=[0.2, 0.1, 0.1, 0.6]),
        }
    ).astype(object)
    for name in frame.columns[:10]:
        frame.loc[rng.random(n) < 0.04, name] = None
    return frame


STEPS = (
    TreatAsMissing("crp", ("-99",)),
    JoinLevels("state", ("Died", "YES"), "died"),
    JoinLevels("triage", ("Red", "red"), "red"),
    SetType("triage", "ordered", ("green", "yellow", "red")),
    Rename("AGE", "age"),
    KeepRows("age", "is at least", ("18",)),
    Combine("admitted", "days to", "left", "stay"),
    ReadAs("lab", Form.HALF, ("< 0.5", ">1000", "<0,1")),
    ReadAs("seen", Form.DAY_FIRST),
    Combine("weight", "divided by", "height", "weight by height"),
    Combine("weight", "minus", "age", "gap"),
    Cut("stay", (30, 60)),
    SetType("site", "categorical"),
    KeepRows("site", "is not", ("9",)),
)
OTHERS = (
    TreatAsMissing("triage", ("green",)),
    Cut("age", (40.5,), ("young", "old")),
    KeepRows("admitted", "is more than", ("2024-01-10",)),
    KeepRows("triage", "is known"),
    KeepRows("state", "is", ("died", "alive")),
    JoinLevels("site", ("2", "3"), "5"),
)


def some_steps(rng: np.random.Generator) -> Preparation:
    """The steps, some left out where no other needs them, and some others in between."""
    steps = [step for step in STEPS if step in STEPS[:9] or rng.random() < 0.7]
    for step in OTHERS:
        if rng.random() < 0.4:
            steps.append(step)
    return Preparation(tuple(steps))


def solved(frame: pd.DataFrame, steps: Preparation, **choices):
    """The best tree for a raw table, and the rows that the steps leave."""
    data = build(table_of_frame(frame, "raw"), Choices("state", preparation=steps, **choices)).dataset
    solution = solve(Problem(data, Shape(max_depth=3)), "cart", Limits(seconds=20))
    assert solution.diagram is not None
    return solution.diagram, data


def answers(diagram: Diagram, frame: pd.DataFrame) -> list[Found]:
    """What the model itself answers for each raw row."""
    expected = [REFUSED] * len(frame)
    prepared = diagram.prepared(as_table(frame))
    X = diagram.schema.encode(prepared.table, frozenset(diagram.features))
    stops, leaves, labels, shares = (
        f(X) for f in (diagram.stops, diagram.apply, diagram.predict, diagram.predict_proba)
    )
    for i, row in enumerate(prepared.rows.tolist()):
        if stops[i] < 0:
            expected[row] = Found(int(leaves[i]), diagram.classes[labels[i]], tuple(shares[i].tolist()))
    return expected


def of_positive(diagram: Diagram, expected: list[Found]) -> list[Found]:
    """The answers with the share of the positive class alone, as SQL gives them."""
    at = [] if diagram.positive is None else [diagram.positive]
    return [one if one == REFUSED else one._replace(shares=tuple(one.shares[k] for k in at)) for one in expected]


@pytest.mark.parametrize("seed", range(case_count(12)))
def test_raw_rows_are_answered_alike(seed):
    """On raw rows Python and SQLite answer as the model does on its prepared rows, and refuse what steps leave out."""
    rng = np.random.default_rng(seed)
    frame, steps = raw_frame(rng, 250), some_steps(rng)
    diagram, data = solved(frame, steps)
    cases, expected = frame.to_dict("records"), answers(diagram, frame)
    assert by_python(diagram, cases) == expected
    assert by_sqlite(diagram, cases) == of_positive(diagram, expected)
    # the rows that were learned from, found again among all raw ones by their numbers
    prepared = diagram.prepared(as_table(frame))
    labels = diagram.predict(diagram.schema.encode(prepared.table, frozenset(diagram.features)))
    again = dict(zip((prepared.rows + 1).tolist(), labels.tolist(), strict=True))
    assert [again[row] for row in data.rows.tolist()] == diagram.predict(data).tolist()
    assert from_json(to_json(diagram)) == diagram
    assert from_json(to_json(diagram)).preparation == diagram.preparation


@pytest.mark.parametrize("seed", range(case_count(6)))
def test_limits_and_dates_are_read_alike(seed):
    """Dates in each order, and cells that name limits, are the same to the model, Python and SQLite, odd ones too."""
    rng = np.random.default_rng(seed)
    frame = raw_frame(rng, 250)
    swapped = [day and f"{day[:4]}-{day[8:]}-{day[5:7]}" for day in frame["admitted"]]
    frame["admitted"] = pd.Series(swapped, dtype=object)
    american = [day and f"{int(day[5:7])}/{int(day[8:])}/{day[:4]}" for day in frame["left"]]
    frame["left"] = pd.Series(american, dtype=object)
    steps = [ReadAs("seen", Form.DAY_FIRST), ReadAs("admitted", Form.EXCHANGED), ReadAs("left", Form.MONTH_FIRST)]
    steps.append(ReadAs("lab", Form.HALF if seed % 2 else Form.LIMIT, ("< 0.5", ">1000", "<0,1")))
    diagram, _ = solved(frame, Preparation(tuple(steps)), features=("lab", ("seen", "admitted", "left")[seed % 3]))
    assert "lab" in diagram.features or len(diagram.features) == 1
    odd = ("-", "n/a", "5", "<7", "1/2/24", "1/2/2024x", "2024-02-03", "31/4/2024", "1/13/2024", "x/1/2024", 45123.0, 2)
    for name in ("seen", "admitted", "left", "lab"):
        for row, cell in zip(rng.choice(250, len(odd), replace=False), odd, strict=True):
            frame.at[row, name] = cell
    cases, expected = frame.to_dict("records"), of_model(diagram, frame)
    assert by_python(diagram, cases) == expected
    assert by_sqlite(diagram, cases) == of_positive(diagram, expected)


def of_model(diagram: Diagram, frame: pd.DataFrame) -> list[Found]:
    """What the model answers for each raw row by itself, refused where it cannot be read."""
    found = []
    for row in range(len(frame)):
        try:
            found += answers(diagram, frame.iloc[[row]].reset_index(drop=True))
        except DataError:
            found.append(REFUSED)
    return found


TYPED = {
    "admitted": "DATE",
    "left": "DATE",
    "seen": "TEXT",
    "lab": "TEXT",
    "triage": "TEXT",
    "site": "TEXT",
    "state": "TEXT",
}
"""The types of the raw columns in a server, where they are no numbers."""


def test_postgresql_answers_raw_rows_alike():
    """In typed columns, with codes, gaps and divisors of 0, as the model does, and NULL for what steps leave out."""
    psycopg = pytest.importorskip("psycopg")
    with running() as server, psycopg.connect(server.url, autocommit=True) as base:
        for seed in range(case_count(6)):
            rng = np.random.default_rng(100 + seed)
            frame, steps = raw_frame(rng, 200), some_steps(rng)
            frame["site"] = [None if site is None else str(site) for site in frame["site"]]
            diagram, _ = solved(frame, steps, **({"features": ("seen", "lab")} if seed % 2 else {}))
            table = f"patients{seed}"
            heads = ", ".join(f'"{name}" {TYPED.get(name, "DOUBLE PRECISION")}' for name in frame.columns)
            base.execute(f"CREATE TABLE {table} (place INTEGER, {heads})")
            with base.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
                for place, row in enumerate(frame.itertuples(index=False)):
                    copy.write_row([place, *row])
            rows = base.execute(to_sql(diagram, table=table, dialect=Dialect.POSTGRESQL)).fetchall()
            n_added = 2 if diagram.positive is None else 3
            found = [row[-n_added:] for row in sorted(rows, key=lambda row: row[0])]
            answered = [REFUSED if row[-1] is None else Found(row[-1], row[0], tuple(row[1:-1])) for row in found]
            assert answered == of_positive(diagram, answers(diagram, frame)), steps.words


def test_onnx_reads_prepared_columns_and_says_so():
    """The inputs of ONNX are the columns after the steps, which stand in the file in words."""
    onnx = pytest.importorskip("onnx")
    frame = raw_frame(np.random.default_rng(5), 200)
    steps = Preparation((TreatAsMissing("crp", ("-99",)), JoinLevels("state", ("Died", "YES"), "died")))
    diagram, data = solved(frame, steps, features=("crp", "AGE"))
    model = onnx.load_from_string(to_onnx(diagram))
    assert "treat '-99' of 'crp' as missing" in {one.key: one.value for one in model.metadata_props}["preparation"]
    rows = [dict(zip(data.schema.names, (None if np.isnan(x) else x for x in row), strict=True)) for row in data.X]
    assert [one.leaf for one in by_onnx(diagram, rows)] == diagram.apply(data).tolist()


def test_raw_rows_that_cannot_be_answered_are_named():
    """A row that steps leave out, and a raw column that is not there, are refused with their names."""
    frame = raw_frame(np.random.default_rng(6), 200)
    diagram, _ = solved(frame, Preparation(STEPS[:7]), features=("stay", "age"))
    with pytest.raises(DataError, match=r"Row .* gets no answer: the model is not for such rows"):
        diagram.predict(frame)
    with pytest.raises(DataError, match="lacks 'AGE'"):
        diagram.predict(frame.drop(columns="AGE"))
    kept = frame[frame["AGE"].map(lambda age: age is not None and age >= 18)].reset_index(drop=True)
    kept = kept.drop(columns=["state", "crp"])
    assert len(diagram.predict(kept)) == len(kept)
    assert to_rules(diagram).startswith("FIRST rename 'AGE' to 'age'\n")


def test_models_without_steps_write_no_preparation():
    """The document has no empty list of steps."""
    diagram, _ = solved(raw_frame(np.random.default_rng(1), 100), Preparation(), kinds={"lab": "categorical"})
    assert "preparation" not in to_json(diagram)
