"""Inspect in a real browser: keyboard, zoom, folding, touch, and one question at a time on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import come_to_rest
from tests.browser.journeys import (
    button,
    choose,
    design,
    inspect,
    press,
    slide,
    solve,
    solve_sample,
    traced,
    use_table,
    widget,
)

pytestmark = pytest.mark.browser

PHONE = {"width": 375, "height": 800}


def box(page: Page) -> list[float]:
    """The visible part of the drawing: x, y, width, height."""
    return [float(part) for part in page.locator(".stage svg").first.get_attribute("viewBox").split()]


def test_the_drawing_can_be_zoomed_folded_and_navigated(page: Page):
    """Buttons, keys and Ctrl with the wheel zoom; the mouse and Shift with arrows move; Fit and 0 show it all.

    F hides the nodes below a split and keeps the focus; the round button shows them again. Screen readers announce the
    split and its rows; the focused node is outlined, and Home leads to the root.
    """
    solve_sample(page, "Iris")
    inspect(page)
    button(page, "Fit the whole diagram").click()
    whole = box(page)
    button(page, "Zoom in").click()
    assert box(page)[2] == pytest.approx(whole[2] / 1.25)
    button(page, "Fit the whole diagram").click()
    assert box(page) == whole
    root = page.locator("#node0")
    root.focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert box(page)[2] == pytest.approx(whole[2] / 1.25**2)
    before = box(page)
    page.keyboard.press("Shift+ArrowRight")
    assert box(page)[0] > before[0]
    page.keyboard.press("0")
    assert box(page) == whole
    stage = page.locator(".stage").first.bounding_box()
    middle = (stage["x"] + stage["width"] / 2, stage["y"] + 200)
    page.mouse.move(*middle)
    page.mouse.wheel(0, -120)
    assert box(page) == whole
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    expect(page.locator(".stage").first).to_have_class(re.compile("enlarged"))
    before = box(page)
    page.mouse.down()
    page.mouse.move(middle[0] + 90, middle[1] + 40, steps=4)
    page.mouse.up()
    assert box(page)[0] < before[0]
    button(page, "Fit the whole diagram").click()
    assert box(page) == whole
    expect(root).to_have_attribute("aria-expanded", "true")
    n = page.locator("g.node").count()
    root.focus()
    page.keyboard.press("f")
    expect(page.locator("g.node")).to_have_count(1)
    expect(root).to_have_attribute("aria-expanded", "false")
    expect(root).to_contain_text("leaves,")
    expect(root).to_be_focused()
    come_to_rest(page)
    root.locator(".fold").click()
    expect(page.locator("g.node")).to_have_count(n)
    assert "?" in root.get_attribute("aria-label")
    root.focus()
    page.keyboard.press("ArrowDown")
    child = page.locator("#node1")
    expect(child).to_be_focused()
    expect(child.locator("path, polygon[fill=none]").first).to_have_css("stroke-width", "4px")
    page.keyboard.press("Home")
    expect(root).to_be_focused()


def test_the_path_of_a_row_can_be_changed_and_shown_alone(page: Page):
    """Reversing the first branch draws the old path dashed; "alone" draws only the two paths."""
    solve_sample(page, "Iris")
    inspect(page)
    traced(page)
    expect(page.locator("g.edge.on-path").first).to_be_attached()
    expect(page.locator("g.edge.was")).to_have_count(0)
    press(page, "turn_")
    expect(page.locator("g.edge.was").first).to_be_attached()
    n = page.locator("g.node").count()
    widget(page, "only_diagram_").locator("label").first.click()
    expect(page.locator("g.node:not(.on-path):not(.was)")).to_have_count(0)
    assert page.locator("g.node").count() <= n


BLOCKS = "x,noise,ill\n" + "".join(
    f"{x},{x * 7 % 5},{'yes' if x // 2 % 2 else 'no'}\n" for x in range(32) for _ in range(4)
)
"""Sixteen blocks of values in turn healthy and ill: the best tree of depth 4 has nearly as many leaves."""


def runs_sideways(page: Page) -> bool:
    """Whether the first drawing runs from left to right."""
    expect(page.locator("#node1").first).to_be_visible()
    come_to_rest(page)
    root, child = (page.locator(f"#node{n}").first.bounding_box() for n in (0, 1))
    return child["x"] > root["x"] + root["width"]


def test_a_deep_tree_starts_at_its_root_within_the_window(page: Page):
    """The drawing starts in the upper third and ends above the footer, also with all levels; Fit shows all of it.

    The tree runs in the same direction on Solve, Inspect and Compare. On a phone it is on the first screenful, and the
    menu closes after a choice.
    """
    use_table(page, "blocks", BLOCKS)
    design(page)
    slide(page, "design_max_depth", "ArrowRight")
    solve(page)
    assert runs_sideways(page)
    inspect(page)
    frame, stage, root = (page.locator(part).first for part in (".frame", ".stage", "#node0"))
    opened = frame.bounding_box()
    assert opened["y"] < 768 / 3
    choose(page, "levels_", "All levels")
    expect(page.locator("g.node.leaf").nth(12)).to_be_attached()
    come_to_rest(page)
    footer = page.get_by_test_id("stBottom").bounding_box()
    place = frame.bounding_box()
    # cautions that arrive later may move it
    assert place["y"] < 768 / 3 and place["y"] + place["height"] <= footer["y"]
    area = stage.bounding_box()
    assert 0 <= root.bounding_box()["x"] - area["x"] < area["width"] / 3
    start = box(page)
    for name in ("Zoom in", "Fit the whole diagram"):
        expect(button(page, name)).to_be_in_viewport(ratio=1)
    button(page, "Fit the whole diagram").click()
    for leaf in page.locator("g.node.leaf").all():
        at = leaf.bounding_box()
        assert area["y"] <= at["y"] and at["y"] + at["height"] <= area["y"] + area["height"] + 1
    button(page, "Fit the whole diagram").click()
    assert box(page) == start
    assert runs_sideways(page)
    page.set_viewport_size(PHONE)
    come_to_rest(page)
    expect(root).to_be_in_viewport(ratio=1)
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Compare").click()
    expect(page.get_by_test_id("stSidebar")).not_to_be_in_viewport()
    page.set_viewport_size({"width": 1366, "height": 768})
    assert runs_sideways(page)
