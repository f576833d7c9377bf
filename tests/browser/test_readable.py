"""Every drawing is readable when it opens: on a phone, a tablet, a laptop and a large screen, in both themes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, ROOT, come_to_rest, free_port, served
from tests.browser.drawings.faults import FAULTS, PLOT_FAULTS

pytestmark = pytest.mark.browser

WIDTHS = (1366, 390, 1024, 1920)
FRAMES = 18 + 4 * 3
PLOTS = 28


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a program that shows drawings, or with `?part=plots` plots."""
    port, log = free_port(), tmp_path_factory.mktemp("drawings") / "log.txt"
    script = Path(__file__).parent / "drawings" / "script.py"
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}"]
    command += ["--server.address=127.0.0.1", "--server.headless=true", "--browser.gatherUsageStats=false"]
    with served(command, port, log, cwd=ROOT, environment={"PYTHONPATH": str(ROOT)}) as running:
        yield running.url


@contextmanager
def opened(browser: Browser, address: str) -> Iterator[Page]:
    """A page of it after everything is drawn."""
    page = browser.new_page(viewport={"width": WIDTHS[0], "height": 768}, color_scheme="light")
    expect.set_options(timeout=1000 * PATIENCE)
    page.goto(address)
    expect(page.get_by_text("All are drawn.")).to_be_visible()
    yield page
    page.close()


@pytest.fixture(scope="module", params=["", "?detail=rich"])
def drawings(request: pytest.FixtureRequest, browser: Browser, gallery: str) -> Iterator[Page]:
    """A page of drawings of trees, BDDs and diagrams of all sizes, without and with distributions."""
    with opened(browser, f"{gallery}{request.param}") as page:
        yield page


def faults(page: Page) -> list[str]:
    """Unreadable parts of the drawings, after each was drawn for its width."""
    come_to_rest(page)
    expect(page.locator(".stage .node").first).to_be_visible()
    expect(page.locator(".stage.waiting")).to_have_count(0)
    come_to_rest(page)
    return page.evaluate(FAULTS)


def test_no_text_is_too_small_or_cut_off_at_any_width(drawings: Page):
    """No text is below 11 pixels, no split below 12, none overlaps or leaves its box or its frame.

    The dark theme, which differs only in colours, is checked at the first width.
    """
    for theme, ink, widths in (("light", "#1f2328", WIDTHS), ("dark", "#f0f3f6", WIDTHS[:1])):
        drawings.emulate_media(color_scheme=theme)
        for width in widths:
            drawings.set_viewport_size({"width": width, "height": 768})
            assert not faults(drawings), width
            lists, pictures = drawings.locator(".outline").count(), drawings.locator(".stage svg").count()
            assert lists + pictures == FRAMES
            assert pictures == 0 if width == 390 else pictures >= FRAMES // 2
            if pictures:
                expect(drawings.locator("#node0.split text").first).to_have_attribute("fill", ink)


def test_a_large_tree_unfolds_on_click(drawings: Page):
    """At most three levels of a tree of 256 leaves are open, each fold states its contents, and opens and closes."""
    for width in (1366, 390):
        drawings.set_viewport_size({"width": width, "height": 768})
        assert not faults(drawings)
        frame = drawings.locator(".st-key-tree8_960")
        folds = frame.locator(".node[aria-expanded=false]")
        expect(folds.first).to_contain_text("leaves,")
        before = frame.locator(".node").count()
        assert before <= 15
        folds.first.locator(".fold").click()
        expect(frame.locator(".node")).to_have_count(before + 2)
        come_to_rest(drawings)
        frame.locator(".node[aria-expanded=true]").last.locator(".fold").click()
        expect(frame.locator(".node")).to_have_count(before)


def test_labels_of_plots_never_overlap(browser: Browser, gallery: str):
    """At no width and in no theme does a label of a plot overlap, is cut off, or is below 11 pixels."""
    with opened(browser, f"{gallery}?part=plots") as page:
        for theme, width in (*(("light", width) for width in WIDTHS), ("dark", WIDTHS[0])):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 768})
            come_to_rest(page)
            # a plot adapts to the width of its container with a short delay
            expect(page.locator(".js-plotly-plot")).to_have_count(PLOTS)
            page.wait_for_timeout(1500)
            assert not page.evaluate(PLOT_FAULTS), width
