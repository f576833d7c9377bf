"""The journey of a teacher in a real browser: XOR, a hand-made tree, greedy, the optimum; a link; a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, Dashboard, come_to_rest
from tests.browser.journeys import choose, enter, go_to, press, widget

pytestmark = pytest.mark.browser


def ask(page: Page, column: str, value: str) -> None:
    """Add a split on a measurement at the student's current node."""
    come_to_rest(page)
    choose(page, "own_column", column)
    come_to_rest(page)
    enter(page, "own_value_", value)
    come_to_rest(page)
    press(page, "own_ask")
    come_to_rest(page)


def test_a_teacher_goes_from_xor_to_greedy_and_optimal_trees(page: Page):
    """Three splits by hand are as good as the proved optimum; CART is shown step by step."""
    go_to(page, "learn")
    expect(page.get_by_text("optimum: 0 (proved)")).to_be_visible()
    ask(page, "x", "0.5")
    expect(page.locator("g.node.leaf")).to_have_count(2)
    ask(page, "y", "0.5")
    expect(page.locator("g.node.leaf")).to_have_count(3)
    page.locator("#node2").click()
    expect(page.locator("#node2")).to_have_attribute("aria-pressed", "true")
    ask(page, "y", "0.5")
    optimal = page.get_by_text("Yours is optimal")
    expect(optimal).to_be_visible()
    press(page, "own_undo")
    expect(optimal).to_be_hidden()
    press(page, "own_redo")
    expect(optimal).to_be_visible()
    choose(page, "learn_part", "Greedy, step by step")
    press(page, "step_greedy_")
    expect(page.locator("g.node.leaf")).to_have_count(2)
    choose(page, "learn_part", "Side by side")
    expect(page.locator("#node0")).to_have_count(3)


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
