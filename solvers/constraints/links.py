"""Must-link and cannot-link constraints on rows."""

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise
from typing import Annotated, ClassVar

from ..diagram import Diagram
from ..errors import ConstraintError
from ..problem import Dataset, Problem
from ..problem.dataset import cells
from ..problem.texts import format_list
from . import rules
from .base import Constraint, ConstraintRecord, Finding, Topic, parameter
from .fields import FieldType, RowSets

_ROWS = "Sets of row numbers as in the file, counted from 1 without the header."


class _Links(ConstraintRecord, frozen=True):
    """Sets of rows; rows that the table lacks (held-out rows, for instance) are ignored."""

    topic = Topic.ROWS
    apart: ClassVar[bool]
    """True for cannot-link, False for must-link."""

    rows: RowSets

    def fault(self) -> str:
        """At least one set is required."""
        return "" if self.rows else "Enter at least one set of rows."

    def _sets(self, dataset: Dataset) -> list[list[int]]:
        """The sets as positions in the dataset, if they have two rows or more."""
        position = {row: i for i, row in enumerate(dataset.rows.tolist())}
        found = [[position[row] for row in rows if row in position] for rows in self.rows]
        return [rows for rows in found if len(rows) > 1]

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """A note that lists the rows outside the table."""
        there = set(problem.dataset.rows.tolist())
        absent = [str(row) for row in dict.fromkeys(row for rows in self.rows for row in rows) if row not in there]
        if absent:
            more = ", ..." if len(absent) > 12 else ""
            text = f"These rows are not in the training data and are ignored: {', '.join(absent[:12])}{more}."
            yield Finding.note(text, "rows")

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence: 'rows 3 and 17 share a leaf' or 'rows 3 and 17 do not share a leaf'."""
        sets = [format_list([str(row) for row in rows], "and") for rows in self.rows]
        more = f", and {len(sets) - 3} more sets" if len(sets) > 3 else ""
        return (
            f"rows {'; rows '.join(sets[:3])}{more} do not share a leaf"
            if self.apart
            else f"rows {'; rows '.join(sets[:3])}{more} share a leaf"
        )

    def _pairs(self, dataset: Dataset) -> tuple[tuple[int, int], ...]:
        """For cannot-link all pairs of each set, for must-link a chain of pairs."""
        sets = self._sets(dataset)
        return tuple(pair for rows in sets for pair in (combinations(rows, 2) if self.apart else pairwise(rows)))

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The pairs that violate the constraint."""
        leaf, row = diagram.apply(dataset), dataset.rows
        pairs = [(i, j) for i, j in self._pairs(dataset) if (leaf[i] == leaf[j]) == self.apart]
        if self.apart:
            return tuple(f"rows {row[i]} and {row[j]} both reach leaf {leaf[i]}" for i, j in pairs)
        return tuple(f"row {row[i]} reaches leaf {leaf[i]} and row {row[j]} leaf {leaf[j]}" for i, j in pairs)

    def rules(self, problem: Problem) -> tuple[rules.Rule, ...]:
        """The pairs, if there are any."""
        pairs = self._pairs(problem.dataset)
        if not pairs:
            return ()
        return (rules.ApartRule(pairs) if self.apart else rules.TogetherRule(pairs),)


class MustLink(_Links, frozen=True):
    """The rows of each set reach the same leaf."""

    apart = False
    title = "Must-link"
    formula = r"\ell(i) = \ell(j) \quad \text{for every given pair } (i, j)"
    source = "Nanfack, Temple and Frénay (2023), section 4.5"

    rows: Annotated[RowSets, parameter(FieldType.ROW_SETS, "Rows in one leaf", _ROWS)]


class CannotLink(_Links, frozen=True):
    """No two rows of a set reach the same leaf."""

    apart = True
    title = "Cannot-link"
    formula = r"\ell(i) \ne \ell(j) \quad \text{for every given pair } (i, j)"
    source = "The counterpart of Nanfack, Temple and Frénay (2023), section 4.5"

    rows: Annotated[RowSets, parameter(FieldType.ROW_SETS, "Rows in different leaves", _ROWS)]

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Impossible if two rows have the same features, or if a set has more rows than the model has leaves."""
        yield from super().findings(problem)
        dataset, size = problem.dataset, problem.size
        cell = cells(dataset)
        for i, j in self._pairs(dataset):
            if cell[i] == cell[j]:
                text = f"Rows {dataset.rows[i]} and {dataset.rows[j]} have the same values in all columns."
                yield Finding.impossible(text, "rows")
        most = 2**size.max_depth if size.max_leaf_nodes is None else min(size.max_leaf_nodes, 2**size.max_depth)
        largest = max(map(len, self._sets(dataset)), default=0)
        if largest > most:
            yield Finding.impossible(f"{largest} rows need {largest} leaves; the limit is {most}.", "rows")


def check_rows(constraints: Iterable[Constraint], n_rows: int) -> None:
    """Reject row numbers that a table does not have.

    Parameters
    ----------
    n_rows : rows of the whole table, held-out rows included.

    Raises
    ------
    ConstraintError
        A constraint names a row below 1 or above `n_rows`.
    """
    for constraint in constraints:
        if isinstance(constraint, _Links):
            beyond = [row for rows in constraint.rows for row in rows if not 1 <= row <= n_rows]
            if beyond:
                raise ConstraintError(f"'{constraint}': there is no row {beyond[0]}. The table has rows 1 to {n_rows}.")
