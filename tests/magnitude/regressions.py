"""Problems that once ended in a crash, an exception or a false claim, by the name of the fault."""

from __future__ import annotations

from dataclasses import replace

from solvers.constraints import (
    EqualisedOddsRatio,
    EqualOpportunity,
    MaxExpectedCost,
    MinSamplesLeaf,
    PredictiveEquality,
)
from solvers.problem import Dataset, Kind, Objective, Problem, Shape
from tests.strategies import make_dataset


def steep(first: str, second: str, y: str, weight: str) -> Problem:
    """A tree of depth 4 for rows of hexadecimal digits that weigh 100, 1 or a millionth (h, o, t)."""
    columns = {name: (Kind.NUMERIC, [int(cell, 16) for cell in cells]) for name, cells in (("a", first), ("b", second))}
    heavy = {"h": 100.0, "o": 1.0, "t": 1e-6}
    table = make_dataset(columns, list(map(int, y)), weight=[heavy[letter] for letter in weight])
    return Problem(table, Shape(max_depth=4))


def _constrain(table: Dataset, depth: int, *constraints: object, **more: object) -> Problem:
    """A tree under constraints; the first class is the positive one."""
    return Problem(replace(table, positive=0), Shape(max_depth=depth), constraints=constraints, **more)


_LARGE = make_dataset(
    {"a": (Kind.NUMERIC, [1, 0, 3, 3, 0, 2, 1, 3]), "b": (Kind.NUMERIC, [0, 1, 1, 0, 1, 0, 0, float("nan")])},
    [0, 1, 0, 0, 1, 1, 0, 0],
    weight=[26329.9, 290558.9, 196104.8, 134032.6, 195873.4, 63132.5, 6674.0, 87293.9],
)
_EVEN = make_dataset(
    {"a": (Kind.CATEGORICAL, [1, 2, 2, 1, 1, 0, 2, 2, 0])},
    [0, 0, 0, 1, 1, 0, 0, 0, 0],
    weight=[108888.8, 108888.8, 108890.1, 108888.7, 108888.7, 108888.7, 108888.7, 108888.7, 108888.8],
)
_STEEPER = make_dataset(
    {"a": (Kind.NUMERIC, [0, 3, 3, 2, 3, 1])},
    [1, 0, 2, 2, 2, 0],
    weight=[18717.9, 413.18, 0.96, 786256.58, 0.48, 194610.89],
)
_TESTED = make_dataset(
    {
        "a": (Kind.BINARY, [1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0]),
        "b": (Kind.BINARY, [0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1]),
        "c": (Kind.BINARY, [0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0]),
    },
    [1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1],
    weight=[
        *(11.999998, 3.999999, 3.999999, 3.999999, 4.000016, 11.999998),
        *(7.999999, 11.999998, 7.999999, 7.999999, 11.999998, 11.999998),
    ],
)

REGRESSIONS: dict[str, tuple[str, Problem]] = {
    "a segmentation fault or a false claim if the cost times the splits exceeds 32 bits": (
        "contree",
        steep(
            "410302033310402140012152545213",
            "243001012420313340002330203341",
            "212111012202210120002102101010",
            "ttohhhoohtoottttththhththhhooo",
        ),
    ),
    "a false claim of the fewest splits if the cost times the splits exceeds 32 bits": (
        "contree",
        steep(
            "140123144442520223340221503211",
            "341200221033201012411023303420",
            "111001111111011101101110000011",
            "otthtohhhoototooothtoohthoooth",
        ),
    ),
    "an empty result of a linear program that was not checked": (
        "contree",
        _constrain(_LARGE, 2, MinSamplesLeaf(2), EqualisedOddsRatio("a", 0.293312, "class 1")),
    ),
    "a multiplier that was not an integer": (
        "cptree",
        _constrain(_EVEN, 2, PredictiveEquality("a", 0.2, "class 1"), objective=Objective(split_penalty=20000.0)),
    ),
    "a CP-SAT model with numbers that were too large": (
        "cptree",
        _constrain(_STEEPER, 1, EqualOpportunity("a", 0.1, "class 0"), objective=Objective(split_penalty=0.01)),
    ),
    "a proved optimum of 44.000009 instead of 39.999993": (
        "cptree",
        _constrain(_TESTED, 3, MaxExpectedCost({"a": 10.0, "b": 6.0, "c": 4.2}, 9.0)),
    ),
}
