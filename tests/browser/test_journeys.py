"""The main user journeys in a real browser: the screens together, with mouse, keyboard and files."""

from __future__ import annotations

import re
import time
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, Dashboard, come_to_rest
from tests.browser.journeys import (
    SIGNS,
    button,
    chosen_node,
    design,
    go_to,
    inspect,
    open_part,
    press,
    saved,
    slide,
    solve,
    solve_sample,
    traced,
    upload,
    use_sample,
    use_table,
    widget,
)
from tests.pages.test_solve_screen import HARD

pytestmark = pytest.mark.browser

WIDE = ",".join(f"c{j}" for j in range(50_000)).encode() + b"\n" + (b"1," * 49_999 + b"2\n") * 100
"""A table that takes much longer to read than `SOON`."""
SOON = 15
"""Seconds within which an unneeded process must end."""

FIRST_TICK = {"x": 18, "y": 52}
"""Pixels from the corner of a table to the box of its first row."""


def test_a_user_goes_from_a_sample_to_the_rows_of_a_node(page: Page):
    """Sample, Solve, Inspect, a click on a leaf: the panel shows its rows, and rows and drawing can be saved."""
    solve_sample(page, "Breast cancer (Wisconsin)")
    inspect(page)
    leaf = page.locator("g.node.leaf").last
    # the tree starts at its root, and its last leaf may lie below the frame
    button(page, "Fit the whole diagram").click()
    leaf.click()
    expect(leaf).to_have_attribute("aria-pressed", "true")
    expect(widget(page, "download_").get_by_role("button").first).to_be_visible()
    come_to_rest(page)
    n = int(re.search(r"of (\d+)", leaf.text_content())[1])
    lines = saved(page, "download_").decode("utf-8-sig").splitlines()
    assert lines[0].startswith("row,") and lines[0].endswith(",diagnosis")
    assert len(lines) == n + 1
    open_part(page, "Export")
    assert saved(page, "export_svg").startswith(b"<svg")
    with page.expect_download() as download:
        widget(page, "export_predictions").first.click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0].startswith("row,set,diagnosis,class,") and len(lines) == 1 + 569


@pytest.mark.parametrize("page", ["dark"], indirect=True)
def test_a_run_is_reopened_and_stopped_in_the_dark_theme(page: Page):
    """After F5 a link leads to Runs, which opens the run with its best tree so far; Stop keeps that tree.

    The drawing has the colours of the dark theme.
    """
    use_table(page, "hard", HARD)
    design(page)
    slide(page, "design_max_depth", "ArrowRight", "ArrowRight")
    press(page, "next")
    expect(page.locator("g.node").first).to_be_visible()
    expect(widget(page, "stop_")).to_be_visible()
    page.reload()
    page.get_by_role("link", name="A run continues").click()
    runs = page.locator("[class*=st-key-runs_table] canvas").first
    expect(runs).to_be_visible()
    come_to_rest(page)
    runs.click(position=FIRST_TICK, force=True)
    press(page, "runs_open")
    expect(page.locator("#node0")).to_be_visible()
    press(page, "stop_")
    expect(page.get_by_text("Stopped: best so far", exact=True).first).to_be_visible()
    expect(page.locator("g.node").first).to_be_visible()
    expect(page.locator("#node0 text").first).to_have_attribute("fill", "#f0f3f6")


def test_a_bdd_is_solved_and_its_shared_node_and_a_row_are_inspected(page: Page):
    """Levels have their split at the side; a node with two parents marks its paths, and the path of a row is bold."""
    use_table(page, "signs", SIGNS)
    design(page)
    press(page, "design_shape_bdd")
    expect(widget(page, "design_shape_bdd").get_by_test_id("stBaseButton-primary")).to_be_visible()
    come_to_rest(page)
    solve(page)
    inspect(page)
    expect(page.locator("g.node.split")).to_have_count(4)
    expect(page.locator("g.node.level")).to_have_count(4)
    expect(page.locator("g.node.level[role=button]")).to_have_count(0)
    shared = page.locator("#node3")
    shared.click()
    chosen_node(page, 3)
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
    chosen_node(page, 0)
    expect(page.locator("g.edge.into")).to_have_count(0)
    n_questions = traced(page).text_content().partition(", the answer")[0].count(" and ") + 1
    assert n_questions in (2, 3)
    expect(page.locator("g.edge.on-path")).to_have_count(n_questions)
    expect(page.locator("g.node.on-path")).to_have_count(n_questions + 1)
    press(page, "next")
    expect(page.locator("#node0")).to_have_count(2)


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


def begin_reading(page: Page, dashboard: Dashboard) -> int:
    """Upload a wide table; the process that reads it."""
    before = readers(dashboard)
    upload(page, "wide.csv", WIDE)
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


def test_a_reading_blocks_no_other_session_and_ends_on_stop_or_leaving(
    page: Page, dashboard: Dashboard, browser: Browser
):
    """Another session opens a table while one is being read; Stop ends the reading, and so does closing the page."""
    pid = begin_reading(page, dashboard)
    context = browser.new_context()
    other = context.new_page()
    other.goto(dashboard.url)
    use_sample(other, "Iris")
    press(page, "stop_reading_")
    until_gone(pid)
    use_sample(page, "Iris")
    press(other, "another")
    expect(other.get_by_role("dialog")).to_be_visible()
    pid = begin_reading(other, dashboard)
    expect(other.get_by_role("dialog")).to_have_count(0)
    expect(widget(other, "another").get_by_role("button")).to_be_disabled()
    context.close()
    until_gone(pid)


def test_buttons_and_dialogs_behave_in_a_browser(page: Page) -> None:
    """No scroll bar is beside the main button, and Escape closes a dialog."""
    use_sample(page, "Iris")
    foot = page.get_by_test_id("stBottomBlockContainer")
    widget(page, "next").get_by_role("button").hover()
    come_to_rest(page)
    hidden = """foot => [...foot.querySelectorAll('*')].filter(box =>
        box.scrollHeight > box.clientHeight && ['auto', 'scroll'].includes(getComputedStyle(box).overflowY)).length"""
    assert foot.evaluate(hidden) == 0
    design(page)
    press(page, "constraint_new")
    expect(page.get_by_role("dialog")).to_be_visible()
    # the next step is under the dialog
    page.keyboard.press("Alt+Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    go_to(page, "data")
    go_to(page, "design")
    expect(widget(page, "constraint_new")).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert button(page, "Cancel").count() == 0


def test_a_link_opens_the_lesson_on_a_phone(page: Page, browser: Browser, dashboard: Dashboard):
    """Noise and seed are those of the link, the proof can be followed, and nothing is wider than the phone."""
    expect(widget(page, "sample_").first).to_be_visible()
    context = browser.new_context(viewport={"width": 375, "height": 800})
    phone = context.new_page()
    phone.set_default_timeout(1000 * PATIENCE)
    phone.goto(f"{dashboard.url}/learn?lesson=xor&noise=0.1&seed=3&depth=3&part=search")
    first = phone.get_by_text("The search begins with that.")
    expect(first).to_be_visible()
    expect(widget(phone, "learn_seed").locator("input")).to_have_value("3")
    expect(widget(phone, "learn_noise").get_by_role("slider")).to_have_value("10")
    main = phone.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    press(phone, "step_search_")
    expect(first).to_be_hidden()
    context.close()
