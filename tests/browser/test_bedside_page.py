"""The bedside page, opened from a file without a server: it predicts as the model does, by keyboard and on a phone."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from msgspec.structs import replace as changed
from playwright.sync_api import Browser, Page, expect

from solvers.diagram import Diagram, Leaf, Split
from solvers.diagram.labels import asked
from solvers.diagram.python_code import to_python
from solvers.errors import DataError
from solvers.problem import (
    Column,
    Dataset,
    Kind,
    LinearPredicate,
    MissingPolicy,
    Op,
    Predicate,
    Schema,
    ShapeKind,
    Unknown,
    build,
)
from solvers.problem.samples import load_sample, sample
from solvers.problem.schema import fitted
from solvers.report.exports import Material, export
from tests.browser.test_accessibility import CHECKED, GRAVE
from tests.diagram.exported import by_python, random_model, raw_cases
from tests.diagram.models import HOSTILE, combined, tree

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}
NASTY = (None, "", " ", "?", "NA", "Unknown", "nan", "nobody", math.nan)
CASES = 1000


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An offline page that fails on any script error, policy violation, or request except for the file."""
    context = browser.new_context(viewport=PHONE, offline=True)
    opened = context.new_page()
    opened.set_default_timeout(10_000)
    troubles: list[str] = []
    opened.on("console", lambda message: troubles.append(message.text))
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("request", lambda request: None if request.url.startswith("file:") else troubles.append(request.url))
    yield opened
    context.close()
    assert not troubles


def opened(page: Page, made: Material, folder: Path) -> Diagram:
    """The page of a model, opened from its file."""
    path = folder / "bedside.html"
    path.write_bytes(export(made, "bedside"))
    page.goto(path.as_uri())
    return made.diagram


