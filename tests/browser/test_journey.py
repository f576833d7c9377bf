"""The main journeys of a user, in a real browser: what the screens do together, with mouse, keyboard and files."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page, expect

from solvers.problem import samples
from tests.browser.conftest import Dashboard, come_to_rest

pytestmark = pytest.mark.browser

HARD = "a,b,c,d,y\n" + "".join(
    f"{i * 37 % 2003},{i * 91 % 1999},{i * 53 % 1997},{i * 71 % 1993},{i * i * 7919 % 104729 % 2}\n"
    for i in range(1500)
)
"""1,500 rows without any rule in them: no search proves a deep tree on them within seconds."""


CROSSED = "a,b,state\n" + "".join(
    f"{i * 37 % 101},{i * 53 % 97},{'ill' if (i * 37 % 101 > 50) ^ (i * 53 % 97 > 48) else 'well'}\n" for i in range(90)
)
"""Ninety rows whose state two numbers decide together."""


FIRST_TICK = {"x": 18, "y": 52}
"""Pixels from the corner of a table to the box of its first row."""


def button(page: Page, name: str):
    """The visible button of this name, which the keys that press it may follow."""
    full = re.compile(f"^{re.escape(name)}( Shortcut .+)?$")
    return page.get_by_role("button", name=full).locator("visible=true")


def use_sample(page: Page, title: str) -> None:
    """Choose a sample by its card; Streamlit gives the key of a widget to its element as a class."""
    (key,) = (sample.key for sample in samples() if sample.title == title)
    page.locator(f".st-key-sample_{key}").get_by_role("button", name="Use", exact=True).click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()


def open_part(page: Page, tab: str, part: str = "") -> None:
    """Open a tab, and of the parts that it has the one of this name."""
    page.get_by_role("tab", name=tab, exact=True).click()
    if part:
        page.get_by_role("radio", name=part, exact=True).locator("visible=true").click()


def enter(page: Page, label: str, value: str) -> None:
    """Type a number into the field of this label."""
    field = page.get_by_role("spinbutton", name=label, exact=True)
    field.fill(value)
    field.press("Enter")


def upload(page: Page, name: str, content: bytes) -> None:
    """Give a file to the uploader that is on the screen."""
    page.locator("[class*=st-key-upload_] input[type=file]").last.set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": content}
    )


def solve_sample(page: Page, title: str) -> None:
    """From the first screen to a proved tree."""
    use_sample(page, title)
    button(page, "Solve").click()
    expect(page.get_by_text("Proved optimal", exact=True).first).to_be_visible()


def solve_for_long(page: Page) -> None:
    """Start a run that takes long, and wait for its first tree."""
    upload(page, "hard.csv", HARD.encode())
    expect(page.get_by_role("heading", name="hard")).to_be_visible()
    button(page, "Set size and limits first").click()
    expect(page.get_by_role("heading", name="Size of the tree")).to_be_visible()
    slider = page.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    expect(page.get_by_text("tree of depth 5")).to_be_visible()
    button(page, "Solve").click()
    expect(page.locator("g.node").first).to_be_visible()
    expect(button(page, "Stop")).to_be_visible()


def test_from_a_sample_to_the_rows_of_a_node_and_its_export(page: Page):
    """Sample, Solve, Inspect, a click on a leaf: the panel shows its rows, and rows and drawing can be saved."""
    solve_sample(page, "Breast cancer (Wisconsin)")
    button(page, "Inspect the tree").click()
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()
    leaf = page.locator("g.node.leaf").last
    leaf.click()
    expect(page.get_by_text("Answers: diagnosis is").first).to_be_visible()
    expect(leaf).to_have_attribute("aria-pressed", "true")
    n = int(re.search(r"of (\d+)", leaf.text_content())[1])
    save = page.get_by_role("button", name=f"Download these {n} rows")
    with page.expect_download() as saved:
        save.click()
    lines = Path(saved.value.path()).read_text("utf-8-sig").splitlines()
    assert lines[0].startswith("row,") and lines[0].endswith(",diagnosis")
    assert len(lines) == n + 1
    open_part(page, "Export")
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    assert Path(saved.value.path()).read_text().startswith("<svg")
    with page.expect_download() as saved:
        page.get_by_text("Predictions", exact=True).click()
    lines = Path(saved.value.path()).read_text().splitlines()
    assert lines[0].startswith("row,class,") and len(lines) == 1 + 569


def test_a_clinician_asks_for_large_leaves_and_dear_misses(page: Page):
    """Leaf size and costs are kept by the proved tree, whose cost is spelled out with the rows that are wrong."""
    use_sample(page, "Triage in the emergency department")
    button(page, "Set size and limits first").click()
    enter(page, "Rows per leaf, at least", "20")
    expect(page.get_by_text("at least 20 rows per leaf")).to_be_visible()
    enter(page, "A missed critical: yes counts as (errors)", "5")
    expect(page.get_by_text("a missed critical: yes counts 5, a false alarm 1")).to_be_visible()
    button(page, "Solve").click()
    expect(page.get_by_text("Proved optimal", exact=True).first).to_be_visible()
    spelled = re.compile(
        r"Cost (\d+) = (\d+) missed \u00d7 5 \+ (\d+) false alarms \u00d7 1, with (\d+) of 750 training rows"
    )
    cost, missed, alarms, wrong = (
        int(n) for n in spelled.search(page.get_by_text(spelled).first.text_content()).groups()
    )
    assert (cost, wrong) == (5 * missed + alarms, missed + alarms)
    button(page, "Inspect the tree").click()
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()
    page.get_by_role("radio", name="Training rows (750)").click()
    leaves = page.locator("g.node.leaf")
    expect(leaves.first).to_contain_text("of")
    come_to_rest(page)
    sizes = [int(re.search(r"of (\d+)", text)[1]) for text in leaves.all_text_contents()]
    assert sum(sizes) == 750 and min(sizes) >= 20


def test_a_broken_file_is_explained_and_the_table_stays(page: Page):
    """Another table that cannot be read is refused where it was given; the one in use stays as it was."""
    use_sample(page, "Wine")
    button(page, "Another table").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    upload(page, "bad.csv", b"a,b,c\n1,2,3\n4,5\n")
    expect(page.get_by_role("dialog").get_by_text("Row 2 has 2 fields")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Wine")).to_be_visible()
    expect(button(page, "Solve")).to_be_enabled()


def test_another_sample_brings_its_own_depth(page: Page):
    """After a visit of Design, another sample sets the depth that suits it, without the former limits and costs."""
    use_sample(page, "Breast cancer (Wisconsin)")
    button(page, "Set size and limits first").click()
    expect(page.get_by_text("tree of depth 3")).to_be_visible()
    enter(page, "Rows per leaf, at least", "20")
    enter(page, "A missed malignant counts as (errors)", "5")
    expect(page.get_by_text("tree of depth 3, at least 20 rows per leaf, a missed malignant counts 5")).to_be_visible()
    page.get_by_role("link", name="Data").click()
    button(page, "Another table").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    use_sample(page, "Checkerboard")
    button(page, "Set size and limits first").click()
    expect(page.get_by_text("tree of depth 4, at least 6 rows per leaf, by ConTree")).to_be_visible()


def test_a_killed_worker_is_told_and_its_tree_is_kept(page: Page, dashboard: Dashboard):
    """The solver's process is killed: the panel says so, the tree stays, and it can be inspected."""
    solve_for_long(page)
    workers = [p for p in psutil.Process(dashboard.pid).children(recursive=True) if "solvers.run.worker" in p.cmdline()]
    # the server that makes copies of itself has children, and no run
    workers = [worker for worker in workers if not worker.children()]
    busiest = max(workers, key=lambda process: process.cpu_times().user)
    os.kill(busiest.pid, signal.SIGKILL)
    expect(page.get_by_text("was killed").first).to_be_visible()
    expect(page.locator("g.node").first).to_be_visible()
    button(page, "Inspect the tree").click()
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()


