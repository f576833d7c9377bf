"""Nodes with several parents in a real browser, chosen with mouse and keyboard, and the way of one case."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_journey import button, upload

pytestmark = pytest.mark.browser

SIGNS = "fever,cough,rash,ill\n" + "".join(
    f"{'yes' if fever else 'no'},{'yes' if cough else 'no'},{'yes' if rash else 'no'},"
    f"{'yes' if fever + cough + rash >= 2 else 'no'}\n"
    for fever in (0, 1)
    for cough in (0, 1)
    for rash in (0, 1)
    for _ in range(4 + 2 * fever + cough)
)
"""Two of three signs make ill: a BDD of four questions, the last of which two ways lead to."""


def chosen(page: Page, number: int):
    """The node of this number, once it is chosen."""
    node = page.locator(f"#node{number}")
    expect(node).to_have_attribute("aria-pressed", "true")
    return node


@pytest.fixture
def model(page: Page) -> Page:
    """The BDD of the signs on the Inspect screen."""
    upload(page, "signs.csv", SIGNS.encode())
    expect(page.get_by_role("heading", name="signs")).to_be_visible()
    button(page, "Set size and limits first").click()
    page.locator(".st-key-design_kind_bdd").get_by_role("button").click()
    expect(page.get_by_text("BDD of at most 3 levels")).to_be_visible()
    button(page, "Solve").click()
    expect(page.get_by_text("Proved optimal", exact=True).first).to_be_visible()
    button(page, "Inspect the BDD").click()
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()
    return page


def test_a_bdd_is_solved_and_a_shared_node_is_chosen(model: Page):
    """Levels have their question at the side; a click on a node of two parents marks its ways and lists them."""
    page = model
    expect(page.locator("g.node.split")).to_have_count(4)
    expect(page.locator("g.node.level")).to_have_count(4)
    expect(page.locator("g.node.level[role=button]")).to_have_count(0)
    shared = page.locator("#node3")
    n = int(re.search(r"n = (\d+)", shared.text_content())[1])
    shared.click()
    chosen(page, 3)
    expect(page.get_by_text("Rows that came in one of 2 ways")).to_be_visible()
    expect(page.get_by_role("button", name=f"Download these {n} rows")).to_be_visible()
    expect(page.locator("g.edge.into")).to_have_count(4)
    arcs = page.locator("g.edge.into").evaluate_all("arcs => arcs.map(arc => arc.id.slice(0, 4))")
    assert sorted(arcs) == ["arc0", "arc0", "arc1", "arc2"]
    shared.press("ArrowUp")
    above = page.evaluate("document.activeElement?.shadowRoot?.activeElement?.id ?? document.activeElement.id")
    assert above in ("node1", "node2")
    page.locator(f"#{above}").press("ArrowLeft")
    page.locator("#node1").press("ArrowRight")
    page.locator("#node2").press("ArrowUp")
    page.locator("#node0").press("Enter")
    chosen(page, 0)
    expect(page.locator("g.edge.into")).to_have_count(0)


def test_a_case_is_traced_through_a_bdd(model: Page):
    """The way of a row is bold from the root to the terminal, and what is not asked is not told."""
    page = model
    page.get_by_role("radio", name="One case").click()
    field = page.get_by_role("spinbutton", name="Row number in the file")
    sentence = page.get_by_text(re.compile(r"Because .*, the answer is .*(yes|no)\.|is not among"))
    for number in ("1", "2", "3", "4"):
        field.fill(number)
        field.press("Enter")
        expect(sentence.or_(page.get_by_text(f"Row {number} is not among"))).to_be_visible()
        if sentence.text_content().startswith("Because"):
            break
    n_questions = sentence.text_content().partition(", the answer")[0].count(" and ") + 1
    assert n_questions in (2, 3)
    expect(page.locator("g.edge.on-path")).to_have_count(n_questions)
    expect(page.locator("g.node.on-path")).to_have_count(n_questions + 1)
    expect(page.locator("g.edge.into")).to_have_count(0)
