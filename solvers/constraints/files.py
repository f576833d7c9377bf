"""Files of constraints: a JSON list, or an object with a list under 'constraints' or several under 'presets'.

The sample data has ready-made constraints in `sample_data/constraints/`, one file per table.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import ConstraintError
from ..problem.json_text import read_json
from ..problem.samples import FOLDER
from .base import Constraint
from .kinds import from_json

FORMAT, VERSION = "espalier-constraints", 1


def constraints_file(path: Path | str) -> str:
    """The text of a file of constraints.

    Raises
    ------
    ConstraintError
        The content is not UTF-8, or the file name is not possible.
    OSError
        The file cannot be read.
    """
    try:
        return Path(path).read_text("utf-8")
    except ValueError as error:
        raise ConstraintError(f"The file '{path}' cannot be read as UTF-8 text: {error}.") from None


def constraints_of(text: str, what: str = "The text") -> tuple[Constraint, ...]:
    """The constraints of a JSON text; `what` names it in errors.

    Raises
    ------
    ConstraintError
        The text is not JSON, or one of its constraints is invalid; the message says which.
    """
    constraints = []
    for number, item in enumerate(listed(text, what), start=1):
        try:
            constraints.append(from_json(item))
        except ConstraintError as error:
            raise ConstraintError(f"{what}, constraint {number}: {error}") from None
    return tuple(constraints)


def listed(text: str, what: str = "The text", preset: str | None = None) -> list[Any]:
    """The JSON objects of the constraints in a text, unchanged.

    Parameters
    ----------
    text : JSON.
    what : names the text in errors.
    preset : selects one of several lists with titles, by its title or its number from 1.

    Raises
    ------
    ConstraintError
        The text is not JSON, has a newer version, has no list of constraints, or has several and `preset` selects none.
    """
    try:
        data = read_json(text)
    except ValueError as error:
        raise ConstraintError(f"{what} is not valid JSON: {error}.") from None
    version = data.get("version", VERSION) if isinstance(data, dict) else VERSION
    if version != VERSION:
        raise ConstraintError(f"{what} has the version {version!r}; this program reads version {VERSION}.")
    if isinstance(data, dict) and "presets" in data:
        data = _preset(data["presets"], what, preset)
    elif preset is not None:
        raise ConstraintError(f"{what} holds one list of constraints. Leave out the preset '{preset}'.")
    found = data.get("constraints") if isinstance(data, dict) else data
    if not isinstance(found, list):
        raise ConstraintError(f"{what} must hold a list of constraints, or an object with one under 'constraints'.")
    return found


def _preset(presets: Any, what: str, wanted: str | None) -> Any:
    """One of the presets of a file: the selected one, or the only one."""
    if not isinstance(presets, list) or not all(isinstance(one, dict) for one in presets) or not presets:
        raise ConstraintError(f"{what} must hold a list of objects under 'presets', each with its 'constraints'.")
    if wanted is None and len(presets) == 1:
        return presets[0]
    titles = [str(one.get("title", "")) for one in presets]
    named = [one for number, one in enumerate(presets, start=1) if wanted in (titles[number - 1], str(number))]
    if len(named) != 1:
        listed_titles = ", ".join(f"{number}. '{title}'" for number, title in enumerate(titles, start=1))
        got = "none was chosen" if wanted is None else f"'{wanted}' is not one of them"
        how = f"Choose one as FILE#TITLE or FILE#NUMBER: {listed_titles}."
        raise ConstraintError(f"{what} has {len(presets)} presets, and {got}. {how}")
    return named[0]


def constraints_text(constraints: Iterable[Constraint], **more: Any) -> str:
    """The JSON text of constraints; `more` (a title, a note) is added to the object."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        **more,
        "constraints": [constraint.to_json() for constraint in constraints],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


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
