"""A large table is read while others go on, can be stopped, and ends with its session."""

from __future__ import annotations

import time

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, Dashboard
from tests.browser.test_journey import button, upload, use_sample

pytestmark = pytest.mark.browser

WIDE = ",".join(f"c{j}" for j in range(50_000)).encode() + b"\n" + (b"1," * 49_999 + b"2\n") * 100
"""A table that is read for much longer than `SOON`."""
SOON = 15
"""Seconds within which a process that nobody wants must be gone."""


def readers(dashboard: Dashboard) -> set[int]:
    """The worker processes of a dashboard."""
    found = set()
    for child in psutil.Process(dashboard.pid).children(recursive=True):
        try:
            if "solvers.run.worker" in child.cmdline() and child.status() != psutil.STATUS_ZOMBIE:
                found.add(child.pid)
        except psutil.NoSuchProcess:
            continue
    return found


def begin(page: Page, dashboard: Dashboard) -> int:
    """Upload a wide table; the process that reads it."""
    before = readers(dashboard)
    upload(page, "wide.csv", WIDE)
    expect(page.get_by_text("Reading wide ...")).to_be_visible()
    end = time.monotonic() + PATIENCE
    while not (new := readers(dashboard) - before):
        assert time.monotonic() < end
        time.sleep(0.05)
    return max(new)


def until_gone(pid: int) -> None:
    """Wait for the end of a process, sooner than it would have read the table."""
    end = time.monotonic() + SOON
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_others_go_on_while_a_table_is_read_and_stop_ends_it(page: Page, dashboard: Dashboard, browser: Browser):
    """Another session opens a table and its screens meanwhile; after Stop the first screen is there again."""
    pid = begin(page, dashboard)
    context = browser.new_context()
    other = context.new_page()
    other.goto(dashboard.url)
    use_sample(other, "Iris")
    button(other, "Set size and limits first").click()
    expect(other.get_by_role("heading", name="Size of the tree")).to_be_visible()
    context.close()
    button(page, "Stop").click()
    expect(page.get_by_text("Reading wide ...")).to_have_count(0)
    until_gone(pid)
    use_sample(page, "Iris")


def test_a_table_read_for_the_dialog_is_told_behind_it(page: Page, dashboard: Dashboard):
    """The dialog closes, the table in use stays until then, and the dialog opens again after Stop."""
    use_sample(page, "Iris")
    button(page, "Another table").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    pid = begin(page, dashboard)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("heading", name="Iris", exact=True)).to_be_visible()
    expect(button(page, "Another table")).to_be_disabled()
    button(page, "Stop").click()
    until_gone(pid)
    expect(button(page, "Another table")).to_be_enabled()


def test_a_reading_ends_with_its_page(dashboard: Dashboard, browser: Browser):
    """Who closes the page leaves no process behind."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(dashboard.url)
    pid = begin(page, dashboard)
    context.close()
    until_gone(pid)
