"""The front of errors and size in a real browser: it fills while one looks on, and a click opens the model."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import click_last_point
from tests.browser.test_journey import button, solve_sample

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def solved(shared_page: Page) -> Page:
    """A proved tree, which both tests compare."""
    solve_sample(shared_page, "Iris")
    return shared_page


def to_the_front(page: Page) -> None:
    """From any screen to the plot; the rows that figures are of are marked on each screen on the way."""
    for screen, there in (("Inspect", "All rows"), ("Compare", "Models to compare")):
        page.get_by_role("link", name=screen).click()
        expect(page.get_by_text(there, exact=True)).to_be_visible()
        expect(page.get_by_role("radio", name="Test rows")).to_be_checked()
    page.get_by_role("tab", name="Error, size, fairness").click()
    expect(page.get_by_text("models are worth a look")).to_be_visible()


def test_a_click_on_a_point_opens_its_model(solved: Page):
    """After the sweep there are more points; the click goes to Inspect, and Back brings the plot again."""
    page = solved
    to_the_front(page)
    points = page.locator(".js-plotly-plot .points path")
    before = points.count()
    button(page, "Fill the front").click()
    expect(page.get_by_text("Looked for")).to_be_visible()
    expect(points).not_to_have_count(before)
    assert points.count() > before
    click_last_point(page)
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()
    assert page.url.endswith("/inspect")
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_role("tab", name="Error, size, fairness")).to_be_visible()
    expect(page.get_by_text("Models to compare")).to_be_visible()
    assert page.url.endswith("/compare")


def test_a_model_is_opened_by_keyboard(solved: Page):
    """The table below the plot names all models; one is opened without the mouse."""
    page = solved
    to_the_front(page)
    page.locator("summary", has_text="All models as a table").press("Enter")
    inspect = button(page, "Inspect it")
    inspect.focus()
    inspect.press("Enter")
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()
