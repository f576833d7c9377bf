"""Facts of the screens: status badges, live curves, nodes, rows, work, and texts."""

from __future__ import annotations

import re
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from components.messages import text
from components.model import figures, run_facts
from components.widgets import shown_rows
from solvers.messages import costs, describe_result
from solvers.messages.results import StatusBadge, Tone, proof_facts, status_badge
from solvers.methods import registry
from solvers.metrics import rate, verified
from solvers.problem import Limits, Objective, Problem, Shape, sample_dataset
from solvers.report.rivals import train_greedy
from solvers.run import JobState, Snapshot
from solvers.solution import EndReason, Status, TracePoint


@pytest.fixture(scope="module")
def problem() -> Problem:
    """Trees of depth 2 for the iris flowers."""
    return Problem(sample_dataset("iris"), Shape(max_depth=2))


@pytest.fixture(scope="module")
def optimal(problem):
    """The proved optimum."""
    method = registry.get("contree")
    return verified(problem, method.run(problem, Limits(), lambda event: None, threading.Event()))


def at(state: JobState, **known) -> Snapshot:
    """A run at a moment, with these facts only."""
    unknown = {"elapsed": 1.0, "cost": None, "bound": None, "trace": (), "diagram": None, "text": "Searching."}
    return Snapshot(state=state, **{**unknown, **known})


def test_only_a_verified_optimum_is_called_proved(problem, optimal):
    """An optimum that was not verified, or failed verification, is never shown as proved."""
    assert status_badge(optimal, True, problem).words == "Optimal on training data"
    for unchecked in (None, False):
        shown = status_badge(replace(optimal, verified=unchecked), True, problem)
        assert shown.words == "Not verified" and shown.tone is Tone.BAD


@pytest.mark.parametrize(
    ("status", "bound", "exact", "words"),
    [
        (Status.FEASIBLE, 3, True, "Best so far"),
        (Status.FEASIBLE, None, True, "Best so far"),
        (Status.FEASIBLE, None, False, "Heuristic"),
        (Status.CANCELLED, 3, True, "Stopped: best so far"),
    ],
)
def test_the_badge_shows_how_far_the_proof_is(problem, optimal, status, bound, exact, words):
    """Six errors with a lower bound of three: both are shown, and the gap is half the cost."""
    solution = replace(optimal, status=status, cost=6, bound=bound, ended=EndReason.TIME_LIMIT)
    shown = status_badge(solution, exact, problem)
    assert shown.words == words and shown.sentence.startswith("6 training errors in 150 rows. No ")
    assert ("No tree of depth 2 has fewer than 3 errors." in shown.sentence) == (bound == 3)
    assert solution.relative_gap == (None if bound is None else 0.5)


def test_the_badge_says_that_a_smaller_model_is_not_ruled_out(problem, optimal):
    """If the errors are proved minimal and the size is not, the model is not called optimal."""
    shown = status_badge(replace(optimal, status=Status.FEASIBLE), True, problem)
    assert shown.words == "Optimal; smaller tree not ruled out"
    assert "No tree of depth 2 has fewer errors (proved). A smaller one may be as good." in shown.sentence


@pytest.mark.parametrize(
    ("status", "words"),
    [(Status.INFEASIBLE, "Infeasible"), (Status.CANCELLED, "Stopped"), (Status.FAILED, "Failed")],
)
def test_a_result_without_a_tree_has_a_reason(problem, optimal, status, words):
    """Infeasible, stopped and failed are distinguished if there is no tree."""
    assert status_badge(replace(optimal, status=status, diagram=None, cost=None), True, problem).words == words


def test_a_failed_run_is_failed_although_it_has_a_tree(problem, optimal):
    """The panel of a killed run says that it failed and why, even with a verified tree."""
    feasible = replace(optimal, status=Status.FEASIBLE)
    shown = run_facts.run_badge(at(JobState.FAILED, solution=feasible, error="It was killed."), True, problem)
    assert shown.words == "Failed" and shown.sentence == "It was killed."


def test_an_active_run_shows_errors_and_bound(problem):
    """Before the first tree it shows the activity."""
    shown = run_facts.run_badge(at(JobState.RUNNING, cost=9, bound=3), True, problem)
    assert shown.words == "Best so far"
    assert "9 training errors in 150 rows" in shown.sentence and "fewer than 3 errors" in shown.sentence
    assert (
        run_facts.run_badge(at(JobState.QUEUED, text="Next in the queue."), True, problem).sentence
        == "Next in the queue."
    )


