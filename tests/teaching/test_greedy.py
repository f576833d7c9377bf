"""Greedy step by step: the ranked tables are correct, and the last step is the method's own tree."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from solvers.diagram import Split
from solvers.problem import Problem, Shape, question_orders
from solvers.teaching import Greedy, Measure, Recipe, Rule, candidates, greedy_replay, grow_fully, make, ranked
from tests.teaching.lessons import errors, problem_of, random_dataset, solved

RECIPES = [Recipe(rule, rows=60, noise=0.1, distractors=1, seed=3) for rule in Rule]


@pytest.mark.parametrize("method", Greedy)
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.rule.value)
def test_the_last_frame_is_the_tree_of_the_method(recipe: Recipe, method: Greedy):
    """Split for split; before it is simplified, the tree has the same predictions for every row."""
    problem = problem_of(recipe, 3)
    replay = greedy_replay(problem, method)
    known = solved(method.value, problem).diagram
    assert replay.picture(replay.n_frames - 1).diagram == known
    grown = replay.picture(replay.n_frames - 2).diagram
    assert np.array_equal(grown.predict(problem.dataset), known.predict(problem.dataset))
    assert grown.n_splits - known.n_splits == replay.n_taken_back >= 0


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.rule.value)
def test_cart_equals_scikit_learn(recipe: Recipe):
    """Trained on the same binary splits, scikit-learn's tree has as many nodes, and the same rows in each leaf."""
    problem = problem_of(recipe, 3)
    replay, orders = greedy_replay(problem, Greedy.CART), question_orders(problem.dataset)
    fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(orders.rank.T, problem.dataset.y)
    grown = replay.picture(replay.n_frames - 2).diagram
    assert grown.n_nodes == fitted.tree_.node_count
    ours, theirs = grown.apply(problem.dataset), fitted.apply(orders.rank.T)
    assert len(set(zip(ours.tolist(), theirs.tolist(), strict=True))) == len(set(ours.tolist()))


def test_each_frame_adds_one_split():
    """The first frame has no split, each further one adds the split of its step."""
    replay = greedy_replay(problem_of(Recipe(Rule.NOISY_XOR, rows=60), 3), Greedy.CART)
    sizes = [replay.picture(frame).diagram.n_splits for frame in range(replay.n_frames - 1)]
    assert sizes == list(range(len(replay.steps) + 1))
    for frame, step in enumerate(replay.steps):
        drawn = replay.picture(frame + 1)
        node = drawn.diagram.nodes[drawn.slots.index(step.slot)]
        assert isinstance(node, Split) and node.predicate == step.chosen.predicate
    assert replay.next_step(0) is replay.steps[0] and replay.next_step(replay.n_frames - 1) is None


def test_c45_stops_without_a_gain_and_cart_continues():
    """On parity every gain at the root is 0: C4.5 keeps one leaf, CART splits arbitrarily, the optimum is perfect."""
    problem = problem_of(Recipe(Rule.PARITY, size=3), 3)
    stopped = greedy_replay(problem, Greedy.C45)
    assert [step.chosen for step in stopped.steps] == [None] and stopped.steps[0].blind
    assert errors(stopped.result, problem.dataset) == 32
    assert greedy_replay(problem, Greedy.CART).steps[0].chosen is not None
    assert solved("contree", problem).cost == 0


def test_a_distractor_misleads_cart_on_xor():
    """x and y have no gain at first, so CART splits on a distractor; two levels are enough, as the optimum shows."""
    problem = problem_of(Recipe(Rule.XOR, distractors=2), 2)
    replay = greedy_replay(problem, Greedy.CART)
    assert replay.steps[0].chosen.predicate.column.startswith("z")
    assert errors(replay.result, problem.dataset) > 10
    assert solved("contree", problem).cost == 0


def test_gains_agree_with_their_definitions():
    """Each figure is recomputed from the class counts of the two sides, row by row."""
    random = np.random.default_rng(8)
    for n in (5, 9, 14):
        problem = Problem(random_dataset(random, n), Shape(max_depth=2))
        data = problem.dataset
        for found in candidates(problem, question_orders(data), np.arange(n)):
            says = found.predicate.holds(data.schema, data.X)
            sides = [Counter(data.y[says].tolist()), Counter(data.y[~says].tolist())]
            assert [[side[k] for k in range(3)] for side in sides] == [list(found.yes), list(found.no)]
            whole = sides[0] + sides[1]
            parts = [(side.total() / n, side) for side in sides]
            gain = _entropy(whole) - sum(share * _entropy(side) for share, side in parts)
            gini = _gini(whole) - sum(share * _gini(side) for share, side in parts)
            assert found.gain == pytest.approx(gain, abs=1e-12)
            assert found.gini == pytest.approx(gini, abs=1e-12)
            assert found.ratio == pytest.approx(gain / _entropy(Counter({0: says.sum(), 1: (~says).sum()})), abs=1e-9)
            assert found.errors == n - sum(max(side.values()) for side in sides)


def _entropy(counts: Counter) -> float:
    return -sum(c / counts.total() * math.log2(c / counts.total()) for c in counts.values() if c)


def _gini(counts: Counter) -> float:
    return 1 - sum((c / counts.total()) ** 2 for c in counts.values())


def test_candidates_are_all_splits_that_divide_the_rows():
    """As many different divisions of the rows as brute force over values and levels finds."""
    random = np.random.default_rng(4)
    data = random_dataset(random, 12)
    problem, rows = Problem(data, Shape(max_depth=2)), np.array([0, 2, 3, 5, 7, 8, 11])
    found = candidates(problem, question_orders(data), rows)
    divisions = set()
    for j, column in enumerate(data.schema.columns):
        values = data.X[rows, j]
        for value in set(values.tolist()):
            says = values == value if column.kind == "categorical" else values <= value
            if 0 < says.sum() < len(rows):
                divisions.add((column.name, frozenset((tuple(says.tolist()), tuple((~says).tolist())))))
    proposed = [
        (c.predicate.column, frozenset((tuple(s.tolist()), tuple((~s).tolist()))))
        for c in found
        for s in [c.predicate.holds(data.schema, data.X[rows])]
    ]
    assert set(proposed) == divisions


@pytest.mark.parametrize("measure", Measure)
def test_the_ranking_is_sorted(measure: Measure):
    """For each measure the values never increase."""
    problem = problem_of(Recipe(Rule.MONK1))
    table = ranked(candidates(problem, question_orders(problem.dataset), np.arange(124)), measure)
    values = [candidate.value(measure) for candidate in table]
    assert all(a >= b - 1e-8 for a, b in pairwise(values))


@pytest.mark.parametrize("rule", [Rule.MONK1, Rule.MONK2])
def test_c45_fully_grown_has_only_unavoidable_errors(rule: Rule):
    """A leaf with rows of both classes remains only if no split has a gain; the smallest tree has none."""
    problem = Problem(make(Recipe(rule)).train, Shape(max_depth=12))
    data, orders = problem.dataset, question_orders(problem.dataset)
    grown, smallest = grow_fully(problem), solved("smallest-tree", problem)
    leaf = grown.apply(data)
    for node in np.unique(leaf):
        rows = np.flatnonzero(leaf == node)
        if len(np.unique(data.y[rows])) > 1:
            assert max(candidate.gain for candidate in candidates(problem, orders, rows)) < 1e-9
    assert errors(smallest.diagram, data) == 0
    assert grown.n_splits > smallest.diagram.n_splits
