"""Dataclasses made again from what JSON kept of them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import NamedTuple

import pytest

from solvers.run.json_types import declared, made


class Place(NamedTuple):
    """A named tuple, which JSON writes as a list."""

    name: str
    at: tuple[int, int]


@dataclass(frozen=True)
class Part:
    """A dataclass within another one."""

    shares: tuple[tuple[float, ...], ...]
    place: Place


@dataclass(frozen=True)
class Whole:
    """What is written and read."""

    parts: tuple[Part, ...]
    numbers: tuple[int | None, ...]
    pairs: tuple[tuple[str, int], ...] = ()
    note: str | None = None


WHOLE = Whole((Part(((0.5, 0.5), ()), Place("a", (1, 2))),), (1, None), (("x", 1),))


def test_what_json_kept_is_made_again() -> None:
    """Tuples, named tuples and dataclasses come back at every depth, and None stays where it may be."""
    again = made(Whole, json.loads(json.dumps(asdict(WHOLE))))
    assert again == WHOLE
    assert isinstance(again.parts[0].place, Place) and isinstance(again.numbers, tuple)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"numbers": None}, TypeError),
        ({"parts": [{"shares": []}]}, KeyError),
        ({"parts": [{"shares": [1], "place": ["a", [1, 2]]}]}, TypeError),
        ({"parts": [{"shares": [], "place": ["a"]}]}, ValueError),
        ({"pairs": [["x"]]}, ValueError),
    ],
)
def test_what_does_not_fit_is_refused(change: dict, error: type[Exception]) -> None:
    """A part that no tuple or dataclass can be made of, or that is missing within one, is no part."""
    told = json.loads(json.dumps(asdict(WHOLE))) | change
    with pytest.raises(error):
        made(Whole, told)


def test_what_is_not_told_is_left_to_the_class() -> None:
    """Of values alone the missing ones are not asked for, and unknown ones are left for the class to refuse."""
    assert declared(Whole, {"numbers": [1], "other": [2]}) == {"numbers": (1,), "other": [2]}
    with pytest.raises(KeyError):
        made(Whole, {"parts": [], "numbers": []})
