"""Values written as JSON and restored."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from importlib import import_module
from typing import NamedTuple, get_type_hints

import msgspec
import pytest
from msgspec.structs import fields

from solvers.diagram import Diagram
from solvers.explain import Explanation, Task, TaskRecord
from solvers.problem import ShapeKind
from solvers.run import records
from solvers.run.records import from_plain, to_plain
from solvers.solution import AnswerRecord
from tests.run.fakes import leaf
from tests.run.problems import plain


class Place(NamedTuple):
    """A named tuple, which JSON writes as a list."""

    name: str
    at: tuple[int, int]
    model: Diagram | None


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A struct within another one."""

    shares: tuple[tuple[float, ...], ...]
    place: Place


class Whole(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The value that is written and read."""

    parts: tuple[Part, ...]
    numbers: tuple[int | None, ...]
    pairs: tuple[tuple[str, int], ...] = ()
    note: str | None = None
    kind: ShapeKind = ShapeKind.TREE
    at: datetime | None = None


WHOLE = Whole(
    (Part(((0.5, 0.5), ()), Place("a", (1, 2), leaf(plain(), 0))), Part((), Place("b", (0, 0), None))),
    (1, None),
    (("x", 1),),
    kind=ShapeKind.BDD,
    at=datetime(2026, 1, 2, 3, 4, 5, 6, UTC),
)


def test_values_survive_a_round_trip_through_json() -> None:
    """Tuples, named tuples, structs, enums and times are restored at every depth, and None is kept if allowed."""
    written = json.loads(json.dumps(to_plain(WHOLE)))
    again = from_plain(Whole, written)
    assert again == WHOLE and json.loads(json.dumps(to_plain(again))) == written
    assert isinstance(again.parts[0].place, Place) and isinstance(again.numbers, tuple)
    assert list(written) == [field.name for field in fields(Whole)]


@pytest.mark.parametrize(
    "change",
    [
        {"numbers": None},
        {"numbers": [True]},
        {"numbers": [1.5]},
        {"parts": [{"shares": []}]},
        {"parts": [{"shares": [1], "place": ["a", [1, 2], None]}]},
        {"parts": [{"shares": [], "place": ["a"]}]},
        {"parts": [{"shares": [], "place": ["a", [1, 2], {"nodes": []}]}]},
        {"parts": [{"shares": [], "place": ["a", [1, 2], None], "more": 1}]},
        {"parts": 3},
        {"pairs": [["x"]]},
        {"kind": "bush"},
        {"at": "yesterday"},
        {"more": 1},
    ],
)
def test_values_of_other_types_are_refused(change: dict) -> None:
    """A part of another type, unknown, or missing is refused."""
    with pytest.raises((TypeError, ValueError)):
        from_plain(Whole, to_plain(WHOLE) | change)
    with pytest.raises((TypeError, ValueError)):
        from_plain(Whole, {"parts": []})


def test_every_task_and_answer_is_known() -> None:
    """A kind that is not in the table could be written, but not read."""
    for name, module in records._MODULES.items():
        kind = getattr(import_module(f"solvers.{module}"), name)
        assert issubclass(kind, TaskRecord | AnswerRecord) and kind.__struct_config__.tag == name
        if issubclass(kind, TaskRecord):
            asked = kind.explain if issubclass(kind, Explanation) else kind.answer
            assert get_type_hints(asked)["return"].__name__ in records._MODULES
    kinds = {one.__name__ for base in (TaskRecord, AnswerRecord) for one in base.__subclasses__()}
    assert kinds == set(records._MODULES)
    with pytest.raises(KeyError):
        from_plain(Task, {"task": "os.system"})
