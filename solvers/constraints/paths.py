"""Constraints on the splits of a path and their order."""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Annotated, ClassVar

import numpy as np

from ..diagram import Diagram, Split
from ..errors import ConstraintError
from ..problem import Dataset, LinearPredicate, Predicate, Problem, ShapeKind
from ..problem.texts import format_list
from .base import ConstraintRecord, Finding, Topic, parameter, titles
from .fields import FieldType
from .model_queries import columns_above, node_at
from .questions import Questions
from .rules import Allowed, FixedQuestion, Path, PrecedenceRule, PrerequisiteRule, Rule
from .values import columns_apart, columns_named


class _TwoColumns(ConstraintRecord, frozen=True):
    topic = Topic.ORDER

    first: Annotated[str, parameter(FieldType.FAMILY, "First")]
    then: Annotated[str, parameter(FieldType.FAMILY, "Second")]

    def fault(self) -> str:
        """The two columns must differ."""
        return f"'{self.first}' cannot come before itself." if self.first == self.then else ""

    def idle(self, diagram: Diagram, dataset: Dataset) -> str:
        """Which of the two the model does not use."""
        pairs = zip(dataset.schema.titles((self.first, self.then)), self._columns(dataset), strict=True)
        unused = [title for title, columns in pairs if not columns.intersection(diagram.features)]
        return f"{format_list(unused, 'and')} {'are' if len(unused) > 1 else 'is'} not used" if unused else ""

    def _columns(self, dataset: Dataset) -> list[frozenset[str]]:
        """The columns that come first, and those that come later; an error if a feature belongs to both."""
        return columns_apart(dataset, (self.first, self.then))

    def _pairs(self, problem: Problem) -> Iterator[tuple[int, int]]:
        first, then = (sorted(map(problem.dataset.schema.index, names)) for names in self._columns(problem.dataset))
        return product(first, then)


class AskedBefore(_TwoColumns, frozen=True):
    """If a path uses both variables or families, the first one comes first. Using only one is allowed."""

    title = "One before the other"
    wording = "{first} is asked before {then}"
    formula = r"\text{no path asks about some } a \in A \text{ below a question about some } b \in B"
    source = "Nanfack, Temple and Frénay (2023), section 4.1"

    then: Annotated[str, parameter(FieldType.FAMILY, "Later")]

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The splits on the first column below one on the other."""
        first, then = self._columns(dataset)
        before = columns_above(diagram)
        return tuple(
            f"node {i} splits on {min(late)} below a split on {min(early)}"
            for i, node in diagram.splits
            if (late := first.intersection(node.predicate.columns)) and (early := then & frozenset().union(*before[i]))
        )

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """The first is never below the other."""
        return tuple(PrecedenceRule(upper=then, lower=first) for first, then in self._pairs(problem))


class OnlyAfter(_TwoColumns, frozen=True):
    """The second variable, or every variable of a family, is used only after the first one on the same path."""

    title = "Only after another"
    wording = "{then} is asked only after {first}"
    formula = r"\text{every split on some } b \in B \text{ is below a split on } a"
    source = "The stronger reading of Nanfack, Temple and Frénay (2023), section 4.1"

    first: Annotated[str, parameter(FieldType.COLUMN, "First")]
    then: Annotated[str, parameter(FieldType.FAMILY, "Only afterwards")]

    def idle(self, diagram: Diagram, dataset: Dataset) -> str:
        """That the model does not use the second one: the first one is not required then."""
        _, then = self._columns(dataset)
        return "" if then.intersection(diagram.features) else super().idle(diagram, dataset)

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The splits on the second column that some path reaches without the first."""
        _, then = self._columns(dataset)
        before = columns_above(diagram)
        return tuple(
            f"node {i} splits on {min(early)} before {self.first}"
            for i, node in diagram.splits
            if (early := then.intersection(node.predicate.columns))
            and any(self.first not in columns for columns in before[i])
        )

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """The second only below the first."""
        return tuple(PrerequisiteRule(column=then, upper=first) for first, then in self._pairs(problem))


