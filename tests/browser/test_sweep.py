"""A sweep in a real browser: set up, started, followed, its tables read and saved, a model opened."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import click_last_point, come_to_rest
from tests.browser.test_accessibility import in_both_themes, tabs
from tests.browser.test_journey import button, enter, solve_sample

pytestmark = pytest.mark.browser


def to_the_sweep(page: Page) -> None:
    """From a solved sample to the screen where a sweep is set up."""
    solve_sample(page, "Iris")
    page.get_by_role("link", name="Sweep").click()
    expect(button(page, "Start the sweep")).to_be_visible()


def saved(page: Page, label: str) -> bytes:
    """What a button lets one save."""
    with page.expect_download() as download:
        button(page, label).click()
    return download.value.path().read_bytes()


@pytest.fixture(scope="module")
def found(shared_page: Page) -> list[str]:
    """What axe finds before and after four models are made while one looks on, with which the tests after it go on."""
    page = shared_page
    to_the_sweep(page)
    found = in_both_themes(page, "Sweep")
    assert page.url.endswith("/sweep")
    enter(page, "At once", "1")
    expect(page.get_by_text("4 models, each in at most 60 s, 1 at once")).to_be_visible()
    button(page, "Start the sweep").click()
    expect(page.get_by_text("4 of 4 models done. The sweep is complete.")).to_be_visible()
    for tab in tabs(page, "Sweep"):
        found += in_both_themes(page, tab)
    return found


def test_it_is_accessible(found: list[str]) -> None:
    """What is chosen, and each tab of what it came to, in both themes."""
    assert not found, "\n".join(found)


def test_a_sweep_is_followed_and_saved(shared_page: Page, found: list[str]) -> None:
    """The models are drawn and listed; a click on a point opens one of them."""
    page = shared_page
    page.get_by_role("tab", name="Summary").click()
    expect(page.get_by_text("Fewest errors on unseen rows")).to_be_visible()
    expect(button(page, "Look at it")).to_be_visible()
    page.get_by_role("tab", name="All models (4)").click()
    table = pd.read_csv(io.BytesIO(saved(page, "Save as CSV")))
    typed, names = pd.read_parquet(io.BytesIO(saved(page, "Save as Parquet"))), ["key", "status", "cost", "test_errors"]
    pd.testing.assert_frame_equal(typed[names], table[names], check_dtype=False)
    assert table["key"].tolist()[:2] == ["all: contree d1", "all: cart d1"] and table["verified"].all()
    page.get_by_role("tab", name="Summary").click()
    # in the theme of now: a plot whose colours change with a click is another plot, on which nothing was clicked
    page.keyboard.press("r")
    click_last_point(page)
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()
    assert page.url.endswith("/inspect")
    page.get_by_role("link", name="Sweep").click()
    expect(page.get_by_text("4 of 4 models done. The sweep is complete.")).to_be_visible()


def test_a_sweep_is_deleted_taken_back_and_deleted_for_good(shared_page: Page, found: list[str]) -> None:
    """One click takes it off the screen, another brings it back; from the trash it goes only after a question."""
    page = shared_page
    page.get_by_role("link", name="Sweep").click()
    expect(page.get_by_text("4 of 4 models done. The sweep is complete.")).to_be_visible()
    button(page, "Delete").click()
    expect(page.get_by_text("1 sweep deleted.")).to_be_visible()
    expect(button(page, "Start the sweep")).to_be_visible()
    button(page, "Undo").click()
    expect(page.get_by_text("4 of 4 models done. The sweep is complete.")).to_be_visible()
    expect(page.get_by_text("1 sweep deleted.")).to_have_count(0)
    button(page, "Delete").click()
    expect(page.get_by_text("1 sweep deleted.")).to_be_visible()
    expect(button(page, "Start the sweep")).to_be_visible()
    come_to_rest(page)
    page.get_by_text("Trash (1 sweep)").click()
    # the table in it pushes the buttons down once it is drawn
    come_to_rest(page)
    button(page, "Empty the trash").click()
    button(page.get_by_role("dialog"), "Delete for good").click()
    expect(page.get_by_text("Trash (1 sweep)")).to_have_count(0)
    expect(button(page, "Start the sweep")).to_be_visible()


def test_a_sweep_is_stopped_and_goes_on(shared_page: Page, found: list[str]) -> None:
    """Progress stands on the screen with a way to stop; what was done is kept, and Go on makes more of it."""
    page = shared_page
    page.get_by_role("link", name="Sweep").click()
    come_to_rest(page)
    page.get_by_text("Bootstrap", exact=True).click()
    enter(page, "Samples", "300")
    enter(page, "At once", "1")
    expect(page.get_by_text("1,200 models")).to_be_visible()
    button(page, "Start the sweep").click()
    expect(page.get_by_text("1 at work, about").first).to_be_visible()
    button(page, "Stop").click()
    expect(page.get_by_text("It was stopped. What is done is kept.")).to_be_visible()
    button(page, "Go on").click()
    expect(page.get_by_text("1 at work, about").first).to_be_visible()
    button(page, "Stop").click()
    expect(page.get_by_text("It was stopped. What is done is kept.")).to_be_visible()