def test_a_bound_is_shown_before_the_first_tree(problem):
    """Under constraints the first tree may come late: the bound so far is shown, unless it is 0."""
    snapshot = at(JobState.RUNNING, bound=3, trace=(TracePoint(0.2, None, 3),), text="Searching.")
    shown = run_facts.run_badge(snapshot, True, problem)
    assert (shown.words, shown.sentence) == ("Searching", "No tree yet. No tree of depth 2 has fewer than 3 errors.")
    assert run_facts.run_badge(replace(snapshot, bound=0), True, problem).sentence == "Searching."
    figure = figures.live_curve(run_facts.curve(snapshot, problem), dark=False)
    assert figure.data[0].y[-1] == 3 and [label.text for label in figure.layout.annotations] == ["lower bound 3"]


def test_weights_are_shown_in_the_units_of_the_user():
    """With half weights the internal cost is an integer, and the shown cost in the user's weight."""
    iris = sample_dataset("iris")
    problem = Problem(replace(iris, weight=np.where(np.arange(150) < 75, 0.5, 1.0)), Shape(max_depth=2))
    assert problem.scale == 2
    trace = (TracePoint(0.1, 5, 2),)
    found = run_facts.curve(at(JobState.RUNNING, cost=5, bound=2, trace=trace), problem)
    assert (found.incumbent, found.bound) == (((0.1, 2.5),), ((0.1, 1.0),))
    assert found.unit == "training errors, by weight"


def priced(weight: np.ndarray | None = None) -> Problem:
    """Breast cancer at depth 1 with a cost of 2.5 errors per missed malignant case and a split penalty of 1."""
    data = replace(sample_dataset("breast_cancer"), weight=weight)
    of_mistakes = costs.costs_of_mistakes(data, 2.5, 1.0)
    return Problem(data, Shape(max_depth=1), Objective(of_mistakes, split_penalty=1.0))


@pytest.mark.parametrize("weighted", [False, True])
def test_a_cost_is_itemized_and_adds_up(weighted):
    """Missed cases, false alarms and splits times their costs sum to the cost, next to the number of errors."""
    problem = priced(np.where(np.arange(569) < 300, 0.5, 1.0) if weighted else None)
    model = train_greedy("cart", problem)
    data, weights = problem.dataset, np.ones(569) if problem.dataset.weight is None else problem.dataset.weight
    wrong = model.solution.diagram.predict(data) != data.y
    ill = data.y == data.positive
    missed, alarms = weights[wrong & ill].sum(), weights[wrong & ~ill].sum()
    sentence = status_badge(model.solution, model.method.exact, problem).sentence
    cost = 2.5 * missed + alarms + 1
    assert missed and alarms and model.solution.cost / problem.scale == cost
    parts = (f"{text.count(missed)} missed × 2.5", f"{text.count(alarms, 'false alarm')} × 1", "1 split × 1")
    rows = f"{text.count(missed + alarms, 'training error')} in {text.count(weights.sum(), 'row')}"
    rows += ", by weight" if weighted else ""
    assert sentence.startswith(f"Cost {text.amount(cost)} = {' + '.join(parts)}, with {rows}")
    assert dict(proof_facts(problem, model.solution, "CART", ""))["Objective"] == (
        "least cost: missed malignant costs 2.5, false alarm costs 1, split penalty 1"
    )


def test_costs_of_two_classes_survive_a_round_trip():
    """Costs of a miss and a false alarm are kept for any order of the classes; 1 and 1 mean no costs."""
    data = sample_dataset("breast_cancer")
    for positive in (0, 1):
        turned = replace(data, positive=positive)
        table = costs.costs_of_mistakes(turned, 5, 0.5)
        assert table[positive][1 - positive] == 5 and table[1 - positive][positive] == 0.5
        assert costs.mistakes(turned, table)[2:] == (5, 0.5)
        assert costs.costs_of_mistakes(turned, 1, 1) is None


def test_a_generic_class_is_named_with_its_outcome():
    """'yes' is meaningless alone; 'malignant' is not."""
    triage, cancer = sample_dataset("triage"), sample_dataset("breast_cancer")
    assert costs.describe_class(triage, triage.positive) == "critical: yes"
    assert costs.describe_class(cancer, cancer.positive) == "malignant"


def test_a_leaf_that_predicts_the_rarer_class_gives_its_reason():
    """If misses are costly, a leaf with fewer 'yes' than 'no' predicts 'yes', and both costs are shown."""
    data = sample_dataset("triage")
    leaf = train_greedy("cart", Problem(data, Shape(max_depth=0), Objective(costs.costs_of_mistakes(data, 10, 1))))
    note = costs.unpopular_answer(leaf.problem, leaf.solution.diagram, 0)
    assert (
        note == "Most training rows here are critical: no. Predicting that would cost 1,260, this prediction costs 874."
    )
    usual = train_greedy("cart", Problem(data, Shape(max_depth=0)))
    assert costs.unpopular_answer(usual.problem, usual.solution.diagram, 0) is None


