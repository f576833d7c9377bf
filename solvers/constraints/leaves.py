"""Constraints on the purity of leaves."""

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated

from ..diagram import Diagram
from ..problem import Dataset, Problem
from .base import ConstraintRecord, Topic, parameter
from .fields import FieldType
from .rules import Pure, Rule
from .values import Number, percent, positive_class, weights_of


class _Purity(ConstraintRecord, frozen=True):
    """A minimum share of the predicted class in leaves; leaves without rows are ignored."""

    topic = Topic.LEAVES
    sees_answers = True
    limited_by = "share"
    rising_eases = False

    share: Annotated[Fraction, parameter(FieldType.SHARE)]

    @abstractmethod
    def _label(self, dataset: Dataset) -> int | None:
        """The predicted class that it applies to; `None` for all."""

    def _shares(self, diagram: Diagram, dataset: Dataset) -> Iterator[tuple[int, int, Fraction]]:
        """Leaf, predicted class, and the share of that class, for the leaves that it applies to."""
        leaf, label, weights = diagram.apply(dataset), self._label(dataset), weights_of(dataset)[0]
        for i, node in diagram.leaves:
            total = int(weights[leaf == i].sum())
            if total and label in (None, node.label):
                yield i, node.label, Fraction(int(weights[(leaf == i) & (dataset.y == node.label)].sum()), total)

    def value(self, diagram: Diagram, dataset: Dataset) -> Fraction | None:
        """The smallest share of a leaf; `None` if no leaf predicts the class."""
        return min((pure for *_, pure in self._shares(diagram, dataset)), default=None)

    def step(self, dataset: Dataset) -> Number:
        """0: unknown, as it depends on the leaf."""
        return 0

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The leaves whose share is too small."""
        return tuple(
            (
                f"leaf {i} predicts '{dataset.classes[label]}', which is the class of {percent(pure)} of its rows; "
                f"the limit is {percent(self.share)}"
            )
            for i, label, pure in self._shares(diagram, dataset)
            if pure < self.share
        )

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """A minimum share in the leaves."""
        return (Pure(self._label(problem.dataset), self.share),)


class MinPurity(_Purity, frozen=True):
    """In every leaf, at least this share of the rows has the predicted class."""

    title = "Minimum leaf purity"
    wording = "at least {share} of the rows of every leaf have the predicted class"
    formula = r"\sum_{i \in \ell,\, y_i = \hat y_\ell} w_i \ge p \sum_{i \in \ell} w_i \quad \text{for every } \ell"
    source = "Made after Nanfack, Temple and Frénay (2023), section 4.4, with equation (18)"

    def _label(self, dataset: Dataset) -> None:
        return None


class MinLeafPrecision(_Purity, frozen=True):
    """In every leaf that predicts this class, at least this share of the rows has it."""

    title = "Minimum leaf precision"
    formula = r"\hat y_\ell = k \;\Rightarrow\; \sum_{i \in \ell,\, y_i = k} w_i \ge p \sum_{i \in \ell} w_i"
    source = "Made after Nanfack, Temple and Frénay (2023), section 4.4, with equation (18)"

    positive: Annotated[
        str | None, parameter(FieldType.CLASS, "Predicted class", "Leave empty for the positive class of the data.")
    ] = None

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'at least 80% of the rows of every leaf that predicts 'yes' have this class'."""
        name = self.positive
        if name is None and dataset is not None and dataset.positive is not None:
            name = dataset.classes[dataset.positive]
        leaf = "every positive leaf" if name is None else f"every leaf that predicts '{name}'"
        return f"at least {percent(self.share)} of the rows of {leaf} have this class"

    def _label(self, dataset: Dataset) -> int:
        return positive_class(dataset, self.positive)
