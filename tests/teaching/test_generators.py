"""The tables of the lessons: the same recipe gives the same table, and the rules are as documented."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from solvers.errors import DataError
from solvers.problem import build_dataset, question_orders, sample_dataset
from solvers.problem.dataset import cells
from solvers.teaching import Candidate, GeneratedTable, Recipe, Rule, candidates, make, table_of
from solvers.teaching.generators import ROBOT, is_monk1, is_monk2, is_monk3
from tests.teaching.lessons import problem_of


@pytest.mark.parametrize("rule", Rule)
def test_the_same_recipe_gives_the_same_table(rule: Rule):
    """Another seed gives other rows; the same seed gives the same rows, also without the cache."""
    recipe = Recipe(rule, rows=40, noise=0.1, distractors=1, seed=5)
    first = make(recipe)
    make.cache_clear()
    again, other = make(recipe), make(replace(recipe, seed=6))
    assert np.array_equal(first.train.X, again.train.X) and np.array_equal(first.train.y, again.train.y)
    assert not np.array_equal(first.train.X, other.train.X)


@pytest.mark.parametrize("rule", Rule)
def test_noise_flips_the_given_share_and_nothing_else(rule: Rule):
    """The classes of a tenth of the rows are flipped, compared with the recipe without noise; values are the same."""
    clean, noisy = make(Recipe(rule, rows=80, noise=0.0)), make(Recipe(rule, rows=80, noise=0.1))
    assert np.array_equal(clean.train.X, noisy.train.X)
    assert (clean.train.y != noisy.train.y).sum() == 8
    assert np.array_equal(clean.test.y, noisy.test.y)


@pytest.mark.parametrize("rule", Rule)
def test_distractors_leave_the_rest_unchanged(rule: Rule):
    """Columns, classes and flipped rows are those of the table without distractors."""
    plain, more = make(Recipe(rule, noise=0.1)), make(Recipe(rule, noise=0.1, distractors=3))
    n = plain.train.n_columns
    assert more.train.n_columns == n + 3
    for before, after in ((plain.train, more.train), (plain.test, more.test)):
        assert np.array_equal(before.X, after.X[:, :n]) and np.array_equal(before.y, after.y)


def test_no_split_on_x_or_y_has_a_gain_on_xor():
    """Every threshold leaves equal numbers of both classes on each side, so all gains are exactly 0, for every seed."""
    for seed in range(5):
        problem = problem_of(make(Recipe(Rule.XOR, rows=48, seed=seed)))
        found: tuple[Candidate, ...] = candidates(problem, question_orders(problem.dataset), np.arange(48))
        assert len(found) > 20
        assert {candidate.gain for candidate in found} == {0.0}
        assert all(yes == no for candidate in found for yes, no in (candidate.yes, candidate.no))


def test_parity_is_the_parity_of_its_bits():
    """The class is yes if an odd number of bits is 1; the test rows are all combinations of bits once."""
    made = make(Recipe(Rule.PARITY, rows=50, size=4))
    for data in (made.train, made.test):
        assert np.array_equal(data.y, data.X.sum(axis=1) % 2)
    assert len(np.unique(cells(made.test))) == made.test.n_samples == 16
    assert np.bincount(cells(made.train)).max() - np.bincount(cells(made.train)).min() <= 1


@pytest.mark.parametrize(
    ("rule", "key", "law"),
    [(Rule.MONK1, "monk1", is_monk1), (Rule.MONK2, "monk2", is_monk2), (Rule.MONK3, "monk3", is_monk3)],
)
def test_monks_are_those_of_the_literature(rule: Rule, key: str, law):
    """The 432 robots and their classes are those of the sample of the same name, which another test checks."""
    made, known = make(Recipe(rule)).test, sample_dataset(key)
    robots = {tuple(map(str, row[:-1])): row[-1] for row in known.frame().to_numpy()}
    assert len(robots) == made.n_samples == 432
    for *robot, label in made.frame().to_numpy():
        assert robots[tuple(robot)] == label == ("yes" if law(tuple(robot)) else "no")
    assert set(robots) == set(product(*ROBOT.values()))


@pytest.mark.parametrize(("rule", "n", "flipped"), [(Rule.MONK1, 124, 0), (Rule.MONK2, 169, 0), (Rule.MONK3, 122, 6)])
def test_monks_have_as_many_training_rows_as_in_the_literature(rule: Rule, n: int, flipped: int):
    """124, 169 and 122 different robots, and one in twenty of the third problem has the wrong class."""
    made = make(Recipe(rule))
    assert made.train.n_samples == n == len(np.unique(cells(made.train)))
    assert (made.train.y != make(Recipe(rule, noise=0.0)).train.y).sum() == flipped


@pytest.mark.parametrize("rule", [Rule.NOISY_XOR, Rule.MONK1, Rule.PARITY])
def test_a_table_is_the_same_on_other_screens(rule: Rule):
    """Reading the table as text gives the same classes and the same features in the same rows."""
    recipe = Recipe(rule, distractors=1)
    read, train = build_dataset(table_of(recipe), "class"), make(recipe).train
    assert read.frame().astype(str).equals(train.frame()[read.frame().columns].astype(str))
    assert read.classes[read.positive] == "yes"


@pytest.mark.parametrize(
    "wrong", [{"rows": 7}, {"rows": 10**6}, {"noise": 0.5}, {"noise": float("nan")}, {"distractors": -1}, {"seed": -1}]
)
def test_recipes_out_of_range_are_refused(wrong: dict):
    """The message says what must hold."""
    with pytest.raises(DataError, match="must be between"):
        Recipe(Rule.XOR, **wrong)
    with pytest.raises(DataError, match="number of bits"):
        Recipe(Rule.PARITY, size=9)


def test_training_and_test_rows_have_the_same_columns():
    """A model of the training rows predicts the test rows without converting them."""
    made: GeneratedTable = make(Recipe(Rule.CHECKERBOARD, distractors=2))
    assert made.train.schema == made.test.schema
