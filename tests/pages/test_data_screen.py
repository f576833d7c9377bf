"""The Data screen: samples, files, choices, and facts about the rows."""

from __future__ import annotations

import pytest

from solvers.problem import samples
from tests.hospital import LEAK, hospital_csv
from tests.pages.journey import go_to, last_run, opened, session, unopened, with_file, with_sample, words
from tests.pages.preparation import add

TWO_COLUMNS = b"age,ill\n" + b"".join(f"{30 + i % 20},{'yes' if i % 20 < 7 else 'no'}\n".encode() for i in range(40))

WARD = b"age,sex,site,ill\n" + b"".join(
    f"{30 + i % 20},{'fm'[i % 2]},{('north', 'south')[i % 3 % 2]},{'yes' if i % 20 < 7 else 'no'}\n".encode()
    for i in range(60)
)


def test_the_screen_opens_with_all_samples():
    """Before a table is chosen every sample has its card, and Solve is disabled."""
    app = opened()
    assert not app.exception
    assert [b.key for b in app.button if b.key.startswith("sample_")] == [f"sample_{s.key}" for s in samples()]
    assert app.button(key="next").disabled


@pytest.mark.parametrize("screen", ["design", "solve", "inspect", "compare", "sweep"])
def test_screens_without_data_lead_to_the_data_screen(screen: str):
    """Each has its title and one button, which leads to the Data screen."""
    app = go_to(unopened(), screen)
    assert not app.exception and app.title[0].value == screen.capitalize() and " yet." in words(app)
    app.button(key="next").click().run()
    assert app.title[0].value == "Choose data"


@pytest.mark.slow
@pytest.mark.parametrize("key", [sample.key for sample in samples()])
def test_every_sample_can_be_solved_after_one_click(key):
    """One click on a sample gives typed rows with an outcome and enables Solve."""
    app = with_sample(key)
    assert not app.exception and not app.error
    assert not app.button(key="next").disabled
    assert session(app).prepared.whole.n_classes >= 2


def test_the_summary_describes_the_rows():
    """It counts rows and features, and gives the share of the positive class."""
    shown = words(with_sample())
    assert "569 rows, 30 features, outcome malignant 37" in shown
    assert "143 held-out rows" in shown


def test_an_invalid_file_is_explained_and_changes_nothing():
    """A ragged file is refused with its row, and there is still no table."""
    app = with_file(b"a,b,c\n1,2,3\n4,5\n")
    assert "Row 2" in app.error[0].value
    assert session(app).source is None
    assert app.button(key="next").disabled


def test_a_number_as_outcome_is_refused_until_another_is_chosen():
    """Hundreds of outcome values are explained at the field; choosing a class makes the rows ready again."""
    app = with_sample()
    app.selectbox(key="outcome_1").set_value("mean radius").run()
    assert "mean radius" in app.error[0].value.replace("\\", "")
    assert app.button(key="next").disabled
    app.selectbox(key="outcome_1").set_value("diagnosis").run()
    assert not app.error
    assert not app.button(key="next").disabled


def test_patients_stay_together_and_are_not_a_feature():
    """A column of patients leaves the features, and whole patients are held out, as the screen says; so for time."""
    rows = [f"{i // 4},{2000 + i % 7},{30 + i % 20},{'yes' if i % 20 < 7 else 'no'}" for i in range(80)]
    app = with_file("\n".join(["patient,year,age,ill", *rows]).encode(), "visits.csv")
    app.button(key="together_patient").click().run()
    assert app.selectbox(key="group_rows_1").value == "patient"
    assert not [one for one in app.button if (one.key or "").startswith("together_")]
    assert not app.exception and not app.error
    found, shown = session(app).prepared, words(app)
    assert found.whole.schema.names == ("year", "age")
    assert not set(found.train.division.groups.codes) & set(found.test.division.groups.codes)
    assert "no 'patient' is in both training and held-out rows" in shown and "also divide rows by 'patient'" in shown
    app.selectbox(key="group_rows_1").set_value(None)
    app.selectbox(key="time_1").set_value("year").run()
    found = session(app).prepared
    assert found.train.division.time.codes.max() < found.test.division.time.codes.min()
    assert "Held out: the latest rows by 'year'." in words(app)
    app.selectbox(key="centres_1").set_value("patient").run()
    assert "by centre or by time, not by both" in app.error[0].value


