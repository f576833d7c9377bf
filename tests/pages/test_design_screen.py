"""The Design screen: size, limits, and methods with their capabilities."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from components.session.memory import Session
from components.session.work import DEFAULTS
from solvers.methods import registry
from solvers.posing import named_costs
from solvers.problem import MAX_DEPTH, Objective, Shape, ShapeKind
from tests.pages.journey import PATIENCE, go_to, last_run, problem_of, session, with_file, with_sample, words

WEIGHTED = b"dose,times,ill\n" + b"".join(
    f"{i % 9},{1 + i % 3},{'yes' if i % 9 > 5 else 'no'}\n".encode() for i in range(60)
)


def missed(app, table: int = 1, outcome: str = "critical", positive: str = "yes"):
    """The field for the cost of a missed case."""
    return app.number_input(key=f"cost_{table}_{outcome}_{positive}")


def test_the_picker_lists_every_method_of_a_shape():
    """They are the methods of the registry in its order; methods of other shapes are not offered."""
    app = go_to(with_sample(), "design")
    for kind in ShapeKind:
        app.button(key=f"design_shape_{kind}").click().run()
        assert not app.exception
        makers = [name for name in registry.names() if kind in registry.get(name).kinds]
        titles = {name: registry.get(name).title for name in makers}
        proofs = {name: "proves optimality" if registry.get(name).exact else "greedy, no proof" for name in makers}
        offered = app.radio(key="design_method").options
        assert sorted(offered) == sorted(f"{titles[name]} :gray[{proofs[name]}]" for name in makers)
        assert offered[0].startswith(titles[registry.FIRST[kind]])
        assert app.radio(key="design_method").value == registry.FIRST[kind]


def test_a_smallest_tree_has_any_depth_unless_one_is_set():
    """With a method that minimizes the size, the depth has no limit until the user sets one."""
    app = go_to(with_sample("xor"), "design")
    depth_limit = lambda: problem_of(app).shape.max_depth  # noqa: E731
    least = depth_limit()
    assert not app.toggle
    app.radio(key="design_method").set_value("smallest-tree").run().run()
    assert (depth_limit(), app.slider(key="design_max_depth").disabled) == (MAX_DEPTH, True)
    app.toggle(key="design_any_depth").set_value(False).run()
    assert (depth_limit(), app.slider(key="design_max_depth").disabled) == (least, False)
    app.radio(key="design_method").set_value("contree").run().run()
    assert depth_limit() == least


def test_a_split_penalty_makes_a_depth_limit_unnecessary():
    """With a split penalty the exact method supports any depth; without one the depth is limited again."""
    app = go_to(with_sample("xor"), "design")
    depth = problem_of(app).shape.max_depth
    app.number_input(key="design_split_penalty").set_value(2.0).run()
    app.toggle(key="design_priced_depth").set_value(True).run()
    assert (problem_of(app).shape.max_depth, app.slider(key="design_max_depth").disabled) == (MAX_DEPTH, True)
    app.number_input(key="design_split_penalty").set_value(0.0).run()
    assert not app.toggle
    assert (problem_of(app).shape.max_depth, app.slider(key="design_max_depth").disabled) == (depth, False)
    assert not app.exception


@pytest.mark.parametrize(
    ("fields", "depth"), [({}, 3), ({"split_penalty": 2.0}, "any"), ({"method": "smallest-tree"}, "any")]
)
def test_any_depth_ends_with_what_made_it_possible(fields: dict, depth: int | str) -> None:
    """The next table has no penalty, and another method may need a limit."""
    assert Session(request=replace(DEFAULTS, max_depth="any", **fields)).asked.max_depth == depth


def test_a_treatment_threshold_and_the_costs_follow_each_other():
    """10% sets the costs to 9 and 1; other costs change the threshold; the proved tree says what it is best at."""
    app = go_to(with_sample("triage"), "design")
    threshold = lambda: app.number_input(key="treat_cost_1_critical_yes")  # noqa: E731
    assert threshold().value == 50
    threshold().set_value(10.0).run()
    assert not app.exception and [*session(app).costs.values()] == [{"no": {"yes": 1}, "yes": {"no": 9}}]
    assert (missed(app).value, missed(app, positive="no").value) == (9, 1)
    missed(app).set_value(4.0).run()
    assert threshold().value == 20
    missed(app).set_value(1e6).run()
    assert threshold().value is None and not app.exception
    threshold().set_value(10.0).run()
    app = app.button(key="next").click().run()
    last_run(app).job.wait(PATIENCE)
    shown = words(go_to(app, "solve"))
    assert (
        "At a treatment threshold of 10% (risk of critical: yes), none has a higher net benefit on these rows:" in shown
    )


def test_threads_are_offered_if_the_method_uses_them():
    """Methods that share their work have a number of threads, the others do not."""
    app = go_to(with_sample("xor"), "design")
    app.number_input(key="design_threads").set_value(2).run()
    assert session(app).asked.threads == 2
    app.radio(key="design_method").set_value("cart").run()
    assert session(app).asked.threads == 1
    assert not [field for field in app.number_input if field.key == "design_threads"]
    assert not app.exception


def test_sizes_costs_and_limits_reach_all_methods():
    """The settings are in the summary of the screen, are kept during a visit to another one, and are those of the run
    and of all greedy trees.
    """
    app = go_to(with_sample("triage"), "design")
    app.slider(key="design_max_depth").set_value(2).run()
    app.number_input(key="design_time_limit").set_value(7.0).run()
    app.number_input(key="design_gap").set_value(2.0).run()
    app.number_input(key="design_min_samples_leaf").set_value(20).run()
    app.number_input(key="design_max_leaf_nodes").set_value(6).run()
    app.number_input(key="design_split_penalty").set_value(0.5).run()
    missed(app).set_value(5.0).run()
    shown = words(app)
    for part in (
        "at most 6 leaves",
        "at least 20 rows per leaf",
        "missed critical: yes costs 5",
        "split penalty 0.5",
    ):
        assert part in shown
    app = go_to(go_to(app, "data"), "design")
    assert app.slider(key="design_max_depth").value == 2
    app = app.button(key="next").click().run()
    run = last_run(app)
    assert run.job.wait(PATIENCE)
    assert (run.job.limits.seconds, run.job.limits.gap) == (7.0, 0.02)
    data = run.problem.dataset
    yes = data.classes.index("yes")
    costs = tuple(tuple(0.0 if c == k else 5.0 if c == yes else 1.0 for k in (0, 1)) for c in (0, 1))
    assert run.problem.shape == Shape(max_depth=2, max_leaf_nodes=6, min_samples_leaf=20)
    assert run.problem.objective == Objective(costs, split_penalty=0.5)
    models = run.models()
    assert [model.key for model in models] == ["contree", *registry.greedy_methods(ShapeKind.TREE)]
    for model in models:
        assert model.problem == run.problem and model.solution.verified
        assert model.solution.diagram.n_leaves <= 6


def test_costs_that_cannot_be_integers_are_reported():
    """Too many decimals or too large a sum are reported at the field, and Solve is disabled."""
    app = go_to(with_sample("triage"), "design")
    for bad, reason in ((0.1234567, "at most 6 decimals"), (999999.654321, "the limit is")):
        missed(app).set_value(bad).run()
        assert not app.exception
        assert reason in app.error[0].value.replace("\\", "")
        assert app.button(key="next").disabled
    missed(app).set_value(1.0).run()
    app.number_input(key="design_split_penalty").set_value(0.1234567).run()
    assert len(app.error) == 1 and app.button(key="next").disabled
    app.number_input(key="design_split_penalty").set_value(0.0).run()
    assert not app.error and not app.button(key="next").disabled


def test_a_minimum_weight_per_leaf_needs_weights():
    """Without weights there is no such field; with them it reaches the problem."""
    app = with_file(WEIGHTED, "doses.csv")
    app = go_to(app, "design")
    assert "design_min_weight_leaf" not in [field.key for field in app.number_input]
    app = go_to(app, "data")
    app.selectbox(key="weight_1").set_value("times").run()
    app = go_to(app, "design")
    app.number_input(key="design_min_weight_leaf").set_value(12.5).run()
    assert problem_of(app).shape.min_weight_leaf == 12.5
    app = go_to(app, "data")
    app.selectbox(key="weight_1").set_value(None).run()
    app = app.button(key="next").click().run()
    assert last_run(app).problem.shape.min_weight_leaf == 0


def test_a_leaf_larger_than_the_table_is_infeasible():
    """The field warns that no tree is possible; if solved anyway, the result gives the reason and a link."""
    app = go_to(with_sample("wine"), "design")
    app.number_input(key="design_min_samples_leaf").set_value(500).run()
    assert "No tree is possible with 133 training rows" in words(app)
    app = app.button(key="next").click().run()
    last_run(app).job.wait(PATIENCE)
    app = go_to(app, "solve")
    shown = words(app)
    assert "Infeasible" in shown and "every leaf must have at least 500" in shown
    assert all("at least 500" in reason for reason in last_run(app).refusals())
    assert app.button(key="next_aside").label == "Change size and limits"
    app = go_to(app.button(key="next_aside").click().run(), "design")
    assert app.number_input(key="design_min_samples_leaf").value == 500


def test_more_than_two_classes_have_a_grid_of_costs():
    """The grid shows the earlier choices, the summary mentions them, and the costs reach the problem."""
    app = go_to(with_sample("iris"), "design")
    rows = session(app).prepared
    costs = ((0.0, 1.0, 1.0), (1.0, 0.0, 5.0), (1.0, 1.0, 0.0))
    session(app).costs[(1, "species", rows.whole.classes)] = named_costs(costs, rows.whole.classes)
    session(app).visit += 1
    app.run()
    grid = [frame.value for frame in app.dataframe if list(frame.value.index) == list(rows.whole.classes)]
    assert grid[0].to_numpy().tolist() == [list(row) for row in costs]
    assert "errors cost by class" in words(app)
    assert problem_of(app).objective == Objective(costs)
