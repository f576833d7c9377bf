"""Sentences about constraints before and after solving."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from components.messages.text import capitalise, interval, percent
from solvers.constraints import KINDS, Constraint, Field, Finding, Severity, Topic
from solvers.diagram import Diagram
from solvers.errors import ConstraintError
from solvers.metrics import Achieved, Estimate, Rate, observed, on_new_rows
from solvers.problem import Dataset, Problem
from solvers.sweeps.cross_validation import UnseenPredictions


def describe_label(field: Field) -> str:
    """The label of a field with its unit, unless the label includes it."""
    stated = not field.unit or field.unit in field.label.lower().split()
    label = field.label
    return label if stated else f"{label} ({field.unit})"


class ConstraintDraft(NamedTuple):
    """A constraint while its form is filled in; `constraint` is `None` while a value is missing or wrong.

    `lacking` has the labels of the empty required fields, and `findings` the errors and remarks.
    """

    constraint: Constraint | None
    lacking: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Whether the constraint can be added: complete, and valid for the table."""
        return self.constraint is not None and not any(f.severity is Severity.ERROR for f in self.findings)

    def about(self, field: str | None) -> tuple[Finding, ...]:
        """The findings about a field, or with `None` about the constraint as a whole."""
        return tuple(finding for finding in self.findings if finding.field == field)


def draft(kind: type[Constraint], values: Mapping[str, Any], problem: Problem) -> ConstraintDraft:
    """Build a constraint from the values of a form, by field; `None` for a field that is still empty."""
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
    """Why a value is not valid in a field, without the label above it."""
    try:
        field.held(value)
    except ConstraintError as error:
        return capitalise(str(error))
    return ""


def kinds_by_topic() -> dict[Topic, list[type[Constraint]]]:
    """All kinds of constraint by topic; the size comes last, as Design has fields for it."""
    topics = sorted(Topic, key=lambda topic: topic is Topic.SIZE)
    found = {topic: [kind for kind in KINDS.values() if kind.topic is topic] for topic in topics}
    return {topic: kinds for topic, kinds in found.items() if kinds}


def describe_achieved(constraint: Constraint, found: Achieved) -> str:
    """What a model achieves for a constraint; a share of rows with its interval and, with confidence, its limit."""
    value = "" if found.value is None else constraint.show(found.value)
    if found.observed is None:
        return value
    limit = "" if constraint.without_confidence() is constraint else f", limit {value}"
    return describe_share(found.observed) + limit


def on_test(constraint: Constraint, diagram: Diagram, test: Dataset) -> tuple[Achieved, str] | None:
    """What a model achieves on held-out rows, and whether they satisfy the constraint.

    With confidence, a share may reach the limit without confirming it. `None` if the constraint says nothing about new
    rows, or applies to none of these.
    """
    judged = constraint.judged
    new, plain = on_new_rows(judged, diagram, test), judged.without_confidence()
    if new is None:
        return None
    shares = None if plain is judged else on_new_rows(plain, diagram, test)
    if shares is None:
        return new, "satisfied" if new.holds else "violated"
    return new, "confirmed" if new.holds else "not confirmed" if shares.holds else "violated"


def describe_validated(constraint: Constraint, unseen: UnseenPredictions, train: Dataset) -> str:
    """The share in cross-validation, with its interval; '' if the constraint is not about a share."""
    try:
        return describe_share(observed(constraint, unseen.predicted, train.take(unseen.rows)))
    except ConstraintError:  # folds without a model may leave out all rows that it applies to
        return ""


def describe_share(found: Rate | Estimate | None) -> str:
    """A share with its 95% interval; '' if there is none."""
    return "" if found is None else f"{percent(found.value)} ({interval(found)})"


def describe_violated(broken: int, of: int) -> str:
    """How many constraints a model violates, for instance 'violates 1 of 3 constraints'."""
    return "violates the constraint" if of == 1 else f"violates {broken} of {of} constraints"
