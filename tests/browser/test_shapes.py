"""A BDD and a decision diagram in a real browser, from the Design screen to the node that is inspected."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import come_to_rest
from tests.browser.test_journey import button, use_sample

pytestmark = pytest.mark.browser


def design(page: Page, sample: str, shape: str) -> None:
    """The Design screen with a sample and a shape."""
    use_sample(page, sample)
    button(page, "Set size and limits first").click()
    button(page, shape).click()


def solve_and_inspect(page: Page, noun: str) -> None:
    """Solve, wait for the proof, and look at the model."""
    button(page, "Solve").click()
    expect(page.get_by_text("Proved optimal", exact=True).first).to_be_visible()
    button(page, f"Inspect the {noun}").click()
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()


def test_a_bdd_from_its_levels_to_a_node(page: Page):
    """Shape, levels and a method's option are chosen, the BDD is proved, and one of its two answers is clicked."""
    design(page, "Breast cancer (Wisconsin)", "BDD")
    expect(page.get_by_role("heading", name="Size of the BDD")).to_be_visible()
    slider = page.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowLeft")
    expect(page.get_by_text("BDD of at most 2 levels")).to_be_visible()
    come_to_rest(page)
    thresholds = page.get_by_role("combobox", name="Thresholds of numbers")
    thresholds.evaluate("element => element.scrollIntoView({block: 'center'})")
    thresholds.click()
    page.get_by_role("option", name="all", exact=True).click()
    solve_and_inspect(page, "BDD")
    expect(page.locator("g.node.leaf")).to_have_count(2)
    page.locator("g.node.leaf").last.click()
    expect(page.get_by_text("Answers: diagnosis is").first).to_be_visible()
    button(page, "Compare with greedy models").click()
    expect(page.locator("#node0")).to_have_count(2)


@pytest.mark.parametrize("page", ["dark"], indirect=True)
def test_a_diagram_from_its_skeleton_to_a_node(page: Page):
    """A preset and own widths, the price of a question in rows, the proof, and a click, in the dark theme."""
    design(page, "Iris", "Decision diagram")
    expect(page.get_by_role("heading", name="Size of the diagram")).to_be_visible()
    button(page, "II").click()
    expect(page.get_by_text("diagram within the skeleton II (1 2 4 4 4)")).to_be_visible()
    widths = page.get_by_role("textbox", name="Skeleton: the most questions in each layer, from the top")
    widths.fill("1 3")
    widths.press("Enter")
    expect(page.get_by_text("so layer 2 can have at most 2 questions")).to_be_visible()
    expect(button(page, "Solve")).to_be_disabled()
    widths.fill("1 2 2")
    widths.press("Enter")
    expect(page.get_by_text("diagram within the skeleton (1 2 2)")).to_be_visible()
    expect(page.get_by_text("One more question must save at least 1 training row.")).to_be_visible()
    solve_and_inspect(page, "diagram")
    expect(page.locator("g.node.leaf")).to_have_count(3)
    page.locator("#node1").click()
    expect(page.get_by_text("Asks: ").first).to_be_visible()
    expect(page.locator("#node1")).to_have_attribute("aria-pressed", "true")
