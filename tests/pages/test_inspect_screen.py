"""The Inspect screen: the diagram, its nodes, rows, numbers and exports."""

from __future__ import annotations

import numpy as np

from components.messages.text import html
from solvers.metrics import verify
from tests.pages.handmade import screen
from tests.pages.journey import (
    PATIENCE,
    finished,
    go_to,
    last_run,
    on_training,
    session,
    with_sample,
    words,
)


def inspected(key: str = "breast_cancer", tab: str = "Model"):
    """The Inspect screen with a finished run."""
    return screen("inspect", finished(key), inspect=tab)


def test_a_selected_node_shows_its_rows_and_classes(open_tab_only):
    """The table of a node holds exactly the rows that reach it, and the class counts add up to them."""
    app = on_training(inspected())
    run = last_run(app)
    diagram = run.best.solution.diagram
    leaf = diagram.n_nodes - 1
    session(app).nodes["1_contree"] = leaf
    app.run()
    here = diagram.apply(run.prepared.train) == leaf
    (rows,) = [frame.value for frame in app.dataframe if len(frame.value) == here.sum()]
    assert rows.index.tolist() == run.prepared.train.rows[here].tolist()
    assert "Prediction: diagnosis is" in words(app)


def test_figures_are_those_of_the_test_rows_at_first():
    """The toggle changes the rows of the node, and metrics are shown for both sets at once."""
    app = inspected()
    assert not app.exception
    rows = last_run(app).prepared
    assert any(len(frame.value) == rows.test.n_samples for frame in app.dataframe)
    assert "Held-out" in words(app)
    app = on_training(app)
    assert any(len(frame.value) == rows.train.n_samples for frame in app.dataframe)


def test_cautions_come_first(open_tab_only):
    """A deep overfitted tree has its warning on Inspect and Compare; a small one that generalizes has none."""
    app = with_sample("lending")
    app = go_to(app, "design")
    app.slider(key="design_max_depth").set_value(4).run()
    app.number_input(key="design_min_samples_leaf").set_value(1).run()
    app = app.button(key="next").click().run()
    last_run(app).job.wait(PATIENCE)
    app = go_to(app, "inspect")
    shown = words(app)
    assert "Before you rely on this tree" in shown and "Worse than CART on held-out data" in shown
    assert "Some predictions rest on few rows" in shown
    assert "Before you rely on ConTree" in words(go_to(app, "compare"))
    assert "Before you rely" not in words(inspected("xor"))


def test_a_row_can_be_entered(open_tab_only):
    """Entered values follow the path of the diagram; a column without missing training values is mandatory."""
    app = inspected("triage")
    app.button_group(key="panel").set_value("Trace a row").run()
    app.button_group(key="way_1_contree").set_value("Enter values").run()
    (trace,) = [button for button in app.button if button.label == "Trace"]
    app = trace.click().run()
    assert not app.exception and not app.error
    diagram = last_run(app).best.solution.diagram
    assert "No prediction: spo2 is missing, as in no training row. Possible predictions: no or yes." in words(app)
    case = np.full(len(diagram.schema), np.nan)
    for name in diagram.features:
        column = diagram.schema[name]
        if not column.has_missing:
            field = app.selectbox if column.kind.has_levels else app.number_input
            field(key=f"1_contree_{name}").set_value(column.levels[0] if column.kind.has_levels else 95.0)
            case[diagram.schema.index(name)] = 0.0 if column.kind.has_levels else 95.0
    (trace,) = [button for button in app.button if button.label == "Trace"]
    app = trace.click().run()
    assert diagram.stops(case.reshape(1, -1)).tolist() == [-1]
    assert f"critical: {diagram.classes[diagram.path(case).label]}" in words(app)
    assert "lactate unknown: treated as " in words(app)


def test_the_proof_is_shown_with_every_check(open_tab_only):
    """Objective, errors, bound and gap are listed with the recomputed checks, all of which pass."""
    app = inspected(tab="Proof")
    run = last_run(app)
    shown = words(app)
    for check in verify(run.problem, run.best.solution).checks:
        assert check.ok and html(check.detail, 300) in shown
    assert "fewest training errors" in shown and "0.0%" in shown
