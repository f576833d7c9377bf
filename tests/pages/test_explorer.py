"""The panels around the diagram on the Inspect screen, with hand-made models."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from functools import cache
from threading import Event

import pytest
from msgspec import structs
from streamlit.testing.v1 import AppTest

from components.session.work import Prepared, Run
from solvers.diagram import Diagram, Leaf
from solvers.methods import get
from solvers.metrics import node_counts
from solvers.posing import problem_on
from solvers.problem import Limits, ShapeKind
from solvers.report.exports import Material, export
from tests.pages.handmade import ask, bdd, counted, diagram, prepared_sample, run_of, screen
from tests.pages.journey import finished, on_training, words

pytestmark = pytest.mark.usefixtures("open_tab_only")

KINDS = list(ShapeKind)


@cache
def rows() -> Prepared:
    """Rows of two classes with numeric columns."""
    return prepared_sample("breast_cancer")


@cache
def run(kind: ShapeKind) -> Run:
    """A finished run with a model of each shape; the diagram has one column per split."""
    if kind is ShapeKind.TREE:
        design = ask(max_depth=3, method="cart")
        found = (
            get("cart").run(problem_on(design, rows().train), Limits(seconds=20), lambda event: None, Event()).diagram
        )
        return run_of(rows(), design, found)
    if kind is ShapeKind.BDD:
        design = ask(shape=kind, max_depth=3, method="bdd-search")
        return run_of(rows(), design, bdd(problem_on(design, rows().train)))
    design = ask(shape=kind, skeleton=(1, 2, 1), method="odd")
    found = diagram(rows().train)
    first = structs.replace(found.nodes[0], predicate=found.nodes[1].predicate)
    return run_of(rows(), design, counted(replace(found, nodes=(first, *found.nodes[1:])), rows().train))


def model(kind: ShapeKind) -> Diagram:
    """The model of a shape."""
    return run(kind).best.solution.diagram


def key(kind: ShapeKind) -> str:
    """The suffix of the widget keys of a model."""
    return f"1_{run(kind).method}"


def opened(kind: ShapeKind, panel: str) -> AppTest:
    """The Inspect screen with one of the panels."""
    app = on_training(screen("inspect", run(kind)))
    return app.button_group(key="panel").set_value(panel).run()


@pytest.mark.parametrize("kind", KINDS)
def test_a_branch_is_reversed_and_restored(kind):
    """Reversing a branch shows the change and the new leaf of the row; undo restores the path."""
    app = opened(kind, "Trace a row")
    app.number_input(key=f"row_{key(kind)}").set_value(int(rows().train.rows[0])).run()
    assert "Changed:" not in words(app)
    first = words(app)
    app = app.button(key=f"turn_0_{key(kind)}").click().run()
    assert not app.exception and not app.error
    assert "Changed:" in words(app) and "instead of" in words(app)
    app = app.button(key=f"undo_{key(kind)}").click().run()
    assert words(app) == first


@pytest.mark.parametrize("kind", KINDS)
def test_the_smallest_change_is_stated_and_shown(kind):
    """The sentence names another prediction; the changed row ends there."""
    app = opened(kind, "Trace a row")
    app.number_input(key=f"row_{key(kind)}").set_value(int(rows().train.rows[0])).run()
    assert "No smaller change does this" in words(app)
    before = model(kind).classes[model(kind).path(rows().train.X[0]).label]
    other = next(name for name in model(kind).classes if name != before)
    app = app.button(key=f"show_{key(kind)}").click().run()
    assert not app.exception
    assert f"diagnosis: {other}" in words(app) and f"Instead of diagnosis: {before}" in words(app)


def test_a_value_of_a_row_is_changed():
    """A column gets another value, and another row starts without changes."""
    kind = ShapeKind.TREE
    app = opened(kind, "Trace a row")
    app.number_input(key=f"row_{key(kind)}").set_value(int(rows().train.rows[0])).run()
    name = model(kind).features[0]
    app.selectbox(key=f"column_{key(kind)}").set_value(name).run()
    (field,) = [field for field in app.number_input if field.label == "New value"]
    field.set_value(-5.0).run()
    app = app.button(key=f"apply_{key(kind)}").click().run()
    assert not app.exception and f"{name} -5 instead of" in words(app).replace("\u2212", "-")
    app.number_input(key=f"row_{key(kind)}").set_value(int(rows().train.rows[1])).run()
    assert "Changed:" not in words(app)


def test_a_threshold_is_edited_opened_and_discarded():
    """The cost appears before the tree is opened; Inspect then shows the edited tree, marked, beside the run's own."""
    made = finished()
    app = on_training(screen("inspect", made))
    (field,) = [field for field in app.number_input if field.label == "Threshold (at most)"]
    app = field.set_value(field.value * 1.3).run()
    assert not app.exception and "more than the optimum" in words(app) and not made.opened
    app = app.button(key="open_edited_1").click().run()
    assert not app.exception and "Edited by hand, not optimal" in words(app)
    assert made.best.diagram != made.opened["edited"].diagram
    app = app.button(key="discard_1").click().run()
    assert not app.exception and not made.opened and "Edited by hand" not in words(app)


@pytest.mark.parametrize("kind", KINDS)
def test_the_bedside_tab_shows_the_saved_page(kind):
    """The frame has the file, except for the colours of the dashboard's theme; there is no second evaluator."""
    app = opened(kind, "Bedside")
    assert not app.exception
    (frame,) = app.get("iframe")
    shown = b64decode(frame.proto.src.partition(",")[2]).decode()
    saved = export(Material(model(kind), rows().train), "bedside").decode()
    assert shown.partition("<header>")[2] == saved.partition("<header>")[2]


def test_a_folded_part_stays_folded_until_the_levels_change():
    """Folding is kept for the session; changing the number of levels resets it."""
    kind = ShapeKind.TREE
    app = screen("inspect", run(kind))
    app.session_state[f"folds_diagram_{key(kind)}"] = (frozenset({1}), frozenset())
    app.run()
    assert not app.exception
    app.selectbox(key=f"levels_diagram_{key(kind)}").set_value(1).run()
    assert app.session_state[f"folds_diagram_{key(kind)}"] == (frozenset(), frozenset())


def test_a_node_without_test_rows_is_reported():
    """A small leaf without held-out rows causes no error and no empty file."""
    prepared = prepared_sample("parity")
    design = ask(max_depth=4, method="cart")
    found = get("cart").run(problem_on(design, prepared.train), Limits(seconds=20), lambda event: None, Event()).diagram
    sizes = node_counts(found, prepared.test).sum(axis=1)
    empty = next(i for i, node in enumerate(found.nodes) if isinstance(node, Leaf) and sizes[i] == 0)
    app = screen("inspect", run_of(prepared, design, found))
    app.session_state["_session"].nodes["1_cart"] = empty
    app = app.button_group(key="rows").set_value("held-out").run()
    assert not app.exception and not app.error
    assert "None of the rows shown reach this node." in words(app)
    assert not any(button.key == "download_1_cart" for button in app.get("download_button"))
    app = app.button_group(key="rows").set_value("training").run()
    assert any(button.key == "download_1_cart" for button in app.get("download_button"))
