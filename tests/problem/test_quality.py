"""Possible faults of a table: planted ones are reported before solving, and samples cause no false alarm."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.problem import Dataset, Preparation, Request, build, load_sample, sample_dataset, samples, table_of_frame
from solvers.problem.preparation import Replace, steps_that_read
from solvers.problem.quality import IssueKind, differences, issues
from tests.strategies import datasets

N = 300


def ward() -> pd.DataFrame:
    """A clean table of 300 patients, a third of whom died."""
    rng = np.random.default_rng(7)
    age, crp = rng.integers(19, 95, N), rng.gamma(2, 30, N).round(1)
    risk = 0.02 * (age - 60) + 0.01 * (crp - 60) + rng.normal(0, 1, N)
    return pd.DataFrame(
        {
            "age": age,
            "crp": crp,
            "ward": rng.choice(["north", "south", "intensive"], N),
            "smoker": rng.choice(["yes", "no"], N),
            "died": np.where(risk > np.quantile(risk, 2 / 3), "yes", "no"),
        }
    )


def built(frame: pd.DataFrame) -> tuple[Dataset, tuple[str, ...]]:
    """The issues found in these rows."""
    table = table_of_frame(frame.map(lambda cell: "" if pd.isna(cell) else str(cell)).astype(str), "ward")
    made = build(table, Request(target="died"))
    return made.dataset, (*made.notes, *(issue.words for issue in issues(made.dataset)))


def every_ninth(cells: pd.Series, change: Callable[[pd.Series], pd.Series]) -> pd.Series:
    """The cells with every ninth one changed."""
    return cells.where(np.arange(N) % 9 > 0, change(cells))


HOMES = {"north": "home", "south": "home", "intensive": "hospice"}
DAYS = pd.Series([f"2024-03-{1 + i % 28:02}" for i in range(N)])
FAULTS: dict[str, Callable[[pd.DataFrame], object]] = {
    "'crp' is -99 in 3 rows": lambda t: {"crp": t.crp.where(~t.index.isin([3, 50, 71]), -99)},
    "'status' alone predicts 'died' in 300 of 300 rows (by one question)": lambda t: {
        "status": t.ward.map(HOMES).where(t.died == "no", "morgue")
    },
    "'event_date' alone predicts 'died' in 300 of 300 rows (by one question)": lambda t: {
        "event_date": DAYS.where(t.died == "yes", "")
    },
    "'vital' alone predicts 'died'": lambda t: {"vital": t.died.map({"yes": "0", "no": "1"}).where(t.index != 5, "")},
    "The name 'length_of_stay' suggests a value that is known only after 'died'": lambda t: {
        "length_of_stay": t.age % 17 + 1
    },
    "Several rows have the same 'patient_id'": lambda t: {"patient_id": 10_000 + t.index // 2},
    "'NORTH' and 'north'": lambda t: {"ward": every_ninth(t.ward, lambda cells: cells.str.upper())},
    "Levels of 'ward' differ in a letter or two only: 'intensiv' and 'intensive'": lambda t: {
        "ward": t.ward.where(t.index != 8, "intensiv")
    },
    "Levels of 'died' differ in spelling only": lambda t: {
        "died": every_ninth(t.died, lambda cells: cells.str.upper())
    },
    "'hospital' is left out: it has the same value in every row": lambda t: {"hospital": "St. Anne"},
    "'record no' is left out": lambda t: {"record no": range(N)},
}


@pytest.mark.parametrize("sentence", FAULTS)
def test_a_planted_fault_is_reported(sentence):
    """Each is reported with the name of its column, and nothing else is."""
    frame = ward()
    assert built(frame)[1] == ()
    *others, note = built(frame.assign(**FAULTS[sentence](frame)))[1]
    assert sentence in note and all("'patient_id' is left out" in other for other in others)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.key)
def test_samples_cause_no_alarm(sample):
    """No issue is found in the supplied tables, and no other reading of a column is suggested."""
    assert issues(sample_dataset(sample.key)) == ()
    table = load_sample(sample.key)
    assert not [step for name, cells in table.columns.items() for step in steps_that_read(name, cells)]


@given(datasets(max_rows=60), st.randoms(use_true_random=False))
def test_issues_do_not_depend_on_the_order_of_rows(data, random):
    """Any table can be checked, and rows in another order have the same issues."""
    order = list(range(data.n_samples))
    random.shuffle(order)
    assert issues(data) == issues(data.take(np.array(order)))


@pytest.mark.parametrize("role", ["groups", "centres", "group_rows", "features"])
def test_similar_group_names_are_reported_once(role):
    """Names that differ only in case or blanks are reported, whatever the column's role; missing marks are not."""
    wards = ("North", "north", "South 1", "South1", "NA", "na")
    rows = [(age, ward, "no" if age % 2 else "yes") for age in range(6) for ward in wards]
    table = table_of_frame(pd.DataFrame(rows, columns=["age", "ward", "ill"]), "wards")
    chosen = "ward" if role in ("centres", "group_rows") else ("age", "ward") if role == "features" else ("ward",)
    more = {"groups": ("ward",)} if role == "features" else {}
    made = build(table, Request(target="ill", **{role: chosen}, **more))
    (note,) = [text for text in (*made.notes, *(one.words for one in issues(made.dataset))) if "spelling" in text]
    assert "only: 'North' and 'north', 'South 1' and 'South1'. If they mean the same, merge them" in note