@pytest.mark.parametrize("page", ["dark"], indirect=True)
def test_a_run_is_found_again_and_stopped_in_the_dark_theme(page: Page):
    """After F5 a run is offered again, Runs opens it, too, and both show its best tree so far; Stop keeps that tree.

    The drawing takes the colours of the dark theme.
    """
    solve_for_long(page)
    page.reload()
    expect(page.get_by_text("A run on hard goes on: depth 5")).to_be_visible()
    button(page, "Show it").click()
    expect(page.locator("#node0")).to_be_visible()
    expect(button(page, "Stop")).to_be_visible()
    page.reload()
    page.get_by_role("link", name="Runs").click()
    runs = page.locator("[class*=st-key-runs_table] canvas").first
    expect(runs).to_be_visible()
    come_to_rest(page)
    runs.click(position=FIRST_TICK, force=True)
    page.locator(".st-key-runs_open").get_by_role("button").click()
    expect(page.locator("#node0")).to_be_visible()
    button(page, "Stop").click()
    expect(page.get_by_text("Stopped", exact=True).first).to_be_visible()
    expect(page.locator("g.node").first).to_be_visible()
    expect(page.locator("#node0 text").first).to_have_attribute("fill", "#f0f3f6")


def test_a_recommended_size_is_compared_taken_and_solved(page: Page):
    """From the offer on Design to the fields with the size, beside the figure of all sizes."""
    upload(page, "crossed.csv", CROSSED.encode())
    button(page, "Set size and limits first").click()
    button(page, "Recommend a size").click()
    expect(page.get_by_text("On new rows, a tree that is chosen in this way errs by")).to_be_visible()
    expect(page.locator(".st-key-size_figure")).to_be_visible()
    come_to_rest(page)
    button(page, "Take this size").click()
    expect(page.get_by_text("tree of depth 2, at most 4 leaves, at least")).to_be_visible()
    expect(button(page, "This size is taken")).to_be_disabled()
