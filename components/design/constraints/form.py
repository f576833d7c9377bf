"""The form of one constraint: its fields, their errors, and findings before solving."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import streamlit as st

from components.design.constraints.fields import FieldWidget, ask
from components.messages.text import capitalise, plain
from solvers.constraints import Constraint, Field, Finding, Severity
from solvers.errors import ConstraintError
from solvers.problem import Problem

_MARK = {
    Severity.ERROR: ":red[:material/error: {}]",
    Severity.IMPOSSIBLE: ":red[:material/block: {}]",
    Severity.NOTE: ":gray[:material/info: {}]",
}


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


def show(kind: type[Constraint], former: Constraint | None, problem: Problem, key: str) -> ConstraintDraft:
    """Draw the form of a kind of constraint and show at once what it means for the rows of a problem.

    `former` is the constraint to change, `None` for a new one; the keys of all widgets begin with `key`.
    """
    values: dict[str, Any] = {}
    places: dict[str, AbstractContextManager[Any]] = {}
    for field in kind.form():
        start = getattr(former, field.name) if isinstance(former, kind) else field.default
        with st.container(gap="xxsmall"):
            values[field.name] = ask(
                FieldWidget(field, problem.dataset, start, f"{key}_{kind.kind}_{field.name}", values)
            )
            places[field.name] = st.container(gap="xxsmall")
    drafted = draft(kind, values, problem)
    for name, place in places.items():
        with place:
            say(drafted.about(name))
    _conclude(drafted, problem)
    return drafted


def _conclude(drafted: ConstraintDraft, problem: Problem) -> None:
    with st.container(border=True, gap="xsmall"):
        if drafted.constraint is not None:
            st.markdown(f"**{plain(drafted.constraint.words(problem.dataset), 400)}**")
            if not drafted.findings:
                st.caption("No conflict found so far.")
        elif drafted.lacking:
            st.caption(f"Enter: {plain('; '.join(drafted.lacking), 300)}.")
        say(drafted.about(None))


def say(findings: Sequence[Finding]) -> None:
    """Show findings, errors in red."""
    for finding in findings:
        st.markdown(f":small[{_MARK[finding.severity].format(plain(finding.text, 400))}]")
