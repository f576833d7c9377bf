"""Every screen is checked by axe in both themes: no serious or critical finding, and no unreadable drawing or plot. One
journey shows each screen in one theme and then in the other.

Only colours change in the dark theme: there the colour rules are checked, in the light theme all rules.

Axe finds what a program can find: contrast, names of buttons and fields, alternative texts, roles. Tests of the
keyboard are in `test_clinician.py` and `test_inspecting.py`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import come_to_rest
from tests.browser.drawings.faults import FAULTS, PLOT_FAULTS
from tests.browser.journeys import (
    SIGNS,
    choose,
    design,
    enter,
    go_to,
    inspect,
    press,
    saved,
    solve,
    solve_sample,
    use_table,
    widget,
)

pytestmark = pytest.mark.browser

GRAVE = ("serious", "critical")
CHECKED = {"resultTypes": ["violations"]}
COLOURS = CHECKED | {"runOnly": ["color-contrast", "link-in-text-block"]}


class Known(NamedTuple):
    """A finding in elements that Streamlit draws and that cannot be fixed here.

    Attributes
    ----------
    rule : the name of axe's rule.
    markup : text in the element's HTML.
    reason : why it cannot be fixed here.
    """

    rule: str
    markup: str
    reason: str


KNOWN: tuple[Known, ...] = ()


def complaints(page: Page, screen: str) -> list[str]:
    """Serious or critical findings of axe once the screen is idle, each with its element."""
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    for _ in range(3):
        come_to_rest(page)
        # half a megabyte of script, which stays in the page
        axe = Axe("") if page.evaluate("'axe' in window") else Axe()
        found = axe.run(page, options=COLOURS if dark else CHECKED).response["violations"]
        # elements being redrawn are pale
        if not page.locator("[data-stale=true]").count():
            break
    unreadable = [f"{screen}: {fault}" for faults in (FAULTS, PLOT_FAULTS) for fault in page.evaluate(faults)]
    return unreadable + [
        f"{screen}: {broken['id']} ({broken['impact']}) at {node['target']}: {node['html'][:200]}"
        for broken in found
        if broken["impact"] in GRAVE
        for node in broken["nodes"]
        if not any(known.rule == broken["id"] and known.markup in node["html"] for known in KNOWN)
    ]


def in_both_themes(page: Page, screen: str, *, anew: bool = True) -> list[str]:
    """Findings of axe in the current theme, then in the other one, which stays.

    The screen is redrawn in the other theme unless that would close a dialog.
    """
    found = complaints(page, screen)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme="light" if dark else "dark")
    if anew:
        page.keyboard.press("r")
    return found + complaints(page, f"{screen}, in the other theme")


OWN_PARTS = {
    "bdd": {"Evidence": ("Fragmentation",), "Alternatives": ()},
    "diagram": {"Evidence": ("Fragmentation",), "Alternatives": ()},
}
"""The tabs and sections of Inspect that differ from those of a tree; for a tree all are checked."""


def tabs(page: Page, screen: str, own: Mapping[str, Sequence[str]] | None = None) -> Iterator[str]:
    """Open the tabs one by one, and the sections in each, after their names, which count rows and models, have settled.
    Checks all tabs, or some.
    """
    come_to_rest(page)
    for name in own or page.get_by_role("tab").all_text_contents():
        tab = page.get_by_role("tab", name=name, exact=True)
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        come_to_rest(page)
        parts = page.get_by_role("radiogroup", name=name, exact=True).get_by_role("radio").all_text_contents()
        for part in own[name] if own else parts:
            page.get_by_role("radio", name=part, exact=True).locator("visible=true").click()
            yield f"{screen}, {name}, {part}"
        if not parts:
            yield f"{screen}, {name}"


def shape_seen(page: Page, shape: str) -> list[str]:
    """Findings on Design, Solve, and Inspect with its tabs for a model of this shape."""
    go_to(page, "design")
    press(page, f"design_shape_{shape}")
    expect(widget(page, f"design_shape_{shape}").get_by_test_id("stBaseButton-primary")).to_be_visible()
    found = in_both_themes(page, f"Design, {shape}")
    solve(page)
    found += in_both_themes(page, f"Solve, {shape}")
    inspect(page)
    for tab in tabs(page, f"Inspect, {shape}", OWN_PARTS.get(shape)):
        found += in_both_themes(page, tab)
    return found


def test_the_screens_of_a_tree_are_accessible(page: Page):
    """Data, Design with its dialog, Solve, Inspect with node, row and bedside, Compare, Runs."""
    expect(widget(page, "sample_").first).to_be_visible()
    found = in_both_themes(page, "Data without a table")
    use_table(page, "signs", SIGNS)
    found += in_both_themes(page, "Data")
    design(page)
    press(page, "constraint_new")
    expect(page.get_by_role("dialog")).to_be_visible()
    found += in_both_themes(page, "Design, a constraint", anew=False)
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    found += shape_seen(page, "tree")
    page.get_by_role("tab", name="Model").click()
    page.locator("g.node.leaf").first.click()
    expect(page.locator("g.node.leaf").first).to_have_attribute("aria-pressed", "true")
    found += in_both_themes(page, "Inspect, a leaf")
    choose(page, "panel", "Trace a row")
    choose(page, "way_", "Enter values")
    page.get_by_test_id("stFormSubmitButton").locator("visible=true").get_by_role("button").click()
    expect(page.get_by_text(re.compile("^(Because|No prediction:) "))).to_be_visible()
    found += in_both_themes(page, "Inspect, a case")
    choose(page, "panel", "Bedside")
    expect(page.frame_locator(".st-key-bedside iframe").get_by_text("Question 1")).to_be_visible()
    found += in_both_themes(page, "Inspect, bedside")
    choose(page, "panel", "Decision table")
    come_to_rest(page)
    found += in_both_themes(page, "Inspect, decision table")
    press(page, "next")
    page.wait_for_url("**/compare*")
    for tab in tabs(page, "Compare"):
        found += in_both_themes(page, tab)
    go_to(page, "runs")
    found += in_both_themes(page, "Runs")
    assert not found, "\n".join(found)


def test_the_screens_of_other_shapes_and_lessons_are_accessible(page: Page):
    """Elements specific to the two other shapes, and all sections of the first lesson."""
    use_table(page, "signs", SIGNS)
    come_to_rest(page)
    found = shape_seen(page, "bdd") + shape_seen(page, "diagram")
    go_to(page, "learn")
    expect(page.get_by_text("optimum: 0 (proved)")).to_be_visible()
    found += in_both_themes(page, "Learn")
    for part in ("Greedy, step by step", "Side by side", "Replay the proof"):
        choose(page, "learn_part", part)
        found += in_both_themes(page, f"Learn, {part}")
    assert not found, "\n".join(found)


def test_a_sweep_is_followed_and_saved(page: Page) -> None:
    """The models are drawn, listed and saved; all screens are accessible in both themes."""
    solve_sample(page, "Iris")
    go_to(page, "sweep")
    enter(page, "sweep_workers_", "1")
    found = in_both_themes(page, "Sweep")
    press(page, "sweep_start")
    done = page.get_by_text("4 of 4 models done. Complete.")
    expect(done).to_be_visible()
    for tab in tabs(page, "Sweep"):
        found += in_both_themes(page, tab)
    assert not found, "\n".join(found)
    page.get_by_role("tab", name="All models (4)").click()
    table = pd.read_csv(io.BytesIO(saved(page, "sweep_csv_")))
    assert table["key"].tolist()[:2] == ["all: contree d1", "all: cart d1"] and table["verified"].all()
