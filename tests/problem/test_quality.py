"""What may be wrong with a table: planted faults are said before anything is solved, and samples raise no alarm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.problem import Choices, Dataset, Preparation, build, load_sample, sample_dataset, samples, table_of_frame
from solvers.problem.preparation import steps_that_read
from solvers.problem.quality import IssueKind, differences, issues
from tests.strategies import datasets

N = 300


def ward() -> pd.DataFrame:
    """A clean table of 300 patients, of whom a third died."""
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
    """The rows, and all that is said of them."""
    table = table_of_frame(
        frame.map(lambda cell: "" if pd.isna(cell) else str(cell)).astype(str), "ward", outcome="died"
    )
    made = build(table, Choices("died"))
    return made.dataset, (*made.notes, *(issue.words for issue in issues(made.dataset)))


def sentinel(t: pd.DataFrame) -> None:
    t.loc[[3, 50, 71], "crp"] = -99


def status(t: pd.DataFrame) -> None:
    t["status"] = np.where(t.died == "yes", "morgue", t.ward.map({"north": "home", "south": "home"}).fillna("hospice"))


def date_of_event(t: pd.DataFrame) -> None:
    t["event_date"] = [f"2024-03-{1 + i % 28:02}" if died == "yes" else "" for i, died in enumerate(t.died)]


def other_words(t: pd.DataFrame) -> None:
    t["vital"] = t.died.map({"yes": "0", "no": "1"})
    t.loc[5, "vital"] = ""


def known_later(t: pd.DataFrame) -> None:
    t["length_of_stay"] = t.age % 17 + 1


def patients(t: pd.DataFrame) -> None:
    t["patient_id"] = [10_000 + i // 2 for i in range(N)]


def other_unit(t: pd.DataFrame) -> None:
    t["crp_mg_dl"] = (t.crp / 10).round(2)


def case_variants(t: pd.DataFrame) -> None:
    t.loc[::9, "ward"] = t.ward[::9].str.upper()


def typing_error(t: pd.DataFrame) -> None:
    t.loc[8, "ward"] = "intensiv"


def outcome_variants(t: pd.DataFrame) -> None:
    t.loc[::9, "died"] = t.died[::9].str.upper()


def constant(t: pd.DataFrame) -> None:
    t["hospital"] = "St. Anne"


def identifier(t: pd.DataFrame) -> None:
    t["record no"] = range(N)


FAULTS: dict[Callable[[pd.DataFrame], None], str] = {
    sentinel: "'crp' is -99 in 3 rows",
    status: "'status' alone tells 'died' in 299 of 300 rows (by its levels)",
    date_of_event: "'event_date' alone tells 'died' in 300 of 300 rows (by whether it is filled in)",
    other_words: "'vital' alone tells 'died'",
    known_later: "'length_of_stay' sounds as if it were known only after 'died'",
    patients: "Several rows have the same 'patient_id'",
    other_unit: "1 pair of columns say nearly the same of each row: 'crp' and 'crp_mg_dl'",
    case_variants: "'NORTH' and 'north'",
    typing_error: "Levels of 'ward' differ in a letter or two only: 'intensiv' and 'intensive'",
    outcome_variants: "Levels of 'died' differ in capitals, blanks or hyphens only",
    constant: "'hospital' is left out: it says the same in every row",
    identifier: "'record no' is left out",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_said(fault):
    """Each is said by the name of its column, and nothing else is."""
    frame = ward()
    assert built(frame)[1] == ()
    fault(frame)
    *others, said = built(frame)[1]
    assert FAULTS[fault] in said and all("'patient_id' is left out" in other for other in others)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.key)
def test_samples_raise_no_alarm(sample):
    """Of what comes with the program nothing is suspected, and no column is offered to be read otherwise."""
    assert issues(sample_dataset(sample.key)) == ()
    table = load_sample(sample.key)
    assert not [step for name, cells in table.columns.items() for step in steps_that_read(name, cells)]


@given(datasets(max_rows=60), st.randoms(use_true_random=False))
def test_suspicions_do_not_depend_on_the_order_of_rows(data, random):
    """Whatever the table, nothing breaks, and rows in another order raise the same suspicions."""
    order = list(range(data.n_samples))
    random.shuffle(order)
    assert issues(data) == issues(data.take(np.array(order)))


@pytest.mark.parametrize("role", ["groups", "centres", "group_rows", "features"])
def test_names_of_groups_that_may_be_one_are_said_once(role):
    """Names that differ in capitals or blanks only are said, whatever the column is for; missing marks are no names."""
    wards = ("North", "north", "South 1", "South1", "NA", "na")
    rows = [(age, ward, "no" if age % 2 else "yes") for age in range(6) for ward in wards]
    table = table_of_frame(pd.DataFrame(rows, columns=["age", "ward", "ill"]), "wards")
    chosen = "ward" if role in ("centres", "group_rows") else ("age", "ward") if role == "features" else ("ward",)
    more = {"groups": ("ward",)} if role == "features" else {}
    made = build(table, Choices("ill", **{role: chosen}, **more))
    (said,) = [text for text in (*made.notes, *(one.words for one in issues(made.dataset))) if "capitals" in text]
    assert "only: 'North' and 'north', 'South 1' and 'South1'. If they are the same, join them" in said


def test_what_is_suspected_is_corrected_by_its_steps():
    """The steps that an issue offers take it away: codes become missing, spellings the most frequent one."""
    frame = pd.DataFrame({"crp": ["-99", *"1234567890" * 5], "sex": ["Male", *["male", "female"] * 25]})
    frame["ill"] = ["yes", "no", "no"] * 17
    table = table_of_frame(frame, "ward")
    found = issues(build(table, Choices("ill")).dataset)
    steps = Preparation(tuple(step for issue in found for step in issue.remedies))
    assert steps.words == ("treat '-99' of 'crp' as missing", "count 'Male' of 'sex' as 'male'")
    assert issues(build(table, Choices("ill", preparation=steps)).dataset) == ()


def test_a_column_is_not_suspected_for_helping():
    """A threshold that leaves one in ten of the mistakes is a good question, not a leak; one in fifty is suspected."""
    y = np.array([0] * 200 + [1] * 200)
    for wrong, suspected in ((20, False), (4, True)):
        x = np.arange(400.0)
        x[:wrong] += 400
        frame = pd.DataFrame({"x": x, "died": np.array(["no", "yes"])[y]})
        assert any(IssueKind.TELLS_OUTCOME is one.kind for one in issues(built(frame)[0])) == suspected


def second(rows: np.ndarray, change: Callable[[pd.DataFrame], None]) -> tuple[str, ...]:
    """What is said of some rows of the ward as a second file, after a change, beside the others."""
    frame = ward()
    train = built(frame.drop(index=rows))[0]
    other = frame.loc[rows].reset_index(drop=True)
    change(other)
    return tuple(differences(train, built(other)[0].select(train.schema.names), train.schema.names))


def test_a_second_file_in_another_unit_is_said():
    """A unit error of nine times, other shares of levels, and missing values where there were none are all said."""
    rows = np.arange(0, N, 4)

    def unit(t: pd.DataFrame) -> None:
        t["crp"] = (t.crp / 9).round(2)

    def shares(t: pd.DataFrame) -> None:
        t["smoker"] = np.where(t.age > 35, "yes", t.smoker)

    def gone(t: pd.DataFrame) -> None:
        t["age"] = t.age.astype(object)
        t.loc[3, "age"] = ""

    assert second(rows, lambda t: None) == ()
    (said,) = second(rows, unit)
    assert said.startswith("'crp' is smaller here: ") and said.endswith("Is it in another unit?")
    (said,) = second(rows, shares)
    assert said.startswith("'smoker' is ") and "of the training rows" in said
    assert second(rows, gone) == ("'age' is missing in 1 row; no training row lacks it.",)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.key)
def test_a_random_part_of_a_sample_does_not_differ_from_the_rest(sample):
    """Rows that were drawn at random raise no alarm."""
    data = sample_dataset(sample.key)
    # seeds that no sample was made with: else a part would be drawn by the values themselves
    for seed in range(1000, 1005):
        apart = np.random.default_rng(seed).random(data.n_samples) < 0.3
        assert not list(differences(data.take(~apart), data.take(apart), data.schema.names))