class AskedOnce(ConstraintRecord, frozen=True):
    """No path uses a feature twice, so each feature has one threshold on a path."""

    title = "Once per path"
    wording = "no path asks about a feature twice"
    formula = r"c_u \ne c_v \quad \text{for all questions } u \ne v \text{ on a path}"
    source = "Made after Nanfack, Temple and Frénay (2023), section 4.1"
    topic = Topic.ORDER

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The splits on a column below one on the same column."""
        before = columns_above(diagram)
        return tuple(
            f"node {i} splits on {min(again)} a second time"
            for i, node in diagram.splits
            if (again := frozenset().union(*before[i]).intersection(node.predicate.columns))
        )

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """No split on a column is below another one."""
        return tuple(PrecedenceRule(column, column) for column in range(problem.dataset.n_columns))


class ExclusiveColumns(ConstraintRecord, frozen=True):
    """At most one of some columns and families is used on a path, or in the model.

    Of a family any columns may be used together, unless it is the only name.
    """

    place: ClassVar[str]

    columns: Annotated[tuple[str, ...], parameter(FieldType.COLUMNS, "Mutually exclusive features")]

    def fault(self) -> str:
        """At least one name is required; one feature alone is refused with the table."""
        return "" if self.columns else "Choose at least two features, or a family."

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'never both L-CORE and L-SURF on one path'."""
        which = "both" if len(self.columns) == 2 else "two of"
        return f"never {which} {format_list(titles(self.columns, dataset), 'and')} {self.place}"

    def sets(self, dataset: Dataset) -> list[frozenset[str]]:
        """The columns of each name; a family alone excludes its own columns from each other.

        Raises `ConstraintError` if a feature belongs to two names, or only one is named.
        """
        sets = columns_apart(dataset, self.columns)
        if len(sets) == 1:
            sets = [frozenset({name}) for name in sorted(sets[0])]
        if len(sets) < 2:
            raise ConstraintError("Choose at least two features, or a family of two.")
        return sets

    def pairs(self, problem: Problem) -> Iterator[tuple[int, int]]:
        """The positions of two exclusive columns, the earlier name first."""
        position = problem.dataset.schema.index
        for one, other in combinations(self.sets(problem.dataset), 2):
            yield from product(sorted(map(position, one)), sorted(map(position, other)))


class NeverBothOnPath(ExclusiveColumns, frozen=True):
    """No path uses two of these variables, for instance because they measure the same."""

    title = "Not both on path"
    formula = r"|\{c \in C : \text{path } P \text{ asks about } c\}| \le 1 \quad \text{for every path } P"
    source = "Nanfack, Temple and Frénay (2023), section 4.6, on a branch"
    topic = Topic.ORDER
    place = "on one path"

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The nodes that use a second one of the columns."""
        sets, before = self.sets(dataset), columns_above(diagram)
        found = []
        for i, node in diagram.splits:
            here = frozenset().union(*sets).intersection(node.predicate.columns)
            met = [columns for columns in sets if columns & here]
            others = frozenset().union(*(columns for columns in sets if columns not in met))
            above = others & frozenset().union(*before[i])
            if here and above:
                found.append(f"node {i} splits on {min(here)} below a split on {min(above)}")
            elif len(met) > 1:
                found.append(f"node {i} splits on {format_list(tuple(sorted(here)), 'and')} at once")
        return tuple(found)

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """No split on one column is below one on another."""
        pairs = [*self.pairs(problem)]
        return tuple(PrecedenceRule(upper, lower) for one, two in pairs for upper, lower in ((one, two), (two, one)))


class _Columns(ConstraintRecord, frozen=True):
    topic = Topic.FEATURES

    columns: Annotated[tuple[str, ...], parameter(FieldType.COLUMNS)]

    def fault(self) -> str:
        """At least one column is required."""
        return "" if self.columns else "Choose at least one feature."

    def _positions(self, problem: Problem) -> frozenset[int]:
        return frozenset(map(problem.dataset.schema.index, columns_named(problem.dataset, *self.columns)))


class _Allowed(_Columns, frozen=True):
    """The columns that splits may use."""

    allowing: ClassVar[bool]
    """Whether the columns are allowed or forbidden."""

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The splits on columns that are not allowed."""
        named = columns_named(dataset, *self.columns)
        return tuple(
            f"node {i} splits on {column}"
            for i, node in diagram.splits
            for column in dict.fromkeys(node.predicate.columns)
            if (column in named) != self.allowing
        )

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """The allowed columns."""
        named = self._positions(problem)
        return (Allowed(named if self.allowing else frozenset(range(problem.dataset.n_columns)) - named),)


class OnlyColumns(_Allowed, frozen=True):
    """The model uses only these features."""

    allowing = True
    title = "Allowed features"
    wording = "only {columns} [are|is] asked"
    formula = r"\text{every question is about some } c \in C"
    source = "Nanfack, Temple and Frénay (2023), section 4.6, on the whole tree"


