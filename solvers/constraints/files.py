"""Constraints in files: a JSON list, or an object with a list under 'constraints'."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from solvers.constraints.base import Constraint
from solvers.constraints.kinds import from_json
from solvers.errors import ConstraintError


def read_constraints(path: Path | str) -> tuple[Constraint, ...]:
    """The constraints of a file.

    Raises
    ------
    ConstraintError
        It is no JSON, or one of its constraints is not well formed; the message says which.
    OSError
        The file cannot be read.
    """
    return constraints_of(Path(path).read_text("utf-8"), f"The file '{path}'")


def constraints_of(text: str, what: str = "The text") -> tuple[Constraint, ...]:
    """The constraints of a JSON text; `what` names it in errors.

    Raises
    ------
    ConstraintError
        It is no JSON, or one of its constraints is not well formed; the message says which.
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ConstraintError(f"{what} is not JSON: {error}.") from None
    listed = data.get("constraints") if isinstance(data, dict) else data
    if not isinstance(listed, list):
        raise ConstraintError(f"{what} must hold a list of constraints, or an object with one under 'constraints'.")
    return tuple(_read(item, i, what) for i, item in enumerate(listed))


def constraints_text(constraints: Iterable[Constraint], **more: Any) -> str:
    """The JSON text of constraints; `more` (a title, a note) is written beside them."""
    told = {**more, "constraints": [constraint.to_json() for constraint in constraints]}
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def _read(item: Any, i: int, what: str) -> Constraint:
    try:
        return from_json(item)
    except ConstraintError as error:
        raise ConstraintError(f"{what}, constraint {i + 1}: {error}") from None
