"""Steps about a column as a whole: its name, its type, the order of its levels, its unit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from solvers.problem.columns import Kind
from solvers.problem.preparation.base import ColumnStep, EntryType, Reading, entry
from solvers.problem.preparation.sheet import Sheet, retold
from solvers.problem.texts import format_number


@dataclass(frozen=True)
class Rename(ColumnStep):
    """A column gets another name."""

    kind: ClassVar[str] = "rename"
    title: ClassVar[str] = "Rename a column"
    summary: ClassVar[str] = "The column is called otherwise from here on."

    to: str = entry(EntryType.NAME, "New name")

    def words(self) -> str:
        """What is done."""
        return f"rename '{self.column}' to '{self.to}'"

    @property
    def makes(self) -> str:
        """The new name."""
        return self.to

    @property
    def renames(self) -> tuple[str, str]:
        """Both names."""
        return self.column, self.to

    def apply(self, sheet: Sheet) -> None:
        """Change the name."""
        sheet.rename(self.column, self.to)


@dataclass(frozen=True)
class SetType(ColumnStep):
    """A column is read as another type than the recognised one."""

    kind: ClassVar[str] = "type"
    title: ClassVar[str] = "Set the type of a column"
    summary: ClassVar[str] = "The column is read as this type, whatever its cells look like."

    type: str = entry(EntryType.CHOICE, "Type", choices=tuple(kind.value for kind in Kind))

    def words(self) -> str:
        """What is done."""
        return f"read '{self.column}' as {self.type}"

    @property
    def readings(self) -> Mapping[str, Reading]:
        """The type."""
        return {self.column: Reading(Kind(self.type))}

    def apply(self, sheet: Sheet) -> None:
        """Change no cell."""
        sheet.check(self.column)


@dataclass(frozen=True)
class SetOrder(ColumnStep):
    """The levels of a column have an order."""

    kind: ClassVar[str] = "order"
    title: ClassVar[str] = "Set the order of levels"
    summary: ClassVar[str] = (
        "The levels have this order, the lowest first; a question separates the first of them from the rest."
    )

    levels: tuple[str, ...] = entry(EntryType.VALUES, "Levels, lowest first")

    def words(self) -> str:
        """What is done."""
        return f"order the levels of '{self.column}': {' < '.join(self.levels)}"

    @property
    def readings(self) -> Mapping[str, Reading]:
        """The levels; two of them have no order that matters."""
        return {self.column: Reading(Kind.BINARY if len(self.levels) == 2 else Kind.ORDERED, self.levels)}

    def apply(self, sheet: Sheet) -> None:
        """Change no cell."""
        sheet.check(self.column)


@dataclass(frozen=True)
class SetUnit(ColumnStep):
    """A column of numbers has a unit, which its name says; a factor brings other numbers to it."""

    kind: ClassVar[str] = "unit"
    title: ClassVar[str] = "Set the unit of a column"
    summary: ClassVar[str] = "The unit is added to the name. Numbers in another unit are multiplied by a factor."

    unit: str = entry(EntryType.NAME, "Unit", "Such as mg/l.")
    factor: float = entry(EntryType.NUMBER, "Factor", "What each number is multiplied by; 1 for none.", default=1.0)

    def fault(self) -> str:
        """A factor of 0 or less."""
        return "" if self.factor > 0 else f"The factor must be more than 0. Got {format_number(self.factor)}."

    def words(self) -> str:
        """What is done."""
        if self.factor == 1:
            return f"'{self.column}' is in {self.unit}"
        return f"'{self.column}' is in {self.unit}, each number times {format_number(self.factor)}"

    @property
    def makes(self) -> str:
        """The name with the unit in the place of one that stands there already."""
        bare = re.sub(r"\s*[(\[][^()\[\]]*[)\]]$", "", self.column)
        return f"{bare or self.column} ({self.unit})"

    @property
    def renames(self) -> tuple[str, str]:
        """Both names."""
        return self.column, self.makes

    def apply(self, sheet: Sheet) -> None:
        """Multiply and rename."""
        texts, number = sheet.numbers(self.column)
        if self.factor != 1:
            with np.errstate(over="ignore"):
                product = number * self.factor
            known = np.isfinite(product)
            sheet.put(
                self.column,
                retold(texts, [format_number(x) if ok else "" for x, ok in zip(product.tolist(), known, strict=True)]),
            )
        sheet.rename(self.column, self.makes)
