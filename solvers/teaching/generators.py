"""Tables for the classroom, made from a rule and a seed.

made = make(Recipe(Rule.NOISY_XOR, rows=100, noise=0.1, distractors=2, seed=3))
made.train, made.test    # two Datasets over the same columns

The training rows may be noisy; the test rows are new ones and always follow the rule, so an error of 0% on them means
that the rule was found. Only overlapping clouds have no such rule.

Monk's problems are those of Thrun et al. (1991), 'The MONK's Problems': 432 robots, of which 124, 169 and 122 are drawn
for training, the third with one class in twenty flipped; the test rows are all 432. The samples of the literature are
other draws from the same robots.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from ..problem import Column, Dataset, Kind, MissingPolicy, Schema, Table, table_of_frame
from ..problem.schema import fitted
from .recipes import MIRRORS, Recipe, Rule

TEST_ROWS = 1000

DECIMALS = 3
"""The number of digits of measurements: enough to distinguish points, few enough to read in a split."""

CLASSES = ("no", "yes")

ROBOT: dict[str, tuple[str, ...]] = {
    "head_shape": ("round", "square", "octagon"),
    "body_shape": ("round", "square", "octagon"),
    "is_smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket_color": ("red", "yellow", "green", "blue"),
    "has_tie": ("yes", "no"),
}
"""The attributes of a robot, each with its first value first."""

BITS = tuple("abcdefghij")


class GeneratedTable(NamedTuple):
    """A classroom table: training rows, and new rows with the same columns."""

    train: Dataset
    test: Dataset


class _Rows(NamedTuple):
    """Rows before noise and distractors: columns, values float64 (n, k), and whether the class is yes, bool (n,)."""

    columns: tuple[Column, ...]
    X: np.ndarray
    yes: np.ndarray


_Truth = Callable[[np.ndarray], np.ndarray]
"""Values float64 (n, k) -> whether the class is yes, bool (n,)."""

_Maker = Callable[[int, int, np.random.Generator], tuple[_Rows, _Rows]]
"""(training rows, size of the rule) -> the training rows and the new ones."""


@lru_cache(maxsize=64)
def make(recipe: Recipe) -> GeneratedTable:
    """The table of a recipe."""
    random = np.random.default_rng([recipe.seed, list(Rule).index(recipe.rule)])
    assert recipe.rows is not None and recipe.noise is not None, "a recipe fills them in"
    train, test = _MAKERS[recipe.rule](recipe.rows, recipe.size or 0, random)
    flipped = np.zeros(len(train.yes), bool)
    flipped[random.permutation(len(train.yes))[: round(recipe.noise * len(train.yes))]] = True
    # distractors are drawn after the noise, so that their number changes nothing else
    train, test = (_with_distractors(rows, recipe.distractors, random) for rows in (train, test))
    schema = fitted(Schema(train.columns, MissingPolicy.INFORMATION), train.X)
    title = recipe.traits.title
    return GeneratedTable(
        _dataset(title, schema, train.X, train.yes ^ flipped),
        _dataset(f"{title} (new rows)", schema, test.X, test.yes),
    )


def table_of(recipe: Recipe) -> Table:
    """The training rows as a table of texts, for the other screens of the program."""
    train = make(recipe).train
    return table_of_frame(train.frame(), train.name)


def _dataset(name: str, schema: Schema, X: np.ndarray, yes: np.ndarray) -> Dataset:
    return Dataset(name, schema, X, yes.astype(np.int32), CLASSES, "class", positive=1)


def _with_distractors(rows: _Rows, n: int, random: np.random.Generator) -> _Rows:
    """Add distractors: measurements if the table has measurements, bits if not."""
    numeric = rows.columns[0].kind is Kind.NUMERIC
    columns, values = list(rows.columns), [rows.X]
    for i in range(n):
        columns.append(_measurement(f"z{i + 1}") if numeric else _bit(f"z{i + 1}"))
        drawn = random.random(len(rows.X)).round(DECIMALS) if numeric else random.integers(0, 2, len(rows.X))
        values.append(drawn[:, None].astype(np.float64))
    return _Rows(tuple(columns), np.hstack(values), rows.yes)


def _measurement(name: str) -> Column:
    return Column(name, Kind.NUMERIC)


def _bit(name: str) -> Column:
    return Column(name, Kind.BINARY, ("0", "1"))


_PLANE = (_measurement("x"), _measurement("y"))


def _upper_differs(points: np.ndarray) -> np.ndarray:
    differs: np.ndarray = (points[:, 0] > 0.5) != (points[:, 1] > 0.5)
    return differs


def _constrain(columns: tuple[Column, ...], X: np.ndarray, new: np.ndarray, rule: _Truth) -> tuple[_Rows, _Rows]:
    return _Rows(columns, X, rule(X)), _Rows(columns, new, rule(new))


def _xor(n: int, size: int, random: np.random.Generator) -> tuple[_Rows, _Rows]:
    """Points of one quarter and their images in the others: both classes are equally frequent below a threshold."""
    quarter = random.integers(0, 10**DECIMALS // 2, (max(2, n // MIRRORS), 2)) / 10**DECIMALS
    images = [np.abs(np.array(corner) - quarter) for corner in product((0.0, 1.0), repeat=2)]
    points = np.vstack(images).round(DECIMALS)
    new = random.random((TEST_ROWS, 2)).round(DECIMALS)
    return _constrain(_PLANE, points, new, _upper_differs)


def _anywhere(n: int, rule: _Truth, random: np.random.Generator) -> tuple[_Rows, _Rows]:
    train, new = (random.random((n_points, 2)).round(DECIMALS) for n_points in (n, TEST_ROWS))
    return _constrain(_PLANE, train, new, rule)


def _noisy_xor(n: int, size: int, random: np.random.Generator) -> tuple[_Rows, _Rows]:
    return _anywhere(n, _upper_differs, random)


def _checkerboard(n: int, size: int, random: np.random.Generator) -> tuple[_Rows, _Rows]:
    return _anywhere(n, lambda points: (points * size).astype(int).clip(0, size - 1).sum(1) % 2 == 0, random)


def _blobs(n: int, size: int, random: np.random.Generator) -> tuple[_Rows, _Rows]:
    def draw(n: int) -> _Rows:
        yes = np.arange(n) % 2 == 0
        centre = np.where(yes[:, None], (0.62, 0.62), (0.38, 0.38))
        return _Rows(_PLANE, (centre + 0.16 * random.standard_normal((n, 2))).round(DECIMALS), yes)

    return draw(n), draw(TEST_ROWS)


def _parity(n: int, size: int, random: np.random.Generator) -> tuple[_Rows, _Rows]:
    """Each combination of bits equally often, if the number of rows allows; the test rows have each once."""
    columns = tuple(_bit(name) for name in BITS[:size])
    every = np.array(list(product((0.0, 1.0), repeat=size)))
    rounds = [random.permutation(len(every)) for _ in range(-(-n // len(every)))]
    return _constrain(columns, every[np.concatenate(rounds)[:n]], every, lambda bits: bits.sum(1) % 2 == 1)


def _monks(rule: Callable[[tuple[str, ...]], bool]) -> _Maker:
    def draw(n: int, size: int, random: np.random.Generator) -> tuple[_Rows, _Rows]:
        columns = tuple(
            Column(name, Kind.BINARY if len(levels) == 2 else Kind.CATEGORICAL, levels)
            for name, levels in ROBOT.items()
        )
        robots = list(product(*ROBOT.values()))
        codes = np.array(
            [[levels.index(v) for v, levels in zip(robot, ROBOT.values(), strict=True)] for robot in robots], float
        )
        yes = np.array([rule(robot) for robot in robots])
        taken = np.sort(random.permutation(len(robots))[:n])
        return _Rows(columns, codes[taken], yes[taken]), _Rows(columns, codes, yes)

    return draw


def is_monk1(robot: tuple[str, ...]) -> bool:
    """Head and body have the same shape, or the jacket is red."""
    return robot[0] == robot[1] or robot[4] == "red"


def is_monk2(robot: tuple[str, ...]) -> bool:
    """Exactly two attributes have their first value."""
    return sum(value == levels[0] for value, levels in zip(robot, ROBOT.values(), strict=True)) == 2


def is_monk3(robot: tuple[str, ...]) -> bool:
    """A green jacket and a sword, or a jacket that is not blue and a body that is not an octagon."""
    return (robot[4] == "green" and robot[3] == "sword") or (robot[4] != "blue" and robot[1] != "octagon")


_MAKERS: dict[Rule, _Maker] = {
    Rule.XOR: _xor,
    Rule.NOISY_XOR: _noisy_xor,
    Rule.PARITY: _parity,
    Rule.CHECKERBOARD: _checkerboard,
    Rule.BLOBS: _blobs,
    Rule.MONK1: _monks(is_monk1),
    Rule.MONK2: _monks(is_monk2),
    Rule.MONK3: _monks(is_monk3),
}
