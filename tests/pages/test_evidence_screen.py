"""Performance, evidence and subgroups on the Inspect screen, with external data and with results of a worker."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from msgspec.structs import replace as replace_fields

from components.inspect.evidence import resampling_panel
from components.inspect.report_panel import subject_of
from components.session.work import prepare
from solvers.constraints import DemographicParity
from solvers.diagram import Diagram
from solvers.methods import get
from solvers.posing import problem_on
from solvers.problem import Limits, Problem
from solvers.report.sections import CHECKLIST, report
from solvers.report.subject import Author
from solvers.study.cross_validation import cross_validate
from tests.explain.worlds import never
from tests.pages import handmade
from tests.pages.handmade import ask
from tests.pages.journey import session, words


def inspected(key: str = "triage", part: str = "Performance", **design: object):
    """Evidence on the Inspect screen, with a greedy tree of a sample, made without a search."""
    prepared = handmade.prepared_sample(key)
    cart_design = ask(method="cart", max_depth=2, **design)
    run = handmade.run_of(prepared, cart_design, greedy(problem_on(cart_design, prepared.train)))
    return handmade.screen("inspect", run, inspect="Evidence", inspect_evidence=part)


def greedy(problem: Problem) -> Diagram:
    """A tree of CART."""
    return get("cart").run(problem, Limits(), lambda event: None, never).diagram


def second_file(app, content: bytes):
    """The screen after an external file was chosen."""
    (field,) = [one for one in app.file_uploader if one.key.startswith("upload_second_")]
    field.upload("other.csv", content, "text/csv")
    return app.run()


def test_centres_are_held_out_in_turn_and_compared():
    """The plan is by centre, the captions explain how rows are divided, and the subgroups are the centres first."""
    prepared = handmade.prepared_sample("triage")
    rows = replace_fields(prepared.request, centres="sex", group_rows="temperature", test_share=None)
    prepared = prepare(prepared.source, rows)
    design = ask(method="cart", max_depth=2)
    app = handmade.screen("inspect", handmade.run_of(prepared, design, greedy(problem_on(design, prepared.train))))
    assert not app.exception
    (folds,) = [box for box in app.selectbox if box.key.startswith("folds_1_performance")]
    assert folds.options == ["Leave one centre out"]
    shown = words(app)
    assert "2 centres of 'sex', each left out once; no 'temperature' is in both training and held-out rows." in shown
    assert "2 models, about" in shown
    parts = next(box for box in app.selectbox if box.key == "subgroup_1")
    assert parts.value == "sex" and "Cochran's Q" in shown


def rows_as_csv(app, n: int = 80) -> bytes:
    """The first rows of the first file."""
    return session(app).runs[0].prepared.source.table.frame.head(n).to_csv(index=False).encode()


def test_the_prevalence_changes_the_predictive_values(open_tab_only):
    """PPV and NPV are those for the prevalence set by the user."""
    app = inspected()
    (field,) = [one for one in app.number_input if one.key.startswith("prevalence_")]
    data = session(app).runs[0].prepared.train
    assert field.value == 100 * (data.y == data.positive).mean(), "not rounded"
    field.set_value(2.5).run()
    assert not app.exception and "PPV at 2.5" in words(app)


def test_external_data_are_evaluated_and_can_be_removed():
    """External figures get a column, external rows can be selected under Evidence, and both can be removed."""
    app = inspected()
    app = second_file(app, rows_as_csv(app))
    assert not app.exception and not app.error
    shown = words(app)
    assert "External" in shown and "other**: 80 rows." in shown
    app.button_group(key="judged_evidence_1_3").set_value("External").run()
    assert "external rows" in words(app)
    app.button(key="remove_second_1").click().run()
    assert not app.exception and "80 rows." not in words(app)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace(b"critical", b"crit", 1), "lacks 'critical'"),
        (lambda text: text.replace(b",yes", b",perhaps", 1).replace(b",no", b",perhaps", 1), "'perhaps'"),
        (lambda text: b"\x89PNG" + text, "PNG image"),
    ],
)
def test_an_invalid_second_file_is_explained(open_tab_only, change, said):
    """The reason is shown at the field, and nothing else changes."""
    app = inspected()
    app = second_file(app, change(rows_as_csv(app)))
    assert not app.exception
    assert any(said in error.value.replace("\\", "") for error in app.error)
    assert session(app).externals == []


def test_risks_and_subgroups_are_shown_for_test_rows_first():
    """Calibration, decision curve and subgroups use the test rows until others are selected."""
    app = inspected()
    assert "of the held-out rows (" in words(app) and "Mean predicted risk" in words(app) and "Mean risk" in words(app)
    app.button_group(key="evidence_kind_1").set_value("Decision curve").run()
    assert not app.exception and "higher net benefit" in words(app) and "in the held-out rows" in words(app)
    app.slider(key="threshold_1").set_value(10).run()
    (run,) = session(app).runs
    model, test = run.best.diagram, run.prepared.test
    acted, ill = model.predict_proba(test)[:, test.positive] >= 0.1, test.y == test.positive
    for group in (ill, ~ill):
        assert f"<td>{(group & acted).sum()}</td><td>{(group & ~acted).sum()}</td>" in words(app)
    assert not app.exception and "as bad as 9 false alarms" in words(app)
    assert all(name in words(app) for name in ("<th>10%</th>", "Treated", "Net benefit per 100", "Gain"))
    app.selectbox(key="subgroup_1").set_value("sex").run()
    assert not app.exception and "female" in words(app) and "Held-out rows; 95% Wilson intervals" in words(app)


def until_done(app):
    """The screen once no worker is busy."""
    for job in session(app).runs[0].inquiries.values():
        assert job.wait(60).state.terminal
    return app.run()


def test_groups_of_a_fairness_constraint_are_compared_without_a_group_column(open_tab_only):
    """Inspect shows the rates of each sex, and the report has them for the training and the held-out rows."""
    app = inspected("triage", "Fairness", constraints=(DemographicParity("sex", Fraction(1, 5)),))
    assert not app.exception
    run = session(app).runs[0]
    assert not run.problem.dataset.groups
    shown = words(app)
    assert "Four-fifths rule" in shown and "Choose a group column" not in shown
    made = report(subject_of(run, run.best, datetime.now(UTC)), Author())
    blocks = next(section.blocks for section in made.sections if section.title == "Fairness")
    assert [block.caption for block in blocks[::2]] == ["sex, training rows", "sex, held-out rows"]
    assert [row[0] for row in blocks[0].rows] == ["female", "male"]
    data = next(section.blocks[0] for section in made.sections if section.title == "Data")
    assert ("Groups", "sex") in data.rows
    items = next(section.blocks[-1].rows for section in made.sections if section.title == CHECKLIST)
    assert "between the groups of sex" in next(known for number, _, known in items if number == "14")


def test_a_worker_cross_validates_and_draws_samples():
    """Cross-validated and bootstrap figures get a column each, and stability is computed from the samples."""
    app = inspected()
    app.selectbox(key="folds_1_performance_10 folds").set_value("5 folds").run()
    app.selectbox(key="samples_1_performance_100 samples").set_value("30 samples").run()
    app.button(key="ask_folds_cart_5_1_1_performance").click().run()
    app.button(key="ask_bootstrap_cart_30_1_performance").click().run()
    app = until_done(app)
    assert not app.exception and not app.error
    shown = words(app)
    assert "Cross-validated" in shown and "Optimism-corrected" in shown
    assert "5 of 5 models, done." in shown and "30 of 30 models, done." in shown
    app.button_group(key="judged_evidence_1_3").set_value("Cross-validated").run()
    assert "cross-validated rows" in words(app)
    app.button_group(key="evidence_kind_1").set_value("Stability").run()
    assert not app.exception and "30 models from bootstrap samples" in words(app)


def test_cross_validated_rows_come_before_training_rows(monkeypatch):
    """Without held-out rows, risks are first shown for rows that the model has not seen."""
    prepared = handmade.prepared_sample("triage", test_share=None)
    design = ask(method="cart", max_depth=2)
    problem = problem_on(design, prepared.train)
    folds = cross_validate(problem, "cart", Limits(seconds=None), n_folds=3)
    monkeypatch.setattr(resampling_panel, "validation", lambda run, model: folds)
    app = handmade.screen("inspect", handmade.run_of(prepared, design, greedy(problem)))
    assert not app.exception and app.button_group(key="judged_evidence_1_2").value == "Cross-validated"


def test_a_stopped_bootstrap_keeps_finished_models():
    """They are shown and reported as partial, also in another window, and Continue solves only the others."""
    app = inspected("breast_cancer")
    app.selectbox(key="samples_1_performance_100 samples").set_value("300 samples").run()
    app.button(key="ask_bootstrap_cart_300_1_performance").click().run()
    (job,) = session(app).runs[0].inquiries.values()
    for least in (1, 10):
        while not ((known := job.snapshot().answer) and known.done >= least) and not job.done:
            time.sleep(0.02)
        app.run()
    session(app).runs[0].inquiries.clear()
    app.run()
    assert job.done or job in session(app).runs[0].inquiries.values(), "as in another window"
    job.cancel()
    app = until_done(app)
    done = job.snapshot().answer.done
    assert not app.exception and done
    assert f"optimism of {done} bootstrap models" in words(app)
    if done == 300:
        return  # on a busy machine the stop may come after the last model
    assert f"{done} of 300 models, stopped; finished models are kept." in words(app)
    app.button(key="again_bootstrap_cart_300_1_performance").click().run()
    (again,) = session(app).runs[0].inquiries.values()
    assert again is not job and not app.exception
    while not again.done and not again.snapshot().answer:
        time.sleep(0.02)
    assert again.snapshot().answer.done >= done
    again.cancel()
    again.wait(10)
