"""The recommended size: the offer on the Design screen, its plot, and its use."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from components.design.figures import size_figure, sizes_by_leaves
from components.session.next_run import SIZE
from components.session.work import DEFAULTS, Run
from components.workers import sizes
from solvers.constraints import MaxColumns, MinSensitivity
from solvers.metrics.recommended_size import Recommendation, SizeCandidate
from solvers.posing import problem_on
from solvers.problem import ShapeKind
from tests.pages.handmade import DoneJob, ask, prepared_sample
from tests.pages.journey import PATIENCE, go_to, session, with_file, words

RANDOM = np.random.default_rng(1)
TABLE = RANDOM.random((90, 2)).round(2)
CROSSED = b"a,b,state\n" + b"".join(
    f"{a},{b},{'ill' if (a > 0.5) ^ (b > 0.5) else 'well'}\n".encode() for a, b in TABLE.tolist()
)


def test_a_size_is_recommended_and_used():
    """The comparison runs in a worker; its size is entered into the fields, which are then marked as recommended."""
    app = go_to(with_file(CROSSED), "design")
    app.button(key="size_ask").click().run()
    (job,) = session(app).jobs.values()
    job.wait(PATIENCE)
    app.run()
    assert "Recommended: a tree of depth at most 2" in words(app)
    assert "Error on new rows" in words(app)
    app.button(key="size_take").click().run()
    assert not app.exception
    design, choice = session(app).asked, job.snapshot().answer.choice
    assert (design.max_depth, design.min_samples_leaf) == (2, choice.min_samples_leaf)
    assert (design.max_leaf_nodes, design.split_penalty) == (choice.n_leaves, 0.0)
    assert app.button(key="size_take").disabled
    # other misclassification costs need another recommendation
    app.number_input(key="cost_1_state_ill").set_value(5.0).run()
    assert "size_take" not in [button.key for button in app.button]


def test_solve_starts_at_once_and_then_offers_the_recommended_size(monkeypatch):
    """The default size is solved while sizes are compared; the recommended one is offered, solved, and explained."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "60")
    app = with_file(CROSSED).button(key="next").click().run()
    (first,), (job,) = session(app).runs, session(app).jobs.values()
    assert not app.exception and first.request.max_depth == 3
    job.wait(PATIENCE)
    first.job.wait(PATIENCE)
    for screen in ("inspect", "solve"):
        assert "leaves do best on validation rows: error" in words(go_to(app, screen))
        assert app.button(key="size_take_1").label == "Solve with 4 leaves"
    app.button(key="size_take_1").click().run()
    assert not app.exception
    run = session(app).runs[-1]
    assert (run.request.max_depth, run.request.max_leaf_nodes) == (2, 4) and len(session(app).jobs) == 1
    run.job.wait(PATIENCE)
    app.run()
    assert "This is the recommended size. Error on new rows" in words(app)
    assert not [button for button in app.button if (button.key or "").startswith("size_take")]


def test_a_recommendation_does_not_apply_to_the_next_table(monkeypatch):
    """After a greedy tree of depth 15 the earlier method and depth return, and a size can be recommended."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "600")
    greedy = SizeCandidate("cart", 15, 5, 1.0, 12, 15, 0.04, (0.1, 0.1))
    app = with_file(CROSSED).button(key="next").click().run()
    with monkeypatch.context() as known:
        known.setattr(sizes, "found", lambda job: Recommendation((*SIZES[:3], greedy), 3))
        app.run()
        assert "A greedy tree with 12 leaves does best on validation rows" in words(app)
        app.button(key="size_take_1").click().run()
    run, (job,) = session(app).runs[-1], session(app).jobs.values()
    job.cancel()
    assert (run.method, run.request.max_depth) == ("cart", 15)
    assert go_to(app, "design").slider(key="design_max_depth").value == 15
    session(app).source = None
    go_to(app, "data").button(key="sample_iris").click().run()
    assert session(app).asked.method == DEFAULTS.method and not [
        name for name in SIZE if getattr(session(app).request, name) != getattr(session(app).first_request, name)
    ]


def test_a_size_for_other_costs_is_not_offered(monkeypatch):
    """If the costs change during the comparison, its size is shown with the run, without a button."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "600")
    app = go_to(with_file(CROSSED).button(key="next").click().run(), "design")
    app.number_input(key="cost_1_state_ill").set_value(5.0).run()
    monkeypatch.setattr(sizes, "found", lambda job: Recommendation(SIZES, 1))
    assert "4 leaves do as well as any size" in words(go_to(app, "solve"))
    assert "size_take_1" not in [button.key for button in app.button]
    next(iter(session(app).jobs.values())).cancel()