def test_an_infeasible_problem_has_the_explanation_of_the_solver(problem):
    """The sentence is the reason and the remedy of the method, also for the greedy trees."""
    large = replace(problem, shape=Shape(max_depth=2, min_samples_leaf=200))
    method = registry.get("contree")
    found = method.run(large, Limits(), lambda event: None, threading.Event())
    assert status_badge(found, True, large) == StatusBadge("Infeasible", Tone.BAD, describe_result(large, found))
    assert train_greedy("cart", large) == f"CART: {describe_result(large, found)}"


def test_a_search_for_a_smaller_tree_is_explained(problem, optimal):
    """If cost and bound are equal and the run continues, the text says why."""
    shown = run_facts.run_badge(
        at(JobState.RUNNING, cost=6, bound=6, diagram=optimal.diagram, text="Looking."), True, problem
    )
    assert shown.words == "Optimal; minimising size" and shown.full.endswith("fewer than 6 errors. Looking.")


def test_the_live_curve_ends_with_the_proof(problem, optimal):
    """The figure says 'optimal' exactly when the result is proved, and names both lines before that."""
    trace = (TracePoint(0.0, 20, 0), TracePoint(0.5, optimal.cost, optimal.bound))
    running = run_facts.curve(at(JobState.RUNNING, trace=trace), problem)
    proved = run_facts.curve(at(JobState.FINISHED, trace=trace, solution=optimal), problem)

    def labels(curve):
        return [label.text for label in figures.live_curve(curve, dark=False).layout.annotations]

    assert [label.split()[0] for label in labels(running)] == ["best", "lower"]
    assert sorted(label.strip() for label in labels(proved)) == [
        "best so far",
        "lower bound",
        f"optimal: {optimal.cost}",
    ]
    # a bound of 0 is uninformative, unless the tree has no error
    early, perfect = (run_facts.curve(at(JobState.RUNNING, trace=trace[:1]), problem), TracePoint(0.5, 0, 0))
    assert [label.strip() for label in labels(early)] == ["best so far 20", "no lower bound yet"]
    ended = run_facts.curve(at(JobState.RUNNING, trace=(*trace[:1], perfect)), problem)
    assert [label.strip() for label in labels(ended)] == ["best so far 0", "lower bound 0"]


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (1.0, "100.0%"),
        (0.9999, "99.9%"),
        (0.0, "0.0%"),
        (0.0001, "0.1%"),
        (0.123, "12.3%"),
    ],
)
def test_shares_are_never_rounded_to_0_or_100_percent(share, shown):
    """Only a share of exactly 1 is shown as 100%, and only one of exactly 0 as 0%."""
    assert text.percent(share) == shown


def test_intervals_and_differences_are_readable():
    """An interval of a share has a dash, one of a difference the word 'to' and minus signs."""
    found = rate(np.array([True, True, False, False]))
    assert text.interval(found) == f"{100 * found.low:.1f}\u2013{100 * found.high:.1f}%"
    assert text.span(found._replace(low=-0.054, high=0.042)) == "\u22125.4 to 4.2"


def test_names_are_escaped_for_markdown_and_html():
    """No character with a meaning in Markdown or HTML survives unescaped, and nothing of the name is lost."""
    name = "![a](b) <i>*_`$x$ :red[y]\nz http://e.org www.e.org a@e.org"
    escaped = text.plain(name)
    assert escaped.replace("\\", "").replace("\u2060", "") == name.replace("\n", " ")
    assert not re.search(r"http:|www\.|a@", escaped.replace("\\", ""))
    assert not re.search(r"(?<!\\)[!\[\]()<>*_`$:]", escaped)
    assert "<" not in text.html(name)


def test_saved_rows_have_no_formulas():
    """Texts and headers that a spreadsheet would run are quoted; numbers and their signs are unchanged."""
    frame = pd.DataFrame(
        {"=HYPERLINK(1)": ["=1+1", "@x", "safe"], "n": [-1.5, 2.0, 3.0]}, index=pd.Index([4, 5, 6], name="row")
    )
    lines = shown_rows.to_csv(frame).decode("utf-8-sig").splitlines()
    assert lines == ["row,'=HYPERLINK(1),n", "4,'=1+1,-1.5", "5,'@x,2", "6,safe,3"]
