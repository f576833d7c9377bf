"""The journey of a teacher in a real browser: XOR, a hand-made tree, greedy, the optimum; a link; a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, Dashboard
from tests.browser.journeys import press, widget

pytestmark = pytest.mark.browser


def test_a_link_opens_the_lesson_on_a_phone(page: Page, browser: Browser, dashboard: Dashboard):
    """Noise and seed are those of the link, the proof can be followed, and nothing is wider than the phone."""
    expect(widget(page, "sample_").first).to_be_visible()
    context = browser.new_context(viewport={"width": 375, "height": 800})
    phone = context.new_page()
    phone.set_default_timeout(1000 * PATIENCE)
    phone.goto(f"{dashboard.url}/learn?lesson=xor&noise=0.1&seed=3&depth=3&part=search")
    first = phone.get_by_text("The search begins with that.")
    expect(first).to_be_visible()
    expect(widget(phone, "learn_seed").locator("input")).to_have_value("3")
    expect(widget(phone, "learn_noise").get_by_role("slider")).to_have_value("10")
    main = phone.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    press(phone, "step_search_")
    expect(first).to_be_hidden()
    context.close()
