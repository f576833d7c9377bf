"""Ready-made constraints on the sample data, in `sample_data/constraints/`, one file a table."""

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
    """Constraints that are worth trying on a table.

    Attributes
    ----------
    sample : the key of the table.
    title : what it is about, in a few words.
    story : why somebody would want it, in a sentence.
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
    """The first ready-made constraint of a kind, and the preset that it belongs to.

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
