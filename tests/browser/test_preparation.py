"""From a raw workbook by seven steps to a proved model, whose SQL answers the raw table as the model does."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from solvers.diagram import from_json
from solvers.problem import read_table
from tests.browser.conftest import come_to_rest
from tests.browser.journeys import button, open_part, press, upload
from tests.problem.sources.files import as_xlsx

pytestmark = pytest.mark.browser


def export() -> pd.DataFrame:
    """A table as a ward exports it: codes for missing values, spellings, dates, children among the patients."""
    rng = np.random.default_rng(4)
    n = 240
    crp, age = rng.integers(5, 90, n), rng.integers(10, 95, n)
    stay = 2 + crp // 12 + (age > 70) * 3 + rng.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "Age": age,
            "crp": np.where(rng.random(n) < 0.08, -99, crp),
            "sex": np.where(rng.random(n) < 0.05, "Male", rng.choice(["male", "female"], n)),
            "weight": rng.integers(45, 120, n),
            "height": rng.integers(150, 199, n) / 100,
            "admitted": [f"2024-03-{d:02}" for d in rng.integers(1, 9, n)],
        }
    )
    frame["discharged"] = (pd.to_datetime(frame["admitted"]) + pd.to_timedelta(stay, "D")).dt.strftime("%Y-%m-%d")
    return frame


def workbook(frame: pd.DataFrame) -> bytes:
    """The table on the second sheet of an Excel file, with its dates as dates."""
    dates = frame.assign(**{name: pd.to_datetime(frame[name]).dt.date for name in ("admitted", "discharged")})
    return as_xlsx({"read me": [["Wards of 2024"]], "patients": [list(frame.columns), *dates.values.tolist()]})


def choose(page: Page, label: str, value: str) -> None:
    """Choose an option of the field of this label."""
    field = page.get_by_role("combobox", name=label, exact=True).locator("visible=true")
    field.click()
    field.fill(value)
    field.press("Enter")
    come_to_rest(page)


def write(page: Page, label: str, value: str) -> None:
    """Type into the field of this label."""
    field = page.get_by_label(label, exact=True).locator("visible=true")
    field.fill(value)
    field.press("Enter")
    come_to_rest(page)


def add(page: Page, words: str) -> None:
    """Add the step that is filled in, and see it on the list."""
    button(page, "Add step").click()
    expect(page.get_by_text(words, exact=True).locator("visible=true")).to_be_visible()
    come_to_rest(page)


def by_clicks(page: Page) -> None:
    """Seven steps: five in the form, two at the findings."""
    come_to_rest(page)
    page.get_by_text("Prepare the table").click()
    come_to_rest(page)
    choose(page, "Kind of step", "Combine two columns")
    choose(page, "First column", "admitted")
    choose(page, "Operation", "days to")
    choose(page, "Second column", "discharged")
    write(page, "New column", "stay")
    add(page, "make 'stay': the days from 'admitted' to 'discharged'")
    choose(page, "Kind of step", "Cut numbers at thresholds")
    choose(page, "Column", "stay")
    write(page, "Thresholds", "7")
    add(page, "cut 'stay' at 7")
    choose(page, "Outcome", "stay")
    button(page, "Treat '-99' of 'crp' as missing").click()
    expect(page.get_by_text("treat '-99' of 'crp' as missing", exact=True)).to_be_visible()
    button(page, "Count 'Male' of 'sex' as 'male'").click()
    expect(page.get_by_text("count 'Male' of 'sex' as 'male'", exact=True)).to_be_visible()
    choose(page, "Kind of step", "Rename a column")
    write(page, "New name", "age")
    add(page, "rename 'Age' to 'age'")
    choose(page, "Kind of step", "Filter rows")
    choose(page, "Condition", "is at least")
    values = page.get_by_role("combobox", name="Values", exact=True).locator("visible=true")
    values.fill("18")
    values.press("Enter")
    values.press("Escape")
    come_to_rest(page)
    add(page, "keep rows where 'age' is at least 18")
    choose(page, "Kind of step", "Combine two columns")
    choose(page, "First column", "weight")
    choose(page, "Operation", "divided by")
    choose(page, "Second column", "height")
    write(page, "New column", "weight by height")
    add(page, "make 'weight by height': 'weight' divided by 'height'")


def saved(page: Page, name: str) -> bytes:
    """What a button on the screen downloads."""
    with page.expect_download() as download:
        button(page, name).click()
    return Path(download.value.path()).read_bytes()


def test_a_raw_export_becomes_a_model_whose_sql_answers_the_raw_table(page: Page):
    """Seven steps by clicks, Solve, and the SQL gives every raw row the model's answer, and children none."""
    frame = export()
    upload(page, "ward.xlsx", raw := workbook(frame))
    choose(page, "Sheet", "patients")
    expect(page.get_by_role("heading", name="ward")).to_be_visible()
    by_clicks(page)
    expect(page.get_by_text("Preparation: 7 steps")).to_be_visible()
    press(page, "next")
    expect(page.get_by_text("Optimal on training data", exact=True).first).to_be_visible()
    press(page, "next")
    open_part(page, "Export")
    query, model = saved(page, "SQL").decode(), from_json(saved(page, "JSON"))
    table = read_table(raw, sheet="patients")
    prepared = model.prepared(table)
    expected: list[str | None] = [None] * table.n_rows
    X = model.schema.encode(prepared.table, frozenset(model.features))
    found = zip(prepared.rows.tolist(), model.predict(X).tolist(), model.stops(X).tolist(), strict=True)
    for row, label, stop in found:
        expected[row] = model.classes[label] if stop < 0 else None
    with sqlite3.connect(":memory:") as base:
        frame.to_sql("patients", base, index=False)
        cursor = base.execute(query)
        place = [column[0] for column in cursor.description].index("prediction")
        answers = [row[place] for row in cursor]
    assert answers == expected
    assert {"up to 7", "over 7", None} == set(answers)
    assert sum(answer is None for answer in answers) >= (table.frame["Age"].astype(int) < 18).sum() > 0