def test_issues_are_corrected_by_their_steps():
    """The suggested steps remove the issue: codes become missing, spellings the most frequent one."""
    frame = pd.DataFrame({"crp": ["-99", *"1234567890" * 5], "sex": ["Male", *["male", "female"] * 25]})
    frame["ill"] = ["yes", "no", "no"] * 17
    table = table_of_frame(frame, "ward")
    found = issues(build(table, Request(target="ill")).dataset)
    steps = Preparation(tuple(step for issue in found for step in issue.remedies))
    assert steps.words == ("treat '-99' of 'crp' as missing", "count 'Male' of 'sex' as 'male'")
    assert issues(build(table, Request(target="ill", prepare=tuple(steps.to_json()))).dataset) == ()


def test_a_good_predictor_is_not_suspected():
    """A threshold that leaves one tenth of the errors is a good split, not a leak; one fiftieth is suspected."""
    y = np.array([0] * 200 + [1] * 200)
    for wrong, suspected in ((20, False), (4, True)):
        x = np.arange(400.0)
        x[:: 400 // wrong] = 399 - x[:: 400 // wrong]
        frame = pd.DataFrame({"x": x, "died": np.array(["no", "yes"])[y]})
        assert any(IssueKind.LEAK is one.kind for one in issues(built(frame)[0])) == suspected


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (["1", "2", "3", "99"], "99"),
        (["3", "15", "8", "9", "12", "5", "-1"], "-1"),
        (["2024-01-03", "2024-02-01", "2023-11-30", "9999-12-31"], "9999-12-31"),
        (["2024-01-03", "2024-02-01", "2023-11-30", "1900-01-01"], "1900-01-01"),
        (["1.5", "2", "3.5", "4", "5", "9999999"], "9999999"),
        (["-1", "0", "1", "2"], None),
        (["1", "2", "7"], None),
        (["1950-01-03", "1944-02-01", "1901-11-30", "1900-01-01"], None),
    ],
)
def test_codes_for_missing_values_are_recognized(cells, code):
    """Coded values, dates and long nines are known; numbers and dates that fit the others are not suspected."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.choice(cells, 60), "died": rng.choice(["yes", "no"], 60)})
    found = [one for one in issues(built(frame)[0]) if one.kind is IssueKind.CODE]
    assert [one.remedies for one in found] == ([] if code is None else [(Replace("x", (code,)),)])


def test_words_among_numbers_are_reported():
    """A column of numbers that 'not done' makes a category, and -99 among words, but not codes of diseases."""
    rng = np.random.default_rng(1)
    frame = ward()
    frame["alb"] = np.where(rng.random(N) < 0.3, "not done", rng.integers(20, 50, N).astype(str))
    frame["severity"] = rng.choice(["mild", "moderate", "severe", "-99"], N, p=[0.3, 0.3, 0.3, 0.1])
    frame["icd"] = rng.choice([*map(str, range(240, 260)), "V30", "V31", "E800", "E812"], N)
    found = [one for one in issues(built(frame)[0]) if one.column in ("alb", "icd", "severity")]
    assert [(one.column, one.remedies) for one in found] == [
        ("alb", (Replace("alb", ("not done",)),)),
        ("severity", (Replace("severity", ("-99",)),)),
    ]


def test_misspellings_are_found_next_to_other_spellings():
    """Differences in case in some levels do not hide exchanged letters in others; umlauts are two letters."""
    frame = ward()
    frame["dx"] = ["Sepsis", "sepsis", "Stroke"] * 98 + ["Pneumonia"] * 5 + ["Schädel"]
    frame.loc[:119, "dx"] = ["Pneumonia"] * 118 + ["Pnuemonia", "Schaedel"]
    notes = " ".join(built(frame)[1])
    assert "'Sepsis' and 'sepsis'" in notes
    assert "'Pneumonia' and 'Pnuemonia'" in notes
    assert "'Schädel' and 'Schaedel'" in notes or "'Schaedel' and 'Schädel'" in notes


@pytest.mark.parametrize("name", ["discharged", "Entlassdatum", "Liegedauer", "Todesursache", "length_of_stay"])
def test_names_of_later_events_are_recognized(name):
    """Also in German; but not every name with the same beginning."""
    frame = ward().assign(**{name: np.arange(N) % 17, "today": np.arange(N) % 13, "discharge": np.arange(N) % 11})
    assert [one.column for one in issues(built(frame)[0]) if one.kind is IssueKind.KNOWN_LATER] == [name]


def second(rows: np.ndarray, change: Callable[[pd.DataFrame], None]) -> tuple[str, ...]:
    """The issues of some rows of the ward as a second file, after a change, compared with the others."""
    frame = ward()
    train = built(frame.drop(index=rows))[0]
    other = frame.loc[rows].reset_index(drop=True)
    change(other)
    return tuple(differences(train, built(other)[0].select(train.schema.names), train.schema.names))


def test_a_second_file_in_another_unit_is_reported():
    """A unit error of factor nine, other shares of levels, and new missing values are all reported."""
    rows = np.arange(0, N, 4)

    def unit(t: pd.DataFrame) -> None:
        t["crp"] = (t.crp / 9).round(2)

    def shares(t: pd.DataFrame) -> None:
        t["smoker"] = np.where(t.age > 35, "yes", t.smoker)

    def gone(t: pd.DataFrame) -> None:
        t["age"] = t.age.astype(object)
        t.loc[3, "age"] = ""

    assert second(rows, lambda t: None) == ()
    (note,) = second(rows, unit)
    assert note.startswith("'crp' is smaller here: ") and note.endswith("Check its unit.")
    (note,) = second(rows, shares)
    assert note.startswith("'smoker' is ") and "of the training rows" in note
    assert second(rows, gone) == ("'age' is missing in 1 row, but in no training row.",)

    def code(t: pd.DataFrame) -> None:
        t.loc[[3, 9], "age"] = 999

    (note,) = second(rows, code)
    assert note.startswith("'age' is 999 in 2 rows, and between ")


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.key)
def test_a_random_part_of_a_sample_has_no_issues(sample):
    """Randomly drawn rows cause no alarm."""
    data = sample_dataset(sample.key)
    # seeds that no sample was made with, because those would draw the part by the values themselves
    for seed in range(1000, 1005):
        apart = np.random.default_rng(seed).random(data.n_samples) < 0.3
        assert not list(differences(data.take(~apart), data.take(apart), data.schema.names))


@given(
    st.lists(st.sampled_from(["a", "b", "c", None]), min_size=20, max_size=60),
    st.lists(st.booleans(), min_size=60, max_size=60),
    st.sampled_from(["level", "number"]),
)
def test_counts_for_a_leaking_column_are_counts(cells, coin, kind):
    """The count is that of the best predictions by the column, and at most the number of rows."""
    outcome = ["y" if cell == "a" or (cell is None and flip) else "n" for cell, flip in zip(cells, coin, strict=False)]
    if len(set(outcome)) < 2:
        return
    values = cells if kind == "level" else [None if cell is None else "abc".index(cell) * 1.5 for cell in cells]
    table = table_of_frame(pd.DataFrame({"x": values, "z": range(len(cells)), "y": outcome}), "t")
    data = build(table, Request(target="y", features=("x", "z"))).dataset
    by_level = pd.crosstab(pd.Series(cells).fillna("?"), pd.Series(outcome)).max(axis=1).sum()
    for issue in issues(data):
        if issue.kind is IssueKind.LEAK and issue.column == "x":
            count, n = map(int, re.search(r"in ([\d,]+) of ([\d,]+) rows", issue.words).groups())
            assert count <= by_level <= n == len(cells)
