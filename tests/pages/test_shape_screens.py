"""Inspect and Compare with hand-made BDDs and diagrams."""

from __future__ import annotations

from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

from components.session.work import Prepared, Run
from solvers.diagram import Diagram
from solvers.methods.bdds.table import Unseen, truth_table
from solvers.posing import problem_on
from solvers.problem import ShapeKind
from solvers.request import Request
from solvers.solution import NearOptimalBdd
from tests.pages.handmade import ask, bdd, diagram, greedy_questions, prepared_sample, run_of, screen
from tests.pages.journey import go_to, on_training, words

DEPTH = 4


@cache
def rows() -> Prepared:
    """Rows of two classes with numeric columns."""
    return prepared_sample("breast_cancer")


def design() -> Request:
    """BDDs with a few splits."""
    return ask(shape=ShapeKind.BDD, max_depth=DEPTH, method="bdd-search")


@cache
def drawn() -> Diagram:
    """A BDD of greedily chosen splits, reduced at cells without rows."""
    return bdd(problem_on(design(), rows().train))


def listed() -> list[NearOptimalBdd]:
    """The BDD itself and one with fewer splits, as the search returns them."""
    problem = problem_on(design(), rows().train)
    out = []
    for depth in (DEPTH, 2):
        questions = greedy_questions(problem, depth)
        made = bdd(problem, questions, Unseen.PARENT)
        labels = tuple(truth_table(problem, questions).labels(Unseen.PARENT).tolist())
        cost = problem.cost(made.predict(problem.dataset), made.n_splits)
        texts = tuple(q.words(problem.dataset.schema) for q in questions)
        out.append(NearOptimalBdd(cost, made.n_splits, texts, tuple(questions), labels))
    return out


def bdd_run(**known: object) -> Run:
    """A finished run with the BDD and further details."""
    return run_of(rows(), design(), drawn(), **known)


def diagram_run() -> Run:
    """A finished run with a diagram that combines columns."""
    diagram_design = ask(shape=ShapeKind.DIAGRAM, skeleton=(1, 2, 1), split_features=2, method="odd")
    return run_of(rows(), diagram_design, diagram(rows().train))


def tabs(app: AppTest) -> list[str]:
    """The tabs on the screen, and their sections."""
    parts = [part.content for choice in app.button_group for part in choice.proto.options]
    return [*(tab.label for tab in app.tabs), *parts]


def test_a_bdd_has_fragmentation_and_alternatives():
    """The tabs of a BDD, its size in levels, and the sentence on its fragmentation are on the screen."""
    app = screen("inspect", bdd_run())
    assert not app.exception and not app.error
    assert {"Alternatives", "Fragmentation"} <= set(tabs(app)) and "Leaves" not in tabs(app)
    shown = words(app)
    assert f"in {DEPTH} levels" in shown
    assert "A split of this BDD has" in shown
    assert "No alternatives." in shown


def test_an_alternative_is_opened_and_compared():
    """The selected alternative becomes a model of the run: its splits are drawn, and Compare offers it first."""
    app = screen("inspect", bdd_run(near_optimal=tuple(listed()), all_near_optimal=True))
    assert "2 BDDs with different splits" in words(app)
    app.selectbox(key="alternative_1").set_value(2).run()
    app = app.button(key="open_1").click().run()
    assert not app.exception
    assert "splits in 2 levels" in words(app)
    app = go_to(app, "compare")
    assert not app.exception
    shown = words(app)
    assert "Alternative 2" in shown and "Mean splits per row" in shown
    assert "only the first uses" in shown


@pytest.mark.parametrize("run", [bdd_run, diagram_run])
def test_shapes_are_compared_with_trees(run):
    """A BDD or diagram is compared with CART: structure, changed rows and metrics of both."""
    app = screen("compare", run())
    assert not app.exception
    own = app.multiselect(key="compared_1").value[0]
    app = app.multiselect(key="compared_1").set_value([own, "1 cart"]).run()
    shown = words(app)
    assert "Decision tree" in shown and "Different splits" in shown and "Predictions differ in" in shown
    assert "<th>CART</th>" in shown


def test_a_diagram_shows_the_terms_of_its_sums_and_its_evidence():
    """The root combines two columns: the panel lists both terms, and a row is explained by its own path. Performance
    and calibration with shared nodes are those of a tree.
    """
    app = on_training(screen("inspect", diagram_run()))
    assert not app.exception and not app.error
    assert "Fragmentation" in tabs(app)
    shown = words(app)
    first, second = rows().train.schema.names[:2]
    assert f"{first}</td>" in shown and f"{second}</td>" in shown and "How far each feature moves the sum" in shown
    assert "Mean predicted risk" in shown and "other path" in shown and "Likelihood ratio" in shown
    app.button_group(key="panel").set_value("Trace a row").run()
    app.number_input(key="row_1_odd").set_value(int(rows().train.rows[0])).run()
    assert "On this path alone:" in words(app)
