"""Constraints on the features that the whole model uses."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np

from ..diagram import Diagram
from ..problem import Dataset, Problem
from ..problem.texts import format_list
from . import rules
from .base import ConstraintRecord, Finding, Topic, parameter, titles
from .fields import FieldType
from .paths import ExclusiveColumns
from .values import column_position, columns_named


class MustAppear(ConstraintRecord, frozen=True):
    """The model uses this feature, and at least one prediction depends on it.

    The paper's definition accepts a split whose leaves all predict the same class. Here the leaves below the split must
    not all predict the same class.
    """

    title = "Required feature"
    wording = "{column} is used and changes a prediction"
    formula = r"\exists \text{ a question about } c \text{ below which two leaves answer differently}"
    source = "Nanfack, Temple and Frénay (2023), section 4.6, with effect"
    topic = Topic.FEATURES
    sees_answers = True

    column: Annotated[str, parameter(FieldType.COLUMN)]

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Impossible if no split is allowed, or if no split on this column separates any rows."""
        dataset, size = problem.dataset, problem.size
        values = dataset.X[:, column_position(dataset, self.column)]
        if len(np.unique(values)) < 2:
            text = f"'{self.column}' has the same value in all rows, so no split can use this column."
            yield Finding.impossible(text, "column")
        if size.max_depth == 0 or size.max_leaf_nodes == 1:
            yield Finding.impossible("The size limits allow no split.")

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The column is not used, or no prediction depends on it."""
        asking = [node for _, node in diagram.splits if self.column in node.predicate.columns]
        if not asking:
            return (f"the model does not use {self.column}",)
        below = diagram.answers_below
        if any(len(below[node.yes] | below[node.no]) > 1 for node in asking):
            return ()
        return (f"the model uses {self.column}, but no prediction depends on it",)

    def rules(self, problem: Problem) -> tuple[rules.Rule, ...]:
        """The column must appear."""
        return (rules.MustAppearRule(column_position(problem.dataset, self.column)),)


class NeverBothInTree(ExclusiveColumns, frozen=True):
    """The model uses at most one of these features."""

    title = "Not both in model"
    formula = r"|\{c \in C : T \text{ asks about } c\}| \le 1"
    source = "Nanfack, Temple and Frénay (2023), section 4.6, in the meaning that its text gives"
    topic = Topic.FEATURES
    place = "in the model"

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The columns, if the model uses two or more."""
        met = [one for columns in self.sets(dataset) if (one := columns.intersection(diagram.features))]
        return (f"the model uses {format_list(sorted(frozenset().union(*met)), 'and')}",) if len(met) > 1 else ()

    def rules(self, problem: Problem) -> tuple[rules.Rule, ...]:
        """No pair of columns."""
        return tuple(rules.FewColumns(frozenset(pair), 1) for pair in self.pairs(problem))


class MaxColumns(ConstraintRecord, frozen=True):
    """Maximum number of different features in the model, or of some features, such as laboratory tests."""

    title = "Maximum features"
    formula = r"|\{c \in C : T \text{ asks about } c\}| \le m"
    source = "Made after Nanfack, Temple and Frénay (2023), section 4.6"
    topic = Topic.FEATURES
    limited_by = "most"

    most: Annotated[int, parameter(FieldType.COUNT, unit="features", low=0)]
    columns: Annotated[
        tuple[str, ...], parameter(FieldType.COLUMNS, "Counted features", "Leave empty to count all features.")
    ] = ()

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'at most 2 of spo2, lactate and crp' or 'at most 2 different features'."""
        if self.columns:
            return f"at most {self.most} of {format_list(titles(self.columns, dataset), 'and')}"
        return f"at most {self.most} different feature{'s' if self.most != 1 else ''}"

    def _counted(self, dataset: Dataset) -> frozenset[str]:
        return frozenset(columns_named(dataset, *self.columns) if self.columns else dataset.schema.names)

    def value(self, diagram: Diagram, dataset: Dataset) -> int:
        """The number of columns."""
        return len(self._counted(dataset).intersection(diagram.features))

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The columns, if there are more."""
        counted = self._counted(dataset)
        used = [name for name in diagram.features if name in counted]
        if len(used) <= self.most:
            return ()
        return (f"the model uses {len(used)} features: {', '.join(used)}; the limit is {self.most}",)

    def rules(self, problem: Problem) -> tuple[rules.Rule, ...]:
        """The maximum number of columns."""
        counted = map(problem.dataset.schema.index, self._counted(problem.dataset))
        return (rules.FewColumns(frozenset(counted), self.most),)

    def limits(self, problem: Problem) -> Sequence[int]:
        """Up to all columns."""
        return range(self.most + 1, len(self._counted(problem.dataset)) + 1)


class ScreenedFeatures(ConstraintRecord, frozen=True):
    """Only the features with the fewest errors on their own may be used."""

    title = "Screened features"
    summary = (
        "In a wide table, use only the features whose best single split has the fewest training errors, ties included. "
        "Proofs hold among these features. A feature that helps only together with another may be missed."
    )
    wording = "only the {number} feature[s|] with the fewest errors in a single split [are|is] used"
    formula = r"\text{every question is about some } c \text{ with } |\{c' : e_{c'} < e_c\}| < m"
    source = "A filter, in the sense of Guyon and Elisseeff (2003), section 2"
    topic = Topic.FEATURES
    limited_by = "number"

    number: Annotated[int, parameter(FieldType.COUNT, "Number of features", unit="features", low=1)]

    def words(self, dataset: Dataset | None = None) -> str:
        """With a table, also its number of columns."""
        if dataset is None or dataset.n_columns < self.number:
            return super().words(dataset)
        return (
            f"only the {self.number:,} of {dataset.n_columns:,} features with the fewest errors in a single split are "
            "used"
        )

    def value(self, diagram: Diagram, dataset: Dataset) -> int:
        """The smallest number, at least one, that permits all columns of the model."""
        used = [column_position(dataset, name) for name in diagram.features]
        return int(dataset.n_better_columns[used].max(initial=0)) + 1

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The columns that are not permitted."""
        better = dict(zip(dataset.schema.names, dataset.n_better_columns.tolist(), strict=True))
        beyond = sorted(name for name in diagram.features if better[name] >= self.number)
        return tuple(f"the model uses {name}" for name in beyond)

    def rules(self, problem: Problem) -> tuple[rules.Rule, ...]:
        """The permitted columns."""
        return (rules.Allowed(frozenset(np.flatnonzero(problem.dataset.n_better_columns < self.number).tolist())),)

    def limits(self, problem: Problem) -> Sequence[int]:
        """Up to all columns."""
        return range(self.number + 1, problem.dataset.n_columns + 1)
