"""How large the model may be."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..diagram import Diagram
from ..problem import MAX_DEPTH, Dataset, Problem, Shape
from ..problem.texts import plural
from .base import Constraint, Finding, Topic, parameter, steps
from .fields import FieldType
from .model_queries import weight
from .rules import Reached, Rule
from .values import Number, shown, weights_of


@dataclass(frozen=True)
class _Size(Constraint):
    """A limit of the size: it holds where `value` keeps it, and lowers to the shape."""

    topic = Topic.SIZE
    beyond: ClassVar[str]
    """What is said of a value beyond the limit."""

    @abstractmethod
    def value(self, diagram: Diagram, dataset: Dataset) -> Number:
        """What the model has."""

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The figure that is beyond the limit."""
        value, limit = self.value(diagram, dataset), self.limit
        assert limit is not None
        if value <= limit if self.rising_eases else value >= limit:
            return ()
        return (self.beyond.format(shown(value), shown(limit)),)


@dataclass(frozen=True)
class MaxDepth(_Size):
    """At most so many questions on a path."""

    kind = "max-depth"
    title = "Depth"
    summary = "No case is asked more than so many questions."
    wording = "at most {depth} question[s|] on every path"
    formula = r"\max_{\text{paths } P} |P| \le K"
    source = "Nanfack, Temple and Frénay (2023), section 3.1: the number of levels K of Q"
    limited_by = "depth"
    beyond = "the depth is {}; at most {} was asked for"

    depth: int = parameter(FieldType.COUNT, "Questions on a path at most", unit="questions", low=0, high=MAX_DEPTH)

    def value(self, diagram: Diagram, dataset: Dataset) -> int:
        """The depth."""
        return diagram.depth

    def limits(self, problem: Problem) -> Sequence[int]:
        """Up to the depth of the shape."""
        return range(self.depth + 1, problem.shape.max_depth + 1)

    def tighten(self, shape: Shape) -> Shape:
        """A smaller depth."""
        widths = None if shape.widths is None else shape.widths[: self.depth]
        return replace(shape, max_depth=min(shape.max_depth, self.depth), widths=widths)


@dataclass(frozen=True)
class MaxLeaves(_Size):
    """At most so many leaves."""

    kind = "max-leaves"
    title = "Number of leaves"
    summary = "The model has at most so many leaves, so that it can be read at a glance."
    wording = "at most {leaves} [leaves|leaf]"
    formula = r"|\text{leaves}(T)| \le L"
    source = "Nanfack, Temple and Frénay (2023), section 3.1: the number of branches L of Q"
    limited_by = "leaves"
    beyond = "there are {} leaves; at most {} were asked for"

    leaves: int = parameter(FieldType.COUNT, "Leaves at most", unit="leaves", low=1)

    def value(self, diagram: Diagram, dataset: Dataset) -> int:
        """The number of leaves."""
        return diagram.n_leaves

    def limits(self, problem: Problem) -> Sequence[int]:
        """Up to what the shape and the rows allow."""
        most = min(2**problem.shape.max_depth, problem.dataset.n_samples, problem.shape.max_leaf_nodes or 2**MAX_DEPTH)
        return range(self.leaves + 1, most + 1)

    def tighten(self, shape: Shape) -> Shape:
        """Fewer leaves."""
        most = self.leaves if shape.max_leaf_nodes is None else min(shape.max_leaf_nodes, self.leaves)
        return replace(shape, max_leaf_nodes=most)


@dataclass(frozen=True)
class MaxQuestions(_Size):
    """At most so many questions in the whole model."""

    kind = "max-questions"
    title = "Number of questions"
    summary = "The whole model has at most so many questions, wherever they stand, so that it fits on a card."
    wording = "at most {questions} question[s|] in the model"
    formula = r"|\{u : u \text{ asks}\}| \le B"
    source = "Florio et al. (2023), section 4.3: parsimony"
    limited_by = "questions"
    beyond = "there are {} questions; at most {} were asked for"

    questions: int = parameter(FieldType.COUNT, "Questions in the model at most", unit="questions", low=0)

    def value(self, diagram: Diagram, dataset: Dataset) -> int:
        """The number of questions."""
        return diagram.n_splits

    def limits(self, problem: Problem) -> Sequence[int]:
        """Up to what the shape and the rows allow."""
        most = min(sum(problem.shape.layer_widths), problem.dataset.n_samples, problem.shape.max_splits or 2**MAX_DEPTH)
        return range(self.questions + 1, most + 1)

    def tighten(self, shape: Shape) -> Shape:
        """Fewer questions."""
        least = self.questions if shape.max_splits is None else min(shape.max_splits, self.questions)
        return replace(shape, max_splits=least)


