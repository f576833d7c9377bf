"""Takes the pictures of the README's tour from a dashboard that is running.

`streamlit run app.py`, and beside it `python -m docs.pictures.take [address]`. Needs requirements-dev.txt, and Chromium
as `ESPALIER_CHROMIUM` or at its usual place.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, expect, sync_playwright

from solvers.constraints.presets import presets

FOLDER = Path(__file__).parent
WINDOW = {"width": 1366, "height": 768}
PATIENCE = 90_000
"""Milliseconds: the first search may have to compile its loops."""


def take(page: Page, name: str) -> None:
    """Write what is in the window as a picture of 256 colours, once the screen has come to rest."""
    expect(page.locator("[data-testid=stSkeleton]:visible, [data-stale=true]:visible")).to_have_count(0)
    page.mouse.move(0, 0)
    page.wait_for_timeout(1500)
    path = FOLDER / f"{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(256).save(path, optimize=True)


def to_top(page: Page, place: Locator) -> None:
    """Move a place to the top of the window, below the names of the screens."""
    place.evaluate("element => element.scrollIntoView({block: 'start'})")
    page.mouse.move(600, 400)
    page.mouse.wheel(0, -70)


def design(page: Page) -> None:
    """The Design screen of the triage table, trees of all sizes, and the form in which a constraint is added."""
    page.locator(".st-key-sample_triage").get_by_role("button", name="Use", exact=True).click()
    page.get_by_role("button", name="Set size and limits first").click()
    expect(page.get_by_role("heading", name="Size of the tree")).to_be_visible()
    take(page, "design")
    page.get_by_role("button", name="Decision diagram").last.click()
    expect(page.get_by_role("heading", name="Size of the diagram")).to_be_visible()
    take(page, "design_diagram")
    page.get_by_role("button", name="Tree", exact=True).click()
    page.get_by_text("5 minutes", exact=True).click()
    page.get_by_role("button", name="Recommend a size").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden(timeout=500_000)
    to_top(page, page.get_by_role("heading", name="How large should it be?"))
    take(page, "size")
    page.get_by_role("button", name="Add a constraint").click()
    page.get_by_role("dialog").get_by_text("Who is found", exact=True).click()
    expect(page.get_by_text("Found at least (%)")).to_be_visible()
    take(page, "constraint")


def solve(page: Page) -> None:
    """The breast cancer table, solved."""
    page.locator(".st-key-sample_breast_cancer").get_by_role("button", name="Use", exact=True).click()
    page.get_by_role("button", name="Solve Shortcut").click()
    expect(page.get_by_text("Proved optimal", exact=True).first).to_be_visible()
    expect(page.locator("g.node.leaf").first).to_be_visible()
    take(page, "solve")


def inspect(page: Page) -> None:
    """A leaf of the tree with its rows, the same with distributions, then its figures on other rows."""
    page.get_by_role("button", name="Inspect the tree").click()
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()
    page.locator("g.node.leaf").nth(3).click()
    expect(page.get_by_text("Answers: diagnosis is").first).to_be_visible()
    take(page, "inspect")
    page.get_by_role("combobox", name="What nodes show").click()
    page.get_by_role("option", name="With distributions").click()
    expect(page.get_by_text("Bars: rows by value")).to_be_attached()
    take(page, "distributions")
    page.get_by_role("tab", name="Evidence", exact=True).click()
    page.get_by_role("button", name="Cross-validate").first.click()
    expect(page.get_by_text(re.compile("10 of 10 models, done")).first).to_be_visible()
    to_top(page, page.get_by_role("radio", name="Performance"))
    take(page, "evidence")


def compare(page: Page) -> None:
    """Two trees side by side, then the front of errors and size."""
    page.get_by_role("button", name="Compare with greedy trees").click()
    expect(page.locator("#node0")).to_have_count(2)
    take(page, "compare")
    page.get_by_role("tab", name="Error, size, fairness").click()
    page.get_by_role("button", name="Fill the front").click()
    expect(page.get_by_text("Looked for")).to_be_visible()
    take(page, "pareto")


def trade_off(page: Page) -> None:
    """What other limits of the share of critical patients that are found would cost."""
    page.locator(".st-key-sample_triage").get_by_role("button", name="Use", exact=True).click()
    page.get_by_role("button", name="Set size and limits first").click()
    page.get_by_role("button", name="Examples").click()
    position = [preset.title for preset in presets("triage")].index("Find the critical ones")
    page.locator(f".st-key-example_{position}").get_by_role("button", name="Use", exact=True).click()
    expect(page.get_by_text("2 constraints")).to_be_visible()
    page.get_by_role("button", name="Solve Shortcut").click()
    page.get_by_role("button", name="Inspect the tree").click()
    page.get_by_role("tab", name="Proof", exact=True).click()
    page.get_by_role("radio", name="Constraints", exact=True).click()
    expect(page.get_by_text("Trade-off: what would other limits cost?")).to_be_visible()
    page.get_by_role("button", name="Draw its curve").click()
    expect(page.get_by_text("Ask for another limit")).to_be_visible(timeout=500_000)
    to_top(page, page.get_by_role("tab", name="Proof", exact=True))
    take(page, "trade_off")


def fragmentation(page: Page) -> None:
    """A BDD of the boards of a game, and how many rows come to each of its questions."""
    page.locator(".st-key-sample_tic_tac_toe").get_by_role("button", name="Use", exact=True).click()
    page.get_by_role("button", name="Set size and limits first").click()
    page.get_by_role("button", name="BDD", exact=True).click()
    expect(page.get_by_role("heading", name="Size of the BDD")).to_be_visible()
    page.get_by_role("button", name="Solve Shortcut").click()
    page.get_by_role("button", name="Inspect the BDD").click()
    expect(page.locator("g.node.leaf").first).to_be_visible()
    take(page, "inspect_bdd")
    page.get_by_role("tab", name="Evidence", exact=True).click()
    page.get_by_role("radio", name="Fragmentation", exact=True).click()
    page.get_by_role("button", name="Find the smallest tree").click()
    expect(page.get_by_text("Smallest tree found").first).to_be_visible(timeout=500_000)
    to_top(page, page.get_by_role("tab", name="Evidence", exact=True))
    take(page, "fragmentation")


def learn(page: Page) -> None:
    """The student's tree, the greedy one and the optimum on XOR."""
    page.goto(page.url.rsplit("/", 1)[0] + "/learn?lesson=xor&part=compare")
    expect(page.locator("#node0")).to_have_count(3)
    to_top(page, page.get_by_text("Greedy method"))
    take(page, "learn")


def main(address: str) -> None:
    """Go through the screens in the light theme."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        path = os.environ.get("ESPALIER_CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for parts in ((design,), (trade_off,), (fragmentation,), (solve, inspect, compare, learn)):
            page = browser.new_page(viewport=WINDOW, color_scheme="light")
            page.set_default_timeout(PATIENCE)
            page.goto(address)
            for part in parts:
                part(page)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501")
