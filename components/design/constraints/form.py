"""The form of one constraint: its fields, their errors, and findings before solving."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import streamlit as st

from components.design.constraints.fields import FieldWidget, ask
from components.messages.constraint_facts import ConstraintDraft, draft
from components.messages.text import plain
from solvers.constraints import Constraint, Finding, Severity
from solvers.problem import Problem

_MARK = {
    Severity.ERROR: ":red[:material/error: {}]",
    Severity.IMPOSSIBLE: ":red[:material/block: {}]",
    Severity.NOTE: ":gray[:material/info: {}]",
}


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
