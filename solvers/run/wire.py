"""The one written form of problems, limits, solutions and events: JSON with a version, and npz for the numbers.

Everything that passes between the dashboard and a worker, or rests in a run's folder, goes through here. Arrays are
written without pickle; what cannot be read back exactly is refused with a `RunError` that says what to do.
"""

import io
import json
import math
import zipfile
import zlib
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from tokenize import TokenError
from typing import Any, NamedTuple

import msgspec
import numpy as np

from solvers.constraints import Constraint
from solvers.constraints import from_json as constraint_from_json
from solvers.diagram import Diagram, from_dict, to_dict
from solvers.errors import EspalierError, RunError
from solvers.problem import Column, Dataset, Group, Kind, Limits, MissingPolicy, Objective, Problem, Schema, Shape
from solvers.problem.json_text import read_json
from solvers.problem.problem import SHAPE_KEYS
from solvers.run.answers import answer_from_json, answer_to_json
from solvers.run.json_types import fitting
from solvers.solution import (
    Answered,
    Bound,
    Cancelled,
    Details,
    EndReason,
    Event,
    Failed,
    Finished,
    Incumbent,
    Log,
    Progress,
    Scope,
    Solution,
    Started,
    Status,
    TracePoint,
)

_DAMAGE = (
    *(AttributeError, KeyError, TypeError, ValueError, OverflowError, IndexError, NotImplementedError),
    *(OSError, EOFError, MemoryError, SyntaxError, RecursionError, TokenError),
    *(zipfile.BadZipFile, zlib.error, EspalierError),
)
"""What is raised where a file was damaged or changed."""

_EVENTS: dict[str, type] = {
    kind.__name__.lower(): kind
    for kind in (Started, Progress, Incumbent, Bound, Log, Answered, Finished, Failed, Cancelled)
}


class _TableHeader(NamedTuple):
    """What is written of the table of a problem besides the numbers."""

    name: str
    missing: str
    columns: list[Any]
    classes: tuple[str, ...]
    outcome: str
    positive: int | None
    groups: list[Any]


def dumps(value: Any) -> str:
    """JSON on one line; numpy scalars become numbers, numbers that are not finite become null."""
    return json.dumps(_plain(value), allow_nan=False, separators=(",", ":"))


def loads(text: str | bytes, what: str) -> dict[str, Any]:
    """The JSON object in a text; `what` names the text in the error.

    Raises
    ------
    RunError
        The text is no JSON object.
    """
    try:
        value = read_json(text)
    except ValueError as error:
        raise RunError(f"{what} is damaged and cannot be read ({_where(error)}). Solve the problem again.") from None
    if not isinstance(value, dict):
        raise RunError(f"{what} is damaged: it must hold one JSON object. Solve the problem again.")
    return value


def problem_to_json(problem: Problem) -> dict[str, Any]:
    """Everything of a problem but its numbers, which `arrays_to_bytes` writes.

    Raises
    ------
    RunError
        Something among the constraints is none of a known kind.
    """
    for constraint in problem.constraints:
        if not isinstance(constraint, Constraint):
            raise RunError(f"{constraint!r} is no constraint of a known kind and cannot be written. Remove it.")
    dataset = problem.dataset
    return {
        "id": problem.id,
        "shape": problem.shape.to_json(),
        "objective": asdict(problem.objective),
        "constraints": [constraint.to_json() for constraint in problem.constraints],
        "dataset": {
            "name": dataset.name,
            "missing": dataset.schema.missing,
            "columns": [asdict(column) for column in dataset.schema.columns],
            "classes": dataset.classes,
            "outcome": dataset.outcome,
            "positive": dataset.positive,
            "groups": [{"name": group.name, "levels": group.levels} for group in dataset.groups],
        },
    }


def arrays_to_bytes(dataset: Dataset) -> bytes:
    """The numbers of a dataset as an npz archive."""
    arrays: dict[str, Any] = {"X": dataset.X, "y": dataset.y, "rows": dataset.rows}
    if dataset.weight is not None:
        arrays["weight"] = dataset.weight
    for i, group in enumerate(dataset.groups):
        arrays[f"group{i}"] = group.codes
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def problem_from_json(data: dict[str, Any], arrays: bytes, what: str = "The problem") -> Problem:
    """Read a problem back; its id must come out as it was written.

    Raises
    ------
    RunError
        A part is missing or damaged, or description and numbers do not belong together.
    """
    try:
        header = fitting(_TableHeader, data["dataset"])
        numbers = _numbers(arrays)
        dataset = Dataset(
            name=header["name"],
            schema=Schema(tuple(_column(c) for c in header["columns"]), MissingPolicy(header["missing"])),
            X=numbers["X"],
            y=numbers["y"],
            classes=tuple(header["classes"]),
            outcome=header["outcome"],
            positive=header["positive"],
            weight=numbers.get("weight"),
            groups=tuple(
                Group(str(group["name"]), tuple(map(str, group["levels"])), numbers[f"group{i}"])
                for i, group in enumerate(header["groups"])
            ),
            rows=numbers["rows"],
        )
        _check_levels(dataset)
        constraints = tuple(constraint_from_json(item) for item in data["constraints"])
        shape, objective = (
            Shape(**fitting(Shape, _shape_fields(data["shape"]))),
            Objective(**fitting(Objective, data["objective"])),
        )
        problem = Problem(dataset, shape, objective, constraints)
    except _DAMAGE as error:
        raise RunError(f"{what} is damaged and cannot be read ({_where(error)}). Load the data again.") from None
    if problem.id != data.get("id"):
        raise RunError(f"{what} is damaged: its description and its numbers do not match. Load the data again.")
    return problem


