"""A sweep in a real browser: set up, started, followed, its tables read and saved."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.browser.journeys import enter, go_to, press, saved, solve_sample
from tests.browser.test_accessibility import in_both_themes, tabs

pytestmark = pytest.mark.browser


def test_a_sweep_is_followed_and_saved(page: Page) -> None:
    """The models are drawn, listed and saved; all screens are accessible in both themes."""
    solve_sample(page, "Iris")
    go_to(page, "sweep")
    enter(page, "sweep_workers_", "1")
    found = in_both_themes(page, "Sweep")
    press(page, "sweep_start")
    done = page.get_by_text("4 of 4 models done. Complete.")
    expect(done).to_be_visible()
    for tab in tabs(page, "Sweep"):
        found += in_both_themes(page, tab)
    assert not found, "\n".join(found)
    page.get_by_role("tab", name="All models (4)").click()
    table = pd.read_csv(io.BytesIO(saved(page, "sweep_csv_")))
    assert table["key"].tolist()[:2] == ["all: contree d1", "all: cart d1"] and table["verified"].all()
