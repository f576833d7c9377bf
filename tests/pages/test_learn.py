"""The Learn screen: lessons, the student's tree, steps, links."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from solvers.problem import Op, Predicate
from solvers.teaching import Greedy, LessonPart, Recipe, Setting, Sketch, lesson, lessons, params_of
from tests.pages.journey import go_to, session, unopened, words

PATIENCE = 60


def learning(**params: str) -> AppTest:
    """The Learn screen, opened by a link."""
    app = unopened()
    for name, value in params.items():
        app.query_params[name] = value
    return go_to(app, "learn")


def answered(app: AppTest) -> AppTest:
    """The screen once the worker has its result."""
    for job in session(app).jobs.values():
        job.wait(PATIENCE)
    return app.run()


def ask(app: AppTest, column: str, value: float) -> AppTest:
    """Add a split on a number at the current node."""
    app.selectbox(key="own_column").set_value(column).run()
    app.number_input[-1].set_value(value).run()
    return app.button(key="own_ask").click().run()


@pytest.mark.slow
def test_every_lesson_opens_with_its_text():
    """No lesson raises an error, and each shows its own paragraphs."""
    app = learning()
    for chosen in lessons():
        app.selectbox(key="learn_lesson").set_value(chosen.key).run()
        assert not app.exception, chosen.key
        assert "\n\n".join(chosen.paragraphs) in [one.value.strip() for one in app.markdown]


@pytest.mark.parametrize("key", ["new-rows", "monks"])
def test_a_lesson_opens_in_each_section(key: str):
    """With numbers and with categories, each section is drawn."""
    app = learning(lesson=key)
    for part in lesson(key).parts:
        app.button_group(key="learn_part").set_value(part).run()
        assert not app.exception, part


def test_a_student_builds_the_optimal_tree():
    """Three splits by hand make the tree of XOR; the verdict goes from 32 errors to 'optimal'."""
    app = answered(learning(lesson="xor"))
    assert "You: 32 errors" in words(app) and "optimum: 0 (proved)" in words(app)
    ask(app, "x", 0.5)
    ask(app, "y", 0.5)
    app.selectbox(key="own_place").set_value(2).run()
    ask(app, "y", 0.5)
    assert not app.exception
    assert "You: 0 errors" in words(app) and "Yours is optimal" in words(app)


def test_steps_can_be_undone_redone_and_pruned():
    """Undo removes the split, redo restores it, prune and start again leave a leaf."""
    app = learning(lesson="xor")
    ask(app, "x", 0.3)
    questions = lambda: own(app).questions  # noqa: E731
    first = {0: Predicate("x", Op.LE, 0.3, False)}
    assert dict(questions()) == first
    app.button(key="own_undo").click().run()
    assert not questions()
    app.button(key="own_redo").click().run()
    assert dict(questions()) == first
    app.selectbox(key="own_place").set_value(0).run()
    app.button(key="own_prune").click().run()
    assert not questions()
    app.button(key="own_undo").click().run()
    app.button(key="own_start").click().run()
    assert not questions()


def own(app: AppTest) -> Sketch:
    """The tree of the student."""
    (history,) = app.session_state["_learn_own"].values()
    return history.now


def test_a_split_that_divides_no_rows_is_refused():
    """The screen shows a sentence, and the tree does not change."""
    app = ask(learning(lesson="xor"), "x", 9.0)
    assert "have the same answer to 'x is at most 9'" in words(app)
    assert "You: 32 errors" in words(app)


def test_the_greedy_method_can_be_followed_in_both_directions():
    """Step and back move by one; the last step is the tree of the method."""
    app = learning(lesson="xor", part="greedy")
    keys = [button.key for button in app.button if button.key.startswith("step_greedy")]
    (step,) = keys
    assert "CART chooses 'z" in words(app)
    app.button(key=step).click().run()
    assert "CART chooses" in words(app)
    app.button(key=step.replace("step_", "back_", 1)).click().run()
    app.slider(key=step.replace("step_", "frame_", 1)).set_value(4).run()
    assert "It never revises a split" in words(app)
    assert app.button(key=step).disabled


def test_the_proof_jumps_between_pruned_splits():
    """Each has its sentence; at the end the proof is explained."""
    app = learning(lesson="proof")
    (jump,) = [button.key for button in app.button if button.key.startswith("jump_0_")]
    app.button(key=jump).click().run()
    assert "Pruned:" in words(app)
    (slider,) = [slider for slider in app.slider if slider.key.startswith("frame_search")]
    slider.set_value(slider.max).run()
    assert "Proved: no tree of depth 2 makes fewer than" in words(app)


def test_a_link_restores_a_lesson_and_the_address_is_updated():
    """Noise, seed and section of the link are set; a slider changes the address; another lesson has its defaults."""
    app = learning(lesson="xor", noise="0.1", seed="3", part="compare")
    assert app.slider(key="learn_noise").value == 10 and app.number_input(key="learn_seed").value == 3
    assert app.button_group(key="learn_part").value == LessonPart.COMPARE
    app.slider(key="learn_rows").set_value(80).run()
    assert dict(app.query_params) == {
        "lesson": "xor",
        "rows": "80",
        "noise": "0.1",
        "seed": "3",
        "part": "compare",
    }
    app.selectbox(key="learn_lesson").set_value("proof").run()
    assert dict(app.query_params) == {"lesson": "proof"}
    assert app.slider(key="learn_rows").value == 40


def test_a_link_restores_the_tree_that_a_student_has_built():
    """The address has the splits; it restores them in another session, where they can be changed and undone."""
    app = ask(ask(learning(lesson="xor"), "x", 0.5), "y", 0.5)
    address = dict(app.query_params)
    assert address == {"lesson": "xor", "tree": "0:x:0.5;1:y:0.5"}
    other = learning(**address)
    assert own(other) == own(app) and len(own(other).questions) == 2
    other.button(key="own_undo").click().run()
    assert not own(other).questions and dict(other.query_params) == {"lesson": "xor"}


@pytest.mark.parametrize(
    "tree", ["0:x:0.5;1:w:0.5", "1:x:0.5", "0:x:nan", "0:x:9", "0:x", "", "0:x:0.5;0:y:0.5", "7:x:1"]
)
def test_a_link_with_a_damaged_tree_says_so_and_opens_the_lesson(tree: str):
    """Unknown features, splits without parents, and splits that divide nothing are refused in a sentence."""
    app = learning(lesson="xor", seed="3", tree=tree)
    assert not app.exception and "The tree in this link is damaged at" in app.warning[0].value
    assert app.number_input(key="learn_seed").value == 3 and dict(app.query_params) == {"lesson": "xor", "seed": "3"}


def test_another_table_of_the_lesson_starts_with_its_defaults():
    """Monk's problem 3 has its own rows and noise; the seed is kept."""
    app = learning(lesson="monks", seed="4")
    app.selectbox(key="learn_table").set_value("monk3").run()
    assert not app.exception
    assert (app.slider(key="learn_rows").value, app.slider(key="learn_noise").value) == (122, 5)
    assert app.number_input(key="learn_seed").value == 4
    params = params_of(Setting(lesson("monks"), Recipe("monk3", seed=4), 3, LessonPart.SMALLEST, Greedy.CART))
    assert dict(app.query_params) == params


def test_tree_and_bdd_of_parity_are_side_by_side():
    """The tree of parity has 15 splits, the BDD 7, both proved."""
    app = answered(learning(lesson="sharing"))
    assert "The tree has 15 splits, the BDD 7" in words(app)
    assert words(app).count("Optimal on training data") == 4, "in the table and above the drawings"


def test_the_smallest_tree_is_next_to_c45():
    """On Monk's problem 1, six splits explain every row, and every robot."""
    app = answered(learning(lesson="monks"))
    assert "Smallest tree: 6 splits in 4" in words(app)
    assert "Optimal on training data" in words(app)


def test_the_table_can_be_used_on_the_data_screen():
    """'Use this table' leads to Data, with the class as outcome."""
    app = learning(lesson="xor").button(key="next").click().run()
    assert not app.exception
    assert session(app).source.table.n_rows == 64
    assert session(app).prepared.whole.outcome == "class"