def _shape_fields(data: dict[str, Any]) -> dict[str, Any]:
    """What was written of a shape, by the names of its fields."""
    names = {key: name for name, key in SHAPE_KEYS.items()}
    return {names.get(key, key): value for key, value in data.items()}


def _numbers(arrays: bytes) -> dict[str, np.ndarray]:
    """The arrays of an npz archive that `arrays_to_bytes` wrote: not packed, no objects, as long as their heads say."""
    with zipfile.ZipFile(io.BytesIO(arrays)) as archive:
        if sum(part.file_size for part in archive.infolist()) > len(arrays):
            raise ValueError("its numbers are packed")
    with np.load(io.BytesIO(arrays), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _column(data: dict[str, Any]) -> Column:
    return Column(**{**fitting(Column, data), "kind": Kind(data["kind"]), "levels": tuple(data["levels"])})


def _check_levels(dataset: Dataset) -> None:
    """Refuse numbers of levels and groups that there are not; compiled loops take them as they are."""
    coded = [(column.name, column.levels, dataset.X[:, j]) for j, column in enumerate(dataset.schema.columns)]
    coded += [(group.name, group.levels, np.where(group.codes == -1, np.nan, group.codes)) for group in dataset.groups]
    for name, levels, codes in coded:
        known = codes[~np.isnan(codes)]
        if levels and not np.isin(known, np.arange(len(levels))).all():
            raise ValueError(f"the column '{name}' has a level that there is not")


def limits_from_json(data: dict[str, Any]) -> Limits:
    """Read limits back from their `asdict`."""
    return Limits(**fitting(Limits, data))


def solution_to_json(solution: Solution) -> dict[str, Any]:
    """A solution with its diagram and trace."""
    data = {f.name: getattr(solution, f.name) for f in fields(solution)}
    data["diagram"] = None if solution.diagram is None else to_dict(solution.diagram)
    data["trace"] = [[point.elapsed, point.cost, point.bound] for point in solution.trace]
    data["details"] = msgspec.to_builtins(solution.details)
    return data


def solution_from_json(data: dict[str, Any], what: str = "The solution") -> Solution:
    """Read a solution back.

    Raises
    ------
    RunError
        A part is missing or damaged.
    """
    try:
        parts = {
            **data,
            "status": Status(data["status"]),
            "diagram": None if data["diagram"] is None else from_dict(data["diagram"]),
            "trace": tuple(TracePoint(*point) for point in data["trace"]),
            "scope": None if data["scope"] is None else Scope(data["scope"]),
            "ended": None if data["ended"] is None else EndReason(data["ended"]),
            "details": msgspec.convert(data["details"], Details),
        }
        for point in parts["trace"]:
            fitting(TracePoint, asdict(point))
        return Solution(**fitting(Solution, parts))
    except _DAMAGE as error:
        raise RunError(f"{what} is damaged and cannot be read ({_where(error)}). Solve the problem again.") from None


def event_to_json(event: Event) -> dict[str, Any]:
    """An event with its kind under 'event'."""
    data: dict[str, Any] = {"event": type(event).__name__.lower()}
    for f in fields(event):
        value = getattr(event, f.name)
        if isinstance(value, Diagram):
            value = to_dict(value)
        elif isinstance(value, Solution):
            value = solution_to_json(value)
        elif isinstance(event, Answered) and f.name == "answer":
            value = answer_to_json(value)
        data[f.name] = value
    return data


def event_from_json(data: dict[str, Any], what: str = "An event of the run") -> Event:
    """Read an event back.

    Raises
    ------
    RunError
        The kind is unknown or a part is damaged.
    """
    parts = dict(data)
    try:
        kind = _EVENTS[parts.pop("event")]
        if kind is Incumbent:
            parts["diagram"] = from_dict(parts["diagram"])
        if kind is Answered:
            parts["answer"] = answer_from_json(parts["answer"])
        for name in ("solution", "best"):
            if parts.get(name) is not None:
                parts[name] = solution_from_json(parts[name])
        event: Event = kind(**fitting(kind, parts))
        return event
    except _DAMAGE as error:
        raise RunError(f"{what} is damaged and cannot be read ({_where(error)}). Solve the problem again.") from None


def _where(error: Exception) -> str:
    """What went wrong, in a few words, for a message."""
    text = str(error).strip().splitlines()
    return text[0].rstrip(".")[:200] if text else type(error).__name__


def _plain(value: Any) -> Any:
    """The value in the types that JSON knows."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    return str(value)
