"""A preparation: the steps from a raw table to the table of a study, in order.

    preparation = Preparation((TreatAsMissing("crp", ("-99",)), Cut("stay", (7,), ("short", "long"))))
    prepared = preparation.apply(read_table("export.csv"))

A second file, and new rows for prediction, are also raw: the same steps prepare them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import DataError
from ..json_text import read_json
from ..tables import Table
from .kinds import KeepRows, Reading, Rename, Step, step_from_json
from .sheet import Sheet

FORMAT, VERSION = "espalier-preparation", 1


class PreparedTable(NamedTuple):
    """A table after the steps.

    Attributes
    ----------
    table : its cells.
    rows : int64 (n_rows,), the positions of its rows in the raw table.
    readings : the types and levels that the steps set, by column.
    n_left_out : the number of rows that steps dropped.
    same : the columns whose cells no step changed.
    """

    table: Table
    rows: np.ndarray
    readings: Mapping[str, Reading]
    n_left_out: int = 0
    same: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Preparation:
    """The steps, in order."""

    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def words(self) -> tuple[str, ...]:
        """The steps in words."""
        return tuple(step.words() for step in self.steps)

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """The types and levels that the steps set, by the name of the column after all steps."""
        readings: dict[str, Reading] = {}
        for step in self.steps:
            former = readings.pop(step.reads[0] if isinstance(step, Rename) else step.makes or "", Reading())
            # new cells may have other levels; a type that was set without levels remains
            if former.kind and step.makes and (isinstance(step, Rename) or former.levels is None):
                readings[step.makes] = former
            readings |= step.readings
        return readings

    def apply(self, table: Table, refused: dict[int, str] | None = None, *, check: bool = True) -> PreparedTable:
        """Prepare a table.

        Parameters
        ----------
        table : the raw rows.
        refused : filled with the reason why a row has a cell that does not fit, by row position; such a cell counts as
            missing. By default it is an error.
        check : whether a new column that replaces an existing one is an error. The steps from `leading_to` do not read
            that one.

        Raises
        ------
        DataError
            A column does not exist, a new column already exists, or a cell does not fit: the message names the step,
            the column and the row, and says what to do.
        """
        if not self.steps:
            return PreparedTable(table, np.arange(table.n_rows), {}, same=frozenset(table.names))
        sheet = self._applied(Sheet(table.columns, table.n_rows, refused), check)
        levels = {name: table.levels[raw] for name, raw in sheet.source.items() if raw and raw in table.levels}
        prepared = replace(table, columns=sheet.columns, levels=levels)
        n_left_out = table.n_rows - prepared.n_rows
        same = [name for name, raw in sheet.source.items() if raw == name and not n_left_out]
        return PreparedTable(prepared, sheet.rows, self.readings, n_left_out, frozenset(same))

    def _applied(self, sheet: Sheet, check: bool) -> Sheet:
        for number, step in enumerate(self.steps, start=1):
            try:
                if check and step.makes and step.makes not in step.reads and step.makes in sheet.source:
                    raise DataError(f"There is a column '{step.makes}' already. Choose another name.")
                step.apply(sheet)
                if not len(sheet.rows) and sheet.n_rows and sheet.refused is None:
                    raise DataError("No row is left. Undo the step, or choose other values.")
            except DataError as error:
                raise DataError(f"Step {number} of the preparation ({step.words()}): {error}") from None
        return sheet

    def leading_to(self, names: Iterable[str], outcome: str) -> Preparation:
        """The steps that a model needs for new rows: those that make these columns, and those that drop rows.

        Steps that drop rows by their outcome are not needed: new rows have none.
        """
        wanted, of_outcome = set(names), {outcome}
        needed: list[Step] = []
        for step in reversed(self.steps):
            if step.makes in of_outcome:
                of_outcome = (of_outcome - {step.makes}) | set(step.reads)
            if step.makes in wanted:
                needed.append(step)
                wanted = (wanted - {step.makes}) | set(step.reads)
            elif isinstance(step, KeepRows) and (step.column in wanted or step.column not in of_outcome):
                needed.append(step)
                wanted |= set(step.reads)
        return Preparation(tuple(reversed(needed)))

    def name_under(self, name: str, other: Preparation) -> str:
        """The name of a column after other steps, which may begin with the same ones."""
        pairs = zip(self.steps, other.steps, strict=False)
        same = next((i for i, (mine, others) in enumerate(pairs) if mine != others), min(len(self), len(other)))
        for step in reversed(self.steps[same:]):
            if isinstance(step, Rename) and name == step.to:
                name = step.column
        for step in other.steps[same:]:
            if isinstance(step, Rename) and name == step.column:
                name = step.to
        return name

    def origins(self, name: str) -> frozenset[str]:
        """The other columns after all steps that a column derives from, or that derive from the same raw columns.

        If the column is the outcome, they are unknown for new rows, so they are not features.
        """
        # the raw columns behind each column, and the columns that a step made
        raw: dict[str, frozenset[str]] = {}
        for step in self.steps:
            if step.makes is None:
                continue
            sources = {one: raw.get(one, frozenset({one})) for one in step.reads}
            raw |= sources
            raw[step.makes] = frozenset().union(*sources.values())
            if isinstance(step, Rename) and step.column != step.to:
                del raw[step.column]
        of_outcome = raw.get(name, frozenset({name}))
        return frozenset(one for one, behind in raw.items() if one != name and behind <= of_outcome)

    def raw(self, names: Iterable[str]) -> tuple[str, ...]:
        """The columns of the raw table that these columns, and the remaining rows, depend on."""
        wanted = dict.fromkeys(names)
        for step in reversed(self.steps):
            if step.makes in wanted:
                del wanted[step.makes]
            elif step.makes is not None:
                continue
            wanted |= dict.fromkeys(step.reads)
        return tuple(wanted)

    def to_json(self) -> list[dict[str, Any]]:
        """The JSON list that `Preparation.from_json` reads."""
        return [step.to_json() for step in self.steps]

    @classmethod
    def from_json(cls, data: Any, what: str = "The list of steps") -> Preparation:
        """The steps of a JSON list, or of an object with one under 'steps'; `what` names it in errors.

        Raises `DataError` if it is neither, or a step is invalid; the message says which.
        """
        if isinstance(data, dict):
            version = data.get("version", VERSION)
            if version != VERSION:
                raise DataError(f"{what} has the version {version!r}; this program reads version {VERSION}.")
            data = data.get("steps")
        if not isinstance(data, list):
            raise DataError(f"{what} must be a JSON list of steps, or an object with one under 'steps'.")
        steps = []
        for number, one in enumerate(data, start=1):
            try:
                steps.append(step_from_json(one))
            except DataError as error:
                raise DataError(f"{what}, step {number}: {error}") from None
        return cls(tuple(steps))

    def text(self) -> str:
        """The steps as the text of a file."""
        data = {"format": FORMAT, "version": VERSION, "steps": self.to_json()}
        return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def preparation_of(text: str | bytes, what: str = "The list of steps") -> Preparation:
    """The steps of a JSON text; raises `DataError` like `Preparation.from_json`."""
    try:
        data = read_json(text)
    except ValueError as error:
        raise DataError(f"{what} is not valid JSON: {error}.") from None
    return Preparation.from_json(data, what)


def read_preparation(path: Path | str) -> Preparation:
    """The steps of a file.

    Raises
    ------
    DataError
        There is no such file, or it has no valid steps; the message says which step is invalid.
    """
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise DataError(
            f"The steps in '{path}' cannot be read ({error}). Name a file that the Data screen saved."
        ) from None
    return preparation_of(content, f"The file '{path}'")
