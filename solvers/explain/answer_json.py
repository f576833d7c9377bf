"""The written form of answers: JSON objects with their kind under 'answer', and sentences beside the figures."""

from collections.abc import Callable
from dataclasses import asdict, fields, replace
from typing import Any

from solvers.constraints import from_json as constraint_from_json
from solvers.diagram import Diagram, from_dict, to_dict
from solvers.explain.answers import (
    Answer,
    Calibration,
    Change,
    Conflict,
    Growth,
    GrowthPoint,
    Part,
    Point,
    Price,
    Prices,
    Repair,
    TradeOff,
    TreeMatch,
    Trial,
)
from solvers.explain.cores import Extent
from solvers.explain.relaxable import RelaxableConstraint
from solvers.solution import Status

_CONSTRAINT = "wish"
"""The key of a constraint in an answer; run folders and readers of `--json` know it by this older word."""


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """An answer as plain dicts, lists, texts and numbers; what is 'words' can be read, but says nothing new."""
    return {"answer": _NAMES[type(answer)], **_WRITERS[type(answer)](answer)}


def answer_from_json(data: dict[str, Any]) -> Answer:
    """The answer that `answer_to_json` wrote.

    Raises
    ------
    KeyError, TypeError, ValueError
        A part is missing or damaged.
    """
    return _READERS[data["answer"]](data)


def relaxable_to_json(relaxable: RelaxableConstraint | None) -> dict[str, Any] | None:
    """A constraint with its key, and the constraint itself in its own written form."""
    if relaxable is None:
        return None
    return {"key": relaxable.key, "words": relaxable.words, "constraint": relaxable.constraint.to_json()}


def relaxable_from_json(data: dict[str, Any] | None) -> RelaxableConstraint | None:
    """The constraint that `relaxable_to_json` wrote."""
    if data is None:
        return None
    return RelaxableConstraint(data["key"], constraint_from_json(data["constraint"]), data["words"])


def _write_conflict(answer: Conflict) -> dict[str, Any]:
    return {
        "status": answer.status.value,
        "words": answer.words(),
        "parts": [
            {
                _CONSTRAINT: relaxable_to_json(part.relaxable),
                "nearest": relaxable_to_json(part.nearest),
                "proved": part.proved,
            }
            for part in answer.parts
        ],
        "extent": None if answer.extent is None else answer.extent.value,
        "further": [[relaxable_to_json(relaxable) for relaxable in relaxables] for relaxables in answer.further],
        "repairs": [
            {
                "words": repair.words(),
                "changes": [
                    {_CONSTRAINT: relaxable_to_json(change.relaxable), "weaker": relaxable_to_json(change.weaker)}
                    for change in repair.changes
                ],
                "cost": repair.cost,
                "bound": repair.bound,
                "nearest": repair.nearest,
            }
            for repair in answer.repairs
        ],
        "notes": list(answer.notes),
        "complete": answer.complete,
        "seconds": answer.seconds,
    }


def _read_conflict(data: dict[str, Any]) -> Conflict:
    return Conflict(
        status=Status(data["status"]),
        parts=tuple(
            Part(relaxable_from_json(part[_CONSTRAINT]), relaxable_from_json(part["nearest"]), part["proved"])
            for part in data["parts"]
        ),
        extent=None if data["extent"] is None else Extent(data["extent"]),
        further=tuple(
            tuple(relaxable_from_json(relaxable) for relaxable in relaxables) for relaxables in data["further"]
        ),
        repairs=tuple(_read_repair(repair) for repair in data["repairs"]),
        notes=tuple(data["notes"]),
        complete=data["complete"],
        seconds=data["seconds"],
    )


def _read_repair(data: dict[str, Any]) -> Repair:
    changes = (
        Change(relaxable_from_json(told[_CONSTRAINT]), relaxable_from_json(told["weaker"])) for told in data["changes"]
    )
    return Repair(tuple(changes), data["cost"], data["bound"], data["nearest"])


_PRICE = ("cost", "bound", "saved_least", "saved_most", "binds")


def _write_prices(answer: Prices) -> dict[str, Any]:
    return {
        "prices": [
            {_CONSTRAINT: relaxable_to_json(price.relaxable), **{name: getattr(price, name) for name in _PRICE}}
            for price in answer.prices
        ],
        "cost": answer.cost,
        "bound": answer.bound,
        "complete": answer.complete,
        "seconds": answer.seconds,
    }


