"""Ready-made constraints for the sample data, in `sample_data/constraints/`, one file per table."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import ConstraintError
from ..problem.samples import FOLDER
from .base import Constraint
from .kinds import from_json


@dataclass(frozen=True)
class Preset:
    """Example constraints for a table.

    Attributes
    ----------
    sample : the key of the table.
    title : a short title.
    story : the motivation, in a sentence.
    constraints : the constraints.
    """

    sample: str
    title: str
    story: str
    constraints: tuple[Constraint, ...]


def presets(sample: str | None = None) -> tuple[Preset, ...]:
    """The ready-made constraints of a sample, or of all samples."""
    files = sorted((FOLDER / "constraints").glob("*.json"))
    return tuple(preset for file in files if sample in (None, file.stem) for preset in _read(file))


def example_of(kind: str) -> tuple[Preset, Constraint]:
    """The first ready-made constraint of a kind, and its preset.

    Raises
    ------
    ConstraintError
        There is none.
    """
    for preset in presets():
        for constraint in preset.constraints:
            if constraint.kind == kind:
                return preset, constraint
    raise ConstraintError(f"There is no example of '{kind}'.")


@cache
def _read(file: Path) -> tuple[Preset, ...]:
    return tuple(
        Preset(file.stem, item["title"], item["story"], tuple(from_json(data) for data in item["constraints"]))
        for item in json.loads(file.read_text("utf-8"))["presets"]
    )
