"""Constraints on the size of the model, and rule lists."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np

from ..diagram import Diagram, Leaf
from ..problem import MAX_DEPTH, Dataset, Problem, Shape
from ..problem.texts import plural
from .base import ConstraintRecord, Finding, Topic, parameter, steps
from .fields import FieldType
from .model_queries import weight
from .rules import MinNodeRowsRule, Rule, RuleListRule
from .values import Number, shown, weights_of


class _Size(ConstraintRecord, frozen=True):
    """A limit on the size: satisfied if `value` is within it; it tightens the shape."""

    topic = Topic.SIZE
    beyond: ClassVar[str]
    """The message for a value beyond the limit."""
    measure: ClassVar[str] = ""
    """The property of a model that is limited; '' if `value` computes it."""
    bounds: ClassVar[str] = ""
    """The maximum in the shape that is tightened; '' if `tighten` does more."""

    def value(self, diagram: Diagram, dataset: Dataset) -> Number:
        """The size of the model."""
        size: int = getattr(diagram, self.measure)
        return size

    def tighten(self, shape: Shape) -> Shape:
        """The shape with a maximum of at most the limit."""
        most, limit = getattr(shape, self.bounds), self.limit
        bound: dict[str, Any] = {self.bounds: limit if most is None else min(most, limit)}
        return replace(shape, **bound)

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The value, if it is beyond the limit."""
        value, limit = self.value(diagram, dataset), self.limit
        assert limit is not None
        if value <= limit if self.rising_eases else value >= limit:
            return ()
        return (self.beyond.format(shown(value), shown(limit)),)


class MaxDepth(_Size, frozen=True):
    """Maximum number of questions per row."""

    title = "Maximum depth"
    wording = "at most {depth} question[s|] on every path"
    formula = r"\max_{\text{paths } P} |P| \le K"
    source = "Nanfack, Temple and Frénay (2023), section 3.1: the number of levels K of Q"
    limited_by = "depth"
    measure = "depth"
    beyond = "the depth is {}; the limit is {}"

    depth: Annotated[int, parameter(FieldType.COUNT, unit="questions", low=0, high=MAX_DEPTH)]

    def limits(self, problem: Problem) -> Sequence[int]:
        """Up to the depth of the shape."""
        return range(self.depth + 1, problem.shape.max_depth + 1)

    def tighten(self, shape: Shape) -> Shape:
        """A smaller depth."""
        widths = None if shape.widths is None else shape.widths[: self.depth]
        return replace(shape, max_depth=min(shape.max_depth, self.depth), widths=widths)


class MaxLeaves(_Size, frozen=True):
    """Maximum number of leaves."""

    title = "Maximum leaves"
    wording = "at most {leaves} [leaves|leaf]"
    formula = r"|\text{leaves}(T)| \le L"
    source = "Nanfack, Temple and Frénay (2023), section 3.1: the number of branches L of Q"
    limited_by = "leaves"
    measure, bounds = "n_leaves", "max_leaf_nodes"
    beyond = "there are {} leaves; the limit is {}"

    leaves: Annotated[int, parameter(FieldType.COUNT, unit="leaves", low=1)]

    def limits(self, problem: Problem) -> Sequence[int]:
        """Up to the maximum that the shape and the rows allow."""
        most = min(2**problem.shape.max_depth, problem.dataset.n_samples, problem.shape.max_leaf_nodes or 2**MAX_DEPTH)
        return range(self.leaves + 1, most + 1)


class MaxQuestions(_Size, frozen=True):
    """Maximum number of questions (splits) in the whole model."""

    title = "Maximum questions"
    wording = "at most {questions} question[s|] in the model"
    formula = r"|\{u : u \text{ asks}\}| \le B"
    source = "Florio et al. (2023), section 4.3: parsimony"
    limited_by = "questions"
    measure, bounds = "n_splits", "max_splits"
    beyond = "there are {} questions; the limit is {}"

    questions: Annotated[int, parameter(FieldType.COUNT, unit="questions", low=0)]

    def limits(self, problem: Problem) -> Sequence[int]:
        """Up to the maximum that the shape and the rows allow."""
        most = min(sum(problem.shape.layer_widths), problem.dataset.n_samples, problem.shape.max_splits or 2**MAX_DEPTH)
        return range(self.questions + 1, most + 1)