class NeverColumns(_Allowed, frozen=True):
    """The model never uses these features, for instance because that would be unfair."""

    allowing = False
    title = "Forbidden features"
    wording = "{columns} [are|is] never asked"
    formula = r"\text{no question is about some } c \in C"
    source = "Nanfack, Temple and Frénay (2023), section 4.6, on the whole tree"


class FirstQuestion(_Columns, frozen=True):
    """The first question uses one of these features. A model without questions also satisfies this."""

    title = "First question"
    formula = r"\text{the question at the root is about some } c \in C"
    source = "A special case of Nanfack, Temple and Frénay (2023), equation (1)"

    columns: Annotated[tuple[str, ...], parameter(FieldType.COLUMNS, "Features for first question")]

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'the first question is about age'."""
        return f"the first question is about {format_list(titles(self.columns, dataset), 'or')}"

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The root split, if it uses another column."""
        root, named = diagram.nodes[0], columns_named(dataset, *self.columns)
        others = [] if not isinstance(root, Split) else [c for c in root.predicate.columns if c not in named]
        return (f"the first question is about {others[0]}",) if others else ()

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """Only these columns are allowed at the root."""
        return (Allowed(self._positions(problem), at_root=True),)


class FixedTop(ConstraintRecord, frozen=True):
    """The model begins with these questions, as in a guideline or your own model, and learns the rest."""

    title = "Fixed first questions"
    formula = r"\text{node } p \text{ has split } q_p \quad \text{for every given } (p, q_p)"
    source = "A prefix of the branches Q of Nanfack, Temple and Frénay (2023), section 3.1"
    topic = Topic.ORDER

    questions: Annotated[
        Questions, parameter(FieldType.QUESTIONS, "Questions", "The first question, and those below it.")
    ]

    @property
    def depth(self) -> int:
        """The number of splits on the longest fixed path."""
        return 1 + max(len(place) for place, _ in self.questions.places())

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'the first questions are: age is at most 50; if yes: sex is female'."""
        parts = []
        for place, question in self.questions.places():
            way = ", then ".join("yes" if answer else "no" for answer in place)
            parts.append(f"if {way}: {question.words()}" if place else question.words())
        listed_parts = "; ".join(parts)
        return (
            f"the first question is: {listed_parts}" if len(parts) == 1 else f"the first questions are: {listed_parts}"
        )

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Impossible if the splits are too deep, or give a tree too many or too small leaves."""
        dataset, size = problem.dataset, problem.size
        n_questions = sum(1 for _ in self.questions.places())
        most = size.max_leaf_nodes if size.kind is ShapeKind.TREE else None
        if most is not None and n_questions + 1 > most:
            yield Finding.impossible(f"{n_questions} questions need {n_questions + 1} leaves; the limit is {most}.")
        elif self.depth > size.max_depth:
            yield Finding.impossible(f"The fixed questions have depth {self.depth}; the limit is {size.max_depth}.")
        if size.kind is not ShapeKind.TREE:
            return  # one leaf per class, wherever the splits lead
        rows: dict[Path, np.ndarray] = {(): np.ones(dataset.n_samples, bool)}
        for place, question in self.questions.places():
            predicate = question.predicate(dataset)
            yes = predicate.answer(dataset.X[:, dataset.schema.index(predicate.column)])
            for answer in (True, False):
                here = rows[place] & (yes == answer)
                rows[(*place, answer)] = here
                if here.sum() < size.min_samples_leaf:
                    side = f"'{question.words()}' is {'yes' if answer else 'no'}"
                    yield Finding.impossible(f"{side} for {here.sum()} rows, fewer than the minimum per leaf.")

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The positions with another split or none."""
        found = []
        for place, question in self.questions.places():
            at = node_at(diagram, place)
            node = None if at is None else diagram.nodes[at]
            wanted = question.predicate(dataset)
            if not isinstance(node, Split):
                found.append(f"the model has no question '{question.words()}'")
            elif not same_question(node.predicate, wanted, dataset):
                found.append(
                    f"node {at} has the split '{node.predicate.words(diagram.schema)}' instead of '{question.words()}'"
                )
        return tuple(found)

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """A split for each position."""
        return tuple(FixedQuestion(place, q.predicate(problem.dataset)) for place, q in self.questions.places())


def same_question(a: Predicate | LinearPredicate, b: Predicate, dataset: Dataset) -> bool:
    """Whether two splits are the same; the side of missing values matters if the table has missing values there."""
    if isinstance(a, LinearPredicate) or (a.column, a.op, a.value) != (b.column, b.op, b.value):
        return False
    return a.missing == b.missing or not np.isnan(dataset.X[:, dataset.schema.index(a.column)]).any()
