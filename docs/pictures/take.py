"""Takes the pictures of the README and the docs from a running dashboard.

`streamlit run app.py`, and beside it `python -m docs.pictures.take [address]`. Needs requirements-dev.txt, and Chromium
as `ESPALIER_CHROMIUM` or at its usual place.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

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


def press(page: Page, key: str) -> None:
    """Click the button of this key."""
    page.locator(f".st-key-{key}").get_by_role("button").first.click()


def design(page: Page) -> None:
    """The Design screen of the triage table."""
    press(page, "sample_triage")
    press(page, "next_aside")
    expect(page.locator(".st-key-design_max_depth")).to_be_visible()
    take(page, "design")


def solve(page: Page) -> None:
    """The breast cancer table, solved."""
    press(page, "sample_breast_cancer")
    press(page, "next")
    expect(page.get_by_text("Optimal on training data", exact=True).first).to_be_visible()
    expect(page.locator("g.node").first).to_be_visible()
    take(page, "solve")


def inspect(page: Page) -> None:
    """A leaf of the tree with its rows."""
    press(page, "next")
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()
    page.locator("g.node.leaf").nth(3).click()
    expect(page.locator("g.node.leaf").nth(3)).to_have_attribute("aria-pressed", "true")
    take(page, "inspect")


def compare(page: Page) -> None:
    """Two trees side by side."""
    press(page, "next")
    expect(page.locator("#node0")).to_have_count(2)
    take(page, "compare")


def first_tree(page: Page) -> None:
    """The pictures of the tutorial for clinicians: a tree, and one that must find 80% of the critical patients."""
    press(page, "sample_triage")
    expect(page.get_by_text("No duplicate or contradictory rows.")).to_be_visible()
    take(page, "first_data")
    press(page, "next_aside")
    expect(page.locator(".st-key-design_max_depth")).to_be_visible()
    press(page, "next")
    expect(page.get_by_text("Optimal on training data", exact=True).first).to_be_visible()
    expect(page.locator("g.node.leaf").first).to_be_visible()
    take(page, "first_solve")
    press(page, "next")
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()
    page.locator("g.node.leaf", has_text="predicted risk 5%").click()
    expect(page.get_by_text("Prediction: critical is no")).to_be_visible()
    take(page, "first_leaf")
    page.get_by_role("tab", name="Evidence", exact=True).click()
    expect(page.get_by_text("Matthews correlation").first).to_be_visible()
    take(page, "first_evidence")
    page.get_by_role("link", name="Design").click()
    expect(page.locator(".st-key-design_max_depth")).to_be_visible()
    press(page, "constraint_new")
    page.get_by_role("dialog").get_by_text("Diagnostic accuracy", exact=True).click()
    page.get_by_label("Minimum sensitivity (%)").fill("80")
    page.get_by_label("Minimum sensitivity (%)").press("Enter")
    expect(page.get_by_text("At most 19 of them may be missed.")).to_be_visible()
    take(page, "first_rule")
    page.get_by_role("dialog").get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    press(page, "next")
    expect(page.get_by_text("88 training errors in 750 rows").first).to_be_visible()
    press(page, "next")
    expect(page.get_by_text("Violates constraints on held-out data").first).to_be_visible()
    page.get_by_role("tab", name="Proof", exact=True).click()
    page.get_by_text("Constraints", exact=True).first.click()
    page.get_by_role("button", name="Compute prices").click()
    expect(page.get_by_text("52 errors").first).to_be_visible()
    take(page, "first_check")


def bdd(page: Page) -> None:
    """A BDD of the boards of a game."""
    press(page, "sample_tic_tac_toe")
    press(page, "next_aside")
    page.get_by_role("button", name="BDD", exact=True).click()
    expect(page.get_by_text("BDD size", exact=True)).to_be_visible()
    press(page, "next")
    page.get_by_role("button", name="Inspect the BDD").click()
    expect(page.locator("g.node.leaf").first).to_be_visible()
    take(page, "inspect_bdd")


def main(address: str) -> None:
    """Go through the screens in the light theme."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        path = os.environ.get("ESPALIER_CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for parts in ((design,), (bdd,), (solve, inspect, compare), (first_tree,)):
            page = browser.new_page(viewport=WINDOW, color_scheme="light")
            page.set_default_timeout(PATIENCE)
            page.goto(address)
            for part in parts:
                part(page)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501")