class MinSamplesSplit(ConstraintRecord, frozen=True):
    """Minimum number of training rows that reach each question, for stability."""

    title = "Minimum rows per question"
    wording = "at least {rows} row[s reach| reaches] every question"
    formula = r"\sum_{i} [i \text{ reaches } v] \ge S \quad \text{for every question } v"
    source = "Florio et al. (2023), equation 20"
    topic = Topic.SIZE
    limited_by = "rows"
    rising_eases = False

    rows: Annotated[int, parameter(FieldType.COUNT, unit="rows", low=0)]

    def value(self, diagram: Diagram, dataset: Dataset) -> int | None:
        """The smallest number of rows that reach a split; `None` if there are no splits."""
        here = diagram.reach(dataset).sum(axis=0)
        return min((int(here[i]) for i, _ in diagram.splits), default=None)

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The splits with fewer rows."""
        here = diagram.reach(dataset).sum(axis=0)
        return tuple(
            f"node {i} has {plural(here[i], 'row')}; the limit is {self.rows}"
            for i, _ in diagram.splits
            if here[i] < self.rows
        )

    def limits(self, problem: Problem) -> Sequence[int]:
        """Down to 0."""
        return range(min(self.rows - 1, problem.dataset.n_samples), -1, -1)

    def strictest(self, problem: Problem) -> int:
        """One row more than the table has: no split is possible."""
        return problem.dataset.n_samples + 1

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """A note if the table has fewer rows than the limit."""
        n = problem.dataset.n_samples
        if n < self.rows:
            yield Finding.note(f"The table has only {plural(n, 'row')}, so no question is possible.", "rows")

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """The minimum number of rows of every split."""
        return (MinNodeRowsRule(self.rows),)


class MinSamplesLeaf(_Size, frozen=True):
    """Minimum number of training rows in each leaf."""

    title = "Minimum rows per leaf"
    wording = "at least {rows} row[s|] in every leaf"
    formula = r"\sum_{i} [i \in \ell] \ge n_{\min} \quad \text{for every leaf } \ell"
    source = "Nanfack, Temple and Frénay (2023), section 4.4"
    limited_by = "rows"
    beyond = "the smallest leaf has {} rows; the limit is {}"
    rising_eases = False

    rows: Annotated[int, parameter(FieldType.COUNT, unit="rows", low=1)]

    def value(self, diagram: Diagram, dataset: Dataset) -> int:
        """The rows of the smallest leaf."""
        here = np.bincount(diagram.apply(dataset), minlength=diagram.n_nodes)
        return int(min(here[i] for i, _ in diagram.leaves))

    def limits(self, problem: Problem) -> Sequence[int]:
        """Down to the minimum of the shape."""
        return range(self.rows - 1, problem.shape.min_samples_leaf - 1, -1)

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Impossible if the table has fewer rows than the limit."""
        n = problem.dataset.n_samples
        if n < self.rows:
            yield Finding.impossible(f"The table has only {plural(n, 'row')}.", "rows")

    def tighten(self, shape: Shape) -> Shape:
        """Larger leaves."""
        return replace(shape, min_samples_leaf=max(shape.min_samples_leaf, self.rows))


class MinWeightLeaf(_Size, frozen=True):
    """Minimum total weight of the training rows in each leaf."""

    title = "Minimum weight per leaf"
    wording = "a weight of at least {weight} in every leaf"
    formula = r"\sum_{i \in \ell} w_i \ge w_{\min} \quad \text{for every leaf } \ell"
    source = "Nanfack, Temple and Frénay (2023), section 4.4, with weights"
    limited_by = "weight"
    beyond = "the lightest leaf has weight {}; the limit is {}"
    rising_eases = False

    weight: Annotated[Number, parameter(FieldType.NUMBER, help="In units of the weight column.", low=0)]

    def value(self, diagram: Diagram, dataset: Dataset) -> Number:
        """The weight of the lightest leaf."""
        leaf = diagram.apply(dataset)
        return min(weight(dataset, leaf == i) for i, _ in diagram.leaves)

    def step(self, dataset: Dataset) -> Number:
        """The unit that all weights are multiples of."""
        return Fraction(1, weights_of(dataset)[1])

    def limits(self, problem: Problem) -> Sequence[Number]:
        """Down to the minimum of the shape."""
        unit = Fraction(1, weights_of(problem.dataset)[1])
        return steps(self.weight - unit, Fraction(repr(problem.shape.min_weight_leaf)), -unit)

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Impossible if all rows together have less weight."""
        total = weight(problem.dataset, np.arange(problem.dataset.n_samples))
        if total < self.weight:
            yield Finding.impossible(f"The total weight of the rows is only {shown(total)}.", "weight")

    def tighten(self, shape: Shape) -> Shape:
        """Heavier leaves."""
        return replace(shape, min_weight_leaf=max(shape.min_weight_leaf, float(self.weight)))


class FastAndFrugal(ConstraintRecord, frozen=True):
    """Every split has an exit: at least one of its sides is a leaf; for the last split, both are.

    This is a rule list: if the first condition holds, predict; else test the next one. Its length is the number of
    splits, which is also the depth.
    """

    title = "Fast-and-frugal tree"
    summary = (
        "At every question, one answer leads to a leaf at once, so the model reads as a rule list: if this, then that, "
        "else the next question."
    )
    wording = "every question has an exit"
    formula = r"\text{some child of } u \text{ is a leaf} \quad \text{for every question } u"
    source = (
        "Martignon, Vitouch, Takezawa and Forster (2003); Phillips, Neth, Woike and Gaissmaier (2017), 'FFTrees'; as "
        "lists of rules Angelino, Larus-Stone, Alabi, Seltzer and Rudin (2018), 'CORELS'"
    )
    topic = Topic.SIZE

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The splits whose sides both lead to another split."""
        return tuple(
            f"both branches of node {i} lead to another split"
            for i, node in diagram.splits
            if not any(isinstance(diagram.nodes[child], Leaf) for child in (node.yes, node.no))
        )

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """The model is a rule list."""
        return (RuleListRule(),)
