"""Trees drawn by hand, regions of the plane, lessons and their addresses."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.errors import DataError, ShapeError
from solvers.problem import Op, Predicate
from solvers.teaching import (
    History,
    LessonPart,
    Recipe,
    Rule,
    Setting,
    Sketch,
    lesson,
    lessons,
    make,
    params_of,
    regions,
    setting_of,
)
from solvers.teaching.greedy import Greedy
from tests.teaching.lessons import errors, problem_of, solved

XOR = problem_of(Recipe(Rule.XOR, rows=32))


def below(column: str, value: float) -> Predicate:
    """A split on a number."""
    return Predicate(column, Op.LE, value, False)


def xor_by_hand() -> Sketch:
    """The tree of three splits for XOR."""
    sketch = Sketch().asking(XOR, 0, below("x", 0.5))
    return sketch.asking(XOR, 1, below("y", 0.5)).asking(XOR, 2, below("y", 0.5))


def test_a_tree_by_hand_solves_xor():
    """Three splits at their positions make the tree without errors; each node knows its position."""
    drawn = xor_by_hand().drawn(XOR)
    assert errors(drawn.diagram, XOR.dataset) == 0
    assert drawn.slots == (0, 1, 2, 3, 4, 5, 6)
    sizes = [len(xor_by_hand().rows_at(XOR, slot)) for slot in (0, 1, 2, 3, 4, 5, 6)]
    assert sizes == [32, 16, 16, 8, 8, 8, 8]


def test_a_new_split_replaces_the_nodes_below():
    """Another split at the root leaves one split; pruning the root leaves none."""
    assert dict(xor_by_hand().asking(XOR, 0, below("y", 0.5)).questions) == {0: below("y", 0.5)}
    assert dict(xor_by_hand().pruned(1).questions) == {0: below("x", 0.5), 2: below("y", 0.5)}
    assert not xor_by_hand().pruned(0).questions


def test_invalid_splits_are_refused():
    """Too deep, or the same side for all rows of the node."""
    with pytest.raises(ShapeError, match="At most 2 questions"):
        xor_by_hand().asking(XOR, 3, below("x", 0.2))
    with pytest.raises(ShapeError, match="same answer"):
        Sketch().asking(XOR, 0, below("x", 7.0))


def test_undo_and_redo_move_through_the_history():
    """Undone changes can be redone until another change is made; both ends are harmless."""
    one, two = Sketch().asking(XOR, 0, below("x", 0.5)), Sketch().asking(XOR, 0, below("y", 0.5))
    history = History().then(one).then(two)
    assert history.undone().now == one and history.undone().undone().now == Sketch()
    assert history.undone().redone() == history
    assert history.undone().then(Sketch()).redone().now == Sketch()
    assert History().undone() == History() == History().redone()
    assert history.then(two) == history


def test_regions_agree_with_the_model_at_every_point():
    """At random points the class of the region is the prediction, for a model of the two features alone."""
    made = make(Recipe(Rule.CHECKERBOARD, rows=60))
    diagram = solved("cart", problem_of(made, 4)).diagram
    found = regions(diagram, made.train, "x", "y")
    points = made.test.X[:300]
    points = points[(points[:, 0] > found.x_edges[0]) & (points[:, 0] < found.x_edges[-1])]
    points = points[(points[:, 1] > found.y_edges[0]) & (points[:, 1] < found.y_edges[-1])]
    # a threshold belongs to the lower side
    at = [
        np.searchsorted(edges, points[:, j], side="left") - 1 for j, edges in enumerate((found.x_edges, found.y_edges))
    ]
    assert np.array_equal(found.label[at[1], at[0]], diagram.predict(points))
    assert not found.others and set(np.unique(found.share)) == {0.0, 1.0}


def test_regions_average_over_other_columns():
    """If a model uses a distractor only, each region has the share of the rows that get the class."""
    problem = problem_of(Recipe(Rule.XOR, rows=32, distractors=1))
    median = float(np.median(problem.dataset.X[:, 2]))
    diagram = Sketch().asking(problem, 0, below("z1", median)).drawn(problem).diagram
    found = regions(diagram, problem.dataset, "x", "y")
    assert found.others == ("z1",)
    assert found.share[0, 0] == pytest.approx(np.bincount(diagram.predict(problem.dataset), minlength=2) / 32)


@pytest.mark.parametrize("chosen", lessons(), ids=lambda one: one.key)
def test_lessons_have_a_text_a_table_and_an_address(chosen):
    """The text exists, the table can be made, and the address of the lesson leads back to it."""
    assert sum(map(len, chosen.paragraphs)) > 100
    assert make(chosen.recipe).train.n_samples >= 8
    assert setting_of(params_of(Setting.of(chosen))) == (Setting.of(chosen), ())
    assert params_of(Setting.of(chosen)) == {"lesson": chosen.key}


def test_an_address_restores_all_settings():
    """Including a table other than that of the lesson."""
    xor = lesson("xor")
    set_to = Setting(xor, Recipe(Rule.XOR, noise=0.1, distractors=0, seed=3), 3, LessonPart.SEARCH, Greedy.C45)
    assert params_of(set_to) == {
        "lesson": "xor",
        "noise": "0.1",
        "distractors": "0",
        "seed": "3",
        "depth": "3",
        "part": "search",
        "method": "c45",
    }
    assert setting_of(params_of(set_to)) == (set_to, ())
    other = Setting(lesson("new-rows"), Recipe(Rule.PARITY, size=5, rows=96), 2, LessonPart.DEPTHS, Greedy.CART)
    assert params_of(other) == {"lesson": "new-rows", "table": "parity", "rows": "96", "size": "5"}
    assert setting_of(params_of(other)) == (other, ())


@pytest.mark.parametrize(
    "params",
    [
        {"lesson": "nonsense"},
        {"lesson": "xor", "noise": "7"},
        {"lesson": "xor", "noise": "nan"},
        {"lesson": "xor", "rows": "many"},
        {"lesson": "xor", "depth": "19"},
        {"lesson": "xor", "part": "smallest"},
        {"lesson": "xor", "table": "../../etc"},
        {"lesson": "xor", "table": "monk1"},
    ],
)
def test_invalid_parts_of_an_address_are_reported_and_ignored(params: dict[str, str]):
    """The lesson opens with its defaults, and a sentence names the ignored values."""
    setting, notes = setting_of(params)
    assert setting == Setting.of(lesson("xor"))
    assert len(notes) == 1 and list(params.values())[-1] in notes[0]


def test_an_unknown_lesson_is_refused():
    """The message lists the known keys."""
    with pytest.raises(DataError, match="xor, proof"):
        lesson("nothing")
