"""The Design screen for BDDs and decision diagrams: shapes, skeletons, penalties, and the options of methods."""

from __future__ import annotations

import pytest

from components.session import run_files, work
from solvers.constraints import MinSamplesSplit
from solvers.methods import Option, registry
from solvers.problem import Shape, ShapeKind
from solvers.problem.skeleton import PRESETS, describe_alpha_in, objective_of
from tests.pages.journey import PATIENCE, go_to, last_run, problem_of, session, with_sample, words


def designing(kind: ShapeKind, sample: str = "iris"):
    """The Design screen with a sample and a shape."""
    app = go_to(with_sample(sample), "design")
    return app.button(key=f"design_shape_{kind}").click().run()


def test_a_bdd_has_levels_a_node_limit_and_options():
    """The choices reach the problem and the run; the depth set for the tree is used for the levels."""
    app = go_to(with_sample("iris"), "design")
    app.slider(key="design_max_depth").set_value(4).run()
    app.button(key="design_shape_bdd").click().run()
    assert app.slider(key="design_max_depth").value == 4
    app.slider(key="design_max_depth").set_value(2).run()
    app.number_input(key="design_max_splits").set_value(3).run()
    app.number_input(key="design_option_bdd-search_tolerance").set_value(2).run()
    app.selectbox(key="design_option_bdd-search_thresholds").set_value("all").run()
    assert not app.exception
    assert problem_of(app).shape == Shape(ShapeKind.BDD, max_depth=2, max_splits=3)
    options = session(app).asked.options
    assert (options["thresholds"], options["tolerance"]) == ("all", "2")
    shown = words(app)
    assert "BDD of at most 2 levels, at most 3 splits in all" in shown
    app = go_to(go_to(app, "data"), "design")
    assert session(app).asked.options == options and problem_of(app).shape.max_splits == 3
    app = app.button(key="next").click().run()
    run = last_run(app)
    assert run.job.wait(PATIENCE)
    assert dict(run.job.options) == options
    assert run.best.solution.diagram.kind is ShapeKind.BDD and run.best.solution.verified
    assert run.best.solution.diagram.n_splits <= 3
    assert "BDD of 2 levels, at most 3" in run.title


def test_refusals_may_depend_on_options():
    """A limit on splits is incompatible with one policy for unseen cells; the form says so."""
    app = designing(ShapeKind.BDD)
    app.number_input(key="design_max_splits").set_value(3).run()
    assert not app.button(key="next").disabled
    app.selectbox(key="design_option_bdd-search_empty_cells").set_value("parent").run()
    refused = registry.get("bdd-search", empty_cells="parent").check(problem_of(app))
    assert refused and refused[0].remedy in words(app)
    assert app.button(key="next").disabled
    app.selectbox(key="design_option_bdd-search_empty_cells").set_value("solved").run()
    assert not app.warning and not app.button(key="next").disabled


def test_a_preset_fills_in_its_widths():
    """A click on a preset enters the widths, and the sentence lists them with the preset's name."""
    app = designing(ShapeKind.DIAGRAM)
    for name, preset in PRESETS.items():
        app.button(key=f"design_skeleton_{name}").click().run()
        assert problem_of(app).shape.widths == preset.widths
        assert f"skeleton {name} ({' '.join(map(str, preset.widths))})" in words(app)


def test_custom_widths_are_checked_at_their_field():
    """A layer that is too wide is reported with the remedy, and Solve is disabled until the widths are valid."""
    app = designing(ShapeKind.DIAGRAM)
    for bad, reason in (("1 2 5", "layer 3 can have at most 4 questions"), ("wide", "I, II, III, IV"), ("0", "width")):
        app.text_input(key="design_skeleton").set_value(bad).run()
        assert reason in app.error[0].value.replace("\\", "")
        assert app.button(key="next").disabled
    app.text_input(key="design_skeleton").set_value("1, 2, 3").run()
    assert not app.error and problem_of(app).shape.widths == (1, 2, 3)
    app = go_to(go_to(app, "data"), "design")
    assert problem_of(app).shape.widths == (1, 2, 3)


