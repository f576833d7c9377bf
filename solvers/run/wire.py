"""The single serialised form of problems, solutions and events: JSON with a version, and npz for the numbers.

Everything that passes between the dashboard and a worker, or is stored in a run's folder, uses this module. Arrays are
written without pickle; data that cannot be restored exactly are refused with a `RunError` that says what to do.
"""

import io
import json
import math
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from tokenize import TokenError
from typing import Any

import msgspec
import numpy as np

from ..constraints import Constraint
from ..errors import EspalierError, RunError
from ..problem import Dataset, Objective, Problem, Shape
from ..problem.json_text import read_json
from ..solution import Event, Solution
from .records import from_plain, to_plain

_DAMAGE = (
    *(AttributeError, KeyError, TypeError, ValueError, OverflowError, IndexError, NotImplementedError),
    *(OSError, EOFError, MemoryError, SyntaxError, RecursionError, TokenError),
    *(zipfile.BadZipFile, zlib.error, EspalierError),
)
"""Exceptions raised by a file that was damaged or changed."""

VERSION = 2
"""The version of all documents in the folders of runs and sweeps. A document of another version is refused."""


class _ProblemRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A problem with its id; its arrays are stored separately."""

    id: str
    dataset: Dataset
    shape: Shape
    objective: Objective
    constraints: tuple[Constraint, ...]


@contextmanager
def refuse_damaged(what: str, remedy: str = "Solve the problem again.") -> Iterator[None]:
    """Convert exceptions from a damaged document to a `RunError` that names it (`what`) and says what to do."""
    try:
        yield
    except _DAMAGE as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        where = lines[0].rstrip(".")[:200]
        raise RunError(f"{what} is damaged and cannot be read ({where}). {remedy}") from None


def dumps(value: Any) -> str:
    """A record or plain value as JSON on one line; non-finite numbers become null."""
    plain = to_plain(value)
    try:
        return json.dumps(plain, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(_finite(plain), allow_nan=False, separators=(",", ":"))


def _finite(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {key: _finite(part) for key, part in plain.items()}
    if isinstance(plain, list | tuple):
        return list(map(_finite, plain))
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def loads(text: str | bytes) -> dict[str, Any]:
    """The JSON object in a text, all numbers finite; `ValueError` if it is not a JSON object."""
    value = read_json(text)
    if not isinstance(value, dict):
        raise ValueError("it must hold one JSON object")
    return value


def add_version(data: Any) -> dict[str, Any]:
    """A record or an object as a document, with its version."""
    return {"version": VERSION, **to_plain(data)}


def document(text: str | bytes, what: str, remedy: str = "Solve the problem again.") -> dict[str, Any]:
    """A document that `add_version` made, without its version; `what` names it in a message.

    Raises `RunError` if it is damaged or has another version.
    """
    with refuse_damaged(what, remedy):
        data = loads(text)
    version = data.pop("version", None)
    if type(version) is not int or version != VERSION:
        raise RunError(
            f"{what} has version {version}, but this program reads version {VERSION}. "
            f"Open it with the program that wrote it. {remedy}"
        )
    return data


def problem_to_json(problem: Problem) -> dict[str, Any]:
    """A problem without its numbers, which `arrays_to_bytes` writes.

    Raises `RunError` if a constraint is not of a known kind.
    """
    for constraint in problem.constraints:
        if not isinstance(constraint, Constraint):
            raise RunError(
                f"{constraint!r} is not a known kind of constraint and cannot be written. Remove this constraint."
            )
    record = _ProblemRecord(problem.id, problem.dataset, problem.shape, problem.objective, problem.constraints)
    description: dict[str, Any] = to_plain(record, {})
    return description


def arrays_to_bytes(dataset: Dataset) -> bytes:
    """The numbers of a dataset as an npz archive."""
    arrays: dict[str, Any] = {}
    to_plain(dataset, arrays)
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def problem_from_json(data: dict[str, Any], arrays: bytes, what: str = "The problem") -> Problem:
    """Read a problem; its id must match the one that was written.

    Raises `RunError` if an item is missing or damaged, or description and numbers do not match.
    """
    with refuse_damaged(what, "Load the data again."):
        record = from_plain(_ProblemRecord, data, _numbers(arrays))
        problem = Problem(record.dataset, record.shape, record.objective, record.constraints)
        _check_levels(problem.dataset)
    if problem.id != record.id:
        raise RunError(f"{what} is damaged: its description and its numbers do not match. Load the data again.")
    return problem


def _numbers(arrays: bytes) -> dict[str, np.ndarray]:
    """The arrays of an npz archive from `arrays_to_bytes`: uncompressed, no objects, sizes as in their headers."""
    with zipfile.ZipFile(io.BytesIO(arrays)) as archive:
        if sum(part.file_size for part in archive.infolist()) > len(arrays):
            raise ValueError("its numbers are packed")
    with np.load(io.BytesIO(arrays), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _check_levels(dataset: Dataset) -> None:
    """Refuse indices of levels and groups that do not exist, since compiled loops do not check them."""
    coded = [(column.name, column.levels, dataset.X[:, j]) for j, column in enumerate(dataset.schema.columns)]
    parts = (*dataset.groups, *filter(None, dataset.division.parts.values()))
    coded += [(group.name, group.levels, np.where(group.codes == -1, np.nan, group.codes)) for group in parts]
    for name, levels, codes in coded:
        known = codes[~np.isnan(codes)]
        if levels and not np.isin(known, np.arange(len(levels))).all():
            raise ValueError(f"the column '{name}' has a level that does not exist")


def solution_from_json(data: dict[str, Any], what: str = "The solution") -> Solution:
    """Read a solution; `RunError` if an item is missing or damaged."""
    with refuse_damaged(what):
        return from_plain(Solution, data)


def event_to_json(event: Event) -> dict[str, Any]:
    """An event with its kind under 'event'."""
    data: dict[str, Any] = to_plain(event)
    return data


def event_from_json(data: dict[str, Any], what: str = "An event of the run") -> Event:
    """Read an event; `RunError` if the kind is unknown or an item is damaged."""
    with refuse_damaged(what):
        kind: Any = Event
        event: Event = from_plain(kind, data)
        return event
