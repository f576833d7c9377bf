"""The Compare screen: models of the session side by side, on the same rows."""

from __future__ import annotations

from dataclasses import replace

from msgspec.structs import replace as replace_fields

from components.compare.facts import Predictions, SessionModel, changed_rows
from components.messages.text import points
from components.session.work import Run, prepare
from solvers.constraints import MinSensitivity, NeverColumns
from solvers.metrics import Criterion, fairness
from solvers.metrics.comparable import comparable
from solvers.posing import method_of, problem_on
from solvers.problem import Limits
from solvers.request import Request
from solvers.run.solver_run import solve
from tests.pages.handmade import DoneJob, ask, prepared_sample, screen
from tests.pages.journey import finished, last_run, on_training, session, words


def compared(key: str = "breast_cancer"):
    """The Compare screen with a finished run."""
    return screen("compare", finished(key))


def optimum(prepared, design: Request, number: int = 1) -> Run:
    """A finished run, solved here."""
    problem = problem_on(design, prepared.train)
    return Run(number, prepared, design, problem, DoneJob(solve(problem, method_of(design), Limits(seconds=20))))


def test_a_model_that_violates_a_demanded_sensitivity_is_not_called_better():
    """CART has fewer errors because it misses more cases: it is marked, and no claim contradicts its metrics."""
    prepared = prepared_sample("triage")
    run = optimum(prepared, ask((MinSensitivity(0.9),), max_depth=2))
    app = screen("compare", run)
    assert not app.exception
    best, cart = run.best, next(model for model in run.models() if model.key == "cart")
    errors = [int((model.diagram.predict(prepared.train) != prepared.train.y).sum()) for model in (best, cart)]
    assert errors[1] < errors[0]
    relabelled = comparable(run.problem, cart.diagram).predict(prepared.train)
    differ = int((best.diagram.predict(prepared.train) != cart.diagram.predict(prepared.train)).sum())
    shown = words(on_training(app))
    assert "CART violates: sensitivity for critical = yes is at least 90% (" in shown
    assert "errors than" not in shown and f"Predictions differ in {differ} of {prepared.train.n_samples} " in shown
    needed = f"makes {errors[0]} errors on training rows, CART {int((relabelled != prepared.train.y).sum())} errors."
    assert "leaves of CART must be relabelled: then" in shown and needed in shown
    assert "<td>satisfied on training data</td><td>violates: " in shown
    assert f"All ({differ})" in app.button_group(key="turn_1 contree_1 cart_training").options
    assert f"CART {errors[1]}, violates a constraint" in shown


def test_with_costs_models_are_compared_by_cost_and_net_benefit():
    """Costs 1 : 9 mean a treatment threshold of 10%; mean costs and net benefits are counted by hand."""
    prepared = prepared_sample("triage")
    run = optimum(prepared, ask(max_depth=2, class_costs={prepared.train.classes[1]: {prepared.train.classes[0]: 9}}))
    shown, data = words(screen("compare", run)), prepared.test
    first, second = run.models()[:2]
    found = []
    for model in (first, second):
        predicted = model.diagram.predict(data) == 1
        missed, alarms = ((data.y == 1) & ~predicted).sum(), ((data.y == 0) & predicted).sum()
        found.append((9 * missed + alarms) / len(predicted))
        found.append(100 * ((data.y == 1).sum() - missed - alarms / 9) / len(predicted))
    assert f"A row costs {found[0]:.3g} errors on average with {first.title} and {found[2]:.3g} with" in shown
    assert f"Net benefit per 100 rows at a treatment threshold of 10%: {found[1]:.2f} and {found[3]:.2f}." in shown


def test_changed_rows_are_listed_by_the_correct_model():
    """The table has exactly the rows with different predictions, and can be filtered."""
    app = on_training(compared())
    run = last_run(app)
    best, cart = run.models()[:2]
    data = run.prepared.train
    each = [SessionModel("", "", run, model) for model in (best, cart)]
    predictions = [Predictions(one, data, one.model.diagram.predict(data)) for one in each]
    found = changed_rows(*predictions)
    table = next(frame.value for frame in app.dataframe if "observed" in frame.value)
    assert table.index.tolist() == found.index.tolist()
    assert table["correct"].tolist() == [
        {"gained": "CART", "lost": best.title, "both wrong": "neither"}[turn] for turn in found["turn"]
    ]
    app.button_group(key="turn_1 contree_1 cart_training").set_value("gained").run()
    table = next(frame.value for frame in app.dataframe if "observed" in frame.value)
    assert set(table["correct"]) == {"CART"} and len(table) == (found["turn"] == "gained").sum()


