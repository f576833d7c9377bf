"""A preparation: the steps that make the table of a study from the table as it came, in their order.

    preparation = Preparation((TreatAsMissing("crp", ("-99",)), Cut("stay", (7,), ("short", "long"))))
    prepared = preparation.apply(read_table("export.csv"))

The same steps are applied to a second file and to rows that a model is to answer, so that all of them may be raw.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from solvers.errors import DataError
from solvers.problem.frames import with_headers
from solvers.problem.json_text import read_json
from solvers.problem.plain_numbers import Cells
from solvers.problem.preparation.base import Reading, Step
from solvers.problem.preparation.kinds import step_from_json
from solvers.problem.preparation.rows import KeepRows
from solvers.problem.preparation.sheet import Sheet
from solvers.problem.tables import Table
from solvers.problem.texts import Texts

FORMAT, VERSION = "espalier-preparation", 1


class PreparedTable(NamedTuple):
    """A table after the steps.

    Attributes
    ----------
    table : its cells.
    rows : int64 (n_rows,), the positions of its rows in the table as it came.
    readings : the columns whose type or levels the steps set, with these.
    n_left_out : the number of rows that steps left out.
    same : the columns whose cells are as they came.
    """

    table: Table
    rows: np.ndarray
    readings: Mapping[str, Reading]
    n_left_out: int = 0
    same: frozenset[str] = frozenset()

    @property
    def is_shorter(self) -> bool:
        """Whether steps left rows out, so that rows are counted otherwise than in the file."""
        return bool(len(self.rows) and self.rows[-1] + 1 != len(self.rows))


@dataclass(frozen=True)
class Preparation:
    """The steps, the first one first."""

    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def then(self, step: Step) -> Preparation:
        """The same with one more step."""
        return Preparation((*self.steps, step))

    def without_last(self) -> Preparation:
        """The same without its last step."""
        return Preparation(self.steps[:-1])

    @property
    def words(self) -> tuple[str, ...]:
        """The steps in words."""
        return tuple(step.words() for step in self.steps)

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """The columns whose type or levels the steps set, with these, by the names after all steps."""
        found: dict[str, Reading] = {}
        for step in self.steps:
            if step.renames and step.renames[0] in found:
                found[step.renames[1]] = found.pop(step.renames[0])
            elif step.makes and not step.renames:
                # other cells, so that what was said of the former ones holds no more; a type is said of the column
                former = found.pop(step.makes, Reading())
                if former.kind and not step.readings and former.levels is None:
                    found[step.makes] = former
            found |= step.readings
        return found

    def apply(self, table: Table) -> PreparedTable:
        """Prepare a table.

        Raises
        ------
        DataError
            A step speaks of a column that is not there, makes one that is there already, or meets a cell that does not
            fit: the message names the step, the column and the row, and says what to do.
        """
        if not self.steps:
            return PreparedTable(table, np.arange(table.n_rows), {}, same=frozenset(table.names))
        sheet = self._applied(Sheet.of(table.columns, table.n_rows), check=True)
        outcome = table.outcome
        for step in self.steps:
            if step.renames and step.renames[0] == outcome:
                outcome = step.renames[1]
        columns = cast(Mapping[str, Cells], sheet.result())
        levels = {name: table.levels[came] for name, came in sheet.source.items() if came and came in table.levels}
        prepared = replace(table, columns=columns, outcome=outcome, levels=levels)
        n_left_out = table.n_rows - prepared.n_rows
        same = [name for name, came in sheet.source.items() if came == name and not n_left_out]
        return PreparedTable(prepared, sheet.rows, self.readings, n_left_out, frozenset(same))

    def frame(
        self, frame: pd.DataFrame, check: bool = False, refused: dict[int, str] | None = None
    ) -> tuple[pd.DataFrame, np.ndarray]:
        """The columns that these steps make or read of a raw frame, with all others, and the rows that are left.

        Steps that `leading_to` found need no more columns than these, and may take the name of one that is not read;
        with `check` they may not. Raises `DataError` as `apply` does; but with `refused` a cell that does not fit
        counts as missing, and there stands why, by the position of its row in the frame.
        """
        frame = with_headers(frame)
        came: dict[str, Cells | pd.Series] = {name: frame[name] for name in frame.columns}
        sheet = self._applied(Sheet.of(came, len(frame), refused), check)
        index = frame.index if len(sheet.rows) == len(frame) else pd.RangeIndex(len(sheet.rows))
        columns = {
            name: pd.Series(cells.cells(slice(None)), index=index, dtype=str) if isinstance(cells, Texts) else cells
            for name, cells in sheet.result().items()
        }
        return pd.DataFrame(columns, index=index), sheet.rows

    def _applied(self, sheet: Sheet, check: bool) -> Sheet:
        for number, step in enumerate(self.steps, start=1):
            try:
                if check:
                    _check_new(step, sheet)
                step.apply(sheet)
                if not len(sheet.rows) and sheet.n_rows and sheet.refused is None:
                    raise DataError("No row is left. Take the step back, or choose other values.")
            except DataError as error:
                raise DataError(f"Step {number} of the preparation ({step.words()}): {error}") from None
        return sheet

    def leading_to(self, names: Iterable[str], outcome: str) -> Preparation:
        """The steps that a model needs of new rows: those that make these columns, and those that leave rows out.

        Rows that are left out by what the outcome says are not: new rows have none.
        """
        wanted, of_outcome = set(names), {outcome}
        found: list[Step] = []
        for step in reversed(self.steps):
            if step.makes in of_outcome:
                of_outcome = (of_outcome - {step.makes}) | set(step.reads)
            if step.makes in wanted:
                found.append(step)
                wanted = (wanted - {step.makes}) | set(step.reads)
            elif isinstance(step, KeepRows) and (step.column in wanted or step.column not in of_outcome):
                found.append(step)
                wanted |= set(step.reads)
        return Preparation(tuple(reversed(found)))

    def name_under(self, name: str, other: Preparation) -> str:
        """What a column is called after other steps, which may begin alike."""
        pairs = zip(self.steps, other.steps, strict=False)
        alike = next((i for i, (mine, yours) in enumerate(pairs) if mine != yours), min(len(self), len(other)))
        for step in reversed(self.steps[alike:]):
            if step.renames and name == step.renames[1]:
                name = step.renames[0]
        for step in other.steps[alike:]:
            if step.renames and name == step.renames[0]:
                name = step.renames[1]
        return name

    def origins(self, name: str) -> frozenset[str]:
        """The columns after all steps, besides itself, that a column was made of.

        They tell of it what nobody knows of a new row: where it is the outcome, they are no features.
        """
        # what each column rests on: names of columns as they came or as a step made them, with the number of that step
        rests: dict[str, frozenset[tuple[str, int]]] = {}

        def of(one: str) -> frozenset[tuple[str, int]]:
            return rests.get(one, frozenset({(one, 0)}))

        for number, step in enumerate(self.steps, start=1):
            if step.makes is None:
                continue
            came = frozenset().union(*map(of, step.reads))
            others = {one: of(one) for one in step.reads if one != step.makes}
            rests |= others
            if step.renames:
                rests.pop(step.renames[0], None)
            rests[step.makes] = came if step.renames or step.makes in step.reads else came | {(step.makes, number)}
        outcome = of(name)
        return frozenset(one for one, parts in rests.items() if one != name and parts <= outcome)

    def raw(self, names: Iterable[str]) -> tuple[str, ...]:
        """The columns of the table as it came that these columns, and the rows that are left, rest on."""
        wanted = dict.fromkeys(names)
        for step in reversed(self.steps):
            if step.makes in wanted:
                del wanted[step.makes]
            elif step.makes is not None:
                continue
            wanted |= dict.fromkeys(step.reads)
        return tuple(wanted)

    def to_json(self) -> list[dict[str, Any]]:
        """The steps as `Preparation.from_json` reads them."""
        return [step.to_json() for step in self.steps]

    @classmethod
    def from_json(cls, data: Any, what: str = "The list of steps") -> Preparation:
        """The steps of a JSON list, or of an object with one under 'steps'; `what` names it in errors.

        Raises `DataError` where it is none, or a step is not well formed; the message says which.
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
    """The steps of a JSON text; `DataError` as `Preparation.from_json`."""
    try:
        data = read_json(text)
    except ValueError as error:
        raise DataError(f"{what} is not JSON that can be read: {error}.") from None
    return Preparation.from_json(data, what)


def read_preparation(path: Path | str) -> Preparation:
    """The steps of a file.

    Raises
    ------
    DataError
        There is no such file, or it holds no steps; the message says which one is not well formed.
    """
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise DataError(
            f"The steps in '{path}' cannot be read ({error}). Name a file that the Data screen saved."
        ) from None
    return preparation_of(content, f"The file '{path}'")


def _check_new(step: Step, sheet: Sheet) -> None:
    """Refuse a new column that would take the place of another one."""
    if step.makes and step.makes not in step.reads and step.makes in sheet.source:
        raise DataError(f"There is a column '{step.makes}' already. Choose another name.")
