"""A report on a table with malicious names, opened in a browser as a file: nothing runs, and nothing is loaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from solvers.problem import Limits, Problem, Shape
from solvers.report.blocks import Report
from solvers.report.html_page import to_html
from solvers.report.sections import card, report
from solvers.report.subject import Author, Subject
from solvers.run import solve
from tests.browser.test_accessibility import CHECKED
from tests.hostile.names import NAMES, SCRIPTS, hostile_dataset

pytestmark = pytest.mark.browser

SIGNS = (
    "<script>window.pwned = 1; alert(1)</script>",
    "<img src=x onerror='window.pwned = 1; alert(1)'>",
    "</title></style></pre></svg><svg onload=window.pwned=1>",
    '"><a autofocus onfocus=window.pwned=1 href=javascript:window.pwned=1>x</a>',
)
"""Markup that leaves a trace if it runs."""

RISKY = (*SIGNS, *(name for name in NAMES if name in SCRIPTS or "<" in name or "&" in name or "\u202e" in name))


def reported(name: str, make: Callable[[Subject, Author], Report] = report) -> str:
    """The report of a tree of a table with this name everywhere."""
    problem = Problem(hostile_dataset(name), Shape(max_depth=2))
    subject = Subject(problem, solve(problem, "cart", Limits(seconds=30.0)), "CART", name, datetime.now(UTC))
    return to_html(make(subject, Author(name, name, name))).decode()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_reports_and_cards_are_accessible(browser: Browser, tmp_path: Path, scheme: str) -> None:
    """Axe finds nothing in the report, and nothing in the text of a card."""
    page = browser.new_page(color_scheme=scheme)
    for make in (report, card):
        (file := tmp_path / "report.html").write_text(reported("ward 7", make), "utf-8")
        page.goto(file.as_uri())
        assert not Axe().run(page, options=CHECKED).response["violations"]
    page.close()


def test_a_report_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    """There is no dialog, trace, request or external link, even without the policy in the page's head."""
    context = browser.new_context()
    page = context.new_page()
    happened: list[str] = []
    page.on("dialog", lambda dialog: (happened.append("a dialog"), dialog.dismiss()))
    page.on("request", lambda request: None if request.url.startswith("file:") else happened.append(request.url))
    file = tmp_path / "report.html"

    def opened(content: str) -> list[str]:
        """The events when the page is opened and everything in it is clicked."""
        happened.clear()
        file.write_text(content, "utf-8")
        page.goto(file.as_uri())
        for link in page.locator("a").all():
            link.dispatch_event("click")
        signs = page.evaluate("[window.pwned, document.querySelectorAll('script,img,iframe,object,embed').length]")
        away = page.locator("a:not([href^='#'])").count()
        return [*happened, *(["a sign"] if signs[0] else []), *(["an element"] if signs[1] else []), *["a link"] * away]

    for name in RISKY:
        content = reported(name)
        bare = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", content)
        assert len(bare) < len(content)
        assert opened(bare) == [], name
    assert opened(content) == []
    for sign in SIGNS[:2]:
        assert "a sign" in opened(f"<h1>{sign}</h1>"), "what this test looks for must be found"
    context.close()
