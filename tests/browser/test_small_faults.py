"""What a browser alone shows: the menu of a phone, bars to scroll, and drawings that are higher than the window."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import come_to_rest
from tests.browser.test_journey import upload

pytestmark = pytest.mark.browser

WARD = "age,lactate,ill\n" + "".join(f"{20 + i},{i * 7 % 5},{'yes' if i * 7 % 3 else 'no'}\n" for i in range(60))


def test_the_menu_of_a_phone_closes_after_a_choice(page: Page) -> None:
    """It lies over the screen that was chosen."""
    page.set_viewport_size({"width": 390, "height": 800})
    come_to_rest(page)
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Learn").click()
    expect(page.get_by_test_id("stSidebarCollapseButton")).to_have_count(0)
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()


def test_no_bar_to_scroll_appears_beside_the_main_button(page: Page) -> None:
    """The line at the foot shows all of it, also what a button shows under the mouse."""
    upload(page, "ward.csv", WARD.encode())
    foot = page.get_by_test_id("stBottomBlockContainer")
    foot.get_by_role("button", name="Solve").hover()
    come_to_rest(page)
    hidden = """foot => [...foot.querySelectorAll('*')].filter(box =>
        box.scrollHeight > box.clientHeight && ['auto', 'scroll'].includes(getComputedStyle(box).overflowY)).length"""
    assert foot.evaluate(hidden) == 0
