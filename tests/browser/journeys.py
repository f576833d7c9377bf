"""User actions in the dashboard. A widget is found by its key, which Streamlit adds to its element as a class."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from solvers.problem import samples
from tests.browser.conftest import come_to_rest

SIGNS = "fever,cough,rash,ill\n" + "".join(
    f"{'yes' if fever else 'no'},{'yes' if cough else 'no'},{'yes' if rash else 'no'},"
    f"{'yes' if fever + cough + rash >= 2 else 'no'}\n"
    for fever in (0, 1)
    for cough in (0, 1)
    for rash in (0, 1)
    for _ in range(4 + 2 * fever + cough)
)
"""A row is ill if it has two of three signs: a BDD with four internal nodes, the last of which has two parents."""


def widget(page: Page, key: str) -> Locator:
    """The visible widget of a key; if the key ends with an underscore, all whose keys begin with it."""
    name = "st-key-" + re.sub(r"[^\w-]", "-", key)
    return page.locator(f"[class*='{name}']" if key.endswith("_") else f".{name}").locator("visible=true")


def press(page: Page, key: str) -> None:
    """Click the button of this key."""
    widget(page, key).get_by_role("button").first.click()


def button(page: Page, name: str) -> Locator:
    """The visible button of this name, for elements without a key: dialogs, forms, downloads."""
    full = re.compile(f"^{re.escape(name)}( Shortcut .+)?$")
    return page.get_by_role("button", name=full).locator("visible=true")


def enter(page: Page, key: str, value: str) -> None:
    """Enter a value into the field of this key."""
    field = widget(page, key).locator("input").first
    field.fill(value)
    field.press("Enter")


def choose(page: Page, key: str, option: str) -> None:
    """Choose an option of the list or the segments of this key."""
    place = widget(page, key).first
    segment, field = place.get_by_role("radio", name=option, exact=True), place.get_by_role("combobox").first
    expect(segment.or_(field).first).to_be_visible()
    if segment.count():
        segment.click()
    else:
        field.click()
        page.get_by_role("option", name=option, exact=True).click()


def slide(page: Page, key: str, *keys: str) -> None:
    """Move the slider of this key by keys."""
    slider = widget(page, key).get_by_role("slider").first
    slider.focus()
    for pressed in keys:
        slider.press(pressed)
    come_to_rest(page)


def go_to(page: Page, screen: str) -> None:
    """Open a screen by the navigation."""
    # the first screen has no name in its address
    path = "" if screen == "data" else screen
    page.get_by_role("navigation").locator(f"a[href$='/{path}']").first.click()
    page.wait_for_url(re.compile(f"/{path}([?#].*)?$"))
    come_to_rest(page)


def open_part(page: Page, tab: str, part: str = "") -> None:
    """Open a tab, and in it the section of this name."""
    page.get_by_role("tab", name=tab, exact=True).click()
    if part:
        page.get_by_role("radio", name=part, exact=True).locator("visible=true").click()


def upload(page: Page, name: str, content: bytes) -> None:
    """Give a file to the uploader on the screen."""
    page.locator("[class*=st-key-upload_]:not([class*=upload_dictionary]) input[type=file]").last.set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": content}
    )


def use_table(page: Page, name: str, content: str) -> None:
    """Upload a text table, and wait until it is in use."""
    upload(page, f"{name}.csv", content.encode())
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def use_sample(page: Page, title: str) -> None:
    """Choose a sample by its card."""
    (key,) = (sample.key for sample in samples() if sample.title == title)
    press(page, f"sample_{key}")
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()


def design(page: Page) -> None:
    """From Data to Design."""
    press(page, "next_aside")
    expect(widget(page, "constraint_new")).to_be_visible()
    come_to_rest(page)


def solve(page: Page) -> None:
    """From Data or Design to a proved model."""
    press(page, "next")
    expect(page.get_by_text("Optimal on training data", exact=True).first).to_be_visible()


def inspect(page: Page) -> None:
    """From Solve to Inspect."""
    press(page, "next")
    page.wait_for_url("**/inspect*")
    expect(page.locator("#node0").first).to_be_visible()
    come_to_rest(page)


def solve_sample(page: Page, title: str) -> None:
    """From the first screen to a proved tree."""
    use_sample(page, title)
    solve(page)


def saved(page: Page, key: str) -> bytes:
    """The file saved by the button of this key."""
    with page.expect_download() as download:
        press(page, key)
    return Path(download.value.path()).read_bytes()


def chosen_node(page: Page, number: int) -> Locator:
    """The node of this number, once it is selected."""
    node = page.locator(f"#node{number}")
    expect(node).to_have_attribute("aria-pressed", "true")
    return node


def traced(page: Page) -> Locator:
    """The sentence about the first of the shown rows."""
    come_to_rest(page)
    choose(page, "panel", "Trace a row")
    sentence = page.get_by_text(re.compile(r"Because .*, the prediction is|is not one of"))
    for number in "12345":
        enter(page, "row_", number)
        expect(sentence.or_(page.get_by_text(f"Row {number} is not one of"))).to_be_visible()
        come_to_rest(page)
        if sentence.text_content().startswith("Because"):
            return sentence
    raise AssertionError("None of the first five rows is a training row.")