@pytest.mark.parametrize(("compared", "left_out"), ((slice(3, None), ()), (slice(0, None), (3,))))
def test_no_size_is_offered_for_want_of_time(monkeypatch, compared, left_out):
    """If there was no time for optimal trees, or for those of depth 3, no size is offered."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "60")
    found = Recommendation(SIZES[compared], len(SIZES[compared]) - 1, left_out=left_out)
    monkeypatch.setattr(sizes, "found", lambda job: found)
    app = with_file(CROSSED.replace(b"well", b"good")).button(key="next").click().run()
    assert len(session(app).runs) == 1 and "validation rows" not in words(app)


def test_a_chosen_size_is_not_compared(monkeypatch):
    """A depth set on Design is solved without a comparison of sizes."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "60")
    app = go_to(with_file(CROSSED), "design")
    app.slider(key="design_max_depth").set_value(2).run()
    go_to(app, "data").button(key="next").click().run()
    assert len(session(app).runs) == 1 and not session(app).jobs


def test_sizes_are_not_compared_beside_a_run_with_a_demanded_sensitivity_or_costs(monkeypatch):
    """Their validated errors would contradict the errors of the run; Design compares sizes if asked."""
    asked = []
    monkeypatch.setattr(sizes, "ask", lambda problem, seconds: asked.append(problem))
    monkeypatch.setattr(sizes.state, "jobs", dict)
    monkeypatch.setattr(sizes.next_run, "size_is_chosen", lambda: False)
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "60")
    rows, at_most = prepared_sample("triage"), MaxColumns(3)
    for design in (
        ask((at_most, MinSensitivity(0.9))),
        ask(class_costs={rows.train.classes[1]: {rows.train.classes[0]: 9}}),
        ask((at_most,)),
    ):
        sizes.ask_beside(Run(1, rows, design, problem_on(design, rows.train), DoneJob(None)))
    assert [problem.constraints for problem in asked] == [(at_most,)]


def test_only_a_tree_of_the_same_method_has_the_recommended_size():
    """A BDD or a greedy tree with the same numbers is another model, and has another error on new rows."""
    optimal, greedy = SIZES[1], SIZES[3]
    design = replace(ask(), **sizes.fields(optimal))
    assert sizes.is_taken(optimal, design)
    assert not sizes.is_taken(optimal, replace(design, shape=ShapeKind.BDD))
    assert not sizes.is_taken(optimal, replace(design, method="cart"))
    design = replace(ask(), **sizes.fields(greedy))
    assert sizes.is_taken(greedy, replace(design, method="cart")) and not sizes.is_taken(greedy, design)


SIZES = (
    SizeCandidate("contree", 1, 5, 40.0, 1, 0, 0.4, (0.4, 0.42)),
    SizeCandidate("contree", 2, 5, 3.0, 4, 2, 0.1, (0.12, 0.14)),
    SizeCandidate("contree", 3, 15, 2.0, 4, 3, 0.1, (0.11, 0.12)),
    SizeCandidate("cart", 8, 5, 1.0, 6, 4, 0.09, (0.2, 0.2)),
)


def test_lines_have_the_best_sizes_and_the_recommended_one():
    """One line for optimal and one for greedy trees; both start at the constant prediction."""
    found = Recommendation(SIZES, 1)
    sizes = sizes_by_leaves(found)
    optimal, greedy = sizes[~sizes["greedy"]], sizes[sizes["greedy"]]
    assert list(zip(optimal["leaves"], optimal["recommended"], strict=True)) == [(1, False), (4, True)]
    assert greedy["leaves"].tolist() == [1, 6]
    other = sizes_by_leaves(Recommendation(SIZES, 0))
    assert other["validated"][~other["greedy"]].tolist() == [SIZES[0].mean, SIZES[2].mean]
    figure = size_figure(sizes, costs=False, dark=False)
    (ring,) = (trace for trace in figure.data if trace.name == "recommended")
    assert (ring.x[0], round(ring.y[0], 6)) == (4, 13.0)