def test_choices_are_kept_on_other_screens():
    """Outcome, share and groups are the same after a visit to another screen."""
    app = with_sample("triage")
    app.slider(key="test_share").set_value(40).run()
    app.multiselect(key="groups_1").set_value(["sex"]).run()
    before = session(app).request.about_rows
    app = go_to(go_to(app, "design"), "data")
    assert session(app).request.about_rows == before
    assert app.slider(key="test_share").value == 40


def test_groups_are_crossed_and_compared():
    """The pair of two group columns is offered, follows a renaming, and disappears with one of its columns."""
    app = with_file(WARD)
    app.multiselect(key="groups_1").set_value(["sex", "site"]).run()
    app.multiselect(key="crossed_1").set_value(["sex × site"]).run()
    assert not app.exception and not app.error
    assert session(app).request.groups == ("sex", "site", "sex × site")
    assert session(app).prepared.train.groups[2].levels == ("f × north", "f × south", "m × north", "m × south")
    add(app, "rename", column="site", to="region")
    assert session(app).request.groups == ("sex", "region", "sex × region")
    app.multiselect(key="groups_1").set_value(["sex", "region", "age"]).run()
    assert "sex × age" in app.multiselect(key="crossed_1").options
    app.multiselect(key="groups_1").set_value(["region", "age"]).run()
    assert session(app).request.groups == ("region", "age")
    assert not app.exception and not app.error


def test_missing_values_have_a_policy():
    """A table with missing values has a field for the policy with an explanation; one without has no such field."""
    assert "A missing value is information" in words(with_sample("triage"))
    assert not [box for box in with_sample().selectbox if box.key.startswith("missing_")]


def test_contradictions_are_counted_with_the_unavoidable_error():
    """Two rows with equal features and different classes make one error unavoidable, and the screen says so."""
    app = with_file(TWO_COLUMNS + b"30,no\n30,no\n", "twice.csv")
    assert "Every model makes at least 2 errors" in words(app)


def test_a_raw_export_is_clean_in_one_go_and_undone_in_one():
    """All findings of a raw export are applied by one click, and unticked ones are not; one click undoes them."""
    app = with_file(hospital_csv().encode(), "hospital.csv")
    found = {box.label.replace("\\", "") for box in findings(app)}
    columns = ("age", "lactate", "crp", "sodium", "sex", "deteriorated", LEAK, "postcode", "admitted")
    assert all(any(f"'{name}'" in label for label in found) for name in columns) and len(found) == len(columns)
    assert any(f"'{LEAK}' alone predicts 'deteriorated' in 3,000 of 3,000 rows" in label for label in found)
    raw = session(app).prepared.whole
    app = app.button(key="apply_findings").click().run()
    clean = session(app).prepared.whole
    assert clean.classes == ("no", "yes") and clean.schema["sex"].levels == ("female", "male")
    assert not {LEAK, "postcode", "admitted", "patient_id"} & {*clean.schema.names} and not findings(app)
    assert all(clean.schema[name].has_missing for name in ("age", "lactate", "crp", "sodium"))
    app = app.button(key="undo_findings").click().run()
    assert not app.exception and len(findings(app)) == len(columns)
    assert session(app).prepared.whole.fingerprint == raw.fingerprint and not session(app).source.preparation
    next(box for box in findings(app) if "postcode" in box.label).uncheck().run()
    assert app.button(key="apply_findings").label == "Apply 8 of 9"
    app = app.button(key="apply_findings").click().run()
    assert "postcode" in session(app).prepared.whole.schema.names and len(findings(app)) == 1


def test_solve_asks_whether_spellings_of_the_outcome_are_one_class():
    """Solve on any screen asks first; merging keeps the choices, and a kept outcome is not asked about again."""
    content = hospital_csv(400).encode()
    app = with_file(content, "hospital.csv").slider(key="test_share").set_value(10).run()
    app = go_to(app, "design").button(key="next").click().run()
    assert not session(app).runs and "6 classes" in words(app) and "2 classes remain" in words(app)
    for decision, features in (("merge", 16), ("clean", 13)):
        app = app.button(key=f"outcome_{decision}").click().run()
        run = last_run(app)
        assert run.problem.dataset.classes == ("no", "yes") and len(run.problem.dataset.schema.names) == features
        assert session(go_to(app, "data")).prepared.request == run.prepared.request
        app = with_file(content, "hospital.csv").button(key="next").click().run()
    app = app.button(key="outcome_keep").click().run()
    app = go_to(app, "design").button(key="next").click().run()
    assert [run.problem.dataset.n_classes for run in session(app).runs] == [6, 6]


def findings(app):
    """The ticks of the findings."""
    return [box for box in app.checkbox if box.key.startswith("finding_")]
