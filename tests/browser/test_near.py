"""Alternatives and favourites in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import come_to_rest
from tests.browser.test_journey import button, open_part, solve_sample

pytestmark = pytest.mark.browser


def test_an_alternative_is_found_opened_and_marked(page: Page):
    """From a proved tree to another one that is nearly as good, with a comment that is listed, removed and back."""
    solve_sample(page, "Iris")
    button(page, "Inspect the tree").click()
    open_part(page, "Alternatives", "Nearly as good")
    button(page, "Find alternatives").click()
    expect(page.get_by_text("counted exactly").locator("visible=true")).to_be_visible()
    expect(page.get_by_text("What all trees within the tolerance ask").locator("visible=true")).to_be_visible()
    button(page, "Open this model").click()
    come_to_rest(page)
    expect(page.get_by_role("tab", name="Model")).to_have_attribute("aria-selected", "true")
    open_part(page, "Alternatives")
    button(page, "\u2606 Mark as favourite").first.click()
    come_to_rest(page)
    open_part(page, "Alternatives", "Favourites")
    come_to_rest(page)
    comment = page.get_by_role("textbox", name="Comment").locator("visible=true")
    comment.fill("needs no <b>lab</b>")
    comment.press("Enter")
    expect(page.get_by_text("needs no <b>lab</b>", exact=True).locator("visible=true")).to_be_visible()
    button(page, "Remove").click()
    expect(page.get_by_text("was taken off the list").locator("visible=true")).to_be_visible()
    button(page, "Undo").click()
    expect(page.get_by_text("needs no <b>lab</b>", exact=True).locator("visible=true")).to_be_visible()