def test_more_models_and_the_test_rows_can_be_selected():
    """A single model needs another; with three the second one can be selected; held-out rows have an interval and
    McNemar's p.
    """
    app = compared()
    app.multiselect(key="compared_1").set_value(["1 contree"]).run()
    assert not app.exception and "Choose two or more models" in words(app)
    app.multiselect(key="compared_1").set_value(["1 contree", "1 cart", "1 c45"]).run()
    app.button_group(key="against_1").set_value("1 c45").run()
    app.button_group(key="rows").set_value("held-out").run()
    assert not app.exception
    shown = words(app)
    assert "of 143 held-out rows" in shown and "points of accuracy" in shown and "exact p =" in shown
    for title in ("ConTree (exact)", "CART", "C4.5"):
        assert f"<th>{title}</th>" in shown


def test_exact_counts_are_above_the_metrics():
    """Training and held-out counts are shown for any selected rows; differences from the first model are below."""
    app = compared()
    run = last_run(app)
    for name, data in (("training", run.prepared.train), ("held-out", run.prepared.test)):
        cells = [
            f"<td>{int((model.solution.diagram.predict(data) != data.y).sum())} of {data.n_samples}</td>"
            for model in run.models()[:2]
        ]
        assert f"<td>Errors, {name} rows</td>{''.join(cells)}" in words(app)
    assert "points (" in words(app) and "points</small>" in words(on_training(app))


def test_runs_on_other_rows_are_not_compared():
    """A run on another table is refused with a sentence, and can be viewed separately."""
    iris, cancer = prepared_sample("iris"), prepared_sample("breast_cancer")
    cancer = replace(cancer, source=replace(cancer.source, number=2))
    first, second = optimum(iris, ask(max_depth=1)), optimum(cancer, ask(max_depth=1), number=2)
    app = screen("compare", first, second)
    assert not app.exception
    assert "Run 2 (Breast cancer (Wisconsin)) cannot be compared with run 1: its rows come from another table." in (
        words(app)
    )
    offered = app.multiselect(key="compared_1").options
    assert len(offered) == 3
    rows = next(box for box in app.selectbox if box.label == "Rows of")
    app = rows.set_value(2).run()
    assert not app.exception and session(app).current == 2
    assert "Run 1 (Iris) cannot be compared with run 2" in words(app)


def test_constraints_are_checked_in_all_models_and_have_prices():
    """CART violates the constraint and is marked; the price is next to the constraint once a worker has found it."""
    rows = prepared_sample("iris")
    constraint = NeverColumns(("petal_width_cm", "petal_length_cm"))
    run = optimum(rows, ask((constraint,), max_depth=2))
    app = screen("compare", run)
    assert not app.exception
    shown = words(app)
    assert "CART violates the constraint." in shown and "are never asked" in shown
    app = app.button(key="ask_prices_1").click().run()
    session(app).runs[0].inquiries["prices"].wait(60)
    shown = words(app.run())
    free = optimum(rows, ask(max_depth=2)).best.solution.cost
    assert f"<td>{free} error" in shown and f"<td>{run.best.solution.cost - free} errors<br>" in shown


def test_differences_between_groups_are_compared():
    """With a group column the metrics include the largest difference of each model between the groups."""
    base = prepared_sample("triage")
    rows = prepare(base.source, replace_fields(base.request, groups=("sex",)))
    app = on_training(screen("compare", optimum(rows, ask(max_depth=1))))
    best = last_run(app).best
    found = (
        fairness(rows.train, best.solution.diagram.predict(rows.train), "sex").disparities[Criterion.PARITY].difference
    )
    assert not app.exception
    assert "Demographic parity, sex" in words(app) and f"<td>{points(found.value)} <small>" in words(app)
