"""The Data screen: steps are added, undone, saved, loaded, offered at findings, and stored with runs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from components.session.run_files import reopen
from solvers.problem import Preparation, external_dataset, preparation_of, read_table
from tests.pages.journey import PATIENCE, go_to, last_run, session, with_file, words
from tests.pages.preparation import add


def ward() -> bytes:
    """Raw rows: a code for missing values, spelling variants of a level, two dates that give the length of stay."""
    rng = np.random.default_rng(0)
    lines = ["Age,crp,sex,in,out"]
    for i in range(120):
        age, crp = int(rng.integers(15, 90)), int(rng.integers(5, 60))
        out = 3 + crp // 4 + int(rng.integers(0, 3))
        sex = "Male" if i % 40 == 0 else "male" if i % 2 else "female"
        lines.append(f"{age},{-99 if i % 12 == 0 else crp},{sex},2024-03-01,2024-03-{out + 1:02}")
    return "\n".join(lines).encode()


@pytest.fixture
def app():
    """The Data screen with the raw rows."""
    return with_file(ward(), "ward.csv")


def test_steps_make_an_outcome_and_can_be_undone(app):
    """A column from two dates, cut at a threshold, is the outcome; its sources are deselected; undo restores all."""
    add(app, "combine", first="in", operation="days to", second="out", to="stay")
    add(app, "cut", column="stay", thresholds="9")
    assert not app.exception and not app.error
    app.selectbox(key="outcome_1").set_value("stay").run()
    rows = session(app).prepared
    assert rows.whole.classes == ("up to 9", "over 9")
    assert rows.whole.schema.names == ("Age", "crp", "sex")
    assert "2. cut 'stay' at 9" in words(app)
    app.button(key="undo_step").click().run()
    assert not app.exception
    assert session(app).source.table.names == ("Age", "crp", "sex", "in", "out", "stay")
    app.button(key="undo_step").click().run()
    assert not session(app).source.preparation
    assert session(app).source.table.frame.equals(session(app).source.raw.frame)


def test_a_data_dictionary_describes_the_columns_also_after_a_new_name(app):
    """The table of columns and the features have family, label and unit; a renamed column keeps them."""
    app.selectbox(key="outcome_1").set_value("sex").run()
    app.file_uploader[0].upload("dictionary.csv", b"column,label,unit,family\ncrp,CRP,mg/L,laboratory\n", "text/csv")
    app.run().run()
    add(app, "rename", column="crp", to="protein")
    assert not app.exception and not app.error
    _, shown = app.session_state["_columns_base"]
    assert ["protein", "laboratory", "CRP", "mg/L"] in shown[["name", "family", "label", "unit"]].values.tolist()
    assert session(app).prepared.train.schema["protein"].heading == "CRP (mg/L)"


def test_a_renamed_column_keeps_what_was_chosen(app):
    """Outcome, groups and selections follow a new name, and return with undo."""
    app.selectbox(key="outcome_1").set_value("sex").run()
    app.multiselect(key="groups_1").set_value(["Age"]).run()
    add(app, "rename", column="Age", to="age")
    add(app, "rename", column="sex", to="gender")
    request = session(app).request
    assert (request.target, request.groups) == ("gender", ("age",))
    app.button(key="undo_step").click().run()
    assert session(app).request.target == "sex"
    assert not app.exception and not app.error


def test_values_are_merged_or_marked_as_missing(app):
    """With a new value the levels become one; without one a code counts as missing."""
    add(app, "replace", column="sex", values=["Male", "male"], to="m")
    add(app, "replace", column="crp", values=["-99"])
    assert not app.exception and not app.error
    found = {report.name: report for report in session(app).source.reports}
    assert (found["sex"].levels, found["crp"].n_missing) == (("female", "m"), 10)


def test_an_invalid_step_is_explained_and_changes_nothing(app):
    """The message names the step, the column and the row; the list does not change."""
    add(app, "cut", column="sex", thresholds="3")
    assert "'sex' holds text where a number must be ('Male' in row 1)" in app.error[0].value.replace("\\", "")
    assert not session(app).source.preparation
    add(app, "cut", column="crp", thresholds="x")
    assert "must be a list of one or more numbers" in app.error[0].value
    add(app, "cut", column="crp", thresholds="20; 40")
    assert not app.error, app.error[0].value


def test_steps_are_loaded_from_a_file(app):
    """A saved list replaces the existing one; an invalid one is refused."""
    add(app, "rename", column="Age", to="years")
    saved = Preparation.from_json([{"kind": "rename", "column": "crp", "to": "crp (mg/l)"}])
    box = next(one for one in app.file_uploader if one.key.startswith("load_steps_1"))
    box.upload("steps.json", saved.text().encode(), "application/json").run()
    assert not app.exception and not app.error
    assert session(app).source.table.names == ("Age", "crp (mg/l)", "sex", "in", "out")
    assert preparation_of(session(app).source.preparation.text()) == saved
    box = next(one for one in app.file_uploader if one.key.startswith("load_steps_1"))
    box.upload("other.json", json.dumps([{"kind": "cut"}]).encode(), "application/json").run()
    assert "step 1: 'cut' needs the field 'column'" in app.error[0].value.replace("\\", "")


def test_steps_are_stored_with_the_run(app):
    """A reopened run has its raw table and its steps, which also prepare raw external data."""
    add(app, "combine", first="in", operation="days to", second="out", to="stay")
    add(app, "cut", column="stay", thresholds="9")
    app.selectbox(key="outcome_1").set_value("stay").run()
    app.button(key="next").click().run()
    run = last_run(app)
    run.job.wait(PATIENCE)
    again = reopen(run.job.folder, 7)
    assert again.prepared.source.preparation == run.prepared.source.preparation
    assert again.prepared.source.table.frame.equals(run.prepared.source.table.frame)
    assert again.prepared.source.raw.names == ("Age", "crp", "sex", "in", "out")
    assert again.problem.dataset.schema.preparation == run.prepared.source.preparation
    app = go_to(app, "inspect")
    assert not app.exception
    second = external_dataset(read_table(ward()), run.prepared.train, run.prepared.request).dataset
    assert (second.n_samples, second.classes) == (120, ("up to 9", "over 9"))


def test_limits_and_dates_can_be_converted_by_a_button():
    """Each interpretation of '<0.5' and 03/04/2024 is a step; undo and the form offer the others."""
    lines = [f"{'<0.5' if i % 5 == 0 else i},{i % 9 + 1:02}/{i % 7 + 1:02}/2024,{'ab'[i % 2]}" for i in range(40)]
    app = with_file("\n".join(["crp,seen,state", *lines]).encode(), "lab.csv")
    warning = app.warning[0].value.replace("\\", "")
    assert "Limits such as '<0.5' in 'crp'." in warning and "month/day in 'seen'." in warning
    kinds = [one.key for one in app.button if one.key and one.key.startswith("remedy_")]
    assert kinds == [
        *("remedy_replace_crp_<0.5", "remedy_read_crp_the limit_<0.5", "remedy_read_crp_half the limit_<0.5"),
        *("remedy_read_seen_day first", "remedy_read_seen_month first"),
    ]
    app.button(key="remedy_read_crp_half the limit_<0.5").click().run()
    app.button(key="remedy_read_seen_day first").click().run()
    assert not app.exception and not app.error
    assert not [one for one in app.button if one.key and one.key.startswith("remedy_")]
    frame = session(app).source.table.frame
    assert frame["crp"][0] == "0.25" and frame["seen"].tolist()[1:3] == ["2024-02-02", "2024-03-03"]
    schema = session(app).prepared.whole.schema
    assert (schema["crp"].kind, schema["seen"].kind) == ("numeric", "date")
    add(app, "read", column="seen", form="day and month exchanged")
    assert session(app).source.table.frame["seen"][9] == "2024-01-03"
    assert "3. read the dates of 'seen' (day and month exchanged)" in words(app)
    for _ in range(3):
        app.button(key="undo_step").click().run()
    app.button(key="remedy_replace_crp_<0.5").click().run()
    assert session(app).source.table.frame["crp"][0] == ""


def test_irrelevant_fields_are_hidden(app):
    """Limits belong to numbers and levels to categories; the value of a hidden field is not used."""
    app.selectbox(key="step_kind_1").set_value("keep").run()
    values = "step_1_0_keep_values_Age"
    app.multiselect(key=values).set_value(["50"]).run()
    app.selectbox(key="step_1_0_keep_condition").set_value("is known").run()
    assert values not in [box.key for box in app.multiselect]
    app.button(key="add_step").click().run()
    assert not app.exception and not app.error
    assert session(app).source.preparation.words == ("keep rows where 'Age' is known",)
