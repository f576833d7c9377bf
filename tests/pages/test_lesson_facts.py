"""Facts of lessons: scores, ranked splits, frames of the search, curves; and that they can be drawn."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from msgspec import structs

from components.learn.classroom import (
    SMALLEST,
    Classroom,
    Optimum,
    bdd_key,
    classroom,
    greedy_way,
    optimum_in,
    record,
    tree_key,
)
from components.learn.facts import (
    closing_in,
    depth_curves,
    describe_depth,
    describe_new,
    greedy_sentence,
    listed_places,
    next_of,
    score,
    verdict,
)
from components.learn.figures import depths, plane
from solvers.metrics import rate
from solvers.teaching import (
    Greedy,
    Happening,
    LessonPart,
    Recipe,
    Rule,
    Setting,
    lesson,
    regions,
)
from tests.teaching.lessons import solved


def room_of(key: str, **changes) -> Classroom:
    """A lesson with some changed settings."""
    return classroom(replace(Setting.of(lesson(key)), **changes))


def optimum(room: Classroom) -> Optimum:
    """The proved optimum of a class, without a worker."""
    solution = solved("contree", room.problem)
    return Optimum(solution.cost, solution.diagram, True)


def test_the_verdict_counts_remaining_errors():
    """The student's errors are compared with those of the greedy tree and of the proved optimum."""
    room = room_of("xor")
    you, best = score(room.greedy.result, room), optimum(room)
    wrong = int((room.greedy.result.predict(room.train) != room.train.y).sum())
    assert (you.errors, you.n, best.cost) == (wrong, 64, 0)
    sentence = verdict(wrong, "CART", wrong, best)
    assert sentence == f"You: {wrong} errors; CART: {wrong}; optimum: 0 (proved). {wrong} errors to go."
    assert "Yours is optimal" in verdict(score(best.diagram, room).errors, "CART", wrong, best)
    assert "searching for the optimum" in verdict(wrong, "CART", wrong, None)
    unproved = verdict(0, "CART", wrong, Optimum(3, best.diagram, False))
    assert "best so far: 3" in unproved and "Yours is optimal" not in unproved


def test_only_sampled_test_rows_have_an_interval():
    """The set of all possible rows is not a sample."""
    found = rate(np.array([True] * 5 + [False] * 95))
    assert "2.2" in describe_new(found, True) and "11.2" in describe_new(found, True)
    assert describe_new(found, False).startswith("5.0") and "(" not in describe_new(found, False)


def test_the_selected_split_is_always_listed():
    """It is marked among the first lines, or replaces the last one with its own rank."""
    replay = greedy_way(Recipe(Rule.NOISY_XOR, rows=60), 2, Greedy.CART)
    step = replay.steps[0]
    assert step.table.index(step.chosen) in listed_places(step.table, step.chosen, 5)
    assert listed_places(step.table, step.table[20], 5) == [0, 1, 2, 3, 20]
    assert listed_places(step.table, None, 5) == [0, 1, 2, 3, 4]


def test_the_greedy_method_explains_why_it_stops():
    """No gain on parity; pruned at the end; no errors left."""
    stopped = greedy_way(Recipe(Rule.PARITY, size=3), 3, Greedy.C45)
    assert "stops: no split gains anything" in greedy_sentence(stopped, 0)
    lucky = greedy_way(Recipe(Rule.PARITY, size=3), 3, Greedy.CART)
    assert "the choice is arbitrary" in greedy_sentence(lucky, 0)
    back = greedy_way(Recipe(Rule.CHECKERBOARD), 3, Greedy.CART)
    assert back.n_taken_back and "will be removed" in greedy_sentence(back, back.n_frames - 2)
    assert "It never revises a split" in greedy_sentence(back, back.n_frames - 1)


def test_jumps_lead_to_the_next_event_of_a_kind():
    """No event of the kind is skipped; after the last one there is none."""
    room = room_of("proof")
    events = record(room.setting.recipe, room.setting.depth).events
    at = next_of(record(room.setting.recipe, room.setting.depth), 0, Happening.PRUNED)
    assert events[at].what is Happening.PRUNED
    assert all(event.what is not Happening.PRUNED for event in events[1:at])
    assert next_of(record(room.setting.recipe, room.setting.depth), len(events) - 1, Happening.PRUNED) is None


def test_a_table_too_large_for_the_replay_is_reported():
    """A sentence replaces the recording."""
    assert "at most 256 rows" in record(Recipe(Rule.XOR, rows=600), 2)


def test_depth_curves_show_overfitting():
    """The deepest tree is best on training rows, the depth of the rule on test rows, and the sentence says so."""
    room = room_of("new-rows")
    assert room.study.depths == (1, 2, 3, 4)
    results = structs.replace(room.study, depths=(1, 2, 3)).results(room.studied)
    part = depth_curves(room, partial(optimum_in, results))
    assert part["depth"][part["optimal"]].tolist() == [1, 2, 3] and (~part["optimal"]).sum() == 4
    assert "Searching for the optimal trees." in describe_depth(part)
    deepest = optimum_in(results, tree_key(3))._replace(proved=False)
    whole = depth_curves(room, lambda key: optimum_in(results, key) or deepest)
    assert "Best on training rows: depth 3" in describe_depth(whole) and "Best on new rows: depth 2" in describe_depth(
        whole
    )
    errors = whole["train"][whole["optimal"]].tolist()
    assert errors == sorted(errors, reverse=True)
    assert len(depths(whole, "CART", dark=False).data) == 4


@pytest.mark.parametrize("dark", [False, True])
def test_the_plane_is_drawn_with_points_and_regions(dark: bool):
    """One area per region, one point per row; each class has its own marker."""
    room = room_of("xor")
    figure = plane(regions(optimum(room).diagram, room.train, "x", "y"), room.train, dark)
    assert len(figure.layout.shapes) == 4
    assert sum(len(trace.x) for trace in figure.data) == 64
    assert len({trace.marker.symbol for trace in figure.data}) == 2


def test_the_curves_of_the_search_are_drawn():
    """Incumbent and lower bound over the steps both end at the optimum."""
    room = room_of("proof")
    recording = record(room.setting.recipe, room.setting.depth)
    curve = closing_in(recording)
    assert curve.proved and curve.incumbent[-1][1] == curve.bound[-1][1] == recording.cost


def test_sections_request_what_they_show():
    """Tree and BDD of all bits; the smallest tree of any depth; nothing if all is available."""
    room = room_of("sharing")
    results = room.study.results(room.studied)
    tree, bdd = (optimum_in(results, key) for key in (tree_key(4), bdd_key(4)))
    assert (tree.cost, bdd.cost, tree.proved, bdd.proved) == (0, 0, True, True)
    assert bdd.diagram.n_splits == 7 < tree.diagram.n_splits == 15
    assert optimum_in(results, SMALLEST) is None
    room = room_of("monks")
    smallest = optimum_in(room.study.results(room.studied), SMALLEST)
    assert (smallest.cost, smallest.proved) == (0, True)
    assert room_of("xor", part=LessonPart.GREEDY).study is room_of("proof").study is None
