"""The fixed top of a tree: splits as the user writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import force_setattr

from ..diagram import Diagram, Leaf
from ..errors import ConstraintError
from ..problem import Dataset, Kind, LinearPredicate, Op, Predicate
from ..problem.columns import parse_dates
from ..problem.texts import composed
from .rules import Path
from .values import Number, column_position, exact, matrix_value, shown, written_value


class Questions(msgspec.Struct, frozen=True, omit_defaults=True):
    """A split, and the fixed splits below it.

    Attributes
    ----------
    column : the feature.
    op : '<=', 'is' or 'is missing'.
    value : the threshold (number, ISO date or level) or the level; `None` for 'is missing'.
    missing : whether a missing value goes to yes; under the policy 'impute' the fill value decides.
    yes, no : the splits below; `None` if the method may choose.
    """

    column: str
    op: Op = Op.LE
    value: Number | str | None = None
    missing: bool = False
    yes: Questions | None = None
    no: Questions | None = None

    def __post_init__(self) -> None:
        force_setattr(self, "op", Op(self.op))
        if (self.value is None) != (self.op is Op.MISSING):
            raise ConstraintError(f"The question about '{self.column}' needs a value. Only 'is missing' needs none.")
        force_setattr(self, "column", composed(self.column))
        if self.value is not None:
            value = composed(self.value) if isinstance(self.value, str) else exact(self.value)
            force_setattr(self, "value", value)

    @classmethod
    def of(cls, value: Any) -> Questions:
        """Return questions as they are, or read JSON: {"column", "op", "value", "missing", "yes", "no"}.

        Raises
        ------
        ConstraintError
            The value is neither.
        """
        if isinstance(value, Questions):
            return value
        if not isinstance(value, Mapping) or not isinstance(value.get("column"), str):
            raise ConstraintError('Write a question as {"column": ..., "op": "<=", "value": ...}.')
        unknown = set(value) - {"column", "op", "value", "missing", "yes", "no"}
        if unknown or value.get("op", "<=") not in list(Op):
            raise ConstraintError(f"A question has no '{next(iter(unknown), value.get('op'))}'.")
        below = {side: cls.of(value[side]) for side in ("yes", "no") if value.get(side) is not None}
        return cls(
            value["column"], Op(value.get("op", "<=")), value.get("value"), bool(value.get("missing", False)), **below
        )

    @classmethod
    def top_of(cls, diagram: Diagram, n_levels: int, node: int = 0) -> Questions | None:
        """The first `n_levels` levels of splits of a model; `None` if there are none.

        Raises
        ------
        ConstraintError
            One of the splits combines columns.
        """
        split = diagram.nodes[node]
        if n_levels < 1 or isinstance(split, Leaf):
            return None
        predicate = split.predicate
        if isinstance(predicate, LinearPredicate):
            raise ConstraintError("A question that combines columns cannot be fixed.")
        column = diagram.schema[predicate.column]
        value = None if predicate.value is None else written_value(column, predicate.value)
        below = (cls.top_of(diagram, n_levels - 1, child) for child in (split.yes, split.no))
        return cls(predicate.column, predicate.op, value, predicate.missing and predicate.op is not Op.MISSING, *below)

    def places(self, place: Path = ()) -> Iterator[tuple[Path, Questions]]:
        """Every split with its position, parents first."""
        yield place, self
        for answer, below in ((True, self.yes), (False, self.no)):
            if below is not None:
                yield from below.places((*place, answer))

    def words(self) -> str:
        """The text of the split alone, such as 'age is at most 50'."""
        if self.value is None:
            return f"{self.column} is missing"
        limit = shown(self.value)
        if self.op is Op.LE:
            if not isinstance(self.value, str):
                limit = f"at most {limit}"
            elif np.isnan(parse_dates([self.value])[0]):
                # the order of the levels is only known from the table
                limit = f"{limit} or a level before it"
            else:
                limit = f"{limit} or earlier"
        return f"{self.column} is {limit}" + (", or missing" if self.missing else "")

    def predicate(self, dataset: Dataset) -> Predicate:
        """The split as a predicate.

        Raises
        ------
        ConstraintError
            The table has no such feature or level, or its values have no order.
        """
        column = dataset.schema.columns[column_position(dataset, self.column)]
        if self.value is None:
            return Predicate(self.column, Op.MISSING, None, True)
        if self.op is Op.LE and column.kind in (Kind.CATEGORICAL, Kind.BINARY):
            raise ConstraintError(f"The levels of '{self.column}' have no order. Use '{self.column} is ...'.")
        if self.op is Op.IS and not column.kind.has_levels:
            raise ConstraintError(f"'{self.column}' has no levels. Use '{self.column} <= ...'.")
        value = matrix_value(column, self.value)
        return Predicate(self.column, self.op, value, self.missing).with_fill(dataset.schema)
