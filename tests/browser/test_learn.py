"""The journey of a teacher in a real browser: XOR, one's own tree, greedy, the optimum; a link; a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, Dashboard, come_to_rest
from tests.browser.test_journey import button

pytestmark = pytest.mark.browser


def ask(page: Page, column: str, value: str) -> None:
    """Ask about a measurement where the student stands."""
    come_to_rest(page)
    chooser = page.get_by_role("combobox", name="Ask about")
    chooser.fill(column)
    chooser.press("Enter")
    come_to_rest(page)
    field = page.get_by_role("spinbutton", name="is at most")
    field.fill(value)
    field.press("Enter")
    come_to_rest(page)
    button(page, "Ask here").click()
    come_to_rest(page)


def test_a_teacher_goes_from_xor_over_greedy_to_the_optimum(page: Page):
    """Three questions by hand are as good as the proved optimum; CART, step by step, falls for a distractor."""
    page.get_by_role("link", name="Learn").click()
    expect(page.get_by_text("optimum: 0, proved")).to_be_visible()
    expect(page.get_by_text("You: 32 errors")).to_be_visible()
    ask(page, "x", "0.5")
    expect(page.locator("g.node.leaf")).to_have_count(2)
    ask(page, "y", "0.5")
    expect(page.locator("g.node.leaf")).to_have_count(3)
    page.locator("#node2").click()
    expect(page.locator("#node2")).to_have_attribute("aria-pressed", "true")
    ask(page, "y", "0.5")
    expect(page.get_by_text("Yours is optimal")).to_be_visible()
    button(page, "Undo").click()
    expect(page.get_by_text("Yours is optimal")).to_be_hidden()
    button(page, "Redo").click()
    expect(page.get_by_text("Yours is optimal")).to_be_visible()
    page.get_by_text("Greedy, step by step").last.click()
    expect(page.get_by_text(re.compile("For all rows CART asks 'z"))).to_be_visible()
    button(page, "Step").click()
    expect(page.locator("g.node.leaf")).to_have_count(2)
    page.get_by_text("Side by side").last.click()
    expect(page.get_by_text("Proved optimal").first).to_be_visible()
    expect(page.locator("#node0")).to_have_count(3)


def test_the_proof_plays_by_itself(browser: Browser, dashboard: Dashboard):
    """Play goes on without a hand, and Pause stops it; the proof is too long to end before."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(f"{dashboard.url}/learn?lesson=xor&noise=0.1&depth=3&part=search")
    expect(page.get_by_text("The search begins with that.")).to_be_visible()
    button(page, "Play").click()
    expect(page.get_by_text("The search begins with that.")).to_be_hidden()
    button(page, "Pause").click()
    expect(button(page, "Play")).to_be_visible()
    button(page, "Next pruning").click()
    expect(page.get_by_text(re.compile("^Pruned: "))).to_be_visible()
    context.close()


def test_a_link_opens_the_lesson_on_a_phone(page: Page, browser: Browser, dashboard: Dashboard):
    """Noise and seed are those of the link, and nothing is wider than the phone."""
    expect(page.get_by_role("heading", name="Choose a table")).to_be_visible()
    context = browser.new_context(viewport={"width": 375, "height": 800})
    phone = context.new_page()
    phone.goto(f"{dashboard.url}/learn?lesson=xor&noise=0.1&seed=3&part=compare")
    expect(phone.get_by_text("Proved optimal").first).to_be_visible()
    expect(phone.get_by_role("spinbutton", name="Seed")).to_have_value("3")
    expect(phone.get_by_role("slider", name="Noise")).to_have_value("10")
    main = phone.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    context.close()
