"""The first visit after a start may be to any address, such as the link that a teacher gave out."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PATIENCE, started

pytestmark = pytest.mark.browser


def test_first_address_of_all_may_be_a_link(browser: Browser, tmp_path: Path) -> None:
    """A lesson that is opened first on a fresh server has the navigation of the program, and its own settings."""
    with started(tmp_path / "runs", tmp_path / "log.txt") as fresh:
        page = browser.new_page()
        page.goto(f"{fresh.url}/learn?lesson=xor&noise=0.2")
        expect(page.get_by_role("link", name="Design")).to_be_visible(timeout=1000 * PATIENCE)
        expect(page.get_by_role("slider", name="Noise")).to_have_value("20", timeout=1000 * PATIENCE)
        assert "lesson=xor" in page.url
        page.close()
