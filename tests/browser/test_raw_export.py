"""A raw hospital export in a real browser: it is clean in one go, and nothing is lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import come_to_rest, free_port, opened, started
from tests.browser.journeys import choose, design, go_to, press, slide, solve, use_table, widget
from tests.hospital import hospital_csv

pytestmark = pytest.mark.browser


def continued(page: Page) -> None:
    """Continue the draft, and find its steps, size and constraint."""
    expect(page.get_by_text(re.compile("outcome deteriorated, .* preparation steps, 1 constraint"))).to_be_visible()
    widget(page, "draft_").get_by_role("button").first.click()
    if "design" not in page.url:
        expect(page.get_by_text("3,000 rows, 13 features, outcome yes 7%, 750 held-out rows")).to_be_visible()
        go_to(page, "design")
    expect(widget(page, "constraint_on_1").get_by_text("age is asked before lactate")).to_be_visible()
    expect(widget(page, "design_max_depth").get_by_role("slider")).to_have_value("2")


def test_a_raw_export_is_cleaned_and_survives_a_new_page_and_a_new_server(browser: Browser, tmp_path: Path):
    """Findings are applied, undone and applied; work is there after F5 and a restart, and Solve has two classes."""
    port, runs = free_port(), tmp_path / "runs"
    with (
        started(runs, tmp_path / "one.txt", port=port) as dashboard,
        opened(dashboard, browser.new_context()) as page,
    ):
        use_table(page, "hospital", hospital_csv())
        expect(widget(page, "finding_1_")).to_have_count(9)
        press(page, "apply_findings")
        expect(widget(page, "finding_1_")).to_have_count(0)
        press(page, "undo_findings")
        expect(widget(page, "finding_1_")).to_have_count(9)
        press(page, "apply_findings")
        expect(widget(page, "undo_step")).to_be_visible()
        design(page)
        slide(page, "design_max_depth", "ArrowLeft")
        press(page, "constraint_new")
        choose(page, "constraint_1_topic", "Order of questions")
        choose(page, "constraint_1_asked-before_first", "age")
        choose(page, "constraint_1_asked-before_then", "lactate")
        press(page, "constraint_done")
        expect(widget(page, "constraint_on_1")).to_be_visible()
        come_to_rest(page)
        page.reload()
        continued(page)
    with (
        started(runs, tmp_path / "two.txt", port=port) as dashboard,
        opened(dashboard, browser.new_context()) as page,
    ):
        continued(page)
        solve(page)
        expect(page.get_by_text("age is asked before lactate").first).to_be_visible()