def test_alpha_is_explained_in_rows():
    """The sentence converts the slider's value to training rows per split, and the penalty reaches the objective."""
    app = designing(ShapeKind.DIAGRAM)
    n = session(app).prepared.train.n_samples
    for alpha in (0.0, 0.5):
        app.select_slider(key="design_alpha").set_value(alpha).run()
        meaning = describe_alpha_in(alpha, n, rows="training rows")
        assert meaning[1:] in words(app)
        assert problem_of(app).objective == objective_of(alpha, n)


def test_splits_may_combine_columns():
    """One column, any number, or at most a given number: each reaches the shape."""
    app = designing(ShapeKind.DIAGRAM)
    assert problem_of(app).shape.split_features == 1
    app.button_group(key="design_split").set_value("Several").run()
    assert problem_of(app).shape.split_features is None
    app.number_input(key="design_split_features").set_value(2).run()
    assert problem_of(app).shape.split_features == 2
    assert "splits may combine 2 features" in words(app)
    app.button_group(key="design_split").set_value("One").run()
    assert problem_of(app).shape.split_features == 1


def test_minimum_rows_per_split_become_a_constraint():
    """Stability is offered with the skeleton, only for diagrams."""
    app = designing(ShapeKind.DIAGRAM)
    app.number_input(key="design_min_samples_split").set_value(12).run()
    assert problem_of(app).constraints == (MinSamplesSplit(12),)
    assert "at least 12 rows per split" in words(app)
    app.button(key="design_shape_bdd").click().run()
    assert problem_of(app).constraints == ()


def test_a_new_option_needs_no_line_in_the_components(monkeypatch):
    """New options of a method get a field; without listed values it takes whole numbers."""
    method = registry.get("bdd-search")
    gained = (
        Option("taste", "Taste", "How it tastes.", ("sweet", "sour"), "sour", ("Sweet", "Sour")),
        Option("rounds", "Rounds", "How often.", (), "3"),
    )
    monkeypatch.setattr(type(method), "options", gained)
    monkeypatch.setattr(type(method), "__init__", lambda self, **options: None)
    app = designing(ShapeKind.BDD)
    assert app.selectbox(key="design_option_bdd-search_taste").options == ["Sweet", "Sour"]
    app.selectbox(key="design_option_bdd-search_taste").set_value("sweet").run()
    assert session(app).asked.options == {"taste": "sweet", "rounds": "3"}


def test_trees_and_greedy_diagrams_are_compared_with_a_diagram():
    """CART and C4.5 make trees of the same depth with the split penalty."""
    app = designing(ShapeKind.DIAGRAM)
    app.radio(key="design_method").set_value("odd-greedy").run()
    app.button(key="design_skeleton_II").click().run()
    app = app.button(key="next").click().run()
    run = last_run(app)
    assert run.job.wait(PATIENCE)
    best, *greedy = run.models()
    assert best.solution.diagram.kind is ShapeKind.DIAGRAM
    assert [model.key for model in greedy] == [*registry.greedy_methods(ShapeKind.TREE)]
    for model in greedy:
        assert model.problem.shape == Shape(max_depth=5) and not model.problem.objective.free_root
        assert model.solution.verified and model.solution.diagram.kind is ShapeKind.TREE
    app = go_to(app, "solve")
    assert "diagram II (1 2 4 4 4), alpha 0.1" in run.title
    assert app.button(key="next").label == "Inspect the diagram"
    shown = words(app)
    assert "No lower bound." in shown and "tree" not in shown


def test_a_slow_greedy_model_is_trained_by_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen does not wait for it; it joins the others when the worker has it, and the run's folder keeps it."""
    app = designing(ShapeKind.DIAGRAM)
    app.number_input(key="design_time_limit").set_value(1.0).run()
    run = last_run(app.button(key="next").click().run())
    assert run.job.wait(PATIENCE)
    trained = []
    monkeypatch.setattr(work, "train_greedy", lambda name, problem: trained.append(name) or f"{name}: not here.")
    go_to(app, "solve")
    assert "odd-greedy" not in trained and [*run.inquiries] == [work.GREEDY_MODELS]
    run.inquiries[work.GREEDY_MODELS].wait(PATIENCE)
    assert [model.key for model in run.models()] == [run.method, "odd-greedy"]
    assert run.models()[1].solution.verified
    again = run_files.reopen(run.job.folder, 9)
    assert [model.key for model in again.models()] == [run.method, "odd-greedy"]
