"""From training figures to evidence in a real browser: folds, a second file, the decision curve."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_journey import button, open_part, upload
from tests.browser.test_shared_nodes import SIGNS

pytestmark = pytest.mark.browser


def test_evidence_comes_beside_the_training_figures(page: Page):
    """Cross-validation and a second file each add a column while the user looks on; a curve is drawn for its rows."""
    upload(page, "signs.csv", SIGNS.encode())
    button(page, "Solve").click()
    expect(page.get_by_text("Proved optimal", exact=True).first).to_be_visible()
    button(page, "Inspect the tree").click()
    open_part(page, "Evidence", "Performance")
    heads = page.locator("table.facts th span")
    expect(heads.get_by_text("Training", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Cross-validate").first.click()
    expect(page.get_by_text("10 of 10 models, done.").first).to_be_visible()
    expect(heads.get_by_text("Cross-validated", exact=True)).to_be_visible()
    other = SIGNS.replace("yes,yes,yes,yes", "yes,yes,yes,no", 3)
    field = page.locator("[class*=st-key-second_] input[type=file]")
    field.set_input_files({"name": "other.csv", "mimeType": "text/csv", "buffer": other.encode()})
    expect(heads.get_by_text("Second file", exact=True)).to_be_visible()
    page.get_by_role("radio", name="Risks", exact=True).click()
    page.get_by_role("radio", name="Decision curve").or_(page.get_by_text("Decision curve", exact=True)).first.click()
    expect(
        page.get_by_text("by acting on everyone or on no one").or_(page.get_by_text("does not do more good"))
    ).to_be_visible()
    expect(page.locator(".js-plotly-plot:visible").get_by_text("net benefit, per 100 people")).to_be_visible()
