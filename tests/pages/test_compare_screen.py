"""The Compare screen: the optimal tree against greedy trees of the same size."""

from __future__ import annotations

from components.model_facts import comparison
from tests.pages.journey import go_to, last_run, opened, solved, words


def compared(key: str = "breast_cancer"):
    """The Compare screen with a finished run."""
    return go_to(solved(key), "compare")


def test_says_what_to_do_while_there_is_no_tree():
    """Without a run there is nothing to compare."""
    app = go_to(opened(), "compare")
    assert "no tree to compare" in words(app)


def test_greedy_trees_miss_what_the_optimal_tree_finds():
    """On noisy XOR CART makes several times the errors of the optimal tree, and the screen says by how many rows."""
    app = compared("noisy_xor")
    assert not app.exception
    best, cart = last_run(app).models()[:2]
    fewer = cart.solution.cost - best.solution.cost
    assert fewer > best.solution.cost
    said = words(app)
    assert "Proved optimal" in said and "Heuristic" in said
    assert f"wrong in {fewer} rows fewer than CART" in said


def test_rows_that_change_are_listed_with_who_is_right():
    """The table of changed rows holds exactly the rows that both trees answer differently."""
    app = compared()
    run = last_run(app)
    best, cart = run.models()[:2]
    found = comparison(best, cart, run.prepared.train)
    (table,) = [frame.value for frame in app.dataframe]
    assert table.index.tolist() == [change.row for change in found.rows]
    assert table["right"].tolist() == [change.right for change in found.rows]


def test_the_other_greedy_tree_and_the_test_rows_can_be_chosen():
    """The comparison follows the choice of the second model and of the rows."""
    app = compared()
    app.button_group(key="against_1").set_value("c45").run()
    app.button_group(key="rows").set_value("test").run()
    assert not app.exception
    said = words(app)
    assert "C4.5" in said and "143 test rows" in said


def test_metrics_of_all_models_stand_side_by_side():
    """One table shows training and held-out metrics of the optimal tree, CART and C4.5."""
    said = words(compared())
    for title in ("ConTree (exact)<br>Training", "CART<br>Test (held out)", "C4.5<br>Training"):
        assert title in said
