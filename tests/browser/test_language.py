"""A browser that prefers German, and a user who changes the language."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Dashboard, come_to_rest

pytestmark = pytest.mark.browser


def test_the_language_follows_the_browser_and_the_choice_of_the_user(browser: Browser, dashboard: Dashboard) -> None:
    """German where it is preferred; English by the navigation, on the screen where one was, and back."""
    with browser.new_context(locale="de-DE", viewport={"width": 1366, "height": 768}) as visit:
        page = visit.new_page()
        page.goto(dashboard.url)
        expect(page.get_by_role("heading", name="Tabelle wählen")).to_be_visible(timeout=60_000)
        page.get_by_role("link", name="Läufe", exact=True).click()
        expect(page.get_by_role("heading", name="Läufe")).to_be_visible()
        for before, after, heading in (("Deutsch", "English", "Runs"), ("English", "Deutsch", "Läufe")):
            come_to_rest(page)
            page.get_by_test_id("stTopNavSection").filter(has_text=before).click()
            page.get_by_text(after, exact=True).click()
            expect(page.get_by_role("heading", name=heading)).to_be_visible()