def learned(policy: MissingPolicy) -> Dataset:
    """The triage table; its columns are fitted on half of the rows, one with other levels than the full table."""
    data = build(load_sample("triage"), changed(sample("triage").request, missing=policy)).dataset
    return replace(data, schema=fitted(data.schema, data.X[: data.n_samples // 2 : 9]))


@cache
def encoded(column: Column, cell: object) -> float:
    """A cell as the library reads it, infinite if the library refuses it."""
    try:
        return float(column.encode(pd.Series([cell], dtype=object))[0])
    except DataError:
        return math.inf


@pytest.mark.parametrize("policy", MissingPolicy)
@pytest.mark.parametrize("kind", ShapeKind)
def test_a_thousand_cases_are_predicted_as_by_the_model(
    page: Page, tmp_path: Path, kind: ShapeKind, policy: MissingPolicy
) -> None:
    """Leaf and class, or none, are the model's: also for missing marks, new levels, text for numbers, NaN and None."""
    rng = np.random.default_rng([list(ShapeKind).index(kind), list(MissingPolicy).index(policy)])
    data = learned(policy)
    unknown = Unknown.IGNORE if (kind, policy) == (ShapeKind.TREE, MissingPolicy.IMPUTE) else Unknown.ERROR
    diagram = opened(page, Material(random_model(data, kind, rng), data, unknown=unknown), tmp_path)
    X = data.X[rng.integers(data.n_samples, size=CASES)]
    cases, refused = raw_cases(data.schema, X), np.zeros(CASES, bool)
    for i in range(0, CASES, 3):
        j, cell = rng.integers(data.n_columns), NASTY[rng.integers(len(NASTY))]
        column = data.schema.columns[j]
        cases[i][column.name], X[i, j] = cell, encoded(column, cell)
    needed = X[:, [data.schema.index(name) for name in diagram.features]]
    refused = np.isinf(needed).any(1) | (policy is MissingPolicy.COMPLETE and np.isnan(needed).any(1))
    answerable = np.where(refused[:, None], 0.0, np.where(np.isinf(X), 0.0, X))
    if unknown is Unknown.ERROR:
        refused |= diagram.stops(answerable) >= 0
    leaves = diagram.apply(answerable)
    found = page.evaluate("cases => cases.map(predict)", cases)
    for predicted, leaf, no in zip(found, leaves.tolist(), refused, strict=True):
        label = "" if no else diagram.classes[diagram.leaf(leaf).label]
        assert predicted == {"leaf": None if no else leaf, "label": label}
    assert 0 < refused.sum() < CASES


def test_dates_are_read_as_in_the_python_export(browser: Browser, tmp_path: Path) -> None:
    """Only ISO dates are read, in UTC in any time zone, to the microsecond; other text gets no prediction."""
    column = Column("admitted", Kind.DATE)
    nodes = (Split(Predicate("admitted", Op.LE, 19783.0, False), 1, 2), Leaf(0, (9.0, 1.0)), Leaf(1, (1.0, 9.0)))
    diagram = Diagram(ShapeKind.TREE, Schema((column,)), ("healthy", "ill"), "state", 1, nodes)
    day, times = (
        "2024-03-01",
        ("10", "1030", "10:30", "10:30:15.25", "103015,1234567", "23:59Z", "00:10+05:30", "09-0130"),
    )
    good = [day, "20240301", "1969-12-31 23:59:59.999999", *(f"{day}{mark}{time}" for mark in "T " for time in times)]
    bad = ["2024-02-31", "2023-02-29", "01.06.2024", "06/01/2024", "55", "5", "March 1 2024", "2024-03-01T24:00"]
    bad += ["0000-01-01", "2024-3-1", "2024-0301", "2024-03-01Z", "2024-03-01T", "2024-03-01T10:3015", "2024-13-01"]
    texts = [*good, *bad]
    context = browser.new_context(timezone_id="America/New_York", offline=True)
    page = context.new_page()
    opened(page, Material(diagram), tmp_path)
    found = page.evaluate("texts => texts.map(text => predict({ admitted: text }))", texts)
    values = page.evaluate("texts => texts.map(text => read('admitted', text) ?? null)", texts)
    context.close()
    module: dict[str, Any] = {}
    exec(to_python(diagram), module)
    assert [one["leaf"] for one in found] == [one.leaf for one in by_python(diagram, [{"admitted": t} for t in texts])]
    assert values[len(good) :] == [None] * len(bad) and {one["leaf"] for one in found} == {None, 1, 2}
    assert values[: len(good)] == [module["encoded"]({"admitted": text})["admitted"] for text in good]


def choose(page: Page, words: str) -> None:
    """Move to a button with the keyboard and press it."""
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").startswith(words):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"No button '{words}' can be reached by the keyboard.")


def fits(page: Page) -> None:
    """Nothing is wider than the phone, and buttons are large enough for a thumb."""
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    sizes = page.evaluate(
        "[...document.querySelectorAll('#answers button')].map(b => b.getBoundingClientRect().height)"
    )
    assert all(size >= 44 for size in sizes)


def test_rows_can_be_entered_by_keyboard(page: Page, tmp_path: Path) -> None:
    """Rows with known and unknown values are entered by Tab and Enter; each path ends at the model's leaf."""
    data = build(load_sample("triage"), sample("triage").request).dataset
    diagram = opened(page, Material(random_model(data, ShapeKind.TREE, np.random.default_rng(5)), data), tmp_path)
    rng, ends = np.random.default_rng(0), set()
    for row in data.X[rng.permutation(data.n_samples)[:12]]:
        row = row.copy()
        row[rng.integers(data.n_columns, size=3)] = np.nan
        stop = int(diagram.stops(row.reshape(1, -1))[0])
        by_ask = {}
        for _, split in diagram.splits:
            question, value = split.predicate, row[[diagram.schema.index(split.predicate.columns[0])]]
            words = asked(question, diagram.schema, missing=False)
            reply = "Not known" if np.isnan(value[0]) else "Yes: " if question.answer(value)[0] else "No: "
            is_missing = words.endswith("is missing?")
            by_ask[words] = ("Yes: " if np.isnan(value[0]) else "No: ") if is_missing else reply
        while page.locator("#place").inner_text() != "Answer":
            fits(page)
            choose(page, by_ask[page.locator("#question").inner_text()])
        fits(page)
        shown = page.locator("#question").inner_text()
        ends.add(shown)
        if stop >= 0:
            assert shown == "No prediction"
        else:
            leaf = diagram.leaf(int(diagram.apply(row.reshape(1, -1))[0]))
            assert shown == f"{diagram.outcome}: {diagram.classes[leaf.label]}"
        choose(page, "Start again")
    assert len(ends) == 3


def test_possible_outcomes_and_rows_without_the_value_are_shown(page: Page, tmp_path: Path) -> None:
    """Impossible outcomes are struck out; the counts of the leaf include rows without the value."""
    model = tree()
    data = Dataset(
        "patients", model.schema, np.array([[30.0, 0.0]] * 40 + [[math.nan, 1.0]] * 2 + [[70.0, 1.0]] * 9),
        np.array([0] * 40 + [1, 0] + [1] * 9), model.classes, model.outcome, 1,
    )  # fmt: skip
    opened(page, Material(model, data), tmp_path)
    expect(page.locator("#possible b")).to_have_text("healthy, ill")
    choose(page, "Not known")
    expect(page.locator("#possible b")).to_have_text("healthy")
    expect(page.locator("#possible s")).to_have_text("ill")
    choose(page, "Another: none of female and male")
    expect(page.locator("#question")).to_have_text("No prediction")
    choose(page, "Back")
    choose(page, "No: sex is male")
    shown = page.locator("main").inner_text()
    assert (
        "Predicted risk of diagnosis ill: 40.0%, from the training rows in this leaf. Observed: 1 of 2 training"
        in shown
    )
    assert "age is missing in 2 of 2 training rows in this leaf." in shown and "Fewer than 20 training rows" in shown
    assert "age unknown: treated as at most 40.5, which was best" in page.locator("#because").inner_text()
    opened(page, Material(model, data, least=5), tmp_path)
    for words in ("Not known", "No: sex is male"):
        choose(page, words)
    assert "n <5" in page.locator("main").inner_text() and "2 miss" not in page.locator("main").inner_text()


def test_a_weighted_sum_is_calculated(page: Page, tmp_path: Path) -> None:
    """A weighted sum has labelled fields; invalid input is reported, and an unknown value is refused."""
    opened(page, Material(combined()), tmp_path)
    page.get_by_label("age").focus()
    page.keyboard.type("forty")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Cannot be read: age")
    page.get_by_label("age").fill("60")
    page.get_by_label("bmi").fill("70")
    page.keyboard.press("Enter")
    expect(page.locator("#question")).to_have_text("age at most 50?")
    choose(page, "No: ")
    expect(page.locator("#question")).to_have_text("state: healthy")
    choose(page, "Start again")
    choose(page, "Next")
    expect(page.locator("#question")).to_have_text("No prediction")


def test_levels_with_double_blanks_can_be_chosen_in_a_weighted_sum(page: Page, tmp_path: Path) -> None:
    """A browser shows two blanks as one; the selected level keeps both."""
    schema = Schema((Column("ward", Kind.CATEGORICAL, ("a", "b", "c  c")), Column("age", Kind.NUMERIC)))
    question = LinearPredicate(("ward", "age"), (1.0, 0.001), 0.5, False, (2, None))
    model = Diagram(
        ShapeKind.TREE,
        schema,
        ("healthy", "ill"),
        "state",
        1,
        (Split(question, 1, 2), Leaf(0, (9.0, 1.0)), Leaf(1, (1.0, 9.0))),
    )
    opened(page, Material(model), tmp_path)
    page.get_by_label("ward").select_option(index=3)
    page.get_by_label("age").fill("60")
    choose(page, "Next")
    expect(page.locator("#question")).to_have_text("state: ill")


def test_malicious_names_are_harmless_and_the_file_has_no_rows(page: Page, tmp_path: Path) -> None:
    """Names that would end tags, quotes and scripts are shown and have no effect; the file has no value of a row."""
    for name in HOSTILE[:16]:
        model = tree((name, f"{name}2"), ("female", f"{name}3"), ("healthy", name or "x"), name)
        opened(page, Material(model), tmp_path)
        choose(page, "Yes: ")
        fits(page)
    data = learned(MissingPolicy.INFORMATION)
    X = data.X.copy()
    X[:, data.schema.index("age")] = np.arange(len(X)) + 0.8675309
    data = replace(data, X=X, schema=fitted(data.schema, np.floor(X)))
    model = random_model(replace(data, X=np.floor(X)), ShapeKind.TREE, np.random.default_rng(1))
    opened(page, Material(model, data), tmp_path)
    assert "8675309" not in page.content()
    content = json.loads(page.locator("#model").text_content() or "")
    assert set(content) == {"format", "version", "model"}
    assert set(content["model"]) == {"kind", "schema", "classes", "outcome", "positive", "nodes"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_and_the_printed_page_are_readable(browser: Browser, tmp_path: Path, scheme: str) -> None:
    """Axe finds no barrier in either colour scheme, and on A4 paper the rules are printed with the prediction."""
    context = browser.new_context(viewport=PHONE, color_scheme=scheme, offline=True)
    page = context.new_page()
    opened(page, Material(tree()), tmp_path)
    look = "one => [getComputedStyle(one).color, getComputedStyle(one).backgroundColor]"
    ink, paper = page.locator("body").evaluate(look)
    levels = [sum(map(int, colour[4:-1].split(", "))) for colour in (ink, paper)]
    assert (levels[0] < 200 < 700 < levels[1]) if scheme == "light" else (levels[1] < 200 < 600 < levels[0])
    for words in ("Not known", "No: "):
        violations = Axe().run(page, options=CHECKED).response["violations"]
        assert not [broken["id"] for broken in violations if broken["impact"] in GRAVE]
        choose(page, words)
    page.evaluate("window.onbeforeprint()")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 36, 51)"
    assert page.locator("#rules pre").is_visible() and not page.locator("#back").is_visible()
    # A4 is 595 x 842 points
    assert re.search(rb"MediaBox ?\[0 0 59[45]\S* 84[12]", page.pdf(prefer_css_page_size=True))
    context.close()
