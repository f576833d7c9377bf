"""What is known of constraints before and after solving, in words: the facts behind the editor and the results."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from solvers.constraints import KINDS, Constraint, Field, Finding, Severity, Topic
from solvers.diagram import Diagram
from solvers.errors import ConstraintError
from solvers.problem import Dataset, Problem


def label_words(field: Field) -> str:
    """The label of a field with its unit, where the label does not say it."""
    stated = not field.unit or field.unit in field.label.lower().split()
    return field.label if stated else f"{field.label} ({field.unit})"


class ConstraintDraft(NamedTuple):
    """A constraint while its form is filled in; `None` while something lacks or is wrong.

    With it the labels of the fields that must still be filled in, and what is wrong or worth knowing.
    """

    constraint: Constraint | None
    lacking: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Whether the constraint can be put on the list: complete, and about things that the table has."""
        return self.constraint is not None and not any(f.severity is Severity.ERROR for f in self.findings)

    def about(self, field: str | None) -> tuple[Finding, ...]:
        """The findings that belong to a field, or with `None` to the constraint as a whole."""
        return tuple(finding for finding in self.findings if finding.field == field)


def draft(kind: type[Constraint], values: Mapping[str, Any], problem: Problem) -> ConstraintDraft:
    """What the values of a form make of a kind of constraint, by field; `None` for a field that is still empty."""
    form = kind.form()
    lacking = tuple(field.label for field in form if not field.optional and values.get(field.name) is None)
    faults = [
        Finding(Severity.ERROR, fault, field.name)
        for field in form
        if values.get(field.name) is not None and (fault := _fault(field, values[field.name]))
    ]
    if lacking or faults:
        return ConstraintDraft(None, lacking, tuple(faults))
    try:
        constraint = kind(**{name: value for name, value in values.items() if value is not None})
    except ConstraintError as error:
        return ConstraintDraft(None, (), (Finding(Severity.ERROR, str(error)),))
    return ConstraintDraft(constraint, (), constraint.check(problem))


def _fault(field: Field, value: Any) -> str:
    """Why a value cannot stand in a field, without the label that stands above it on the screen anyway."""
    try:
        field.clean(value)
    except ConstraintError as error:
        reason = str(error).removeprefix(f"{field.label}: ")
        return reason[0].upper() + reason[1:]
    return ""


class Kinds(NamedTuple):
    """The constraints about one topic that the picker offers."""

    topic: Topic
    kinds: tuple[type[Constraint], ...]


def kinds_by_topic() -> tuple[Kinds, ...]:
    """All kinds of constraint by what they are about; the size comes last, as the Design screen asks for it anyway."""
    topics = sorted(Topic, key=lambda topic: topic is Topic.SIZE)
    found = [Kinds(topic, tuple(kind for kind in KINDS.values() if kind.topic is topic)) for topic in topics]
    return tuple(group for group in found if group.kinds)


class ConstraintLine(NamedTuple):
    """A constraint on the list in words, and sentences on what is known of it before solving.

    With an error nothing can be solved.
    """

    words: str
    errors: tuple[str, ...]
    impossible: tuple[str, ...]
    notes: tuple[str, ...]


def constraint_line(constraint: Constraint, problem: Problem) -> ConstraintLine:
    """What is known of a constraint before solving."""
    found = constraint.check(problem)
    by_severity = (tuple(f.text for f in found if f.severity is severity) for severity in Severity)
    errors, impossible, notes = by_severity
    return ConstraintLine(constraint.words(problem.dataset), errors, impossible, notes)


class Achieved(NamedTuple):
    """Whether a model keeps a constraint on some rows, the figure it achieves ('' for none), and where it breaks it."""

    holds: bool
    figure: str
    broken: tuple[str, ...]


class ConstraintRow(NamedTuple):
    """A constraint held against a model.

    Attributes
    ----------
    words : the constraint.
    train : on the training rows, where it was asked for.
    test : on the held-out rows; `None` where there are none, or where the constraint says nothing about new rows.
    room : how far the model is from the limit, in words; '' where there is no figure.
    binds : whether there is no room left; `None` where there is no figure.
    """

    words: str
    train: Achieved
    test: Achieved | None
    room: str
    binds: bool | None


def constraint_rows(
    constraints: tuple[Constraint, ...], diagram: Diagram, train: Dataset, test: Dataset | None
) -> tuple[ConstraintRow, ...]:
    """Which constraints a model keeps, and how closely."""
    return tuple(
        ConstraintRow(
            constraint.words(train),
            _achieved(constraint, diagram, train),
            _on_new_rows(constraint, diagram, test) if test is not None and constraint.sees_answers else None,
            "" if (room := constraint.slack(diagram, train)) is None else constraint.show(max(room, -room)),
            constraint.binds(diagram, train),
        )
        for constraint in constraints
    )


def _on_new_rows(constraint: Constraint, diagram: Diagram, data: Dataset) -> Achieved | None:
    """The same on rows that were held out; `None` where they lack whom it is about, such as a rare group."""
    try:
        found = _achieved(constraint, diagram, data)
    except ConstraintError:
        return None
    return None if constraint.limit is not None and not found.figure else found


def _achieved(constraint: Constraint, diagram: Diagram, data: Dataset) -> Achieved:
    broken = constraint.violations(diagram, data)
    value = constraint.value(diagram, data)
    return Achieved(not broken, "" if value is None else constraint.show(value), broken)


def kept_sentence(rows: tuple[ConstraintRow, ...]) -> str:
    """How many constraints a model keeps, for instance 'keeps all 3 constraints' or 'breaks 1 of 3 constraints'."""
    broken = sum(not row.train.holds for row in rows)
    if not broken:
        return "keeps the constraint" if len(rows) == 1 else f"keeps all {len(rows)} constraints"
    return "breaks the constraint" if len(rows) == 1 else f"breaks {broken} of {len(rows)} constraints"
