"""Response times of the Inspect screen in a browser: `python -m benchmarks.reaction`.

Starts the dashboard on a free port, uploads a table whose outcome is the parity of its columns, grows a full tree by
CART, and clicks in a headless Chromium: other screens and back, nodes, the rows that numbers refer to, a fold, a row.
Each time runs from the click until the screen shows the result. Needs Playwright and a Chromium, which
`ESPALIER_CHROMIUM` may name.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks.browsing import ON_INSPECT, VIEW, button, dashboard, launching, node
from benchmarks.cli import Findings, conclude, number, parser, tell
from benchmarks.tables import Table, digits

HELD_OUT = 0.25
ASKED = 0.5
"""Limit in seconds of the response to a click on a tree of 63 nodes."""


def table(rows: int, depth: int, seed: int = 0) -> bytes:
    """A CSV file of binary columns whose outcome is their parity, so that a tree of this depth has the most leaves."""
    signs = np.random.default_rng(seed).integers(0, 2, (rows, depth))
    head = ",".join(f"sign number {j + 1}" for j in range(depth))
    lines = (",".join("no" if x else "yes" for x in row) + f",{'ill' if sum(row) % 2 else 'well'}" for row in signs)
    return f"{head},state\n{chr(10).join(lines)}\n".encode()


def grow(page: Any, content: bytes, depth: int) -> float:
    """Go from the first screen to the Inspect screen with a tree of CART; returns the seconds until it is shown."""
    page.locator("[class*=st-key-upload_] input[type=file]").last.set_input_files(
        {"name": "noise.csv", "mimeType": "text/csv", "buffer": content}
    )
    page.get_by_role("heading", name="noise").wait_for()
    button(page, "Set size and limits").click()
    slider = page.get_by_role("slider").first
    for step in range(3, depth):
        page.get_by_text(f"tree of depth {step},").wait_for()
        slider.focus()
        slider.press("ArrowRight")
    page.get_by_text(f"tree of depth {depth},").wait_for()
    least = page.get_by_role("spinbutton", name="Minimum rows per leaf", exact=True)
    least.fill("1")
    least.press("Enter")
    page.get_by_text(f"tree of depth {depth}, by").wait_for()
    page.get_by_text("Other methods (").click()
    page.locator(".st-key-design_method label").filter(has_text="CART").first.click()
    page.get_by_text("by CART").wait_for()
    button(page, "Solve").click()
    page.locator(".st-key-next button:enabled").get_by_text("Inspect the tree").wait_for()
    page.wait_for_timeout(2000)
    return timed(button(page, "Inspect the tree").click, node(page, 0).wait_for)


def timed(act: Callable[[], None], seen: Callable[[], None]) -> float:
    """The seconds from an action to its result on the screen."""
    begun = time.perf_counter()
    act()
    seen()
    return time.perf_counter() - begun


def measure_page(page: Any, repeats: int) -> dict[str, list[float]]:
    """Seconds of each kind of click on the Inspect screen."""
    found: dict[str, list[float]] = {}

    def note(name: str, act: Callable[[], None], seen: Callable[[], None]) -> None:
        found.setdefault(name, []).append(timed(act, seen))
        page.wait_for_timeout(700)

    page.wait_for_timeout(2000)
    questions = page.locator(f"{ON_INSPECT} g.node.split").filter(has_text="n = ")
    page.get_by_role("radio", name=re.compile("^Training rows")).click()
    page.wait_for_timeout(2000)
    total = int(re.search(r"n = (\d+)", node(page, 0).text_content())[1])
    for turn in range(repeats):
        asked = questions.nth(1 + turn % (questions.count() - 1))
        n = format(int(re.search(r"n = (\d+)", asked.text_content())[1]), ",")
        save = page.get_by_role("button", name=f"Download {n} row{'s' * (n != '1')} (CSV)")
        note("click on a node", asked.click, save.wait_for)
        for rows in ("Held-out", "Training"):
            choice = page.get_by_role("radio", name=re.compile(f"^{rows} rows"))
            seen = partial(_until_root_has, page, total, rows == "Training")
            note(f"numbers of the {rows.lower()} rows", choice.click, seen)
        note("to Solve", page.get_by_role("link", name="Solve").click, button(page, "Inspect the tree").wait_for)
        note("to Inspect", page.get_by_role("link", name="Inspect").click, node(page, 0).wait_for)
        for name, state in (("fold", ".folded"), ("unfold", ":not(.folded)")):
            node(page, 1).focus()
            note(name, partial(node(page, 1).press, "f"), page.locator(f"{ON_INSPECT} #node1{state}").wait_for)
        page.get_by_role("radio", name="Trace a row").click()
        field = page.get_by_role("spinbutton", name="Row number in file")
        field.wait_for()
        page.wait_for_timeout(500)
        field.fill(str(1 + turn))
        told = page.get_by_text(re.compile(r"(Because .*, the prediction is|is not one of the)")).first
        note("way of a case", partial(field.press, "Enter"), told.wait_for)
        page.get_by_role("radio", name="Node").click()
        page.wait_for_timeout(1000)
    return found


def _until_root_has(page: Any, n: int, so: bool) -> None:
    """Wait until the root has this number of rows, or no longer has it."""
    while (f"n = {n}" in node(page, 0).text_content()) != so:
        page.wait_for_timeout(5)


def measure(rows: int, depths: Sequence[int], repeats: int) -> Findings:
    """The response times to every click, for trees of several depths on this number of training rows."""
    from playwright.sync_api import sync_playwright

    tables, faults = [], []
    with dashboard() as running, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launching())
        for depth in depths:
            context, sights = browser.new_context(viewport=VIEW), []
            # the first page fetches the files of the program, which the browser caches
            for _ in range(2):
                page = context.new_page()
                page.set_default_timeout(30_000)
                page.goto(running.url)
                sights.append(grow(page, table(round(rows / (1 - HELD_OUT)), depth), depth))
            nodes = page.locator(f"{ON_INSPECT} g.node").count()
            found = {"a new tree, to its drawing": sights[1:]} | measure_page(page, repeats)
            lines = tuple(
                (name, digits(median(seconds)), digits(max(seconds)), str(len(seconds)))
                for name, seconds in found.items()
            )
            leaves = re.search(r"\d+ leaves", page.get_by_text(re.compile(r"splits, \d+ leaves")).last.text_content())[
                0
            ]
            title = f"Seconds from a click to its answer, {rows:,} training rows, {leaves}, {nodes} nodes open."
            tables.append(Table(title, ("click", "median s", "slowest s", "clicks"), lines))
            tell(tables[-1].markdown)
            slow = [name for name, seconds in found.items() if median(seconds) > ASKED]
            if nodes <= 63 and slow:
                faults.append(f"More than {ASKED} s with {nodes} nodes: {', '.join(slow)}")
            context.close()
        browser.close()
    return Findings(tuple(tables), tuple(faults))


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, measure and report."""
    options = parser("reaction", __doc__.splitlines()[0], folder=False)
    options.add_argument("--rows", type=number, default=10_000, metavar="N", help="training rows (default: 10000)")
    options.add_argument("--depth", type=number, action="append", metavar="N", help="of the tree (default: 5 and 8)")
    options.add_argument("--repeats", type=number, default=5, metavar="N", help="clicks of each kind (default: 5)")
    chosen = options.parse_args(arguments)
    return conclude(lambda: measure(chosen.rows, chosen.depth or (5, 8), chosen.repeats), chosen.out)


if __name__ == "__main__":
    sys.exit(main())
