"""A table with malicious names on the screens: from the file to the model, every name is shown as text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from components.messages.text import html
from solvers.methods import get
from tests.hostile.names import DRAWINGS, FORMULAS, QUERIES, SCRIPTS, UNSEEN, Page
from tests.pages.journey import last_run, with_file
from tests.pages.place import own_place

COLUMNS = (SCRIPTS[0], SCRIPTS[6], SCRIPTS[10], DRAWINGS[0], QUERIES[0], FORMULAS[1], UNSEEN[0])
OUTCOME = SCRIPTS[5]
CLASSES = (SCRIPTS[1], SCRIPTS[4])
FILE = "..\\..\\<img src=x onerror=alert(1)>[a](javascript:b).csv"
MARKS = ("<script", "<img", "](", "![", ":red[", "<svg")
"""Markup that Markdown or HTML would interpret; only names contain it."""


@pytest.fixture(scope="module", autouse=True)
def own_workers(tmp_path_factory):
    """A pool of workers with a separate folder of runs."""
    get("contree").precompile(constraints=True)
    with own_place(tmp_path_factory.mktemp("runs")):
        yield


def content() -> bytes:
    """60 rows: the first column and the levels of the second determine the outcome, except in every ninth row."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write([*COLUMNS, OUTCOME])
    for i in range(60):
        ill = (i % 10 > 4 and i % 3 > 0) != (i % 9 == 0)
        levels = (SCRIPTS[2], SCRIPTS[7], FORMULAS[4])[i % 3]
        write([i % 10, levels, i % 7, i % 5, i % 4, ("=1", "@b")[i % 2], i % 8, CLASSES[ill]])
    return out.getvalue().encode()


def acting(app: AppTest) -> Iterator[str]:
    """The active texts on a screen: Markdown markup without a backslash, elements that run."""
    for kind in ("title", "header", "subheader", "markdown", "caption", "error", "warning", "info", "success"):
        yield from (element.value for element in getattr(app, kind) if _has_marks(element.value))
    for kind in ("button", "selectbox", "multiselect", "radio", "checkbox", "toggle", "number_input", "text_input"):
        yield from (widget.label for widget in getattr(app, kind) if _has_marks(widget.label))
    yield from (option for group in app.button_group for option in group.options if _has_marks(str(option)))
    for element in app.get("html"):
        yield from Page(element.value).faults()


def _has_marks(text: str) -> bool:
    """Whether a Markdown text has unescaped markup; inside code all is text."""
    bare = re.sub(r"\\.", "", re.sub(r"`[^`]*`", "", text))
    return any(mark in bare for mark in MARKS)


def test_malicious_names_are_text_on_every_screen():
    """Data, Solve and Inspect with each of its panels show the names without interpreting them."""
    app = with_file(content(), FILE)
    assert not app.exception and not app.error, [e.value for e in app.error]
    assert not list(acting(app))
    app = app.button(key="next").click().run()
    last_run(app).job.wait(60)
    app.run()
    assert not app.exception and not list(acting(app))
    app = app.button(key="next").click().run()
    assert not app.exception and not list(acting(app))
    shown = "".join(element.value for kind in ("markdown", "html") for element in app.get(kind))
    assert "alert" in shown.replace("\\", "")
    for panel in app.button_group(key="panel").options:
        app.button_group(key="panel").set_value(panel).run()
        assert not app.exception, panel
        assert not list(acting(app)), panel


def test_unescaped_names_are_found():
    """Unescaped names are reported, and escaped ones are not."""
    assert _has_marks(OUTCOME) and _has_marks(SCRIPTS[6]) and not _has_marks("\\[click\\]\\(x\\)")
    assert Page(f"<b>{SCRIPTS[1]}</b>").faults() and not Page(f"<b>{html(SCRIPTS[1])}</b>").faults()
