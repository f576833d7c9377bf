"""No text reaches a screen but through a catalogue: in a language of brackets all that is read stands in them.

The table is made so that its names and levels have no two small letters side by side; what is left and may stay so is
on a short list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components.inspect.explorer.bedside import PANEL
from components.inspect.export.report_facts import subject_of
from components.session import language
from components.session.constraint_list import ConstraintList
from components.words.constraint_facts import kinds_by_topic
from solvers import language as messages
from solvers.constraints import AskedBefore, MaxLeaves
from solvers.language import follow
from solvers.methods import registry
from solvers.problem import ShapeKind
from solvers.problem.file_text import ENCODINGS
from solvers.report.exports import EXPORTS, Material, export
from solvers.report.html_page import to_html
from solvers.report.sections import report
from solvers.report.subject import Author
from solvers.teaching.lessons import lessons
from tests.pages.journey import finished, go_to, last_run, session, with_file
from tests.pages.pseudo import CODE, OPENS, outside, shown, write_catalogue

MORE_SCREENS = ("inspect", "compare", "sweep", "runs", "data")
REFUSED = {"B1.csv": b"A,B\n1,2\n3,4,5\n", "B2.csv": b"", "B3.csv": b"A,A,B\n1,2,3\n4,5,6\n", "B4.xlsx": b"PK\x03\x04z"}

WHOLE = [*ENCODINGS, *(outside(registry.get(name).source) for name in registry.names())]
"""Names of encodings, and of papers."""
PARTS = re.compile(
    # names and levels of the tables of the lessons, which are data
    r"class|yes|no|jacket_color|head_shape|body_shape|is_smiling|holding|has_tie|red|green|blue|yellow|round|square"
    r"|octagon|sword|balloon|flag"
    # names of methods as keys and in titles, of kinds of constraints, of units and encodings
    r"|Con[Tt]ree|contree|cart|utf|kB|AskedBefore|MaxLeaves"
    # an address, and SQL
    r"|postgresql|user|host|database|patients"
)
DATA = (":Table", ":Outcome", ":Comment")
"""Columns of the list of runs, which are named by users."""


def table() -> bytes:
    """A table of all types, in which two questions decide, not without mistakes."""
    rng, n = np.random.default_rng(0), 160
    a, b, level = rng.normal(50, 9, n).round(1), rng.integers(20, 90, n), rng.choice(["U", "V", "W"], n)
    days = (np.datetime64("2020-01-01") + rng.integers(0, 900, n)).astype(str)
    gone = np.where(rng.random(n) < 0.1, "", rng.normal(3, 1, n).round(2).astype(str))
    outcome = np.where((a > 52) & (b > 45) | (level == "U") & (rng.random(n) < 0.6), "P", "N")
    lines = zip(a, b, level, rng.choice(["K", "L"], n), days, gone, outcome, strict=True)
    return "\n".join(["A1,B1,C1,D1,E1,F1,Y", *(",".join(map(str, line)) for line in lines)]).encode()


@pytest.fixture(scope="module")
def brackets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All sessions have chosen the language of brackets."""
    patch = pytest.MonkeyPatch()
    write_catalogue(folder := tmp_path_factory.mktemp("locale"))
    patch.setattr(messages, "CATALOGUES", folder)
    patch.setattr(language, "chosen", lambda: CODE)
    for known in (messages.languages, messages._loaded):
        known.cache_clear()
    yield
    patch.undo()
    follow(language.chosen)
    for known in (messages.languages, messages._loaded):
        known.cache_clear()


def untranslated(app: AppTest) -> list[str]:
    """What stands on the screen outside of brackets, and neither is data nor on the lists."""
    assert not app.exception
    found = []
    for place, text in shown(app):
        rest = "" if place.endswith(DATA) else outside(text)
        for whole in WHOLE:
            rest = rest.replace(whole, "")
        if words := [word for word in re.findall(r"[A-Za-z_]*[a-z]{2,}\w*", rest) if not PARTS.fullmatch(word)]:
            found.append(f"{place}: {' '.join(words)}  <- {text[:120]}")
    return found


