"""Every screen is held against the rules of axe, in both themes: nothing serious or critical may be found in it, and no
drawing or plot that cannot be read. One journey shows each in one theme and then in the other.

What the dark theme changes are colours: in it the rules about colours are tried, in the light one all of them.

Axe finds what a program can find: contrast, names of buttons and fields, texts for pictures, roles. Tests of the
keyboard are in `test_clinician.py` and `test_inspecting.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import come_to_rest
from tests.browser.drawings.faults import FAULTS, PLOT_FAULTS
from tests.browser.test_journey import button, upload
from tests.browser.test_shared_nodes import SIGNS

pytestmark = pytest.mark.browser

GRAVE = ("serious", "critical")
CHECKED = {"resultTypes": ["violations"]}
COLOURS = CHECKED | {"runOnly": ["color-contrast", "link-in-text-block"]}


class Known(NamedTuple):
    """What Streamlit itself draws so that nothing here can mend it.

    Attributes
    ----------
    rule : the name of axe's rule.
    markup : what the element's HTML holds.
    reason : why it cannot be mended here.
    """

    rule: str
    markup: str
    reason: str


KNOWN: tuple[Known, ...] = ()


def complaints(page: Page, screen: str) -> list[str]:
    """What axe finds serious or critical once the screen has come to rest, each with its element."""
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    for _ in range(3):
        come_to_rest(page)
        # half a megabyte of script, which stays in the page
        axe = Axe("") if page.evaluate("'axe' in window") else Axe()
        found = axe.run(page, options=COLOURS if dark else CHECKED).response["violations"]
        # what is drawn again meanwhile is pale
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
    """What axe finds in the theme of now and, drawn anew unless that would close a dialog, in the other one, which
    stays."""
    found = complaints(page, screen)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme="light" if dark else "dark")
    if anew:
        page.keyboard.press("r")
    return found + complaints(page, f"{screen}, in the other theme")


OWN_PARTS = {
    "bdd": {"Evidence": ("Fragmentation", "Truth table"), "Alternatives": ("Nearly as good",)},
    "diagram": {
        "Evidence": ("Fragmentation",),
        "Alternatives": ("Nearly as good", "Rows per question", "Choice of alpha"),
    },
}
"""The tabs and parts of Inspect that no tree has or fills; of a tree all are looked at."""


def tabs(page: Page, screen: str, own: Mapping[str, Sequence[str]] | None = None) -> Iterator[str]:
    """Open one tab after the other, once their names, in which rows and models are counted, stand, and in each its
    parts; or, of all, some."""
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


def inspect(page: Page, shape: str, look: Callable[[Page, str], list[str]]) -> list[str]:
    """What is found on Design, Solve, and Inspect with its tabs for a model of this shape."""
    page.get_by_role("link", name="Design").click()
    expect(page.get_by_role("heading", name="Constraints")).to_be_visible()
    page.locator(f".st-key-design_kind_{shape}").get_by_role("button").click()
    expect(page.locator(f".st-key-design_kind_{shape} [data-testid=stBaseButton-primary]")).to_be_visible()
    found = look(page, f"Design, {shape}")
    button(page, "Solve").click()
    seen = page.get_by_role("button", name=re.compile("^Inspect the "))
    expect(seen).to_be_enabled()
    found += look(page, f"Solve, {shape}")
    seen.click()
    expect(page.get_by_text("All rows", exact=True)).to_be_visible()
    for tab in tabs(page, f"Inspect, {shape}", OWN_PARTS.get(shape)):
        found += look(page, tab)
    return found


def test_the_screens_of_a_tree_are_accessible(page: Page):
    """Data, Design with its dialog, Solve, Inspect with node, case and bedside, Compare, Runs."""
    expect(page.get_by_role("heading", name="Or a sample")).to_be_visible()
    found = in_both_themes(page, "Data without a table")
    upload(page, "signs.csv", SIGNS.encode())
    expect(page.get_by_role("heading", name="signs")).to_be_visible()
    found += in_both_themes(page, "Data")
    button(page, "Set size and limits first").click()
    button(page, "Add a constraint").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    found += in_both_themes(page, "Design, a constraint", anew=False)
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    found += inspect(page, "tree", in_both_themes)
    page.get_by_role("tab", name="Model").click()
    page.locator("g.node.leaf").first.click()
    expect(page.get_by_text("All rows", exact=True)).to_be_hidden()
    found += in_both_themes(page, "Inspect, a leaf")
    page.get_by_role("radio", name="One case").click()
    page.get_by_role("radio", name="Enter values").click()
    button(page, "Trace").click()
    expect(page.get_by_text(re.compile("^(Because|No answer:) "))).to_be_visible()
    found += in_both_themes(page, "Inspect, a case")
    page.get_by_role("radio", name="Bedside").click()
    expect(page.frame_locator(".st-key-bedside iframe").get_by_text("Question 1")).to_be_visible()
    found += in_both_themes(page, "Inspect, bedside")
    for view, sign in (
        ("Rules by risk", "the answer is"),
        ("Who gets what", "whatever the value is"),
        ("Areas", "Areas are"),
    ):
        page.get_by_role("radio", name=view).click()
        expect(page.get_by_text(sign).first).to_be_visible()
        found += in_both_themes(page, f"Inspect, {view}")
    button(page, "Compare with greedy trees").click()
    expect(page.get_by_text("Models to compare")).to_be_visible()
    for tab in tabs(page, "Compare"):
        found += in_both_themes(page, tab)
    page.get_by_role("link", name="Runs").click()
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    found += in_both_themes(page, "Runs")
    assert not found, "\n".join(found)


def test_the_screens_of_bdds_and_diagrams_are_accessible(page: Page):
    """Design, Solve and the tabs of Inspect that are their own for the two other shapes."""
    upload(page, "signs.csv", SIGNS.encode())
    expect(page.get_by_role("heading", name="signs")).to_be_visible()
    expect(button(page, "Solve")).to_be_enabled()
    come_to_rest(page)
    found = inspect(page, "bdd", in_both_themes) + inspect(page, "diagram", in_both_themes)
    assert not found, "\n".join(found)


def test_the_classroom_is_accessible(page: Page):
    """All parts of the first lesson."""
    page.get_by_role("link", name="Learn").click()
    expect(page.get_by_text("optimum: 0, proved")).to_be_visible()
    found = in_both_themes(page, "Learn")
    for part, sign in (
        ("Greedy, step by step", "For all rows CART asks"),
        ("Side by side", "Proved optimal"),
        ("Replay the proof", "The search begins with that."),
    ):
        page.get_by_text(part).last.click()
        expect(page.get_by_text(sign).first).to_be_visible()
        found += in_both_themes(page, f"Learn, {part}")
    assert not found, "\n".join(found)
