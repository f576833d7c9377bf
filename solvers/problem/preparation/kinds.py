"""The list of steps: adding one is one class and one line here."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from solvers.errors import DataError
from solvers.problem.preparation.base import Step
from solvers.problem.preparation.columns import Rename, SetOrder, SetType, SetUnit
from solvers.problem.preparation.pairs import DaysBetween, Difference, Ratio
from solvers.problem.preparation.rows import KeepRows
from solvers.problem.preparation.spellings import ReadDates, ReadLimits
from solvers.problem.preparation.values import Cut, JoinLevels, TreatAsMissing

_CLASSES: tuple[type[Step], ...] = (
    TreatAsMissing,
    ReadLimits,
    ReadDates,
    JoinLevels,
    Cut,
    Rename,
    SetType,
    SetOrder,
    SetUnit,
    KeepRows,
    Difference,
    Ratio,
    DaysBetween,
)

STEPS: dict[str, type[Step]] = {cls.kind: cls for cls in _CLASSES}
"""The classes by the name that is written in JSON, in the order in which they are offered."""


def step_from_json(data: Any) -> Step:
    """A step from its JSON object; `DataError` where the kind or a field is unknown, or a value does not fit."""
    if not isinstance(data, Mapping) or "kind" not in data:
        raise DataError(f'A step must be an object with a "kind". Got {data!r}.')
    name = data["kind"]
    if not isinstance(name, str) or name not in STEPS:
        near = get_close_matches(str(name), STEPS, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(STEPS)}."
        raise DataError(f"There is no step of the kind '{name}'. {hint}")
    return STEPS[name].from_json(data)