def test_the_brackets_are_seen(brackets: None) -> None:
    """What is filled in stands outside of them."""
    with messages.use(CODE):
        assert outside(messages.tr("Run {number}: {title}", number=1, title="x y")) == "1 x y"


def test_nothing_on_the_screens_is_untranslated(brackets: None) -> None:
    """From a file by a tree, a BDD and a diagram to all that is said of them."""
    app = with_file(table(), "T9.csv")
    found = untranslated(app)
    state = session(app)
    for kind, method, size in (
        (ShapeKind.TREE, "contree", {}),
        (ShapeKind.BDD, "bdd-search", {"max_depth": 3}),
        (ShapeKind.DIAGRAM, "odd-search", {"widths": (1, 2)}),
    ):
        ruled = (AskedBefore("A1", "B1"), MaxLeaves(6)) if kind is ShapeKind.TREE else ()
        state.constraints[state.source.number] = ConstraintList().with_added(ruled)
        state.design = replace(state.design, kind=kind, method=method, **size)
        app = go_to(app, "design")
        found += untranslated(app)
        app.button(key="next").click().run()
        last_run(app).job.wait(60)
        found += untranslated(app.run())
        for screen in MORE_SCREENS:
            app = go_to(app, screen)
            found += untranslated(app)
    assert not found, "\n".join(dict.fromkeys(found))


def test_no_panel_beside_the_diagram_is_untranslated(brackets: None) -> None:
    """Each panel and view of a model."""
    app = with_file(table(), "T9.csv").button(key="next").click().run()
    last_run(app).job.wait(60)
    app, found = go_to(app, "inspect"), []
    for panel in ("Node", "One case", "Bedside", "Rules by risk", "Who gets what", "Areas"):
        found += untranslated(app.button_group(key=PANEL).set_value(panel).run())
    assert not found, "\n".join(dict.fromkeys(found))


def test_no_form_of_a_constraint_is_untranslated(brackets: None) -> None:
    """Every kind, as it is filled in."""
    app = go_to(with_file(table(), "T9.csv"), "design")
    app.button(key="constraint_new").click().run()
    key, found = session(app).editor.key, []
    for group in kinds_by_topic():
        app.button_group(key=f"{key}_topic").set_value(group.topic).run()
        for kind in group.kinds:
            app.radio(key=f"{key}_{group.topic}").set_value(kind.kind).run()
            found += untranslated(app)
    assert not found, "\n".join(dict.fromkeys(found))


def test_no_lesson_is_untranslated(brackets: None) -> None:
    """Every part of each."""
    app, found = go_to(with_file(table(), "T9.csv"), "learn"), []
    for one in lessons():
        app.selectbox(key="learn_lesson").set_value(one.key).run()
        for part in one.parts:
            app.button_group(key="learn_part").set_value(part).run()
            found += untranslated(app)
    assert not found, "\n".join(dict.fromkeys(found))


@pytest.mark.parametrize("name", REFUSED)
def test_no_refusal_of_a_file_is_untranslated(name: str, brackets: None) -> None:
    """What a worker says in English is shown in the language of the session."""
    found = untranslated(with_file(REFUSED[name], name))
    assert not found, "\n".join(dict.fromkeys(found))


def test_files_for_others_are_english(brackets: None) -> None:
    """What is saved does not depend on the language of who saves it."""
    run = finished("breast_cancer")
    assert run.best is not None
    with messages.use(CODE):
        material = Material(run.best.diagram, run.prepared.train)
        for form in EXPORTS:
            assert OPENS.encode() not in export(material, form.key), form.key
        assert OPENS.encode() not in to_html(report(subject_of(run, run.best, datetime(2026, 1, 1)), Author()))
