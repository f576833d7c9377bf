"""What is known of constraints before and after solving, in words: the facts behind the editor and the results."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from components.words.text import capitalised, interval, percent
from solvers.constraints import KINDS, Constraint, Field, Finding, Severity, Topic
from solvers.diagram import Diagram
from solvers.errors import ConstraintError
from solvers.metrics import Achieved, Estimate, Rate, achieved, observed, on_new_rows
from solvers.problem import Dataset, Problem
from solvers.sweeps.cross_validation import UnseenPredictions


def label_words(field: Field) -> str:
    """The label of a field with its unit, where the label does not say it."""
    stated = not field.unit or field.unit in field.label.lower().split()
    label = field.label
    return label if stated else f"{label} ({field.unit})"


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
        field.held(value)
    except ConstraintError as error:
        return capitalised(str(error))
    return ""


def kinds_by_topic() -> dict[Topic, list[type[Constraint]]]:
    """All kinds of constraint by what they are about; the size comes last, as the Design screen asks for it anyway."""
    topics = sorted(Topic, key=lambda topic: topic is Topic.SIZE)
    found = {topic: [kind for kind in KINDS.values() if kind.topic is topic] for topic in topics}
    return {topic: kinds for topic, kinds in found.items() if kinds}


class AchievedWords(NamedTuple):
    """What a model achieves of a constraint on some rows.

    Attributes
    ----------
    holds : whether it keeps it.
    verdict : the same in words; with confidence, a share may be as large as asked for without being shown to be.
    figure : what it achieves, with its 95 % interval where it is a share of rows; '' for no figure.
    broken : where it breaks it, in sentences.
    observed : whether the figure is a share of rows.
    """

    holds: bool
    verdict: str
    figure: str
    broken: tuple[str, ...]
    observed: bool


class ConstraintRow(NamedTuple):
    """A constraint held against a model.

    Attributes
    ----------
    words : the constraint.
    train : on the training rows, where it was asked for.
    validated : the share in cross-validation, with its 95 % interval; '' where that was not asked for or is no share.
    test : on the held-out rows; `None` where there are none, or where the constraint says nothing about new rows.
    room : how far the model is from the limit, in words; '' where there is no figure.
    binds : whether there is no room left; `None` where there is no figure.
    """

    words: str
    train: AchievedWords
    validated: str
    test: AchievedWords | None
    room: str
    binds: bool | None


def constraint_rows(
    constraints: tuple[Constraint, ...],
    diagram: Diagram,
    train: Dataset,
    test: Dataset | None,
    unseen: UnseenPredictions | None = None,
) -> tuple[ConstraintRow, ...]:
    """Which constraints a model keeps, and how closely; `unseen` has the answers of cross-validation."""
    rows = []
    for constraint in constraints:
        trained = achieved(constraint, diagram, train)
        assert trained is not None, "a constraint that the training rows cannot have is refused before solving"
        judged = constraint.judged
        new = None if test is None else on_new_rows(judged, diagram, test)
        plain = judged.without_confidence()
        shares = None if new is None or test is None or plain is judged else on_new_rows(plain, diagram, test)
        room = constraint.slack(diagram, train)
        rows.append(
            ConstraintRow(
                constraint.full_words(train),
                _in_words(constraint, trained, "kept" if trained.holds else "broken"),
                "" if unseen is None else _share(_validated(constraint, unseen, train)),
                None if new is None else _in_words(judged, new, _verdict(new, shares)),
                "" if room is None else constraint.show(max(room, -room)),
                constraint.binds(diagram, train),
            )
        )
    return tuple(rows)


def _verdict(new: Achieved, shares: Achieved | None) -> str:
    """Whether new rows keep it; with a confidence `shares` says what they do without it."""
    if shares is None:
        return "kept" if new.holds else "not kept"
    return "shown" if new.holds else "not shown" if shares.holds else "not kept"


def _in_words(constraint: Constraint, found: Achieved, verdict: str) -> AchievedWords:
    value = "" if found.value is None else constraint.show(found.value)
    broken = tuple(found.broken)
    if found.observed is not None:
        limit = "" if constraint.without_confidence() is constraint else f", limit {value}"
        value = _share(found.observed) + limit
    return AchievedWords(found.holds, verdict, value, broken, found.observed is not None)


def _validated(constraint: Constraint, unseen: UnseenPredictions, train: Dataset) -> Rate | Estimate | None:
    try:
        return observed(constraint, unseen.predicted, train.take(unseen.rows))
    except ConstraintError:  # folds without a model may leave out whom it is about
        return None


def _share(found: Rate | Estimate | None) -> str:
    return "" if found is None else f"{percent(found.value)} ({interval(found)})"


def kept_sentence(rows: tuple[ConstraintRow, ...]) -> str:
    """How many constraints a model keeps, for instance 'keeps all 3 constraints' or 'breaks 1 of 3 constraints'."""
    broken = sum(not row.train.holds for row in rows)
    if not broken:
        return "keeps the constraint" if len(rows) == 1 else f"keeps all {len(rows)} constraints"
    return "breaks the constraint" if len(rows) == 1 else f"breaks {broken} of {len(rows)} constraints"
