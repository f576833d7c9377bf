"""The recommended size: the offer on the Design screen, its plot, and its use."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from components.design.figures import size_figure, sizes_by_leaves
from components.session.work import Design
from components.workers import sizes
from solvers.metrics.recommended_size import Recommendation, SizeCandidate
from solvers.problem import ShapeKind
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
    design, choice = session(app).design, job.snapshot().answer.choice
    assert (design.max_depth, design.min_samples_leaf) == (2, choice.min_samples_leaf)
    assert (design.max_leaf_nodes, design.split_cost) == (choice.n_leaves, 0.0)
    assert app.button(key="size_take").disabled
    # other misclassification costs need another recommendation
    app.number_input(key="cost_1_state_ill").set_value(5.0).run()
    assert "size_take" not in [button.key for button in app.button]


def test_whoever_presses_solve_and_nothing_else_gets_the_recommended_size(monkeypatch):
    """Solve waits for the recommendation, uses it and starts the run; its error on new rows is next to the result."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "60")
    app = with_file(CROSSED).button(key="next").click().run()
    assert not app.exception
    assert sizes.PURPOSE in words(app)
    (job,) = session(app).jobs.values()
    job.wait(PATIENCE)
    app.run()
    (run,) = session(app).runs
    choice = job.snapshot().answer.choice
    assert (run.design.max_depth, run.design.max_leaf_nodes) == (2, choice.n_leaves)
    run.job.wait(PATIENCE)
    app.run()
    assert not app.exception
    assert "This is the recommended size. Error on new rows" in words(app)
    assert session(app).awaited_size is None


def test_a_recommendation_does_not_apply_to_the_next_table(monkeypatch):
    """After a greedy tree of depth 15 the earlier method and depth return, and a size can be recommended."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "600")
    greedy = SizeCandidate("cart", 15, 5, 1.0, 12, 15, 0.04, (0.1, 0.1))
    app = with_file(CROSSED).button(key="next").click().run()
    with monkeypatch.context() as known:
        known.setattr(sizes, "found", lambda job: Recommendation((*SIZES[:3], greedy), 3))
        app.run()
    (run,), (job,) = session(app).runs, session(app).jobs.values()
    job.cancel()
    assert (run.design.method, run.design.max_depth) == ("cart", 15)
    assert go_to(app, "design").slider(key="design_max_depth").value == 15
    session(app).source = None
    go_to(app, "data").button(key="sample_iris").click().run()
    assert session(app).design.method == Design().method and session(app).first_design == session(app).design


def test_skipping_the_recommendation_keeps_the_depth(monkeypatch):
    """One click ends the comparison and starts the run."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "600")
    app = with_file(CROSSED.replace(b"well", b"fine")).button(key="next").click().run()
    app.button(key="size_skip").click().run()
    (run,) = session(app).runs
    assert run.design.max_depth == 3 and session(app).awaited_size is None


def _depth(app):
    app.slider(key="design_max_depth").set_value(4)


def _shape(app):
    app.button(key="design_kind_bdd").click()


def _costs(app):
    app.number_input(key="cost_1_state_ill").set_value(5.0)


@pytest.mark.parametrize("change", (_depth, _shape, _costs))
def test_changes_during_the_comparison_take_precedence(monkeypatch, change):
    """If size, shape or cost change, the result is discarded, and no run starts automatically."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "600")
    app = go_to(with_file(CROSSED).button(key="next").click().run(), "design")
    change(app)
    app.run()
    design = session(app).design
    go_to(app, "solve")
    assert not app.exception
    assert "Press Solve" in words(app) and not session(app).runs
    assert session(app).design == design and session(app).awaited_size is None


@pytest.mark.parametrize(("compared", "left_out"), ((slice(3, None), ()), (slice(0, None), (3,))))
def test_a_greedy_tree_is_not_used_for_lack_of_time(monkeypatch, compared, left_out):
    """If there was no time for optimal trees, or for those of depth 3, the run keeps its depth and its proof."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "60")
    found = Recommendation(SIZES[compared], len(SIZES[compared]) - 1, left_out=left_out)
    assert found.choice.greedy
    monkeypatch.setattr(sizes, "found", lambda job: found)
    app = with_file(CROSSED.replace(b"well", b"good")).button(key="next").click().run()
    (run,) = session(app).runs
    assert (run.design.method, run.design.max_depth, run.design.split_cost) == ("contree", 3, 0.0)


def test_a_chosen_size_is_solved_at_once(monkeypatch):
    """A depth set on Design is solved without waiting."""
    monkeypatch.setenv("ESPALIER_RECOMMEND_SECONDS", "60")
    app = go_to(with_file(CROSSED), "design")
    app.slider(key="design_max_depth").set_value(2).run()
    go_to(app, "data").button(key="next").click().run()
    assert len(session(app).runs) == 1 and not session(app).jobs


def test_only_a_tree_of_the_same_method_has_the_recommended_size():
    """A BDD or a greedy tree with the same numbers is another model, and has another error on new rows."""
    optimal, greedy = SIZES[1], SIZES[3]
    design = replace(Design(), **sizes.fields(optimal))
    assert sizes.is_taken(optimal, design)
    assert not sizes.is_taken(optimal, replace(design, kind=ShapeKind.BDD))
    assert not sizes.is_taken(optimal, replace(design, method="cart"))
    design = replace(Design(), **sizes.fields(greedy))
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
