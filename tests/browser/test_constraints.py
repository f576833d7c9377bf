"""A constraint in a real browser: stated in words, solved, seen to hold; and a table that does not know it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from solvers.constraints.presets import presets
from tests.browser.conftest import come_to_rest
from tests.browser.test_journey import button, open_part, upload, use_sample

pytestmark = pytest.mark.browser

LIVER = "age,bilirubin,ill\n" + "".join(
    f"{30 + 10 * (i % 4)},{1 + i * 7 % 5},{'yes' if ill else 'no'}\n"
    for i in range(32)
    for ill in [(i * 7 % 5 > 2 and i % 4 > 1) or i in (4, 9, 17)]
)
"""A table that is solved at once."""


def choose(page: Page, label: str, value: str) -> None:
    """Choose a value in the list of this label."""
    field = page.get_by_role("combobox", name=label)
    field.click()
    page.get_by_role("option", name=value, exact=True).click()


def open_topic(page: Page, topic: str) -> None:
    """Open the editor at the constraints about a topic."""
    button(page, "Add a constraint").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_role("radio", name=topic, exact=True).click()


def test_a_constraint_is_added_solved_and_seen_to_hold(page: Page):
    """'bilirubin is asked before age' is put together from lists, kept by the proved tree, and said to be kept."""
    upload(page, "liver.csv", LIVER.encode())
    expect(page.get_by_role("heading", name="liver")).to_be_visible()
    button(page, "Set size and limits first").click()
    expect(page.get_by_role("heading", name="Size of the tree")).to_be_visible()
    slider = page.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowLeft")
    expect(page.get_by_text("tree of depth 2")).to_be_visible()
    open_topic(page, "Order of questions")
    expect(button(page, "Add")).to_be_disabled()
    choose(page, "Asked first", "bilirubin")
    choose(page, "Asked later", "age")
    expect(page.get_by_role("dialog").get_by_text("bilirubin is asked before age")).to_be_visible()
    button(page, "Add").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(".st-key-constraint_on_1").get_by_text("bilirubin is asked before age")).to_be_visible()
    come_to_rest(page)
    page.get_by_text("Other methods (").click()
    page.get_by_role("radiogroup", name="Method").get_by_text("CPTree (constraints)").click()
    expect(page.get_by_text("1 constraint, by CPTree (constraints)")).to_be_visible()
    button(page, "Solve").click()
    expect(page.get_by_text("Proved optimal", exact=True).first).to_be_visible()
    line = page.get_by_role("row", name=re.compile("bilirubin is asked before age"))
    expect(line.get_by_text("kept", exact=True)).to_be_visible()
    button(page, "Inspect the tree").click()
    open_part(page, "Proof", "Constraints")
    button(page, "What does each constraint cost?").click()
    expect(page.get_by_role("columnheader", name="Price")).to_be_visible()
    expect(page.get_by_text("Price: what the best tree without")).to_be_visible()


def test_examples_are_used_and_another_table_knows_none_of_them(page: Page):
    """A ready-made list is taken with a click and the popover closes; another table begins with an empty list."""
    use_sample(page, "Triage in the emergency department")
    button(page, "Set size and limits first").click()
    button(page, "Examples").click()
    example = page.get_by_text("Cheap tests first")
    expect(example).to_be_visible()
    (position,) = (i for i, preset in enumerate(presets("triage")) if preset.title == "Cheap tests first")
    page.locator(f".st-key-example_{position}").get_by_role("button", name="Use", exact=True).click()
    expect(example).to_be_hidden()
    expect(page.get_by_text("2 constraints")).to_be_visible()
    page.get_by_role("link", name="Data").click()
    button(page, "Another table").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    use_sample(page, "Wine")
    button(page, "Set size and limits first").click()
    expect(page.get_by_text("What the tree must keep besides its size")).to_be_visible()


def test_an_open_editor_is_closed_by_another_screen(page: Page):
    """Escape closes the editor; so does going away, and nothing half-made waits at the return."""
    use_sample(page, "Iris")
    button(page, "Set size and limits first").click()
    button(page, "Add a constraint").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    # the next step lies under the dialog
    page.keyboard.press("Alt+Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("button", name="Solve Shortcut Alt + Enter")).to_be_visible()
    page.get_by_role("link", name="Data").click()
    expect(page.get_by_role("heading", name="Iris")).to_be_visible()
    page.get_by_role("link", name="Design").click()
    expect(page.get_by_role("heading", name="Constraints")).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_hidden()