def _read_prices(data: dict[str, Any]) -> Prices:
    prices = (
        Price(relaxable_from_json(told[_CONSTRAINT]), *(told[name] for name in _PRICE)) for told in data["prices"]
    )
    return Prices(tuple(prices), data["cost"], data["bound"], data["complete"], data["seconds"])


_POINT = ("limit", "words", "cost", "bound")
_CURVE = ("label", "asked", "impossible", "complete", "finished", "seconds")


def _write_trade_off(answer: TradeOff) -> dict[str, Any]:
    return {
        _CONSTRAINT: relaxable_to_json(answer.relaxable),
        "points": [{name: getattr(point, name) for name in _POINT} for point in answer.points],
        "notes": list(answer.notes),
        **{name: getattr(answer, name) for name in _CURVE},
    }


def _read_trade_off(data: dict[str, Any]) -> TradeOff:
    return TradeOff(
        relaxable=relaxable_from_json(data[_CONSTRAINT]),
        points=tuple(Point(*(told[name] for name in _POINT)) for told in data["points"]),
        notes=tuple(data["notes"]),
        **{name: data[name] for name in _CURVE},
    )


_MATCH = ("target", "cost", "leaves", "proved", "finished", "seconds")
_GROWTH_POINT = ("share", "rows", "cost", "bound")


def _write_diagram(diagram: Diagram | None) -> dict[str, Any] | None:
    return None if diagram is None else to_dict(diagram)


def _read_diagram(data: dict[str, Any] | None) -> Diagram | None:
    return None if data is None else from_dict(data)


def _write_match(answer: TreeMatch) -> dict[str, Any]:
    return {"diagram": _write_diagram(answer.diagram), **{name: getattr(answer, name) for name in _MATCH}}


def _read_match(data: dict[str, Any]) -> TreeMatch:
    return TreeMatch(diagram=_read_diagram(data["diagram"]), **{name: data[name] for name in _MATCH})


def _write_growth(answer: Growth) -> dict[str, Any]:
    return {
        "shares": list(answer.shares),
        "points": [
            {"diagram": to_dict(point.diagram), **{name: getattr(point, name) for name in _GROWTH_POINT}}
            for point in answer.points
        ],
        "finished": answer.finished,
        "seconds": answer.seconds,
    }


def _read_growth(data: dict[str, Any]) -> Growth:
    points = (
        GrowthPoint(diagram=from_dict(told["diagram"]), **{name: told[name] for name in _GROWTH_POINT})
        for told in data["points"]
    )
    return Growth(tuple(data["shares"]), tuple(points), data["finished"], data["seconds"])


def _write_calibration(answer: Calibration) -> dict[str, Any]:
    best = answer.best
    return {
        "trials": [asdict(trial) | {"accuracy": trial.accuracy} for trial in answer.trials],
        "best": None if best is None else {"widths": list(best.widths), "alpha": best.alpha},
        **{name: getattr(answer, name) for name in _CALIBRATION},
    }


def _read_calibration(data: dict[str, Any]) -> Calibration:
    trials = (Trial(**{name: told[name] for name in _TRIAL}) for told in data["trials"])
    trials = tuple(replace(trial, widths=tuple(trial.widths)) for trial in trials)
    return Calibration(trials, **{name: data[name] for name in _CALIBRATION})


_TRIAL = tuple(field.name for field in fields(Trial))
_CALIBRATION = ("repeats", "finished", "seconds")

_NAMES: dict[type, str] = {
    Conflict: "conflict",
    Prices: "prices",
    TradeOff: "trade-off",
    TreeMatch: "tree-match",
    Growth: "growth",
    Calibration: "calibration",
}
_WRITERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    Conflict: _write_conflict,
    Prices: _write_prices,
    TradeOff: _write_trade_off,
    TreeMatch: _write_match,
    Growth: _write_growth,
    Calibration: _write_calibration,
}
_READERS: dict[str, Callable[[dict[str, Any]], Answer]] = {
    "conflict": _read_conflict,
    "prices": _read_prices,
    "trade-off": _read_trade_off,
    "tree-match": _read_match,
    "growth": _read_growth,
    "calibration": _read_calibration,
}
