"""The journey of a clinician in a real browser: a file, a constraint, proof, a node, a row, evidence, a report."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import come_to_rest
from tests.browser.journeys import (
    button,
    choose,
    design,
    enter,
    inspect,
    open_part,
    press,
    saved,
    slide,
    solve,
    use_table,
    widget,
)

pytestmark = pytest.mark.browser

WARD = "age,lactate,pulse,critical\n" + "".join(
    f"{40 + 10 * (i % 5)},{'' if i % 9 == 4 else 1 + i * 7 % 5},{60 + 15 * (i * 3 % 4)},{'yes' if ill else 'no'}\n"
    for i in range(60)
    for ill in [(i * 7 % 5 > 2 and i % 5 > 1) or i in (4, 9, 17, 31)]
)
"""Sixty patients on a ward, whose lactate was not always measured."""

NEAR = 10
"""Maximum number of keys from any choice to the next step."""

NOTICE = "not a medical device"


@pytest.mark.parametrize("page", ["dark"], indirect=True)
def test_a_clinician_goes_from_a_file_with_missing_values_to_a_report(page: Page):
    """A treatment threshold and a constraint set by widgets; a node, a row, comparison and report follow."""
    use_table(page, "ward", WARD)
    expect(page.get_by_text("Missing values").locator("visible=true").first).to_be_visible()
    design(page)
    slide(page, "design_max_depth", "ArrowLeft")
    threshold = widget(page, "treat_").get_by_role("spinbutton")
    threshold.fill("10")
    threshold.press("Enter")
    expect(widget(page, "cost_1_critical_yes").get_by_role("spinbutton")).to_have_value("9")
    for number, later in enumerate(("lactate", "pulse"), 1):
        press(page, "constraint_new")
        expect(page.get_by_role("dialog")).to_be_visible()
        choose(page, f"constraint_{number}_topic", "Order of questions")
        choose(page, f"constraint_{number}_asked-before_first", "age")
        choose(page, f"constraint_{number}_asked-before_then", later)
        press(page, "constraint_done")
        expect(widget(page, f"constraint_on_{number}").get_by_text(f"age is asked before {later}")).to_be_visible()
    solve(page)
    sentence = "At a treatment threshold of 10% .risk of critical: yes., none has a higher net benefit on these rows"
    expect(page.get_by_text(re.compile(sentence)).first).to_be_visible()
    # both are one line, with one price
    line = page.get_by_role("row", name=re.compile("age is asked before lactate and pulse")).locator("visible=true")
    expect(line.get_by_text(re.compile("^(satisfied|holds: )")).first).to_be_visible()
    inspect(page)
    page.locator("g.node.leaf").first.click()
    expect(page.locator("g.node.leaf").first).to_have_attribute("aria-pressed", "true")
    # the drawing marks the leaf at once, the server responds later and shows the node's panel
    come_to_rest(page)
    choose(page, "panel", "Trace a row")
    choose(page, "way_", "Enter values")
    page.get_by_test_id("stFormSubmitButton").locator("visible=true").get_by_role("button").click()
    expect(
        page.get_by_text(re.compile(r"No prediction: .* is missing, as in no training row\. Possible"))
    ).to_be_visible()
    expect(page.get_by_text(NOTICE).locator("visible=true").first).to_be_visible()
    open_part(page, "Proof", "Constraints")
    press(page, "ask_prices_1")
    expect(line.get_by_text(re.compile(r"^(nothing|\d+ errors?)"))).to_be_visible()
    open_part(page, "Alternatives")
    button(page, "Find alternatives").click()
    enter(page, "near_row_1", "3")
    voted = re.compile(r"Row 3: the proved tree predicts '(yes|no)'\. Of \d+ other .* decide differently")
    expect(page.get_by_text(voted)).to_be_visible()
    press(page, "next")
    expect(page.locator("#node0")).to_have_count(2)
    press(page, "next")
    report = saved(page, "report_html").decode()
    for part in ("lactate", "age is asked before lactate", "TRIPOD", NOTICE):
        assert part in report
    assert saved(page, "report_pdf").startswith(b"%PDF")
    expect(page.get_by_role("button", name="Change size, solve again")).to_be_visible()


def tab_to(page: Page, target: Locator, most: int = 120) -> int:
    """Press Tab until the focus is on a visible target; returns the number of presses."""
    for pressed in range(most):
        if target.count() and target.first.evaluate("e => e === e.getRootNode().activeElement"):
            return pressed
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never came to {target}.")


def keys_to_next(page: Page) -> int:
    """Go to the next step by Tab, and by the links to the content and to the step; returns the number of keys."""
    step = page.locator(".st-key-next").get_by_role("button")
    link = page.locator(".skip:focus, a[href='#stMain']:focus")
    target = step.or_(link).and_(page.locator(":focus"))
    keys = tab_to(page, target)
    while link.count():
        page.keyboard.press("Enter")
        keys += 1 + tab_to(page, target)
    return keys


def test_the_journey_works_by_keyboard_alone(page: Page):
    """Tab, Enter, Space and arrows lead from a sample through the proof and a leaf to the comparison.

    A proved tree of a sample takes at most 25 keys from the first screen, and the next step is at most ten keys away.
    """
    expect(widget(page, "sample_breast_cancer")).to_be_visible()
    come_to_rest(page)
    keys = tab_to(page, page.locator(".st-key-sample_breast_cancer").get_by_role("button"))
    page.keyboard.press("Enter")
    another, step = (widget(page, key).get_by_role("button") for key in ("another", "next"))
    expect(another).to_be_visible()
    expect(step).to_be_enabled()
    # on a busy machine the screen is drawn again, which moves the position from which Tab continues
    for _ in range(3):
        come_to_rest(page)
    near = keys_to_next(page)
    assert near <= NEAR and keys + near + len(("Enter", "Enter")) <= 25
    for choice in (widget(page, "outcome_").get_by_role("combobox").first, another):
        come_to_rest(page)
        choice.focus()
        assert keys_to_next(page) <= NEAR
    page.keyboard.press("Enter")
    expect(page.get_by_text("Optimal on training data", exact=True).first).to_be_visible()
    come_to_rest(page)
    tab_to(page, step, NEAR)
    page.keyboard.press("Space")
    expect(page.locator("#node0")).to_be_visible()
    tab_to(page, page.locator("#node0"))
    page.keyboard.press("ArrowDown")
    expect(page.locator("#node1")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#node1")).to_have_attribute("aria-pressed", "true")
    come_to_rest(page)
    assert keys_to_next(page) <= NEAR
    tab_to(page, page.get_by_role("tab", name="Model"))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Evidence")).to_have_attribute("aria-selected", "true")
    come_to_rest(page)
    assert keys_to_next(page) <= NEAR
    page.keyboard.press("Enter")
    expect(page.locator("#node0")).to_have_count(2)
    page.keyboard.press("Alt+Enter")
    expect(page.get_by_role("button", name="Change size, solve again")).to_be_visible()
    come_to_rest(page)
    page.keyboard.press("Alt+Enter")
    expect(widget(page, "constraint_new")).to_be_visible()
    assert_all_choices_are_near(page)


def assert_all_choices_are_near(page: Page) -> None:
    """The next step is near each choice of Design, and the keys that press it accept a number that is being entered."""
    for kind in ("diagram", "bdd", "tree"):
        page.locator(f".st-key-design_shape_{kind}").get_by_role("button").press("Enter")
        expect(page.locator(f".st-key-design_shape_{kind} [data-testid=stBaseButton-primary]")).to_be_visible()
        come_to_rest(page)
        step, link, fields = page.locator(".st-key-next button:focus"), page.locator(".skip:focus"), [0]
        while not step.count():
            page.keyboard.press("Tab")
            if link.count():
                fields.append(0)
            else:
                fields[-1] += 1
        # from the first field after a link, Tab leads to the next link in one key per field between them
        assert max(fields[:-1]) + len(("Enter", "Tab")) <= NEAR and fields[-1] <= NEAR, (kind, fields)
    widget(page, "design_min_samples_leaf").locator("input").fill("37")
    page.keyboard.press("Alt+Enter")
    expect(page.get_by_text("at least 37 rows per leaf").first).to_be_visible()