@dataclass(frozen=True)
class MinQuestionRows(Constraint):
    """At least so many training rows come to every question."""

    kind = "min-question-rows"
    title = "Rows of a question (stability)"
    summary = "Every question is asked of at least so many training rows, so that a few new cases do not change it."
    wording = "at least {rows} row[s come| comes] to every question"
    formula = r"\sum_{i} [i \text{ comes to } v] \ge S \quad \text{for every question } v"
    source = "Florio et al. (2023), equation 20"
    topic = Topic.SIZE
    limited_by = "rows"
    rising_eases = False

    rows: int = parameter(FieldType.COUNT, "Rows of a question at least", unit="rows", low=0)

    def value(self, diagram: Diagram, dataset: Dataset) -> int | None:
        """The rows of the question that the fewest come to; `None` where nothing is asked."""
        here = diagram.reach(dataset).sum(axis=0)
        return min((int(here[i]) for i, _ in diagram.splits), default=None)

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The questions that fewer rows come to."""
        here = diagram.reach(dataset).sum(axis=0)
        return tuple(
            f"node {i} has {plural(here[i], 'row')}; at least {self.rows} were asked for"
            for i, _ in diagram.splits
            if here[i] < self.rows
        )

    def limits(self, problem: Problem) -> Sequence[int]:
        """Down to none."""
        return range(min(self.rows - 1, problem.dataset.n_samples), -1, -1)

    def strictest(self, problem: Problem) -> int:
        """More rows than there are: nothing may be asked."""
        return problem.dataset.n_samples + 1

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Nothing can be asked where all rows together are fewer."""
        n = problem.dataset.n_samples
        if n < self.rows:
            yield Finding.note(f"The table has only {plural(n, 'row')}, so that no question can be asked.", "rows")

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """So many rows come to every question."""
        return (Reached(self.rows),)


@dataclass(frozen=True)
class MinLeafRows(_Size):
    """At least so many training rows in every leaf."""

    kind = "min-leaf-rows"
    title = "Rows of a leaf"
    summary = "Every leaf stands on at least so many training rows, so that no rule is made for one patient."
    wording = "at least {rows} row[s|] in every leaf"
    formula = r"\sum_{i} [i \in \ell] \ge n_{\min} \quad \text{for every leaf } \ell"
    source = "Nanfack, Temple and Frénay (2023), section 4.4"
    limited_by = "rows"
    beyond = "the number of rows of the smallest leaf is {}; at least {} were asked for"
    rising_eases = False

    rows: int = parameter(FieldType.COUNT, "Rows of a leaf at least", unit="rows", low=1)

    def value(self, diagram: Diagram, dataset: Dataset) -> int:
        """The rows of the smallest leaf."""
        here = np.bincount(diagram.apply(dataset), minlength=diagram.n_nodes)
        return int(min(here[i] for i, _ in diagram.leaves))

    def limits(self, problem: Problem) -> Sequence[int]:
        """Down to that of the shape."""
        return range(self.rows - 1, problem.shape.min_samples_leaf - 1, -1)

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Impossible where all rows together are fewer."""
        n = problem.dataset.n_samples
        if n < self.rows:
            yield Finding.impossible(f"The table has only {plural(n, 'row')}.", "rows")

    def tighten(self, shape: Shape) -> Shape:
        """Larger leaves."""
        return replace(shape, min_samples_leaf=max(shape.min_samples_leaf, self.rows))


@dataclass(frozen=True)
class MinLeafWeight(_Size):
    """At least so much weight of training rows in every leaf."""

    kind = "min-leaf-weight"
    title = "Weight of a leaf"
    summary = "The training rows of every leaf weigh at least so much together."
    wording = "a weight of at least {weight} in every leaf"
    formula = r"\sum_{i \in \ell} w_i \ge w_{\min} \quad \text{for every leaf } \ell"
    source = "Nanfack, Temple and Frénay (2023), section 4.4, with weights"
    limited_by = "weight"
    beyond = "the lightest leaf weighs {}; at least {} was asked for"
    rising_eases = False

    weight: Number = parameter(FieldType.NUMBER, "Weight of a leaf at least", "In units of the weight column.", low=0)

    def value(self, diagram: Diagram, dataset: Dataset) -> Number:
        """The weight of the lightest leaf."""
        leaf = diagram.apply(dataset)
        return min(weight(dataset, leaf == i) for i, _ in diagram.leaves)

    def step(self, dataset: Dataset) -> Number:
        """The unit that all weights are multiples of."""
        return Fraction(1, weights_of(dataset)[1])

    def limits(self, problem: Problem) -> Sequence[Number]:
        """Down to that of the shape."""
        unit = Fraction(1, weights_of(problem.dataset)[1])
        return steps(self.weight - unit, Fraction(repr(problem.shape.min_weight_leaf)), -unit)

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Impossible where all rows together are lighter."""
        total = weight(problem.dataset, np.arange(problem.dataset.n_samples))
        if total < self.weight:
            yield Finding.impossible(f"All rows together weigh only {shown(total)}.", "weight")

    def tighten(self, shape: Shape) -> Shape:
        """Heavier leaves."""
        return replace(shape, min_weight_leaf=max(shape.min_weight_leaf, float(self.weight)))
